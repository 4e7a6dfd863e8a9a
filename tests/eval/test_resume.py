"""Runs that are continued, scored anew or killed meanwhile: nothing asked twice, nothing lost, none finished early."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError
from eval.corpus import corpus_of_suite
from eval.lines import LineWriter
from eval.options import RunOptions
from eval.runner import Progress, RunResult, run_suite
from eval.runs import ANSWERS, SCORES, SUMMARY, read_run
from eval.suite import Suite
from tests.fakes.small_suite import FREE, QUESTIONS, run, script, suite_folder
from tests.fakes.systems import ScriptedSystem


def test_nothing_is_asked_or_scored_twice_on_resume(suite: Suite, tmp_path: Path) -> None:
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, system, out=tmp_path / "run", repeat=2)
    before = {name: (tmp_path / "run" / name).read_bytes() for name in (ANSWERS, SCORES, SUMMARY)}
    assert len(system.asked) == 6
    resumed = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, resumed, out=tmp_path / "run", repeat=2, resume=True)
    assert not resumed.asked
    assert (system.readied, resumed.readied) == (1, 0)
    assert {name: (tmp_path / "run" / name).read_bytes() for name in before} == before


def test_a_run_cut_anywhere_resumes_to_the_same_scores(suite: Suite, tmp_path: Path) -> None:
    handler = script(corpus_of_suite(suite))
    (whole,) = run(suite, ScriptedSystem(handler), out=tmp_path / "run")
    lines = (tmp_path / "run" / ANSWERS).read_bytes().splitlines(keepends=True)
    scores = (tmp_path / "run" / SCORES).read_bytes()
    for kept, torn in ((0, b'{"id": "zh"'), (1, b""), (2, lines[2][:-1])):
        (tmp_path / "run" / ANSWERS).write_bytes(b"".join(lines[:kept]) + torn)
        (tmp_path / "run" / SCORES).write_bytes(scores[: len(scores) * kept // 3])
        system = ScriptedSystem(handler)
        (resumed,) = run(suite, system, out=tmp_path / "run", resume=True)
        assert len(system.asked) == 3 - kept
        assert resumed.run.scores.keys() == whole.run.scores.keys()
        assert [resumed.run.scores[key] for key in whole.run.scores] == list(whole.run.scores.values())


def test_an_existing_run_is_not_overwritten_and_a_different_one_not_continued(suite: Suite, tmp_path: Path) -> None:
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, system, out=tmp_path / "run")
    with pytest.raises(ConfigError, match="--resume"):
        run(suite, system, out=tmp_path / "run")
    with pytest.raises(ConfigError, match=r"with another number of repeats \(1 then, 2 now\): choose"):
        run(suite, system, out=tmp_path / "run", resume=True, repeat=2)
    other = ScriptedSystem(script(corpus_of_suite(suite)), version="ffff")
    with pytest.raises(ConfigError, match="pipeline version"):
        run(suite, other, out=tmp_path / "run", resume=True)
    changed = suite_folder(tmp_path / "suite", QUESTIONS[:2])
    with pytest.raises(ConfigError, match="suite"):
        run(changed, system, out=tmp_path / "run", resume=True)


class Killed(Exception):  # noqa: N818
    """Stands for kill -9: nothing of the run is closed or finished after it."""


def killed_after(scores: int) -> Callable[[Progress], None]:
    def progress(seen: Progress) -> None:
        if seen.stage == "scores" and seen.done == scores:
            raise Killed

    return progress


def rescored(suite: Suite, out: Path, *metrics: str, killed: int | None = None, **options: Any) -> RunResult:
    corpus = corpus_of_suite(suite)
    options = {"metrics": metrics or FREE, "resume": True, **options}
    progress = None if killed is None else killed_after(killed)
    running = run_suite(
        suite, corpus, [ScriptedSystem(script(corpus))], out, options=RunOptions(**options), progress=progress
    )
    return asyncio.run(running)[0]


def test_a_killed_rescoring_leaves_the_scores_and_is_not_a_finished_run(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "run"
    (whole,) = run(suite, ScriptedSystem(script(corpus_of_suite(suite))), out=out)
    assert whole.run.summary
    with pytest.raises(Killed):
        rescored(suite, out, rescore=True, killed=2)
    left = read_run(out)
    assert left.summary == {}
    assert left.scores == whole.run.scores
    assert rescored(suite, out).run == whole.run
    with pytest.raises(Killed):
        rescored(suite, out, rescore=True, killed=2)
    assert rescored(suite, out, rescore=True).run.scores == whole.run.scores
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == []


def test_a_resumed_run_is_not_finished_while_it_goes_on(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run(suite, ScriptedSystem(script(corpus_of_suite(suite))), out=out, metrics=("f1",))
    with pytest.raises(Killed):
        rescored(suite, out, "f1", "mrr", killed=0)
    assert read_run(out).summary == {}
    unscored = rescored(suite, out, "f1")
    assert unscored.stopped == unscored.run.summary["stopped"] == "interrupted"
    assert rescored(suite, out, "f1", "mrr").run.summary["stopped"] is None


def test_rescoring_some_metrics_keeps_the_others(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "run"
    (whole,) = run(suite, ScriptedSystem(script(corpus_of_suite(suite))), out=out)
    again = rescored(suite, out, "f1", rescore=True)
    assert again.run.scores == whole.run.scores
    assert again.run.manifest["metrics"] == whole.run.manifest["metrics"]
    assert len((out / SCORES).read_bytes().splitlines()) == len(whole.run.scores) + 3


def test_rescoring_keeps_the_answers(suite: Suite, tmp_path: Path) -> None:
    system = ScriptedSystem(script(corpus_of_suite(suite)))
    run(suite, system, out=tmp_path / "run", metrics=("mrr",))
    writer = LineWriter(tmp_path / "run" / SCORES)
    writer.write({"question": "zh", "repeat": 0, "metric": "mrr", "value": 0.0, "status": "ok", "reason": None})
    writer.close()
    (result,) = run(suite, system, out=tmp_path / "run", metrics=("mrr", "f1"), resume=True, rescore=True)
    assert len(system.asked) == 3
    assert result.run.values("mrr")["zh"] == [1.0]
    assert list(result.run.metrics) == ["mrr", "f1"]
