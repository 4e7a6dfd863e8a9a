"""Drafts are made from documents, reviewed, and only then a suite."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chunking.errors import ConfigError, NotFoundError
from chunking.loaders import load_bytes
from eval.corpus import corpus_of_documents
from eval.drafting.origins import origin
from eval.drafting.patterns import PATTERNS, draft_by_patterns
from eval.drafting.quantities import asked_in_chinese, asked_in_english
from eval.suite import load_suite
from eval.testset import PROPORTION, Draft, decide, load_drafts, passage, progress, save_drafts, shares, write_suite
from tests.fakes.drafting import documents


def test_shares_follow_the_articles() -> None:
    assert shares(24) == PROPORTION
    assert shares(10) == {"factual": 3, "summary": 3, "multi_hop": 2, "unanswerable": 2}
    assert sum(shares(7).values()) == 7
    assert shares(6, ("factual", "unanswerable")) == {"factual": 4, "unanswerable": 2}


def test_patterns_ask_in_both_languages_and_quote_where_the_answer_stands() -> None:
    made = draft_by_patterns(documents(), count=40)
    asked = {draft.question for draft in made if draft.type == "factual"}
    assert {
        "BM25是什么？", "参数k1的默认值是多少？", "为什么倒数排名融合只用名次？", "What is Chroma?",
        "What is Reciprocal rank fusion used for?", "What is the default of the constant?",
    } <= asked  # fmt: skip
    texts = {document.source: document.text for document in documents()}
    for draft in made:
        for place in draft.passages:
            assert texts[place.source][place.start : place.end] == place.text
        assert draft.answerable is (draft.type != "unanswerable")
        assert bool(draft.reference) is draft.answerable
        assert not draft.question.startswith(("它", "What is It"))
    assert {draft.lang for draft in made} == {"zh", "en"}
    assert [draft.id for draft in made] == [f"d{n:03}" for n in range(1, len(made) + 1)]
    assert len({draft.question for draft in made}) == len(made)


MANUAL = """# Kestrel K3

The Kestrel K3 is a weather mast. The warranty of the Kestrel K3 is 36 months from delivery. It weighs 9 kg.
The gateway KG-2 accepts up to 250 masts. The rain gauge is cleaned every four weeks, or after a storm.
The firmware is approved by Mara Holt. The mast must stay 15 metres from trees.

- **Colour**: signal white
- Note: read this first

## What does E12 mean?

The rain gauge is blocked.

| Code | Meaning | Fires when |
|---|---|---|
| E12 | blocked gauge | - |
| E41 | low battery | below 3.2 V |
"""
HANDBOOK = """# 安全须知

气象杆与最近的树木之间至少保持15米的距离。钥匙由值班工程师保管。日志保存在 /var/log/kestrel，保留三十天。
它重9公斤。2019年3月，第二版发布。该设备需要12伏电源。

| 错误代码 | 含义 |
|---|---|
| E12 | 雨量计堵塞 |
| E41 | 电池电压过低 |
"""


def test_numbers_places_people_tables_and_headings_are_asked_about() -> None:
    """And nothing that points to what was said before, nor a column that is no name."""
    manuals = [load_bytes(MANUAL.encode(), source="k3.md"), load_bytes(HANDBOOK.encode(), source="safety.md")]
    made = {draft.question: draft for draft in draft_by_patterns(manuals, count=60, kinds=("factual",))}
    assert {question: draft.reference for question, draft in made.items()} == {
        "What is the Kestrel K3?": "The Kestrel K3 is a weather mast.",
        "How many months is the warranty of the Kestrel K3 from delivery?": "36 months",
        "How many masts does the gateway KG-2 accept?": "up to 250 masts",
        "How often is the rain gauge cleaned?": "every four weeks",
        "By whom is the firmware approved?": "Mara Holt",
        "How many metres must the mast stay from trees?": "15 metres",
        "What is the colour of Kestrel K3?": "signal white",
        "What does E12 mean?": "The rain gauge is blocked.",
        "What is the meaning of code E12?": "blocked gauge",
        "What is the meaning of code E41?": "low battery",
        "气象杆与最近的树木之间至少保持多少米的距离？": "15米",
        "钥匙由谁保管？": "值班工程师",
        "日志保存在哪里？": "/var/log/kestrel",
        "错误代码 E12 的含义是什么？": "雨量计堵塞",
        "错误代码 E41 的含义是什么？": "电池电压过低",
    }
    for draft in made.values():
        assert draft.reference in draft.passages[0].text
    hops = [draft for draft in draft_by_patterns(manuals, count=60) if draft.type == "multi_hop"]
    codes = ["错误代码 E12 的含义是什么", "错误代码 E41 的含义是什么"]
    assert {f"{one}，{other}？" for one, other in (codes, codes[::-1])} & {draft.question for draft in hops}
    assert all(len(draft.passages) == 2 for draft in hops)


NONSENSE = """# Meeting of 12 March 2026

