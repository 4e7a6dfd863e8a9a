"""A run on disk: one pipeline, one suite, one folder.

``manifest.json``  written once at the start, replaced as a whole when a resumed run adds a judge or metrics::

    {"format": 1,
     "suite":    {"name", "hash", "questions"},          hash over everything a question says, gold included
     "corpus":   {"hash", "documents"},                  hash over the parsed texts and the ids they are known by
     "pipeline": {"name", "version", "resolved": {...}}, resolved is what System.manifest() gave
     "judge":    {"model", "endpoint", "parameters", "prompts"} or null   prompts is a hash
     "embedder": fingerprint that the similarity metrics used, or null
     "index":    what System.ready() gave: {"chunks", "mean_tokens"} of the index that was asked, or {}
     "metrics":  [{"name", "group", "direction": "higher"|"lower", "range": [low, high], "judged": bool,
                   "description"}]
     "settings": {"sample", "stratify", "round"}
     "packages": {name: version}, "git": {"commit", "dirty"} or null,
     "started": ISO 8601 UTC, "seed": int, "repeat": int, "concurrency": int}

``answers.jsonl``  append-only, one line per (id, repeat); of two lines with one key the later counts::

    {"id", "repeat", "question", "reference", "answers": [...], "type", "lang", "answerable", "history": [[role, text]],
     "gold": [[{"document", "start", "end", "text"}]],     groups of alternatives, in the ingested documents
     "evidence": same shape,                               the longer reference spans; gold may be the answer spans
     "unlocated": [text],                                  reference spans that were not found in their documents
     "status": "ok"|"pipeline_error", "answer": Answer.to_dict() or null,
     "contexts": [{"rank", "document", "source", "title", "start", "end", "text", "tokens", "page", "url", "score",
                   "scores": {...}, "ranks": {...}, "copies": [[document, start, end]]}],   Answer.hits, best first
     "trace": [{"node", "milliseconds", "detail"}],
     "latency_ms", "usage": {"prompt_tokens", "completion_tokens", "model_calls"}, "cost": float or null (no price),
     "error": {"type", "message"} or null}

``scores.jsonl``  append-only, of two lines with one key (question, repeat, metric) the later counts::

    {"question", "repeat", "metric", "value": float or null, "status", "reason": str or null,
     "tokens": {"prompt_tokens", "completion_tokens", "model_calls", "cached_calls", "cost"} where a judge was asked}

A value is a finite number exactly when the status is ``ok``. ``not_applicable``: the metric has nothing to measure on
this question; ``judge_error``: the judge failed or replied with nothing usable; ``pipeline_error``: there is no answer.

``summary.json``  rebuilt from the three at the end of every run: means, counts, crag panel, cost, latency, diagnosis.
It is not there while a run is worked on, nor after that was interrupted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from chunking.errors import ConfigError, NotFoundError, StoreError
from eval.lines import read_json, read_lines

FORMAT = 1
MANIFEST, ANSWERS, SCORES, SUMMARY = "manifest.json", "answers.jsonl", "scores.jsonl", "summary.json"

AnswerStatus = Literal["ok", "pipeline_error"]
ScoreStatus = Literal["ok", "not_applicable", "judge_error", "pipeline_error"]
SCORE_STATUSES: tuple[ScoreStatus, ...] = ("ok", "not_applicable", "judge_error", "pipeline_error")
Key = tuple[str, int]
"""(question id, repeat), repeats from 0."""


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What a comparison must know of a metric. `judged` metrics need a language model."""

    name: str
    group: Literal["retrieval", "answer", "ragas", "crag"]
    description: str
    direction: Literal["higher", "lower"] = "higher"
    range: tuple[float, float] = (0.0, 1.0)
    judged: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "group": self.group,
            "direction": self.direction,
            "range": list(self.range),
            "judged": self.judged,
            "description": self.description,
        }


@dataclass(frozen=True, slots=True)
class Span:
    """``text`` of an ingested document, offsets in code points."""

    document: str
    start: int
    end: int
    text: str

    def to_dict(self) -> dict[str, Any]:
        return {"document": self.document, "start": self.start, "end": self.end, "text": self.text}


Gold = tuple[tuple[Span, ...], ...]
"""Groups of alternatives: a question is covered when every group is."""


Place = tuple[str, int, int]
"""A document's id, and start and end in it."""


@dataclass(frozen=True, slots=True)
class Context:
    """One retrieved passage of an answer. `url` is set for web pages, which no gold span lies in."""

    rank: int
    document: str
    source: str
    title: str
    start: int
    end: int
    text: str
    tokens: int
    page: int | None
    url: str | None
    score: float
    scores: Mapping[str, float]
    ranks: Mapping[str, int]
    copies: tuple[Place, ...] = ()
    """Where else the passage stands, for what is folded into one hit counts as found in each of its places."""

    @property
    def places(self) -> tuple[Place, ...]:
        return ((self.document, self.start, self.end), *self.copies)


