"""Questions from tables that other tools wrote: CSV, and the column names that Ragas uses."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import tokenize
from collections import Counter
from pathlib import Path
from typing import Any

from chunking.errors import ConfigError
from chunking.normalize import decode

ALIASES = {
    "user_input": "question",
    "ground_truth": "reference",
    "ground_truths": "answers",
    "answer": "response",
    "contexts": "retrieved_contexts",
    "synthesizer_name": "type",
    "问题": "question",
    "参考答案": "reference",
    "标准答案": "reference",
    "答案": "reference",
    "类型": "type",
}
"""Names of Ragas 0.1 to 0.4, those of Chinese tables, and our own; a row that has both keeps ours."""
_LISTS = {"answers", "retrieved_contexts", "reference_contexts", "reference_spans", "answer_spans", "history"}
_LIST_OF_TEXTS = re.compile(r"\s*\[\s*[\"'{]")
_TRUE, _FALSE = {"true", "yes", "1"}, {"false", "no", "0"}


def from_columns(row: Any, fallback_id: str) -> Any:
    """One question's fields under our names. ``reference_contexts`` become spans, each a group of its own.

    A Ragas ``user_input`` that is a list of messages becomes the question and its history.
    """
    if not isinstance(row, dict):
        return row
    fields = {name: value for name, value in row.items() if name not in ALIASES}
    for alias, name in ALIASES.items():
        if alias in row:
            fields.setdefault(name, row[alias])
    if isinstance(messages := fields.get("question"), list):
        *earlier, last = [_message(message) for message in messages] or [{"content": ""}]
        fields["question"] = last["content"]
        fields["history"] = earlier
    contexts = fields.pop("reference_contexts", None)
    if contexts and not fields.get("reference_spans"):
        fields["reference_spans"] = [{"text": text, "group": group} for group, text in enumerate(contexts)]
    fields.setdefault("id", fallback_id)
    return {name: value for name, value in fields.items() if value is not None}


def csv_lines(path: Path) -> list[tuple[int, Any]]:
    """Rows of a CSV file with a header, with the line that each ends on. Empty cells are left out.

    Cells of list columns hold JSON, the repr that pandas writes, or one plain text. Raises ConfigError.
    """
    # A spreadsheet program saves in the encoding of its country.
    text, _ = decode(path.read_bytes(), source=str(path))
    try:
        csv.field_size_limit(max(csv.field_size_limit(), len(text)))
        header = text.partition("\n")[0]
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=header.count), strict=True)
        reader.fieldnames = [_heading(name) for name in reader.fieldnames or ()]
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise ConfigError(f"{path}: not CSV ({error}).") from None
    if twice := [name for name, count in Counter(reader.fieldnames or ()).items() if count > 1]:
        raise ConfigError(f"{path}:1: the column {twice[0]!r} is there twice: keep one.")
    if rows and not any(ALIASES.get(name, name) == "question" for name in reader.fieldnames):
        raise ConfigError(f"{path}:1: there is no column 'question' among {', '.join(map(repr, reader.fieldnames))}.")
    return [(line, _typed(row, f"{path}:{line}")) for line, row in rows]


def _heading(name: str) -> str:
    """Spreadsheets begin headings with a capital."""
    plain = name.strip()
    return plain.lower() if plain.isascii() else plain


def _typed(row: dict[str | None, Any], where: str) -> dict[str, Any]:
    if None in row:
        raise ConfigError(f"{where}: more cells than the header has columns.")
    fields: dict[str, Any] = {}
    for column, cell in row.items():
        if column is None or cell is None or not cell.strip():
            continue
        name = ALIASES.get(column, column)
        if name in _LISTS:
            fields[column] = _list(cell, f"{where}: {column}")
        elif name == "answerable":
            if cell.strip().lower() not in _TRUE | _FALSE:
                raise ConfigError(f"{where}: answerable is true or false, not {cell!r}.")
            fields[column] = cell.strip().lower() in _TRUE
        else:
            fields[column] = cell
    return fields


def _list(cell: str, where: str) -> list[Any]:
    if (texts := _numpy_texts(cell)) is not None:
        return texts
    for parse in (json.loads, ast.literal_eval):
        try:
            value = parse(cell)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, list | tuple):
            return list(value)
    if _LIST_OF_TEXTS.match(cell):
        raise ConfigError(f"{where}: the list {cell[:40]!r} cannot be read: write it as JSON.")
    return [cell]


def _numpy_texts(cell: str) -> list[Any] | None:
    """The texts of an array as NumPy prints it, ``['a' 'b']``; Python would join them into one. None for all else."""
    try:
        tokens = [
            token for token in tokenize.generate_tokens(io.StringIO(cell.strip()).readline) if token.string.strip()
        ]
    except (tokenize.TokenError, SyntaxError):
        return None
    inner = [token for token in tokens[1:-1] if token.type != tokenize.NL]
    if len(tokens) < 4 or tokens[0].string != "[" or tokens[-1].string != "]":
        return None
    if any(token.type != tokenize.STRING for token in inner):
        return None
    return [ast.literal_eval(token.string) for token in inner]


def _message(message: Any) -> dict[str, Any]:
    """A message of Ragas ({"type": "human" | "ai"}) or of OpenAI ({"role"})."""
    if not isinstance(message, dict):
        return {"role": "user", "content": message}
    role = message.get("role") or {"human": "user", "ai": "assistant"}.get(str(message.get("type")), "user")
    return {"role": role, "content": message.get("content")}
