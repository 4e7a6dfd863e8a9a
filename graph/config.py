"""The `grading`, `rewrite`, `web`, `generation` and `limits` sections of a pipeline file."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GradingConfig(_Section):
    enabled: bool = True
    """Off: every question takes the `correct` route, as a plain RAG does; confidence is still computed."""
    upper: float = Field(default=0.5, ge=0, le=1)
    """Confidence at or above is `correct`."""
    lower: float = Field(default=0.3, ge=0, le=1)
    """Confidence below is `incorrect`; between the two, `ambiguous`."""
    strip_threshold: float = Field(default=0.5, ge=0, le=1)
    """Refinement drops sentences whose relevance, relative to the best one, is below this."""

    model: str | None = None
    """Language model that grades the passages too, in one call: `generation` for the one that writes the answers, or
    another's name at the same endpoint. None: the calibrated signals alone."""
    model_weight: float = Field(default=0.5, ge=0, le=1)
    """Share of the model's grade in the probability, see `graph.model_grader.pooled`."""
    model_passages: int = Field(default=8, ge=1, le=20)
    """Passages that it reads, the best ones."""

    @model_validator(mode="after")
    def _ordered(self) -> GradingConfig:
        if self.lower > self.upper:
            raise ValueError("lower must not exceed upper")
        return self


class RewriteConfig(_Section):
    attempts: int = Field(default=1, ge=0, le=5)
    """Rewritten searches before the web, or the refusal."""
    hops: int = Field(default=0, ge=0, le=5)
    """Further searches, side by side, where the evidence is not sure to be whole: for what a language model finds
    missing, or without one from the best passages. 0 never."""
    hop_below: float = Field(default=0.9, ge=0, le=1)
    """Confidence below which it does."""


class WebConfig(_Section):
    provider: str = "none"
    """`none`, `auto` or a key of `graph.web.WEB`: tavily, searxng."""
    max_results: int = Field(default=5, ge=1, le=20)
    include_domains: tuple[str, ...] = ()
    exclude_domains: tuple[str, ...] = ()
    time_range: Literal["day", "week", "month", "year"] | None = None
    """How old a page may be; None: of any age."""
    raw_content: bool = True
    """Read whole pages where the engine gives them, not its excerpts alone."""
    cache_hours: float = Field(default=24.0, ge=0, le=8760)
    """How long a search is answered from the workspace's cache; 0 never."""
    cache_megabytes: int = Field(default=64, ge=1, le=10_000)
    """Of pages kept there; the oldest searches make room."""
    base_url: str | None = None
    timeout: float = Field(default=10.0, gt=0, le=120)


class GenerationConfig(_Section):
    provider: str = "auto"
    """`auto` or a key of `graph.llms.LLMS`: extractive, openai."""
    model: str | None = None
    """openai: model name; falls back to CRAG_CHAT_MODEL."""
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    temperature: float = Field(default=0.0, ge=0, le=2)
    max_tokens: int = Field(default=800, ge=16, le=32_768)
    evidence_tokens: int = Field(default=1500, ge=64, le=100_000)
    """Budget of the passages handed to generation."""
    max_sentences: int = Field(default=5, ge=1, le=20)
    """extractive: sentences quoted at most; at most three where one fact is asked for."""
    timeout: float = Field(default=60.0, gt=0, le=600)


class LimitsConfig(_Section):
    """Of one answer. What they cut is named in `degraded`."""

    deadline: float = Field(default=120.0, gt=0, le=3600)
    """Seconds, all nodes together."""
    model_calls: int = Field(default=20, ge=0, le=1000)
    """Questions to language models, the answer included; 0: none is asked, and answers are quotes."""
    tokens: int | None = Field(default=None, ge=1)
    """Tokens of all model calls together, prompts included; None: as many as the sections above allow."""
