"""Metrics by name. `select` reads the catalogue only; `build` loads what the chosen ones need."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from chunking.errors import ConfigError, MissingExtraError
from eval.judge_config import NAME_A_JUDGE
from eval.metrics.base import Metric
from eval.metrics.catalog import CATALOG, ON_REQUEST
from eval.runs import MetricInfo

if TYPE_CHECKING:
    from eval.judge import Judge
    from retrieval.embedders.base import Embedder


@dataclass(frozen=True)
class Resources:
    """What metrics may use. Those that need what is None are not built."""

    embedder: Embedder | None = None
    judge: Judge | None = None


def _formulas(resources: Resources) -> Iterable[Metric]:
    from eval.metrics.builtin import answer_metrics, retrieval_metrics

    return [*retrieval_metrics(), *answer_metrics()]


def _ragas(resources: Resources) -> Iterable[Metric]:
    from eval.judge import import_clients

    import_clients()
    from eval.metrics.ragas.scores import ragas_metrics

    return ragas_metrics(resources.judge, resources.embedder)


FAMILIES: dict[str, Callable[[Resources], Iterable[Metric]]] = {"formulas": _formulas, "ragas": _ragas}
NEED_EMBEDDER = frozenset({"semantic_similarity", "answer_relevancy", "answer_correctness"})
_OF_RAGAS = frozenset(name for name, info in CATALOG.items() if info.group == "ragas" or info.judged)


def select(names: Collection[str] | None, *, judge: bool, embedder: bool) -> list[MetricInfo]:
    """The metrics of a run: all that can be measured, but the costly ones only when named.

    A name is a metric, a group (``retrieval``, ``answer``, ``ragas``, ``crag``) or ``all``. Raises ConfigError for an
    unknown name, and for a metric named on its own that lacks its judge or embedder.
    """
    groups = {info.group for info in CATALOG.values()}
    unknown = [name for name in names or () if name not in {*CATALOG, *groups, "all"}]
    if unknown:
        raise ConfigError(f"There is no metric {unknown[0]!r}: choose from {', '.join(CATALOG)}, a group, or all.")
    chosen = []
    for name, info in CATALOG.items():
        lacking = f"a judge: {NAME_A_JUDGE}" if info.judged and not judge else None
        if name in NEED_EMBEDDER and not embedder:
            lacking = lacking or "an embedder"
        if names is not None and name in names and lacking:
            raise ConfigError(f"The metric {name} needs {lacking}.")
        wanted = name not in ON_REQUEST if names is None else bool({name, info.group, "all"} & set(names))
        if wanted and not lacking:
            chosen.append(info)
    return chosen


def require_packages(names: Collection[str]) -> None:
    """Raises MissingExtraError where Ragas is needed and not installed; loads nothing."""
    if _OF_RAGAS & set(names) and not all(find_spec(package) for package in ("ragas", "instructor")):
        raise MissingExtraError("Ragas scores", "eval")


def build(names: Collection[str], resources: Resources) -> dict[str, Metric]:
    """The metrics of these names, in the catalogue's order. Raises MissingExtraError."""
    families = ["formulas", *(["ragas"] if _OF_RAGAS & set(names) else [])]
    built = {metric.info.name: metric for family in families for metric in FAMILIES[family](resources)}
    return {name: built[name] for name in CATALOG if name in names}