Priya: The release slips by two weeks.
Tom: Who tells the customers?

| Area | Monday | Saturday |
|---|---|---|
| Reception | 8-18 | 10-14 |

| Chunks | HNSW | Size |
|---|---|---|
| 42,000 | 0.9 ms | 65 MB |

## (15 June 2026)

- Minimum version: Firefox 128

The confidence is a statement about the evidence. The confidence is always told.

## 改进

- 问题共 100 个，都来自工单。
- **纠错循环**三项指标都有提高。
- 发生时间 2026 年 9 月 8 日，持续一天。
- 另有 4 个改写后偏离了原意。

单笔超过5000元的费用，需由财务总监审批。上下文召回率从0.62升到0.70。

1. 提三个固定问题，核对答案。
"""


def test_nothing_is_asked_of_days_speakers_amounts_and_half_sentences() -> None:
    assert draft_by_patterns([load_bytes(NONSENSE.encode(), source="meeting.md")], count=60) == []


def test_a_table_of_parameters_is_asked_about_by_what_it_is_of() -> None:
    sheet = (
        "# HX-200 heat pump\n\n## Data\n\n| Parameter | Unit | Value |\n|---|---|---|\n| Supply voltage | V | 230 |\n"
    )
    (draft,) = draft_by_patterns([load_bytes(sheet.encode(), source="hx.md")], kinds=("factual",))
    assert (draft.question, draft.reference) == ("What is the supply voltage of the HX-200 heat pump?", "230 V")


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("回潮工序需要四十到六十分钟。", "回潮工序需要多少分钟？", "四十到六十分钟"),
        ("仓库的湿度应保持45至60%。", "仓库的湿度应保持百分之多少？", "45至60%"),
        ("本合同将于3月5日到期。", "本合同将于哪一天到期？", "3月5日"),
        ("春季展览从3月5日至6日举行。", "", ""),
        ("公司于2019至2021年扩建厂房。", "", ""),
        ("The repair takes 3 to 5 days in winter.", "How many days does the repair take in winter?", "3 to 5 days"),
        ("The Westfield library opened in 1974 and was rebuilt.", "When did the Westfield library open?", "1974"),
        ("A member may borrow up to ten items.", "How many items may a member borrow?", "up to ten items"),
        ("The descaling takes six hours and costs 480 euros.", "How many hours does the descaling take?", "six hours"),
        (
            "The nozzle is replaced every 4,000 operating hours.",
            "How often is the nozzle replaced?",
            "every 4,000 operating hours",
        ),
    ],
)
def test_numbers_ranges_and_the_first_of_two_facts_are_asked_for_whole_or_not_at_all(
    sentence: str, question: str, answer: str
) -> None:
    asked = asked_in_english if sentence.isascii() else asked_in_chinese
    assert [(found[0], found[2]) for found in asked(sentence)] == ([(question, answer)] if question else [])


PRICES = """# Travel

The hotel bus HB-20 is a minibus for twelve guests and costs 140 euros a day. The hotel bus HB-20 runs on diesel.

The ferry lift FL-3 is a platform that carries 8 tonnes. The ferry lift FL-3 needs two operators.
Chroma is a database that stores bookings. Chroma runs at the desk.

| Error code | Meaning |
|---|---|
| E07 | door open |
| E08 | door blocked |

E09 was used by the old bus.

| Area | Saturday |
|---|---|
| Desk | 8-12 |
| Bar | 17-23 |

# 设备

