"""What all loaders share: damaged files, refusals, names, and texts made to be slow."""

from __future__ import annotations

import io
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import docx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.errors import DocumentError
from chunking.loaders import SUPPORTED, load_bytes, load_path
from chunking.types import document_id
from tests.chunking.test_pdf_layouts import columns


@pytest.mark.parametrize("kind", ["pdf", "docx", "html", "tex", "md"])
@settings(max_examples=60)
@given(changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=4)), min_size=1, max_size=30))
def test_damaged_files_are_read_or_refused(kind: str, changes: list[tuple[float, bytes]]) -> None:
    data = bytearray(_whole(kind))
    for place, new in changes:
        at = int(place * len(data))
        data[at : at + 2] = new
    # Whatever else is raised fails the test.
    with suppress(DocumentError):
        document = load_bytes(bytes(data), source=f"a.{kind}")
        at = 0
        for block in document.blocks:
            assert at <= block.start < block.end <= len(document.text)
            at = block.end


@cache
def _whole(kind: str) -> bytes:
    if kind == "pdf":
        return columns(chinese=False, by_row=False)[0]
    if kind == "docx":
        made = docx.Document()
        made.add_heading("A", level=1)
        made.add_paragraph("Text.")
        made.add_table(rows=2, cols=2)
        stream = io.BytesIO()
        made.save(stream)
        return stream.getvalue()
    texts = {
        "html": "<html><body><h1>A</h1><p>Text</p><ul><li>one</ul><table><tr><td>1</table></body></html>",
        "tex": r"\section{A} Text \begin{tabular}{ll} a & b \\ \end{tabular} \begin{itemize}\item x\end{itemize} $x$",
        "md": "---\ntitle: A\n---\n# A\n\nText\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx\n```\n",
    }
    return texts[kind].encode()


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "is empty"),
        ("a.txt", b" \n\t ", "holds no text"),
        ("a.txt", bytes(range(256)) * 50, "binary data|not text"),
        ("a.txt", b"\x89PNG\r\n\x1a\n" + bytes(100), "a damaged picture"),
        ("a.bin", b"some text", "no supported type"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "office file"),
        ("a.pdf", b"not a pdf at all", "damaged or not what its name says"),
        ("a.pdf", b"%PDF-1.7\nbroken", "damaged PDF"),
        ("a.docx", b"PK\x03\x04 word/document.xml broken", "damaged DOCX"),
        ("a.html", b"<html><body></body></html>", "holds no text"),
    ],
)
def test_refusals_are_one_sentence_that_names_the_file(name: str, data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as refusal:
        load_bytes(data, source=name)
    assert str(refusal.value).startswith(name)
    assert str(refusal.value).endswith(".")
    assert "\n" not in str(refusal.value)


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    started = time.perf_counter()
    with pytest.raises(DocumentError, match=r"too large \(50 MB, at most 20 MB\)"):
        load_path(path)
    assert time.perf_counter() - started < 0.5


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="cannot be opened"):
        load_path(tmp_path / "none.md")


def test_identity_of_a_path(tmp_path: Path) -> None:
    path = tmp_path / "README"
    path.write_text("Some text.", encoding="utf-8")
    document = load_path(path)
    assert document.id == document_id(str(path.resolve()))
    assert document.media_type == "text/plain"
    assert load_path(path, origin="x", source="y").source == "y"
    assert load_path(path, origin="x").id == document_id("x")
    assert ".md" in SUPPORTED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dots.txt", "." * 300_000),
        ("ellipses.txt", "…" * 200_000),
        ("spaced.txt", ". " * 200_000),
        ("links.md", "[a](" * 50_000),
        ("pictures.md", "![" * 50_000),
        ("nested.html", "<div>" * 100_000 + "deep"),
        ("bold.html", "".join(f"<b id={number}><p>word " for number in range(10_000))),
        ("lists.html", "<ul><li>item" * 10_000),
        ("lists.tex", r"\begin{itemize}\item a " * 10_000),
        ("labels.tex", r"\item[" * 50_000),
        ("code.tex", r"\begin{verbatim}" * 20_000),
        ("citations.tex", r"\cite[" * 30_000),
    ],
    ids=lambda value: value if value.count(".") == 1 and len(value) < 20 else "",
)
def test_what_never_closes_is_read_once(name: str, text: str) -> None:
    """Each took from many seconds to hours, or a text of gigabytes, while it was read again from every character."""
    assert 0 < len(load_bytes(text.encode(), source=name).text) < 10 * len(text)
