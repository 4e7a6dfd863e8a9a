"""Model folders for FlagEmbedding: is one here, which files are they, how long a text do they read."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from chunking.errors import ConfigError, MissingExtraError

Loaded = TypeVar("Loaded")


def bge_available(model: str) -> bool:
    """Whether `model` (id or folder) can run without a download: the extra is installed and the weights are here.

    Imports nothing heavy.
    """
    extra = all(importlib.util.find_spec(name) is not None for name in ("FlagEmbedding", "torch", "transformers"))
    return extra and local_folder(model) is not None


def local_folder(model: str) -> Path | None:
    """The folder that `model` names, or its newest complete snapshot in the Hugging Face cache."""
    if _complete(Path(model)):
        return Path(model)
    home = Path(os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or home / "hub").expanduser()
    snapshots = hub / f"models--{model.replace('/', '--')}" / "snapshots"
    found = [folder for folder in snapshots.iterdir() if _complete(folder)] if snapshots.is_dir() else []
    return max(found, key=lambda folder: folder.stat().st_mtime, default=None)


def checkpoint_name(model: str) -> str:
    """The last part of an id or path: FlagEmbedding tells models apart by it."""
    return Path(model).name


def checkpoint_hash(model: str) -> str:
    """12 hex digits over the sizes and beginnings of the weights and over the configuration; of the id if absent."""
    digest = hashlib.sha256()
    folder = local_folder(model)
    for path in sorted(folder.iterdir()) if folder else ():
        if path.suffix in {".safetensors", ".bin", ".pt", ".json"}:
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                digest.update(file.read(1 << 20))
    return digest.hexdigest()[:12] if folder else hashlib.sha256(model.encode()).hexdigest()[:12]


def load_checkpoint(model: str, what: str, load: Callable[[], Loaded]) -> Loaded:
    """Run a loader of FlagEmbedding. Raises MissingExtraError and ConfigError, which say what to do."""
    try:
        return load()
    except ImportError as error:
        if importlib.util.find_spec("FlagEmbedding") is None or importlib.util.find_spec("torch") is None:
            raise MissingExtraError(what, "bge") from error
        raise ConfigError(f"{what} cannot import its libraries ({error}): reinstall agentic-crag[bge].") from error
    except Exception as error:  # transformers raises all kinds for a folder that is not a model
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError(
            f"{what} cannot load {model!r} ({reason}): name a folder with the model's files, or allow its download "
            "from the Hugging Face hub (unset HF_HUB_OFFLINE)."
        ) from error


def device() -> str:
    """The first accelerator, else ``cpu``. One device: FlagEmbedding starts a process for each further one."""
    import torch

    if torch.cuda.is_available():
        return "cuda:0"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def window(model: Any, tokenizer: Any, cap: int) -> int:
    """Tokens the model reads, special tokens included: the least of its tokenizer, its positions and `cap`."""
    config = model.config
    positions = int(getattr(config, "max_position_embeddings", cap))
    # RoBERTa counts positions from behind its padding index.
    if "roberta" in str(getattr(config, "model_type", "")):
        positions -= int(config.pad_token_id) + 1
    return min(int(tokenizer.model_max_length), positions, cap)


def _complete(folder: Path) -> bool:
    weights = [*folder.glob("*.safetensors"), *folder.glob("*.bin")]
    return (folder / "config.json").exists() and any(path.exists() for path in weights)
