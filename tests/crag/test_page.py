"""The page in Chromium: a first visit, questions in both languages, a citation followed to its passage, a refusal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.crag.chromium import CHROMIUM, ask, shot
from tests.crag.serving import Serving, serving
from tests.fakes.http import ScriptedServer
from tests.fakes.openai import chat_stream

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

QUESTION = "When does the nightly Ragas run start?"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed: the page is not tested")


def test_a_question_is_answered_with_sources_and_a_verdict(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    page.wait_for_selector(".example")
    assert "18 documents" in page.inner_text("#document-count")
    assert page.inner_text("#model-note").endswith("sentences of the documents, and table cells as column: value.")
    shot(page, "welcome")
    ask(page, QUESTION)
    assert "02:30" in page.inner_text(".answer .text")
    assert re.search(r"Answered from the sources · evidence \d+%", page.inner_text(".badge"))
    assert "does not say that the right sentence" in (page.get_attribute(".badge", "title") or "")
    assert page.inner_text(".route") == "The passages found very likely hold the answer."
    page.click("summary")
    nodes = page.locator(".path .node").all_inner_texts()
    assert nodes[:4] == ["Question", "Search", "Rank", "Grade"]
    assert nodes[-1] == "Total"
    assert page.inner_text(".meaning") == page.get_attribute(".badge", "title"), "also where nothing hovers"
    assert "extractive" in page.inner_text(".facts")
    page.wait_for_timeout(300)
    shot(page, "answer")


def test_the_verdict_says_what_is_known_of_the_evidence(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    page.wait_for_selector(".example")
    told = page.evaluate(
        """async () => {
          const { Reply } = await import(new URL("reply.js", document.querySelector("script[type=module]").src));
          const shared = { text: "x", citations: [], degraded: [], timings: {}, pipeline: {}, models: {} };
          return [
            ["grounded", "correct", .98], ["grounded", "correct", .5], ["grounded", "ambiguous", .2],
            ["partial", "ambiguous", .9], ["abstained", "correct", .95], ["abstained", "incorrect", .01, {}],
            ["abstained", "incorrect", .01, { query: "y" }],
          ].map(([status, route, confidence, detail]) => {
            const trace = detail ? [{ node: "rewrite", milliseconds: 1, detail }] : [];
            const reply = new Reply("?", "crag", () => {}, false);
            reply.restore({ text: "x", answer: { ...shared, status, route, confidence, trace } });
            const badge = reply.card.querySelector(".badge");
            return [badge.className, badge.textContent, reply.card.querySelector(".route").textContent];
          });
        }"""
    )
    assert told == [
        [
            "badge grounded",
            "Answered from the sources · evidence 98%",
            "The passages found very likely hold the answer.",
        ],
        ["badge grounded", "Answered from the sources · evidence 50%", "The passages found probably hold the answer."],
        [
            "badge partial",
            "Uncertain answer · evidence 20%",
            "The passages found may not hold the answer: check the sources.",
        ],
        ["badge partial", "Answered in part · evidence 90%", "Not all that was asked is answered: check the sources."],
        ["badge abstained", "Not answered", "The passages look right, but no sentence of them bears an answer."],
        ["badge abstained", "Not answered", "The documents do not seem to hold it."],
        [
            "badge abstained",
            "Not answered",
            "The documents do not seem to hold it; other wordings brought nothing better.",
        ],
    ]


def test_a_citation_opens_its_passage_highlighted(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/", locale="zh-CN")
    assert page.get_attribute("html", "lang") == "zh-CN"
    ask(page, "每日备份保留多少天？")
    quote = page.inner_text(".source q")
    assert "14 天" in quote
    page.click("button.marker >> nth=0")
    mark = page.wait_for_selector("mark")
    assert mark is not None
    assert re.sub(r"\s", "", mark.inner_text()) == re.sub(r"\s", "", quote)
    assert mark.is_visible()
    box, panel = mark.bounding_box(), page.locator("#reader-body").bounding_box()
    assert box is not None
    assert panel is not None
    assert panel["y"] <= box["y"] <= panel["y"] + panel["height"]
    assert "第 1 页" in page.inner_text("#reader-where")
    page.wait_for_timeout(200)
    shot(page, "citation-zh")
    address = page.url
    page.keyboard.press("Escape")
    assert page.locator("#reader").is_hidden()
    assert page.evaluate("document.activeElement.className") == "marker"
    again = open_page(f"{server.url}/")
    again.goto(address)
    again.reload()
    again.wait_for_selector("mark")


def test_a_broken_link_to_a_document_leaves_the_page_working(server: Serving, browser: Browser) -> None:
    page = browser.new_page()
    failed: list[str] = []
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(f"{server.url}/#/document/%zz/0-1")
    page.wait_for_selector("#document-count:has-text('18')")
    page.close()
    assert failed == []


def test_a_failure_is_told_in_chinese_on_a_chinese_page(server: Serving, browser: Browser) -> None:
    page = browser.new_page(locale="zh-CN")
    refusal = {"message": "Too many requests: wait.", "type": "rate_limit_error", "param": None, "code": "rate_limited"}
    page.route("**/v1/chat/completions", lambda route: route.fulfill(status=429, json={"error": refusal}))
    page.goto(f"{server.url}/")
    page.wait_for_selector(".example")
    ask(page, QUESTION)
    assert page.inner_text(".failure") == "未能给出回答：已达到调用频率或额度上限。"
    page.close()


def test_a_refusal_says_so(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    ask(page, "Who won the 1987 chess championship of Reykjavik?")
    assert page.inner_text(".badge.abstained") == "Not answered", "a number would be read as sure that there is none"
    assert page.locator(".sources").count() == 0
    shot(page, "refusal")


def test_a_question_sent_while_the_page_loads_is_not_lost(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/v1/models", hold)
    page.reload()
    page.wait_for_selector("#welcome h1:has-text('Ask')")
    assert page.inner_text("#welcome-lead") == "", "how many documents there are is not known yet"
    assert page.inner_text("#document-count") == "Documents"
    assert page.locator("#pipeline").is_hidden()
    page.fill("#question", QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_timeout(100)
    assert page.input_value("#question") == QUESTION
    assert page.locator(".turn").count() == 0
    held[0].continue_()
    page.wait_for_selector(".turn .badge")
    assert page.input_value("#question") == ""
    ask(page, "Such a long question. " * 300)
    box = page.locator(".turn:last-child .question").bounding_box()
    assert box is not None
    assert box["height"] < 430, "its answer stays in sight"


def test_a_pipeline_that_does_not_grade_shows_no_confidence(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    page.wait_for_selector("#pipeline option", state="attached")
    page.select_option("#pipeline", "vector")
    ask(page, "Who won the 1987 chess championship of Reykjavik?")
    assert page.inner_text(".badge.ungraded") == "Evidence not graded"
    assert "check the sources" in page.inner_text(".route")
    page.click("summary")
    path = page.locator(".path").inner_text()
    assert "its grade is not used" in path
    assert "evidence: " not in path
    assert "correct" not in path
    shot(page, "ungraded")
    page.click("#language")
    assert page.inner_text(".badge.ungraded") == "证据未评分"


def test_language_theme_documents_and_small_screens(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/", width=400, dark=True)
    page.wait_for_selector(".example")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shot(page, "narrow-dark")
    ask(page, QUESTION)
    page.click("summary")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shot(page, "narrow-dark-answer")
    page.click("#language")
    assert "置信度" in page.inner_text(".badge")
    path = page.locator(".path").text_content() or ""
    assert all(word in path for word in ("方式: 照原样", "摘录原文"))
    assert not any(word in path for word in ("as asked", "extractive"))
    page.click("#theme")
    assert page.get_attribute("html", "data-theme") == "light"
    page.click(".tabs [data-view=documents]")
    page.wait_for_selector(".documents li")
    assert page.locator(".documents li").count() == 18
    page.fill("#find", "灯塔 手册")
    assert page.locator(".documents li").count() == 1
    page.fill("#find", "nothing of this name")
    assert page.locator(".documents li").count() == 0
    page.fill("#find", "")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    shot(page, "narrow-documents")
    page.click(".documents li:first-child .open")
    page.wait_for_selector("#reader-body .block")
    page.click("#close-reader")
    assert page.locator("#reader").is_hidden()


def test_the_pipeline_is_chosen_and_kept(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    page.wait_for_selector("#pipeline option", state="attached")
    assert page.locator("#pipeline option").all_inner_texts() == ["crag", "hybrid-rerank", "hybrid", "vector"]
    page.select_option("#pipeline", "vector")
    page.reload()
    page.wait_for_selector("#pipeline option", state="attached")
    assert page.input_value("#pipeline") == "vector"
    ask(page, QUESTION)
    page.click("summary")
    assert "vector" in page.inner_text(".facts")


def test_an_empty_workspace_says_how_to_begin(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    with serving(tmp_path / "home") as server:
        page = open_page(f"{server.url}/")
        page.click("#welcome .primary")
        assert "crag ingest" in page.inner_text("#documents .command")


def test_a_key_is_asked_for(home: Path, browser: Browser) -> None:
    with serving(home, CRAG_API_KEY="s3cret") as server:
        page = browser.new_page()
        page.goto(f"{server.url}/")
        page.wait_for_selector("#key-dialog[open]")
        page.fill("#key", "s3cret")
        page.keyboard.press("Enter")
        page.wait_for_selector(".example")
        ask(page, QUESTION)
        assert "02:30" in page.inner_text(".answer .text")
        page.close()


MARKDOWN = """There are three steps:
1. Stop the **pump** [1].
   Wait a minute.
