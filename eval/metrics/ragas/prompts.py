"""Judge prompts: Ragas' own in English, frozen Chinese ones for Chinese questions, from the files beside this one."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel
from ragas.metrics.collections.noise_sensitivity.util import StatementFaithfulnessPrompt, StatementGeneratorPrompt
from ragas.prompt.metrics.base_prompt import BasePrompt

from eval.text import is_chinese

FOLDER = Path(__file__).with_name("prompts")
FROZEN = {
    "faithfulness": {"statement_generator_prompt": "statements", "nli_statement_prompt": "nli"},
    "answer_relevancy": {"prompt": "question"},
    "context_precision": {"prompt": "usefulness"},
    "context_recall": {"prompt": "attribution"},
    "answer_correctness": {
        "statement_generator_prompt": "statements",
        "correctness_classifier_prompt": "classification",
    },
    "noise_sensitivity": {"statement_prompt": "statements", "faithfulness_prompt": "nli"},
}
"""Metric -> attribute of its Ragas class -> file of the prompt that takes its place."""


class CorrectnessInput(BaseModel):
    question: str
    reference: str
    answer: str


class CorrectnessOutput(BaseModel):
    reason: str
    verdict: Literal["correct", "partial", "wrong"]


class CorrectnessPrompt(BasePrompt[CorrectnessInput, CorrectnessOutput]):
    input_model = CorrectnessInput
    output_model = CorrectnessOutput
    instruction = ""
    examples = ()  # type: ignore[assignment]


class _Statements(StatementGeneratorPrompt):
    # Ragas builds these two from functions that turn Chinese into \u escapes and ignore instruction and examples.
    to_string = BasePrompt.to_string  # type: ignore[assignment]


class _Verdicts(StatementFaithfulnessPrompt):
    to_string = BasePrompt.to_string  # type: ignore[assignment]


_PLAIN: dict[type, type] = {StatementGeneratorPrompt: _Statements, StatementFaithfulnessPrompt: _Verdicts}


def speak(metric: Any, name: str, lang: str) -> Any:
    """The Ragas metric with its prompts in the question's language."""
    if is_chinese(lang):
        for attribute, file in FROZEN.get(name, {}).items():
            prompt = getattr(metric, attribute)
            setattr(metric, attribute, _frozen(_PLAIN.get(type(prompt), type(prompt)), file, "zh"))
    return metric


def correctness_prompt(lang: str) -> CorrectnessPrompt:
    prompt: CorrectnessPrompt = _frozen(CorrectnessPrompt, "correctness", "zh" if is_chinese(lang) else "en")
    return prompt


@cache
def prompts_hash() -> str:
    """16 hex digits over every prompt file; the release of Ragas, which holds the English ones, is kept beside it."""
    content = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.yaml")}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _frozen(kind: type, file: str, lang: str) -> Any:
    prompt = kind()
    content = _read(file, lang)
    prompt.instruction = content["instruction"]
    prompt.examples = [
        (prompt.input_model.model_validate(_renamed(example["input"], prompt.input_model)),
         prompt.output_model.model_validate(example["output"]))
        for example in content["examples"]
    ]  # fmt: skip
    return prompt


@cache
def _read(file: str, lang: str) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load((FOLDER / lang / f"{file}.yaml").read_text(encoding="utf-8"))
    return content


def _renamed(fields: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Noise sensitivity calls the text to break down ``text``, faithfulness ``answer``."""
    return {("text" if name not in model.model_fields else name): value for name, value in fields.items()}
