"""What one answer may still ask of language models: calls and tokens, admitted before each call is made.

A call is admitted with the tokens of its prompt, as the embedder counts them, and the most it may write; what is left
when it ends is given back. Calls on the way to the answer leave enough for the answer itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunking.errors import ProviderError
from graph.config import GenerationConfig, LimitsConfig
from graph.llms.base import Message
from graph.types import Usage

LEAST = 16
"""Tokens below which a reply is not worth asking for."""
INSTRUCTIONS = 600
"""Tokens of an answer's prompt beside its evidence, for what is kept for it."""
_PER_MESSAGE = 4
"""Tokens that delimit one message, as OpenAI's cookbook counts them."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A call that was admitted: its prompt, and the most it may write, in tokens."""

    prompt_tokens: int
    max_tokens: int


class Budget:
    """Of one answer; its calls may run side by side in one event loop."""

    def __init__(
        self, limits: LimitsConfig, generation: GenerationConfig, count_tokens: Callable[[Sequence[str]], list[int]]
    ) -> None:
        self._limits = limits
        self._count = count_tokens
        self._calls = 0
        self._tokens = 0
        answer = generation.evidence_tokens + INSTRUCTIONS + generation.max_tokens
        self._kept = 0 if limits.tokens is None else min(answer, limits.tokens // 2)

    def admit(self, messages: Sequence[Message], max_tokens: int, *, last: bool = False) -> Grant:
        """Count a call. `last` says that it writes the answer, for which the others keep one call and its tokens.

        Raises ProviderError, which names the limit to raise, where too little is left.
        """
        calls, tokens = self._limits.model_calls, self._limits.tokens
        if self._calls + (0 if last else 1) >= calls:
            kept = "" if last or self._calls >= calls else " but the one for the answer"
            raise _spent(f"{calls} model calls", "limits.model_calls", kept)
        granted = max_tokens
        prompt = 0
        if tokens is not None:
            prompt = sum(self._count([message["content"] for message in messages])) + _PER_MESSAGE * len(messages)
            granted = min(max_tokens, tokens - self._tokens - prompt - (0 if last else self._kept))
            # A question on the way is asked in full or not at all: half of an object cannot be read.
            if granted < (min(LEAST, max_tokens) if last else max_tokens):
                raise _spent(f"{tokens} tokens", "limits.tokens", "" if last else " but those for the answer")
        self._calls += 1
        self._tokens += prompt + granted
        return Grant(prompt, granted)

    def settle(self, grant: Grant, usage: Usage | None) -> None:
        """A call has ended: `usage` as the endpoint reports it; without one the whole grant counts as used."""
        used = usage.prompt_tokens + usage.completion_tokens if usage is not None else 0
        if used:
            self._tokens += used - grant.prompt_tokens - grant.max_tokens


def _spent(what: str, key: str, kept: str) -> ProviderError:
    return ProviderError(f"The answer's budget of {what} is spent{kept}: raise {key}.", provider="limits")
