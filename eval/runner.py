"""Run a suite: ask every system, score every answer, keep both at once on disk.

    results = await run_suite(suite, corpus, systems, out, options=..., judge=judge_config(), embedder=..., ...)

One system: `out` is the run's folder; several: a folder each inside it. A killed run goes on with `resume`: no
question that has an answer is asked again, and no reply of the judge that arrived is paid again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from chunking.errors import ConfigError
from eval import asking, scoring
from eval.corpus import Corpus
from eval.judge import Judge
from eval.judge_config import JudgeConfig
from eval.manifest import new_manifest, resumed
from eval.metrics import Resources, build, require_packages, select
from eval.metrics.base import OUT_OF_BUDGET
from eval.options import RunOptions
from eval.prices import Budget, Prices, load_prices, require_price
from eval.questions import SuiteQuestion
from eval.runs import (
    ANSWERS,
    MANIFEST,
    SCORES,
    SUMMARY,
    AnswerRecord,
    LineWriter,
    MetricInfo,
    Run,
    Score,
    answer_to_dict,
    read_run,
    write_json,
)
from eval.sampling import stratified
from eval.suite import Suite
from eval.summary import summarize
from eval.system import System

if TYPE_CHECKING:
    from retrieval.embedders.base import Embedder

JUDGE_CACHE = "judge-cache.sqlite"


@dataclass(frozen=True)
class Progress:
    """`seconds_left` is None until the first of a stage is done. `spent` is dollars so far."""

    stage: Literal["answers", "scores"]
    done: int
    total: int
    seconds_left: float | None
    spent: float


@dataclass(frozen=True)
class RunResult:
    """`stopped` is why the run is not whole: ``max_cost``, ``judge_unreachable`` or None."""

    run: Run
    stopped: str | None


async def run_suite(
    suite: Suite,
    corpus: Corpus,
    systems: Sequence[System],
    out: Path,
    *,
    options: RunOptions | None = None,
    judge: JudgeConfig | None = None,
    embedder: Callable[[], Embedder] | None = None,
    prices: Prices | None = None,
    judge_cache: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> list[RunResult]:
    """Answers first, then scores. `embedder` builds the one of the similarity metrics, the same for every pipeline.

    A resumed run that lacks nothing readies no system and builds no embedder.

    Raises ConfigError (an existing run without resume, one that differs, a limit without prices, no system) and
    MissingExtraError. What fails on a single question is a status in the run.
    """
    options = options or RunOptions()
    if not systems:
        raise ConfigError("There is no pipeline to run: name one with --pipeline.")
    questions = stratified(suite.questions, options.sample, options.stratify, options.seed)
    infos = select(options.metrics, judge=judge is not None, embedder=embedder is not None)
    require_packages([info.name for info in infos])
    prices = prices or load_prices()
    if judge is not None and options.max_cost is not None:
        require_price(prices, judge.model)
    folders = [out] if len(systems) == 1 else [out / name for name in _folder_names(systems)]
    started = [read_run(folder) if _taken(folder, options) else None for folder in folders]
    manifests = [
        new_manifest(suite, corpus, system, options, asked=len(questions), metrics=infos, judge=judge)
        for system in systems
    ]
    if all(run and _whole(run, new, questions, infos, options) for run, new in zip(started, manifests, strict=True)):
        return [_finish(folder, None) for folder in folders]
    if not options.allow_missing_evidence:
        corpus.require_evidence(questions)
    built = None if embedder is None else embedder()
    manifests = [
        _manifest(run, {**new, "embedder": None if built is None else built.fingerprint}, options)
        for run, new in zip(started, manifests, strict=True)
    ]
    for system, run, manifest in zip(systems, started, manifests, strict=True):
        if run is None or any(_open_answers(run, questions, options)):
            manifest["index"] = dict(await system.ready())
    for folder, manifest in zip(folders, manifests, strict=True):
        _open_folder(folder, manifest, options)
    budget = Budget(options.max_cost, spent=sum(_spent(read_run(folder)) for folder in folders))
    scorer = _Scorer(judge, built, judge_cache or out / JUDGE_CACHE, prices, budget, options.round)
    report = _Reporter(progress, budget)

    located = {question.id: corpus.locate(question) for question in questions}
    with _line_files(folders, ANSWERS) as writers:
        asked = [
            asking.Task(systems[place], question, located[question.id], repeat, _answer_keeper(writers[folders[place]]))
            for place, question, repeat in _turns(folders, questions, options)
        ]
        within = await asking.ask_all(
            asked,
            concurrency=options.concurrency,
            timeout=options.question_timeout,
            prices=prices,
            budget=budget,
            progress=report.stage("answers", len(asked)),
        )
    stopped = None if within else "max_cost"
    lacking = [lack for folder in folders for lack in _open_scores(read_run(folder), infos, options)]
    if lacking:
        with _line_files(folders, SCORES) as writers:
            tasks = [scoring.Task(record, name, _score_keeper(writers[folder])) for folder, record, name in lacking]
            step = report.stage("scores", len(tasks))
            stopped = await scorer.score(tasks, concurrency=options.concurrency, progress=step) or stopped
    return [_finish(folder, stopped) for folder in folders]


async def score_records(
    records: Iterable[AnswerRecord],
    metrics: Sequence[str] | None = None,
    *,
    judge: JudgeConfig | None = None,
    embedder: Embedder | None = None,
    judge_cache: Path | None = None,
    prices: Prices | None = None,
    round: int = 0,
    concurrency: int = 8,
) -> list[Score]:
    """Score frozen answers in memory; another `round` has the judge decide anew (`judge-noise`)."""
    infos = select(metrics, judge=judge is not None, embedder=embedder is not None)
    scores: list[Score] = []
    tasks = [scoring.Task(record, info.name, scores.append) for record in records for info in infos]
    scorer = _Scorer(judge, embedder, judge_cache, prices or load_prices(), Budget(), round)
    await scorer.score(tasks, concurrency=concurrency, progress=lambda: None)
    return scores


@dataclass
class _Scorer:
    """Builds the metrics that are needed, and the judge with them."""

    judge: JudgeConfig | None
    embedder: Embedder | None
    cache: Path | None
    prices: Prices
    budget: Budget
    round: int

    async def score(
        self, tasks: Sequence[scoring.Task], *, concurrency: int, progress: Callable[[], None]
    ) -> str | None:
        """Why scoring stopped early, or None."""
        names = {task.metric for task in tasks}
        if self.judge is None:
            metrics = build(names, Resources(self.embedder))
            await scoring.score_all(tasks, metrics, concurrency=concurrency, progress=progress)
            return None
        # Twice the judge's slots: while one score waits for its own last reply, another fills the slot.
        concurrency = max(concurrency, 2 * self.judge.concurrency)
        async with Judge(
            self.judge, cache=self.cache, prices=self.prices, budget=self.budget, round=self.round
        ) as judge:
            metrics = build(names, Resources(self.embedder, judge))
            within = await scoring.score_all(tasks, metrics, concurrency=concurrency, progress=progress)
            return "judge_unreachable" if judge.unreachable else None if within else "max_cost"


def _taken(folder: Path, options: RunOptions) -> bool:
    """Whether there is a run to go on with. Raises ConfigError where there is one and none is wanted."""
    if not (folder / MANIFEST).exists():
        return False
    if not options.resume:
        raise ConfigError(f"{folder} holds a run already: give --resume to go on with it, or another --out.")
    return True


def _whole(
    run: Run,
    manifest: Mapping[str, Any],
    questions: Sequence[SuiteQuestion],
    infos: Sequence[MetricInfo],
    options: RunOptions,
) -> bool:
    """Whether going on would ask nothing, score nothing and add nothing to the manifest."""
    unchanged = {**manifest, "embedder": run.manifest["embedder"]}
    return (
        not options.rescore
        and resumed(run.manifest, unchanged, run.path, rescore=False) == run.manifest
        and not any(_open_answers(run, questions, options))
        and not any(_open_scores(run, infos, options))
    )


def _manifest(run: Run | None, manifest: dict[str, Any], options: RunOptions) -> dict[str, Any]:
    return manifest if run is None else resumed(run.manifest, manifest, run.path, rescore=options.rescore)


def _open_folder(folder: Path, manifest: Mapping[str, Any], options: RunOptions) -> None:
    if options.rescore:
        (folder / SCORES).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / MANIFEST, manifest)


@contextmanager
def _line_files(folders: Sequence[Path], name: str) -> Iterator[dict[Path, LineWriter]]:
    writers = {folder: LineWriter(folder / name) for folder in folders}
    try:
        yield writers
    finally:
        for writer in writers.values():
            writer.close()


def _answer_keeper(writer: LineWriter) -> Callable[[AnswerRecord], None]:
    return lambda record: writer.write(answer_to_dict(record))


def _score_keeper(writer: LineWriter) -> Callable[[Score], None]:
    return lambda score: writer.write(score.to_dict())


def _turns(
    folders: Sequence[Path], questions: Sequence[SuiteQuestion], options: RunOptions
) -> Iterator[tuple[int, SuiteQuestion, int]]:
    """(place of the system, question, repeat): all are asked a question before the next one comes, another one first
    each time, so that whatever slows the machine meets them alike."""
    wanted = [{(question.id, n) for question, n in _open_answers(read_run(f), questions, options)} for f in folders]
    pairs = [(question, repeat) for repeat in range(options.repeat) for question in questions]
    for first, (question, repeat) in enumerate(pairs):
        for step in range(len(folders)):
            place = (first + step) % len(folders)
            if (question.id, repeat) in wanted[place]:
                yield place, question, repeat


def _open_answers(
    run: Run, questions: Sequence[SuiteQuestion], options: RunOptions
) -> Iterator[tuple[SuiteQuestion, int]]:
    """Questions and repeats that a run has not been asked yet."""
    done = {key for key, record in run.answers.items() if record.status == "ok" or not options.retry_errors}
    for repeat in range(options.repeat):
        for question in questions:
            if (question.id, repeat) not in done:
                yield question, repeat


def _open_scores(
    run: Run, infos: Sequence[MetricInfo], options: RunOptions
) -> Iterator[tuple[Path, AnswerRecord, str]]:
    """Scores that a run lacks, or that failed and are wanted again."""
    for record in run.answers.values():
        for info in infos:
            score = run.scores.get((*record.key, info.name))
            revived = score is not None and score.status == "pipeline_error" and record.status == "ok"
            if score is None or revived or _wanted_again(score, options):
                yield run.path, record, info.name


def _wanted_again(score: Score, options: RunOptions) -> bool:
    return score.status == "judge_error" and (options.retry_errors or score.reason == OUT_OF_BUDGET)


def _finish(folder: Path, stopped: str | None) -> RunResult:
    run = read_run(folder)
    summary = summarize(run, stopped=stopped)
    write_json(folder / SUMMARY, summary)
    return RunResult(replace(run, summary=summary), stopped)


def _spent(run: Run) -> float:
    return (run.judge_usage["cost"] or 0.0) + sum(record.cost or 0.0 for record in run.answers.values())


def _folder_names(systems: Sequence[System]) -> list[str]:
    """The pipelines' names, safe for a file system; those that clash get their version."""
    names = [re.sub(r"[^\w.-]+", "-", system.name).strip(".-") or "pipeline" for system in systems]
    unique = [
        name if names.count(name) == 1 else f"{name}-{system.version[:8]}"
        for name, system in zip(names, systems, strict=True)
    ]
    if len(set(unique)) < len(unique):
        raise ConfigError("The same pipeline is given twice; use --repeat to ask it more than once.")
    return unique


class _Reporter:
    def __init__(self, callback: Callable[[Progress], None] | None, budget: Budget) -> None:
        self._callback = callback
        self._budget = budget

    def stage(self, stage: Literal["answers", "scores"], total: int) -> Callable[[], None]:
        started, done = time.monotonic(), 0

        def step(count: int = 1) -> None:
            nonlocal done
            done += count
            if self._callback is not None:
                left = (time.monotonic() - started) / done * (total - done) if done else None
                self._callback(Progress(stage, done, total, left, self._budget.spent))

        step(0)
        return step
