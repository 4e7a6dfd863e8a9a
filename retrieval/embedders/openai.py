"""Embeddings of any OpenAI-compatible endpoint: OpenAI, DashScope, SiliconFlow, Ollama, vLLM and the like."""

from __future__ import annotations

import math
import os
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.errors import ConfigError, ProviderError, code_of_status
from retrieval.config import EmbeddingConfig
from retrieval.embedders.base import Embedder, Role, Vectors

if TYPE_CHECKING:
    import openai

_DEFAULT_MODEL = "text-embedding-3-small"
_WINDOW = 8191
"""Tokens that OpenAI's models read; common open models served this way read as much."""
_REQUEST_TOKENS = 100_000
"""Tokens of one request by our estimate: a third of what OpenAI accepts."""
_CONCURRENCY = 4
_RETRIES: dict[Role, int] = {"query": 1, "passage": 4}
"""A person waits for a question; an ingest can wait."""
_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}

_UNITS = re.compile(r"(?P<word>[A-Za-z]+)|(?P<digits>\d+)|(?P<mark>[^\w\s])|(?P<break>\n+)|(?P<other>[^\W\dA-Za-z]|_)")


def estimate_tokens(text: str) -> int:
    """Tokens of a text for a byte-pair vocabulary that is not at hand, on the high side.

    A Latin word costs one token per five letters, digits one per three (both as cl100k cuts them at worst in prose),
    a mark or a run of line breaks one, and a character of any other script 1.25: cl100k's mean over Chinese text.
    """
    latin = others = 0
    for match in _UNITS.finditer(text):
        length = match.end() - match.start()
        if match.lastgroup == "word":
            latin += -(-length // 5)
        elif match.lastgroup == "digits":
            latin += -(-length // 3)
        elif match.lastgroup == "other" or not match.group().isascii():
            others += 1
        else:
            latin += 1
    return latin + math.ceil(1.25 * others)


class OpenAIEmbedder:
    """Unit vectors over HTTP, in batches bounded by count and tokens, a few at a time.

    The client retries each request alone, honouring Retry-After. The fingerprint names model and dimensions, not
    the endpoint: the same model served elsewhere gives the same vectors. `usage` counts tokens and requests.
    """

    max_tokens = _WINDOW

    def __init__(self, client: openai.OpenAI, config: EmbeddingConfig) -> None:
        self._client = client
        self._config = config
        self._model = config.model or _DEFAULT_MODEL
        self.endpoint = str(client.base_url).rstrip("/")
        self._dimension = config.dimensions or _DIMENSIONS.get(self._model)
        self._lock = threading.Lock()
        self.name = f"openai ({self._model})"
        self.fingerprint = f"openai-{self._model}-{config.dimensions or 'native'}"
        self.usage = {"requests": 0, "tokens": 0}

    @property
    def dimension(self) -> int:
        """Of a model that is not known by name: learned from a first call."""
        if self._dimension is None:
            self.embed(["dimension"], "query")
        assert self._dimension is not None
        return self._dimension

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [estimate_tokens(text) for text in texts]

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        # An empty text is refused by OpenAI; a lone surrogate cannot be sent.
        clean = [text.encode("utf-8", "replace").decode() or " " for text in texts]
        batches = list(self._batches(clean))
        client = self._client.with_options(max_retries=_RETRIES[role])
        if len(batches) <= 1:
            parts = [self._request(client, batch) for batch in batches]
        else:
            with ThreadPoolExecutor(_CONCURRENCY, thread_name_prefix="embed") as pool:
                parts = list(pool.map(lambda batch: self._request(client, batch), batches))
        return np.concatenate(parts) if parts else np.zeros((0, self.dimension), np.float32)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        batch: list[str] = []
        tokens = 0
        for text in texts:
            count = estimate_tokens(text)
            if batch and (len(batch) == self._config.batch_size or tokens + count > _REQUEST_TOKENS):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += count
        if batch:
            yield batch

    def _request(self, client: openai.OpenAI, texts: list[str]) -> Vectors:
        import openai

        options: dict[str, Any] = {"dimensions": self._config.dimensions} if self._config.dimensions else {}
        try:
            # Floats, because not every server speaks the client's default of base64.
            reply = client.embeddings.create(model=self._model, input=texts, encoding_format="float", **options)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if len(texts) == 1:
                raise self._failure(error) from error
            # Servers cap a batch at ten, sixteen or what memory they have: halve until it fits.
            middle = len(texts) // 2
            return np.concatenate([self._request(client, texts[:middle]), self._request(client, texts[middle:])])
        except openai.OpenAIError as error:
            raise self._failure(error) from error
        except ValueError as error:
            raise self._wrong("did not answer in JSON") from error
        except (TypeError, AttributeError, OverflowError) as error:  # of the client, over JSON of another shape
            raise self._wrong("did not answer with a list of vectors") from error
        # What the client makes of a page in place of JSON.
        if isinstance(reply, str):
            raise self._wrong("did not answer in JSON")
        # The client checks no shape: anything may stand anywhere.
        tokens = getattr(getattr(reply, "usage", None), "total_tokens", 0)
        with self._lock:
            self.usage["requests"] += 1
            self.usage["tokens"] += tokens if isinstance(tokens, int) else 0
        try:
            return self._checked(getattr(reply, "data", None) or [], len(texts))
        except (TypeError, ValueError, AttributeError, OverflowError) as error:
            raise self._wrong("did not answer with a list of vectors") from error

    def _checked(self, data: Sequence[Any], count: int) -> Vectors:
        if sorted(item.index for item in data) != list(range(count)):
            raise self._wrong(f"returned {len(data)} vectors for {count} texts")
        rows = [item.embedding for item in sorted(data, key=lambda item: int(item.index))]
        if any(isinstance(row, str) for row in rows):
            raise self._wrong("returned text in place of vectors (of encoding_format float)")
        sizes = {len(row) for row in rows}
        with self._lock:
            expected = self._dimension or len(rows[0])
            if sizes == {expected}:
                self._dimension = expected
        if sizes != {expected}:
            raise self._wrong(f"returned vectors of {sorted(sizes)} dimensions instead of {expected}")
        vectors = np.array(rows, dtype=np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(norms) & (norms > 0)).all():
            raise self._wrong("returned a vector that is zero or not finite")
        return np.asarray(vectors / norms, np.float32)

    def _wrong(self, what: str) -> ProviderError:
        message = f"The embedding endpoint {self.endpoint} {what}: check embedding.model ({self._model})"
        return ProviderError(f"{message} and embedding.dimensions.", provider="openai", code="bad_reply")

    def _failure(self, error: openai.OpenAIError) -> ProviderError:
        import openai

        config, code = self._config, "bad_reply"
        advice = "check the endpoint's log."
        if isinstance(error, openai.APITimeoutError):
            what, advice = f"gave no answer within {config.timeout:g} s", "raise embedding.timeout or check the server."
            code = "timeout"
        elif isinstance(error, openai.APIConnectionError):
            what, code = "cannot be reached", "unreachable"
            advice = "check embedding.base_url (or OPENAI_BASE_URL) and that the server runs."
        elif isinstance(error, openai.APIStatusError):
            what, code = f"answered {error.status_code} ({error.message})", code_of_status(error.status_code)
            advice = {
                401: f"check the key in {config.api_key_env}.",
                403: f"check what the key in {config.api_key_env} may use.",
                404: f"check embedding.base_url and embedding.model ({self._model}).",
                429: "wait, or lower embedding.batch_size, or raise the account's limit.",
            }.get(error.status_code, f"check embedding.model ({self._model}) and the endpoint's log.")
        else:
            what = f"sent an unreadable reply ({error})"
        return ProviderError(f"The embedding endpoint {self.endpoint} {what}: {advice}", provider="openai", code=code)


def build_openai(config: EmbeddingConfig) -> Embedder:
    """Raises ConfigError where the key is missing for OpenAI itself; other endpoints may need none."""
    import openai

    base_url = config.base_url or os.environ.get("OPENAI_BASE_URL")
    key = os.environ.get(config.api_key_env)
    if not key and not base_url:
        raise ConfigError(
            f"the embedder openai needs a key: set {config.api_key_env}, or embedding.base_url to a keyless server."
        )
    client = openai.OpenAI(api_key=key or "none", base_url=base_url, timeout=config.timeout)
    return OpenAIEmbedder(client, config)
