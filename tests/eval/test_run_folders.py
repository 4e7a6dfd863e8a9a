"""Where runs are written: nothing else in the folder, and one process at a time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from chunking.errors import ConfigError, StoreError
from eval.corpus import corpus_of_suite
from eval.lines import read_lines
from eval.options import RunOptions
from eval.run_folders import held
from eval.runner import RunResult, run_suite
from eval.runs import ANSWERS
from eval.suite import load_suite
from graph.types import Answer
from tests.fakes.systems import ScriptedSystem, answer


def respond(question: str) -> Answer:
    return answer(question, "Every six months.")


def run(tmp_path: Path, *names: str, out: Path, resume: bool = False) -> list[RunResult]:
    folder = tmp_path / "suite"
    folder.mkdir(exist_ok=True)
    lines = {
        "documents": {"doc_id": "pump", "text": "It is serviced every six months."},
        "questions": {"id": "q1", "question": "How often?"},
    }
    for name, line in lines.items():
        (folder / f"{name}.jsonl").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    suite = load_suite(folder)
    systems = [ScriptedSystem(respond, name=name) for name in names]
    options = RunOptions(metrics=("f1",), resume=resume)
    return asyncio.run(run_suite(suite, corpus_of_suite(suite), systems, out, options=options))


def test_two_processes_never_write_to_one_run(tmp_path: Path) -> None:
    """Both asked every question, into one file."""
    out = tmp_path / "run"
    with held(out), pytest.raises(StoreError, match=r"Another process works on the run in .*run: wait for it"):
        run(tmp_path, "a", out=out)
    assert not (out / ANSWERS).exists()
    run(tmp_path, "a", out=out)
    with held(out), pytest.raises(StoreError, match="Another process"):
        run(tmp_path, "a", out=out, resume=True)
    run(tmp_path, "a", out=out, resume=True)
    assert len(read_lines(out / ANSWERS)) == 1


def test_a_run_begins_in_no_folder_of_other_things(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "manual.md").write_text("# Pump\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"holds other files \(manual\.md\): give the run a folder of its own"):
        run(tmp_path, "a", out=mine)
    assert [file.name for file in mine.iterdir()] == ["manual.md"]

    run(tmp_path, "a", "b", out=mine)
    with pytest.raises(ConfigError, match=r"holds the runs a, b: to go on with one give its own folder, such as .*a,"):
        run(tmp_path, "a", out=mine, resume=True)


def test_a_run_that_never_began_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), held(tmp_path / "runs" / "new"):
        raise RuntimeError
    assert list((tmp_path / "runs").iterdir()) == []


def test_what_a_killed_call_left_beside_a_run_is_no_hindrance(tmp_path: Path) -> None:
    out = tmp_path / "run"
    (out / "workspace").mkdir(parents=True)
    for name in (".lock", "judge-cache.sqlite", "judge-cache.sqlite-wal"):
        (out / name).touch()
    assert run(tmp_path, "a", out=out)[0].stopped is None


def test_a_place_that_cannot_be_written_is_the_outs_fault(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=r"file.* cannot be written \(.*\): give another --out"):
        run(tmp_path, "a", out=tmp_path / "file")
