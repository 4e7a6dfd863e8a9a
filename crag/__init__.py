"""Ask your own documents: ``from crag import Crag``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crag.app import Crag

__all__ = ["Crag"]


def __getattr__(name: str) -> Any:
    """`Crag`, loaded when it is asked for: the command line answers before the models do."""
    if name == "Crag":
        from crag.app import Crag

        return Crag
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
