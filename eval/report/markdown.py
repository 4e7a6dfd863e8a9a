"""The comparison in Markdown, short enough for a pull request comment."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from eval.changes import STAGE_WORDS, Change
from eval.compare import CandidateResult, Comparison
from eval.gate_report import GateReport
from eval.paired import MetricResult
from eval.report.figures import ladder
from eval.report.printable import printable
from eval.standing import moved, standing
from eval.verdicts import figures, level, number, p_value, plural, signed

MARKS = {"better": "🟢", "worse": "🔴", "even": "⚪", "open": "🟡"}
GATE_MARKS = {"passed": "✅", "failed": "❌", "inconclusive": "❔", "invalid": "⛔", "unjudged": "⛔"}
_REGRESSIONS = 10


def render_markdown(comparison: Comparison, *, gates: Sequence[GateReport] = ()) -> str:
    """Verdicts, gates, every metric's difference, the worst regressions, and the ladder, folded."""
    lines = ["## RAG comparison", ""]
    for candidate, report in zip_longest(comparison.candidates, gates):
        lines += _verdict(comparison, candidate, report)
    if comparison.mismatches:
        lines += [f"> **These runs are not strictly comparable:** {_text('; '.join(comparison.mismatches))}.", ""]
    for candidate, report in zip(comparison.candidates, gates, strict=False):
        whose = f" of {_text(candidate.label)}" if len(gates) > 1 else ""
        lines += [f"### Gates{whose}: {_text(report.sentence)}", ""]
        lines += [f"- {GATE_MARKS[r.status]} {_text(r.name)}: {_text(r.message)}" for r in report.results] + [""]
    for candidate in comparison.candidates:
        lines += _candidate(comparison, candidate)
    lines += ["<details><summary>Means of every run</summary>", "", *_ladder(comparison), "", "</details>"]
    return "\n".join(lines).rstrip() + "\n"


def render_invalid(gates: Sequence[GateReport]) -> str:
    """Why runs cannot be compared, in place of the summary."""
    return "\n\n".join(["## RAG comparison", *(f"⛔ {_text(report.sentence)}" for report in gates)]) + "\n"


def _verdict(comparison: Comparison, candidate: CandidateResult, gates: GateReport | None) -> list[str]:
    found = standing(candidate, comparison.base_label, gates)
    mark = f"**{found.mark}** " if found.mark else ""
    lines = [f"{MARKS[found.tone]} {mark}{_text(found.headline)}.", ""]
    lines.append(
        f"- {_text(candidate.primary.info.name)}: {_text(figures(candidate.primary, alpha=comparison.alpha))}."
    )
    for words, _, others in moved(candidate):
        listed = ", ".join(f"{result.info.name} {signed(result.test.difference)}" for result in others)
        lines.append(f"- {words}: {_text(listed)}.")
    return [*lines, *(f"- {_text(remark)}" for remark in candidate.remarks), f"- {_text(comparison.decided)}", ""]


def _ladder(comparison: Comparison) -> Iterable[str]:
    """A metric a line: twenty of them side by side fit no comment."""
    means = ladder(comparison)
    values = [["–" if cell.value is None else number(cell.value) for cell in row.cells] for row in means.rows]
    yield from table(
        ["metric", *(row.label for row in means.rows)],
        [[column.name, *cells] for column, *cells in zip(means.columns, *values, strict=True)],
    )


def _candidate(comparison: Comparison, candidate: CandidateResult) -> list[str]:
    lines = [f"### {_text(candidate.label)} against {_text(comparison.base_label)}", ""]
    results = [*candidate.metrics, *candidate.economy]
    equal = [result for result in results if result.equal and result is not candidate.primary]
    interval = f"{level(comparison.alpha)} interval"
    header = ["metric", "difference", interval, "p (Holm)", "n", "won / tied / lost", "verdict"]
    rows = [_row(result, decides=result is candidate.primary) for result in results if result not in equal]
    lines += [*table(header, rows), ""]
    if equal:
        names = ", ".join(result.info.name for result in equal)
        lines += [f"{plural(len(equal), 'metric')} equal on every question: {_text(names)}.", ""]
    worst = candidate.regressions
    if worst:
        blamed = ", ".join(f"{STAGE_WORDS[stage]}: {count}" for stage, count in candidate.stages.items())
        counted = f"{plural(len(worst), 'question')} regressed on {_text(candidate.primary.info.name)}"
        lines += [f"<details><summary>{counted} ({_text(blamed)})</summary>", ""]
        lines += [_regression(change) for change in worst[:_REGRESSIONS]]
        if len(worst) > _REGRESSIONS:
            lines.append(f"- and {len(worst) - _REGRESSIONS} more")
        lines += ["", "</details>", ""]
    return lines


def _row(result: MetricResult, *, decides: bool) -> list[str]:
    test = result.test
    known = test.interval if not (result.equal or result.incomparable) else None
    interval = f"{signed(known.low)} to {signed(known.high)}" if known else "–"
    notes = ", ".join(["decides"] * decides + ["lower is better"] * (result.info.direction == "lower"))
    return [
        f"**{result.info.name}**{f' ({notes})' if notes else ''}",
        signed(test.difference),
        interval,
        "–" if result.incomparable else p_value(result.p).removeprefix("p = ").removeprefix("p "),
        str(test.n),
        f"{test.wins} / {test.ties} / {test.losses}",
        "not comparable" if result.incomparable else result.verdict.lower(),
    ]


def _regression(change: Change) -> str:
    moved = (
        "no score"
        if change.gain is None
        else f"{number(change.base.score or 0)} → {number(change.candidate.score or 0)}"
    )
    return (
        f"- `{change.question.id}` {_text(change.question.question)} ({_text(change.question.type)}): {moved}. "
        f"**{change.stage}**: {_text(change.why)}"
    )


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterable[str]:
    """The lines of a table; cells are defused."""
    yield f"| {' | '.join(_cell(text) for text in header)} |"
    yield f"|{'|'.join('---' for _ in header)}|"
    for row in rows:
        yield f"| {' | '.join(_cell(text) for text in row)} |"


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    """One line, with HTML, links, pictures, mentions of users and what cannot be shown defused."""
    line = " ".join(printable(text).split()).replace("&", "&amp;").replace("<", "&lt;").replace("[", "\\[")
    return re.sub(r"(?<!\w)@", "@\u200b", line)
