"""YAML mappings that remember where each key was written, so that a refusal can name file and line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from chunking.errors import ConfigError

Location = tuple[str | int, ...]
"""Path of keys and list positions, as in pydantic's ``loc``."""


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

    Raises ConfigError with file and line for bad YAML, a repeated key or a top that is no mapping.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{shown} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{shown} is not UTF-8 text: save it as UTF-8.") from error
    loader = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        result = Mapping()
        if node is None:
            return result
        if not isinstance(node, yaml.MappingNode):
            raise ConfigError(f"{shown} must hold keys and values, e.g. 'extends: crag'.")
        _note_places(node, (), shown, result.places)
        result.values = loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{shown}{line}: not valid YAML: {getattr(error, 'problem', None) or error}.") from error
    finally:
        loader.dispose()
    return result


def _note_places(node: yaml.Node, at: Location, shown: str, places: dict[Location, Place]) -> None:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            here = (*at, key.value)
            place = Place(shown, key.start_mark.line + 1)
            if not isinstance(key, yaml.ScalarNode):
                raise ConfigError(f"{place}: a key must be plain text.")
            if here in places:
                raise ConfigError(f"{place}: {key.value!r} is given twice; the first is on line {places[here].line}.")
            places[here] = place
            _note_places(value, here, shown, places)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            places[(*at, number)] = Place(shown, value.start_mark.line + 1)
            _note_places(value, (*at, number), shown, places)


def _merge(lower: dict[str, Any], upper: dict[str, Any]) -> dict[str, Any]:
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        merged[key] = _merge(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged
