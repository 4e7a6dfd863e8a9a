"""Lists of PDF pages: one block, nested as they stand, over page breaks; titles with numbers are no items."""

from __future__ import annotations

from collections.abc import Sequence

from fpdf import FPDF

from chunking.loaders import load_bytes
from chunking.types import Document
from tests.chunking.blocks import kinds

Placed = tuple[float, float, str]


def _pages(*pages: Sequence[Placed], size: float = 10) -> Document:
    pdf = FPDF(format="A4")
    pdf.set_auto_page_break(False)
    for page in pages:
        pdf.add_page()
        pdf.set_font("Helvetica", size=size)
        for x, y, words in page:
            pdf.text(x, y, words)
    return load_bytes(bytes(pdf.output()), source="a.pdf")


def _column(lines: Sequence[tuple[float, str]], top: float = 20) -> list[Placed]:
    return [(x, top + 5 * number, words) for number, (x, words) in enumerate(lines)]


STEPS = [
    (20.0, "1. Prepare the pump and check that the power supply is off before you open the cover of the"),
    (25.0, "housing, as the capacitor holds its charge for a minute."),
    (30.0, "a) Close the inlet valve"),
    (30.0, "b) Open the drain and wait until the water has run out of the housing, which takes about ten minutes"),
    (35.0, "on a cold day"),
    (40.0, "- Catch the water"),
    (40.0, "- Measure it"),
    (20.0, "2. Replace the seal"),
    (30.0, "a) Pull the old seal"),
]
NESTED = (
    "1. Prepare the pump and check that the power supply is off before you open the cover of the housing, as the "
    "capacitor holds its charge for a minute.\n"
    "  a) Close the inlet valve\n"
    "  b) Open the drain and wait until the water has run out of the housing, which takes about ten minutes on a cold "
    "day\n    - Catch the water\n    - Measure it\n2. Replace the seal\n  a) Pull the old seal"
)


def test_nested_items_are_one_list_with_their_depth() -> None:
    document = _pages(_column(STEPS))
    assert kinds(document) == [("list", NESTED)]


def test_text_below_a_list_is_no_part_of_its_last_item() -> None:
    lines = [
        (30.0, "a) one"),
        (30.0, "b) two"),
        (20.0, "What follows is a line of text that reaches far to the right."),
    ]
    assert kinds(_pages(_column(lines))) == [("list", "a) one\nb) two"), ("paragraph", lines[-1][1])]
    hanging = [
        (20.0, "1. An item that is so long that it goes on below"),
        (25.0, "at its own margin"),
        (20.0, "Then text."),
    ]
    assert [kind for kind, _ in kinds(_pages(_column(hanging)))] == ["list", "paragraph"]


def test_an_item_whose_lines_go_on_at_the_margin_is_one() -> None:
    lines = [
        (28.0, "1. The first line of such an item is indented, and it reaches to the right edge of"),
        (20.0, "the text."),
    ]
    assert kinds(_pages(_column(lines))) == [("list", f"{lines[0][1]} the text.")]


def test_lists_in_two_columns_start_anew() -> None:
    left = [(20.0, "1. Open the lid"), (26.0, "a) Lift it"), (20.0, "2. Take it off")]
    right = [(120.0, "1. Put it on"), (126.0, "a) Press it"), (120.0, "2. Close the lid")]
    document = _pages([*_column(left), *_column(right)])
    assert "\n".join(text for _, text in kinds(document)) == (
        "1. Open the lid\n  a) Lift it\n2. Take it off\n1. Put it on\n  a) Press it\n2. Close the lid"
    )


def test_an_item_over_a_page_break_keeps_its_pages() -> None:
    first = [
        (20.0, "1. Open the lid"),
        (20.0, "2. Take the filter out and rinse it under the tap until the water that"),
    ]
    document = _pages(_column(first, 250), _column([(25.0, "runs off is clear again"), (20.0, "3. Put it back")]))
    assert kinds(document) == [
        (
            "list",
            "1. Open the lid\n2. Take the filter out and rinse it under the tap until the water that runs off is clear "
            "again\n3. Put it back",
        )
    ]
    for words, page in (("2. Take", 1), ("that runs", 1), ("runs off", 2), ("3. Put", 2)):
        assert document.page_at(document.text.index(words)) == page


def test_numbered_titles_in_large_print_are_headings() -> None:
    pdf = FPDF(format="A4")
    pdf.add_page()
    for title in ("1. Purpose", "2. Scope"):
        pdf.set_font("Helvetica", size=14)
        pdf.multi_cell(0, 8, title, new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=10)
        pdf.multi_cell(0, 5, "This part says what it is for. " * 8, new_x="LMARGIN", new_y="NEXT")
        pdf.ln(4)
    document = load_bytes(bytes(pdf.output()), source="a.pdf")
    assert [block.heading_path for block in document.blocks if block.kind == "paragraph"] == [
        ("1. Purpose",),
        ("2. Scope",),
    ]
