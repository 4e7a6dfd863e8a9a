"""A suite: documents and questions with gold spans, loaded strictly.

A folder in the form of the public sets (``questions.jsonl``, ``documents.jsonl``, ``corpus/``), or one YAML file::

    name: my-suite                  # optional, else the file's name
    documents: ../docs              # a folder, a file, or a documents.jsonl; left out: what is already ingested
    questions:                      # or the name of a .jsonl or .csv file
      - id: q1
        question: 深水埗关帝庙是哪里的关帝庙？
        reference: 香港
        reference_spans:
          - {doc_id: temples.md, text: 是香港一所关帝庙}     # start and end where known; group where several are needed

Spans of one ``group`` are alternatives; a question is covered when every group is. ``answerable: false`` means that the
right answer is to say so. ``history`` holds earlier turns as ``{role, content}``. Unknown keys are kept as `extra` and
named by `crag eval run`; those that look like a slip of a known one are refused.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from chunking.errors import ConfigError, NotFoundError
from eval.importing import csv_lines, from_columns
from eval.questions import Suite, SuiteDocument, SuiteQuestion, SuiteSpan, SuiteTurn

__all__ = ["Suite", "SuiteDocument", "SuiteQuestion", "SuiteSpan", "SuiteTurn", "load_suite"]

Line = tuple[int, Any]
"""Line number (from 1) and the value that starts there."""

MAX_VALUES = 1_000_000
"""Of a YAML suite, aliases written out: a hundred thousand questions of ten keys each."""
_KEYS_OF = {
    "reference_spans": tuple(SuiteSpan.model_fields),
    "answer_spans": tuple(SuiteSpan.model_fields),
    "history": tuple(SuiteTurn.model_fields),
}
_M = TypeVar("_M", bound=BaseModel)


def load_suite(path: str | Path) -> Suite:
    """Load a suite folder, YAML, JSONL or CSV file. Raises ConfigError with file and line, and NotFoundError."""
    place = Path(path)
    if place.is_dir():
        return _from_folder(place)
    if not place.is_file():
        raise NotFoundError(
            f"There is no suite at {place}: give a folder with questions.jsonl, or a YAML, JSONL or CSV file."
        )
    if place.suffix.lower() in {".yaml", ".yml"}:
        return _from_yaml(place)
    return _suite(place.stem, place.parent, read_questions(place), None, [place])


def read_questions(path: Path) -> list[tuple[int, SuiteQuestion]]:
    """Questions of a ``.jsonl`` or ``.csv`` file, also with Ragas' column names, with their line numbers."""
    lines = csv_lines(path) if path.suffix.lower() == ".csv" else jsonl_lines(path)
    return [
        (number, validate(SuiteQuestion, from_columns(value, f"q{position:03}"), f"{path}:{number}"))
        for position, (number, value) in enumerate(lines, 1)
    ]


def jsonl_lines(path: Path) -> list[Line]:
    """The JSON objects of a file; blank lines are skipped. Raises ConfigError with file and line."""
    found: list[Line] = []
    # Not splitlines(): it also cuts at U+2028 and U+0085, which JSON strings may hold.
    for number, line in enumerate(_read(path).split("\n"), 1):
        if line.strip():
            try:
                found.append((number, json.loads(line, object_pairs_hook=_unique)))
            except ValueError as error:
                raise ConfigError(f"{path}:{number}: not JSON ({error}).") from None
            except RecursionError:
                raise ConfigError(f"{path}:{number}: its brackets are nested too deep.") from None
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if twice := [key for key, count in Counter(key for key, _ in pairs).items() if count > 1]:
        raise ValueError(f"the key {twice[0]!r} is there twice")
    return dict(pairs)


def validate(model: type[_M], value: Any, where: str) -> _M:
    """Build a model; a refusal names the place, the key and what is wrong with it."""
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: expected an object with keys, got {type(value).__name__}.")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        if first["type"] == "model_type":
            keys = ", ".join(_KEYS_OF.get(str(first["loc"][0]), ()))
            message = f"expected an object with keys{f' ({keys})' if keys else ''}, got {type(first['input']).__name__}"
        end = "" if message.endswith("?") else "."
        raise ConfigError(f"{where}: {key + ': ' if key else ''}{message[0].lower()}{message[1:]}{end}") from None


