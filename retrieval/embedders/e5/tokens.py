"""The tokens of a text in context: what late interaction compares (Khattab & Zaharia, ColBERT, SIGIR 2020)."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Executor
from functools import cached_property
from typing import Any

import numpy as np

from retrieval.embedders.base import Role, TokenStates, Vectors
from retrieval.embedders.e5.answers import Reading, answer_network
from retrieval.embedders.e5.smoothing import TEXTS

POSITIONS = 512
BOS, EOS = 0, 2
PREFIX: dict[Role, str] = {"query": "query: ", "passage": "passage: "}


class E5TokenReader:
    """States less their mean over `TEXTS`: all of e5's states point one way, and the mean is what they share.

    The latest texts stay in memory, `_KEPT` tokens of them (3 KB each), because a question's best sentences are read
    when it is reranked and graded, when the answer is chosen, and by the next question about the same passage.
    """

    _KEPT = 24_000

    def __init__(self, session: Any, tokenizer: Any, pool: Executor) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._pool = pool
        self._kept: OrderedDict[tuple[Role, str], Reading] = OrderedDict()
        self._held = 0
        self._lock = threading.Lock()

    def token_states(self, texts: Sequence[str], role: Role) -> list[TokenStates]:
        return [TokenStates(one.depths[0], one.information) for one in self.read(texts, role)]

    def answer_chances(self, question: str, texts: Sequence[str]) -> list[float]:
        (asked,) = self.read([question], "query")
        network = answer_network()
        return [1 / (1 + math.exp(-network.log_odds(asked, one))) for one in self.read(texts, "passage")]

    def read(self, texts: Sequence[str], role: Role) -> list[Reading]:
        with self._lock:
            known = {text: self._kept[role, text] for text in texts if (role, text) in self._kept}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        skip = len(self._encode(PREFIX[role].rstrip()))
        read = self._pool.map(lambda text: self._read(PREFIX[role] + text, skip), missing)
        known.update(zip(missing, read, strict=True))
        with self._lock:
            for text in dict.fromkeys(texts):
                before = self._kept.pop((role, text), None)
                self._kept[role, text] = known[text]
                self._held += len(known[text].tokens) - (len(before.tokens) if before else 0)
            while self._held > self._KEPT and len(self._kept) > 1:
                self._held -= len(self._kept.popitem(last=False)[1].tokens)
        return [known[text] for text in texts]

    @cached_property
    def _means(self) -> list[Vectors]:
        """Of the states of all tokens of `TEXTS`, which carry their prefixes, at each depth."""
        read = [self._states(self._encode(text)) for text in TEXTS]
        return [np.asarray(np.concatenate(states).mean(axis=0)) for states in zip(*read, strict=True)]

    def _read(self, text: str, skip: int) -> Reading:
        ids = self._encode(text)
        last, middle = (
            _unit(states[skip:] - mean) for states, mean in zip(self._states(ids), self._means, strict=True)
        )
        information = np.array([-self._tokenizer.get_score(token) for token in ids[skip:]], np.float32)
        return Reading((last, middle), tuple(ids[skip:]), information)

    def _states(self, ids: list[int]) -> list[Vectors]:
        tokens = np.array([[BOS, *ids, EOS]], np.int64)
        return [states[0, 1:-1] for states in self._session.run(["states", "middle"], {"ids": tokens})]

    def _encode(self, text: str) -> list[int]:
        # Bytes, because a lone surrogate (legal in JSON) cannot be encoded strictly.
        ids: list[int] = self._tokenizer.encode(text.encode("utf-8", "replace"))
        return ids[: POSITIONS - 2]


def _unit(states: Vectors) -> Vectors:
    return np.asarray(states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9))
