"""One verb: `Embedder.embed`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Role = Literal["query", "passage"]
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class TokenStates:
    """The tokens of one text, without special tokens and role prefix."""

    states: Vectors
    """Unit rows, shape (tokens, dimension)."""
    information: Vectors
    """How rare each token is: minus the log of its probability in the model's vocabulary, in nats."""


class TokenReader(Protocol):
    def token_states(self, texts: Sequence[str], role: Role) -> list[TokenStates]:
        """The tokens of each text in context, as far as the model reads. Thread-safe."""
        ...

    def answer_chances(self, question: str, texts: Sequence[str]) -> list[float]:
        """For each text the chance, 0 to 1, that it answers the question, as a network judges that has learned on the
        states. Not calibrated: it has seen more near misses than people ask. Thread-safe."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors.

    `fingerprint` names everything that changes a vector (provider, model, dimension, precision,
    prefixes); vectors of different fingerprints are never mixed.
    """

    name: str
    fingerprint: str
    max_tokens: int
    """Longest text that is read whole, in the tokens of `count_tokens`."""

    @property
    def dimension(self) -> int: ...

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        """Unit vectors, float32, shape (len(texts), dimension). Thread-safe. Raises ProviderError."""
        ...

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text without special tokens and role prefix."""
        ...


def token_reader(embedder: Embedder) -> TokenReader | None:
    """What reads texts token by token with the embedder's own model; None for one that only gives vectors."""
    reader: TokenReader | None = getattr(embedder, "tokens", None)
    return reader


def called(embedder: Embedder) -> str:
    """What a message calls it: its endpoint where it has one, for that is what its owner looks at."""
    endpoint: str | None = getattr(embedder, "endpoint", None)
    return f"embedding endpoint {endpoint}, {embedder.name}," if endpoint else f"embedder {embedder.name}"
