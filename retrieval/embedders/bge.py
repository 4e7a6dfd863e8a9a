"""BGE and its relatives through FlagEmbedding, by model id or folder."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from chunking.errors import ProviderError
from retrieval import checkpoints
from retrieval.config import EmbeddingConfig
from retrieval.embedders.base import Embedder, Role, Vectors

DEFAULT_MODEL = "BAAI/bge-m3"
_WINDOW = 8192
_V1 = re.compile(r"bge-(?:small|base|large)-(en|zh)\b")
_INSTRUCTIONS = {
    "en": "Represent this sentence for searching relevant passages: ",
    "zh": "为这个句子生成表示以用于检索相关文章：",
}
"""From the model cards of bge-{small,base,large}-{en,zh} and their v1.5; bge-m3 takes none."""
_TASK = "Given a web search query, retrieve relevant passages that answer the query."
"""From the cards of the decoder-only embedders; FlagEmbedding knows each one's way to frame it."""


def query_instruction(name: str) -> str | None:
    """What the model card puts before a question."""
    from FlagEmbedding.inference.embedder.model_mapping import AUTO_EMBEDDER_MAPPING

    if match := _V1.search(name):
        return _INSTRUCTIONS[match.group(1)]
    known = AUTO_EMBEDDER_MAPPING.get(name)
    return _TASK if known is not None and known.query_instruction_format != "{}{}" else None


class BGEEmbedder:
    """Unit vectors of a FlagEmbedding model, in float32 on a CPU and float16 on a GPU.

    One call at a time: a tokenizer's truncation setting is shared state. Raises ProviderError.
    """

    def __init__(self, model: Any, config: EmbeddingConfig, identifier: str) -> None:
        self._model = model
        self._batch_size = config.batch_size
        self._lock = threading.Lock()
        encoder = getattr(model.model, "model", model.model)
        self._window = checkpoints.window(encoder, model.tokenizer, _WINDOW)
        instruction = model.query_instruction_for_retrieval or ""
        self.name = f"bge ({checkpoints.checkpoint_name(identifier)})"
        self.dimension = config.dimensions or int(encoder.config.hidden_size)
        half = "-fp16" if model.use_fp16 else ""
        self.fingerprint = f"{self.name}-{checkpoints.checkpoint_hash(identifier)}-{self.dimension}{half}"
        special = int(model.tokenizer.num_special_tokens_to_add())
        self.max_tokens = self._window - special - self.count_tokens([instruction])[0]

    def embed(self, texts: Sequence[str], role: Role) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        encode = self._model.encode_queries if role == "query" else self._model.encode_corpus
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        try:
            with self._lock:
                # A part stays below the batch size that it names: at or above, FlagEmbedding draws progress bars.
                parts = [
                    encode(clean[i : i + self._batch_size], batch_size=self._batch_size + 1, max_length=self._window)
                    for i in range(0, len(clean), self._batch_size)
                ]
        except Exception as error:
            raise self._broken(f"failed ({type(error).__name__}: {error})") from error
        vectors = np.concatenate([part["dense_vecs"] if isinstance(part, dict) else part for part in parts])
        vectors = vectors.astype(np.float32)
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if vectors.shape != (len(texts), self.dimension) or not (np.isfinite(norms) & (norms > 0)).all():
            raise self._broken("returned vectors that are misshapen, zero or not finite")
        return np.asarray(vectors / norms, np.float32)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        with self._lock:
            ids = self._model.tokenizer(clean, add_special_tokens=False, verbose=False)["input_ids"] if clean else []
        return [len(tokens) for tokens in ids]

    def _broken(self, what: str) -> ProviderError:
        return ProviderError(f"The embedder {self.name} {what}: check embedding.model.", provider="bge")


def build_bge(config: EmbeddingConfig) -> Embedder:
    """Raises MissingExtraError without the extra and ConfigError where the model cannot be loaded."""
    identifier = config.model or DEFAULT_MODEL

    def load() -> Any:
        from FlagEmbedding import BGEM3FlagModel, FlagModel
        from FlagEmbedding.inference.embedder.model_mapping import AUTO_EMBEDDER_MAPPING

        device = checkpoints.device()
        name = checkpoints.checkpoint_name(identifier)
        options = {
            "use_fp16": device.startswith("cuda"),
            "devices": device,
            "query_instruction_for_retrieval": query_instruction(name),
            "truncate_dim": config.dimensions,
        }
        folder = checkpoints.local_folder(identifier)
        if known := AUTO_EMBEDDER_MAPPING.get(name):
            options |= {
                "pooling_method": known.pooling_method.value,
                "trust_remote_code": known.trust_remote_code,
                "query_instruction_format": known.query_instruction_format,
            }
            return known.model_class(identifier, **options)
        # A model fine-tuned from bge-m3 carries its heads; any other encoder is read as BGE is, by its first token.
        m3 = folder is not None and (folder / "sparse_linear.pt").exists()
        return (BGEM3FlagModel if m3 else FlagModel)(identifier, **options)

    return BGEEmbedder(checkpoints.load_checkpoint(identifier, "the embedder bge", load), config, identifier)