def _from_folder(folder: Path) -> Suite:
    found = [f for name in ("questions.jsonl", "questions.csv") if (f := folder / name).is_file()]
    if len(found) > 1:
        raise ConfigError(f"{folder} holds both {found[0].name} and {found[1].name}: name the one that is the suite.")
    if not found:
        yaml_file = next((f for name in ("suite.yaml", "suite.yml") if (f := folder / name).is_file()), None)
        if yaml_file is not None:
            return _from_yaml(yaml_file, name=folder.resolve().name)
        raise NotFoundError(f"{folder} holds no questions.jsonl, questions.csv or suite.yaml: it is not a suite.")
    (questions_file,) = found
    documents_file = folder / "documents.jsonl"
    documents = _read_documents(documents_file) if documents_file.is_file() else None
    return _suite(
        folder.resolve().name, folder, read_questions(questions_file), documents, [questions_file, documents_file]
    )


def _written_out(node: yaml.Node) -> int:
    """Values of a YAML tree with every alias written out. An alias inside what it stands for counts as endless."""
    sizes: dict[int, int] = {}

    def size(each: yaml.Node) -> int:
        if isinstance(each, yaml.ScalarNode):
            return 1
        if id(each) not in sizes:
            sizes[id(each)] = MAX_VALUES + 1
            parts = (part for pair in each.value for part in (pair if isinstance(pair, tuple) else (pair,)))
            sizes[id(each)] = 1 + sum(map(size, parts))
        return sizes[id(each)]

    return size(node)


