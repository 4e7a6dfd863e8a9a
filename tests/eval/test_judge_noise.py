"""The A/A floor: the same answers, judged again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from chunking.errors import ConfigError, NotFoundError
from eval.judge_noise import judge_noise, read_noise
from eval.runs import Run
from tests.fakes.runs import CORRECTNESS, F1, FAITHFULNESS, Case, write_run


def judged(folder: Path, values: list[float], text: str = "The same answer.") -> Run:
    cases = [Case(f"q{n}", {"correctness": value, "f1": value}, text=text) for n, value in enumerate(values)]
    return write_run(folder, cases, metrics=(CORRECTNESS, F1))


def test_a_judge_that_never_changes_has_no_floor(tmp_path: Path) -> None:
    report = judge_noise([judged(tmp_path / str(n), [1.0, 0.5, 0.0, 1.0]) for n in range(3)])
    assert report.floors == {"correctness": 0.0}
    assert report.sentence == "judge-1 gave every answer the same scores 3 times."


def test_the_floor_is_what_two_judgings_may_differ_by(tmp_path: Path) -> None:
    first, second = judged(tmp_path / "1", [1.0, 0.5, 0.0, 1.0]), judged(tmp_path / "2", [1.0, 1.0, 0.0, 0.5])
    entry = judge_noise([first, second]).metrics[0]
    assert (entry.metric, entry.questions, entry.changed, entry.largest) == ("correctness", 4, 0.5, 0.5)
    variance = (0 + 0.125 + 0 + 0.125) / 4
    assert entry.sd == pytest.approx(variance**0.5)
    assert entry.floor == pytest.approx(1.959964 * (variance * 2 / 4) ** 0.5, rel=1e-6)


def test_a_metric_without_scores_is_not_one_without_noise(tmp_path: Path) -> None:
    def scored(folder: str, correctness: str | float) -> Run:
        cases = [Case(f"q{n}", {"correctness": correctness, "faithfulness": 1.0}) for n in range(4)]
        return write_run(tmp_path / folder, cases, metrics=(CORRECTNESS, FAITHFULNESS))

    report = judge_noise([scored("1", 1.0), scored("2", "judge_error")])
    assert (set(report.floors), report.unmeasured) == ({"faithfulness"}, ("correctness",))
    assert report.sentence.endswith("Too few answers were scored every time to tell of correctness.")
    nothing = [judged(tmp_path / name, [1.0]) for name in ("3", "4")]
    with pytest.raises(ConfigError, match="scored in all 2 judgings"):
        judge_noise(nothing)


def test_a_saved_report_gives_the_floors_back(tmp_path: Path) -> None:
    report = judge_noise([judged(tmp_path / "1", [1.0, 0.0]), judged(tmp_path / "2", [0.5, 0.0])])
    file = tmp_path / "noise.json"
    file.write_text(json.dumps(report.to_dict()), encoding="utf-8")
    assert read_noise(file) == report.floors
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(ConfigError, match="not a judge-noise report"):
        read_noise(file)
    with pytest.raises(NotFoundError, match="does not exist"):
        read_noise(tmp_path / "none.json")


def test_other_answers_are_not_noise(tmp_path: Path) -> None:
    first, second = judged(tmp_path / "1", [1.0, 0.5]), judged(tmp_path / "2", [1.0, 0.5], text="Another answer.")
    with pytest.raises(ConfigError, match="different answers"):
        judge_noise([first, second])
    with pytest.raises(ConfigError, match="at least twice"):
        judge_noise([first])
    unjudged = [write_run(tmp_path / n, [Case("q", {"f1": 1.0})], metrics=(F1,)) for n in ("3", "4")]
    with pytest.raises(ConfigError, match="judged by a language model"):
        judge_noise(unjudged)
