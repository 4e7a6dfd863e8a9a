"""Pipeline files: one YAML file is one version of the service.

A file lists only what it changes; `extends:` names the file (or shipped pipeline) that it changes. The sections
are the configuration models of the rooms below, so a room's fields are the file's keys.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator
from collections.abc import Mapping as Map
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chunking.config import ChunkingConfig
from chunking.errors import ConfigError, NotFoundError
from crag.yamlfile import Location, Mapping, cut, read_mapping
from graph.config import GenerationConfig, GradingConfig, LimitsConfig, RewriteConfig, WebConfig
from retrieval.config import EmbeddingConfig, RerankConfig, RetrievalConfig, StoreConfig

SHIPPED = Path(__file__).parent / "pipelines"
LADDER = ("vector", "hybrid", "hybrid-rerank", "crag")
"""The shipped files, each extending the one before."""
SECTIONS = (
    "chunking",
    "embedding",
    "store",
    "retrieval",
    "rerank",
    "grading",
    "rewrite",
    "web",
    "generation",
    "limits",
)
MAX_CHAIN = 20
"""Files that may stand over one another by `extends`."""
_NAMED: dict[Location, tuple[tuple[str, ...], str, str]] = {
    ("chunking", "strategy"): ((), "chunking.strategies", "STRATEGIES"),
    ("embedding", "provider"): (("auto",), "retrieval.embedders", "EMBEDDERS"),
    ("store", "provider"): ((), "retrieval.vectors", "VECTOR_STORES"),
    ("rerank", "provider"): (("none", "auto"), "retrieval.rerankers", "RERANKERS"),
    ("web", "provider"): (("none", "auto"), "graph.web", "WEB"),
    ("generation", "provider"): (("auto",), "graph.llms", "LLMS"),
}
"""Fields that name a plug: words beside the names, and the dict that has the names. Imported when first asked."""
_ENDPOINTS: tuple[Location, ...] = (
    ("embedding", "base_url"),
    ("store", "url"),
    ("web", "base_url"),
    ("generation", "base_url"),
)


class Pipeline(BaseModel):
    """A resolved pipeline: `extends` followed, every default filled in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
    """The file's stem unless the file gives one. It is the model name that chat clients see."""
    description: str = Field(default="", max_length=300)
    chunking: ChunkingConfig = ChunkingConfig()
    embedding: EmbeddingConfig = EmbeddingConfig()
    store: StoreConfig = StoreConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
    rerank: RerankConfig = RerankConfig()
    grading: GradingConfig = GradingConfig()
    rewrite: RewriteConfig = RewriteConfig()
    web: WebConfig = WebConfig()
    generation: GenerationConfig = GenerationConfig()
    limits: LimitsConfig = LimitsConfig()

    def sections(self) -> dict[str, dict[str, Any]]:
        """What the pipeline does, as plain JSON values, every default included."""
        return self.model_dump(mode="json", include=set(SECTIONS))

    @property
    def version(self) -> str:
        """12 hex digits of the SHA-256 of the canonical JSON of `sections`: names and comments do not count."""
        canonical = json.dumps(self.sections(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()[:12]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "version": self.version, "description": self.description, **self.sections()}


def load_pipeline(name_or_path: str | Path) -> Pipeline:
    """A shipped pipeline by name, or any pipeline file by its path (ending in .yaml or .yml).

    Raises NotFoundError for an unknown name, ConfigError (with file, line and the nearest right key) for a bad file.
    """
    path, shown = _locate(str(name_or_path), Path())
    mapping = _read_chain(path, shown, ())
    pipeline = _validated(mapping, path.stem, shown)
    if pipeline.name in LADDER and path.resolve().parent != SHIPPED.resolve():
        # A running server and a table of runs know pipelines by name alone.
        place = mapping.place(("name",)) or shown
        raise ConfigError(
            f"{place}: {pipeline.name!r} is the name of a shipped pipeline: give this file another 'name:'."
        )
    return pipeline


def vary(pipeline: Pipeline, overrides: Map[str, Any]) -> Pipeline:
    """The pipeline with ``{"section.field": value}`` laid over it. Raises ConfigError as for a file."""
    values = pipeline.model_dump(mode="json")
    for name, value in overrides.items():
        section, _, field = name.partition(".")
        values[section] = {**values.get(section, {}), field: value} if section in SECTIONS else value
    return _validated(Mapping(values), pipeline.name, "--vary")


def diff_pipelines(old: Pipeline, new: Pipeline) -> dict[str, dict[str, Any]]:
    """``{"section.field": {"old", "new"}}`` for every field in which the two differ."""
    before, after = old.sections(), new.sections()
    return {
        f"{section}.{field}": {"old": before[section].get(field), "new": after[section].get(field)}
        for section in SECTIONS
        for field in sorted(before[section].keys() | after[section].keys())
        if before[section].get(field) != after[section].get(field)
    }


def _locate(name: str, base: Path) -> tuple[Path, str]:
    if name.endswith((".yaml", ".yml")) or "/" in name or "\\" in name:
        path = base / name
        try:
            found = path.is_file()
        except OSError as error:
            raise ConfigError(f"{cut(str(path))!r} cannot be read: {error.strerror or error}.") from error
        if not found:
            raise NotFoundError(f"There is no pipeline file {cut(str(path), 300)!r}: check the path.")
        return path, str(path)
    shipped = SHIPPED / f"{name}.yaml"
    if name not in LADDER:
        near = difflib.get_close_matches(name, LADDER, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "give a path that ends in .yaml for a file of your own."
        raise NotFoundError(f"There is no pipeline {cut(name)!r} (shipped: {', '.join(LADDER)}): {hint}")
    return shipped, f"{name}.yaml"


def _read_chain(path: Path, shown: str, above: tuple[Path, ...]) -> Mapping:
    if path.resolve() in above:
        raise ConfigError(f"{shown} extends itself, by way of {', '.join(p.name for p in above)}: break the circle.")
    if len(above) >= MAX_CHAIN:
        raise ConfigError(f"{shown} stands below {MAX_CHAIN} files that extend one another: shorten the chain.")
    own = read_mapping(path, shown)
    if (parent := own.values.pop("extends", None)) is None:
        return own
    place = own.places.pop(("extends",))
    if not isinstance(parent, str):
        raise ConfigError(f"{place}: 'extends' takes one pipeline name or one path.")
    try:
        below = _locate(parent, path.parent)
    except (NotFoundError, ConfigError) as error:
        raise type(error)(f"{place}: {error}") from error
    inherited = _read_chain(*below, (*above, path.resolve()))
    for key in ("name", "description"):
        inherited.values.pop(key, None)
    return inherited.overlaid(own)


def _validated(mapping: Mapping, stem: str, shown: str) -> Pipeline:
    try:
        pipeline = Pipeline.model_validate({"name": stem, **mapping.values})
    except ValidationError as error:
        problems = error.errors(include_url=False)
        first = min(problems, key=lambda problem: _line(mapping, problem["loc"]))
        place = mapping.place(first["loc"]) or shown
        more = f" (and {len(problems) - 1} more to mend.)" if len(problems) > 1 else ""
        raise ConfigError(f"{place}: {_sentence(first)}{more}") from error
    for location, complaint in (*_unknown_names(pipeline), *_unusable_urls(pipeline)):
        raise ConfigError(f"{mapping.place(location) or shown}: {'.'.join(map(str, location))}: {complaint}")
    return pipeline


def _unknown_names(pipeline: Pipeline) -> Iterator[tuple[Location, str]]:
    """Fields that name no plug, each with what is wrong with it."""
    for location, (words, module, registry) in _NAMED.items():
        section, field = map(str, location)
        part: BaseModel = getattr(pipeline, section)
        name: str = getattr(part, field)
        if name in words or name == type(part).model_fields[field].default:
            continue
        known = [*words, *getattr(import_module(module), registry)]
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
            yield location, f"there is no {cut(name)!r}: {hint}"


def _unusable_urls(pipeline: Pipeline) -> Iterator[tuple[Location, str]]:
    for location in _ENDPOINTS:
        section, field = map(str, location)
        url: str | None = getattr(getattr(pipeline, section), field)
        if url is not None and not _is_http(url):
            yield location, f"{cut(url)!r} is no address of an endpoint: give one like 'http://127.0.0.1:8000/v1'."


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        usable = parts.port is None or parts.port > 0
    except ValueError:
        return False
    plain = url.isprintable() and " " not in url
    return plain and usable and parts.scheme in ("http", "https") and bool(parts.hostname)


def _line(mapping: Mapping, location: Location) -> int:
    place = mapping.place(location)
    return place.line if place else 0


def _sentence(problem: Map[str, Any]) -> str:
    location: Location = problem["loc"]
    name = ".".join(map(str, location))
    if problem["type"] == "extra_forbidden":
        known = _known_keys(location[:-1])
        near = difflib.get_close_matches(str(location[-1]), known, n=1, cutoff=0.5)
        return f"unknown key {cut(name)!r}: " + (
            f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}."
        )
    message = "must hold keys and values" if problem["type"] == "model_type" else str(problem["msg"])
    message = message.removeprefix("Value error, ")
    given = problem["input"]
    shown = f" (is {cut(given)!r})" if isinstance(given, str) else ""
    if isinstance(given, int | float | None):
        shown = f" (is {given!r})"
    return f"{cut(name)}: {message[:1].lower()}{message[1:]}{shown}."


def _known_keys(section: Location) -> list[str]:
    if not section:
        return ["extends", *Pipeline.model_fields]
    model = Pipeline.model_fields[str(section[0])].annotation
    return list(model.model_fields) if isinstance(model, type) and issubclass(model, BaseModel) else []