@dataclass(frozen=True, slots=True)
class Question:
    """What a run keeps of a suite's question."""

    id: str
    question: str
    reference: str
    answers: tuple[str, ...]
    type: str
    lang: str
    answerable: bool
    history: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """A line of answers.jsonl. `answer` is ``Answer.to_dict()``, None when the pipeline failed."""

    question: Question
    repeat: int
    status: AnswerStatus
    answer: Mapping[str, Any] | None
    contexts: tuple[Context, ...]
    gold: Gold
    evidence: Gold
    unlocated: tuple[str, ...]
    trace: tuple[Mapping[str, Any], ...]
    latency_ms: float
    usage: Mapping[str, int]
    cost: float | None
    error: Mapping[str, str] | None

    @property
    def key(self) -> Key:
        return (self.question.id, self.repeat)

    @property
    def text(self) -> str:
        return str(self.answer["text"]) if self.answer else ""

    @property
    def abstained(self) -> bool:
        return self.answer is not None and self.answer["status"] == "abstained"


@dataclass(frozen=True, slots=True)
class Score:
    """A line of scores.jsonl. `value` is finite exactly when `status` is ``ok``."""

    question: str
    repeat: int
    metric: str
    value: float | None
    status: ScoreStatus
    reason: str | None = None
    tokens: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        finite = self.value is not None and math.isfinite(self.value)
        if finite is not (self.status == "ok"):
            raise ValueError(f"score of {self.metric} on {self.question}: {self.value!r} with status {self.status}")

    @property
    def key(self) -> tuple[str, int, str]:
        return (self.question, self.repeat, self.metric)

    def to_dict(self) -> dict[str, Any]:
        line: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__ if name != "tokens"}
        return line if self.tokens is None else {**line, "tokens": dict(self.tokens)}


@dataclass(frozen=True)
class Run:
    """A run folder as typed data. Every mapping keeps the order of the suite."""

    path: Path
    manifest: Mapping[str, Any]
    answers: Mapping[Key, AnswerRecord]
    scores: Mapping[tuple[str, int, str], Score]
    summary: Mapping[str, Any] = field(default_factory=dict)
    """Empty while the run has not finished."""
    judge_usage: Mapping[str, Any] = field(default_factory=dict)
    """Tokens, calls and dollars of every line of scores.jsonl, those that a later line replaced included. `cost` is
    None where a price was missing."""
    lost: str = ""
    """Which files hold fewer lines than the summary counted when the run finished; empty where none does."""

    @property
    def name(self) -> str:
        return str(self.manifest["pipeline"]["name"])

    @property
    def questions(self) -> dict[str, Question]:
        return {record.question.id: record.question for record in self.answers.values()}

    @property
    def metrics(self) -> dict[str, MetricInfo]:
        return _metric_infos(self.manifest)

    def values(self, metric: str) -> dict[str, list[float]]:
        """Usable values of a metric by question, repeats in order; a question without one is absent."""
        found: dict[str, list[float]] = {}
        for score in self.scores.values():
            if score.metric == metric and score.value is not None:
                found.setdefault(score.question, []).append(score.value)
        return found


def read_run(path: str | Path) -> Run:
    """Read a run folder, finished or not. Raises NotFoundError (no run there) and StoreError (damaged)."""
    folder = Path(path)
    manifest_file = folder / MANIFEST
    if not manifest_file.is_file():
        raise NotFoundError(f"{folder} is not a run folder: {_instead(folder)}")
    manifest = read_json(manifest_file)
    if manifest.get("format") != FORMAT:
        raise ConfigError(f"{manifest_file} has format {manifest.get('format')!r}, not {FORMAT}; run the suite again.")
    _check_manifest(manifest_file, manifest)
    answers = _read_typed(folder / ANSWERS, answer_from_dict)
    scores = read_scores(folder / SCORES)
    summary = read_json(folder / SUMMARY) if (folder / SUMMARY).is_file() else {}
    answered = {record.key: record for record in answers}
    scored = {score.key: score for score in scores}
    lost = _lost(folder, summary, len(answered), len(scored))
    return Run(folder, manifest, answered, scored, summary, _judge_usage(scores), lost)


def _lost(folder: Path, summary: Mapping[str, Any], answers: int, scores: int) -> str:
    try:
        counted = sum(entry[status] for entry in summary.get("metrics", {}).values() for status in SCORE_STATUSES)
        files = ((ANSWERS, summary.get("answers", 0), answers), (SCORES, counted, scores))
        return " and ".join(f"{name} lost {had - has} of {had} lines" for name, had, has in files if has < had)
    except (AttributeError, KeyError, TypeError) as error:
        raise StoreError(
            f"{folder / SUMMARY} is damaged ({type(error).__name__}: {error}); delete it and run again with --resume."
        ) from None


