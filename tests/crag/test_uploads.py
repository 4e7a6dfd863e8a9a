"""Uploads over HTTP: into the workspace, replaced, read again, deleted, refused, and finished after a restart."""

from __future__ import annotations

import contextlib
import io
import os
import re
import socket
import time
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

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
    unknown = {"filters": {"collection": "plant-c"}}
    chat = {"model": "crag", "messages": [{"role": "user", "content": question}], "crag": unknown}
    for path, body in (
        ("search", {"question": question, **unknown}),
        ("chat/completions", chat),
        ("chat/completions", {**chat, "stream": True}),
    ):
        reply = http.post(f"/v1/{path}", json=body)
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
        assert "no collection 'plant-c' (there are: default, plant-b)" in reply.json()["error"]["message"]
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
