"""A sample of a suite that is the same on every machine and grows by adding."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from chunking.errors import ConfigError
from eval.questions import SuiteQuestion

STRATA = ("type", "lang", "answerable")


def stratified(
    questions: Sequence[SuiteQuestion], size: int | None, stratify: str | None, seed: int
) -> list[SuiteQuestion]:
    """`size` questions in the suite's order, strata in proportion (largest remainders), each with one at least.

    Within a stratum the choice follows a hash of seed and id, so that a larger sample holds most of a smaller one.
    Raises ConfigError for an unknown stratum or a size below one.
    """
    if stratify is not None and stratify not in STRATA:
        raise ConfigError(f"--stratify takes {', '.join(STRATA)}, not {stratify!r}.")
    if size is None or size >= len(questions):
        return list(questions)
    if size < 1:
        raise ConfigError("--sample takes a number of at least 1.")
    strata: dict[object, list[SuiteQuestion]] = {}
    for question in questions:
        strata.setdefault(getattr(question, stratify) if stratify else None, []).append(question)
    chosen: set[str] = set()
    for name, share in _shares({name: len(members) for name, members in strata.items()}, size).items():
        ranked = sorted(strata[name], key=lambda q: hashlib.sha256(f"{seed}\0{q.id}".encode()).digest())
        chosen.update(question.id for question in ranked[:share])
    return [question for question in questions if question.id in chosen]


def _shares(sizes: dict[object, int], total: int) -> dict[object, int]:
    whole = sum(sizes.values())
    exact = {name: size * total / whole for name, size in sizes.items()}
    shares = {name: int(value) for name, value in exact.items()}
    if total >= len(sizes):
        shares = {name: max(1, share) for name, share in shares.items()}
    order = sorted(sizes, key=lambda name: (-(exact[name] - int(exact[name])), str(name)))
    while sum(shares.values()) < total:
        name = next(n for n in order if shares[n] < sizes[n])
        shares[name] += 1
        order.append(order.pop(order.index(name)))
    while sum(shares.values()) > total:
        shares[max(shares, key=lambda n: (shares[n], str(n)))] -= 1
    return shares
