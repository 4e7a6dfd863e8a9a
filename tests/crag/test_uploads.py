"""Uploads over HTTP: into the workspace, replaced, read again, deleted, refused, and finished after a restart."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import json
import os
import re
import signal
import socket
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import uvicorn
from hypothesis import given
from hypothesis import strategies as st
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from chunking.errors import DocumentError
from chunking.loaders import load_path
from crag.api.heads import bounded
from crag.api.jobs import Jobs, clean_name
from crag.app import Crag
from crag.settings import Limits
from tests.crag.cli import crag
from tests.crag.serving import Serving, serving

PUMP = "# Pump\n\nThe pump P-77 is serviced every seven months by the blue team.\n"
QUESTION = "How often is the pump P-77 serviced?"


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server over a workspace that begins empty, which allows little time and few pages."""
    home = tmp_path_factory.mktemp("uploads") / "home"
    small = {"CRAG_PARSE_SECONDS": "6", "CRAG_MAX_PAGES": "40", "CRAG_MAX_UPLOAD_MB": "8", "CRAG_MAX_FILE_MB": "4"}
    with serving(
        home, "--pipeline", "crag", **small, CRAG_BODY_SECONDS="1", CRAG_HEAD_SECONDS="1", CRAG_PARSE_MB="1024"
    ) as running:
        yield running


@pytest.fixture
def http(own: Serving) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=own.url, timeout=60) as http:
        yield http


def upload(http: httpx.Client, files: Mapping[str, bytes | str], **fields: str) -> dict[str, Any]:
    """The finished job over the files."""
    parts = [("files", (name, data.encode() if isinstance(data, str) else data)) for name, data in files.items()]
    reply = http.post("/v1/documents", files=parts, data=fields)
    assert reply.status_code == 202, reply.text
    return finished(http, reply.json()["id"])


def finished(http: httpx.Client, job: str) -> dict[str, Any]:
    end = time.monotonic() + 60
    while True:
        told: dict[str, Any] = http.get(f"/v1/jobs/{job}").json()
        if told["status"] in ("done", "failed"):
            return told
        assert time.monotonic() < end, told
        time.sleep(0.05)


def answer(http: httpx.Client, question: str, **extension: Any) -> dict[str, Any]:
    body = {"model": "crag", "messages": [{"role": "user", "content": question}], "crag": extension}
    told: dict[str, Any] = http.post("/v1/chat/completions", json=body).raise_for_status().json()["crag"]
    return told


def test_what_is_uploaded_is_answered_from_and_gone_when_deleted(http: httpx.Client) -> None:
    job = upload(http, {"pump.md": PUMP, "zh/备份.txt": "每日备份保留四十五天。\n", "empty.txt": ""})
    assert (job["status"], job["added"], job["total"], job["done"]) == ("done", 2, 3, 3)
    (skipped,) = job["skipped"]
    assert skipped["path"] == "empty.txt"
    assert "empty" in skipped["reason"]
    told = answer(http, QUESTION)
    assert "seven months" in told["text"]
    (cited,) = told["citations"]
    assert cited["source"] == "pump.md"
    listed = {each["source"]: each for each in http.get("/v1/documents").json()["data"]}
    assert listed["zh/备份.txt"]["uploaded"] is True
    assert "四十五" in answer(http, "每日备份保留多少天？")["text"]

    again = upload(http, {"pump.md": PUMP})
    assert (again["unchanged"], again["chunks"]) == (1, 0)
    changed = upload(http, {"pump.md": PUMP.replace("seven", "nine")})
    assert changed["updated"] == 1
    assert changed["files"][0]["document"] == cited["document"]
    assert "nine months" in answer(http, QUESTION)["text"]
    reread = http.post(f"/v1/documents/{cited['document']}/reingest")
    assert reread.status_code == 202
    assert finished(http, reread.json()["id"])["updated"] == 1
    assert "nine months" in answer(http, QUESTION)["text"]

    deleted = http.delete(f"/v1/documents/{cited['document']}").json()
    assert deleted == {"object": "document", "id": cited["document"], "source": "pump.md", "deleted": True}
    assert http.get(f"/v1/documents/{cited['document']}").status_code == 404
    assert http.delete(f"/v1/documents/{cited['document']}").status_code == 404
    assert "months" not in answer(http, QUESTION)["text"]


