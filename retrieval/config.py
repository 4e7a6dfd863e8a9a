"""The `embedding`, `retrieval` and `rerank` sections of a pipeline file.

A provider `auto` is resolved by the front door from keys and extras at hand; `auto` never downloads.
Keys come from the environment only: OPENAI_API_KEY and OPENAI_BASE_URL, unless `api_key_env` names another.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from retrieval.types import DEFAULT_COLLECTION


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EmbeddingConfig(_Section):
    provider: str = "auto"
    """`auto` or a key of `retrieval.embedders.EMBEDDERS`: local, openai, bge."""
    model: str | None = None
    """openai: model name (text-embedding-3-small); bge: model id or folder (BAAI/bge-m3)."""
    dimensions: int | None = Field(default=None, ge=1, le=8192)
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    precision: str = Field(default="int8", pattern="^(int8|fp32)$")
    """local only: int8 is some 2.5 times faster, fp32 is closest to the original weights."""
    batch_size: int = Field(default=64, ge=1, le=2048)
    timeout: float = Field(default=30.0, gt=0, le=600)


class RetrievalConfig(_Section):
    collection: str = Field(default=DEFAULT_COLLECTION, min_length=1, max_length=64)
    """Searched where a question names none; a glob, `*` for every one."""
    dense: bool = True
    lexical: bool = True
    candidates: int = Field(default=50, ge=1, le=1000)
    """Taken from each side before fusion."""
    top_k: int = Field(default=10, ge=1, le=200)
    """Handed on after fusion or reranking."""
    rrf_k: int = Field(default=60, ge=0, le=10_000)
    """Cormack, Clarke & Buettcher 2009: score = sum of weight / (k + rank)."""
    dense_weight: float = Field(default=1.0, ge=0, le=100)
    lexical_weight: float = Field(default=1.0, ge=0, le=100)


class RerankConfig(_Section):
    provider: str = "none"
    """`none`, `auto` or a key of `retrieval.rerankers.RERANKERS`: sentence, bge."""
    model: str | None = None
    """bge: model id or folder (BAAI/bge-reranker-v2-m3)."""
    candidates: int = Field(default=30, ge=1, le=200)
    timeout: float = Field(default=10.0, gt=0, le=600)
