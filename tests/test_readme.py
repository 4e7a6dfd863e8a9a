"""The README's commands and examples are the program's, its help too, and its Chinese twin says the same."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import click
import pytest

from chunking.loaders import SUPPORTED
from crag import Crag
from crag.cli import cli
from crag.pipeline import load_pipeline
from eval.suite import load_suite
from retrieval.types import Filters
from tests.crag.cli import SAMPLES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text(encoding="utf-8")
COMMANDS = [
    line.strip()
    for block in re.findall(r"```bash\n(.*?)```", README, flags=re.DOTALL)
    for line in block.splitlines()
    if line.startswith("crag ")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_parses(line: str) -> None:
    command: click.Command = cli
    words = shlex.split(line)[1:]
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"no command {name}"
        command = found
    command.make_context(line, words)


def test_the_metric_that_decides_the_first_comparison_is_measured_without_a_judge() -> None:
    from eval.metrics.catalog import CATALOG, ON_REQUEST

    (declared,) = re.findall(r"^crag eval compare .*--primary (\S+)", README, flags=re.MULTILINE)
    assert not CATALOG[declared].judged
    assert declared not in ON_REQUEST


def test_there_are_commands_in_the_readme() -> None:
    assert len(COMMANDS) >= 8


def test_the_help_in_the_readme_is_the_programs() -> None:
    shown = re.search(r"```text\n\$ crag --help\n(.*?)```", README, flags=re.DOTALL)
    environment = {**os.environ, "COLUMNS": "80"}
    command = [sys.executable, "-m", "crag", "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert shown is not None
    assert shown[1].strip() == ran.stdout.strip()


def test_the_readmes_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        assert target.startswith("http") or (ROOT / target).exists(), target


def block(language: str, within: str) -> str:
    """The one code block of the language that holds the text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)
    (found,) = [each for each in blocks if within in each]
    return str(found)


@pytest.fixture
def manuals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the examples are about; they run beside it."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "manuals"
    folder.mkdir()
    (folder / "pump.md").write_text("# Pump\n\nThe pump is serviced every six months.\n")
    return folder


def test_the_filter_narrows_the_search_to_the_samples_it_names(tmp_path: Path) -> None:
    shown = re.search(r'"filters": (\{[^}]*\})', README)
    assert shown is not None
    filters = Filters(**json.loads(shown[1]))
    for source in ("zh/glossary.md", "en/oncall-guide.md"):
        (tmp_path / source).parent.mkdir()
        (tmp_path / source).write_bytes((SAMPLES / source).read_bytes())
    with Crag.open(tmp_path / "home", "hybrid", write=True) as crag:
        # As the samples are ingested: each language's folder on its own.
        crag.ingest(sorted(path for path in tmp_path.iterdir() if path.name in ("zh", "en")))
        found, _ = crag.search("Who is on call? 值班", filters=filters)
        unfiltered, _ = crag.search("Who is on call? 值班")
    assert {hit.document.source for hit in found} == {"zh/glossary.md"}
    assert len({hit.document.source for hit in unfiltered}) == 2


def test_the_python_example_runs(manuals: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(block("python", "from crag import Crag"), "README.md", "exec"), {})
    assert "every six months" in capsys.readouterr().out


def test_the_pipeline_example_loads(tmp_path: Path) -> None:
    path = tmp_path / "terse.yaml"
    path.write_text(block("yaml", "# terse.yaml"))
    assert load_pipeline(path).name == "terse"


def test_the_suite_example_loads(manuals: Path) -> None:
    path = manuals.parent / "suite.yaml"
    path.write_text(block("yaml", "# suite.yaml"))
    suite = load_suite(path)
    assert suite.documents is not None
    assert [each.doc_id for each in suite.documents] == ["pump.md"]
    assert [(each.id, each.answerable) for each in suite.questions] == [("q1", True), ("q2", False)]
    assert suite.questions[0].reference_spans[0].text in (manuals / "pump.md").read_text()


def test_the_csv_columns_are_understood(tmp_path: Path) -> None:
    shown = re.search(r"^CSV columns: (.*?);", README, flags=re.MULTILINE)
    assert shown is not None
    columns = re.findall(r"`(\w+)`", shown[1])
    cells = dict.fromkeys(columns, "en") | {"answerable": "false"}
    cells |= {"answers": '["a", "b"]', "reference_contexts": '["c"]', "history": '[{"role": "user", "content": "d"}]'}
    path = tmp_path / "suite.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerow({name: cells[name] for name in columns})
    (question,) = load_suite(path).questions
    assert question.extra == {}
    assert (question.answers, question.answerable, question.reference_spans[0].text) == (("a", "b"), False, "c")


def test_the_formats_are_those_that_are_read() -> None:
    (section,) = re.findall(r"^## Your own documents\n(.*?)^## ", README, flags=re.DOTALL | re.MULTILINE)
    rows = [line for line in section.splitlines() if line.startswith("|")]
    assert set(re.findall(r"`(\.\w+)`", "\n".join(rows))) == set(SUPPORTED)


def skeleton(text: str) -> dict[str, object]:
    """What a page says in any language: levels of headings, code, rows of each table, links and inline code."""
    fence = re.compile(r"^```.*?^```$", flags=re.DOTALL | re.MULTILINE)
    prose = fence.sub("", text)
    tables = re.findall(r"(?:^\|.*\n)+", prose, flags=re.MULTILINE)
    return {
        "headings": [len(marks) for marks in re.findall(r"^(#+) ", prose, flags=re.MULTILINE)],
        "code blocks": fence.findall(text),
        "rows of each table": [table.count("\n") for table in tables],
        "items of lists": len(re.findall(r"^- ", prose, flags=re.MULTILINE)),
        "links": Counter(re.findall(r"\]\(([^)]+)\)|<(http[^>]+)>", prose)),
        "inline code": Counter(re.findall(r"`([^`\n]+)`", prose)),
    }


@pytest.mark.parametrize("part", skeleton(""))
def test_the_chinese_readme_is_in_step(part: str) -> None:
    assert README.startswith("[中文](README.zh-CN.md)\n")
    assert CHINESE.startswith("[English](README.md)\n")
    english, chinese = (text.partition("\n")[2] for text in (README, CHINESE))
    assert skeleton(english)[part], "nothing to compare"
    assert skeleton(chinese)[part] == skeleton(english)[part]


def test_every_metric_is_explained() -> None:
    from eval.metrics.catalog import CATALOG, ON_REQUEST

    rows = [
        f"| `{info.name}` | {info.group} | {info.description} | {info.direction} | "
        f"{', '.join([*(['judge'] if info.judged else []), *(['when named'] if info.name in ON_REQUEST else [])])} |"
        for info in CATALOG.values()
    ]
    assert "\n".join(rows) in (ROOT / "docs" / "evaluation.md").read_text(encoding="utf-8")


def test_a_thing_has_one_chinese_name() -> None:
    """Pipeline 流水线, confidence 置信度, collection 文档集, suite 评测集; stream and trace name steps alike."""
    from crag.api.progress import _WORDS

    words = (ROOT / "crag" / "page" / "words-zh.js").read_text(encoding="utf-8")
    for other in ("流程", "把握程度", "集合", "题集", "评估", "撰写"):
        assert other not in CHINESE + words, other
    for node, name in (("grade", "评分"), ("grade_web", "评分"), ("generate", "生成"), ("refine", "提炼")):
        assert name in _WORDS[node]["zh"]
        assert re.search(rf'\b{node}: "[^"]*{name}', words)
