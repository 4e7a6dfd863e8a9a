"""How a run is made."""

from __future__ import annotations

import math
from dataclasses import dataclass

from chunking.errors import ConfigError


@dataclass(frozen=True)
class RunOptions:
    """What `crag eval run` takes. Raises ConfigError for a number out of bounds."""

    repeat: int = 1
    """Times that every question is asked."""
    sample: int | None = None
    stratify: str | None = "type"
    """Sampled in proportion by type, lang or answerable; None: at random."""
    seed: int = 0
    metrics: tuple[str, ...] | None = None
    """Names or groups; None: everything that can be measured but the costly ones."""
    concurrency: int = 4
    """Questions asked, and answers scored, at a time; the judge has its own limit for calls."""
    allow_missing_evidence: bool = False
    """Run although spans of the suite are not in its documents: their questions are scored by those that are."""
    question_timeout: float = 300.0
    """Seconds for one answer."""
    max_cost: float | None = None
    """Dollars for the whole run folder, answers and judge, resumed ones included."""
    resume: bool = False
    retry_errors: bool = False
    """With resume: ask and judge again what failed."""
    rescore: bool = False
    """With resume: keep the answers, drop their scores."""
    round: int = 0
    """Another number has the judge asked anew rather than served from its cache."""

    def __post_init__(self) -> None:
        for name, low, high in (("repeat", 1, 100), ("concurrency", 1, 256)):
            if not low <= getattr(self, name) <= high:
                raise ConfigError(f"--{name} takes a number from {low} to {high}.")
        if self.max_cost is not None and not 0 <= self.max_cost < math.inf:
            raise ConfigError("--max-cost takes dollars, at least 0.")
        if (self.retry_errors or self.rescore) and not self.resume:
            raise ConfigError("--retry-errors and --rescore go with --resume.")
