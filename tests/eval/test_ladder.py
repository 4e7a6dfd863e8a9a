"""The document that `make results` writes: what it says of a gain, a loss and of neither."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crag.pipeline import LADDER
from eval.metrics.catalog import CATALOG
from eval.runs import Run
from eval.suite import load_suite
from eval.summary import summarize
from tests.bench.ladder import DATASETS, METRICS, PRIMARY, SetResult, main, render
from tests.bench.ladder_parts import parts, write_across
from tests.fakes.runs import Case, write_run


def rung(folder: Path, name: str, covered: int) -> Run:
    """Twenty questions, `covered` of them with their evidence."""
    held = {metric: float(metric != "recall@5") for metric in METRICS}
    scores = [{**held, PRIMARY: hit, "recall@5": hit} for hit in (float(number < covered) for number in range(20))]
    cases = [Case(f"q{number:02}", scored) for number, scored in enumerate(scores)]
    run = write_run(folder / name, cases, name=name, metrics=[CATALOG[metric] for metric in METRICS])
    run.manifest["pipeline"]["resolved"]["models"] = {"embedding": "local"}
    return replace(run, summary=summarize(run))


def result(folder: Path, name: str, covered: tuple[int, int, int, int]) -> SetResult:
    names = (*LADDER, *(part.name for part in parts()))
    return SetResult(
        name, {each: rung(folder / name, each, n) for each, n in zip(names, (*covered, 6, 2), strict=True)}
    )


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("ladder")
    results = [
        result(folder, "risen", (4, 12, 14, 16)),
        result(folder, "level", (10, 10, 11, 11)),
        result(folder, "fallen", (18, 18, 18, 8)),
    ]
    return render(results, ["elsewhere"], "0123456789ab")


def test_the_articles_gain_is_said_to_appear_or_not(document: str) -> None:
    assert (
        f"- **`{PRIMARY}`**, the whole ladder (crag over vector): the gain appears on risen (+0.600); it is a loss on "
        "fallen (−0.500); no difference is shown on level (+0.050)." in document
    )
    (row,) = (line for line in document.splitlines() if line.startswith("| risen | 0.200"))
    assert row.split(" | ")[1:5] == ["0.200", "0.600", "0.700", "0.800"]
    assert "+0.400 better" in row
    assert "Faithfulness needs a judge and is not measured here." in document


def test_each_set_has_its_ladder_its_verdicts_and_its_hashes(document: str) -> None:
    risen = document[document.index("## risen") : document.index("## level")]
    assert "crag is BETTER than vector on coverage@1500: 0.800 against 0.200" in risen
    assert "NO DIFFERENCE SHOWN between crag and hybrid-rerank on coverage@1500" in risen
    assert "| vector | 1.000 |" in risen
    manifest = document[document.index("## Manifest") :]
    assert "0123456789ab" in manifest
    assert "| risen | " + "5a" * 32 in manifest
    assert "Skipped: `elsewhere` is not at hand." in document


def test_the_fusion_stands_beside_its_better_part_and_the_usual_start(document: str) -> None:
    rows = {tuple(line.split(" | ")[:2]): line.split(" | ") for line in document.splitlines() if "| recall@5 |" in line}
    risen, fallen = rows["| risen", "recall@5"], rows["| fallen", "recall@5"]
    assert risen[2:6] == ["0.200", "0.300", "0.600", "0.700"]
    assert risen[6].startswith("+0.300 (")
    assert fallen[6].startswith("0.000")
    start = document[document.index("## Against the usual start") : document.index("## risen")]
    assert "| risen | 0.0 | 0.0 | - | 18.0 | 6.0 | 0.33 |" in start
    assert "| **all** | 0.0 | 0.0 | - | 54.0 | 17.0 | 0.31 |" in start


def test_questions_of_one_language_meet_documents_of_the_other(datasets: Path, tmp_path: Path) -> None:
    suite = load_suite(write_across(datasets, tmp_path / "across"))
    english = load_suite(DATASETS / "xquad_en")
    assert [question.id for question in suite.questions] == [question.id for question in english.questions]
    assert all(max(question.question) >= "\u4e00" for question in suite.questions)
    assert suite.questions[0].reference_spans == english.questions[0].reference_spans


def test_a_set_that_is_not_there_is_told_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["nowhere", "--out", str(tmp_path / "ladder.md")])
    assert "skipped: nowhere is not at" in capsys.readouterr().out
    assert not (tmp_path / "ladder.md").exists()
