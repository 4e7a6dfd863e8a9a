"""A model marks boundaries; its reply is believed only where it quotes the source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError, ProviderError
from chunking.loaders import load_bytes
from chunking.strategies import build_chunker, fingerprint
from chunking.strategies.llm import verified_starts
from chunking.types import Chunk, Document

Reply = Mapping[str, Any] | ProviderError | None

CATS = "猫在屋顶上睡觉晒太阳。猫喜欢吃新鲜的小鱼。猫会在夜里抓老鼠。猫的胡子帮它认路。"
STOCKS = "股票价格今天上涨了。股票市场明天不开盘。股票交易变得活跃。股票的收益并不确定。"
PROSE = CATS + STOCKS


class Model:
    """Follows a rule from numbered sentences to a reply, and keeps what it was asked."""

    def __init__(self, rule: Callable[[list[str]], Reply]) -> None:
        self.asked: list[list[str]] = []
        self._rule = rule

    def mark(self, instructions: str, texts: Sequence[str], schema: Mapping[str, Any]) -> list[Reply]:
        given = [[line.split(". ", 1)[1] for line in text.split("\n")] for text in texts]
        self.asked += given
        return [self._rule(sentences) for sentences in given]


def boundary(number: int, opening: str) -> dict[str, Any]:
    return {"sentence": number, "opening": opening}


def topics(sentences: list[str]) -> Reply:
    changes = [i for i in range(1, len(sentences)) if sentences[i][0] != sentences[i - 1][0]]
    return {"boundaries": [boundary(i + 1, sentences[i][:6]) for i in changes]}


def _count(texts: Sequence[str]) -> list[int]:
    return [len(re.sub(r"\s", "", text)) for text in texts]


def _document(text: str) -> Document:
    return load_bytes(text.encode(), source="a.md")


def _config(**settings: Any) -> ChunkingConfig:
    sizes = {"target_tokens": 30, "min_tokens": 10, "max_tokens": 90}
    return ChunkingConfig.model_validate({"strategy": "llm", **sizes, **settings})


def _cut(text: str, model: Model | None, **settings: Any) -> list[Chunk]:
    return build_chunker(_config(**settings), _count, model=model).chunk(_document(text))


def _spans(chunks: Sequence[Chunk]) -> list[tuple[int, int]]:
    return [(chunk.start, chunk.end) for chunk in chunks]


def test_chunks_end_where_the_model_says() -> None:
    chunks = _cut(PROSE, Model(topics))
    assert [chunk.text for chunk in chunks] == [CATS, STOCKS]
    assert {chunk.note for chunk in chunks} == {""}


def test_no_boundary_is_an_answer_too() -> None:
    assert [chunk.text for chunk in _cut(PROSE, Model(lambda _: {"boundaries": []}))] == [PROSE]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (None, "no list of boundaries"),
        ({"boundaries": "5"}, "no list of boundaries"),
        ({"boundaries": [5]}, "without number and words"),
        ({"boundaries": [boundary(5, "")]}, "do not open sentence 5"),
        ({"boundaries": [boundary(5, "债券价格")]}, "do not open sentence 5"),
        ({"boundaries": [boundary(4, "股票价格")]}, "do not open sentence 4"),
        ({"boundaries": [boundary(1, "猫在屋顶")]}, "named sentence 1 of 8"),
        ({"boundaries": [boundary(9, "股票价格")]}, "named sentence 9 of 8"),
        ({"boundaries": [boundary(5, "股票价格"), boundary(2, "猫喜欢吃")]}, "out of order"),
        ({"boundaries": [boundary(5, "股票价格"), boundary(5, "股票价格")]}, "out of order"),
        ({"boundaries": [{"sentence": True, "opening": "猫在屋顶"}]}, "without number and words"),
        (ProviderError("The endpoint cannot be reached.", provider="openai"), "The endpoint cannot be reached"),
    ],
)
def test_a_reply_that_is_not_the_source_leaves_the_hybrid_cut_and_says_so(reply: Reply, why: str) -> None:
    chunks = _cut(PROSE, Model(lambda _: reply))
    hybrid = _cut(PROSE, None, strategy="hybrid")
    assert _spans(chunks) == _spans(hybrid)
    assert len(chunks) > 1
    for chunk in chunks:
        assert chunk.note.startswith("Cut as hybrid: ")
        assert why in chunk.note


def test_only_what_the_structure_cannot_decide_is_sent() -> None:
    short = "很短的一段话到此为止了。"
    text = f"# 一\n\n{short}\n\n# 二\n\n{PROSE}\n\n# 三\n\n第一句话在这里说完了。第二句话也在这里说完了。"
    few, all_ = Model(topics), Model(topics)
    _cut(text, few)
    _cut(text, all_, only="all")
    assert ["".join(asked) for asked in few.asked] == [f"# 二 {PROSE}"]
    assert "".join("".join(asked) for asked in all_.asked).count("第二句话") == 1


def test_a_refusal_is_named_only_where_it_happened() -> None:
    text = f"# 甲\n\n{PROSE}\n\n# 乙\n\n{STOCKS}{CATS}"
    chunks = _cut(text, Model(lambda sentences: None if "乙" in sentences[0] else topics(sentences)))
    noted = [bool(chunk.note) for chunk in chunks]
    assert noted == [chunk.heading_path == ("乙",) for chunk in chunks]
    assert True in noted
    assert False in noted


def test_marked_pieces_keep_to_the_sizes() -> None:
    every = Model(lambda s: {"boundaries": [boundary(i + 1, s[i]) for i in range(1, len(s))]})
    assert min(chunk.tokens for chunk in _cut(PROSE, every, min_tokens=20)) >= 20
    none = Model(lambda _: {"boundaries": []})
    long = _cut(PROSE * 10, none)
    assert max(chunk.tokens for chunk in long) <= 90
    assert "".join(chunk.text for chunk in long) == PROSE * 10


def test_long_texts_are_asked_about_in_parts() -> None:
    model = Model(topics)
    chunks = _cut(PROSE * 100, model)
    assert len(model.asked) > 1
    assert max(sum(map(len, asked)) for asked in model.asked) <= 3000
    assert "".join(chunk.text for chunk in chunks) == PROSE * 100


def test_an_opening_may_differ_in_case_and_marks_only() -> None:
    sentences = ["First things first.", "**Second**, the rest follows.", "Ok."]
    assert verified_starts({"boundaries": [boundary(2, "second the Rest"), boundary(3, "ok")]}, sentences) == [1, 2]
    assert verified_starts({"boundaries": [boundary(2, "Sec")]}, sentences) == (
        "the model quoted words that do not open sentence 2"
    )


def test_without_a_model_the_error_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match=r"set chunking\.strategy to 'hybrid'"):
        _cut(PROSE, None)


def test_only_the_llm_strategy_is_told_apart_by_what_is_sent() -> None:
    assert fingerprint(_config(only="all")) != fingerprint(_config(only="long"))
    plain = {"strategy": "hybrid"}
    assert fingerprint(_config(**plain, only="all")) == fingerprint(_config(**plain, only="long"))
