"""What the server says in English has a Chinese line on the page: every code of an error, every fixed sentence."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "crag" / "page"
ROOMS = ("chunking", "retrieval", "graph", "crag/api", "crag/wiring.py")
RAISED = ("_error", "_failure", "_skip")
"""Helpers that are given a code by its place."""


def modules() -> Iterator[ast.Module]:
    for room in ROOMS:
        path = ROOT / room
        for file in [path] if path.is_file() else path.rglob("*.py"):
            yield ast.parse(file.read_text("utf-8"))


def strings(node: ast.AST | None) -> set[str]:
    return (
        {n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)} if node else set()
    )


def called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")


def fixed_sentences(module: ast.Module) -> set[str]:
    """The third argument of every `Degraded(...)` and `degraded(...)`, names resolved within the module."""
    named: dict[str, set[str]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            named.setdefault(node.targets[0].id, set()).update(strings(node.value))
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and called(node).lower() == "degraded" and len(node.args) >= 3:
            action = node.args[2]
            found |= named.get(action.id, set()) if isinstance(action, ast.Name) else strings(action)
    return found


def codes(module: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Call):
            errors = called(node).endswith("Error")
            given = [each.value for each in node.keywords if errors and each.arg == "code"]
            found |= {each.value for each in given if isinstance(each, ast.Constant)}
            if called(node) == "Degraded" and len(node.args) == 4:
                found |= strings(node.args[3])
            if called(node) in RAISED:
                found |= {c for each in node.args[1:] for c in strings(each) if re.fullmatch("[a-z]+(_[a-z]+)*", c)}
        if isinstance(node, ast.Dict):
            told = zip(node.keys, node.values, strict=True)
            found |= {v.value for k, v in told if strings(k) == {"code"} and isinstance(v, ast.Constant)}
    return found


def chinese(table: str) -> set[str]:
    """The keys of a table of words-zh.js."""
    words = (PAGE / "words-zh.js").read_text("utf-8")
    body = re.search(rf"\n  {table}: {{\n(.*?)\n  }},", words, re.DOTALL)
    assert body
    keys = re.findall(r'^    ("(?:[^"\\]|\\.)*"|\w+): "', body[1], re.MULTILINE)
    return {json.loads(key) if key.startswith('"') else key for key in keys}


def test_every_fixed_sentence_has_a_chinese_line() -> None:
    said = set[str]().union(*map(fixed_sentences, modules()))
    assert "The passages keep the order of the search." in said
    assert "ranked by BM25 alone" in said
    assert said - chinese("sentences") == set()
    assert chinese("sentences") - said == set(), "lines of sentences that nobody says"


def test_every_code_has_a_chinese_line() -> None:
    given = set[str]().union(*map(codes, modules()))
    assert {"damaged", "timeout", "unreachable", "same_name", "no_vectors"} <= given
    documented = re.search(r"stable for programs: (.*?)\. Every reply", (ROOT / "docs" / "api.md").read_text("utf-8"))
    assert documented
    given |= set(re.findall(r"`([a-z_]+)`", documented[1]))
    assert given - chinese("codes") - {""} == set()


def test_both_languages_have_the_same_words() -> None:
    keys = [
        re.findall(r"^  (\w+):", (PAGE / f"words-{language}.js").read_text("utf-8"), re.MULTILINE)
        for language in ("en", "zh")
    ]
    assert keys[0] == keys[1]
