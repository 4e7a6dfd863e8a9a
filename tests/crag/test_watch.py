"""`crag ingest --watch`, `crag collections`, `crag index` as a person meets them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

from click.testing import CliRunner

from crag.cli import cli
from tests.crag.cli import child_environment, crag, sentence


def test_a_watched_folder_is_kept_in_step_until_ctrl_c(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nOolong tea is half oxidised.\n")
    command = [sys.executable, "-u", "-m", "crag", "ingest", str(folder), "--watch", "--json", "--home", str(home)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=child_environment()) as process:
        late = threading.Timer(90, process.kill)
        late.start()
        assert process.stdout is not None

        def told() -> dict[str, int]:
            assert process.stdout is not None
            report = json.loads(process.stdout.readline())
            return {kind: report[kind] for kind in ("added", "updated", "removed", "renamed") if report[kind]}

        assert told() == {"added": 1}
        (folder / ".hidden.md").write_text("not read")
        (folder / "tea.md").rename(folder / "oolong.md")
        assert told() == {"renamed": 1}
        (folder / "ash.md").write_text("# Ash\n\nAsh grounds aeroplanes.\n")
        assert told() == {"added": 1}
        (folder / "oolong.md").unlink()
        assert told() == {"removed": 1}
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        late.cancel()
    ran = crag("docs", "list", "--json", home=home)
    assert [each["source"] for each in ran.json["documents"]] == ["notes/ash.md"]
    assert "is none: name the folder" in sentence(crag("ingest", folder / "ash.md", "--watch", home=home))


def test_collections_indexes_and_moving_by_command(tmp_path: Path) -> None:
    home, moved, folder = tmp_path / "home", tmp_path / "moved", tmp_path / "notes"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nOolong tea is half oxidised.\n")

    def run(*arguments: str | Path, at: Path = home) -> str:
        done = CliRunner().invoke(cli, [*map(str, arguments), "--home", str(at)], standalone_mode=False)
        return str(done.exception) if done.exception else done.stdout

    run("ingest", folder, "--collection", "drinks")
    assert "holds no documents (there are: drinks)" in run("search", "oolong")
    assert "no collection 'plant-b' (there are: drinks)" in run("ask", "oolong", "--collection", "plant-b")
    found = json.loads(run("search", "oolong", "--collection", "drinks", "--filter", "title=tea", "--json"))
    assert [hit["source"] for hit in found["hits"]] == ["notes/tea.md"]
    assert "give a day like" in run("search", "oolong", "--filter", "date_from=soon")
    assert "Wrote 1 document" in run("index", "export", tmp_path / "all.tar")
    assert "Imported 1 document" in run("index", "import", tmp_path / "all.tar", at=moved)
    assert "agree" in run("index", "verify", at=moved)
    (index,) = json.loads(run("index", "list", "--json", at=moved))["indexes"]
    assert index["pipelines"] == ["crag"]
    assert "Nothing to remove" in run("index", "prune", at=moved)
    assert "with 1 document" in run("collections", "remove", "drinks", at=moved)
    assert json.loads(run("collections", "list", "--json", at=moved)) == {
        "collections": [{"name": "default", "documents": 0}]
    }
