"""How closely a sentence meets a question, token by token: late interaction with the embedder's own states.

A vector says what a sentence is about; whether it holds what is asked shows in the question's rarer tokens, one of
which finds nothing like it in a near miss. Each of them takes its best cosine in the sentence (MaxSim: Khattab &
Zaharia, ColBERT, SIGIR 2020), squashed around a soft match (kernel pooling: Xiong et al., K-NRM, SIGIR 2017).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from retrieval.embedders.base import TokenReader, TokenStates
from retrieval.types import Hit

MATCH, SHARPNESS = 0.55, 15.0
"""Cosine of centred states at which a token counts half, and the slope there. Chosen on questions of five
public sets; between .5 and .6, and 10 and 25, the grading's AUC moves by .003."""
COMMON = 7.0
"""Nats: tokens of this information or less (of, is, 的) weigh next to nothing."""
LONGEST = 300
"""Characters of a sentence and its context that are read, runs of blanks counted as one: tables are full of them."""
_CONTEXT = 100
"""Characters of title and headings that are read with a sentence, the nearest ones."""


def under_headings(hit: Hit, text: str, *nearer: str) -> str:
    """A text of a passage below its title, the passage's headings and those `nearer` to it, each named once."""
    above = (hit.document.title, *hit.chunk.heading_path, *nearer)
    return " > ".join(dict.fromkeys(part for part in above if part))[-_CONTEXT:] + "\n" + text


def read_text(text: str) -> str:
    """What of a text is read: its first `LONGEST` characters, runs of blanks as one."""
    return re.sub(r"\s+", " ", text)[:LONGEST]


def matched_shares(question: str, texts: Sequence[str], reader: TokenReader) -> list[float]:
    """For each text the share of the question's information, 0 to 1, that it matches. Blocking."""
    asked = reader.token_states([question], "query")[0]
    states = reader.token_states([read_text(text) for text in texts], "passage")
    return [_share(asked, read) for read in states]


def _share(asked: TokenStates, read: TokenStates) -> float:
    if not len(asked.states) or not len(read.states):
        return 0.0
    best = np.asarray((asked.states @ read.states.T).max(axis=1), np.float64)
    weight = np.maximum(np.asarray(asked.information, np.float64) - COMMON, 0.01)
    return float(weight @ (1 / (1 + np.exp(-SHARPNESS * (best - MATCH)))) / weight.sum())
