"""How good the shipped confidence is: ``python -m tests.bench.grading`` writes ``docs/results/grading.md``.

Every question of the public sets is searched once with its evidence in the index and once with it withheld. The
shipped calibration has seen the first half of the documents: figures are of the second half. To see what an unknown
set may expect, a calibration is fitted without any question of the set (and of its translation) and asked all of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eval.report.markdown import table
from graph.calibrate import Case, Quality, calibrate, quality, without_interaction
from graph.confidence import Calibration, calibration_for
from graph.config import GradingConfig
from tests.graph.fit_calibrations import COMPANY, DATASETS, STRANGERS, SUITES, WRITTEN, collect, collect_asked

ROOT = Path(__file__).parents[2]
HOME = ROOT / "build" / "grading"
RESULTS = ROOT / "docs" / "results" / "grading.md"
KIN = {"xquad_en": "xquad", "xquad_zh": "xquad", "docs_seatunnel_en": "docs", "docs_seatunnel_zh": "docs"}
"""Translations of one set: left out together."""
LOWER, UPPER = GradingConfig().lower, GradingConfig().upper
PROSE = {"zh prose": ("cmrc2018_zh", "drcd_zh_hant"), "en prose": ("xquad_en",)}
"""What the sets say together of a language; the Chinese twin of `xquad_en` is left out, its questions are the same."""
DRAWS = 2000
DEMAND = 0.95
"""A confidence that a careful reader may demand."""
COVERAGES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
REPORTED = (*SUITES, COMPANY, *STRANGERS)
Scored = tuple[NDArray[np.float64], NDArray[np.bool_]]


def scored(calibration: Calibration, cases: Sequence[Case]) -> Scored:
    return (
        np.array([calibration.confidence(case.hits) for case in cases]),
        np.array([case.answerable for case in cases], bool),
    )


def of_scored(found: Scored) -> Quality:
    return quality(found[0].tolist(), found[1].tolist())


def abstained_at(found: Scored, answered: float) -> float:
    """Share of the withheld refused by the highest bound that still answers that share of the answerable."""
    confidence, answerable = found
    held = np.sort(confidence[answerable])
    bound = held[int(np.floor((1 - answered) * len(held) + 1e-9))]
    return float((confidence[~answerable] < bound).mean())


def answered_at(found: Scored, abstained: float) -> float:
    """Share of the answerable answered by the lowest bound that refuses that share of the withheld."""
    confidence, answerable = found
    withheld = np.sort(confidence[~answerable])
    bound = withheld[int(np.ceil(abstained * len(withheld) - 1e-9)) - 1]
    return float((confidence[answerable] > bound).mean())


def ece_by_chance(found: Scored) -> tuple[float, float]:
    """What a perfectly calibrated grader of the same confidences would show, as bins of few cases are never exact: the
    mean, and how often at least as much as was found."""
    confidence = found[0].tolist()
    drawn = np.random.default_rng(0).random((DRAWS, len(confidence))) < found[0]
    shown = np.array([quality(confidence, labels.tolist()).ece for labels in drawn])
    return float(shown.mean()), float((shown >= of_scored(found).ece).mean())


def together(found: Mapping[str, Scored], suites: Sequence[str]) -> Scored:
    return (
        np.concatenate([found[suite][0] for suite in suites]),
        np.concatenate([found[suite][1] for suite in suites]),
    )


def risk(found: Scored, coverage: float) -> float:
    """Share of unanswerable questions among the most confident `coverage` of all."""
    order = np.argsort(-found[0], kind="stable")[: max(1, round(coverage * len(found[0])))]
    return float((~found[1][order]).mean())


def without_set(cases: Sequence[Case], suite: str, like: Calibration) -> Scored:
    """A calibration fitted on every other set, asked this one."""
    kin = KIN.get(suite, suite)
    others = [case for case in cases if case.suite not in STRANGERS and KIN.get(case.suite, case.suite) != kin]
    made = calibrate(others, name="others", embedder=like.embedder, reranker=like.reranker)
    return scored(made, [case for case in cases if case.suite == suite])


def render(cases: Sequence[Case], shipped: Calibration) -> str:
    held = [case for case in cases if case.half == 1 or case.suite in STRANGERS]
    half = {suite: scored(shipped, [case for case in held if case.suite == suite]) for suite in REPORTED}
    unseen = {suite: without_set(cases, suite, shipped) for suite in REPORTED}
    vectors = [without_interaction(case) for case in cases]
    before = {suite: without_set(vectors, suite, shipped) for suite in REPORTED}
    everything = scored(shipped, [case for case in held if case.suite not in STRANGERS])
    rows = [*((suite, (suite,)) for suite in REPORTED), *PROSE.items()]
    lines = [
        "# How far the confidence can be trusted",
        "",
        "Written by `python -m tests.bench.grading`. Each question is searched once as it is and once with its "
        "evidence withheld: every passage that overlaps the evidence, or says the answer elsewhere in the same "
        "document, is gone, the ranks below move up, near misses stay. So half of the questions have no answer.",
        "",
        f"`{shipped.name}` is what the default pipeline `crag` grades with. *Second half*: documents that its fit did "
        "not see. *Unseen set*: all questions of the set, graded by a fit on the other sets alone (both languages of "
        "one set are left out together). *Vectors alone*: the same without reading tokens. The network that judges "
        "answers has learned from no question of these sets, but from others on passages of the first halves of "
        "cmrc2018_zh and drcd_zh_hant (docs/confidence.md): of these two the second half is the fair figure.",
        "",
        f"*{COMPANY}*, *{', '.join(STRANGERS)}* are questions about made-up documents (`tests/graph/asked`), with near "
        f"misses written as such: nothing is withheld. Of *{COMPANY}* the halves are of questions; on the other three "
        "nothing is fitted, and they are reported whole in either column. They are as hard as people can be: most "
        "questions are worded without the document's words, and most near misses with them, so that likeness says the "
        "contrary of the truth. This is the grade of the calibration; what a question names and no passage says "
        "(docs/confidence.md) lowers that of an answer.",
        "",
        "## Telling the answerable from the rest",
        "",
        "The ECE of some hundred cases is above 0 for any grader, as ten bins of them are never exact; *by chance* is "
        f"the mean of {DRAWS:,} draws from a grader of the same confidences whose every probability is right, and how "
        "many of the draws are at or above the figure beside it.",
        "",
        *table(
            [
                *("set", "second half: cases", "AUC", "ECE", "by chance"),
                *("unseen set: cases", "AUC", "ECE", "by chance", "vectors alone: AUC"),
            ],
            [_quality_row(name, *(together(each, suites) for each in (half, unseen, before))) for name, suites in rows],
        ),
        "",
        "## Abstaining",
        "",
        "Withheld questions refused where 90% of the answerable are answered; answerable ones answered where 85% of "
        f"the withheld are refused; both at the shipped lower bound of {LOWER:g} and at a demanded confidence of "
        f"{DEMAND:g}.",
        "",
        *_abstaining("second half", half),
        "",
        *_abstaining("unseen set", unseen),
        "",
        "## Risk and coverage",
        "",
        "Of the most confident share of all questions (the column), how many have no answer. Half have none, so "
        "nothing can be below 0 up to .5 and below .5 at 1.",
        "",
        *table(
            ["set, second half", *(f"{coverage:g}" for coverage in COVERAGES)],
            [[suite, *(f"{risk(found, coverage):.3f}" for coverage in COVERAGES)] for suite, found in half.items()],
        ),
        "",
        "## Reliability",
        "",
        *table(
            ["confidence", "questions", "said", "was"],
            [
                [f"{b.low:.1f} to {b.high:.1f}", str(b.count), f"{b.predicted:.2f}", f"{b.observed:.2f}"]
                for b in of_scored(everything).bins
            ],
        ),
        "",
        "## Why these bounds",
        "",
        f"Below `lower` ({LOWER:g}) a question is refused or sent to the web, from `upper` ({UPPER:g}) on it is "
        "answered from the index alone. The fit counts as many unanswerable questions as answerable ones; where seven "
        "of ten have an answer, a confidence of .3 means even odds. Second half of all sets that the fit has seen:",
        "",
        *table(
            ["bound", "answerable at or above", "withheld below"],
            [[f"{bound:g}", *_shares(everything, bound)] for bound in (0.1, 0.2, 0.3, 0.4, 0.5, 0.7, DEMAND)],
        ),
    ]
    return "\n".join(lines) + "\n"


def _quality_row(suite: str, half: Scored, unseen: Scored, before: Scored) -> list[str]:
    one, two = of_scored(half), of_scored(unseen)
    return [
        suite,
        *(str(one.count), f"{one.auc:.3f}", f"{one.ece:.3f}", _chance(half)),
        *(str(two.count), f"{two.auc:.3f}", f"{two.ece:.3f}", _chance(unseen)),
        f"{of_scored(before).auc:.3f}",
    ]


def _chance(found: Scored) -> str:
    mean, at_least = ece_by_chance(found)
    return f"{mean:.3f} ({at_least:.0%})"


def _abstaining(which: str, found: dict[str, Scored]) -> Iterator[str]:
    heads = [which, "refused at 90% answered", "answered at 85% refused"]
    heads += [f"{kind} at {bound:g}" for bound in (LOWER, DEMAND) for kind in ("answered", "refused")]
    rows = [
        [
            suite,
            f"{abstained_at(own, 0.9):.3f}",
            f"{answered_at(own, 0.85):.3f}",
            *_shares(own, LOWER),
            *_shares(own, DEMAND),
        ]
        for suite, own in found.items()
    ]
    yield from table(heads, rows)


def _shares(found: Scored, bound: float) -> tuple[str, str]:
    """Of the answerable those at or above, of the withheld those below."""
    confidence, answerable = found
    return f"{(confidence[answerable] >= bound).mean():.3f}", f"{(confidence[~answerable] < bound).mean():.3f}"


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.grading", description="Measure the confidence.")
    parser.add_argument("--out", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--home", type=Path, default=HOME, metavar="FOLDER", help="keeps the sets' indexes")
    chosen = parser.parse_args(arguments)
    if missing := [suite for suite in SUITES if not (DATASETS / suite).is_dir()]:
        print(f"skipped: {', '.join(missing)} not at {DATASETS}")
        return
    cases: list[Case] = []
    fingerprint = ""
    for suite in SUITES:
        found, fingerprint = collect(DATASETS / suite, chosen.home)
        cases += found["sentence"]
        print(f"{suite}: {len(found['sentence'])} cases", flush=True)
    for name in (COMPANY, *STRANGERS):
        cases += collect_asked(WRITTEN / name, chosen.home)["sentence"]
    chosen.out.write_text(render(cases, calibration_for(fingerprint, "sentence")), encoding="utf-8")
    print(f"Wrote {chosen.out}.")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