def test_collections_keep_documents_apart(http: httpx.Client) -> None:
    name = "same.md"
    for collection, weeks in (("default", "two"), ("plant-b", "six")):
        text = f"# Filter\n\nThe Zeta filter is replaced every {weeks} weeks.\n"
        assert upload(http, {name: text}, collection=collection)["added"] == 1
    counts = {each["id"]: each["documents"] for each in http.get("/v1/collections").json()["data"]}
    assert counts["plant-b"] == 1
    question = "How often is the Zeta filter replaced?"
    assert "two weeks" in answer(http, question)["text"]
    assert "six weeks" in answer(http, question, filters={"collection": "plant-b"})["text"]
    found = http.post("/v1/search", json={"question": question, "filters": {"collection": "plant-b"}}).json()["hits"]
    assert [hit["source"] for hit in found] == [name]
    assert http.get("/v1/documents", params={"collection": "plant-b"}).json()["total"] == 1
    refused = http.post("/v1/documents", files=[("files", ("a.md", b"x"))], data={"collection": "../x"})
    assert refused.status_code == 400
    assert http.delete("/v1/collections/plant-b").json()["documents"] == 1
    assert http.delete("/v1/collections/plant-b").status_code == 404


def test_jobs_are_listed_in_parts_the_newest_first(http: httpx.Client) -> None:
    made = [upload(http, {"parts.md": f"# Part {n}\n\nPart {n} is painted red.\n"})["id"] for n in range(3)]
    listed = [http.get("/v1/jobs", params={"limit": 2, "offset": n}).json() for n in (0, 2)]
    assert [job["id"] for page in listed for job in page["data"]][:3] == made[::-1]
    assert [len(listed[0]["data"]), listed[1]["total"]] == [2, len(http.get("/v1/jobs").json()["data"])]


def docx(document: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml", '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
        )
        archive.writestr("word/document.xml", document)
    return out.getvalue()


def pdf(pages: int) -> bytes:
    from fpdf import FPDF

    made = FPDF()
    made.set_font("Helvetica")
    for number in range(pages):
        made.add_page()
        made.cell(text=f"Page {number} of many.")
    return bytes(made.output())


def deep_pdf() -> bytes:
    """A page tree that is a chain of 20,000 nodes, and an array that nests as deeply."""
    depth = 20_000
    nodes = b"".join(
        b"%d 0 obj<</Type/Pages/Count 1/Kids[%d 0 R]>>endobj\n" % (number, number + 1) for number in range(2, depth)
    )
    return b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R/X " + b"[" * depth + b"]" * depth + b">>endobj\n" + nodes


def billion_laughs() -> bytes:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    head = '<?xml version="1.0"?><!DOCTYPE d [<!ENTITY l0 "lol">' + entities + "]>"
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    return (
        head + f'<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>&l11;</w:t></w:r></w:p></w:body></w:document>'
    ).encode()


HOSTILE: dict[str, bytes] = {
    "../../../../etc/passwd": b"root was here, a plain text of no harm",
    "/etc/cron.d/x.txt": b"an absolute path, a plain text of no harm",
    "C:\\Windows\\system32\\x.txt": b"another absolute path, of no harm",
    "a\x00b\r\nSet-Cookie: x.txt": b"control characters in a name, of no harm",
    "n" * 5000 + ".txt": b"a very long name, of no harm",
    ". . / .. ": b"a name without a name, of no harm",
    "\u202egnp.txt": b"a name that reads backwards, of no harm",
    "bomb.docx": docx(b"<w:document>" + b"A" * 300_000_000),
    "laughs.docx": docx(billion_laughs()),
    "half.docx": docx(b"<w:document>" * 1000)[:-200],
    "deep.pdf": deep_pdf(),
    "pages.pdf": pdf(60),
    "cut.pdf": pdf(3)[:900],
    "picture.pdf": b"\x89PNG\r\n\x1a\n" + os.urandom(200),
    "script.html": b"<html><script>alert(1)</script><p onclick=alert(2)>Plain words of HTML.</p>",
    "deep.html": b"<div>" * 200_000 + b"deep",
    "deep.md": b"> " * 100_000 + b"deep",
    "drawing.svg": b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    "program.txt": b"\x7fELF" + os.urandom(500),
    "noise.bin": os.urandom(3000),
    "entity.html": b'<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><p>&x; words</p>',
}
TEXTS = {"passwd", "x.txt", "unnamed", "gnp.txt", "script.html", "entity.html"}


