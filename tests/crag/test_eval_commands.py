"""The lesser evaluation commands: questions of one's own, a calibration of one's own, the judge's noise."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.errors import ConfigError
from crag.calibration import require_enough
from eval.testset import Draft, Passage, load_drafts, save_drafts
from graph.calibrate import Case, half_of
from tests.crag.cli import ROOT, child_environment, crag, sentence
from tests.fakes.http import ScriptedServer
from tests.fakes.judge import judge

SUITE = ROOT / "crag" / "samples" / "suite"


def reviewed(drafts: Path, typed: str, *options: str) -> str:
    """What the review on the terminal says to one who types `typed`."""
    command = [sys.executable, "-m", "crag", "eval", "testset", "review", str(drafts), *options]
    return subprocess.run(
        command, input=typed, capture_output=True, text=True, encoding="utf-8", env=child_environment(), check=True
    ).stdout


def test_a_review_on_the_terminal_goes_back_shows_edits_and_is_opened_again(tmp_path: Path) -> None:
    file = tmp_path / "drafts.json"
    place = Passage("pump.md", "Pump", 0, 19, "水泵每六个月保养一次。每年更换滤芯。", "", "", closes=True)
    pump = Draft("d001", "水泵多久保养一次？", "每六个月。", "factual", "zh", True, (place,), "pattern:table")
    save_drafts(file, [pump, replace(pump, id="d002", question="滤芯多久更换一次？")])
    edit = "e\nHow often is the pump serviced?\nsummary\nEvery six months.\nnot there\n水泵每六个月保养一次\n"
    said = reviewed(file, f"a\nb\n{edit}b\na\nd\nb\na\nq\n")
    assert "1 of 2 · d001 · factual · zh · from a table · accepted" in said, "back to what was decided"
    assert "does not say 'not there'" in said
    assert "This is the first draft." in said
    assert "d001 · summary · en · from a table · accepted\nQuestion   How often is the pump serviced?" in said
    assert "2 accepted, 0 dropped, 0 to go" in said, "dropped, then back from the end"
    assert "…" not in said
    first, _ = load_drafts(file)
    assert (first.type, first.lang, first.passages[0].text) == ("summary", "en", "水泵每六个月保养一次")
    assert "--again goes through them once more" in reviewed(file, "")
    assert "1 accepted, 1 dropped" in reviewed(file, "d\ns\nq\n", "--again")


def test_questions_are_drafted_reviewed_written_and_asked(home: Path, tmp_path: Path) -> None:
    drafts, suite = tmp_path / "drafts.json", tmp_path / "suite"
    ran = crag("eval", "testset", "draft", "--out", drafts, "--count", "12", "--json", home=home)
    assert ran.code == 0, ran.err
    assert ran.json["drafts"] >= 6
    assert crag("eval", "testset", "draft", "--out", drafts, home=home).code == 2
    told = crag("eval", "testset", "draft", "--out", tmp_path / "more.json", "--home", home).out
    assert f"more.json --home {home}" in told
    nothing = crag("eval", "testset", "write", drafts, "--out", suite)
    assert nothing.code == 2
    assert "review" in sentence(nothing)
    typed = "a\ne\nA better question?\n\nA better reference.\n\na\nd\nq\n"
    assert "2 accepted, 1 dropped" in reviewed(drafts, typed)
    assert crag("eval", "testset", "write", drafts, "--out", suite, "--json").json["questions"] == 2
    questions = [json.loads(line) for line in (suite / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert questions[1]["question"] == "A better question?"
    (suite / "questions.jsonl").write_text("by hand\n")
    refused = crag("eval", "testset", "write", drafts, "--out", suite)
    assert refused.code == 2
    assert "--force" in sentence(refused)
    assert (suite / "questions.jsonl").read_text() == "by hand\n"
    again = crag("eval", "testset", "write", drafts, "--out", suite, "--force", "--home", tmp_path / "my home")
    assert again.code == 0
    assert f"--out runs/mine --home '{tmp_path / 'my home'}'" in again.out
    assert "by hand" not in (suite / "questions.jsonl").read_text(encoding="utf-8")
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


@pytest.mark.parametrize(("spans", "said"), [(0, "No question of the 14"), (9, "Only 9 of the 14")])
def test_a_suite_that_does_not_say_where_its_evidence_is_is_refused_at_once(
    tmp_path: Path, spans: int, said: str
) -> None:
    """Questions with a reference alone, and those without an answer, are none to calibrate on."""
    at = '    reference_spans: [{doc_id: pump.md, text: "Every six months."}]\n'
    lines = [f"  - question: How often, {n}?\n    reference: r\n{at if n < spans else ''}" for n in range(12)]
    lines += [f"  - question: Who, {n}?\n    answerable: false\n" for n in range(2)]
    (tmp_path / "mine.yaml").write_text("questions:\n" + "".join(lines))
    ran = crag("eval", "calibrate", "--suite", tmp_path / "mine.yaml", home=tmp_path / "no-index-yet")
    assert ran.code == 2
    assert said in sentence(ran)
    assert "`reference_spans: [{doc_id: pump.md, text: The pump is serviced every six months.}]`" in sentence(ran)


def test_evidence_that_no_document_holds_is_named_before_calibrating(tmp_path: Path) -> None:
    (tmp_path / "pump.md").write_text("# Pump\n\nThe pump is serviced every six months.\n")
    spans = '[{doc_id: pump.md, text: "The pump is serviced every nine months."}]'
    lines = [f"  - question: How often, {n}?\n    reference: r\n    reference_spans: {spans}\n" for n in range(12)]
    (tmp_path / "mine.yaml").write_text("documents: pump.md\nquestions:\n" + "".join(lines))
    ran = crag("eval", "calibrate", "--suite", tmp_path / "mine.yaml", home=tmp_path / "home")
    assert ran.code == 2
    assert "is not in pump.md (nearest: 'The pump is serviced every six months.'), and 11 more" in sentence(ran)
    assert "--allow" not in sentence(ran)


def test_a_suite_that_is_too_small_to_calibrate_on_says_how_many_it_takes() -> None:
    def found(document: str, count: int) -> list[Case]:
        return [Case("mine", document, (), (held,)) for held in (True, False) for _ in range(count)]

    one = next(name for name in "abcdefgh" if half_of(name) == 0)
    other = next(name for name in "abcdefgh" if half_of(name) == 1)
    require_enough(found(one, 9) + found(other, 1), "mine")
    for cases, said in (
        (found(one, 2) + found(other, 1), "3 found their evidence, in 2 documents (2 in the half that the fit learns"),
        (found(one, 12), "12 found their evidence, in 1 document (12 in the half that the fit learns from, 0 in the"),
    ):
        with pytest.raises(ConfigError, match=re.escape(said)) as caught:
            require_enough(cases, "mine")
        assert "It takes 10, with some in each half" in str(caught.value)


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
