"""2,000 outputs of a model that cites badly: what leaves the gate cites what bears it, and was never taken back."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from itertools import pairwise

import pytest

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.evidence import Source, Strip
from graph.gate import Gate
from graph.llms.base import Message, Request
from graph.prompts import NOT_ENOUGH
from graph.types import Answer, AnswerReady, Citation, TextDelta, Usage
from tests.fakes.graph import HashEmbedder, ScriptedGrader, deps, hit

OUTPUTS = 2000
TEXTS = {
    1: "The tower has 312 steps. It was finished in 1889 by Anna Gray.",
    2: "桥长 1200 米，于 1950 年建成。桥面可以通行火车。",
    3: "Cats sleep sixteen hours a day and like warm places.",
    4: "默认端口是 8080，配置文件名为 server.yaml。",
}
TRUE = {
    "The tower has 312 steps": 1,
    "It was finished in 1889 by Anna Gray": 1,
    "桥长 1200 米": 2,
    "桥面可以通行火车": 2,
    "Cats sleep sixteen hours a day": 3,
    "默认端口是 8080": 4,
    "配置文件名为 server.yaml": 4,
}
ACROSS = {"猫每天睡十六个小时": 3, "Trains may cross the bridge": 2}
"""True, in the other script than their source."""
FALSE = (
    "The tower has 999 steps",
    "It was finished in 1745 by nobody",
    "桥长 77 米",
    "Dogs bark at every passing postman",
    "默认端口是 9090",
    "这家饭店的烤鸭非常好吃",
)
NUMBERED = tuple(fact for fact in FALSE if re.search(r"\d", fact))
"""False whatever script the source is in: no embedder is asked."""
FACTS = {**TRUE, **ACROSS}
QUESTION = "Tell me about it."
OPEN, CLOSE = "[【［〔⟦", "]】］〕⟧"


def _wrong(number: int, chance: random.Random) -> str:
    return f"[{chance.choice([other for other in TEXTS if other != number])}]"


MARKERS = {
    "right": lambda n, chance: f"[{n}]",
    "wrong": _wrong,
    "doubled": lambda n, chance: f"[{n}][{n}]" + _wrong(n, chance) * chance.randint(0, 1),
    "nested": lambda n, chance: chance.choice([f"[[{n}]]", f"[{n}[{n}]]", f"[source [{n}]]", f"【[{n}】]", f"[[{n}]"]),
    "forged": lambda n, chance: chance.choice(
        ["[7]", "[0]", "[99999999999]", "[1-9]", "[^8]", "[source 12]", f"[{n}](https://evil.example/{n})", "[x7]"]
    ),
    "unclosed": lambda n, chance: chance.choice([f"[{n}", f"【{n}", f"[source {n}", f"[{n}, ", "["]),
    "full-width": lambda n, chance: chance.choice(
        [f"【{n}】", f"［{chr(0xFF10 + n)}］", f"〔来源：{n}〕", f"[{chr(0xFF10 + n)}]", f"【{n}、{n}】", f"⟦{n}⟧"]
    ),
    "none": lambda n, chance: "",
}


def _output(chance: random.Random, facts: Sequence[str]) -> tuple[str, list[str]]:
    """A model's text, and the kinds of marker in it."""
    written, kinds = [], []
    for _ in range(chance.randint(1, 6)):
        fact = chance.choice(facts)
        kind = chance.choice(list(MARKERS))
        kinds.append(kind)
        marker = MARKERS[kind](FACTS.get(fact, 1), chance)
        end = chance.choice("。！" if re.search("[一-鿿]", fact) else ".!")
        form = chance.choice(["{fact}{gap}{marker}{end}", "{fact}{end}{gap}{marker}", "{fact}{gap}{marker}{gap}{end}"])
        gap = chance.choice(["", " "])
        written.append(
            form.format(fact=fact, gap=gap, marker=marker, end=end) + chance.choice([" ", "\n", "\n\n", " "])
        )
    if chance.random() < 0.05:
        written.insert(chance.randrange(len(written) + 1), NOT_ENOUGH["en"] + " ")
    return "".join(written), kinds


def _pieces(text: str, chance: random.Random) -> list[str]:
    size = chance.choice([1, 5, 20, 20, 60, len(text), len(text), len(text)])
    return [text[at : at + size] for at in range(0, len(text), size)]


def _sources() -> list[Source]:
    passages = {number: hit(text, source=f"{number}.md", title=str(number)) for number, text in TEXTS.items()}
    return [
        Source(number, passage, (Strip(passage, 0, len(TEXTS[number]), TEXTS[number], 1.0),))
        for number, passage in passages.items()
    ]


