"""The review of drafts in the browser: the command starts it, decisions are on disk at once, strangers are refused."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from eval.testset import Draft, Passage, load_drafts, save_drafts
from tests.crag.chromium import CHROMIUM, shot
from tests.crag.cli import child_environment, crag

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

PUMP = Passage(
    "pump.md", "Pump <b>7</b>", 8, 46, "The pump is serviced every six months.", "# Pump\n\n", "\n", closes=True
)
DRAFTS = [
    Draft(
        "d001", "How often is the pump serviced?", "Every six months.", "factual", "en", True, (PUMP,), "pattern:table"
    ),
    Draft("d002", "水泵多久保养一次？", "每六个月。", "factual", "zh", True, (PUMP,), "subject"),
    Draft("d003", "Who painted the pump?", "", "unanswerable", "en", False, (PUMP,), "pattern:absent-invent"),
]


@contextmanager
def reviewing(file: Path) -> Iterator[str]:
    command = [sys.executable, "-u", "-m", "crag", "eval", "testset", "review", str(file), "--page"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=child_environment()) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        try:
            yield found[0]
        finally:  # Popen waits for its process: one that nobody stops hides the assertion that failed.
            process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "to go" in told


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "drafts.json"
    save_drafts(path, DRAFTS)
    return path


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not tested")
def test_each_is_accepted_edited_or_dropped_beside_its_passage(
    file: Path, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    with reviewing(file) as url:
        page = open_page(url)
        page.wait_for_selector("mark")
        assert page.inner_text("mark") == PUMP.text
        assert page.inner_text("figcaption strong") == PUMP.title
        shot(page, "review")
        page.fill("[data-field=reference]", "Every six months, by the crew.")
        page.click("#accept")
        page.wait_for_selector("text=2 of 3")
        assert next((d.decision, d.reference) for d in load_drafts(file)) == (
            "accepted",
            "Every six months, by the crew.",
        )
        page.keyboard.press("d")
        page.wait_for_selector("text=3 of 3")
        assert page.locator("[data-field=reference]").count() == 0
        page.keyboard.press("ArrowLeft")
        assert page.locator(".badge.dropped").count() == 1
        page.keyboard.press("ArrowRight")
        page.keyboard.press("a")
        page.wait_for_selector(".finished .command")
        assert page.inner_text("#counts") == "2 accepted · 1 dropped · 0 to go"
        page.set_viewport_size({"width": 400, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        top = "element => element.getBoundingClientRect().top"
        order = [page.eval_on_selector(each, top) for each in ("[data-field=question]", "mark", "#accept")]
        assert order == sorted(order), "the passage stands between the question and the decision"
        assert page.eval_on_selector("#counts", "element => element.getClientRects().length") == 1
        shot(page, "review-narrow")
    ran = crag("eval", "testset", "write", file, "--out", tmp_path / "suite")
    assert ran.code == 0, ran.err
    assert "2 questions" in ran.out


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not tested")
def test_what_was_typed_is_kept_whatever_is_done_next(
    file: Path, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    def kept(identity: str) -> Draft:
        return next(draft for draft in load_drafts(file) if draft.id == identity)

    with reviewing(file) as url:
        page = open_page(url)
        page.wait_for_selector("mark")
        facts = page.inner_text(".facts")
        assert "proposed from a table" in facts
        assert page.inner_text("blockquote").startswith("# Pump")
        page.fill("[data-field=question]", "How often is pump 7 serviced?")
        page.click("text=Next")
        page.wait_for_selector("text=2 of 3")
        assert (kept("d001").question, kept("d001").decision) == ("How often is pump 7 serviced?", "draft")
        page.fill("[data-field=question]", "When is the pump serviced?")
        page.click("#language")
        page.wait_for_selector("text=第 2 题")
        assert page.input_value("[data-field=question]") == kept("d002").question == "When is the pump serviced?"
        assert "d002 · en" in page.inner_text(".facts"), "the language is detected anew"
        page.click("summary")
        page.fill("[data-evidence]", "six months")
        page.select_option("[data-field=type]", "summary")
        page.wait_for_selector("mark:text-is('six months')")
        page.click("#accept")
        page.wait_for_selector("text=第 3 题")
        done = kept("d002")
        assert (done.type, done.decision, done.passages[0].start) == ("summary", "accepted", PUMP.start + 27)
        assert "文档不应能回答的问题" in page.inner_text(".facts")
        page.fill("[data-field=question]", "Who built it?")
        page.goto("about:blank")
    assert kept("d003").question == "Who built it?"


def test_only_who_was_given_the_address_may_decide(file: Path) -> None:
    with reviewing(file) as url:
        base, _, token = url.partition("#")
        mine = {"authorization": f"Bearer {token}"}
        assert httpx.get(f"{base}drafts").status_code == 401
        assert httpx.post(f"{base}drafts/d001", json={"decision": "dropped"}).status_code == 401
        assert httpx.get(f"{base}drafts", headers={**mine, "host": "evil.example"}).status_code == 400
        assert "default-src 'none'" in httpx.get(base).headers["content-security-policy"]
        assert httpx.post(f"{base}drafts/d009", json={"decision": "dropped"}, headers=mine).status_code == 404
        empty = httpx.post(f"{base}drafts/d001", json={"decision": "accepted", "question": " "}, headers=mine)
        assert empty.status_code == 400
        assert "write one or drop it" in empty.json()["error"]["message"]
        moved = httpx.post(f"{base}drafts/d001", json={"evidence": ["no such words"]}, headers=mine)
        assert moved.status_code == 400
        assert "does not say 'no such words'" in moved.json()["error"]["message"]
        assert httpx.post(f"{base}drafts/d001", json={"decision": "maybe"}, headers=mine).status_code in (400, 422)
    assert [draft.decision for draft in load_drafts(file)] == ["draft"] * 3
