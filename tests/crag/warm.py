"""What the commands load, loaded once: processes that tests start are forked from one that has this behind it.

Importing langgraph and Chroma, reading the embedder's vocabulary and the dictionaries, and compiling what asks for an
attribute takes three seconds of every command; the tests run a few hundred. Each is still a process of its own, with
its own environment, working directory, output and exit code. Ragas itself is left out, what it imports is not: it
starts a thread, and a thread does not come along when a process is forked.
"""

from __future__ import annotations

import chromadb.api.rust
import chromadb.telemetry.product.posthog  # noqa: F401
import datasets  # noqa: F401
import docx  # noqa: F401
import httpx  # noqa: F401
import langchain_openai  # noqa: F401
import langgraph.graph.message  # noqa: F401
import markdown_it  # noqa: F401
import numpy  # noqa: F401
import onnxruntime  # noqa: F401
import openai  # noqa: F401
import opencc  # noqa: F401
import pydantic  # noqa: F401
import uvicorn  # noqa: F401

import crag.api.app
import crag.cli
import crag.cli.ask
import crag.cli.eval_run
import crag.cli.ingest  # noqa: F401
import eval.runner  # noqa: F401
import graph.engine  # noqa: F401
import retrieval.lexical.bm25  # noqa: F401
from graph.attributes import untold
from retrieval.config import EmbeddingConfig
from retrieval.duplicates import copies
from retrieval.embedders.e5 import artefact
from retrieval.embedders.e5.tokenizer import load_tokenizer
from retrieval.embedders.e5.weights import model_file
from retrieval.lexical.tokenizer import tokenize
from tests.fakes.graph import hit

tokenize("年假")
for question in ("Who designed it?", "谁设计的？"):
    untold(question, ())
copies([hit("One.").chunk, hit("Two.").chunk])
load_tokenizer(artefact.prepare(model_file(), EmbeddingConfig().precision) / "tokenizer.model")