def alike(sentence: str, source: Sequence[str]) -> bool:
    """A comparison that is never wrong."""
    return any(fact in sentence and "".join(source) == TEXTS[number] for fact, number in ACROSS.items())


def check(text: str, citations: Sequence[Citation]) -> None:
    """Every marker resolves, every marked fact is its source's, and nothing false or marker-like is left."""
    by_marker = {citation.marker: int(citation.source.removesuffix(".md")) for citation in citations}
    assert sorted(by_marker) == list(range(1, len(citations) + 1))
    assert {int(number) for number in re.findall(r"\[(\d+)\]", text)} == set(by_marker)
    bare, at, placed = "", 0, []
    for match in re.finditer(r"\[(\d+)\]", text):
        bare += text[at : match.start()]
        placed.append((len(bare), by_marker[int(match[1])]))
        at = match.end()
    bare += text[at:]
    assert not re.search(rf"[{re.escape(OPEN)}]\s*\^?(?:source|来源)?\s*[:：]?\s*\d", bare, re.IGNORECASE), text
    assert "evil.example" not in text
    assert not any(false in bare for false in FALSE), text
    facts = sorted(
        (found.start(), found.end(), source)
        for fact, source in FACTS.items()
        for found in re.finditer(re.escape(fact), bare)
    )
    for position, source in placed:
        # The fact that a marker stands in or behind; one may also stand before its sentence.
        before = [fact for fact in facts if fact[0] < position]
        after = [fact for fact in facts if fact[0] >= position]
        near = {fact[2] for fact in (*before[-1:], *after[:1])}
        assert source in near, (text, citations)
        assert before, text
    # No fact goes without a marker before the next one begins.
    for (start, _, _), (following, _, _) in pairwise([*facts, (len(bare) + 1, 0, 0)]):
        assert any(start < position <= following for position, _ in placed), text
    for citation in citations:
        assert citation.quote in TEXTS[by_marker[citation.marker]]


def test_no_output_of_a_model_leaves_the_gate_with_a_citation_that_does_not_hold() -> None:
    chance = random.Random(20261130)
    sources, kinds, kept = _sources(), Counter[str](), 0
    for _ in range(OUTPUTS):
        text, used = _output(chance, [*TRUE, *ACROSS, *TRUE, *FALSE])
        kinds.update(used)
        gate = Gate(sources, QUESTION, chance.choice(["zh", "en"]), alike)
        shown = ""
        for piece in _pieces(text, chance):
            shown += gate.push(piece)
            assert gate.text == shown
        shown += gate.close()
        assert gate.text == shown
        check(shown, gate.citations)
        kept += bool(gate.citations)
    assert set(kinds) == set(MARKERS)
    assert min(kinds.values()) > 600
    # Most have a true sentence, and it comes through.
    assert kept > 0.85 * OUTPUTS


class Strict(HashEmbedder):
    """Alike are texts that share words: nothing in two scripts is."""

    fingerprint = "e5-hash"


class Scripted:
    """A model that writes the same text whatever it is asked, naming sources as `_sources` numbers them."""

    name = "scripted"

    def __init__(self, text: str, chance: random.Random) -> None:
        self.pieces = _pieces(text, chance)

    def prompt(self, request: Request) -> tuple[Message, ...]:
        return ({"role": "user", "content": request.question},)

    async def generate(self, request: Request) -> AsyncGenerator[str | Usage, None]:
        for piece in self.pieces:
            yield piece

    async def aclose(self) -> None:
        return


@pytest.mark.parametrize("seed", range(8))
def test_what_was_streamed_is_the_answer(seed: int) -> None:
    chance = random.Random(seed)
    passages = [source.hit for source in _sources()]

    async def told(text: str) -> tuple[str, Answer]:
        generation = GenerationConfig(provider="extractive")
        parts = deps(
            passages,
            embedder=Strict(),
            generator=Scripted(text, chance),
            calibration=ScriptedGrader([0.9]),
            generation=generation,
        )
        streamed, answer = "", None
        async for event in Engine(parts).stream("What of the tower, the bridge 桥, cats and the 端口?"):
            streamed += event.text if isinstance(event, TextDelta) else ""
            answer = event.answer if isinstance(event, AnswerReady) else answer
        assert answer is not None
        return streamed, answer

    for _ in range(5):
        streamed, answer = asyncio.run(told(_output(chance, [*TRUE, *NUMBERED])[0]))
        assert streamed == answer.text
        if answer.status == "abstained":
            assert answer.citations == ()
        else:
            check(answer.text, answer.citations)
