"""Drafts of questions that the documents do not answer: near misses of what they do tell, each really not told."""

from __future__ import annotations

import pytest

from chunking.loaders import load_bytes
from eval.drafting.mentions import mentions
from eval.drafting.missing import missing_attributes
from eval.drafting.patterns import draft_by_patterns
from eval.drafting.tables import table_facts
from eval.testset import Draft

OFFICES = """# Office guide

The Dublin office opens at 7:30. Annual leave is 26 days a year. The Sales department has 64 employees.

| City | Floor | Office manager |
|---|---|---|
| Dublin | 3 | Aoife Brennan |
| Lyon | 1 | Marc Delorme |
"""
REPORT = """# 年度简报

2023年华东大区的退货率为1.8%。

| 部门 | 人数 | 年度预算 |
|---|---|---|
| 销售部 | 120人 | 860万元 |
| 客服部 | 45人 | 210万元 |
"""
PUMP = """# Pump list

The pump TD-18 weighs 9 kg and is sold by Brennick Tools Ltd. The pump TD-12 is the smaller model.

# Project Osprey

Chair: Ruth Okafor. Project Osprey starts in May.
"""


def absent(*texts: str) -> dict[str, Draft]:
    documents = [load_bytes(text.encode(), source=f"{number}.md") for number, text in enumerate(texts)]
    made = draft_by_patterns(documents, count=200, kinds=("unanswerable",))
    assert not any(draft.answerable or draft.reference for draft in made)
    return {draft.question: draft for draft in made}


def asked(kind: str, *texts: str) -> list[str]:
    return [question for question, draft in absent(*texts).items() if draft.how == f"pattern:absent-{kind}"]


def test_the_same_is_asked_of_another_member_of_a_kind() -> None:
    """Cities, leaves, departments and years that no document has, in the words of what one of them tells."""
    for kind, opening, ending in (
        ("place", "At what time does the ", " office open?"),
        ("leave", "How many days is ", " a year?"),
        ("group", "How many employees does the ", " department have?"),
    ):
        (question,) = asked(kind, OFFICES.partition("| City")[0])
        assert question.startswith(opening), question
        assert question.endswith(ending), question
        assert not any(told in question for told in ("Dublin", "nnual", "Sales"))
    for question in asked("place", OFFICES[OFFICES.index("| City") :]):
        assert question.startswith(("What is the floor of city ", "What is the office manager of city "))
        assert not question.endswith(("Dublin?", "Lyon?"))
    rules = "# Rules\n\nA director receives 30 days of leave. The Windows client needs 4 GB of memory.\n"
    (role,) = asked("role", rules)
    assert role.startswith(("How many days does a ", "How many days does an "))
    assert role.endswith(" receive of leave?")
    (system,) = asked("system", rules)
    assert system.startswith("How many GB does the ")
    assert "Windows" not in system
    (year,) = asked("time", REPORT)
    assert year.endswith("年华东大区的退货率为百分之多少？")
    assert 2017 <= int(year[:4]) <= 2029
    assert year[:4] != "2023"
    assert all("部门“" in each and "销售部" not in each and "客服部" not in each for each in asked("group", REPORT))


@pytest.mark.parametrize(
    ("kind", "text", "covering"),
    [
        ("place", OFFICES, "\nAll other offices open at 9:00.\n"),
        ("place", OFFICES, "\nSites in Europe close at noon.\n"),
        ("leave", OFFICES, "\nAny other leave is 10 days a year.\n"),
        ("time", REPORT, "\n其他年份见附录。\n"),
    ],
)
def test_nothing_is_asked_where_another_one_may_be_answered(kind: str, text: str, covering: str) -> None:
    head, _, rest = text.partition("\n\n")
    assert asked(kind, text)
    lines = rest.replace("。\n", f"。{covering.strip()}\n", 1) if kind == "time" else covering + rest
    assert not asked(kind, f"{head}\n\n{lines}")