def _instead(folder: Path) -> str:
    inside = sorted(found.parent.name for found in folder.glob(f"*/{MANIFEST}"))
    if inside:
        return f"it holds the runs {', '.join(inside)}; name one of them, such as {folder / inside[0]}"
    return f"it has no {MANIFEST}; make one with 'crag eval run'."


def read_scores(path: Path) -> list[Score]:
    """Every line of a scores.jsonl, replaced ones included. Raises StoreError."""
    return _read_typed(path, lambda line: Score(**line))


_Record = TypeVar("_Record", AnswerRecord, Score)


def _read_typed(path: Path, typed: Callable[[Mapping[str, Any]], _Record]) -> list[_Record]:
    records = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            record = typed(line)
            hash(record.key)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StoreError(
                f"{path}:{number} is damaged ({type(error).__name__}: {error}); delete that line and run again with "
                "--resume."
            ) from None
        records.append(record)
    return records


def _check_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Raises StoreError where it lacks what every run has."""
    try:
        for key in ("judge", "embedder", "settings", "packages", "started", "seed", "repeat", "concurrency"):
            manifest[key]
        for key, inner in (("suite", "hash"), ("corpus", "hash"), ("pipeline", "version"), ("pipeline", "resolved")):
            manifest[key][inner]
        _metric_infos(manifest)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path} is damaged ({type(error).__name__}: {error}); run the suite again.") from None


def _metric_infos(manifest: Mapping[str, Any]) -> dict[str, MetricInfo]:
    return {entry["name"]: MetricInfo(**{**entry, "range": tuple(entry["range"])}) for entry in manifest["metrics"]}


def _judge_usage(scores: Iterable[Score]) -> dict[str, Any]:
    told = [score.tokens for score in scores if score.tokens is not None]
    counts = ("model_calls", "cached_calls", "prompt_tokens", "completion_tokens")
    usage: dict[str, Any] = {name: int(sum(tokens.get(name, 0) for tokens in told)) for name in counts}
    priced = all("cost" in tokens for tokens in told)
    return {**usage, "cost": sum(tokens["cost"] for tokens in told) if priced else None}


def answer_from_dict(line: Mapping[str, Any]) -> AnswerRecord:
    """The inverse of `answer_to_dict`."""
    return AnswerRecord(
        question=Question(
            id=line["id"],
            question=line["question"],
            reference=line["reference"],
            answers=tuple(line["answers"]),
            type=line["type"],
            lang=line["lang"],
            answerable=line["answerable"],
            history=tuple((role, text) for role, text in line["history"]),
        ),
        repeat=line["repeat"],
        status=line["status"],
        answer=line["answer"],
        contexts=tuple(_context(entry) for entry in line["contexts"]),
        gold=_gold(line["gold"]),
        evidence=_gold(line["evidence"]),
        unlocated=tuple(line["unlocated"]),
        trace=tuple(line["trace"]),
        latency_ms=line["latency_ms"],
        usage=line["usage"],
        cost=line["cost"],
        error=line["error"],
    )


def _context(entry: Mapping[str, Any]) -> Context:
    """Runs from before passages were folded have no copies."""
    copies = tuple((document, start, end) for document, start, end in entry.get("copies", ()))
    return Context(**{**entry, "copies": copies})


def answer_to_dict(record: AnswerRecord) -> dict[str, Any]:
    """The line of answers.jsonl."""
    question = record.question
    return {
        "id": question.id,
        "repeat": record.repeat,
        "question": question.question,
        "reference": question.reference,
        "answers": list(question.answers),
        "type": question.type,
        "lang": question.lang,
        "answerable": question.answerable,
        "history": [list(turn) for turn in question.history],
        "gold": [[span.to_dict() for span in group] for group in record.gold],
        "evidence": [[span.to_dict() for span in group] for group in record.evidence],
        "unlocated": list(record.unlocated),
        "status": record.status,
        "answer": record.answer,
        "contexts": [
            {name: getattr(context, name) for name in Context.__slots__}
            | {"scores": dict(context.scores), "ranks": dict(context.ranks), "copies": list(context.copies)}
            for context in record.contexts
        ],
        "trace": [dict(event) for event in record.trace],
        "latency_ms": record.latency_ms,
        "usage": dict(record.usage),
        "cost": record.cost,
        "error": record.error,
    }


def _gold(groups: Iterable[Iterable[Mapping[str, Any]]]) -> Gold:
    return tuple(tuple(Span(**span) for span in group) for group in groups)
