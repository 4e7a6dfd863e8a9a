"""The `chunking` section of a pipeline file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator


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
    headings: bool = True
    """Put the title and heading path before the text when it is embedded and indexed."""
    keep_noise: bool = False
    """Index copyright lines, link farms and reference lists too."""

    @model_validator(mode="after")
    def _ordered(self) -> ChunkingConfig:
        if not self.min_tokens <= self.target_tokens <= self.max_tokens:
            raise ValueError("sizes must satisfy min_tokens <= target_tokens <= max_tokens")
        return self
