"""What every strategy promises of every text: exact offsets, the cap, nothing lost, nothing torn without a flag."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError
from chunking.loaders import load_bytes
from chunking.strategies import STRATEGIES, build_chunker, fingerprint
from chunking.strategies.tfidf import DIMENSION, tfidf_vectors
from chunking.types import Chunk, Document
from chunking.units import split_units
from tests.fakes.boundaries import EveryThird

STRUCTURED = sorted(set(STRATEGIES) - {"fixed"})


def count_words(texts: Sequence[str]) -> list[int]:
    """A CJK character or a run of other characters is a token."""
    return [len(re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]{1,6}", text)) for text in texts]


def count_characters(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


def config(strategy: str, **settings: object) -> ChunkingConfig:
    sizes = {"target_tokens": 40, "min_tokens": 12, "max_tokens": 90}
    return ChunkingConfig.model_validate({"strategy": strategy, **sizes, **settings})


_SENTENCES = st.sampled_from(
    [
        "向量检索用余弦相似度比较问题和段落。",
        "混合检索把两个排名合并！",
        "This is a sentence about Dr. Smith and v2.0.1.",
        "Is it 3.14?",
        "👩‍👩‍👧‍👦🇨🇳 é ok.",
        "a" * 300,
        "没有标点的很长的一行" * 30,
        "x",
    ]
)
_PARAGRAPHS = st.lists(_SENTENCES, min_size=1, max_size=12).map(" ".join)
_TABLES = st.integers(1, 30).map(
    lambda rows: "| key | value |\n| --- | --- |\n" + "\n".join(f"| option.{i} | default {i} |" for i in range(rows))
)
_CODE = st.integers(0, 60).map(lambda lines: "```python\n" + "\n".join(f"x_{i} = {i}" for i in range(lines)) + "\n```")
_LISTS = st.lists(_SENTENCES, min_size=1, max_size=8).map(
    lambda items: "\n".join(f"{i}. {item}" for i, item in enumerate(items, start=1))
)
_HEADINGS = st.tuples(st.integers(1, 4), st.sampled_from(["概述", "Install", "参数", "A b c"])).map(
    lambda heading: f"{'#' * heading[0]} {heading[1]}"
)
_MARKDOWN = st.lists(
    st.one_of(_PARAGRAPHS, _TABLES, _CODE, _LISTS, _HEADINGS, st.just("```\nunclosed")), min_size=1, max_size=14
).map("\n\n".join)


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Stands for a model: unit vectors that depend on the text alone."""
    return tfidf_vectors(texts) if len(texts) == 1 else np.vstack([tfidf_vectors([text]) for text in texts])


def _load(text: str) -> Document:
    return load_bytes(text.encode(), source="page.md")


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _promises(document: Document, chunks: list[Chunk], cap: int) -> None:
    text = document.text
    assert chunks
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text == chunk.text.strip()
        assert chunk.tokens == count_words([chunk.text])[0]
        assert count_words([chunk.embedded_text])[0] <= cap
    for before, after in pairwise(chunks):
        assert before.end <= after.start
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(text=_MARKDOWN)
def test_exact_disjoint_complete_and_under_the_cap(strategy: str, text: str) -> None:
    document = _load(text)
    settings_ = config(strategy, keep_noise=True)
    chunks = build_chunker(settings_, count_words, embed, EveryThird()).chunk(document)
    _promises(document, chunks, settings_.max_tokens)
    assert _squeeze("".join(chunk.text for chunk in chunks)) == _squeeze(document.text)
    assert chunks == build_chunker(settings_, count_words, embed, EveryThird()).chunk(document)


@pytest.mark.parametrize("strategy", STRUCTURED)
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(text=_MARKDOWN)
def test_units_are_torn_only_when_they_alone_exceed_the_cap(strategy: str, text: str) -> None:
    document = _load(text)
    settings_ = config(strategy)
    chunks = build_chunker(settings_, count_words, embed, EveryThird()).chunk(document)
    starts = {unit.start for unit in split_units(document.text, document.blocks)}
    ends = {unit.end for unit in split_units(document.text, document.blocks)}
    for chunk in chunks:
        whole = chunk.start in starts and chunk.end in ends
        assert whole or chunk.forced
        for block in document.blocks:
            inside = block.start < chunk.start < block.end or block.start < chunk.end < block.end
            if block.kind == "code" and inside:
                assert chunk.forced
                context = count_words([chunk.context])[0]
                assert count_words([document.text[block.start : block.end]])[0] + context >= settings_.max_tokens - 30


