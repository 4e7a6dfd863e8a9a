from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.errors import ConfigError, NotFoundError, StoreError
from eval.lines import LineWriter, read_lines, write_json
from eval.runs import (
    ANSWERS,
    MANIFEST,
    SCORES,
    SUMMARY,
    AnswerRecord,
    Context,
    Question,
    Score,
    Span,
    answer_from_dict,
    answer_to_dict,
    read_run,
)

QUESTION = Question("q1", "哪里？", "香港", ("香港",), "extractive", "zh", True, (("user", "你好"),))
CONTEXT = Context(
    1, "d", "d.md", "D", 0, 4, "香港九龙", 4, None, None, 0.5, {"dense": 0.5}, {"dense": 1}, (("e", 3, 7),)
)
RECORD = AnswerRecord(
    QUESTION, 0, "ok", {"text": "香港", "status": "grounded"}, (CONTEXT,),
    ((Span("d", 0, 2, "香港"),),), ((Span("d", 0, 4, "香港九龙"),),), (), ({"node": "retrieve", "milliseconds": 1.0},),
    12.5, {"model_calls": 0}, 0.0, None,
)  # fmt: skip
MANIFEST_VALUE = {
    "format": 1, "suite": {"name": "s", "hash": "h"}, "corpus": {"hash": "h"}, "judge": None, "embedder": None,
    "pipeline": {"name": "crag", "version": "v", "resolved": {}}, "metrics": [], "settings": {}, "packages": {},
    "started": "2026-11-30T01:00:00Z", "seed": 0, "repeat": 1, "concurrency": 4,
}  # fmt: skip


def run_folder(tmp_path: Path, *answers: AnswerRecord, scores: tuple[Score, ...] = ()) -> Path:
    write_json(tmp_path / MANIFEST, MANIFEST_VALUE)
    for name, lines in ((ANSWERS, [answer_to_dict(a) for a in answers]), (SCORES, [s.to_dict() for s in scores])):
        writer = LineWriter(tmp_path / name)
        for line in lines:
            writer.write(line)
        writer.close()
    return tmp_path


def test_an_answer_survives_the_round_trip() -> None:
    assert answer_from_dict(json.loads(json.dumps(answer_to_dict(RECORD)))) == RECORD


def test_the_later_of_two_lines_with_one_key_counts(tmp_path: Path) -> None:
    failed = replace(RECORD, status="pipeline_error", answer=None, error={"type": "provider_error", "message": "m"})
    low, high = Score("q1", 0, "mrr", 0.5, "ok"), Score("q1", 0, "mrr", 1.0, "ok", tokens={"model_calls": 1})
    run = read_run(run_folder(tmp_path, failed, RECORD, scores=(low, high)))
    assert run.answers == {("q1", 0): RECORD}
    assert run.values("mrr") == {"q1": [1.0]}
    assert run.questions == {"q1": QUESTION}
    assert run.name == "crag"
    assert run.summary == {}


def test_a_torn_last_line_is_left_out_and_cut_off_before_the_next(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, RECORD)
    whole = (folder / ANSWERS).read_bytes()
    for cut in (1, len(whole) // 2, len(whole) - 1):
        (folder / ANSWERS).write_bytes(whole + whole[:cut])
        assert len(read_run(folder).answers) == 1
        writer = LineWriter(folder / ANSWERS)
        writer.write(answer_to_dict(replace(RECORD, repeat=1)))
        writer.close()
        assert [line["repeat"] for line in read_lines(folder / ANSWERS)] == [0, 1]


def test_text_that_utf8_cannot_hold_does_not_stop_a_run(tmp_path: Path) -> None:
    writer = LineWriter(tmp_path / ANSWERS)
    writer.write({"text": "a\ud800b\u2028c"})
    writer.close()
    assert read_lines(tmp_path / ANSWERS) == [{"text": "a?b\u2028c"}]


@pytest.mark.parametrize(
    ("value", "status"),
    [(math.nan, "ok"), (None, "ok"), (math.inf, "ok"), (0.5, "judge_error"), (0.0, "not_applicable")],
)
def test_a_value_is_finite_exactly_when_the_status_is_ok(value: float | None, status: str) -> None:
    with pytest.raises(ValueError, match="status"):
        Score("q", 0, "mrr", value, status)  # type: ignore[arg-type]


def test_a_folder_without_a_run_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="crag eval run"):
        read_run(tmp_path)
    for name in ("hybrid", "crag"):
        (tmp_path / name).mkdir()
        write_json(tmp_path / name / MANIFEST, MANIFEST_VALUE)
    with pytest.raises(NotFoundError, match=r"it holds the runs crag, hybrid; name one of them, such as .*crag$"):
        read_run(tmp_path)


def test_another_format_and_a_damaged_line_are_named(tmp_path: Path) -> None:
    folder = run_folder(tmp_path, RECORD)
    (folder / SCORES).write_text('{"question": "q1"\n{}\n')
    with pytest.raises(StoreError, match=r"scores.jsonl:1"):
        read_run(folder)
    write_json(folder / MANIFEST, {**MANIFEST_VALUE, "format": 0})
    with pytest.raises(ConfigError, match="format 0"):
        read_run(folder)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (SCORES, "{}"),
        (SCORES, '{"question": "q1", "repeat": 0, "metric": "mrr", "value": NaN, "status": "ok"}'),
        (SCORES, '{"question": ["q1"], "repeat": 0, "metric": "mrr", "value": 1.0, "status": "ok"}'),
        (SCORES, '{"question": "q1", "repeat": 0, "metric": "mrr", "value": "1", "status": "ok"}'),
        (ANSWERS, "[]"),
        (ANSWERS, '{"id": "q1"}'),
        (SUMMARY, '{"metrics": {"mrr": 1}}'),
        (MANIFEST, '{"format": 1}'),
        (MANIFEST, json.dumps({**MANIFEST_VALUE, "metrics": [{"name": "mrr"}]})),
        (MANIFEST, json.dumps({**MANIFEST_VALUE, "suite": "s"})),
    ],
)
def test_json_that_is_no_run_is_damage(tmp_path: Path, file: str, text: str) -> None:
    """`--gates` exits 3 on a damaged run; a traceback of ours came as 1, a failed gate."""
    folder = run_folder(tmp_path, RECORD)
    (folder / file).write_text(f"{text}\n")
    with pytest.raises(StoreError, match=f"{file}.* is damaged"):
        read_run(folder)
