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
from crag.cli.verdict import verdict, words_for

Shape = dict[str, Any]

# A Chinese line may end after any character, but none begins with closing punctuation; other words stay whole.
_PIECES = re.compile(
    r"(?:[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+)"
    r"[\u3001\u3002\uff01\uff09\uff0c\uff1a\uff1b\uff1f\u300d\u300f\u300b\u3011\u201d\u2019\u2026]*|\s+"
)


_EVIDENCE = 3
"""Passages that a trace shows."""
_TOLD = {"confidence": "confidence in the evidence"}
"""Of a trace: a refusal has one too."""
_READ_ONLY = {"how": "reads the best sentences; its grade is not used"}
"""Told of the grade where a pipeline makes nothing of it."""


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
    """An answer with its trace: its sources with their quotes, how good the evidence is and how it came about."""
    words = words_for(answer)
    to.print()
    to.print(_indented(to, answer["text"], 2))
    if answer["citations"]:
        to.print()
        to.print(Text(f"  {words['sources']}", style="bold"))
        for citation in answer["citations"]:
            _print_citation(to, citation)
    to.print()
    to.print(Text.assemble("  ", *verdict(answer)))
    for entry in answer["degraded"]:
        to.print(Text(f"  {_degraded(entry)}", style="yellow"))
    pipeline, total = answer["pipeline"], answer["timings"].get("total")
    took = f" · {_milliseconds(total)}" if total is not None else ""
    to.print(Text(f"  {pipeline.get('name', '?')} {pipeline.get('version', '')}{took}", style="dim"))
    if answer["models"].get("generation") == "extractive" and answer["citations"]:
        to.print(Text(f"  {words['quotes']}", style="dim"))


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
    """The path through the graph, a node a line, and the best of the passages that the answer rests on."""
    to.print()
    to.print(Text("  Path", style="bold"))
    path = Table.grid(padding=(0, 2, 0, 0))
    path.add_column(no_wrap=True)
    path.add_column(no_wrap=True, justify="right", style="dim")
    path.add_column(overflow="fold")
    ungraded = answer["models"].get("grading") == "off"
    for event in answer["trace"]:
        decided = _READ_ONLY if ungraded and event["node"] == "grade" else event["detail"]
        told = {key.replace("_", " "): value for key, value in decided.items() if value != answer["question"]}
        detail = " · ".join(
            f"{_TOLD.get(key, key)}: {_brief(value)}" for key, value in told.items() if value is not None
        )
        path.add_row(event["node"], _milliseconds(event["milliseconds"]), Text(detail))
    to.print(Padding(path, (0, 0, 0, 2)))
    if hits := answer["hits"][:_EVIDENCE]:
        to.print()
        to.print(Text("  Evidence", style="bold"))
        print_hits(to, {"question": answer["question"], "hits": hits})
        if more := len(answer["hits"]) - len(hits):
            to.print(Text(f"  and {counted(more, 'passage')} more: --json has all", style="dim"))


def print_hits(to: Console, found: Shape) -> None:
    """Passages, best first: the sentence nearest to the question in words, a piece of the rest, and the last score."""
    for hit in found["hits"]:
        head = Text(f"{hit['rank']:>2}. ", style="bold cyan")
        head.append(hit["title"] or hit["source"], "bold")
        path = " › ".join(part for part in hit["heading_path"] if part != hit["title"])
        head.append(f" › {path}" if path else "", "default")
        head.append(f"  {hit['source']}{', page ' + str(hit['page']) if hit['page'] else ''}", "dim")
        to.print(head)
        nearest = _nearest_sentence(found["question"], hit)
        to.print(_indented(to, _shortened(nearest, 280), 4))
        if (rest := _shortened(hit["text"], 120)) != _shortened(nearest, 120):
            to.print(_indented(to, rest, 4, "dim"))
        _print_copies(to, hit, 4)
        to.print(Padding(Text(f"score {hit['score']:.3f}", style="dim"), (0, 2, 1, 4), expand=False))
    for entry in found.get("degraded", ()):
        to.print(Text(_degraded(entry), style="yellow"))


def _nearest_sentence(question: str, found: Shape) -> str:
    """The first sentence that shares the most words with the question, cut as an answer's are; no table header."""
    from chunking.loaders.media import MEDIA_TYPES
    from chunking.types import Chunk
    from graph.cuts import cut
    from retrieval.lexical.tokenizer import words
    from retrieval.types import DocumentInfo, Hit

    text = found["text"]
    media_type = MEDIA_TYPES.get(Path(found["source"]).suffix.lower(), "")
    info = DocumentInfo("", found["source"], found["title"], media_type)
    chunk = Chunk("", "", 0, len(text), text, 0, tuple(found["heading_path"]))
    strips = cut(Hit(chunk, info, 0.0), 0.0)
    sentences = [strips.text(number) for number in range(len(strips.spans)) if number not in strips.headers] or [text]
    asked = words(question)
    return max(sentences, key=lambda each: len(asked & words(each)))


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
