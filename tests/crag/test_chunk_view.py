"""The chunk view in Chromium: it cuts as `chunking` does, shows any text as text, and asks nothing of a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from chunking.config import ChunkingConfig
from chunking.loaders import load_bytes, load_path
from chunking.strategies import build_chunker
from chunking.types import Document
from crag.chunkview import chunk_view, policy
from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.base import Embedder
from retrieval.embedders.cache import EmbeddingCache
from tests.crag.chromium import CHROMIUM
from tests.crag.cli import SAMPLES, crag

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

in_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the chunk view is not tested")

HOSTILE = """# </script><script>document.title = "owned"</script>

<!-- <script> -->

An image <img src=x onerror="document.title='owned'"> stays text &amp; so does "]]>. 🎉🎉 Emoji 👩‍👩‍👧 count once each.

这一段讲检索。它把问题和段落放在一起比较。上述方法只看词频。

| name | value |
|---|---|
| </td> | 1 |
| @@DATA@@ | 2 |
"""
SETTINGS: list[dict[str, Any]] = [
    {"strategy": "hybrid", "min": 20, "target": 80, "max": 160},
    {"strategy": "paragraph", "min": 60, "target": 120, "max": 128},
    {"strategy": "sentence", "min": 0, "target": 48, "max": 128, "overlap": 1},
    {"strategy": "fixed", "target": 64, "max": 256},
    {"strategy": "semantic", "method": "threshold", "bound": 0.85, "window": 1},
    {"strategy": "semantic", "method": "percentile", "bound": 70, "window": 2, "min": 20},
    {"strategy": "semantic", "method": "stddev", "bound": 0.5, "window": 3, "min": 10, "max": 300},
    {"strategy": "semantic", "method": "iqr", "bound": 0.25, "window": 4},
    {"strategy": "semantic", "method": "gradient", "bound": 80, "window": 5, "min": 30},
    {"strategy": "semantic", "method": "depth", "bound": 0.0, "window": 2, "min": 0},
    {"strategy": "semantic", "method": "optimal", "bound": 0.6, "min": 16},
]
SAME = {"method": "depth", "bound": 0.75, "window": 3, "min": 60, "target": 200, "max": 480, "overlap": 0}


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    """Behind the real cache: the settings differ, the sentences do not."""
    with EmbeddingCache(tmp_path_factory.mktemp("cache") / "cache.db") as cache:
        yield build_embedder(EmbeddingConfig(provider="local"), cache)


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Open a page from disk; no script may fail, and nothing else may be asked for."""
    problems: list[str] = []

    def open_page(html: str, **context: Any) -> Page:
        path = tmp_path / "view.html"
        path.write_text(html, encoding="utf-8")
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, "locale": "en-US"} | context)
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: problems.append(f"script: {error}"))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.on("request", lambda asked: problems.append(asked.url) if not asked.url.startswith("file:") else None)
        page.goto(path.as_uri())
        return page

    yield open_page
    assert problems == []


def view(document: Document, embedder: Embedder, **settings: Any) -> str:
    return chunk_view(
        document, ChunkingConfig(**settings), embedder.count_tokens, lambda t: embedder.embed(t, "passage")
    )