@pytest.mark.parametrize("strategy", STRUCTURED)
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(text=_MARKDOWN, added=_PARAGRAPHS)
def test_an_appended_section_leaves_earlier_chunks_as_they_were(strategy: str, text: str, added: str) -> None:
    text = f"# One\n\n{text}\n\nA last word."
    if "unclosed" in text:
        text = text.replace("```\nunclosed", "unclosed")
    chunker = build_chunker(config(strategy), count_words, embed, EveryThird())
    before = chunker.chunk(_load(text))
    after = chunker.chunk(_load(f"{text}\n\n# Another\n\n{added}"))
    assert after[: len(before)] == before


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize(
    "text",
    [
        "x",
        "👨‍👩‍👧" * 400,
        "e" + "\u0301" * 500,
        "字" * 20_000,
        "no end " * 5_000,
        "nospace" * 143_000,
        "\n" * 100_000 + "end",
        "```\n" + "line\n" * 3_000,
        "| a | b |\n| - | - |\n" + "| " + "wide " * 500 + "| y |\n",
        "# " + "long heading " * 200 + "\n\nbody",
    ],
    ids=[
        "one",
        "emoji",
        "combining",
        "han",
        "endless",
        "megabyte",
        "blank",
        "unclosed",
        "row",
        "heading",
    ],
)
def test_extremes(strategy: str, text: str) -> None:
    document = _load(text)
    settings_ = config(strategy)
    chunks = build_chunker(settings_, count_words, embed, EveryThird()).chunk(document)
    _promises(document, chunks, settings_.max_tokens)
    assert _squeeze("".join(chunk.text for chunk in chunks)) == _squeeze(document.text)
    for chunk in chunks:
        assert not chunk.text.startswith(("\u200d", "\u0301")) or "\u0301" * 200 in text


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("text", ["", " \n\t", "\n" * 100_000], ids=["empty", "spaces", "blank lines"])
def test_nothing_comes_of_nothing(strategy: str, text: str) -> None:
    document = Document("d", "a.md", "a", "text/markdown", "0", text, ())
    assert build_chunker(config(strategy), count_words, embed, EveryThird()).chunk(document) == []


