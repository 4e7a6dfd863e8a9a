"""JSON: records as a table, keys as headings, the values below them as lists and paragraphs.

Numbers are read as they are written: a price of 1.10 keeps its zero, and no number is too long.
"""

from __future__ import annotations

import json
from typing import Any

from chunking.errors import DocumentError
from chunking.loaders.base import Parsed, TextBuilder
from chunking.loaders.tables import table_text
from chunking.normalize import clean, decode

_DEEPEST_HEADING = 4
_LONG = 200
_MOST_COLUMNS = 40
_NAMES = ("title", "name", "question", "id", "key", "标题", "名称", "问题")


def load_json(data: bytes, source: str) -> Parsed:
    text, note = decode(data, source=source)
    builder = TextBuilder()
    try:
        value = _parse(text)
        _write(value, builder, 1)
    except json.JSONDecodeError as error:
        raise DocumentError(
            f"{source} is no sound JSON file (line {error.lineno}): correct it and try again.", code="damaged"
        ) from error
    except RecursionError as error:
        raise DocumentError(
            f"{source} is nested too deep, hundreds of levels: flatten it and try again.", code="too_deep"
        ) from error
    title = value.get("title") if isinstance(value, dict) else None
    return Parsed(
        builder.text,
        tuple(builder.blocks),
        title=clean(title) if isinstance(title, str) and "\n" not in title else "",
        notes=(note,) if note else (),
    )


def _parse(text: str) -> Any:
    """The value, or a list of them where every line is one (JSON Lines)."""
    decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            raise
        try:
            return [decoder.decode(line) for line in text.split("\n") if line.strip()]
        except json.JSONDecodeError:
            raise error from None


def _write(value: Any, builder: TextBuilder, level: int) -> None:
    if isinstance(value, dict):
        _write_object(value, builder, level)
    elif not isinstance(value, list):
        builder.add("paragraph", _scalar(value))
    elif _are_records(value):
        columns = list(dict.fromkeys(key for record in value for key in record))
        rows = [[_scalar(record.get(key)) for key in columns] for record in value]
        builder.add("table", table_text([[clean(column) for column in columns], *rows], header=True))
    elif any(isinstance(item, dict | list) for item in value) and level <= _DEEPEST_HEADING:
        for number, item in enumerate(value, start=1):
            builder.add("heading", _name(item) or str(number), level=level)
            _write(item, builder, level + 1)
    else:
        builder.add("list", "\n".join(_flat("", value)))


def _write_object(value: dict[str, Any], builder: TextBuilder, level: int) -> None:
    if level > _DEEPEST_HEADING:
        builder.add("list", "\n".join(_flat("", value)))
        return
    items: list[str] = []
    nested: list[tuple[str, Any]] = []
    for key, item in value.items():
        if isinstance(item, dict | list) or len(_scalar(item)) > _LONG:
            nested.append((key, item))
        else:
            items.append(f"- {clean(key)}: {' '.join(_scalar(item).split())}".rstrip())
    builder.add("list", "\n".join(items))
    for key, item in nested:
        if item or not isinstance(item, dict | list):
            builder.add("heading", clean(key), level=level)
            _write(item, builder, level + 1)


def _are_records(value: list[Any]) -> bool:
    """Objects without anything nested or long: a table tells them best."""
    return (
        len(value) > 1
        and all(isinstance(item, dict) for item in value)
        and not any(
            isinstance(inner, dict | list) or len(_scalar(inner)) > _LONG for item in value for inner in item.values()
        )
        and len({key for item in value for key in item}) <= _MOST_COLUMNS
    )


def _flat(path: str, value: Any) -> list[str]:
    """``- a.b: value`` lines; values of a list share their key."""
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _flat(f"{path}.{key}" if path else key, item)]
    if isinstance(value, list):
        return [line for item in value for line in _flat(path, item)]
    return [f"- {clean(path)}: {' '.join(_scalar(value).split())}" if path else f"- {' '.join(_scalar(value).split())}"]


def _name(item: Any) -> str:
    found = next((item[name] for name in _NAMES if item.get(name)), "") if isinstance(item, dict) else ""
    return "" if isinstance(found, dict | list) else " ".join(_scalar(found).split())[:80]


def _scalar(value: Any) -> str:
    if value is None:
        return ""
    return clean(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
