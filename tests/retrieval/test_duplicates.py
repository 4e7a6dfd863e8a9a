from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunking.types import Chunk, chunk_id
from retrieval.config import RetrievalConfig
from retrieval.duplicates import Distinct, copies
from retrieval.index import Index
from retrieval.ingest import ingest
from retrieval.retriever import Retriever
from retrieval.types import DocumentInfo, Filters, Hit
from retrieval.workspace import Workspace

EN = (
    "The pump of the north hall is serviced every 30 days by the technician on duty, who writes the result into the "
    "log. Before any work the valve must be closed and the motor must be cold. Lewis Carter approves the report, and "
    "a copy is sent to the office in Munich within 5 days. Spare seals are kept in the store behind the workshop."
)
ZH = (
    "北厅的水泵每三十天由当班技术员检修一次，结果写入日志。检修前必须关闭阀门，电机必须冷却。报告由李明批准，"
    "副本在五天内送到慕尼黑办公室。备用密封圈放在车间后面的仓库里，领用时需要登记姓名和日期。"
)


def chunk(text: str, document: str, start: int = 0) -> Chunk:
    return Chunk(chunk_id(document, start, start + len(text), text), document, start, start + len(text), text, 1)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (EN, EN),
        (EN, f"  {EN.upper()}\n"),
        (EN, EN.replace(". ", ".\n\n- ").replace("pump", "**pump**")),
        (EN, EN.replace(" Spare seals are kept in the store behind the workshop.", "")),
        (EN, EN.replace("in the store", "in a store")),
        (ZH, ZH.replace("，", ", ").replace("。", "。\n")),
        ("See the manual.", "see the manual"),
    ],
)
def test_what_says_nothing_more_is_a_copy(first: str, second: str) -> None:
    between = chunk("Something else entirely, of roads and rain.", "b")
    assert copies([chunk(first, "a"), between, chunk(second, "c")]) == [0, 1, 0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("30 days", "14 days"),
        ("must be closed", "must not be closed"),
        ("Lewis Carter", "Maria Carter"),
        ("north", "south"),
        ("30 days by the technician on duty", "5 days by the technician on duty"),
        ("within 5 days", "within 1.5 days"),
        ("5 days", "5% days"),
        ("5 days", "~5 days"),
        ("5 days", "-5 days"),
        ("5 days", "5 working days"),
        ("is sent", "can be sent"),
        ("is sent", "was sent"),
        ("is sent", "is hardly sent"),
        ("is sent to", "is sent from"),
        ("in the store", "outside the store"),
        ("Lewis Carter approves", "Lewis Carter may approve"),
        ("serviced", "service"),
        ("technician", "technicians"),
    ],
)
def test_what_differs_in_what_may_be_asked_stays(old: str, new: str) -> None:
    assert old in EN
    other = EN.replace(old, new)
    assert copies([chunk(EN, "a"), chunk(other, "b")]) == copies([chunk(other, "a"), chunk(EN, "b")]) == [0, 1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("三十", "四十"),
        ("必须关闭", "不必关闭"),
        ("李明", "王芳"),
        ("北厅", "南厅"),
        ("检修一次", "检修两次"),
        ("由当班", "向当班"),
        ("放在", "放于"),
        ("时需要", "时都需要"),
    ],
)
def test_the_same_in_chinese(old: str, new: str) -> None:
    other = ZH.replace(old, new)
    assert copies([chunk(ZH, "a"), chunk(other, "b")]) == copies([chunk(other, "a"), chunk(ZH, "b")]) == [0, 1]


def test_currencies_and_versions_stay() -> None:
    plan = (
        "Storage costs 20 € a month for the first plan of release v2.0.1 and 30 € for the second, both billed to the "
        "team in all regions where the service is offered to customers by a local partner of the firm."
    )
    for old, new in (("20 €", "20 $"), ("v2.0.1", "v2.0.1-rc1"), ("20 €", "20 k€"), ("to the team", "by the team")):
        assert old in plan
        other = plan.replace(old, new)
        assert copies([chunk(plan, "a"), chunk(other, "b")]) == copies([chunk(other, "a"), chunk(plan, "b")]) == [0, 1]


