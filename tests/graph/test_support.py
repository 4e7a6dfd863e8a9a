"""What bears a sentence: numbers, names and negations exactly, words by their share, the other script by vectors."""

from __future__ import annotations

import pytest

from graph.crosslingual import alike
from graph.support import supported
from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from tests.fakes.graph import HashEmbedder

TOWER = "The tower has 312 steps. It was finished in 1889 by Anna Gray of England."
STORE = "The cache is not shared between processes. Writers never block readers."
PARAMETER = "该参数不支持热更新。它的默认值是 8。"


@pytest.mark.parametrize(
    ("sentence", "source", "holds"),
    [
        ("The tower was finished by Anna Gray.", TOWER, True),
        ("The tower was finished by Stephen King.", TOWER, False),
        ("It was finished in 1889 by the English builder Gray.", TOWER, True),
        ("It was finished on a Monday in March 1889 by Gray.", TOWER, True),
        ("Tower steps: There are 312 steps in the tower.", TOWER, True),
        ("The cache is shared between processes.", STORE, False),
        ("The cache is not shared between processes.", STORE, True),
        ("Processes do not share the cache.", STORE, True),
        ("Writers block readers.", STORE, False),
        ("Writers do not block readers.", STORE, True),
        ("该参数支持热更新。", PARAMETER, False),
        ("该参数不支持热更新。", PARAMETER, True),
        ("该参数无法支持热更新。", PARAMETER, True),
    ],
)
def test_names_and_negations_are_checked_exactly(sentence: str, source: str, holds: bool) -> None:
    assert supported(sentence, [source], "What of it?") is holds


def test_what_the_question_names_may_be_named() -> None:
    assert not supported("The Eiffel tower has 312 steps.", [TOWER], "How many steps are there?")
    assert supported("The Paris Eiffel tower has 312 steps.", [TOWER], "How many steps has the Eiffel tower in Paris?")


def test_a_word_that_only_looks_like_a_negation_denies_nothing() -> None:
    source = "不同进程不仅共享缓存，而且共享配置。该方法非常稳定。"
    assert supported("不同进程共享缓存和配置。", [source], "?")
    assert supported("该方法稳定。", [source], "?")


def test_two_scripts_are_compared_by_meaning() -> None:
    compare = alike(build_embedder(EmbeddingConfig(provider="local")))
    assert compare is not None
    source = ["The tower has 312 steps and was finished in 1889.", "Visitors climb it on foot."]
    assert compare("这座塔有 312 级台阶，于 1889 年建成。", source)
    assert not compare("这家饭店的烤鸭非常好吃。", source)
    bridge = ["桥面可以通行火车，汽车不得上桥。"]
    assert compare("Trains may cross the bridge, cars may not.", bridge)
    assert not compare("Cats sleep sixteen hours a day.", bridge)


def test_an_embedder_that_nobody_measured_compares_nothing() -> None:
    assert alike(HashEmbedder()) is None
