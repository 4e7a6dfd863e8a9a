"""Everything that goes wrong for a person gives one sentence that says what to do, and the right exit code."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from chunking.errors import NotFoundError, StoreError
from crag import Crag
from retrieval.types import Filters
from tests.crag.cli import ROOT, child_environment, crag, sentence
from tests.crag.serving import serving


def ingest_one(folder: Path, name: str, content: bytes) -> tuple[int, str]:
    """Ingest a folder of one file; exit code and the sentence."""
    docs = folder / "docs"
    docs.mkdir()
    (docs / name).write_bytes(content)
    ran = crag("ingest", docs, home=folder / "home")
    assert name in ran.out
    return ran.code, sentence(ran)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("empty.txt", b"", "empty"),
        ("blank.md", b"\n \n\t\n", ""),
        ("junk.txt", bytes(range(256)) * 40, ""),
        ("junk.pdf", b"%PDF-1.7\n" + os.urandom(4000), ""),
        ("junk.docx", os.urandom(4000), ""),
    ],
)
def test_a_file_that_holds_no_text_is_reported(tmp_path: Path, name: str, content: bytes, says: str) -> None:
    code, told = ingest_one(tmp_path, name, content)
    assert code == 1
    assert says in told
    assert told.startswith("Nothing in ")


def test_a_scanned_pdf_is_reported_with_what_to_do(tmp_path: Path) -> None:
    code, told = ingest_one(tmp_path, "scan.pdf", _scan())
    assert code == 1
    assert "text" in told
    assert "scan.pdf" in told


def _scan() -> bytes:
    """A page that is a picture."""
    from fpdf import FPDF
    from PIL import Image

    pdf = FPDF()
    pdf.add_page()
    pdf.image(Image.new("L", (200, 280), 200), 10, 10, 180)
    return bytes(pdf.output())


def test_an_option_before_its_command_is_told_its_place() -> None:
    ran = crag("docs", "--home", "X")
    assert ran.code == 2
    assert "crag docs list --home" in sentence(ran)
    assert "'--hoem'" in sentence(crag("docs", "--hoem", "X"))


def test_a_slip_of_the_pen_is_told_what_was_meant() -> None:
    assert sentence(crag("serach", "pump")) == "No such command 'serach'. Did you mean 'search'? See 'crag --help'."
    assert sentence(crag("ask", "--pipelin", "x")).endswith("Did you mean '--pipeline'? See 'crag ask --help'.")
    assert sentence(crag("frobnicate")) == "No such command 'frobnicate'; see 'crag --help'."


def test_a_source_is_named_from_its_folder_on_and_what_names_none_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "docs" / "hr").mkdir(parents=True)
    (tmp_path / "docs" / "hr" / "travel.txt").write_text("Trips are paid for within five days.\n")
    home = tmp_path / "home"
    with Crag.open(home, "hybrid", write=True) as opened:
        opened.ingest([tmp_path / "docs"])
        with pytest.raises(NotFoundError, match=r"did you mean docs/hr/travel\.txt\?"):
            opened.document("hr/travel.txt")
        with pytest.raises(NotFoundError, match=r"crag docs list"):
            opened.document("ravel.txt")
        opened.require_index(filters=Filters(source="docs/*"))
        with pytest.raises(NotFoundError, match=r"No document matches.*'docs/hr/travel\.txt'"):
            opened.require_index(filters=Filters(source="hr/*"))


def test_a_pipeline_without_an_index_is_told_to_rebuild_it(tmp_path: Path) -> None:
    (tmp_path / "travel.txt").write_text("Trips are paid for within five days.\n")
    (tmp_path / "small.yaml").write_text("extends: hybrid\nchunking:\n  target_tokens: 100\n")
    with Crag.open(tmp_path / "home", "hybrid", write=True) as opened:
        opened.ingest([tmp_path / "travel.txt"])
    for write in (False, True):
        with (
            Crag.open(tmp_path / "home", tmp_path / "small.yaml", write=write) as opened,
            pytest.raises(StoreError, match="crag index rebuild with the same --pipeline once"),
        ):
            opened.require_index()


def test_gbk_text_is_read(tmp_path: Path) -> None:
    text = "灯塔的备份在每天凌晨三点开始。\n\n恢复演练每个季度进行一次，由运维组负责。\n"
    (tmp_path / "gbk.txt").write_bytes(text.encode("gbk"))
    ran = crag("ingest", tmp_path / "gbk.txt", "--json", home=tmp_path / "home")
    assert (ran.code, ran.json["added"]) == (0, 1)
    found = crag("search", "恢复演练多久进行一次？", "--json", home=tmp_path / "home").json
    assert "每个季度进行一次" in found["hits"][0]["text"]
    shown = crag("docs", "show", "gbk.txt", "--json", home=tmp_path / "home").json
    assert shown["text"].strip() == text.strip()
    assert any("gb" in note.lower() for note in shown["notes"])


def test_bad_files_do_not_keep_good_ones_out(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "good.md").write_text("# Tea\n\nTea is steeped for three minutes.\n")
    (docs / "empty.txt").touch()
    (docs / "junk.pdf").write_bytes(os.urandom(3000))
    ran = crag("ingest", docs, "--json", home=tmp_path / "home")
    assert (ran.code, ran.json["added"]) == (0, 1)
    assert sorted(Path(entry["path"]).name for entry in ran.json["skipped"]) == ["empty.txt", "junk.pdf"]
    assert all(entry["reason"] for entry in ran.json["skipped"])


def test_a_folder_without_a_readable_file(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    ran = crag("ingest", tmp_path / "docs", home=tmp_path / "home")
    assert ran.code == 1
    assert str(tmp_path / "docs") in sentence(ran)
    ran = crag("ingest", tmp_path / "docs", "--json", home=tmp_path / "home")
    assert (ran.code, ran.json["added"]) == (1, 0)


def test_a_path_that_does_not_exist(tmp_path: Path) -> None:
    ran = crag("ingest", tmp_path / "nowhere", home=tmp_path / "home")
    assert ran.code == 2
    assert "nowhere" in sentence(ran)
    assert not (tmp_path / "home").exists()


def test_an_unknown_pipeline(home: Path) -> None:
    ran = crag("ask", "What?", "--pipeline", "hibrid", home=home)
    assert ran.code == 2
    assert "did you mean 'hybrid'?" in sentence(ran)


def test_a_typo_in_a_pipeline_file(home: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: crag\nretrieval:\n  top_kk: 5\n")
    for command in (["ask", "What?"], ["serve", "--port", "0"], ["pipelines", "show"], ["ingest", tmp_path]):
        arguments = [*command, path] if command[0] == "pipelines" else [*command, "--pipeline", path]
        ran = crag(*arguments, home=home)
        assert ran.code == 2
        assert "mine.yaml, line 3: unknown key 'retrieval.top_kk': did you mean 'top_k'?" in sentence(ran)


def test_a_port_in_use(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = crag("serve", "--port", port, home=home)
    assert ran.code == 2
    assert f"Port {port}" in sentence(ran)
    assert "--port" in sentence(ran)


def test_an_open_door_without_a_key(home: Path) -> None:
    ran = crag("serve", "--host", "0.0.0.0", "--port", "0", home=home)
    assert ran.code == 2
    assert "CRAG_API_KEY" in sentence(ran)


def test_a_workspace_locked_by_another_process(home: Path, tmp_path: Path) -> None:
    (tmp_path / "more.md").write_text("# More\n\nMore words.\n")
    with serving(home) as server:
        ran = crag("ingest", tmp_path / "more.md", home=home)
        assert ran.code == 1
        assert str(server.process.pid) in sentence(ran)
        again = crag("serve", "--port", "0", home=home)
        assert (again.code, str(server.process.pid) in sentence(again)) == (1, True)
    assert crag("ingest", tmp_path / "more.md", home=home).code == 0


def test_nothing_ingested_yet(tmp_path: Path) -> None:
    for command in (["ask", "What?"], ["search", "What?"], ["docs", "list"], ["index", "status"]):
        ran = crag(*command, home=tmp_path / "home")
        assert ran.code == 1
        assert "crag ingest" in sentence(ran)
        assert not (tmp_path / "home").exists()


def test_an_index_that_lacks_the_documents_is_named(tmp_path: Path) -> None:
    home, path = tmp_path / "home", tmp_path / "small.yaml"
    (tmp_path / "tea.md").write_text("# Tea\n\nGreen tea is steeped for three minutes.\n")
    path.write_text("extends: crag\nchunking:\n  target_tokens: 90\n  min_tokens: 20\n")
    assert crag("ingest", tmp_path / "tea.md", home=home).code == 0
    for _ in range(2):
        ran = crag("ask", "How long is green tea steeped?", "--pipeline", path, home=home)
        assert ran.code == 1
        assert "--pipeline" in sentence(ran)
    assert crag("index", "rebuild", "--pipeline", path, home=home).code == 0
    found = crag("search", "How long is green tea steeped?", "--pipeline", path, "--json", home=home).json
    assert "three minutes" in found["hits"][0]["text"]


def test_a_key_without_a_model_name(home: Path) -> None:
    ran = crag("ask", "What?", home=home, OPENAI_API_KEY="sk-secret-value")
    assert ran.code == 2
    assert "CRAG_CHAT_MODEL" in sentence(ran)
    assert "sk-secret-value" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["ask"],
        ["ask", "  "],
        ["ask", "What?", "--top-k", "3"],
        ["search", "What?", "--top-k", "0"],
        ["docs", "show", "nothing-of-this-name"],
        ["chunk", "no-such-file.md"],
        ["eval", "run", "--suite", "no-such-suite", "--pipeline", "crag", "--out", "out"],
        ["eval", "compare", "no-run", "no-other-run"],
    ],
)
def test_wrong_usage(home: Path, tmp_path: Path, arguments: list[str]) -> None:
    ran = crag(*arguments, home=home, cwd=tmp_path)
    assert ran.code == 2
    sentence(ran)
    as_json = crag(*arguments, "--json", home=home, cwd=tmp_path)
    assert as_json.code == 2
    assert set(json.loads(as_json.err)["error"]) == {"type", "message"}


def test_a_damaged_workspace(home: Path) -> None:
    (home / "workspace.sqlite3").write_bytes(b"not a database" * 500)
    ran = crag("docs", "list", home=home)
    assert ran.code == 1
    assert "workspace.sqlite3" in sentence(ran)


def test_what_nobody_foresaw_is_a_sentence_and_a_log(home: Path) -> None:
    """A key in the environment that no header can carry makes the standard library raise what we do not catch."""
    with serving(home, CRAG_API_KEY="plain"):
        ran = crag("ask", "What?", home=home, CRAG_API_KEY="line\nbreak")
        assert ran.code == 1
        told = sentence(ran)
    assert "crag.log" in told
    assert "Traceback" in (home / "crag.log").read_text()


def test_a_closed_pipe_is_no_error(home: Path) -> None:
    command = f"{sys.executable} -m crag docs show en/ragas-guide.docx --json 2>err | head -c 10"
    documents = crag("docs", "list", "--json", home=home).json["documents"]
    command = command.replace("en/ragas-guide.docx", documents[0]["id"])
    environment = child_environment(
        CRAG_HOME=str(home), PYTHONPATH=os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]])
    )
    subprocess.run(["bash", "-c", command], cwd=home, env=environment, check=True, capture_output=True)
    assert (home / "err").read_text() == ""


@pytest.mark.parametrize("size", [50 * 1024 * 1024])
def test_a_huge_text_file(tmp_path: Path, size: int) -> None:
    line = "The quick brown fox jumps over the lazy dog and writes line {} of a very long log file.\n"
    path = tmp_path / "huge.txt"
    with path.open("w") as file:
        number = 0
        while file.tell() < size:
            file.write("".join(line.format(n) for n in range(number, number + 10_000)))
            number += 10_000
    ran = crag("ingest", path, home=tmp_path / "home", timeout=300)
    assert ran.code == 1
    assert "huge.txt" in sentence(ran)
