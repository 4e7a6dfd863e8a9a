"""The three journeys on the command line, without a key, in processes that may not reach the network."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crag.cli import COMMANDS
from crag.cli.evaluate import COMMANDS as EVAL_COMMANDS
from tests.crag.cli import ROOT, SAMPLES, child_environment, crag
from tests.crag.serving import serving

SUITE = ROOT / "crag" / "samples" / "suite"
QUESTION = "When does the nightly Ragas run start?"


def test_ask_prints_an_answer_that_a_stranger_understands(home: Path) -> None:
    ran = crag("ask", QUESTION, home=home)
    assert ran.code == 0
    for part in ("02:30", "[1]", "Sources", "Reading Ragas scores", "evidence ", "No language model is configured"):
        assert part in ran.out
    assert ran.err == ""


def test_ask_as_json_is_the_answer(home: Path) -> None:
    answer = crag("ask", "每日备份保留多少天？", "--json", "--trace", home=home).json
    assert "14 天" in answer["text"]
    assert answer["pipeline"]["name"] == "crag"
    assert answer["models"]["generation"] == "extractive"
    assert [event["node"] for event in answer["trace"]][:4] == ["condense", "retrieve", "rerank", "grade"]
    citation = answer["citations"][0]
    document = crag("docs", "show", citation["document"], "--json", home=home).json
    assert document["text"][citation["start"] : citation["end"]] == citation["quote"]


@pytest.mark.parametrize("pipeline", ["vector", "hybrid", "hybrid-rerank", "crag"])
def test_every_shipped_pipeline_answers(home: Path, pipeline: str) -> None:
    answer = crag("ask", QUESTION, "--pipeline", pipeline, "--json", home=home).json
    assert "02:30" in answer["text"]
    assert answer["pipeline"]["name"] == pipeline
    assert answer["models"]["grading"] == ("on" if pipeline == "crag" else "off")


def test_a_running_server_is_asked_and_gives_the_same(home: Path) -> None:
    alone = crag("ask", QUESTION, "--json", home=home).json
    with serving(home):
        served = crag("ask", QUESTION, "--json", home=home).json
        trace = crag("ask", QUESTION, "--trace", home=home)
        hits = crag("search", QUESTION, home=home)
    assert trace.code == hits.code == 0
    assert "retrieve" in trace.out
    assert "Reading Ragas scores" in hits.out
    for answer in (alone, served):
        del answer["timings"]
    assert served == alone


def test_a_server_leaves_no_trace_when_it_is_terminated(home: Path) -> None:
    with serving(home) as server:
        assert (home / "server.json").exists()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(15)
    assert not (home / "server.json").exists()
    # The note of a server that was killed is ignored.
    (home / "server.json").write_text(json.dumps({"host": "127.0.0.1", "port": 9, "pid": 1}))
    assert crag("ask", QUESTION, home=home).code == 0


def test_a_pipeline_of_ones_own_is_served_and_asked_for(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    path.write_text("extends: crag\ngeneration:\n  max_sentences: 1\n")
    with serving(home, "--pipeline", str(path)):
        answer = crag("ask", QUESTION, "--pipeline", path, "--json", home=home).json
        assert answer["pipeline"]["name"] == "short"
        path.write_text("extends: crag\ngeneration:\n  max_sentences: 2\n")
        stale = crag("ask", QUESTION, "--pipeline", path, home=home)
        assert stale.code == 2
        assert "restart it with --pipeline" in stale.err


def test_documents_are_added_changed_removed_and_pruned(tmp_path: Path) -> None:
    docs, home = tmp_path / "docs", tmp_path / "home"
    docs.mkdir()
    (docs / "a.md").write_text("# Boats\n\nThe red boat is nine metres long.\n")
    (docs / "b.txt").write_text("The blue boat is twelve metres long.\n")

    def ingest(*options: str) -> dict[str, int]:
        report = crag("ingest", docs, "--json", *options, home=home).json
        return {kind: report[kind] for kind in ("added", "updated", "unchanged", "removed")}

    assert ingest() == {"added": 2, "updated": 0, "unchanged": 0, "removed": 0}
    assert ingest() == {"added": 0, "updated": 0, "unchanged": 2, "removed": 0}
    (docs / "a.md").write_text("# Boats\n\nThe red boat is ten metres long.\n")
    (docs / "b.txt").unlink()
    assert ingest("--prune") == {"added": 0, "updated": 1, "unchanged": 0, "removed": 1}
    hits = crag("search", "How long is the red boat?", "--json", home=home).json["hits"]
    assert [("ten" in hit["text"], "nine" in hit["text"]) for hit in hits] == [(True, False)]
    listed = crag("docs", "list", "--json", home=home).json["documents"]
    assert [Path(each["source"]).name for each in listed] == ["a.md"]
    removed = crag("docs", "remove", listed[0]["id"], "--json", home=home).json["removed"]
    assert removed[0]["id"] == listed[0]["id"]
    assert crag("index", "verify", "--json", home=home).json["ok"]


def test_chunks_lie_where_they_say(tmp_path: Path) -> None:
    file = SAMPLES / "zh" / "glossary.md"
    shape = crag("chunk", file, "--strategy", "hybrid", "--set", "target_tokens=100", "--json").json
    assert len(shape["chunks"]) > 3
    for chunk in shape["chunks"]:
        assert shape["text"][chunk["start"] : chunk["end"]] == chunk["text"]
    page = tmp_path / "chunks.html"
    assert crag("chunk", file, "--html", page).code == 0
    assert "http://" not in page.read_text().replace("http://www.w3.org/", "")
    cut = crag("chunk", file, "--set", "target_tokens=60")
    assert "(min_tokens 60, target_tokens 60, max_tokens 480)" in cut.out.splitlines()[-1]
    refused = crag("chunk", file, "--set", "target_token=100")
    assert refused.code == 2
    assert "known are" in refused.err


def test_a_cut_names_what_it_leaves_out_and_never_writes_over_its_file(tmp_path: Path) -> None:
    file = tmp_path / "a.md"
    file.write_text("# Title\n\nSome text.\n\n<!-- hidden -->\n\nMore text.\n", encoding="utf-8")
    shown = crag("chunk", file).out
    assert "note: kept out of the index unless chunking.keep_noise is set: comment" in shown
    (tmp_path / "same.html").symlink_to(file)
    for out in (file, tmp_path / "same.html"):
        refused = crag("chunk", file, "--html", out)
        assert refused.code == 2
        assert "is the file to be cut" in refused.err
    assert file.read_text(encoding="utf-8").startswith("# Title")


def test_index_status_and_rebuild(home: Path) -> None:
    before = crag("index", "status", "--json", home=home).json
    assert before["documents"] == before["index"]["documents"] >= 12
    assert before["index"]["vectors"] == before["index"]["chunks"]
    shutil.rmtree(home / "indexes")
    broken = crag("index", "verify", home=home)
    assert broken.code == 1
    assert "crag index rebuild" in broken.err
    assert crag("index", "rebuild", "--json", home=home).json == before | {"index": crag_index(home)}
    assert crag("index", "verify", home=home).code == 0


def crag_index(home: Path) -> dict[str, object]:
    index: dict[str, object] = crag("index", "status", "--json", home=home).json["index"]
    return index


def test_doctor_says_what_was_picked(home: Path) -> None:
    ran = crag("doctor", home=home)
    assert ran.code == 0
    for part in ("rank-bm25", "embedding", "extractive", "no language model is configured", "TAVILY_API_KEY"):
        assert part in ran.out
    for name in ("extra office", "extra ocr", "extra qdrant", "SEARXNG_URL", "RERANK_API_KEY", "CRAG_WEB"):
        assert re.search(rf"^  {name} +\S", ran.out, flags=re.MULTILINE), name
    told = crag("doctor", "--json", home=home, OPENAI_API_KEY="sk-secret")
    assert told.code == 1
    assert "CRAG_CHAT_MODEL" in told.json["problems"][0]
    assert "sk-secret" not in told.out


def test_pipelines_are_listed_shown_and_compared() -> None:
    listed = crag("pipelines", "list", "--json").json["pipelines"]
    assert [each["name"] for each in listed] == ["vector", "hybrid", "hybrid-rerank", "crag"]
    shown = crag("pipelines", "show", "crag")
    assert "# generation: extractive" in shown.out
    assert crag("pipelines", "diff", "vector", "hybrid", "--json").json["differences"] == {
        "retrieval.lexical": {"old": False, "new": True}
    }


def test_the_index_and_the_doctor_speak_to_people(home: Path, tmp_path: Path) -> None:
    status = crag("index", "status", home=home).out
    assert "18 documents in " in status
    assert re.search(r"vectors +\d+ \(\d+ KB on disk\)|vectors +\d+ \(\d\.\d MB on disk\)", status)
    assert "{" not in status
    assert "Nothing stands in the way." in crag("doctor", home=home).out
    fresh = crag("doctor", home=tmp_path / "none").out
    assert "Nothing stands in the way." not in fresh
    assert "crag ingest FOLDER" in fresh
    path = tmp_path / "mine.yaml"
    path.write_text("extends: crag\nretrieval:\n  top_k: 8\n")
    assert re.fullmatch(r"# mine, version \w{12}", crag("pipelines", "show", path).out.splitlines()[0])


@pytest.mark.parametrize("commands", [COMMANDS, EVAL_COMMANDS])
def test_the_help_lists_each_command_with_its_own_first_line(commands: dict[str, tuple[str, str]]) -> None:
    import importlib

    for name, (place, line) in commands.items():
        module, attribute = place.split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert command.help.splitlines()[0] == line, name


def test_eval_runs_the_ladder_and_compares(home: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    ran = crag(
        "eval", "run", "--suite", SUITE, "--pipeline", "vector", "--pipeline", "crag", "--sample", "8",
        "--out", runs, "--metrics", "recall@5,mrr,contains_reference,refusal_accuracy", home=home, timeout=300,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    rows = [line.split() for line in ran.out.splitlines()[:5]]
    assert rows[0] == ["metric", "vector", "crag"]
    assert [row[0] for row in rows[1:]] == ["recall@5", "mrr", "contains_reference", "refusal_accuracy"]
    assert all(0 <= float(value) <= 1 for row in rows[1:] for value in row[1:])
    for name in ("vector", "crag"):
        manifest = json.loads((runs / name / "manifest.json").read_text())
        assert manifest["pipeline"]["resolved"]["models"]["embedding"] == "local"
        assert len((runs / name / "answers.jsonl").read_text().splitlines()) == 8
    again = crag("eval", "run", "--suite", SUITE, "--pipeline", "vector", "--out", runs / "vector", home=home)
    assert again.code == 2
    assert "--resume" in again.err
    declared = ("--primary", "refusal_accuracy")  # As in the README.
    compared = crag("eval", "compare", runs / "vector", runs / "crag", *declared, "--html", tmp_path / "report.html")
    assert compared.code == 0, compared.err
    assert "crag - vector" in compared.out
    assert "Decided by refusal_accuracy" in compared.out
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_eval_sweeps_a_field(home: Path, tmp_path: Path) -> None:
    ran = crag(
        "eval", "sweep", "--suite", SUITE, "--pipeline", "vector", "--vary", "retrieval.top_k=1,10",
        "--out", tmp_path / "s", "--metrics", "recall@5", "--json", home=home, timeout=300,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert [point["overrides"] for point in ran.json["points"]] == [{"retrieval.top_k": 1}, {"retrieval.top_k": 10}]
    assert all(point["beside"]["chunks"] > 18 for point in ran.json["points"])


def test_killed_in_the_middle_of_ingest_nothing_is_lost_or_twice(home: Path, tmp_path: Path) -> None:
    """SIGKILL at two moments, then once to the end: the index equals a clean one."""
    killed = tmp_path / "home"
    for delay in (1.5, 3.0):
        command = [sys.executable, "-m", "crag", "ingest", str(SAMPLES)]
        process = subprocess.Popen(
            command, env=child_environment(CRAG_HOME=str(killed)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert crag("ingest", SAMPLES, home=killed).code == 0
    assert crag("index", "verify", home=killed).code == 0
    mine, theirs = (crag("index", "status", "--json", home=each).json for each in (killed, home))
    for key in ("documents", "chunks", "vectors", "pending", "missing"):
        assert mine["index"][key] == theirs["index"][key]
    found = [crag("search", QUESTION, "--json", home=each).json["hits"] for each in (killed, home)]
    assert [hit["text"] for hit in found[0]] == [hit["text"] for hit in found[1]]
