"""Where a server already owns the workspace, the command line asks it instead of loading everything anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.errors import NotFoundError
from crag.client import Server, running_server

if TYPE_CHECKING:
    from retrieval.types import Filters


def shown_filters(filters: Filters | None) -> dict[str, Any] | None:
    """The form in which a request carries them."""
    return filters.model_dump(mode="json", exclude_none=True) if filters else None


def server_for(home: Path, pipeline: str) -> tuple[Server, str] | None:
    """The running server of this workspace and the name under which it serves `pipeline`; None where none runs.

    Raises NotFoundError where the server runs but serves no such version: the answer must come from what was asked for.
    """
    if (server := running_server(home)) is None:
        return None
    if not pipeline.endswith((".yaml", ".yml")):
        return server, pipeline
    from crag.auto import resolve
    from crag.pipeline import load_pipeline

    wanted = resolve(load_pipeline(pipeline)).pipeline
    if server.pipelines().get(wanted.name) != wanted.version:
        raise NotFoundError(
            f"The server at {server.url} owns this workspace and does not serve {pipeline} as it is now: "
            f"restart it with --pipeline {pipeline}."
        )
    return server, wanted.name