def test_numbers_that_change_places_stay() -> None:
    swapped = EN.replace("30 days", "N days").replace("5 days", "30 days").replace("N days", "5 days")
    assert copies([chunk(EN, "a"), chunk(swapped, "b")]) == [0, 1]


def test_a_better_ranked_passage_that_says_less_does_not_hide_one_that_says_more() -> None:
    assert copies([chunk(EN, "a"), chunk(f"{EN} The gate is opened by Anna.", "b")]) == [0, 1]
    assert copies([chunk(f"{EN} The gate is opened by Anna.", "b"), chunk(EN, "a")]) == [0, 0]


def test_neighbours_that_overlap_are_no_copies() -> None:
    assert copies([chunk(EN, "a", 0), chunk(EN[4:], "a", 4)]) == [0, 1]
    assert copies([chunk(EN, "a", 0), chunk(EN[4:], "a", 4000)]) == [0, 0]


@settings(max_examples=50)
@given(st.lists(st.text(max_size=60), max_size=12))
def test_every_text_finds_its_equal(texts: list[str]) -> None:
    both = [*texts, *texts]
    places = copies([chunk(text, str(number)) for number, text in enumerate(both)])
    assert all(places[place] == place <= number for number, place in enumerate(places))
    for number, text in enumerate(texts):
        if any(character.isalnum() for character in text):
            assert places[len(texts) + number] == places[number]


def test_no_more_is_read_than_is_wanted_and_copies_make_room_for_the_next() -> None:
    texts = ["one road", "one road", "two rivers", "two rivers", "one road", "three hills", "four lakes"]
    stored = [(chunk(text, str(number)), DocumentInfo(str(number), "", "", "")) for number, text in enumerate(texts)]
    held = {each.id: (each, document) for each, document in stored if document.id != "2"}  # Deleted meanwhile.
    asked: list[str] = []

    def look_up(ids: Sequence[str]) -> dict[str, tuple[Chunk, DocumentInfo]]:
        asked.extend(ids)
        return {each: held[each] for each in ids if each in held}

    distinct = Distinct(look_up, 3)
    kept = distinct([each.id for each, _ in stored])
    assert [document.id for _, document in kept.values()] == ["0", "3", "5"]
    assert asked == [each.id for each, _ in stored[:6]]
    (hit,) = distinct.placed([Hit(*stored[0], 1.0)])
    assert [copy.document.id for copy in hit.also_in] == ["1", "4"]


def test_a_hit_carries_the_places_of_its_copies(workspace: Workspace, index: Index, folder: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (folder / name).write_text(EN, "utf-8")
    (folder / "d.txt").write_text(EN.replace("30 days", "14 days"), "utf-8")
    ingest(workspace, index, [folder], warm_sentences=False)
    retriever = Retriever(index, index.embedder, RetrievalConfig())
    found = retriever.retrieve("How often is the pump of the north hall serviced?").hits
    folded = [hit for hit in found if hit.also_in]
    texts = [hit.chunk.text for hit in found]
    assert len(texts) == len(set(texts))
    assert any("14 days" in text for text in texts)
    for hit in folded:
        sources = sorted([hit.document.source, *(copy.document.source for copy in hit.also_in)])
        assert len(sources) == len(set(sources))
        for copy in hit.also_in:
            text = workspace.registry.get(copy.document.id).text
            assert text[copy.start : copy.end].split() == hit.chunk.text.split()
    assert {"notes/a.txt", "notes/b.txt", "notes/c.txt"} in [
        {hit.document.source, *(copy.document.source for copy in hit.also_in)} for hit in folded
    ]
    assert folded[0].to_dict(1)["also_in"] == [copy.to_dict() for copy in folded[0].also_in]
    # What a filter leaves out is not named either.
    narrow = retriever.retrieve("How often is the pump serviced?", filters=Filters(source="notes/a.txt")).hits
    assert [hit.also_in for hit in narrow] == [()] * len(narrow) != []
