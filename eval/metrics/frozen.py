"""The judge prompts that are files of ours. Reading them loads no Ragas."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).with_name("prompts")


@cache
def read_prompt(name: str, lang: str) -> dict[str, Any]:
    """``instruction`` and ``examples`` (pairs of ``input`` and ``output``) of a prompt in a language (zh, en)."""
    content: dict[str, Any] = yaml.safe_load((FOLDER / lang / f"{name}.yaml").read_text(encoding="utf-8"))
    return content


@cache
def prompts_hash() -> str:
    """16 hex digits over every prompt file; Ragas' own English ones are fixed by its release, which a run notes too."""
    content = {path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.yaml")}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]