def test_a_word_that_only_looks_like_a_member_is_none() -> None:
    """A team dinner is of no plan, 志愿者假 of no role, an urgent case nobody's invention, a provider no person."""
    expenses = "# Expenses\n\n| Item | Limit |\n|---|---|\n| Team dinner | 50 |\n| Team lunch | 20 |\n"
    leaves = "# 假期\n\n| 假别 | 天数 |\n|---|---|\n| 志愿者假 | 1 天 |\n| 搬家假 | 2 天 |\n"
    support = (
        "# Support\n\nUrgent means that production stands still. Urgent cases come first.\n\n"
        "| Case | Contact |\n|---|---|\n| cards | Provider Astrapay |\n| links | Sofia Marsh |\n"
    )
    made = absent(expenses, leaves, support)
    assert {draft.how for draft in made.values()} <= {"pattern:absent-person", "pattern:absent-meal"}
    assert all("Sofia Marsh" in question for question, draft in made.items() if draft.how.endswith("person"))
    levels = "# Plans\n\n| Plan | Price |\n|---|---|\n| Team | 15 USD |\n| Pro | 9 USD |\n"
    assert asked("plan", levels)


def test_what_is_not_told_of_a_name_is_asked_in_its_language() -> None:
    made = absent(PUMP, "# 清单\n\n净水器 QL-300 重 9 公斤。负责人：沈若水。由启元软件有限公司提供。\n")
    kinds = {draft.how.removeprefix("pattern:absent-") for draft in made.values()}
    assert {"product", "person", "project", "organisation"} <= kinds
    for named in (
        "TD-12",
        "Brennick Tools Ltd",
        "Project Osprey",
        "Ruth Okafor",
        "QL-300",
        "沈若水",
        "启元软件有限公司",
    ):
        about = [question for question in made if named in question]
        assert len(about) == 2, (named, about)
        assert all(question.isascii() == named.isascii() for question in about if named != "QL-300")


def test_what_any_document_says_of_a_name_is_never_asked() -> None:
    """However the name is joined there, and whatever is said of all of its kind."""
    told = (
        "The TD 12 costs 90 euros, weighs 2 kg, measures 10 x 20 cm and uses 40 W at 60 dB.",
        "It is a black tool made in Poland with CE certificate.",
        "Every pump of this model range may be used up to 40 °C. All products have a warranty of two years.",
    )
    document = load_bytes(PUMP.encode(), source="pump.md")
    alone = [
        draft.question for drafts in missing_attributes([document]) for draft in drafts if "TD-12" in draft.question
    ]
    assert len(alone) == 2
    other = load_bytes(("# Prices\n\n" + " ".join(told) + "\n").encode(), source="prices.md")
    assert not [
        draft.question
        for drafts in missing_attributes([document, other])
        for draft in drafts
        if "TD-12" in draft.question
    ]


def test_a_name_is_known_by_what_others_call_it() -> None:
    """By the surname, without its legal form, and without the word project."""
    document = load_bytes(PUMP.encode(), source="pump.md")
    told = "Mrs Okafor joined in 2011 and sits in room 4, phone 4412, okafor@example.org."
    other = load_bytes(f"# Staff\n\n{told}\n".encode(), source="staff.md")
    asked_of = [d.question for drafts in missing_attributes([document, other]) for d in drafts]
    assert asked_of
    assert not any("Okafor" in question for question in asked_of)
    names = {each.name: each.called for each in mentions([document])}
    assert names["Brennick Tools Ltd"].search("Brennick Tools was founded in 1970.")
    assert names["Project Osprey"].search("The budget of Osprey is small.")
    assert not names["TD-18"].search("TD-1")


def test_the_kinds_come_by_turns() -> None:
    """A few drafts are not all of codes, which are refused for their number alone."""
    codes = "| Error code | Meaning |\n|---|---|\n| E07 | door open |\n| E08 | door blocked |\n"
    documents = [load_bytes(text.encode(), source=f"{n}.md") for n, text in enumerate((OFFICES, PUMP, codes))]
    assert list(table_facts(documents[2]))
    made = draft_by_patterns(documents, count=8, kinds=("unanswerable",))
    assert len({draft.how for draft in made}) == 8
    assert "pattern:absent-code" in {draft.how for draft in made}
