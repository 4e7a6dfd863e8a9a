"""A sweep chooses on one half of the questions and reports on the other."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError
from eval.runs import Run
from eval.sweep import parse_grid, split_questions, sweep
from tests.fakes.runs import CORRECTNESS, F1, RECALL, Case, write_run

TYPES = ("factual", "summary")


def runner(folder: Path, quality: Mapping[Any, float], *, questions: int = 40, noise: float = 0.0):  # type: ignore[no-untyped-def]
    """A pipeline whose f1 depends on the setting, and by `noise` on luck."""

    def run(overrides: Mapping[str, Any]) -> Run:
        (value,) = overrides.values()
        luck = random.Random(f"luck-{value}")
        cases = [
            Case(
                f"q{n:02}",
                {"f1": min(1.0, max(0.0, quality[value] + 0.1 * (n % 3) + luck.gauss(0, noise)))},
                type=TYPES[n % 2],
                lang="zh" if n % 4 < 2 else "en",
                latency_ms=100.0 * value,
            )
            for n in range(questions)
        ]
        return write_run(folder / str(value), cases, name=f"k{value}", metrics=(F1,))

    return run


def test_the_best_setting_is_confirmed_on_the_held_out_half(tmp_path: Path) -> None:
    result = sweep({"retrieval.top_k": [1, 2, 3]}, runner(tmp_path, {1: 0.3, 2: 0.6, 3: 0.5}, noise=0.02))
    assert result.chosen.overrides == {"retrieval.top_k": 2}
    assert (result.tuning_questions, result.held_out_questions) == (20, 20)
    assert result.challenger is result.chosen
    assert result.comparison.candidates[0].verdict == "BETTER"
    assert result.comparison.candidates[0].primary.test.n == 20
    assert result.sentence.startswith("retrieval.top_k=2 is BETTER than retrieval.top_k=1 on f1")
    assert [point.latency_ms for point in result.points] == [100.0, 200.0, 300.0]
    assert result.to_dict()["chosen"] == {"retrieval.top_k": 2}


def test_ten_identical_settings_are_no_improvement(tmp_path: Path) -> None:
    """The winner looks better on the half that chose it, and the report does not believe it."""
    same = dict.fromkeys(range(1, 11), 0.4)
    result = sweep({"retrieval.top_k": list(same)}, runner(tmp_path, same, noise=0.15))
    assert result.optimism > 0.02
    assert result.comparison.candidates[0].verdict == "NO DIFFERENCE SHOWN"


def test_what_explains_a_setting_stands_beside_it(tmp_path: Path) -> None:
    """On the held-out half, as the figure that it explains; an older run without an index lacks a column, no more."""
    sizes = {1: {"chunks": 900, "mean_tokens": 112.25}, 2: {}}

    def run(overrides: Mapping[str, Any]) -> Run:
        (value,) = overrides.values()
        cases = [Case(f"q{n:02}", {"f1": 0.5, "recall@5": float(n < value * 4)}) for n in range(8)]
        return write_run(tmp_path / str(value), cases, metrics=(F1, RECALL), index=sizes[value])

    result = sweep({"chunking.target_tokens": [1, 2]}, run, primary="f1")
    _, held_out = split_questions(result.points[0].run, "f1")
    recall = sum(int(question[1:]) < 4 for question in held_out) / len(held_out)
    assert [dict(point.beside) for point in result.points] == [
        {"recall@5": recall, "chunks": 900, "tokens a chunk": 112.25},
        {"recall@5": 1.0},
    ]
    assert result.columns == ("recall@5", "chunks", "tokens a chunk")


def test_no_setting_wins_by_failing(tmp_path: Path) -> None:
    """The second fails on the three questions in four that the first gets half right, and is right on the rest."""

    def run(overrides: Mapping[str, Any]) -> Run:
        (value,) = overrides.values()
        cases = [
            Case(f"q{n:02}", {"f1": "pipeline_error" if value == 2 and n % 4 else 1.0 if value == 2 else 0.6})
            for n in range(40)
        ]
        return write_run(tmp_path / str(value), cases, metrics=(F1,))

    result = sweep({"retrieval.top_k": [1, 2]}, run)
    assert result.chosen.overrides == {"retrieval.top_k": 1}
    assert [point.missing for point in result.points] == [0, 30]
    assert result.points[1].tuning + result.points[1].held_out == pytest.approx(0.5)


def test_a_tie_recommends_nothing(tmp_path: Path) -> None:
    result = sweep({"retrieval.top_k": [1, 2]}, runner(tmp_path, {1: 0.4, 2: 0.4}))
    assert result.chosen.overrides == {"retrieval.top_k": 1}
    assert result.sentence.startswith("Nothing to choose: all")
    assert not result.decided
    assert result.to_dict()["challenger"] == {"retrieval.top_k": 2}
    assert result.to_dict()["verdict"] == "NO DIFFERENCE SHOWN"


def test_halves_are_alike_disjoint_and_seeded(tmp_path: Path) -> None:
    run = runner(tmp_path, {1: 0.4})({"k": 1})
    tuning, held = split_questions(run, "f1", seed=3)
    assert tuning.isdisjoint(held)
    assert len(tuning | held) == 40
    for half in (tuning, held):
        kinds = [(run.questions[q].type, run.questions[q].lang) for q in half]
        assert {kinds.count(kind) for kind in set(kinds)} == {5}
    assert split_questions(run, "f1", seed=3) == (tuning, held)
    assert split_questions(run, "f1", seed=4) != (tuning, held)


def test_the_grid_is_read_as_yaml() -> None:
    assert parse_grid(["retrieval.top_k=5, 10", "rerank.provider=none,sentence", "grading.enabled=true,false"]) == {
        "retrieval.top_k": [5, 10],
        "rerank.provider": ["none", "sentence"],
        "grading.enabled": [True, False],
    }
    for twice in ("retrieval.top_k=5,5", "retrieval.top_k=5,7,5.0"):
        with pytest.raises(ConfigError, match="twice"):
            parse_grid([twice])
    assert parse_grid(["a.b=1,true"]) == {"a.b": [1, True]}
    for wrong in ("retrieval.top_k", "top_k=1,2", "retrieval.top_k="):
        with pytest.raises(ConfigError, match="is not a field to vary"):
            parse_grid([wrong])


def test_two_fields_make_every_combination(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    told: list[tuple[int, int]] = []
    inner = runner(tmp_path, {1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4})

    def run(overrides: Mapping[str, Any]) -> Run:
        seen.append(dict(overrides))
        return inner({"k": len(seen)})

    result = sweep({"a.b": [1, 2], "c.d": ["x", "y"]}, run, progress=lambda done, total, _: told.append((done, total)))
    assert seen == [{"a.b": a, "c.d": c} for a in (1, 2) for c in ("x", "y")]
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4)]
    assert result.chosen.label == "a.b=2, c.d=y"


def test_what_cannot_be_swept_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least two settings"):
        sweep({"retrieval.top_k": [1]}, runner(tmp_path, {1: 0.4}))
    with pytest.raises(ConfigError, match="at least 4"):
        sweep({"retrieval.top_k": [1, 2]}, runner(tmp_path, {1: 0.4, 2: 0.5}, questions=3))
    with pytest.raises(ConfigError, match="'correctness' was not measured"):
        sweep({"retrieval.top_k": [1, 2]}, runner(tmp_path, {1: 0.4, 2: 0.5}), primary=CORRECTNESS.name)
