"""The distribution as others meet it: names, import direction, a light front door, and a wheel that works elsewhere."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tests.crag.cli import child_environment

ROOT = Path(__file__).parents[1]
ORDER = ("chunking", "retrieval", "graph", "eval", "crag")
HEAVY = {"chromadb", "fastapi", "FlagEmbedding", "httpx", "langgraph", "numpy", "onnxruntime", "openai", "pydantic"}
HEAVY |= {"ragas", "rich", "tavily", "torch", "transformers", "uvicorn", "yaml"}


def sources(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git clone: the list of the project's files is not at hand")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def test_no_other_distribution_claims_our_package_names() -> None:
    claims = [
        (distribution.metadata["Name"], file)
        for distribution in distributions()
        if distribution.metadata["Name"] != "agentic-crag"
        for file in distribution.files or ()
        if file.parts[0] in ORDER or (len(file.parts) == 1 and file.stem in ORDER and file.suffix == ".py")
    ]
    assert claims == []


@pytest.mark.parametrize("package", ORDER)
def test_imports_point_one_way(package: str) -> None:
    above = set(ORDER[ORDER.index(package) + 1 :]) | {"tests"}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(node)
        if name.split(".")[0] in above
    ]
    assert sources(package)
    assert wrong == []


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return []


@pytest.mark.parametrize("package", ORDER)
def test_a_package_import_loads_nothing_heavy(package: str) -> None:
    assert _loaded(f"import {package}") & HEAVY == set()


def test_help_loads_nothing_heavy() -> None:
    loaded = _loaded("from crag.cli import main; main(['--help'])")
    assert "click" in loaded
    assert loaded & HEAVY == set()


def _loaded(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has loaded after running `code`."""
    script = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit:\n    pass\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    return {name.split(".")[0] for name in ran.stderr.split()}


def test_a_wheel_built_from_the_clone_works_outside_it(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, capture_output=True, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for kind in (".yaml", ".html", ".js", ".css", ".jsonl", ".pdf", ".docx", "py.typed"):
        assert any(name.endswith(kind) for name in names), f"no {kind} in the wheel"
    assert not [name for name in names if name.startswith("tests")]

    target = tmp_path / "target"
    install = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(target), str(wheel)]
    subprocess.run([sys.executable, *install], capture_output=True, check=True)
    # -I leaves out the clone's own .pth as well as the current folder, so what is imported is the wheel's.
    code = (
        f"import sys, site; sys.path[:0] = [{str(target)!r}]\n"
        "import crag, graph; assert crag.__file__.startswith(sys.path[0]), crag.__file__\n"
        "from crag.cli import main; main(sys.argv[1:])"
    )

    def crag(*arguments: str) -> str:
        command = [sys.executable, "-I", "-c", code, *arguments]
        ran = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=child_environment(), timeout=120, check=False
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert "0.1.0" in crag("--version")
    assert '"version"' in crag("pipelines", "show", "crag", "--json")
    samples = target / "crag" / "samples" / "documents" / "en"
    crag("ingest", str(samples), "--home", str(tmp_path / "home"))
    assert "[1]" in crag("ask", "When does the nightly Ragas run start?", "--home", str(tmp_path / "home"))


def test_pins_cover_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(line for lines in project["optional-dependencies"].values() for line in lines),
    ]
    names = {_normal(re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]) for line in wanted} - {"agentic-crag"}
    pinned = {
        _normal(line.split("==")[0]) for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line
    }
    assert names - pinned == set()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_no_file_names_an_index_host_or_a_path_of_one_machine() -> None:
    # Written in pieces, so that this file does not find itself.
    hosts = ("py" + r"pi\.org", "python" + r"hosted\.org", "registry.npm" + r"js\.org", "--index" + "-url")
    paths = ("/wo" + "rk/", "/ro" + "ot/", "/home" + r"/\w+/", "/Use" + r"rs/\w+/")
    forbidden = re.compile("|".join(hosts + paths), re.IGNORECASE)
    found = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in forbidden.finditer(text)]
    assert found == []