@pytest.mark.parametrize("method", ["depth", "optimal", "percentile"])
def test_how_sentences_are_batched_does_not_matter(method: str) -> None:
    def orthogonal(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.eye(DIMENSION, dtype=np.float32)[[zlib.crc32(text.encode()) % DIMENSION for text in texts]]

    def singly(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.vstack([orthogonal([text]) for text in texts])

    document = _load("# One\n\n" + "".join(f"第{i}句话说的是不同的内容。Another {i}. " for i in range(80)))
    settings_ = config("semantic", breakpoint=method)
    chunks = build_chunker(settings_, count_words, orthogonal).chunk(document)
    assert len(chunks) > 3
    assert chunks == build_chunker(settings_, lambda texts: [count_words([t])[0] for t in texts], singly).chunk(
        document
    )


@pytest.mark.parametrize("strategy", STRUCTURED)
def test_nothing_below_the_minimum_where_a_neighbour_has_room(strategy: str) -> None:
    text = "# T\n\n## S\n\n" + "\n\n".join(["Short one.", "这是一个比较长的段落，它有不少字。" * 3, "Tiny."] * 8)
    chunks = build_chunker(config(strategy), count_words, embed, EveryThird()).chunk(_load(text))
    assert min(chunk.tokens for chunk in chunks) >= 12


def test_the_cap_holds_for_any_counter() -> None:
    document = _load("# 标题\n\n" + "一句话。Another sentence here. " * 200)
    settings_ = config("hybrid", max_tokens=64)
    for chunk in build_chunker(settings_, count_characters).chunk(document):
        assert len(chunk.embedded_text) <= 64


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_the_cap_holds_where_a_whole_counts_more_than_its_parts(strategy: str) -> None:
    def count(texts: Sequence[str]) -> list[int]:
        return [int(len(text) ** 1.15) for text in texts]

    document = _load("# 标题\n\n" + "一句话。Another sentence here. " * 100 + "\n\n```\n" + "x = 1\n" * 200 + "```")
    chunks = build_chunker(config(strategy), count, embed, EveryThird()).chunk(document)
    assert max(count([chunk.embedded_text])[0] for chunk in chunks) <= 90
    assert _squeeze("".join(chunk.text for chunk in chunks)) == _squeeze(document.text)


@pytest.mark.parametrize("strategy", ["hybrid", "sentence", "paragraph"])
def test_overlap_repeats_whole_sentences(strategy: str) -> None:
    text = "".join(f"第{i}句话说的是不同的内容。" for i in range(60))
    chunks = build_chunker(config(strategy, overlap=1), count_words, embed, EveryThird()).chunk(_load(text))
    assert len(chunks) > 3
    for before, after in pairwise(chunks):
        assert text[after.start : before.end].count("。") == 1
        assert text[after.start :].startswith("第")


def test_fixed_windows_overlap_by_tokens() -> None:
    text = "字" * 1000
    chunks = build_chunker(config("fixed", overlap=10), count_words, embed, EveryThird()).chunk(_load(text))
    assert {chunk.tokens for chunk in chunks[:-1]} == {40}
    assert {before.end - after.start for before, after in pairwise(chunks)} == {10}


def test_context_holds_title_and_headings_without_repeats() -> None:
    text = "# Guide\n\n## Setup\n\n" + "A sentence of some words. " * 40 + "\n\n# Guide two\n\nEnd of it."
    chunks = build_chunker(config("hybrid"), count_words, embed, EveryThird()).chunk(_load(text))
    assert chunks[0].heading_path == ("Guide", "Setup")
    assert chunks[0].context == ""
    assert chunks[1].context == "Guide > Setup"
    assert chunks[-1].context == "Guide"
    plain = build_chunker(config("hybrid", headings=False), count_words, embed, EveryThird()).chunk(_load(text))
    assert {chunk.context for chunk in plain} == {""}


def test_front_matter_and_empty_last_headings_are_left_out() -> None:
    document = _load("---\ntitle: Named\n---\n\nBody text.\n\n## Changelog\n")
    assert document.title == "Named"
    assert [
        chunk.text for chunk in build_chunker(config("hybrid"), count_words, embed, EveryThird()).chunk(document)
    ] == ["Body text."]


def test_unknown_strategy_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="fixed, hybrid"):
        build_chunker(config("hybird"), count_words)


def test_fingerprint_changes_with_the_configuration() -> None:
    assert fingerprint(config("hybrid")) == fingerprint(config("hybrid"))
    assert fingerprint(config("hybrid")) != fingerprint(config("hybrid", max_tokens=91))


@pytest.mark.parametrize("method", ["threshold", "percentile", "stddev", "iqr", "gradient", "depth", "optimal"])
@pytest.mark.parametrize("signal", ["embedding", "tfidf"])
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(text=_MARKDOWN, value=st.sampled_from([0.0, 1.0, np.nan]))
def test_semantic_with_every_method_and_any_vectors(method: str, signal: str, text: str, value: float) -> None:
    document = _load(text)
    settings_ = config("semantic", breakpoint=method, signal=signal, keep_noise=True)

    def constant(texts: Sequence[str]) -> NDArray[np.float32]:
        return np.full((len(texts), 4), value, dtype=np.float32)

    chunks = build_chunker(settings_, count_words, constant, EveryThird()).chunk(document)
    _promises(document, chunks, settings_.max_tokens)
    assert _squeeze("".join(chunk.text for chunk in chunks)) == _squeeze(document.text)


def test_semantic_cuts_between_topics() -> None:
    topics = ["猫喜欢吃鱼。猫喜欢睡觉。猫喜欢抓老鼠。", "股票价格上涨。股票市场开盘。股票交易活跃。"]
    text = "".join(topics)
    chunks = build_chunker(config("semantic", signal="tfidf", min_tokens=0), count_words).chunk(_load(text))
    assert [chunk.text for chunk in chunks] == topics


def test_semantic_without_an_embedder_says_what_to_do() -> None:
    with pytest.raises(ConfigError, match=r"set chunking\.signal to 'tfidf'"):
        build_chunker(config("semantic"), count_words)


_LONG = "".join(f"第{i}个句子讲的是另一件具体的事情。" for i in range(6))


@pytest.mark.parametrize("strategy", STRUCTURED)
def test_a_sentence_that_points_back_is_not_parted_from_its_antecedent(strategy: str) -> None:
    text = f"# 标题\n\n{_LONG}方案甲先检索再排序。上述方案需要两个模型。{_LONG}{_LONG}"
    chunks = build_chunker(config(strategy, target_tokens=110, max_tokens=220), count_words, embed, EveryThird()).chunk(
        _load(text)
    )
    assert len(chunks) > 1
    assert any("方案甲先检索再排序。上述方案" in chunk.text for chunk in chunks)


def test_an_antecedent_without_room_becomes_context() -> None:
    long = "这个句子很长，" + "说的都是同一件事情，" * 6 + "到此为止。"
    text = f"# 标题\n\n甲方案先检索再排序，然后由模型生成最后的答案。\n\n{long}"
    chunks = build_chunker(config("sentence", max_tokens=140, target_tokens=60), count_words).chunk(_load(text))
    assert chunks[-1].text == long
    assert chunks[-1].context == "标题\n甲方案先检索再排序，然后由模型生成最后的答案。"
    assert chunks[-1].tokens == count_words([long])[0]


def test_an_item_may_open_with_a_fence() -> None:
    source = (
        "- ```bash\n  pip install crag. Then run.\n  - ```\n  ```\n- Open the page. It shows a list.\n"
        "- ```` code ``` ````. A word. And more.\n"
    )
    document = load_bytes(source.encode(), source="a.md")
    units = [(unit.kind, document.text[unit.start : unit.end]) for unit in split_units(document.text, document.blocks)]
    assert units == [
        *[("line", line) for line in ("- ```bash", "pip install crag. Then run.", "- ```", "```")],
        *[("sentence", text) for text in ("- Open the page.", "It shows a list.")],
        *[("sentence", text) for text in ("- ```` code ``` ````.", "A word.", "And more.")],
    ]


def test_fixed_windows_with_much_overlap_hold_none_of_the_others() -> None:
    words = (
        "a short one, "
        + "supercalifragilistic" * 2
        + " then 检索用余弦。 "
        + "reciprocal rank fusion of both lists " * 6
    )
    source = f"# Title\n\n{words}\n\n## Some heading\n\n- {words}\n"
    document = load_bytes(source.encode(), source="a.md")
    for target in (8, 9, 12, 16):
        sizes = {"target_tokens": target, "min_tokens": 0, "max_tokens": 16}
        found = build_chunker(config("fixed", overlap=100, **sizes), count_words).chunk(document)
        assert all(a.start < b.start and a.end < b.end for a, b in pairwise(found))
        assert "".join(source.split()) == "".join(_once(document, found).split())


def _once(document: Document, found: Sequence[Chunk]) -> str:
    """The text that chunks cover, none of it twice."""
    at, parts = 0, []
    for chunk in found:
        parts.append(document.text[max(at, chunk.start) : chunk.end])
        at = chunk.end
    return "".join(parts)


@pytest.mark.parametrize("strategy", STRUCTURED)
def test_no_heading_ends_a_chunk(strategy: str) -> None:
    """Not where the heading fits in and the sentence below it fits in, but not both."""
    for size in range(70, 92):
        below = "字" * size
        source = f"# T\n\n## A\n\nA short text of the first section.\n\n## B of limits\n\n{below}\n\nMore of it.\n"
        document = _load(source)
        found = build_chunker(config(strategy), count_words, embed, EveryThird()).chunk(document)
        assert not [chunk.text for chunk in found if chunk.text.endswith("limits")]
        whole = any(below in chunk.text for chunk in found)
        assert whole or sum(chunk.forced for chunk in found) > 1
        assert _squeeze(_once(document, found)) == _squeeze(document.text)