def settled(page: Page) -> None:
    """The page cuts anew once a frame."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def cut(document: Document, embedder: Embedder, s: dict[str, Any]) -> list[list[int]]:
    config = ChunkingConfig(
        strategy=s["strategy"], breakpoint=s["method"], threshold=s["bound"], window=s["window"], min_tokens=s["min"],
        target_tokens=s["target"], max_tokens=s["max"], overlap=s["overlap"],
    )  # fmt: skip
    chunker = build_chunker(config, embedder.count_tokens, lambda texts: embedder.embed(texts, "passage"))
    return [[chunk.start, chunk.end] for chunk in chunker.chunk(document)]


@in_chromium
@pytest.mark.parametrize(
    "name", ["en/hybrid-retrieval-design.md", "zh/glossary.md", "en/chunking-study.pdf", "hostile"]
)
def test_the_page_cuts_as_chunking_does(name: str, embedder: Embedder, opened: Callable[..., Page]) -> None:
    document = load_bytes(HOSTILE.encode(), source="h.md") if name == "hostile" else load_path(SAMPLES / name)
    page = opened(view(document, embedder))
    for changes in SETTINGS:
        settings = {**SAME, **changes}
        settings["target"] = max(settings["min"], min(settings["target"], settings["max"]))
        found = page.evaluate("s => cutDocument(data, s).map(chunk => [chunk.start, chunk.end])", settings)
        assert found == cut(document, embedder, settings), settings


@in_chromium
def test_sliders_cut_anew_and_the_opening_cut_is_the_pipelines_own(
    embedder: Embedder, opened: Callable[..., Page]
) -> None:
    document = load_path(SAMPLES / "en/hybrid-retrieval-design.md")
    page = opened(view(document, embedder, strategy="semantic"))
    first = cut(document, embedder, {**SAME, "strategy": "semantic", "bound": None})
    assert page.locator("#chosen .chunk").count() == len(first)
    assert page.inner_text("#facts tbody tr:first-child td >> nth=0") == str(len(first))
    page.focus("#bound")
    for _ in range(20):
        page.keyboard.press("ArrowLeft")
    settled(page)
    lower = {**SAME, "strategy": "semantic", "bound": round(0.75 - 20 * 0.05, 2)}
    assert page.inner_text("output[for=bound]") == str(lower["bound"])
    assert page.locator("#chosen .chunk").count() == len(cut(document, embedder, lower)) != len(first)
    assert page.locator("#plot line.threshold").count() > 0
    page.select_option("#strategy", "hybrid")
    settled(page)
    assert page.locator("#bound").is_disabled()
    assert page.locator("#plot line.threshold").count() == 0
    assert page.locator("#plot .curve").count() > 0
    page.fill("#max", "128")
    settled(page)
    assert int(page.input_value("#target")) <= 128
    assert "max_tokens: 128" in (page.text_content("#settings pre") or "")
    page.click("#reset")
    assert page.locator("#chosen .chunk").count() == len(first)


@in_chromium
def test_a_chunk_says_what_it_is_by_mouse_and_by_keyboard(embedder: Embedder, opened: Callable[..., Page]) -> None:
    document = load_path(SAMPLES / "en/hybrid-retrieval-design.md")
    config = ChunkingConfig()
    chunks = build_chunker(config, embedder.count_tokens, None).chunk(document)
    page = opened(view(document, embedder), color_scheme="dark")
    page.hover("#chosen .chunk >> nth=1", position={"x": 12, "y": 8})
    assert f"{chunks[1].tokens} tokens · characters {chunks[1].start}–{chunks[1].end}" in page.inner_text("#details")
    assert " › ".join(chunks[1].heading_path) in page.inner_text("#details")
    page.focus("#chosen .chunk >> nth=0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert f"Chunk 3 of {len(chunks)}" in page.inner_text("#details")
    assert page.evaluate("document.activeElement.dataset.index") == "2"
    assert page.locator(".chunk.selected").count() == 1
    page.click("#language")
    assert f"第 3 块，共 {len(chunks)} 块" in page.inner_text("#details")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", ground)[:3])) < 60


@in_chromium
def test_any_text_stays_text_also_on_a_small_screen(embedder: Embedder, opened: Callable[..., Page]) -> None:
    document = load_bytes(HOSTILE.encode(), source='h"<b>.md')
    html = view(document, embedder)
    assert html.count("</script>") == 2
    page = opened(html, viewport={"width": 400, "height": 800})
    assert page.title() == document.title
    assert page.locator("main img, main script, header b").count() == 0
    shown = re.sub(r"\s+", "", page.evaluate("document.querySelector('#chosen .text').textContent"))
    for piece in ('onerror="document.title', "</td>", "@@DATA@@", "👩‍👩‍👧"):
        assert re.sub(r"\s+", "", piece) in shown
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#fixed").is_hidden()
    page.click("#sides [data-side=fixed]")
    assert page.locator("#fixed").is_visible()
    assert page.locator("#chosen").is_hidden()


@in_chromium
def test_a_document_without_anything_to_cut(embedder: Embedder, opened: Callable[..., Page]) -> None:
    empty = Document("0" * 16, "empty.md", "", "text/markdown", "", "", ())
    page = opened(view(empty, embedder))
    assert "nothing to cut" in page.inner_text("#hint")
    page.select_option("#strategy", "semantic")
    page.wait_for_selector("#bound:enabled")
    assert page.inner_text("#facts tbody tr:first-child td >> nth=0") == "0"


def test_the_command_writes_the_page_and_says_what_is_wrong(tmp_path: Path) -> None:
    out = tmp_path / "view.html"
    # A few sentences: what is proven does not grow with the file, embedding does.
    file = tmp_path / "h.md"
    file.write_text(HOSTILE, encoding="utf-8")
    ran = crag("chunk", file, "--html", out)
    assert ran.code == 0, ran.err
    assert policy().split(";")[1].strip() in out.read_text(encoding="utf-8").replace("&#x27;", "'")
    ran = crag("chunk", file, "--html", tmp_path / "missing" / "view.html")
    assert ran.code == 2
    assert "cannot be written" in ran.err
