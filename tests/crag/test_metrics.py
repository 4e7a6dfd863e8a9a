"""What a server tells of itself and its answers: figures, log, feedback, evaluation runs."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from chunking.errors import CragError
from crag.api.errors import ApiError
from crag.api.evals import Evals
from crag.api.pages import Pages
from eval.testset import load_drafts
from tests.crag.cli import ROOT, crag
from tests.crag.serving import Serving, serving

QUESTION = "When does the nightly Ragas run start?"
UNANSWERABLE = "Who won the 1987 chess championship of Reykjavik?"
SCRIPT = "<p id=told>told</p><script>fetch('/v1/documents')</script>"


@pytest.fixture(scope="module")
def home(copy_of_samples: Callable[[], Path]) -> Path:
    return copy_of_samples()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    suite = folder / "suite.yaml"
    suite.write_text(json.dumps({"questions": [{"id": "q1", "question": QUESTION, "reference": "At 02:30."}]}))
    pipelines = ("--pipeline", "vector", "--pipeline", "hybrid")
    ran = crag("eval", "run", "--suite", suite, *pipelines, "--out", folder / "ladder", home=home)
    assert ran.code == 0, ran.err
    (folder / "report.html").write_text(SCRIPT)
    (folder / "elsewhere").symlink_to("/etc")
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("[")
    return folder


@pytest.fixture(scope="module")
def watched(home: Path, runs: Path) -> Iterator[Serving]:
    with serving(home, "--runs", str(runs)) as running:
        yield running


@pytest.fixture
def http(watched: Serving) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=watched.url, timeout=60) as http:
        yield http


def assert_paged(http: httpx.Client, path: str) -> None:
    """Entries of a list can be had one by one, and none beyond the last."""
    whole = http.get(path).json()
    assert whole["total"] == len(whole["data"]) > 1
    pages = [http.get(path, params={"limit": 1, "offset": n}).json() for n in range(whole["total"] + 1)]
    assert [page["data"] for page in pages] == [*([entry] for entry in whole["data"]), []]
    assert {page["total"] for page in pages} == {whole["total"]}
    assert http.get(path, params={"offset": 1}).json()["data"] == whole["data"][1:]
    for wrong in ({"limit": 0}, {"limit": "x"}, {"offset": -1}):
        assert http.get(path, params=wrong).json()["error"]["param"] == next(iter(wrong))


def ask(http: httpx.Client, question: str, **more: Any) -> dict[str, Any]:
    body = {"model": "crag", "messages": [{"role": "user", "content": question}], **more}
    told: dict[str, Any] = http.post("/v1/chat/completions", json=body).raise_for_status().json()
    return told


def figures(http: httpx.Client) -> dict[tuple[str, ...], float]:
    """Values by name and sorted label values."""
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(http.get("/metrics").text)
        for sample in family.samples
    }


def test_figures_count_what_was_asked(http: httpx.Client) -> None:
    before = figures(http)
    ask(http, QUESTION)
    ask(http, UNANSWERABLE)
    http.get("/v1/nothing/at/all")
    after = figures(http)

    def more(*name: str) -> float:
        return after.get(name, 0) - before.get(name, 0)

    assert more("crag_requests_total", "/v1/chat/completions", "200", "POST") == 2
    assert more("crag_answers_total", "correct", "crag", "grounded") == 1
    assert sum(more(*name) for name in after if name[0] == "crag_answers_total" and "abstained" in name) == 1
    assert more("crag_node_seconds_count", "retrieve") == 2
    assert more("crag_requests_total", "404", "GET", "other") == 1
    assert after["crag_documents",] == 18
    assert after["crag_jobs_waiting",] == 0
    assert not any("nothing" in part for name in after for part in name)


def test_each_answer_is_one_line_of_json_with_the_request_and_the_user(http: httpx.Client, home: Path) -> None:
    body = {"model": "crag", "messages": [{"role": "user", "content": QUESTION}], "user": "用户\n1", "stream": True}
    reply = http.post("/v1/chat/completions", json=body, headers={"x-request-id": "my-id.1"})
    assert reply.headers["x-request-id"] == "my-id.1"
    line = json.loads((home / "answers.log").read_text(encoding="utf-8").splitlines()[-1])
    assert (line["request"], line["user"], line["question"]) == ("my-id.1", "用户\n1", QUESTION)
    assert (line["outcome"], line["status"], line["stream"], line["key"]) == ("answered", "grounded", True, None)
    assert 0 < line["first_text_ms"] <= line["total_ms"]
    assert line["answer"] in reply.text
    invented = http.get("/healthz", headers={"x-request-id": "a b\tc"}).headers["x-request-id"]
    assert re.fullmatch("[0-9a-f]{32}", invented)


def test_a_thumb_is_kept_with_the_trace_and_becomes_a_draft(http: httpx.Client, home: Path, tmp_path: Path) -> None:
    liked, missed = ask(http, QUESTION), ask(http, UNANSWERABLE)
    assert liked["id"] == liked["crag"]["answer_id"]
    for body in (
        {"answer": liked["id"], "rating": "down"},
        {"answer": liked["id"], "rating": "up", "comment": "just so"},
        {"answer": missed["id"], "rating": "down", "comment": "It was \x1b]0;x\x07Jónsson.\x9b2J"},
    ):
        reply = http.post("/v1/feedback", json=body)
        assert reply.status_code == 200, reply.text
    unknown = http.post("/v1/feedback", json={"answer": "chatcmpl-x", "rating": "up"})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "answer_not_found")
    assert http.post("/v1/feedback", json={"answer": "x", "rating": "five"}).status_code == 400
    listed = {entry["answer"]: entry for entry in http.get("/v1/feedback").json()["data"]}
    assert listed[liked["id"]]["rating"] == "up"
    assert listed[missed["id"]]["question"] == UNANSWERABLE
    assert_paged(http, "/v1/feedback")

    shown = crag("feedback", "list", home=home).out
    assert "Jónsson" in shown
    assert not set(shown) & set("\x1b\x07\x9b")
    kept = {entry["answer"]: entry for entry in crag("feedback", "list", "--json", home=home).json["feedback"]}
    assert kept[liked["id"]]["trace"]["trace"][-1]["node"] == "verify"
    drafts = tmp_path / "drafts.json"
    assert crag("feedback", "export", "--out", drafts, home=home).code == 0
    by_question = {draft.question: draft for draft in load_drafts(drafts)}
    draft = by_question[QUESTION]
    assert "02:30" in draft.reference
    assert "[1]" not in draft.reference
    assert [passage.text for passage in draft.passages] == [c["quote"] for c in liked["crag"]["citations"]]
    assert by_question[UNANSWERABLE].reference == ""
    assert by_question[UNANSWERABLE].how == "feedback, down: It was ]0;xJónsson.2J"


def test_runs_and_reports_are_listed_shown_and_compared(http: httpx.Client, runs: Path) -> None:
    listed = http.get("/v1/evals").json()
    assert_paged(http, "/v1/evals")
    assert listed["enabled"] is True
    entries = {entry["name"]: entry for entry in listed["data"]}
    assert {"ladder/vector", "ladder/hybrid", "report.html"} <= entries.keys()
    assert not any(name.startswith(("elsewhere", "broken")) for name in entries)
    vector, hybrid = entries["ladder/vector"], entries["ladder/hybrid"]
    assert vector["pipeline"]["name"] == "vector"
    assert vector["suite"]["questions"] == 1
    assert vector["finished"] is True
    shown = http.get(f"/v1/evals/{vector['id']}").json()
    assert shown["summary"]["questions"] == 1

    url = http.get(f"/v1/evals/{entries['report.html']['id']}").json()["url"]
    report = http.get(url)
    assert report.text == SCRIPT
    assert report.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "connect-src" not in report.headers["content-security-policy"]
    both = http.get("/v1/evals/compare", params={"base": vector["id"], "candidate": hybrid["id"]}).json()["url"]
    assert "hybrid" in http.get(both).text
    for forged in (url[:-1] + ("0" if url[-1] != "0" else "1"), "/reports/x", "/reports/é.é", "/reports/" + "A" * 3000):
        assert http.get(forged).status_code == 404
    for name in ("../report.html", "report.html", "..%2f..%2fetc%2fpasswd", str(runs / "report.html")):
        assert http.get(f"/v1/evals/{name}").status_code == 404


def test_an_entry_that_is_no_run_hides_no_other_and_leads_nowhere(tmp_path: Path) -> None:
    runs, outside = tmp_path / "runs", tmp_path / "outside.json"
    outside.write_text('{"secret": 1}')
    manifest = {"pipeline": {"name": "p", "version": "1"}, "suite": {"name": "s", "questions": 1}}
    good = json.dumps({**manifest, "started": "2026-11-30T00:00:00Z", "judge": None})
    for name, text in (("good", good), ("linked", good), ("piped", good), ("nested", "[" * 200_000), ("figure", "{}")):
        (runs / name).mkdir(parents=True)
        (runs / name / "manifest.json").write_text(text)
    (runs / "linked" / "summary.json").symlink_to(outside)
    os.mkfifo(runs / "piped" / "scores.jsonl")
    os.mkfifo(runs / "pipe.html")
    (runs / "figure" / "manifest.json").write_text(good)
    (runs / "figure" / "summary.json").write_text('{"metrics": {"recall": {"mean": NaN}}}')
    with contextlib.suppress(OSError):  # Some file systems take no such name.
        (runs / os.fsdecode(b"\xff.html")).write_text(SCRIPT)
    assert [entry.shown["name"] for entry in Evals(runs).entries()] == ["good"]


def test_a_ticket_ends() -> None:
    now = [1000.0]
    pages = Pages(lambda: now[0])
    pages.add("greeting", lambda name: f"hello {name}")
    ticket = pages.link("greeting", "世界").removeprefix("/reports/")
    assert pages.html(ticket) == "hello 世界"
    now[0] += 601
    with pytest.raises(ApiError, match="no longer"):
        pages.html(ticket)
    assert not issubclass(ApiError, CragError)


def test_every_endpoint_is_described_and_in_the_documentation(http: httpx.Client) -> None:
    described = http.get("/openapi.json").json()["paths"]
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for path, methods in described.items():
        for method, operation in methods.items():
            assert operation["description"], path
            assert f"{method.upper()} {re.sub('{[a-z_]+}', '{id}', path)}" in text, f"docs/api.md lacks {method} {path}"


def test_what_was_asked_without_a_key_can_be_rated_with_any_key_and_with_none_no_more(
    http: httpx.Client, home: Path
) -> None:
    """Last: this server asks for a key from here on."""
    answer = ask(http, QUESTION)["id"]
    made = crag("keys", "add", "anna", "--json", home=home).json
    key = {"authorization": f"Bearer {made['key']}"}
    rating = {"answer": answer, "rating": "up"}
    assert http.post("/v1/feedback", json=rating).status_code == 401
    assert http.post("/v1/feedback", json=rating, headers=key).status_code == 200
    assert http.get("/v1/feedback", headers=key).json()["data"][0]["answer"] == answer
    body = {"model": "vector", "messages": [{"role": "user", "content": QUESTION}]}
    assert http.post("/v1/chat/completions", json=body, headers=key).status_code == 200
    lines = (home / "answers.log").read_text(encoding="utf-8").splitlines()[-2:]
    assert [json.loads(line)["key"] for line in lines] == [None, "anna"]
