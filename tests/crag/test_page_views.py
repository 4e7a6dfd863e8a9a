"""The page beyond the chat, in Chromium: history, two versions side by side, uploads, evaluations, accessibility."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.crag.chromium import CHROMIUM, ask, shot
from tests.crag.cli import crag
from tests.crag.serving import Serving, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

QUESTION = "When does the nightly Ragas run start?"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not tested")


def test_two_versions_answer_side_by_side(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    page.wait_for_selector("#rival option", state="attached")
    assert "crag" not in page.locator("#rival option").evaluate_all("all => all.map((each) => each.value)")
    assert page.locator("#collection").input_value() == "", "the pipeline's own, as crag ask"
    page.select_option("#rival", "vector")
    ask(page, QUESTION)
    page.wait_for_selector(".answer .badge >> nth=1")
    assert page.locator(".version").all_inner_texts() == ["crag", "vector"]
    assert page.locator(".answer .badge").all_inner_texts()[1] == "Evidence not graded"
    left, right = (page.locator(".answer").nth(n).bounding_box() for n in (0, 1))
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    shot(page, "side-by-side")


def test_conversations_are_kept_opened_again_and_deleted(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    page.wait_for_selector(".example")
    ask(page, QUESTION)
    text = page.inner_text(".answer .text")
    page.click("#new-chat")
    assert page.locator("#welcome").is_visible()
    ask(page, "每日备份保留多少天？")
    page.reload()
    page.wait_for_selector(".example")
    page.click("#open-history")
    assert page.get_attribute("#open-history", "aria-expanded") == "true"
    page.keyboard.press("Enter")  # On the button that closes it, where the keyboard is now.
    assert page.locator("#history").is_hidden()
    page.keyboard.press("Enter")
    assert page.locator(".past span").all_inner_texts() == ["每日备份保留多少天？", QUESTION]
    shot(page, "history")
    for key, count in (("another's", 0), ("", 2)):
        page.evaluate("key => sessionStorage.setItem('key', key)", key)
        page.reload()
        page.wait_for_selector(".example")
        page.click("#open-history")
        assert page.locator(".past").count() == count
    page.click(f".past:has-text('{QUESTION}')")
    assert page.inner_text(".answer .text") == text
    assert "evidence" in page.inner_text(".badge")
    page.click("button.marker")
    page.wait_for_selector("mark")
    page.keyboard.press("Escape")
    # A conversation of any length goes on, and what is kept of an answer is little.
    kept = page.evaluate(
        """() => {
          const all = JSON.parse(localStorage.getItem("conversations"));
          const size = JSON.stringify(all[0]).length;
          const long = all.find((each) => each.turns[0].question.startsWith("When"));
          long.turns = Array.from({ length: 260 }, () => long.turns[0]);
          localStorage.setItem("conversations", JSON.stringify(all));
          return size;
        }"""
    )
    assert kept < 5000
    page.click("#new-chat")
    page.click("#open-history")
    page.click("#open-history")
    page.click(f".past:has-text('{QUESTION}')")
    ask(page, "每日备份保留多少天？")
    assert page.locator(".turn").count() == 261
    assert "14 天" in page.inner_text(".turn:last-child .text")
    page.click(f"#history button[aria-label='Delete: {QUESTION}']")
    assert page.locator(".past").count() == 1
    assert page.locator("#welcome").is_visible()


def test_an_answer_is_rated_and_commented(home: Path, open_page: Callable[..., Page]) -> None:
    with serving(home) as server:
        page = open_page(f"{server.url}/")
        page.wait_for_selector(".example")
        ask(page, QUESTION)
        page.click("button[aria-label='Bad answer']")
        page.fill(".rating input", "The time is the old one.")
        page.keyboard.press("Enter")
        page.wait_for_selector(".rating > .thanks")
        kept = page.evaluate("fetch('v1/feedback').then((reply) => reply.json())")["data"]
        assert [(each["rating"], each["comment"]) for each in kept] == [("down", "The time is the old one.")]


def test_documents_are_uploaded_read_asked_and_removed(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    pump = tmp_path / "pump.md"
    pump.write_text("# Pump\n\nThe pump is serviced every six months by the maintenance crew of hall four.\n")
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"not a PDF at all")
    with serving(tmp_path / "home") as server:
        page = open_page(f"{server.url}/")
        page.click("#welcome .primary")
        page.wait_for_selector("#choose-files")
        page.locator("input[type=file]").first.set_input_files([pump, broken])
        page.wait_for_selector(".job[aria-busy=false]")
        assert page.inner_text(".job strong >> nth=0") == "1 added"
        assert "broken.pdf is damaged or not what its name says" in page.inner_text(".skipped")
        page.click("#language")
        assert page.inner_text(".skipped li").startswith("broken.pdf 文件已损坏")
        assert page.inner_text(".job strong >> nth=0") == "新增 1"
        page.click("#language")
        assert "1 document" in page.inner_text("#document-count")
        shot(page, "uploaded")
        pump.write_text("# Pump\n\nThe pump is serviced every nine months by the maintenance crew of hall four.\n")
        page.click(".job button")
        page.locator("input[type=file]").first.set_input_files([pump])
        page.wait_for_selector(".job[aria-busy=false]")
        assert page.inner_text(".job strong >> nth=0") == "1 updated"
        page.click(".tabs [data-view=chat]")
        ask(page, "How often is the pump serviced?")
        assert "nine months" in page.inner_text(".answer .text")
        page.click("button.marker")
        page.wait_for_selector("mark")
        page.click("#close-reader")
        page.click(".tabs [data-view=documents]")
        page.click("button[aria-label^='Read again']")
        page.wait_for_selector(".job[aria-busy=false] >> nth=1")
        with page.context.expect_page() as opened:
            page.click("button[aria-label^='Chunks']")
        opened.value.wait_for_load_state()
        assert "nine months" in opened.value.inner_text("body")
        page.on("dialog", lambda dialog: dialog.accept())
        page.click("button[aria-label^='Delete']")
        page.wait_for_selector(".empty")
        assert page.inner_text("#document-count") == "0 documents"


def test_evaluation_runs_are_listed_and_compared(home: Path, tmp_path: Path, open_page: Callable[..., Page]) -> None:
    suite = tmp_path / "suite.yaml"
    suite.write_text(json.dumps({"questions": [{"id": "q1", "question": QUESTION, "reference": "02:30"}]}))
    runs = tmp_path / "runs"
    pipelines = ("--pipeline", "vector", "--pipeline", "crag")
    ran = crag("eval", "run", "--suite", suite, *pipelines, "--out", runs / "first", home=home)
    assert ran.code == 0, ran.err
    (runs / "torn").mkdir()
    shutil.copy(runs / "first" / "crag" / "manifest.json", runs / "torn")
    with serving(home, "--runs", str(runs)) as server:
        page = open_page(f"{server.url}/#/evaluations")
        page.wait_for_selector(".runs tbody tr")
        assert page.locator(".runs tbody tr").count() == 3
        assert re.search(r"vector \w+ · \d{1,2} \w{3} 20\d\d, \d\d:\d\d", page.inner_text(".runs"))
        assert page.inner_text(".runs").count("unfinished") == 1
        few = page.locator(".runs thead th").count()
        page.click("#evaluations .more")
        names = page.locator(".runs thead th").all_inner_texts()
        assert few <= 2 + 6 < len(names)
        cells = [row.locator("td, th").all_inner_texts() for row in page.locator(".runs tbody tr").all()]
        assert all({row[place] for row in cells} != {"–"} for place in range(len(names)))
        page.click("#evaluations .more")
        shot(page, "evaluations")
        options = page.locator("#pick-base option")
        assert options.all_inner_texts()[1:] == ["first/crag", "first/vector"]
        picked = [page.locator(f"#pick-{role} option:checked").inner_text() for role in ("base", "candidate")]
        assert picked == ["first/vector", "first/crag"]
        assert page.locator(".compare .primary").is_enabled()
        page.select_option("#pick-base", page.input_value("#pick-candidate"))
        assert page.locator(".compare .primary").is_disabled()
        vector = options.filter(has_text="vector").get_attribute("value")
        page.select_option("#pick-base", vector)
        page.select_option("#pick-candidate", options.filter(has_text="crag").get_attribute("value"))
        with page.context.expect_page() as opened:
            page.click(".compare .primary")
        opened.value.wait_for_load_state()
        opened.value.wait_for_selector("h1")
        assert re.search(r"BETTER|WORSE|NO DIFFERENCE|INCONCLUSIVE", opened.value.inner_text("body"))


def test_a_server_without_runs_says_how_to_get_them(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/#/evaluations")
    page.wait_for_selector("#evaluations .command")
    assert page.title() == "Evaluations · agentic-crag"
    assert "crag serve --runs" in page.inner_text("#evaluations")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)], ids=["wide-light", "narrow-dark"])
def test_axe_finds_no_serious_fault(width: int, dark: bool, server: Serving, open_page: Callable[..., Page]) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = open_page(f"{server.url}/", width=width, dark=dark)
    page.wait_for_selector(".example")
    faults = []

    def look(view: str) -> None:
        page.wait_for_timeout(300)  # Colours fade in.
        found = Axe().run(page).response["violations"]
        faults.extend(
            (view, each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in ("serious", "critical")
        )

    look("welcome")
    page.select_option("#rival", "vector")
    ask(page, QUESTION)
    page.click("summary")
    look("answer")
    page.click("button.marker >> nth=0")
    page.wait_for_selector("mark")
    look("reader")
    page.keyboard.press("Escape")
    page.click("#open-history")
    look("history")
    page.keyboard.press("Escape")
    for view in ("documents", "evaluations"):
        page.click(f".tabs [data-view={view}]")
        page.wait_for_timeout(300)
        look(view)
    assert faults == []
