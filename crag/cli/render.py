"""Answers, hits and reports for a person's eyes. All of them are drawn from the JSON shapes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from crag.cli.options import counted

Shape = dict[str, Any]

_STATUS = {
    "grounded": ("green", "answered from the sources"),
    "partial": ("yellow", "answered in part"),
    "abstained": ("red", "not answered"),
}
_ROUTE = {
    "correct": "the documents hold the answer",
    "ambiguous": "the evidence is uncertain",
    "incorrect": "the documents do not seem to hold it",
}


# A Chinese line may end after any character, but none begins with closing punctuation; other words stay whole.
_PIECES = re.compile(
    r"(?:[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+)"
    r"[\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u300d\u300f\u300b\u3011\u201d\u2019\u2026]*|\s+"
)


def wrapped(text: str, width: int) -> str:
    """The text in lines of at most `width` terminal cells. Rich alone breaks Chinese at the rare spaces only."""
    lines = []
    for paragraph in text.splitlines():
        line = ""
        for piece in _PIECES.findall(paragraph):
            if line and cell_len(line) + cell_len(piece.rstrip()) > width:
                lines.append(line.rstrip())
                line = piece.lstrip()
            else:
                line += piece
        lines.append(line.rstrip())
    return "\n".join(lines)


def _indented(to: Console, text: str, left: int, style: str = "") -> Padding:
    return Padding(Text(wrapped(text, to.width - left - 2), style=style), (0, 2, 0, left), expand=False)


def print_answer(to: Console, answer: Shape) -> None:
    """The answer, its sources with their quotes, how sure it is and how it came about."""
    to.print()
    to.print(_indented(to, answer["text"], 2))
    if answer["citations"]:
        to.print()
        to.print(Text("  Sources", style="bold"))
        for citation in answer["citations"]:
            _print_citation(to, citation)
    to.print()
    to.print(Text.assemble("  ", *_verdict(answer)))
    for entry in answer["degraded"]:
        to.print(Text(f"  {_degraded(entry)}", style="yellow"))
    pipeline, total = answer["pipeline"], answer["timings"].get("total")
    took = f" · {_milliseconds(total)}" if total is not None else ""
    to.print(Text(f"  {pipeline.get('name', '?')} {pipeline.get('version', '')}{took}", style="dim"))
    if answer["models"].get("generation") == "extractive" and answer["citations"]:
        note = "  No language model is configured: the answer quotes the sources."
        to.print(Text(note, style="dim"))


def _verdict(answer: Shape) -> tuple[tuple[str, str], ...]:
    """A dot, the verdict, how sure it is, and why."""
    status, route, confidence = answer["status"], answer["route"], answer["confidence"]
    colour, verdict = _STATUS[status]
    if answer["models"].get("grading") == "off":
        if status == "abstained":
            return ("● ", colour), (verdict, "bold"), (": nothing was found that bears an answer", "")
        why = "this pipeline answers from whatever it finds, check the sources"
        return ("● ", "default"), (verdict, "bold"), (f", evidence not graded: {why}", "")
    if status == "grounded" and (route != "correct" or confidence < 0.5):
        colour = _STATUS["partial"][0]
    return ("● ", colour), (verdict, "bold"), (f", {round(100 * confidence)}% confident: {_why(answer)}", "")


def _why(answer: Shape) -> str:
    """What the evidence was like, and what else was tried where it was not enough."""
    route, refused = answer["route"], answer["status"] == "abstained"
    tried = [words for node, words in (("rewrite", "other wordings"), ("search_web", "the web")) if _ran(answer, node)]
    if _ran(answer, "reply"):
        return "nothing was asked of the documents"
    if route == "correct" and refused:
        return "the passages look right, but no sentence of them bears an answer"
    if route == "incorrect" and refused:
        return _ROUTE[route] + (f"; {' and '.join(tried)} brought nothing better" if tried else "")
    if route == "incorrect":
        return f"{_ROUTE[route]}; the answer is from the web"
    if route == "ambiguous" and not refused:
        return f"{_ROUTE[route]}, check the sources"
    return _ROUTE[route]


def _ran(answer: Shape, node: str) -> bool:
    return node in answer["timings"]


def _degraded(entry: Shape) -> str:
    return f"! {entry['stage']}: {entry['reason'].rstrip('.')}. {entry['action']}"


def _milliseconds(value: float) -> str:
    """One decimal below ten, whole milliseconds from there on."""
    return f"{value:.1f} ms" if value < 9.95 else f"{value:.0f} ms"


def _print_citation(to: Console, citation: Shape) -> None:
    head = Text("  ")
    head.append(f"[{citation['marker']}] ", "bold cyan")
    head.append(citation["title"] or citation["source"], "bold")
    where = [] if citation["title"] in (citation["source"], "") else [citation["source"]]
    where += [f"page {citation['page']}"] if citation["page"] else []
    where += [citation["url"]] if citation["url"] else []
    where += [f"published {citation['date']}"] if citation["url"] and citation.get("date") else []
    where += [f"read {citation['accessed']}"] if citation.get("accessed") and not citation.get("date") else []
    head.append(f"  {', '.join(where)}" if where else "", "dim")
    to.print(head)
    to.print(_indented(to, _shortened(citation["quote"], 280), 6, "italic"))
    _print_copies(to, citation, 6)


def _print_copies(to: Console, found: Shape, indent: int) -> None:
    """The other places of a passage; a server of an earlier release names none."""
    places = [each["source"] + (f", page {each['page']}" if each["page"] else "") for each in found.get("also_in", ())]
    if places:
        to.print(_indented(to, f"also in {'; '.join(dict.fromkeys(places))}", indent, "dim"))


def print_trace(to: Console, answer: Shape) -> None:
    """The path through the graph, a node a line."""
    to.print()
    to.print(Text("  Path", style="bold"))
    for event in answer["trace"]:
        detail = ", ".join(f"{key} {_brief(value)}" for key, value in event["detail"].items())
        to.print(Text(f"  {event['node']:<11}{_milliseconds(event['milliseconds']):>9}  {detail}"), overflow="fold")


def print_hits(to: Console, found: Shape) -> None:
    """Passages, best first, with what each stage said of them."""
    for hit in found["hits"]:
        head = Text(f"{hit['rank']:>2}. ", style="bold cyan")
        head.append(hit["title"] or hit["source"], "bold")
        path = " › ".join(part for part in hit["heading_path"] if part != hit["title"])
        head.append(f" › {path}" if path else "", "default")
        head.append(f"  {hit['source']}{', page ' + str(hit['page']) if hit['page'] else ''}", "dim")
        to.print(head)
        to.print(_indented(to, _shortened(hit["text"], 320), 4))
        _print_copies(to, hit, 4)
        ranked = [(stage, hit["scores"][stage], rank) for stage, rank in hit["ranks"].items()]
        stages = "  ".join(f"{stage} {score:.3f} (#{rank})" for stage, score, rank in ranked)
        to.print(Padding(Text(stages, style="dim"), (0, 2, 1, 4), expand=False))
    for entry in found.get("degraded", ()):
        to.print(Text(_degraded(entry), style="yellow"))


def print_rows(
    to: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], right: tuple[str, ...] = ()
) -> None:
    """A plain table; columns named in `right` are aligned right, and long cells fold."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        aligned = heading in right
        table.add_column(heading, justify="right" if aligned else "left", overflow="fold", no_wrap=aligned)
    for row in rows:
        table.add_row(*row)
    to.print(table)


