"""Run a suite: ask every system, score every answer, keep both at once on disk.

    results = await run_suite(suite, corpus, systems, out, options=..., judge=judge_config(), embedder=..., ...)

One system: `out` is the run's folder; several: a folder each inside it. A killed run goes on with `resume`: no
question that has an answer is asked again, and no reply of the judge that arrived is paid again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from chunking.errors import ConfigError
from eval import asking, rescoring, run_folders, scoring
from eval.corpus import Corpus
from eval.judge import Judge
from eval.judge_config import JudgeConfig
from eval.lines import LineWriter, write_json
from eval.manifest import new_manifest, resumed
from eval.metrics import Resources, build, require_packages, select
from eval.metrics.base import GIVEN_UP, NO_REPLY, OUT_OF_BUDGET
from eval.options import RunOptions
from eval.prices import Budget, Prices, load_prices, require_price
from eval.questions import SuiteQuestion
from eval.run_folders import JUDGE_CACHE
from eval.runs import ANSWERS, MANIFEST, SCORES, SUMMARY, AnswerRecord, MetricInfo, Run, Score, answer_to_dict, read_run
from eval.sampling import stratified
from eval.suite import Suite
from eval.summary import summarize
from eval.system import System

if TYPE_CHECKING:
    from retrieval.embedders.base import Embedder


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
    """`stopped` is why the run, or the scoring of its answers anew, is not whole; None where it is.

    ``max_cost``; ``judge_unreachable``: no call got through; ``judge_failed``: no reply could be used;
    ``interrupted``: metrics lack scores, and this call did not name them. `reason` is the judge's first error.
    """

    run: Run
    stopped: str | None
    reason: str | None = None


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

    Raises ConfigError (an existing run without resume, one that differs, a folder with other files, a limit without
    prices, no system), StoreError (another process works on a run) and MissingExtraError. What fails on a single
    question is a status in the run.
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
    folders = [out] if len(systems) == 1 else [out / name for name in run_folders.names(systems)]
    with ExitStack() as held:
        for folder in folders:
            if (folder / MANIFEST).exists():
                held.enter_context(run_folders.held(folder))
            else:
                run_folders.require_free(folder)
        started = [_started(folder, options) for folder in folders]
        manifests = [
            new_manifest(suite, corpus, system, options, asked=len(questions), metrics=infos, judge=judge)
            for system in systems
        ]
        if all(
            run and _whole(run, new, questions, infos, options) for run, new in zip(started, manifests, strict=True)
        ):
            return [_finish(folder, None, run) for folder, run in zip(folders, started, strict=True)]
        if not options.allow_missing_evidence:
            missing = ", or give --allow-missing-evidence to score without what is missing"
            corpus.require_evidence(questions, or_else=missing)
        for folder, run in zip(folders, started, strict=True):
            if run is None:
                held.enter_context(run_folders.held(folder))
                _refuse_begun(folder)
        built = None if embedder is None else embedder()
        manifests = [
            _manifest(run, {**new, "embedder": None if built is None else built.fingerprint}, options)
            for run, new in zip(started, manifests, strict=True)
        ]
        for system, run, manifest in zip(systems, started, manifests, strict=True):
            if run is None or any(_open_answers(run, questions, options)):
                manifest["index"] = dict(await system.ready())
        scores = {
            folder: _open_folder(folder, manifest, rescore=options.rescore and run is not None)
            for folder, manifest, run in zip(folders, manifests, started, strict=True)
        }
        budget = Budget(options.max_cost, spent=sum(_spent(read_run(folder)) for folder in folders))
        scorer = _Scorer(judge, built, judge_cache or out / JUDGE_CACHE, prices, budget, options.round)
        report = _Reporter(progress, budget)

        located = {question.id: corpus.locate(question) for question in questions}
        with _line_files({folder: folder / ANSWERS for folder in folders}) as writers:
            asked = [
                asking.Task(
                    systems[place], question, located[question.id], repeat, _answer_keeper(writers[folders[place]])
                )
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
            with _line_files(scores) as writers:
                tasks = [scoring.Task(record, name, _score_keeper(writers[folder])) for folder, record, name in lacking]
                step = report.stage("scores", len(tasks))
                stopped = await scorer.score(tasks, concurrency=options.concurrency, progress=step) or stopped
        return [_finish(folder, stopped, run) for folder, run in zip(folders, started, strict=True)]


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
            return "judge_unreachable" if judge.unreached else None if within else "max_cost"


def _started(folder: Path, options: RunOptions) -> Run | None:
    """The run to go on with. Raises ConfigError where there is one and none is wanted."""
    if not (folder / MANIFEST).exists():
        return None
    if not options.resume:
        _refuse_begun(folder)
    rescoring.settle(folder)
    return read_run(folder)


def _refuse_begun(folder: Path) -> None:
    if (folder / MANIFEST).exists():
        raise ConfigError(f"{folder} holds a run already: give --resume to go on with it, or another --out.")


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


def _open_folder(folder: Path, manifest: Mapping[str, Any], *, rescore: bool) -> Path:
    """The file that takes the scores. From here on the run is not whole until `_finish`."""
    (folder / SUMMARY).unlink(missing_ok=True)
    if rescore:
        return rescoring.begin(folder, manifest)
    write_json(folder / MANIFEST, manifest)
    return folder / SCORES


@contextmanager
def _line_files(files: Mapping[Path, Path]) -> Iterator[dict[Path, LineWriter]]:
    writers = {folder: LineWriter(file) for folder, file in files.items()}
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
            if score is None or options.rescore or revived or _wanted_again(score, options):
                yield run.path, record, info.name


def _wanted_again(score: Score, options: RunOptions) -> bool:
    if score.status != "judge_error":
        return False
    reason = score.reason or ""
    return options.retry_errors or reason in {OUT_OF_BUDGET, GIVEN_UP} or reason.startswith(NO_REPLY)


def _finish(folder: Path, stopped: str | None, started: Run | None) -> RunResult:
    """Accept or give up a scoring anew, and write the summary. One that stopped leaves the run as it was."""
    if rescoring.going_on(folder):
        new: Collection[Score] = rescoring.scores(folder)
        stopped = stopped or judge_failure(read_run(folder).metrics, new)
        (rescoring.give_up if stopped else rescoring.accept)(folder)
        run = read_run(folder)
        standing = _standing(run, started)
    else:
        run = read_run(folder)
        new = run.scores.values()
        standing = stopped = stopped or _standing(run, started)
    summary = summarize(run, stopped=standing)
    write_json(folder / SUMMARY, summary)
    reason = next((score.reason for score in new if score.status == "judge_error"), None)
    return RunResult(replace(run, summary=summary), stopped, reason)


def _standing(run: Run, started: Run | None) -> str | None:
    """Why a run is not whole although nothing stopped it this time: it was resumed without its judge, say."""
    scored = all((*key, name) in run.scores for name in run.metrics for key in run.answers)
    before = None if started is None else started.summary.get("stopped")
    return judge_failure(run.metrics, run.scores.values()) or (None if scored else before or "interrupted")


def judge_failure(metrics: Mapping[str, MetricInfo], scores: Iterable[Score]) -> str | None:
    """``judge_unreachable`` or ``judge_failed`` where the judge was asked and gave no score at all."""
    asked = [
        score
        for score in scores
        if score.metric in metrics and metrics[score.metric].judged and score.tokens is not None
        if score.status in {"ok", "judge_error"} and score.reason not in {OUT_OF_BUDGET, GIVEN_UP}
    ]
    if not asked or any(score.status == "ok" for score in asked):
        return None
    reached = any(not (score.reason or "").startswith(NO_REPLY) for score in asked)
    return "judge_failed" if reached else "judge_unreachable"


def _spent(run: Run) -> float:
    return (run.judge_usage["cost"] or 0.0) + sum(record.cost or 0.0 for record in run.answers.values())


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