DG-5是一种柴油发电机，每台售价八万元。DG-5的油箱容量为2000升。
"""


def test_what_the_documents_do_answer_is_not_called_unanswerable() -> None:
    """And only what somebody might ask: a product's price, who made a thing of a name, a code that there is not."""
    document = load_bytes(PRICES.encode(), source="prices.md")
    made = [d for seed in range(12) for d in draft_by_patterns([document], kinds=("unanswerable",), seed=seed)]
    assert {draft.question for draft in made} == {
        "What is the price of the ferry lift FL-3?", "Who invented Chroma?", "What is the meaning of error code E10?",
    }  # fmt: skip


def test_what_one_kind_lacks_another_makes_up_for() -> None:
    manuals = [load_bytes(MANUAL.encode(), source="k3.md"), load_bytes(HANDBOOK.encode(), source="safety.md")]
    assert len(draft_by_patterns(manuals, count=16)) == 16
    other = draft_by_patterns([*manuals, load_bytes(MANUAL.encode(), source="copy.md")], count=60, kinds=("factual",))
    assert {draft.lang for draft in other} == {"zh"}, "what two documents answer alike is clear of neither"


def test_several_passages_and_unanswerable_questions() -> None:
    made = draft_by_patterns(documents(), count=40)
    pairs = [draft for draft in made if draft.type == "multi_hop"]
    assert pairs
    assert all(len(draft.passages) == 2 for draft in pairs)
    absent = [draft for draft in made if draft.type == "unanswerable"]
    assert absent
    for draft in absent:
        assert draft.how.startswith("pattern:absent-")


def test_a_seed_decides_the_choice_and_repeats_it() -> None:
    one = "{0} is a database that stores vectors. {0} runs inside the process. {0} is used to search.\n"
    many = [load_bytes(one.format(f"Chroma{n}").encode(), source=f"{n}.txt") for n in range(8)]
    assert draft_by_patterns(many, count=8, seed=1) == draft_by_patterns(many, count=8, seed=1)
    assert draft_by_patterns(many, count=8, seed=1) != draft_by_patterns(many, count=8, seed=2)
    made = draft_by_patterns(many, count=8, kinds=("factual",))
    assert max(Counter(draft.passages[0].source for draft in made).values()) == 1


def test_a_reviewer_reads_in_words_what_proposed_a_draft() -> None:
    manuals = [load_bytes(MANUAL.encode(), source="k3.md"), load_bytes(HANDBOOK.encode(), source="safety.md")]
    hows = {draft.how for draft in draft_by_patterns([*documents(), *manuals], count=100)}
    assert len(hows) > 12
    hows |= {f"pattern:{pattern.name}" for patterns in PATTERNS.values() for pattern in patterns}
    hows |= {"model:m", "feedback, up", "feedback, down: late"}
    assert [how for how in hows if how in origin(how) or "pattern" in origin(how).en] == []
    for kind, told in (
        ("price", "what no document tells of a name"),
        ("code", "a code that no document has"),
        ("place", "another one than the documents tell of"),
    ):
        assert origin(f"pattern:absent-{kind}").en == f"a question that the documents should not answer: {told}"
    assert origin("feedback, down: late") == (
        "from an answer that a reader did not like: late", "取自读者不认可的回答：late"
    )  # fmt: skip


def test_documents_without_patterns_give_no_drafts() -> None:
    assert draft_by_patterns([load_bytes(b"Nothing here.", source="a.txt")]) == []
    assert draft_by_patterns([]) == []


def test_only_accepted_drafts_enter_a_suite(tmp_path: Path) -> None:
    path = tmp_path / "drafts.json"
    save_drafts(path, draft_by_patterns(documents(), count=40))
    drafts = load_drafts(path)
    with pytest.raises(ConfigError, match="No draft is accepted"):
        write_suite(drafts, tmp_path / "suite")
    pair = next(draft for draft in drafts if draft.type == "multi_hop")
    absent = next(draft for draft in drafts if draft.type == "unanswerable")
    drafts = decide(drafts, pair.id, "accepted", question="What are the two?", answers=["both"])
    drafts = decide(drafts, absent.id, "accepted")
    drafts = decide(drafts, drafts[0].id, "dropped")
    save_drafts(path, drafts)
    assert load_drafts(path) == drafts
    assert progress(drafts) == {"draft": len(drafts) - 3, "accepted": 2, "dropped": 1}
    assert write_suite(drafts, tmp_path / "suite") == 2
    suite = load_suite(tmp_path / "suite")
    assert [(q.id, q.question, q.answerable) for q in suite.questions] == [
        (pair.id, "What are the two?", True), (absent.id, absent.question, False)
    ]  # fmt: skip
    located = corpus_of_documents(documents()).locate(suite.questions[0])
    assert [[span.text for span in group] for group in located.evidence] == [[p.text] for p in pair.passages]
    assert corpus_of_documents(documents()).locate(suite.questions[1]).evidence == ()


