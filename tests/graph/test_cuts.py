"""Passages cut into sentences under their headings."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from graph.cuts import cut
from graph.engine import Engine
from retrieval.types import Hit
from tests.fakes.graph import ScriptedGrader, deps, hit

NOTES = (
    "Version 5.2 (18 June 2025)\n\n- Offline mode for the phone.\n- Search finds text in attachments.\n\n"
    "Version 5.1 (11 March 2025)\n\n- Handwriting recognition for eleven languages.\n\nOpen daily"
)


def of_type(text: str, media_type: str) -> Hit:
    passage = hit(text)
    return replace(passage, document=replace(passage.document, media_type=media_type))


def test_a_line_alone_heads_what_stands_below_where_headings_have_no_marks() -> None:
    made = cut(of_type(NOTES, "text/html"), 0.5)
    said = {made.text(i): made.headings[i] for i in range(len(made.spans))}
    assert said["- Search finds text in attachments."] == "Version 5.2 (18 June 2025)"
    assert said["- Handwriting recognition for eleven languages."] == "Version 5.1 (11 March 2025)"
    assert "Version 5.1 (11 March 2025)" in said  # It may tell something itself.
    marked = cut(of_type(NOTES, "text/markdown"), 0.5)
    assert set(marked.headings) == {""}


@pytest.mark.parametrize(
    ("question", "version"),
    [
        ("Which version brought handwriting recognition?", "5.1"),
        ("Since which version does search find text in attachments?", "5.2"),
    ],
)
def test_the_version_above_is_told_of_a_web_page(question: str, version: str) -> None:
    engine = Engine(deps([of_type(NOTES, "text/html")], calibration=ScriptedGrader([0.9])))
    assert asyncio.run(engine.ask(question)).text.startswith(f"Version {version}")


def test_a_passage_without_words_has_no_sentences() -> None:
    assert cut(of_type("", "text/html"), 0.5).spans == ()


def test_a_run_in_heading_is_over_its_line_alone() -> None:
    made = cut(
        hit("# Lease\n\n1. Term. Twelve months from May.\n2. Rent. £1,150 a month. It is due early.\nNo pets."), 0.5
    )
    said = {made.text(i): made.headings[i] for i in range(len(made.spans))}
    assert said["Twelve months from May."] == "1. Term."
    assert said["£1,150 a month."] == said["It is due early."] == "2. Rent."
    assert said["No pets."] == "Lease"
