"""gates.yaml: what a run must reach before it may ship.

    load_gates(path) -> Gates       strict; ConfigError names the file and the key

`eval.gates` checks them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chunking.errors import ConfigError, NotFoundError
from eval.complaints import complaint
from eval.statistics import ALPHA


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _EachKeyOnce(yaml.SafeLoader):
    """YAML keeps the last of two equal keys, and the gates under the first would be gone without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"the key {key.value!r} is there twice", problem_mark=key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


class Scope(_Strict):
    """A metric, over all questions or those of one type or language."""

    metric: str
    type: str | None = None
    lang: str | None = None

    @property
    def where(self) -> str:
        parts = [part for part in (self.type, self.lang) if part]
        return f" on {' '.join(parts)} questions" if parts else ""


class Absolute(Scope):
    """The end of the mean's 95% interval (or the mean itself) must reach a value."""

    at_least: float | None = None
    at_most: float | None = None
    by: Literal["interval", "mean"] = "interval"

    @model_validator(mode="after")
    def _one_bound(self) -> Absolute:
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("give either at_least or at_most")
        return self


class Relative(Scope):
    """The candidate must not be worse than the base by more than `margin`, in the metric's unit."""

    margin: float = Field(default=0.0, ge=0)


class MustPass(_Strict):
    """These questions must each reach a score in every repeat, the best that the metric has by default.

    `at_least` goes with metrics that are better when higher, `at_most` with the others.
    """

    metric: str
    questions: tuple[str, ...] = Field(min_length=1)
    at_least: float | None = None
    at_most: float | None = None


class Limits(_Strict):
    """`*_ratio` compares means with the base. `error_rate` counts pipeline errors, `judge_error_rate` judged scores."""

    error_rate: float | None = Field(default=None, ge=0, le=1)
    judge_error_rate: float | None = Field(default=None, ge=0, le=1)
    latency_p50_ms: float | None = Field(default=None, gt=0)
    latency_p95_ms: float | None = Field(default=None, gt=0)
    latency_ratio: float | None = Field(default=None, gt=0)
    cost_per_question: float | None = Field(default=None, ge=0)
    cost_ratio: float | None = Field(default=None, gt=0)


class Gates(_Strict):
    absolute: tuple[Absolute, ...] = ()
    relative: tuple[Relative, ...] = ()
    must_pass: tuple[MustPass, ...] = ()
    limits: Limits = Limits()
    inconclusive: Literal["pass", "fail"] = "pass"
    alpha: float = Field(default=ALPHA, gt=0, lt=0.5)

    @property
    def needs_base(self) -> bool:
        return bool(self.relative) or self.limits.latency_ratio is not None or self.limits.cost_ratio is not None


_SECTIONS: dict[str, type[BaseModel]] = {
    "absolute": Absolute,
    "relative": Relative,
    "must_pass": MustPass,
    "limits": Limits,
}


def _keys(place: tuple[int | str, ...]) -> list[str]:
    return list((_SECTIONS[str(place[0])] if place else Gates).model_fields)


def load_gates(path: str | Path) -> Gates:
    """Raises NotFoundError and ConfigError."""
    file = Path(path)
    try:
        content = yaml.load(file.read_text(encoding="utf-8"), _EachKeyOnce)
    except FileNotFoundError:
        raise NotFoundError(f"The gate file {file} does not exist.") from None
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"The gate file {file} cannot be read: {' '.join(str(error).split())}.") from None
    if not isinstance(content, dict):
        raise ConfigError(f"The gate file {file} must hold keys such as 'relative' and 'limits'.")
    try:
        gates = Gates.model_validate(content)
    except ValidationError as error:
        raise ConfigError(f"The gate file {file}, {complaint(error, _keys)}") from None
    if not (gates.absolute or gates.relative or gates.must_pass or gates.limits.model_dump(exclude_none=True)):
        raise ConfigError(f"The gate file {file} sets no gate; add 'relative', 'absolute', 'must_pass' or 'limits'.")
    return gates
