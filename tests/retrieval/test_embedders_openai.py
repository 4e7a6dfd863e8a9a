"""The real client against a scripted endpoint: batches, retries, refusals, bad replies."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError, ProviderError
from retrieval.config import EmbeddingConfig
from retrieval.embedders import build_embedder
from retrieval.embedders.cache import CachedEmbedder, EmbeddingCache
from retrieval.embedders.openai import build_openai, estimate_tokens
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import embeddings, error


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 1.0, float(sum(map(ord, text)) % 97)]


def answer(request: Request) -> Reply:
    return embeddings([vector_of(text) for text in request.body["input"]])


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(answer) as server:
        yield server


def embedder(server: ScriptedServer, **options: Any) -> Any:
    return build_openai(EmbeddingConfig(provider="openai", base_url=f"{server.url}/v1", model="tiny", **options))


def test_batches_keep_their_order_and_are_normalised(server: ScriptedServer) -> None:
    texts = ["x" * i for i in range(1, 24)]
    provider = embedder(server, batch_size=5)
    vectors = provider.embed(texts, "passage")
    expected = np.array([vector_of(text) for text in texts], np.float32)
    assert np.allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert sorted(len(request.body["input"]) for request in server.requests) == [3, 5, 5, 5, 5]
    assert provider.usage == {"requests": 5, "tokens": 23}
    assert provider.embed([], "passage").shape == (0, 3)


def test_batches_are_bounded_by_tokens_too(server: ScriptedServer) -> None:
    embedder(server).embed(["漫长" * 20_000, "漫长" * 20_000, "短"], "passage")
    assert sorted(len(request.body["input"]) for request in server.requests) == [1, 2]


def test_the_dimension_of_an_unknown_model_is_asked_for_once(server: ScriptedServer) -> None:
    provider = embedder(server)
    assert not server.requests
    assert (provider.dimension, provider.dimension) == (3, 3)
    assert len(server.requests) == 1


def test_chosen_dimensions_are_sent_and_checked(server: ScriptedServer) -> None:
    provider = embedder(server, dimensions=4)
    assert provider.dimension == 4
    with pytest.raises(ProviderError, match=r"3.* dimensions instead of 4"):
        provider.embed(["a"], "passage")
    assert server.requests[0].body["dimensions"] == 4
    assert provider.fingerprint != embedder(server).fingerprint


def test_a_rate_limit_is_waited_out_as_the_server_says(server: ScriptedServer) -> None:
    server.enqueue(error(429, **{"Retry-After": "0.3"}), error(500, **{"retry-after-ms": "1"}))
    started = time.monotonic()
    assert embedder(server).embed(["a"], "passage").shape == (1, 3)
    assert 0.3 <= time.monotonic() - started < 3
    assert len(server.requests) == 3


def test_only_the_failed_batch_is_sent_again(server: ScriptedServer) -> None:
    server.enqueue(error(503, **{"retry-after-ms": "1"}))
    assert embedder(server, batch_size=2).embed(list("abcdef"), "passage").shape == (6, 3)
    assert len(server.requests) == 4


def test_a_batch_that_is_too_large_for_the_server_is_halved() -> None:
    def strict(request: Request) -> Reply:
        return answer(request) if len(request.body["input"]) <= 3 else error(400, "batch size is at most 3")

    with ScriptedServer(strict) as server:
        assert embedder(server).embed(list("abcdefgh"), "passage").shape == (8, 3)


def rows(*vectors: object, **more: object) -> dict[str, object]:
    return {"data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)], **more}


def test_tokens_that_are_no_number_are_not_counted() -> None:
    with ScriptedServer(lambda request: Reply(rows([3.0, 4.0], usage={"total_tokens": "7"}))) as server:
        provider = embedder(server)
        assert provider.embed(["a"], "passage").tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]
        assert provider.usage == {"requests": 1, "tokens": 0}


@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (error(401, "bad key"), "OPENAI_API_KEY"),
        (error(404, "no such model"), "embedding.model"),
        (error(400, "nonsense"), "nonsense"),
        (embeddings([[1.0, 0.0, 0.0]]), "1 vectors for 2 texts"),
        (embeddings([[1.0, 0.0], [1.0, 0.0, 0.0]]), "dimensions"),
        (embeddings([[1.0, float("nan")], [1.0, 0.0]]), "not finite"),
        (embeddings([[0.0, 0.0], [1.0, 0.0]]), "zero"),
        (Reply(b"<html>"), "JSON"),
        (Reply({"data": None}), "0 vectors for 2 texts"),
        (Reply(b"null"), "endpoint"),
        (Reply(5), "0 vectors for 2 texts"),
        (Reply([]), "0 vectors for 2 texts"),
        (Reply({"data": 5}), "did not answer"),
        (Reply({"data": [5, 6]}), "did not answer"),
        (Reply(rows(None, [1.0])), "did not answer"),
        (Reply(rows([1.0], ["a"])), "did not answer"),
        (Reply(rows([None], [1.0])), "not finite"),
        (Reply(rows([10**400], [1.0])), "did not answer"),
        (Reply(rows("AACAPwAAAAA=", "AACAPwAAAAA=")), "text in place of vectors"),
    ],
)
def test_a_wrong_reply_is_one_clear_error_and_stores_nothing(tmp_path: Path, reply: Reply, says: str) -> None:
    with ScriptedServer(lambda request: reply) as server, EmbeddingCache(tmp_path / "cache.db") as cache:
        provider = embedder(server)
        with pytest.raises(ProviderError) as caught:
            CachedEmbedder(provider, cache).embed(["a", "b"], "passage")
        message = str(caught.value)
        assert says in message
        assert server.url in message
        assert caught.value.provider == "openai"
        assert cache.get([EmbeddingCache.key(provider.fingerprint, "passage", text) for text in "ab"]) == {}


def test_a_rate_limit_that_stays_is_an_error_that_names_the_way_out() -> None:
    with (
        ScriptedServer(lambda request: error(429, **{"retry-after-ms": "1"})) as server,
        pytest.raises(ProviderError, match="429"),
    ):
        embedder(server).embed(["a"], "passage")


def test_a_silent_server_is_a_timeout() -> None:
    with (
        ScriptedServer(lambda request: Reply({}, delay=0.6)) as server,
        pytest.raises(ProviderError, match=r"within 0\.1 s"),
    ):
        embedder(server, timeout=0.1).embed(["a"], "query")


def test_a_dead_server_is_named() -> None:
    with ScriptedServer() as server:
        provider = embedder(server)
    with pytest.raises(ProviderError, match=r"cannot be reached: check embedding\.base_url"):
        provider.embed(["a"], "query")


def test_hostile_texts_can_be_sent(server: ScriptedServer) -> None:
    assert embedder(server).embed(["", "\ud800"], "passage").shape == (2, 3)
    assert server.requests[0].body["input"] == [" ", "?"]


def test_keys_come_from_the_named_variable(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    embedder(server, api_key_env="MY_KEY").embed(["a"], "query")
    assert {k.lower(): v for k, v in server.requests[0].headers.items()}["authorization"] == "Bearer secret"


def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        build_embedder(EmbeddingConfig(provider="openai"))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("tiktoken is great!", 5),  # the example of its own documentation: 6 in cl100k
        ("", 0),
        ("antidisestablishmentarianism", 6),
        ("2 + 2 = 4", 5),
        ("检索增强生成", 8),
    ],
)
def test_token_estimates(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(st.text(), st.text())
def test_an_estimate_grows_with_the_text_and_never_exceeds_its_bytes_by_much(a: str, b: str) -> None:
    together = estimate_tokens(a + b)
    assert together >= max(estimate_tokens(a), estimate_tokens(b)) - 1
    assert together <= 1.25 * len((a + b).encode("utf-8", "replace")) + 1
