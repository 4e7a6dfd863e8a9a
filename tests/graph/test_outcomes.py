"""A report's cause and decision are told with it, though they name nothing of the question."""

from __future__ import annotations

import pytest

from graph.outcomes import concludes, gives_cause
from tests.fakes.quoting import ask

REPORT_EN = (
    "The harbour is old. Nine cracks were found in pier 3, two more than in May. {cause} cement of the firm Calder. "
    "{decision} buy from the firm Bryne. Boats may pass."
)
REPORT_ZH = "码头很旧。五月在三号墩发现裂缝九处。原因是卡德公司的水泥。决定：改用布林公司的水泥。船只照常通行。"


@pytest.mark.parametrize("cause", ["Cause is the", "The main reason is the", "This was caused by"])
def test_why_is_answered_by_the_cause_behind_what_is_reported(cause: str) -> None:
    text = REPORT_EN.format(cause=cause, decision="It was agreed to")
    told = ask("Why were cracks found in pier 3 in May?", text).text
    assert told == f"Nine cracks were found in pier 3, two more than in May. [1] {cause} cement of the firm Calder. [1]"


@pytest.mark.parametrize("decision", ["Decision:", "It was agreed to", "The council decided to"])
def test_which_is_answered_by_what_was_decided(decision: str) -> None:
    text = REPORT_EN.format(cause="Cause is the", decision=decision)
    told = ask("Which firm replaces Calder for the cement?", text).text
    assert told == f"Cause is the cement of the firm Calder. [1] {decision} buy from the firm Bryne. [1]"


def test_chinese_reports_are_told_with_cause_and_decision() -> None:
    assert "原因是卡德公司的水泥。[1]" in ask("三号墩为什么发现裂缝？", REPORT_ZH).text
    assert "决定：改用布林公司的水泥。[1]" in ask("卡德公司的水泥由哪家公司取代？", REPORT_ZH).text


@pytest.mark.parametrize(
    ("sentence", "cause", "either"),
    [
        ("Cause is the gasket.", True, True),
        ("- **Reason:** the gasket", True, True),
        ("这是因为密封圈老化。", True, True),
        ("Decision: another supplier.", False, True),
        ("The board decided to wait.", False, True),
        ("经研究，改用新泵。", False, True),
        ("Causeways are closed.", False, False),
        ("The results of May are better.", False, False),
        ("The decision tree is deep.", False, False),
        ("Boats may pass because it is deep.", False, False),
    ],
)
def test_causes_and_decisions_are_known_by_how_they_open(sentence: str, cause: bool, either: bool) -> None:
    assert (gives_cause(sentence), concludes(sentence)) == (cause, either)
