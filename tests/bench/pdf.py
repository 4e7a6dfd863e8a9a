"""PDF: reading order of two and three columns, then pages a second and peak memory beside pypdfium2's bare text.

Each reader works in a process of its own on the same 200 pages, so that the peak is its own; times are processor
seconds of the median round. Peaks are read the way Linux gives them.
"""

from __future__ import annotations

import multiprocessing
import random
import re
import statistics
import time
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

from fpdf import FPDF

from chunking.loaders import load_bytes
from tests.chunking.test_pdf_layouts import columns

PAGES = 200
ROUNDS = 3
_WORDS = re.findall(
    r"\w+",
    "retrieval chunk hit rerank grade answer citation the of and a to in is that with for on as are by this from index "
    "vector passage document confidence question sentence table backup report job key limit window score",
)


def main() -> None:
    for count, chinese, by_row in product((2, 3), (False, True), (False, True)):
        data, lines = columns(chinese, by_row, count)
        share = transitions(load_bytes(data, source="columns.pdf").text, lines)
        order = "row by row" if by_row else "by column"
        print(f"{count} columns, {'zh' if chinese else 'en'}, written {order}: {share:.4f} of line transitions right")
    data = pages()
    context = multiprocessing.get_context("spawn")
    for name, read in (("pypdfium2's bare text", bare), ("this reader", ours)):
        with context.Pool(1) as pool:
            seconds, before, most = pool.apply(measure, (read, data))
        print(f"{name}: {PAGES / seconds:.0f} pages/s, peak {most:.0f} MB ({before:.0f} MB before)")


def transitions(text: str, lines: list[str]) -> float:
    """Share of neighbouring lines that follow each other in the text with nothing but a space between."""
    places = [text.find(line) for line in lines]
    right = sum(-1 < a < b <= a + len(line) + 2 for line, (a, b) in zip(lines, pairwise(places), strict=False))
    return right / (len(lines) - 1)


def pages() -> bytes:
    """Pages of a heading and seven paragraphs, some 3,900 characters each."""
    chance = random.Random(0)
    pdf = FPDF(format="A4")
    for number in range(PAGES):
        pdf.add_page()
        pdf.set_font("Helvetica", size=14)
        pdf.cell(0, 10, f"Section {number}", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=10)
        for _ in range(7):
            pdf.multi_cell(0, 5, " ".join(chance.choices(_WORDS, k=85)) + ".")
            pdf.ln(3)
    return bytes(pdf.output())


def measure(read: Callable[[bytes], int], data: bytes) -> tuple[float, float, float]:
    """Median seconds, and the peak memory in MB before and after."""
    import pypdfium2  # noqa: F401

    # A process inherits its parent's peak; Linux lets it be set back to what is in use.
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = peak()
    seconds = []
    for _ in range(ROUNDS):
        started = time.process_time()
        read(data)
        seconds.append(time.process_time() - started)
    return statistics.median(seconds), before, peak()


def peak() -> float:
    """MB, of this process."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1e3


def ours(data: bytes) -> int:
    return len(load_bytes(data, source="pages.pdf").text)


def bare(data: bytes) -> int:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    length = 0
    for number in range(len(document)):
        page = document[number]
        text_page = page.get_textpage()
        length += len(text_page.get_text_range())
        text_page.close()
        page.close()
    document.close()
    return length