def test_hostile_files_are_refused_or_are_text_and_reach_nothing(http: httpx.Client, own: Serving) -> None:
    started = time.monotonic()
    # Clients of the usual kind would write some of these names otherwise than they are.
    job = finished(http, raw_upload(own, HOSTILE))
    assert job["status"] == "done"
    assert time.monotonic() - started < 45
    statuses = {entry["name"].split("/")[-1]: entry for entry in job["files"]}
    for name in ("bomb.docx", "laughs.docx", "half.docx", "pages.pdf", "cut.pdf", "picture.pdf", "drawing.svg"):
        assert statuses[name]["status"] == "skipped", name
    assert "60 pages" in statuses["pages.pdf"]["reason"]
    for entry in job["files"]:
        assert entry["status"] in ("added", "skipped")
        assert not set("\x00\r\n\u202e\\") & set(entry["name"])
        assert ".." not in entry["name"].split("/")
        assert len(entry["name"]) < 1000
        assert "Traceback" not in (entry["reason"] or "")
        if entry["document"]:
            document = http.get(f"/v1/documents/{entry['document']}").json()
            assert "root:" not in document["text"]
            assert "alert(" not in document["text"]
    assert http.get("/readyz").json()["status"] == "ready"
    kept = {entry["document"] for entry in job["files"] if entry["document"]}
    assert http.get("/v1/documents").json()["total"] >= len(kept) > 3


def raw_upload(own: Serving, files: Mapping[str, bytes]) -> str:
    """The id of the job of a body that is written byte for byte."""
    edge = b"e" * 30
    body = b""
    for name, data in files.items():
        quoted = name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22")
        head = f'Content-Disposition: form-data; name="files"; filename="{quoted[:3000]}"\r\n\r\n'.encode()
        body += b"--" + edge + b"\r\n" + head + data + b"\r\n"
    body += b"--" + edge + b"--\r\n"
    kind = {"content-type": f"multipart/form-data; boundary={edge.decode()}"}
    reply = httpx.post(f"{own.url}/v1/documents", content=body, headers=kind, timeout=30)
    assert reply.status_code == 202, reply.text
    return str(reply.json()["id"])


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"x", "text/plain", 415),
        (b"{}", "application/json", 415),
        (b"a=b", "application/x-www-form-urlencoded", 415),
        (b"", "multipart/form-data; boundary=b", 400),
        (b"--b--\r\n", "multipart/form-data; boundary=b", 400),
        (b"nothing of the kind", "multipart/form-data; boundary=b", 400),
        (b"x", "multipart/form-data", 400),
        (b"x", "multipart/form-data; boundary=" + "b" * 300, 400),
        (
            b'--b\r\nContent-Disposition: form-data; name="files"\r\n\r\ntext\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
            400,
        ),
        (b"--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n", "multipart/form-data; boundary=b", 400),
        (b"--b\r\n" + b"X: y\r\n" * 1000 + b"\r\nx\r\n--b--\r\n", "multipart/form-data; boundary=b", 400),
        (b"x" * 9_000_000, "multipart/form-data; boundary=b", 413),
    ],
)
def test_what_is_no_upload_is_refused(http: httpx.Client, content: bytes, kind: str, status: int) -> None:
    reply = http.post("/v1/documents", content=content, headers={"content-type": kind})
    assert reply.status_code == status, reply.text
    assert set(reply.json()["error"]) == {"message", "type", "param", "code"}


def test_one_file_that_is_too_large_is_refused(http: httpx.Client) -> None:
    reply = http.post("/v1/documents", files=[("files", ("large.txt", b"x" * 5_000_000))])
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("length", ["1073741824", "-1", "x", "9" * 30])
def test_a_length_that_cannot_be_is_refused_at_once(own: Serving, length: str) -> None:
    head = f"POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
    assert talk(own, head)[:12] in ("HTTP/1.1 413", "HTTP/1.1 400")