def _shortened(text: str, limit: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def _brief(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return _shortened(text, 100)


_NAMED = 5
"""Files named of those that are gone."""


def print_ingest(to: Console, report: Shape) -> None:
    """What an ingest did, and what it could not read."""
    kinds = ("added", "updated", "unchanged", "removed", "renamed")
    done = ", ".join(f"{_count(report[kind])} {kind}" for kind in kinds if _count(report[kind]) or kind == "added")
    to.print(Text(f"{done}; {counted(report['chunks'], 'chunk')}, {report['seconds']:.1f} s", style="bold"))
    if gone := report["gone"]:
        which = ", ".join(gone[:_NAMED]) + (", …" if len(gone) > _NAMED else "")
        verb, them = ("is", "it") if len(gone) == 1 else ("are", "them")
        to.print(Text(f"{counted(len(gone), 'file')} {verb} gone ({which}): --prune removes {them}", style="yellow"))
    for each in report["skipped"]:
        # A reader's sentence names the file already.
        named = f"{Path(each['path']).name} " in each["reason"]
        to.print(Text(f"  skipped: {'' if named else each['path'] + ': '}{each['reason']}", style="yellow"))
    for each in report["notes"]:
        to.print(Text(f"  note: {each['path']}: {_shortened('; '.join(each['notes']), 160)}", style="dim"))
    for entry in report.get("degraded", ()):
        to.print(Text(_degraded(entry), style="yellow"))


def _count(value: Any) -> int:
    return value if isinstance(value, int) else len(value)