2. Open `valve 4`.

- one
- two

3. Close it <b>again</b>.
## Seals
| Station | Life |
|---|---:|
| North \\| East | 2500 | [2]
| <i>South</i> | 2200 |
After it."""


def test_the_markdown_of_models_is_drawn(server: Serving, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{server.url}/")
    page.evaluate(
        """async (text) => {
          const { prose, flat } = await import("./prose.js");
          const box = document.createElement("div");
          box.id = "drawn";
          box.append(...prose(text, (n) => Object.assign(document.createElement("button"), { textContent: `<${n}>` })));
          box.dataset.flat = flat(text);
          document.getElementById("turns").append(box);
        }""",
        MARKDOWN,
    )
    assert page.locator("#drawn > *").evaluate_all("all => all.map((each) => each.tagName)") == [
        "P", "OL", "UL", "OL", "H3", "DIV", "P",
    ]  # fmt: skip
    assert page.locator("#drawn ol").evaluate_all("all => all.map((each) => each.start)") == [1, 3]
    assert page.locator("#drawn li").all_text_contents() == [
        "Stop the pump <1>.Wait a minute.", "Open valve 4.", "one", "two", "Close it <b>again</b>.",
    ]  # fmt: skip
    assert page.locator("#drawn th").all_text_contents() == ["Station", "Life"]
    assert page.locator("#drawn td").all_text_contents() == ["North | East", "2500 <2>", "<i>South</i>", "2200"]
    assert page.locator("#drawn i, #drawn b").count() == 0
    flat = page.get_attribute("#drawn", "data-flat")
    assert flat is not None
    assert flat.endswith("Station · Life\nNorth | East · 2500 [2]\n<i>South</i> · 2200\nAfter it.")


def test_markup_in_a_models_answer_stays_text(
    copy_of_samples: Callable[[], Path], open_page: Callable[..., Page]
) -> None:
    quote = "The nightly run starts at 02:30, after the imports [1]."
    hostile = f"{quote} <img src=x onerror=alert(1)> starts at 02:30 [1]. ![x](http://evil.example/x.png) at 02:30 [1]."
    with (
        ScriptedServer(lambda request: chat_stream([hostile])) as model,
        serving(copy_of_samples(), OPENAI_BASE_URL=f"{model.url}/v1", CRAG_CHAT_MODEL="m") as server,
    ):
        page = open_page(f"{server.url}/")
        ask(page, QUESTION)
        assert "02:30" in page.inner_text(".answer .text")
        assert page.locator(".turns img").count() == 0


def test_an_answer_can_be_stopped_and_the_server_may_go_and_come(
    copy_of_samples: Callable[[], Path], browser: Browser
) -> None:
    slow = chat_stream(["The nightly run starts at 02:30, after the imports [1]. ", *["More words. "] * 300], gap=0.1)
    home = copy_of_samples()
    page = browser.new_page()
    with ScriptedServer(lambda request: slow) as model:
        environment = {"OPENAI_BASE_URL": f"{model.url}/v1", "CRAG_CHAT_MODEL": "m"}
        with serving(home, **environment) as server:
            page.goto(f"{server.url}/")
            page.wait_for_selector(".example")
            page.fill("#question", QUESTION)
            page.keyboard.press("Enter")
            page.wait_for_selector(".answer .text p", timeout=30_000)
            page.click("#send")
            page.wait_for_selector(".stopped")
            assert "02:30" in page.inner_text(".answer .text")
        page.fill("#question", QUESTION)
        page.keyboard.press("Enter")
        page.wait_for_selector(".failure")
        assert "server cannot be reached" in page.inner_text(".failure")
        with serving(home, "--port", server.url.rpartition(":")[2]):
            page.click(".turn:last-child .actions button:has-text('Ask again')")
            page.wait_for_selector(".turn:last-child .badge")
            assert "02:30" in page.inner_text(".turn:last-child .text")
    page.close()


def test_what_degraded_is_named(copy_of_samples: Callable[[], Path], open_page: Callable[..., Page]) -> None:
    with (
        ScriptedServer() as model,  # Status 500, whatever it is asked.
        serving(copy_of_samples(), OPENAI_BASE_URL=f"{model.url}/v1", CRAG_CHAT_MODEL="m") as server,
    ):
        page = open_page(f"{server.url}/")
        page.wait_for_selector(".example")
        ask(page, QUESTION)
        assert "02:30" in page.inner_text(".answer .text")
        assert page.inner_text(".degraded").startswith("Write: ")
        assert page.locator(".degraded details").count() == 0
        shot(page, "degraded")
        page.click("#language")
        assert page.inner_text(".degraded > p") == "生成：返回了无法使用的结果。回答改为摘录原文。"
        page.click(".degraded summary")
        assert "answered with status 500" in page.inner_text(".degraded details p")
        shot(page, "degraded-zh")


def test_each_documents_chunk_view_has_an_origin_of_its_own(server: Serving, browser: Browser) -> None:
    listed = httpx.get(f"{server.url}/v1/documents").json()["data"]
    one = next(each for each in listed if each["source"].endswith("glossary.md"))
    address = f"{server.url}/v1/documents/{one['id']}/chunk-view"
    page = browser.new_page(locale="en-US")
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(server.url + httpx.get(address).json()["url"])
    page.wait_for_selector("#chosen .chunk")
    assert page.evaluate("window.origin") == "null"
    assert problems == []
    page.close()
    assert httpx.get(f"{server.url}/v1/documents/none/chunk-view").status_code == 404
    assert httpx.get(f"{address}?pipeline=none").json()["error"]["code"] == "model_not_found"
