"""YAML mappings that remember where each key was written, so that a refusal can name file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.reader import ReaderError

from chunking.errors import ConfigError

Location = tuple[str | int, ...]
"""Path of keys and list positions, as in pydantic's ``loc``."""

MAX_BYTES = 256 * 1024
MAX_DEPTH = 20
MAX_NODES = 10_000
MAX_ECHO = 80
"""Characters of the input that a message repeats."""
_TOO_DEEP = f"nested deeper than {MAX_DEPTH} levels"
_KEY_TAGS = {"tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"}
_NUMBER_TAGS = {"tag:yaml.org,2002:int", "tag:yaml.org,2002:float"}


@dataclass(frozen=True)
class Place:
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}"


@dataclass
class Mapping:
    """`values` as plain Python; `places` has the line of every key (and list entry) by its location."""

    values: dict[str, Any] = field(default_factory=dict)
    places: dict[Location, Place] = field(default_factory=dict)

    def overlaid(self, upper: Mapping) -> Mapping:
        """This mapping with `upper` laid over it: mappings merge key by key, anything else is replaced."""
        return Mapping(_merge(self.values, upper.values), {**self.places, **upper.places})

    def place(self, location: Location) -> Place | None:
        """Where the key at `location` was written, or else the nearest key above it."""
        for length in range(len(location), 0, -1):
            if found := self.places.get(location[:length]):
                return found
        return None


def read_mapping(path: Path, shown: str) -> Mapping:
    """Read one YAML file whose top is a mapping. `shown` is how messages name the file.

    Raises ConfigError with file and line for bad YAML, a repeated key, a top that is no mapping, and for what no
    settings file needs: more than `MAX_BYTES`, `MAX_DEPTH` or (aliases written out) `MAX_NODES`.
    """
    text = _read(path, shown)
    try:
        loader = _Loader(text)
    except ReaderError as error:
        place = Place(shown, text.count("\n", 0, error.position) + 1)
        raise ConfigError(f"{place}: holds a control character: save it as plain text.") from error
    try:
        node = loader.get_single_node()
        result = Mapping()
        if node is None:
            return result
        if not isinstance(node, yaml.MappingNode):
            raise ConfigError(f"{shown} must hold keys and values, e.g. 'extends: crag'.")
        _walk(node, (), shown, result.places, loader)
        result.values = loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = cut(str(getattr(error, "problem", None) or error))
        raise ConfigError(f"{shown}{line}: not valid YAML: {problem}.") from error
    finally:
        loader.dispose()
    return result


def cut(text: str, limit: int = MAX_ECHO) -> str:
    """`text` as a message may repeat it."""
    return text if len(text) <= limit else f"{text[:limit]}…"


class _Loader(yaml.SafeLoader):
    """Composing recurses with the nesting of the text, so that the depth has to be watched there."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.depth > MAX_DEPTH:
            raise ComposerError(None, None, _TOO_DEEP, self.get_mark())
        self.depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self.depth -= 1


def _read(path: Path, shown: str) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigError(f"{shown} is larger than {MAX_BYTES // 1024} KiB: a settings file holds a few lines.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{shown} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown} is not UTF-8 text: save it as UTF-8.") from error


def _walk(node: yaml.Node, at: Location, shown: str, places: dict[Location, Place], loader: _Loader) -> None:
    """Note the place of every key and refuse what cannot become a value. An alias is walked wherever it stands."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            place = Place(shown, key.start_mark.line + 1)
            if not isinstance(key, yaml.ScalarNode) or key.tag not in _KEY_TAGS:
                raise ConfigError(f"{place}: a key must be plain text.")
            here = (*at, key.value)
            if here in places:
                first = places[here].line
                raise ConfigError(f"{place}: {cut(key.value)!r} is given twice; the first is on line {first}.")
            _note(places, here, place)
            _walk(value, here, shown, places, loader)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            _note(places, (*at, number), Place(shown, value.start_mark.line + 1))
            _walk(value, (*at, number), shown, places, loader)
    elif isinstance(node, yaml.ScalarNode):
        _check_scalar(node, Place(shown, node.start_mark.line + 1), loader)


def _note(places: dict[Location, Place], here: Location, place: Place) -> None:
    # Below an alias, `place` is where the anchor stands; the key on top is where the reader has to look.
    top = places.get(here[:1], place)
    if len(here) > MAX_DEPTH:
        raise ConfigError(f"{top}: {_TOO_DEEP}; does an alias hold itself?")
    if len(places) >= MAX_NODES:
        raise ConfigError(f"{top}: more than {MAX_NODES} values, aliases written out: a settings file holds a few.")
    places[here] = place


def _check_scalar(node: yaml.ScalarNode, place: Place, loader: _Loader) -> None:
    if node.tag in _NUMBER_TAGS and len(node.value) > MAX_ECHO:
        raise ConfigError(f"{place}: a number of {len(node.value)} characters is too long.")
    try:
        loader.construct_object(node)
    except yaml.YAMLError:
        raise
    # PyYAML hands on whatever the standard library says to e.g. a 99th month or `!!bool maybe`.
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        kind = node.tag.rpartition(":")[2]
        message = f"{cut(node.value)!r} is no valid {kind}: put quotes around it if text is meant."
        raise ConfigError(f"{place}: {message}") from error


def _merge(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
