"""The network of `retrieval.embedders.e5.answers` as it is trained: in torch, over padded batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from retrieval.embedders.e5.answers import COMMON, HEADS, LOOK, PROJECTED, RARE, Reading, echoed

HIDDEN, DIMENSION, WIDTH, DEPTHS, ECHOES, DROPOUT = 384, 48, 64, 2, 2, 0.25
LONGEST = 160
"""Tokens of a sentence that training reads; the few that are longer end there."""


class Batch(NamedTuple):
    """Pairs of a question and a sentence, padded: states (pairs, tokens, depths * hidden), which tokens there are
    (pairs, tokens), and of the question's tokens their information and echoes (`answers.echoed`)."""

    question: Tensor
    asked: Tensor
    information: Tensor
    echoes: Tensor
    text: Tensor
    read: Tensor


class Network(nn.Module):
    """`retrieval.embedders.e5.answers.AnswerNetwork` over padded batches, with dropout."""

    def __init__(self) -> None:
        super().__init__()
        wide = HIDDEN * DEPTHS
        self.query = nn.Linear(wide, DIMENSION * HEADS, bias=False)
        self.key = nn.Linear(wide, DIMENSION * HEADS, bias=False)
        self.read, self.asked = nn.Linear(wide, DIMENSION), nn.Linear(wide, DIMENSION)
        self.nearness = nn.Parameter(torch.full((DEPTHS,), 12.0 / DEPTHS))
        self.matched_at = nn.Parameter(torch.full((DEPTHS,), 0.55))
        self.sharpness = nn.Parameter(torch.full((DEPTHS,), 15.0))
        features = 3 * DIMENSION + DIMENSION * HEADS + HEADS + DEPTHS + 2 * (DEPTHS + ECHOES) + 1
        gelu, drop = nn.GELU(approximate="tanh"), nn.Dropout(DROPOUT)
        self.compare = nn.Sequential(nn.Linear(features, WIDTH), gelu, drop, nn.Linear(WIDTH, WIDTH), gelu)
        self.choose = nn.Linear(WIDTH, 1)
        self.judge = nn.Sequential(nn.Linear(3 * WIDTH + 2 * (DEPTHS + ECHOES), WIDTH), gelu, drop, nn.Linear(WIDTH, 1))
        self.drop = drop

    def forward(self, batch: Batch) -> Tensor:
        """Log odds, shape (pairs,)."""
        q, asked, information, echoes, p, read = batch
        pairs, tokens = q.shape[:2]
        split = [x.unflatten(-1, (DEPTHS, HIDDEN)).transpose(1, 2) for x in (q, p)]
        cosines = (split[0] @ split[1].transpose(-1, -2)).masked_fill(~read[:, None, None, :], -1)
        nearest = cosines.amax(-1).transpose(1, 2)
        beside = torch.softmax((cosines * self.nearness[:, None, None]).sum(1).masked_fill(~read[:, None, :], -1e4), -1)
        q, p = self.drop(q), self.drop(p)
        own, others = PROJECTED * self.asked(q), PROJECTED * self.read(p)
        beside = beside @ others
        heads = [
            linear(x).unflatten(-1, (HEADS, DIMENSION)).transpose(1, 2)
            for linear, x in ((self.query, q), (self.key, p))
        ]
        look = (LOOK * heads[0] @ heads[1].transpose(-1, -2)).masked_fill(~read[:, None, None, :], -1e4)
        seen = (torch.softmax(look, -1) @ others[:, None]).transpose(1, 2).reshape(pairs, tokens, -1)
        match = torch.cat([torch.sigmoid(self.sharpness * (nearest - self.matched_at)), echoes], -1)
        weight = (information - COMMON).clamp(min=0)[..., None] / RARE
        there = asked[..., None]
        compared = self.compare(
            torch.cat(
                [
                    own,
                    beside,
                    own * beside,
                    seen,
                    look.amax(-1).transpose(1, 2).tanh(),
                    nearest,
                    match,
                    weight,
                    weight * match,
                ],
                -1,
            )
        )
        chosen = (torch.softmax(self.choose(compared).masked_fill(~there, -1e4), 1) * compared).sum(1)
        mean = (compared * there).sum(1) / there.sum(1)
        share = (weight * match * there).sum(1) / ((weight * there).sum(1) + 1e-6)
        missed = ((1 - match) * weight * there).amax(1)
        highest = compared.masked_fill(~there, -1e4).amax(1)
        found: Tensor = self.judge(torch.cat([mean, highest, chosen, share, missed], -1))[:, 0]
        return found


def padded(readings: Sequence[Reading]) -> tuple[Tensor, Tensor, Tensor]:
    """States, which tokens there are, and information."""
    tokens = max(1, *(min(LONGEST, len(one.information)) for one in readings))
    states = np.zeros((len(readings), tokens, HIDDEN * DEPTHS), np.float32)
    there, information = np.zeros((len(readings), tokens), bool), np.zeros((len(readings), tokens), np.float32)
    for row, one in enumerate(readings):
        count = min(LONGEST, len(one.information))
        states[row, :count] = np.concatenate(one.depths, axis=1)[:count]
        there[row, :count], information[row, :count] = True, one.information[:count]
    there[:, 0] = True
    return torch.from_numpy(states), torch.from_numpy(there), torch.from_numpy(information)


def batched(pairs: Sequence[tuple[Reading, Reading]]) -> Batch:
    states, asked, information = padded([question for question, _ in pairs])
    echoes = np.zeros((*asked.shape, ECHOES), np.float32)
    for row, (question, text) in enumerate(pairs):
        own = echoed(question.tokens, text.tokens)[:LONGEST]
        echoes[row, : len(own)] = own
    text, read, _ = padded([text for _, text in pairs])
    return Batch(states, asked, information, torch.from_numpy(echoes), text, read)
