"""The picture in the documentation is the machine that runs."""

from __future__ import annotations

from pathlib import Path

from graph.build import drawing


def test_the_documented_picture_is_langgraphs_own() -> None:
    page = (Path(__file__).parents[2] / "docs" / "graph.md").read_text(encoding="utf-8")
    assert f"```mermaid\n{drawing()}```" in page
