"""The `embedding`, `retrieval` and `rerank` sections of a pipeline file.

A provider `auto` is resolved by the front door from keys and extras at hand; `auto` never downloads.
Keys come from the environment only: OPENAI_API_KEY and OPENAI_BASE_URL, unless `api_key_env` names another.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

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


class StoreConfig(_Section):
    """Where the vectors are. Documents, chunks and word statistics are in the workspace whatever is chosen."""

    provider: str = "chroma"
    """A key of `retrieval.vectors.VECTOR_STORES`: chroma (embedded), chroma-server, qdrant."""
    url: str | None = None
    """chroma-server: its address. qdrant: of a server or cluster; without one, a folder of the workspace."""
    api_key_env: str | None = None
    """Variable with the server's key (CHROMA_API_KEY, QDRANT_API_KEY)."""
    shards: int | None = Field(default=None, ge=1, le=1000)
    """qdrant: shards of a collection, fixed when it is made."""
    replicas: int | None = Field(default=None, ge=1, le=100)
    """qdrant: copies of each shard."""
    write_consistency: int | None = Field(default=None, ge=1, le=100)
    """qdrant: copies that must have taken a write before it counts."""
    timeout: float = Field(default=30.0, gt=0, le=600)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.provider == "chroma-server" and not self.url:
            raise ValueError("chroma-server needs its address as url")
        if self.provider == "chroma" and self.url:
            raise ValueError("url is for chroma-server and qdrant; the embedded chroma has none")
        if self.provider != "qdrant" and (self.shards or self.replicas or self.write_consistency):
            raise ValueError("shards, replicas and write_consistency are for qdrant only")
        return self


class RetrievalConfig(_Section):
    collection: str = Field(default=DEFAULT_COLLECTION, min_length=1, max_length=64)
    """Searched where a question names none; a glob, `*` for every one."""
    dense: bool = True
    lexical: bool = True
    bm25: str = Field(default="okapi", pattern="^(okapi|l|plus)$")
    """rank-bm25's variant, a key of `retrieval.lexical.bm25.VARIANTS`."""
    candidates: int = Field(default=50, ge=1, le=1000)
    """Taken from each side before fusion."""
    top_k: int = Field(default=10, ge=1, le=200)
    """Handed on after fusion or reranking."""
    section_share: float = Field(default=0.5, ge=0, le=1)
    """Of a section's chunks, as `chunking.parent_tokens` cuts it: where so many of them are among the best `top_k`, the
    section is read in their place. 0: one is enough; 1: all of them. LlamaIndex's AutoMergingRetriever has .5."""
    fusion: Literal["convex", "rrf"] = "convex"
    """What orders the candidates of both sides: scores scaled to 0..1 and added, or reciprocal ranks."""
    rrf_k: int = Field(default=60, ge=0, le=10_000)
    """Cormack, Clarke & Buettcher 2009: score = sum of weight / (k + rank)."""
    dense_weight: float = Field(default=1.0, ge=0, le=100)
    lexical_weight: float = Field(default=1.0, ge=0, le=100)

    @model_validator(mode="after")
    def _searches(self) -> Self:
        if not (self.dense or self.lexical):
            raise ValueError("dense and lexical are both off: nothing would be searched, leave one of them on")
        return self


class RerankConfig(_Section):
    provider: str = "none"
    """`none`, `auto` or a key of `retrieval.rerankers.RERANKERS`: sentence, bge, http."""
    model: str | None = None
    """bge: model id or folder (BAAI/bge-reranker-v2-m3); http: the endpoint's name for it, if it asks for one."""
    base_url: str | None = None
    """http: what stands before /rerank (https://api.jina.ai/v1)."""
    protocol: str = Field(default="common", pattern="^(common|tei)$")
    """http: `common` sends query, documents and top_n; `tei` query and texts, as text-embeddings-inference wants."""
    api_key_env: str = "RERANK_API_KEY"
    """http: variable with the key, sent as a bearer token where it is set."""
    candidates: int = Field(default=30, ge=1, le=200)
    timeout: float = Field(default=10.0, gt=0, le=600)
