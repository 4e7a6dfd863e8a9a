"""The lesser evaluation commands: questions of one's own, a calibration of one's own, the judge's noise."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.crag.cli import ROOT, child_environment, crag, sentence
from tests.fakes.http import ScriptedServer
from tests.fakes.judge import judge

SUITE = ROOT / "crag" / "samples" / "suite"


def test_questions_are_drafted_reviewed_written_and_asked(home: Path, tmp_path: Path) -> None:
    drafts, suite = tmp_path / "drafts.json", tmp_path / "suite"
    ran = crag("eval", "testset", "draft", "--out", drafts, "--count", "12", "--json", home=home)
    assert ran.code == 0, ran.err
    assert ran.json["drafts"] >= 6
    assert crag("eval", "testset", "draft", "--out", drafts, home=home).code == 2
    nothing = crag("eval", "testset", "write", drafts, "--out", suite)
    assert nothing.code == 2
    assert "review" in sentence(nothing)
    command = [sys.executable, "-m", "crag", "eval", "testset", "review", str(drafts)]
    typed = "a\ne\nA better question?\nA better reference.\nd\nq\n"
    said = subprocess.run(
        command, input=typed, capture_output=True, text=True, encoding="utf-8", env=child_environment(), check=True
    ).stdout
    assert "2 accepted, 1 dropped" in said
    assert crag("eval", "testset", "write", drafts, "--out", suite, "--json").json["questions"] == 2
    questions = [json.loads(line) for line in (suite / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert questions[1]["question"] == "A better question?"
    out = tmp_path / "run"
    ran = crag(
        "eval",
        "run",
        "--suite",
        suite,
        "--pipeline",
        "crag",
        "--out",
        out,
        "--metrics",
        "recall@5",
        "--json",
        home=home,
    )
    assert ran.code == 0, ran.err
    assert ran.json["runs"][0]["summary"]["questions"] == 2


def test_a_calibration_of_ones_own_is_fitted_and_used(home: Path) -> None:
    ran = crag("eval", "calibrate", "--suite", SUITE, "--json", home=home, timeout=300)
    better = ran.json["after"]["brier"] < ran.json["before"]["brier"]
    assert (ran.code, ran.json["path"] is not None) == ((0, True) if better else (1, False)), ran.err
    ran = crag("eval", "calibrate", "--suite", SUITE, "--keep", "--json", home=home, timeout=300)
    assert ran.code == 0, ran.err
    fitted = ran.json
    assert fitted["cases"] > 40
    assert fitted["after"]["auc"] > 0.7
    answer = crag("ask", "每日备份保留多少天？", "--json", home=home).json
    assert answer["models"]["calibration"] == fitted["name"]
    Path(fitted["path"]).write_text("{}")
    broken = crag("ask", "每日备份保留多少天？", home=home)
    assert broken.code == 2
    assert Path(fitted["path"]).name in sentence(broken)


def test_judge_noise_asks_the_judge_of_the_run_again(home: Path, tmp_path: Path) -> None:
    with ScriptedServer(judge) as server:
        judged = ("--judge", "scripted", "--judge-url", f"{server.url}/v1")
        suite = ("--suite", SUITE, "--sample", "2", "--pipeline", "vector", "--metrics", "answer_relevancy,f1")
        ran = crag("eval", "run", *suite, *judged, "--out", tmp_path / "run", home=home, timeout=300)
        assert ran.code == 0, ran.err
        asked = len(server.requests)
        ran = crag("eval", "judge-noise", tmp_path / "run", *judged, "--json", timeout=300)
        assert ran.code == 0, ran.err
        assert [entry["metric"] for entry in ran.json["metrics"]] == ["answer_relevancy"]
        assert len(server.requests) == 2 * asked
        ran = crag("eval", "judge-noise", tmp_path / "run", "--judge", "another", *judged[2:])
        assert ran.code == 2
        assert "the same judge" in sentence(ran)
    ran = crag("eval", "judge-noise", tmp_path / "run", *judged, "--json", timeout=300)
    assert (ran.code, ran.out) == (4, "")
    assert "gave no score in judging 2 (no reply from the judge: cannot connect" in ran.err
    # Another seed is another reply, which the cache does not hold.
    (tmp_path / "judge.yaml").write_text("extra: {seed: 1}\n")
    again = ("--judge-file", tmp_path / "judge.yaml", "--out", tmp_path / "run", "--resume", "--rescore")
    ran = crag("eval", "run", *suite, *judged, *again, home=home, timeout=300)
    assert ran.code == 1, ran.err
    assert "The new scoring did not end (judge unreachable: no reply from the judge: cannot connect" in ran.err
    assert (tmp_path / "run" / "summary.json").is_file()


def test_judge_noise_without_a_judge_says_what_to_name(tmp_path: Path) -> None:
    ran = crag("eval", "judge-noise", tmp_path)
    assert ran.code == 2
    assert "CRAG_JUDGE_MODEL" in sentence(ran)
