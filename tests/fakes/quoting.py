"""A question asked of texts, answered without a language model."""

from __future__ import annotations

import asyncio

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.types import Answer
from tests.fakes.graph import ScriptedGrader, deps, hit


def ask(question: str, *texts: str, max_sentences: int = 3) -> Answer:
    """Each text is a document of one passage; all of them are found, and graded at .9."""
    passages = [hit(text, source=f"{number}.md", title=f"T{number}") for number, text in enumerate(texts)]
    generation = GenerationConfig(provider="extractive", max_sentences=max_sentences)
    engine = Engine(deps(passages, calibration=ScriptedGrader([0.9]), generation=generation))
    return asyncio.run(engine.ask(question))
