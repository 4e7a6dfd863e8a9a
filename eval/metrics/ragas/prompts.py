"""Judge prompts: Ragas' own in English, frozen Chinese ones for Chinese questions, from the files beside this one."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel
from ragas.metrics.collections.noise_sensitivity.util import StatementFaithfulnessPrompt, StatementGeneratorPrompt
from ragas.prompt.metrics.base_prompt import BasePrompt

from eval.metrics.frozen import read_prompt
from eval.metrics.ragas.replies import remembering
from eval.text import is_chinese

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
    examples = ()  # type: ignore[assignment]  # declared a list, which all of the class would share


class _Statements(StatementGeneratorPrompt):
    # Ragas builds these two from functions that turn Chinese into \u escapes and ignore instruction and examples.
    to_string = BasePrompt.to_string  # type: ignore[assignment]  # of the class above, whose input is wider


class _Verdicts(StatementFaithfulnessPrompt):
    to_string = BasePrompt.to_string  # type: ignore[assignment]  # as above


_PLAIN: dict[type, type] = {StatementGeneratorPrompt: _Statements, StatementFaithfulnessPrompt: _Verdicts}


def speak(metric: Any, name: str, lang: str) -> Any:
    """The Ragas metric with its prompts in the question's language, whose replies can be checked."""
    for attribute, file in FROZEN.get(name, {}).items():
        prompt = getattr(metric, attribute)
        if is_chinese(lang):
            prompt = _frozen(_PLAIN.get(type(prompt), type(prompt)), file, "zh")
        setattr(metric, attribute, remembering(prompt))
    return metric


def correctness_prompt(lang: str) -> CorrectnessPrompt:
    prompt: CorrectnessPrompt = _frozen(CorrectnessPrompt, "correctness", "zh" if is_chinese(lang) else "en")
    return prompt


def _frozen(kind: type, file: str, lang: str) -> Any:
    prompt = kind()
    content = read_prompt(file, lang)
    prompt.instruction = content["instruction"]
    prompt.examples = [
        (prompt.input_model.model_validate(_renamed(example["input"], prompt.input_model)),
         prompt.output_model.model_validate(example["output"]))
        for example in content["examples"]
    ]  # fmt: skip
    return prompt


def _renamed(fields: dict[str, Any], model: type[BaseModel]) -> dict[str, Any]:
    """Noise sensitivity calls the text to break down ``text``, faithfulness ``answer``."""
    return {("text" if name not in model.model_fields else name): value for name, value in fields.items()}