def _repeated_key(node: yaml.Node) -> yaml.ScalarNode | None:
    """The first key that its mapping has already; PyYAML would let the later one win."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, item in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    return key
                seen.add(key.value)
            if found := _repeated_key(item):
                return found
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            if found := _repeated_key(item):
                return found
    return None


def _from_yaml(path: Path, name: str | None = None) -> Suite:
    try:
        node = yaml.compose(_read(path), Loader=yaml.SafeLoader)
        value = yaml.safe_load(_read(path))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"{path}:{mark.line + 1 if mark else 1}"
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise ConfigError(f"{place}: not YAML ({problem}): put a text that holds : ? # [ or {{ in quotes.") from None
    except (ValueError, LookupError, RecursionError) as error:
        # What PyYAML lets through: a date such as 2024-99-99, !!bool maybe, brackets without end.
        raise ConfigError(f"{path}: a value cannot be read ({type(error).__name__}): write it in quotes.") from None
    if node is not None and _written_out(node) > MAX_VALUES:
        raise ConfigError(f"{path}: its aliases stand for more than {MAX_VALUES:,} values: write out what is meant.")
    if node is not None and (twice := _repeated_key(node)):
        raise ConfigError(f"{path}:{twice.start_mark.line + 1}: the key {twice.value!r} is there twice.")
    if not isinstance(value, dict) or not isinstance(node, yaml.MappingNode):
        raise ConfigError(f"{path}:1: a suite is a mapping with the keys name, documents and questions.")
    nodes = {key.value: (key.start_mark.line + 1, item) for key, item in node.value}
    for key in value.keys() - {"name", "documents", "questions"}:
        raise ConfigError(f"{path}:{nodes[key][0]}: unknown key {key!r}: a suite has name, documents and questions.")
    if not value.get("questions"):
        raise ConfigError(f"{path}:{nodes.get('questions', (1,))[0]}: a suite needs questions.")
    if isinstance(value["questions"], str):
        questions = read_questions(_existing(path.parent / value["questions"], path, nodes["questions"][0]))
        files = [path.parent / value["questions"], path]
    else:
        item = nodes["questions"][1]
        if not isinstance(item, yaml.SequenceNode):
            raise ConfigError(
                f"{path}:{nodes['questions'][0]}: questions is a list, or the name of a .jsonl or .csv file."
            )
        lines = [entry.start_mark.line + 1 for entry in item.value]
        questions = [
            (
                line,
                validate(
                    SuiteQuestion,
                    entry if not isinstance(entry, dict) else {"id": f"q{n:03}", **entry},
                    f"{path}:{line}",
                ),
            )
            for n, (line, entry) in enumerate(zip(lines, value["questions"], strict=True), 1)
        ]
        files = [path, path]
    documents = None
    if value.get("documents") is not None:
        line = nodes["documents"][0]
        if not isinstance(value["documents"], str):
            raise ConfigError(f"{path}:{line}: documents names a folder, a file or a documents.jsonl.")
        documents = _read_documents(_existing(path.parent / value["documents"], path, line), relative_to=path.parent)
    return _suite(str(value.get("name") or name or path.stem), path.parent, questions, documents, files)


def _existing(target: Path, path: Path, line: int) -> Path:
    if not target.exists():
        raise ConfigError(f"{path}:{line}: {target} does not exist.")
    return target


def _read_documents(path: Path, relative_to: Path | None = None) -> list[tuple[int, SuiteDocument]]:
    if path.suffix.lower() == ".jsonl":
        documents = [(n, validate(SuiteDocument, value, f"{path}:{n}")) for n, value in jsonl_lines(path)]
        if relative_to is None or path.parent == relative_to:
            return documents
        up = path.parent
        return [
            (n, d if d.file is None else d.model_copy(update={"file": str(_inside(up, d.file))})) for n, d in documents
        ]
    from chunking.loaders.media import MEDIA_TYPES, PICTURES

    # The logo beside the manual is no document; a scan that is one is named in documents.jsonl.
    taken = [suffix for suffix, media_type in MEDIA_TYPES.items() if media_type not in PICTURES]
    files = (
        [path] if path.is_file() else sorted(f for f in path.rglob("*") if f.suffix.lower() in taken and f.is_file())
    )
    base = path.parent if path.is_file() else path
    if not files:
        raise ConfigError(f"{path} holds no document of a known type ({', '.join(taken)}).")
    return [(0, SuiteDocument(doc_id=file.relative_to(base).as_posix(), file=str(file.resolve()))) for file in files]


def _inside(folder: Path, file: str) -> Path:
    inner = folder / "corpus" / file
    return (inner if inner.is_file() else folder / file).resolve()


def document_path(suite: Suite, document: SuiteDocument) -> Path:
    """Where the file of a document lies. Raises ConfigError when it is not there."""
    assert document.file is not None
    path = _inside(suite.root, document.file)
    if not path.is_file():
        raise ConfigError(f"Suite {suite.name}: the file of document {document.doc_id}, {path}, does not exist.")
    return path


def _suite(
    name: str,
    root: Path,
    questions: Sequence[tuple[int, SuiteQuestion]],
    documents: Sequence[tuple[int, SuiteDocument]] | None,
    files: Sequence[Path],
) -> Suite:
    if not questions:
        raise ConfigError(f"{files[0]} holds no question.")
    _refuse_repeats(((line, question.id) for line, question in questions), "question id", files[0])
    if documents is not None:
        _refuse_repeats(((line, document.doc_id) for line, document in documents), "doc_id", files[-1])
        _check_spans(questions, {document.doc_id: document for _, document in documents}, files[0])
    kept = None if documents is None else tuple(document for _, document in documents)
    return Suite(name, root, tuple(question for _, question in questions), kept)


def _check_spans(
    questions: Iterable[tuple[int, SuiteQuestion]], documents: Mapping[str, SuiteDocument], file: Path
) -> None:
    for line, question in questions:
        for span in (*question.reference_spans, *question.answer_spans):
            if span.doc_id is None:
                continue
            document = documents.get(span.doc_id)
            if document is None:
                raise ConfigError(
                    f"{file}:{line}: a span names the document {span.doc_id!r}, which the suite does not hold."
                )
            if (
                document.text is not None
                and span.start is not None
                and document.text[span.start : span.end] != span.text
            ):
                raise ConfigError(
                    f"{file}:{line}: {span.doc_id}[{span.start}:{span.end}] reads"
                    f" {document.text[span.start : span.end][:40]!r}, not {span.text[:40]!r}; correct the span."
                )


def _refuse_repeats(ids: Iterable[tuple[int, str]], what: str, file: Path) -> None:
    seen: dict[str, int] = {}
    for line, name in ids:
        if name in seen:
            raise ConfigError(
                f"{file}:{line}: the {what} {name!r} is used before, in line {seen[name]}; ids are unique."
            )
        seen[name] = line


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; save the file as UTF-8.") from None
