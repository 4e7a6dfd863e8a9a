"""What the tests of the page share: where Chromium is, screenshots on demand, asking a question."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SHOTS = os.environ.get("PAGE_SCREENSHOTS")
"""A folder to write screenshots of each view into."""


def shot(page: Page, name: str) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(SHOTS) / f"{name}.png")


def ask(page: Page, text: str) -> None:
    page.fill("#question", text)
    page.keyboard.press("Enter")
    page.wait_for_selector(".turn:last-child .answer:last-child .actions")
