"""Uploads that a server leaves unfinished: told to end, killed, or held up, the next one finishes them."""

from __future__ import annotations

import hashlib
import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import DocumentError
from chunking.loaders import load_path
from crag.api.jobs import Jobs, clean_name, shown
from crag.app import Crag
from crag.settings import Limits
from tests.crag.cli import crag
from tests.crag.serving import serving
from tests.crag.test_uploads import PUMP, answer, finished
from tests.fakes.http import Reply, Request, ScriptedServer
from tests.fakes.openai import embeddings


class Gate:
    """An embedding endpoint that replies to nothing while it is shut, and counts the texts that it replied to."""

    def __init__(self) -> None:
        self.asked, self.open = threading.Event(), threading.Event()
        self.texts: Counter[str] = Counter()

    def reply(self, request: Request) -> Reply:
        given = request.body["input"]
        if any("serviced" in text for text in given):
            self.asked.set()
            self.open.wait(120)
        self.texts.update(given)
        return embeddings([_vector(text) for text in given])

    def pipeline(self, folder: Path, url: str) -> Path:
        path = folder / "far.yaml"
        embedding = f"{{provider: openai, model: scripted, base_url: '{url}/v1', timeout: 600}}"
        path.write_text(f"extends: vector\nname: far\nembedding: {embedding}\n", encoding="utf-8")
        return path


def _vector(text: str) -> list[float]:
    numbers = [byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:8]]
    length = sum(number**2 for number in numbers) ** 0.5
    return [number / length for number in numbers]


def machines(lines: int) -> str:
    """A document of so many sentences."""
    return "# Machines\n\n" + "\n\n".join(f"The machine M-{n} is serviced every {n} days." for n in range(lines))


def test_a_server_that_ends_embeds_no_more_and_the_next_one_no_text_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    gate = Gate()
    with (
        ScriptedServer(gate.reply) as far,
        Crag.open(tmp_path / "home", gate.pipeline(tmp_path, far.url), write=True) as crag,
    ):
        first = Jobs(crag, [crag.pipeline], Limits())
        first.start()
        folder = first.new()
        (folder / "0").write_text(machines(600), encoding="utf-8")
        first.submit(folder, ["machines.md"], "default")
        assert gate.asked.wait(120)
        first.stop()
        gate.open.set()
        first.close()
        done = len(gate.texts)
        assert 0 < done < 600
        assert first.get(folder.name)["status"] == "running"  # type: ignore[index]
        assert crag.documents() == []

        second = Jobs(crag, [crag.pipeline], Limits())
        second.start()
        told = worked_off(second, folder.name)
        second.close()
        assert (told["status"], told["added"]) == ("done", 1), told
        assert crag.verify_index()["ok"]
    assert len(gate.texts) > done
    assert {text for text, times in gate.texts.items() if times > 1} == set()


def test_a_server_that_is_held_up_by_an_endpoint_ends_in_time(tmp_path: Path) -> None:
    gate = Gate()
    home = tmp_path / "home"
    with ScriptedServer(gate.reply) as far:
        options = ("--pipeline", str(gate.pipeline(tmp_path, far.url)))
        env = {"OPENAI_API_KEY": "any", "CRAG_CHAT_MODEL": "none", "CRAG_STOP_SECONDS": "0"}
        with serving(home, *options, **env) as running:
            files = [("files", ("pump.md", PUMP.encode()))]
            job = httpx.post(f"{running.url}/v1/documents", files=files, timeout=60).json()["id"]
            assert gate.asked.wait(120)
            running.process.send_signal(signal.SIGTERM)
            assert running.process.wait(60) == 0
        assert not (home / "server.json").exists()
    kept = json.loads((home / "uploads" / "jobs" / job / "job.json").read_text(encoding="utf-8"))
    assert (kept["status"], kept["files"][0]["document"]) == ("running", None)
    gate.open.set()
    assert crag("index", "verify", home=home).code == 0


def test_a_job_that_is_broken_off_is_finished_by_the_next_server(copy_of_samples: Callable[[], Path]) -> None:
    home = copy_of_samples()
    files = [("files", (f"{n}.md", f"# Note {n}\n\n{PUMP.replace('77', str(n))}".encode())) for n in range(40)]
    with serving(home) as first:
        job = httpx.post(f"{first.url}/v1/documents", files=files, timeout=60).json()["id"]
        while not httpx.get(f"{first.url}/v1/jobs/{job}").json()["done"]:
            time.sleep(0.01)
        first.process.send_signal(signal.SIGKILL)
        first.process.wait()
    with serving(home) as second, httpx.Client(base_url=second.url, timeout=60) as http:
        told = finished(http, job)
        assert told["status"] == "done"
        assert {entry["status"] for entry in told["files"]} <= {"added", "updated", "unchanged"}, told
        assert "seven months" in answer(http, "How often is the pump P-39 serviced?")["text"]
        assert http.get("/v1/documents").json()["total"] == 40 + 18
        assert not list((home / "uploads" / "jobs" / job).glob("[0-9]*"))
    verified = crag("index", "verify", "--json", home=home)
    assert verified.json["ok"], verified.out