def test_a_body_that_stops_coming_is_given_up(own: Serving) -> None:
    head = "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    started = time.monotonic()
    told = talk(own, f"{head}Content-Length: 1000\r\n\r\n--b\r\n")
    assert told.startswith("HTTP/1.1 408")
    assert "body_too_slow" in told
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/search"])
def test_a_client_that_leaves_while_its_body_arrives_leaves_nothing(
    own: Serving, http: httpx.Client, path: str
) -> None:
    def left() -> float:
        found = re.search(rf'crag_requests_total{{.*"{path}",status="499"}} (\S+)', http.get("/metrics").text)
        return float(found[1]) if found else 0

    before, jobs = left(), http.get("/v1/jobs").json()["total"]
    kind = "application/json" if path == "/v1/search" else "multipart/form-data; boundary=b"
    part = '--b\r\nContent-Disposition: form-data; name="files"; filename="{}.md"\r\n\r\n{}\r\n'
    most = 1_000_000 if path == "/v1/search" else 4_000_000
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {most}\r\n\r\n"
    url = httpx.URL(own.url)
    with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
        # More than is kept in memory, of a second file that never ends.
        connection.sendall((head + part.format("whole", PUMP) + part.format("half", "x" * (most // 2))).encode())
    end = time.monotonic() + 60
    while left() == before or spooled(own):
        assert time.monotonic() < end
        time.sleep(0.05)
    assert http.get("/v1/jobs").json()["total"] == jobs
    assert "whole.md" not in {each["source"] for each in http.get("/v1/documents").json()["data"]}


def spooled(own: Serving) -> list[Path]:
    """Temporary files that the server holds open: they have no name, and no place but this, where there is one."""
    held = []
    for each in Path(f"/proc/{own.process.pid}/fd").glob("*"):
        with contextlib.suppress(OSError):
            held.append(each.readlink())
    return [path for path in held if path.name.endswith("(deleted)")]


def test_an_upload_that_cannot_be_kept_is_told_so(own: Serving, http: httpx.Client) -> None:
    folder = own.home / "uploads" / "jobs"
    folder.mkdir(parents=True, exist_ok=True)
    folder.rename(folder.with_name("aside"))
    folder.write_bytes(b"")
    try:
        reply = http.post("/v1/documents", files=[("files", ("a.md", b"x"))])
    finally:
        folder.unlink()
        folder.with_name("aside").rename(folder)
    assert reply.status_code == 503
    assert "none of it was taken in" in reply.json()["error"]["message"]
    assert str(own.home) not in reply.text


SLOW = "POST /v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("head", "bytewise", "told"),
    [
        ("", "", ""),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\n", "X-Slow: yes\r\n" * 100_000, ""),
        ("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET / HTTP/1.1\r\n" + "X: y\r\n" * 100_000, "200"),
        (f"{SLOW}Content-Length: 1000\r\n\r\n", "x" * 1000, "408"),
        (f"{SLOW}Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n" * 1000, "408"),
    ],
)
def test_a_byte_now_and_then_does_not_hold_a_connection(own: Serving, head: str, bytewise: str, told: str) -> None:
    url = httpx.URL(own.url)
    with socket.create_connection((url.host, url.port or 80), timeout=0.05) as connection:
        connection.sendall(head.encode())
        rest, said, end = iter(bytewise.encode()), b"", time.monotonic() + 60
        while time.monotonic() < end:
            try:
                if byte := next(rest, None):
                    connection.send(bytes([byte]))
                if not (part := connection.recv(10_000)):
                    break
                said += part
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                break
        else:
            raise AssertionError("the connection is still open")
    assert told in said.decode()
    assert bool(told) == bool(said)


def test_a_head_without_end_is_broken_off(own: Serving) -> None:
    url = httpx.URL(own.url)
    with (
        socket.create_connection((url.host, url.port or 80), timeout=20) as connection,
        pytest.raises((BrokenPipeError, ConnectionResetError)),
    ):
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X-Long: yes\r\n" * 4_000_000)


def test_a_head_without_end_is_broken_off_while_an_answer_runs_too() -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "http.disconnect":
            continue

    async def flood() -> int:
        config = uvicorn.Config(slow, log_config=None)
        config.load()
        made = functools.partial(bounded(Limits()), config=config, server_state=ServerState(), app_state={})
        server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
        async with server:
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            sent = 0
            while sent < 20_000_000 and not writer.is_closing():
                writer.write(b"GET / HTTP/1.1\r\n" * (not sent) + b"X-Long: yes\r\n" * 1000)
                sent += 13_000
                with contextlib.suppress(ConnectionError):
                    await writer.drain()
                await asyncio.sleep(0)
            writer.transport.abort()
        return sent

    assert asyncio.run(flood()) < 20_000_000


def test_a_client_that_does_not_read_is_given_up(own: Serving) -> None:
    url = httpx.URL(own.url)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((url.host, url.port or 80))
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 400)
        mine, server, end = connection.getsockname()[1], psutil.Process(own.process.pid), time.monotonic() + 60
        for held in (True, False):
            while held != (mine in {each.raddr.port for each in server.net_connections("tcp") if each.raddr}):
                assert time.monotonic() < end
                time.sleep(0.02)


def talk(own: Serving, text: str) -> str:
    """What comes back for the bytes of a request, as far as it comes in one piece."""
    url = httpx.URL(own.url)
    with socket.create_connection((url.host, url.port or 80), timeout=20) as connection:
        connection.sendall(text.encode())
        told = b""
        while part := connection.recv(10_000):
            told += part
            if b"}}" in told or not part:
                break
        return told.decode()


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
