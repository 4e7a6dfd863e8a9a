"""`crag eval compare`: a verdict on run folders, with gates for CI."""

from __future__ import annotations

import sys
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path

import click

from chunking.errors import ConfigError
from crag.cli.options import console, json_option, print_json, unused_home_option
from eval.compare import CandidateResult, Comparison, compare_runs
from eval.gate_file import load_gates
from eval.gate_report import GateReport, exit_code
from eval.gates import check_gates, read_for_gates
from eval.judge_noise import read_noise
from eval.paired import MetricResult
from eval.report import render_html, render_invalid, render_junit, render_markdown
from eval.runs import read_run
from eval.standing import moved, standing
from eval.statistics import ALPHA
from eval.verdicts import figures, level, p_value, plural, signed

_PATH = click.Path(path_type=Path)
_WIDEST = 30
"""Characters of a heading: runs that are told apart by their paths would leave the other columns no room."""
_COLOURS = {"better": "green", "worse": "red", "open": "yellow"}


@click.command()
@click.argument("base", type=_PATH)
@click.argument("candidates", metavar="CANDIDATE...", nargs=-1, required=True, type=_PATH)
@click.option("--primary", metavar="METRIC", help="The metric that decides, declared ahead.")
@click.option("--alpha", default=ALPHA, show_default=True, type=click.FloatRange(0.0001, 0.5), metavar="P")
@click.option("--allow-mismatch", is_flag=True, help="Compare runs of other suites or judges, stamped as such.")
@click.option("--noise", type=_PATH, metavar="FILE", help="Report of 'crag eval judge-noise --json'.")
@click.option("--gates", "gate_file", type=_PATH, metavar="FILE", help="gates.yaml, checked on every candidate.")
@click.option("--html", type=_PATH, metavar="OUT", help="Write one self-contained report.")
@click.option("--markdown", type=_PATH, metavar="OUT", help="Write a summary for a pull request.")
@click.option("--junit", type=_PATH, metavar="OUT", help="Write the gates as JUnit XML.")
@json_option
@unused_home_option
def compare(
    *,
    base: Path,
    candidates: tuple[Path, ...],
    primary: str | None,
    alpha: float,
    allow_mismatch: bool,
    noise: Path | None,
    gate_file: Path | None,
    html: Path | None,
    markdown: Path | None,
    junit: Path | None,
    as_json: bool,
) -> None:
    """Say which run is better, by how much, how sure.

    With --gates the exit code is theirs: 0 passed, 1 failed, 3 the runs are invalid, 4 the judge was unreachable or
    its budget spent, 5 undecided where the file says that this fails.
    """
    for file in (html, markdown, junit):
        if file is not None and (file.is_dir() or not file.absolute().parent.is_dir()):
            raise ConfigError(f"{file} cannot be written: it is a folder, or lies in one that does not exist.")
    if junit and (gate_file is None or len(candidates) != 1):
        raise click.UsageError("--junit goes with --gates and one candidate.")
    places = [path.resolve() for path in (base, *candidates)]
    if twice := next((path for path in (base, *candidates) if places.count(path.resolve()) > 1), None):
        raise click.UsageError(f"{twice} is given twice: a comparison takes different runs.")
    floor = read_noise(noise) if noise else None
    gates = load_gates(gate_file) if gate_file else None
    read = read_for_gates if gates else read_run
    runs = [read(path) for path in (base, *candidates)]
    checked = [
        check_gates(gates, run, runs[0], allow_mismatch=allow_mismatch, noise=floor) for run in runs[1:] if gates
    ]
    if junit:
        junit.write_text(render_junit(checked[0]), encoding="utf-8")
    unusable = [report for report in checked if not report.comparable]
    if unusable:
        _say_invalid(unusable, markdown, as_json=as_json)
        sys.exit(exit_code(unusable))
    comparison = compare_runs(
        runs[0], runs[1:], primary=primary, alpha=alpha, allow_mismatch=allow_mismatch, noise=floor
    )
    if html:
        html.write_text(render_html(comparison, gates=checked), encoding="utf-8")
    if markdown:
        markdown.write_text(render_markdown(comparison, gates=checked), encoding="utf-8")
    if as_json:
        stands = [
            standing(c, comparison.base_label, report) for c, report in zip_longest(comparison.candidates, checked)
        ]
        told = {"standings": [asdict(each) for each in stands], "gates": [report.to_dict() for report in checked]}
        print_json({**comparison.to_dict(), **told})
    else:
        _print(comparison, checked, [each for each in (html, markdown, junit) if each])
    sys.exit(exit_code(checked))


