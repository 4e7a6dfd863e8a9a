"""The `chunking` section of a pipeline file."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

_BOUNDS = {
    "threshold": (-1, 1),
    "percentile": (0, 100),
    "stddev": (0, 10),
    "iqr": (0, 10),
    "gradient": (0, 100),
    "depth": (-10, 10),
    "optimal": (0, 100),
}
"""Lawful values of `threshold` for each method."""


class ChunkingConfig(BaseModel):
    """Sizes are tokens of the pipeline's embedder. Pipelines whose chunking and embedding agree share an index."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    strategy: str = "hybrid"
    """A key of `chunking.strategies.STRATEGIES`."""
    target_tokens: int = Field(default=200, ge=8, le=8192)
    """Size that whole units are packed up to."""
    min_tokens: int = Field(default=60, ge=0, le=4096)
    """Chunks below this are merged with a neighbour of the same section where one fits under the cap."""
    max_tokens: int = Field(default=480, ge=16, le=8192)
    """Cap on the embedded text (context and text together)."""
    overlap: int = Field(default=0, ge=0, le=4096)
    """Carried over from the chunk before: tokens for `fixed`, sentences for the other strategies."""
    parent_tokens: int = Field(default=0, ge=0, le=32_768)
    """Size of the parents that neighbouring chunks of a section share, over any strategy; 0 for none."""
    headings: bool = True
    """Put the title and heading path before the text when it is embedded and indexed."""
    keep_noise: bool = False
    """Index copyright lines, link farms and reference lists too."""

    breakpoint: Literal["threshold", "percentile", "stddev", "iqr", "gradient", "depth", "optimal"] = "depth"
    """semantic: how topic boundaries are told, see `chunking.strategies.breakpoints`."""
    threshold: float | None = Field(default=None, ge=-100, le=100)
    """semantic: the bound of that method; None takes the method's default."""
    window: int = Field(default=3, ge=1, le=5)
    """semantic: sentences on either side of a gap that are compared."""
    signal: Literal["embedding", "tfidf"] = "embedding"
    """semantic: sentence vectors of the pipeline's embedder, or TF-IDF ones that need no model."""

    only: Literal["long", "all"] = "long"
    """llm: ask the model only where the hybrid cut has to part a paragraph, or about everything."""

    @model_validator(mode="after")
    def _ordered(self) -> ChunkingConfig:
        if not self.min_tokens <= self.target_tokens <= self.max_tokens:
            raise ValueError("sizes must satisfy min_tokens <= target_tokens <= max_tokens")
        if 0 < self.parent_tokens < self.max_tokens:
            raise ValueError("parent_tokens must be 0 or at least max_tokens")
        low, high = _BOUNDS[self.breakpoint]
        if self.threshold is not None and not low <= self.threshold <= high:
            raise ValueError(f"threshold of {self.breakpoint} must lie between {low:g} and {high:g}")
        return self