class Finishing(dict[str, Any]):
    """A job that the worker finishes at the very moment at which somebody looks."""

    def __iter__(self) -> Iterator[str]:
        self["files"][0].update(status="added", document="d")
        self.update(status="done", finished=1)
        return super().__iter__()

    def keys(self) -> Any:
        return list(self)

    def items(self) -> Any:
        return [(name, self[name]) for name in self]


def test_a_job_that_is_done_has_no_file_that_is_not() -> None:
    waiting = {"name": "a.md", "bytes": 1, "status": "read", "reason": None, "document": None}
    told = shown(Finishing(id="job-1", status="running", finished=None, files=[waiting]))
    assert (told["status"], told["done"], told["added"]) == ("done", 1, 1)


def test_no_moment_at_which_a_server_is_killed_loses_a_file(home: Path) -> None:
    texts = {f"{n}.md": PUMP.replace("77", str(n)).encode() for n in range(3)}
    with Crag.open(home, write=True) as crag:
        jobs = Jobs(crag, [crag.pipeline], Limits())
        jobs.start()
        folder = jobs.new()
        for n, text in enumerate(texts.values()):
            (folder / str(n)).write_bytes(text)
        told = worked_off(jobs, jobs.submit(folder, list(texts), "default")["id"])
        assert told["added"] == 3, json.dumps(told)
        assert jobs.uploaded() >= {entry["document"] for entry in told["files"]}  # As soon as it says that it is done.
        jobs.close()
        # As it lies there after a kill: the first file's job was saved but its bytes had not moved yet; of the second
        # not even the job was saved; the third had not been reached.
        job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
        job.update(status="running", finished=None)
        for n, (entry, text) in enumerate(zip(job["files"], texts.values(), strict=True)):
            (folder / str(n)).write_bytes(text)
            (home / "uploads" / "files" / entry["document"]).unlink()
            if n:
                entry.update(status="waiting", document=None)
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        crag.remove([told["files"][2]["document"]])

        later = Jobs(crag, [crag.pipeline], Limits())
        later.start()
        again = worked_off(later, folder.name)
        later.close()
        assert [entry["status"] for entry in again["files"]] == ["added", "unchanged", "added"], again
        assert later.uploaded() >= {entry["document"] for entry in again["files"]}
        assert not list(folder.glob("[0-9]*"))


def test_a_server_that_is_asked_to_end_gives_no_job_up(home: Path) -> None:
    with Crag.open(home, write=True) as crag:
        first = Jobs(crag, [crag.pipeline], Limits())
        folder = first.new()
        (folder / "0").write_bytes(PUMP.encode())
        first.submit(folder, ["pump.md"], "default")
        for _ in range(5):
            jobs = Jobs(crag, [crag.pipeline], Limits())
            jobs.start()
            while jobs.get(folder.name)["stage"] == "queued":  # type: ignore[index]
                time.sleep(0.001)
            jobs.close()
        last = Jobs(crag, [crag.pipeline], Limits())
        last.start()
        told = worked_off(last, folder.name)
        last.close()
        assert (told["status"], told["added"] + told["unchanged"]) == ("done", 1), told


def test_a_file_that_was_indexed_before_a_restart_is_kept_and_no_other_is_read_for_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Crag.open(home, write=True) as crag:
        crag.ingest_documents([load_path(_written(tmp_path / "up" / "pump.md"), origin="pump.md", source="pump.md")])
        jobs = Jobs(crag, [crag.pipeline], Limits())
        jobs.start()
        folder = jobs.new()
        (folder / "0").write_bytes(PUMP.encode())
        told = worked_off(jobs, jobs.submit(folder, ["pump.md"], "default")["id"])
        assert (told["unchanged"], told["chunks"]) == (1, 0), told
        identifier = told["files"][0]["document"]
        assert identifier in jobs.uploaded()

        (home / "uploads" / "files" / identifier).unlink()
        _written(tmp_path / "pump.md")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(DocumentError, match="upload it again"):
            jobs.again(crag.workspace.registry.find(identifier))
        jobs.close()


def _written(path: Path) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(PUMP.encode())
    return path


def worked_off(jobs: Jobs, name: str) -> dict[str, Any]:
    end = time.monotonic() + 60
    while (told := jobs.get(name)) is None or not told["finished"]:
        assert time.monotonic() < end, told
        time.sleep(0.01)
    return told


@given(st.text(max_size=300))
def test_a_clean_name_climbs_nowhere_and_stays_clean(name: str) -> None:
    cleaned = clean_name(name)
    assert cleaned
    assert not cleaned.startswith("/")
    assert not {"", ".", ".."} & set(cleaned.split("/"))
    assert cleaned.isprintable()
    assert clean_name(cleaned) == cleaned
    json.dumps(cleaned).encode()