def _say_invalid(reports: list[GateReport], markdown: Path | None, *, as_json: bool) -> None:
    """Nothing else is worth reading then: no table, no page."""
    said = [report.sentence for report in reports]
    if markdown:
        markdown.write_text(render_invalid(reports), encoding="utf-8")
    if as_json:
        print_json({"headline": " ".join(said), "gates": [report.to_dict() for report in reports]})
    else:
        for sentence in dict.fromkeys(said):
            console().print(sentence)


def _print(comparison: Comparison, gates: list[GateReport], written: list[Path]) -> None:
    to = console()
    for candidate, report in zip_longest(comparison.candidates, gates):
        _print_candidate(comparison, candidate, report)
    for report in gates:
        to.print(report.sentence)
        for gate in report.results:
            to.print(f"  {gate.status:<13}{gate.name}: {gate.message}")
    for path in written:
        to.print(f"Wrote {path}.")


def _print_candidate(comparison: Comparison, candidate: CandidateResult, gates: GateReport | None) -> None:
    from rich.text import Text

    from crag.cli.render import print_rows

    to, base = console(), comparison.base_label
    found = standing(candidate, base, gates)
    to.print(Text(found.line, style=f"bold {_COLOURS.get(found.tone, '')}"))
    to.print(f"  {candidate.primary.info.name}: {figures(candidate.primary, alpha=comparison.alpha)}.")
    for words, _, others in moved(candidate):
        to.print(f"  {words}: {', '.join(f'{r.info.name} {signed(r.test.difference)}' for r in others)}.")
    for remark in (*candidate.remarks, comparison.decided):
        to.print(f"  {remark}")
    results = (*candidate.metrics, *candidate.economy)
    equal = [result for result in results if result.equal and result is not candidate.primary]
    rows = [_row(result, decides=result is candidate.primary) for result in results if result not in equal]
    interval = f"{level(comparison.alpha)} interval"
    sides = f"{candidate.label} - {base}"
    headings = (
        "metric",
        sides if len(sides) <= _WIDEST else "difference",
        interval,
        "p (Holm)",
        "n",
        "won/tied/lost",
        "verdict",
    )
    print_rows(to, headings, rows, right=headings[1:6])
    if equal:
        to.print(f"  {plural(len(equal), 'metric')} equal on every question: {', '.join(r.info.name for r in equal)}.")
    for change in candidate.regressions[:5]:
        to.print(f"  regressed: {change.question.id}, {change.why}")
    more = len(candidate.regressions) - 5
    if more > 0:
        to.print(f"  and {more} more {'question' if more == 1 else 'questions'}, in the report (--html OUT)")


def _row(result: MetricResult, *, decides: bool) -> tuple[str, ...]:
    test = result.test
    known = test.interval if not (result.equal or result.incomparable) else None
    interval = f"{signed(known.low)} to {signed(known.high)}" if known else "-"
    counts = f"{test.wins}/{test.ties}/{test.losses}"
    return (
        f"{result.info.name} (decides)" if decides else result.info.name,
        signed(test.difference),
        interval,
        "-" if result.incomparable else p_value(result.p),
        str(test.n),
        counts,
        "not comparable" if result.incomparable else result.verdict.lower(),
    )
