"""What the commands load, loaded once: processes that tests start are forked from one that has this behind it.

Importing langgraph, Chroma and Ragas takes three seconds of every command; the tests run a few hundred. Each is still a
process of its own, with its own environment, working directory, output and exit code.
"""

from __future__ import annotations

import chromadb  # noqa: F401
import httpx  # noqa: F401
import langgraph.graph.message  # noqa: F401
import numpy  # noqa: F401
import onnxruntime  # noqa: F401
import openai  # noqa: F401
import opencc  # noqa: F401
import pydantic  # noqa: F401
import uvicorn  # noqa: F401

import crag.api.app
import crag.cli  # noqa: F401
import graph.engine  # noqa: F401
import retrieval.lexical.bm25  # noqa: F401
