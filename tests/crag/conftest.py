"""The samples, ingested once for all tests of this folder, one server over them, and Chromium to look at it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.crag.chromium import CHROMIUM, FLAGS
from tests.crag.cli import SAMPLES, crag
from tests.crag.serving import Serving, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace that holds the samples. Nobody opens it: tests take copies."""
    home = tmp_path_factory.mktemp("samples") / "home"
    ran = crag("ingest", SAMPLES, home=home)
    assert ran.code == 0, ran.err
    return home


@pytest.fixture(scope="session")
def copy_of_samples(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    def copy() -> Path:
        return Path(shutil.copytree(ingested, tmp_path_factory.mktemp("copy") / "home"))

    return copy


@pytest.fixture
def home(copy_of_samples: Callable[[], Path]) -> Path:
    """A workspace of the test's own that holds the samples."""
    return copy_of_samples()


@pytest.fixture(scope="session")
def server(copy_of_samples: Callable[[], Path]) -> Iterator[Serving]:
    """A server over the samples, without a language model and without a key."""
    with serving(copy_of_samples()) as running:
        yield running


@pytest.fixture
def http(server: Serving) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=60) as http:
        yield http


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page; at the end no script may have failed and nothing may have been asked of another host."""
    problems: list[str] = []
    contexts = []

    def opened(url: str, *, width: int = 1280, locale: str = "en-US", dark: bool = False) -> Page:
        scheme = "dark" if dark else "light"
        context = browser.new_context(viewport={"width": width, "height": 860}, locale=locale, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("pageerror", lambda error: problems.append(f"script: {error}"))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        here = url.partition("#")[0]
        page.on("request", lambda request: None if request.url.startswith(here) else problems.append(request.url))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert problems == []