def test_an_edit_decides_nothing_and_language_and_answerability_follow_it() -> None:
    drafts = draft_by_patterns(documents(), count=40)
    zh = next(draft for draft in drafts if draft.lang == "zh" and draft.type == "factual")

    def edited(before: list[Draft], **edits: Any) -> tuple[list[Draft], Draft]:
        after = decide(before, zh.id, None, **edits)
        return after, next(draft for draft in after if draft.id == zh.id)

    drafts, found = edited(drafts, question="What is BM25?")
    assert (found.question, found.lang, found.decision) == ("What is BM25?", "en", "draft")
    drafts, found = edited(decide(drafts, zh.id, "accepted"), reference="A method.")
    assert (found.reference, found.lang, found.decision) == ("A method.", "en", "accepted")
    drafts, found = edited(drafts, type="unanswerable")
    assert (found.to_question()["answerable"], found.to_question()["reference"]) == (False, "")
    _, found = edited(drafts, type="summary")
    assert (found.to_question()["answerable"], found.to_question()["reference"]) == (True, "A method.")


def test_evidence_moves_inside_what_the_reviewer_sees() -> None:
    texts = {document.source: document.text for document in documents()}
    drafts = draft_by_patterns(documents(), count=40)
    chosen = next(draft for draft in drafts if draft.type == "factual" and "default" in draft.question)
    old = chosen.passages[0]
    moved = decide(drafts, chosen.id, None, evidence=["constant rarely  matters"])
    place = next(draft for draft in moved if draft.id == chosen.id).passages[0]
    assert place.text == "constant rarely matters" == texts[place.source][place.start : place.end]
    assert (place.before + place.text + place.after) == (old.before + old.text + old.after)
    assert decide(moved, chosen.id, None, evidence=[old.text]) == drafts
    with pytest.raises(ConfigError, match="does not say 'Chroma was built in 1999'"):
        decide(drafts, chosen.id, None, evidence=["Chroma was built in 1999"])
    with pytest.raises(ConfigError, match="one quote for each of its 1 passages"):
        decide(drafts, chosen.id, None, evidence=[])


def test_only_what_is_cut_is_shown_with_an_ellipsis() -> None:
    document = load_bytes(b"One here. Two here. Three here.", source="a.txt")
    whole, inside = passage(document, 10, 19), passage(document, 10, 19, margin=5)
    assert (whole.shown_before, whole.shown_after) == ("One here. ", " Three here.")
    assert (inside.shown_before, inside.shown_after) == ("…ere. ", " Thre…")


@pytest.mark.parametrize(
    ("identity", "edits", "kind", "message"),
    [
        ("x", {}, NotFoundError, "no draft 'x'"),
        ("d001", {"id": "other"}, ConfigError, "id cannot be edited"),
        ("d001", {"type": "riddle"}, ConfigError, "type is one of"),
        ("d001", {"question": " "}, ConfigError, "no question"),
    ],
)
def test_a_wrong_decision_is_refused(identity: str, edits: dict[str, Any], kind: type[Exception], message: str) -> None:
    drafts = draft_by_patterns(documents(), count=4)
    with pytest.raises(kind, match=message):
        decide(drafts, identity, "accepted", **edits)


def test_a_file_that_is_no_file_of_drafts_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="testset draft"):
        load_drafts(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text('{"drafts": [{"id": 1}]}')
    with pytest.raises(ConfigError, match=r"bad\.json"):
        load_drafts(tmp_path / "bad.json")


def test_drafts_are_plain_json(tmp_path: Path) -> None:
    save_drafts(tmp_path / "d.json", draft_by_patterns(documents(), count=3))
    value = json.loads((tmp_path / "d.json").read_text(encoding="utf-8"))
    assert set(value["drafts"][0]) >= {"id", "question", "reference", "passages", "decision"}
