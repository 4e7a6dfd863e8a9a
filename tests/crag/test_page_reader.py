"""The reader beside the chat, in Chromium: offsets, tables, and the other places of a passage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.crag.chromium import CHROMIUM, ask, shot
from tests.crag.cli import crag
from tests.crag.serving import Serving, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

PUMP = "The pump of the north hall is serviced every six months by the maintenance crew of hall four."
TABLE = """# Spare parts 🚀

| Part 🎈 | Stock | Where |
| :--- | ---: | :-: |
| seal `a \\| b` | 12 | 架 3 |
| <b>valve</b> | | shelf 9 |
"""
WIDE = " | ".join(f"column number {n}" for n in range(30))
LONG = f"same,{'=' * 800}\n"
FILES = {
    "notes.md": "# Notes 🚀🚀\n\n🎉🎉🎉 The party 🎈 starts at nine in the evening 🎂.\n\nIt ends at midnight.\n",
    "wide.md": f"# Wide\n\nBefore it.\n\n{WIDE}\n{' | '.join(['---'] * 30)}\n{WIDE}\n\n```sh\n{'x' * 400}\n```\n",
    "parts.md": TABLE,
    "signs.md": "# Signs\n\nThe 🎈 party **at nine 🎉 sharp** by `clock`, see [the plan](plan.md).\n",
    "prices.html": "<h1>Prices</h1><table><tr><th>Part</th><th>Price</th></tr><tr><td>seal</td><td>4</td></tr></table>",
    # Equal rows, so that little is embedded.
    "many.csv": f"row,number\n{LONG * 60}one,7 in stock\n{LONG * 60}",
    **{f"site-{n}/pump.txt": PUMP for n in range(6)},
}

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not tested")


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("reader")
    for name, text in FILES.items():
        path = folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    ran = crag("ingest", folder / "files", "--pipeline", "vector", home=folder / "home")
    assert ran.code == 0, ran.err
    with serving(folder / "home") as running:
        yield running


def read(page: Page, server: Serving, source: str, quoted: str = "") -> str:
    """Open a document with `quoted` highlighted, which must stand in it; gives the document's text."""
    listed = httpx.get(f"{server.url}/v1/documents").json()["data"]
    identity = next(each["id"] for each in listed if each["source"].endswith(source))
    text: str = httpx.get(f"{server.url}/v1/documents/{identity}").json()["text"]
    start = text.index(quoted)
    page.goto(f"{server.url}/#/document/{identity}/{start}-{start + len(quoted)}")
    page.reload()
    page.wait_for_selector("#reader-body .block")
    return text


def test_offsets_are_code_points_also_beyond_the_basic_plane(reading: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{reading.url}/")
    read(page, reading, "notes.md", "starts")
    assert page.inner_text("mark") == "starts"


def test_signs_of_markdown_are_not_shown_and_a_quote_across_them_is_marked(
    reading: Serving, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{reading.url}/")
    text = read(page, reading, "signs.md", "🎈 party **at nine 🎉 sharp** by `clock`, see [the pl")
    assert "**at nine" in text
    assert page.inner_text(".block.paragraph") == "The 🎈 party at nine 🎉 sharp by clock, see the plan."
    assert page.locator("mark").all_text_contents() == [
        "🎈 party ",
        "at nine 🎉 sharp",
        " by ",
        "clock",
        ", see ",
        "the pl",
    ]
    assert page.locator(".block.paragraph :is(strong, code)").all_inner_texts() == ["at nine 🎉 sharp", "clock"]


def test_a_table_is_drawn_as_one_and_the_quote_in_it_is_marked(
    reading: Serving, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{reading.url}/")
    read(page, reading, "parts.md", "| seal `a \\| b` | 12 | 架 3 |")
    assert page.locator(".grid th").all_inner_texts() == ["Part 🎈", "Stock", "Where"]
    cells = page.locator(".grid td")
    assert cells.all_inner_texts() == ["seal a | b", "12", "架 3", "<b>valve</b>", "", "shelf 9"]
    assert page.locator(".grid mark").all_inner_texts() == ["seal ", "a | b", "12", "架 3"]
    assert [cells.nth(n).evaluate("e => e.style.textAlign") for n in range(3)] == ["", "right", "center"]
    shot(page, "table")
    read(page, reading, "parts.md", "elf 9")
    assert page.locator("mark").all_inner_texts() == ["elf 9"]
    read(page, reading, "prices.html")
    assert page.locator(".grid th, .grid td").all_inner_texts() == ["Part", "Price", "seal", "4"]


def test_of_a_long_table_the_rows_around_the_quote_are_drawn(reading: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{reading.url}/")
    read(page, reading, "many.csv", "| one | 7 in stock |")
    rows = page.locator(".grid tbody tr")
    assert 60 < rows.count() < 120
    assert page.locator("mark").all_inner_texts() == ["one", "7 in stock"]
    assert page.locator("mark").first.is_visible()
    assert "goes on" in page.inner_text("#reader-body")
    assert page.locator(".grid th").all_inner_texts() == ["row", "number"]


def test_tables_and_code_scroll_beside_the_text(reading: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{reading.url}/")
    read(page, reading, "wide.md")
    for kind in ("grid", "code"):
        block = page.locator(f".block.{kind}")
        assert block.evaluate("e => e.scrollWidth > e.clientWidth")
        assert block.get_attribute("tabindex") == "0"
    assert page.locator(".grid tr").count() == 2
    assert page.locator(".block.code").evaluate("e => getComputedStyle(e).fontFamily").startswith("ui-monospace")
    assert page.locator(".block.code").text_content() == "x" * 400
    assert page.evaluate("(e => e.scrollWidth <= e.clientWidth)(document.getElementById('reader-body'))")
    shot(page, "wide")


def test_the_other_places_of_a_passage_are_links_to_them(reading: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{reading.url}/")
    page.wait_for_selector("#pipeline option", state="attached")
    page.select_option("#pipeline", "vector")
    ask(page, "How often is the pump of the north hall serviced?")
    also = page.locator(".sources li:has(.source):has-text('pump') .also").first
    assert also.locator("summary").inner_text() == "Also in 5 other places"
    also.locator("summary").click()
    places = also.locator("a").all_inner_texts()
    first = page.locator(".source .place").first.inner_text()
    assert sorted({*places, first}) == [f"files/site-{n}/pump.txt" for n in range(6)]
    shot(page, "also-in")
    also.locator("a").nth(2).click()
    page.wait_for_selector("mark")
    assert page.inner_text("#reader-where") == places[2]
    assert page.inner_text("mark").strip() in PUMP
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == places[2]
