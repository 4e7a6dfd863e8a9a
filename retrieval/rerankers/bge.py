"""BGE rerankers through FlagEmbedding, by model id or folder: cross-encoders and the decoder-only variants."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunking.errors import ProviderError
from retrieval import checkpoints
from retrieval.config import RerankConfig
from retrieval.embedders.base import Embedder
from retrieval.rerankers.base import Reranker
from retrieval.types import Hit

DEFAULT_MODEL = "BAAI/bge-reranker-v2-m3"
_WINDOW = 1024
"""Question and chunk together; the model cards' limit for good results of the v2 models."""
_BATCH = 32
_LAYERS: dict[str, dict[str, Any]] = {
    "bge-reranker-v2-minicpm-layerwise": {"cutoff_layers": [28]},
    "bge-reranker-v2.5-gemma2-lightweight": {"cutoff_layers": [28], "compress_ratio": 2, "compress_layers": [24, 40]},
}
"""Where to stop, from the model cards' examples."""


class BGEReranker:
    """Score: the sigmoid of the model's logit, a relevance in (0, 1) that compares across questions.

    One call at a time: a tokenizer's truncation setting is shared state. Raises ProviderError.
    """

    def __init__(self, model: Any, identifier: str) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._window = checkpoints.window(model.model, model.tokenizer, _WINDOW)
        self.name = f"bge ({checkpoints.checkpoint_name(identifier)})"
        self.fingerprint = f"{self.name}-{checkpoints.checkpoint_hash(identifier)}"

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        if not hits:
            return []
        texts = [
            text.encode("utf-8", "replace").decode() for text in [question, *(h.chunk.embedded_text for h in hits)]
        ]
        logits = self._logits([(texts[0], text) for text in texts[1:]])
        # Ranked by logit: the sigmoid of two sure passages may round to the same number.
        scores = np.exp(-np.logaddexp(np.float32(0), -logits))
        order = sorted(range(len(hits)), key=lambda i: (-logits[i], i))
        return [hits[i].at_stage("rerank", float(scores[i]), rank) for rank, i in enumerate(order, 1)]

    def _logits(self, pairs: list[tuple[str, str]]) -> np.ndarray[Any, np.dtype[np.float32]]:
        try:
            with self._lock:
                # A part stays below the batch size that it names: at or above, FlagEmbedding draws progress bars.
                parts = [
                    self._model.compute_score(
                        pairs[i : i + _BATCH],
                        batch_size=_BATCH + 1,
                        max_length=self._window,
                        query_max_length=self._window // 2,
                    )
                    for i in range(0, len(pairs), _BATCH)
                ]
        except Exception as error:
            raise self._broken(f"failed ({type(error).__name__}: {error})") from error
        logits = np.concatenate([np.ravel(np.asarray(part, np.float32)) for part in parts])
        if len(logits) != len(pairs) or not np.isfinite(logits).all():
            raise self._broken("returned scores that are not one finite number a passage")
        return logits

    def _broken(self, what: str) -> ProviderError:
        return ProviderError(f"The reranker {self.name} {what}: check rerank.model.", provider="bge")


def build_bge(config: RerankConfig, *, embedder: Embedder) -> Reranker:
    """Raises MissingExtraError without the extra and ConfigError where the model cannot be loaded."""
    identifier = config.model or DEFAULT_MODEL

    def load() -> Any:
        from FlagEmbedding import FlagLLMReranker, FlagReranker
        from FlagEmbedding.inference.reranker.model_mapping import AUTO_RERANKER_MAPPING

        device = checkpoints.device()
        name = checkpoints.checkpoint_name(identifier)
        options = {"use_fp16": device.startswith("cuda"), "devices": device, **_LAYERS.get(name, {})}
        if known := AUTO_RERANKER_MAPPING.get(name):
            return known.model_class(identifier, trust_remote_code=known.trust_remote_code, **options)
        return (FlagLLMReranker if _is_decoder(identifier) else FlagReranker)(identifier, **options)

    return BGEReranker(checkpoints.load_checkpoint(identifier, "the reranker bge", load), identifier)


def _is_decoder(identifier: str) -> bool:
    folder = checkpoints.local_folder(identifier)
    if folder is None:
        return False
    architectures = json.loads((folder / "config.json").read_text(encoding="utf-8")).get("architectures") or []
    return any(str(name).endswith("ForCausalLM") for name in architectures)
