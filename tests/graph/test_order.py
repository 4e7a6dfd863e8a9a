"""The order in which an answer's sentences are read, and which further ones are told."""

from __future__ import annotations

import pytest

from graph.evidence import Strip
from graph.llms.further import adds
from graph.phrases import has_phrase, phrases
from tests.fakes.graph import hit
from tests.fakes.quoting import ask

DELIVERY = (
    "# Parcels\n\n## What happens if nobody is at home?\n\nThe courier tries twice. After that the parcel is taken to"
    " the nearest shop. Then it goes back to the sender. Bulky parcels are kept at the depot.\n\n## What does it cost?"
    "\n\nA parcel costs 5 euros."
)
REMOTE = (
    "# Handbook\n\n## Remote work\n\nRemote work is allowed on three days. Work from abroad is allowed on 20 days a"
    " year. It must be requested three weeks before.\n\n## Leave\n\nLeave is 27 days."
)
FIRE = "# 通知\n\n## 消防安全\n\n办公室内严禁使用电炉。一经发现，首次给予书面警告。各企业须在11月20日前完成灭火器自查。"


def test_what_stands_under_the_question_is_told_whole_and_as_it_stands() -> None:
    assert ask("What happens if nobody is at home?", DELIVERY, max_sentences=5).text == (
        "The courier tries twice. [1] After that the parcel is taken to the nearest shop. [1]"
        " Then it goes back to the sender. [1] Bulky parcels are kept at the depot. [1]"
    )


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        (
            "What are the rules for remote work?",
            REMOTE,
            "Remote work is allowed on three days. [1] Work from abroad is allowed on 20 days a year. [1]"
            " It must be requested three weeks before. [1]",
        ),
        (
            "消防安全有哪些规定？",
            FIRE,
            "办公室内严禁使用电炉。[1]一经发现，首次给予书面警告。[1]各企业须在11月20日前完成灭火器自查。[1]",
        ),
    ],
)
def test_rules_are_told_in_the_order_of_their_document(question: str, text: str, told: str) -> None:
    assert ask(question, text, max_sentences=5).text == told


def test_the_sentence_that_answers_alone_goes_first() -> None:
    text = "The tower was sold in 1890. The tower of the town was finished in 1889. The tower is loved."
    assert ask("When was the tower of the town finished?", text).text.startswith(
        "The tower of the town was finished in 1889. [1]"
    )


def test_what_points_back_is_told_behind_what_it_points_at_or_not() -> None:
    text = "The courier rings twice. After that he leaves a card. Then the parcel goes back to the sender by lorry."
    question = "When does the parcel go back to the sender?"
    assert ask(question, text).text == (
        "The courier rings twice. [1] After that he leaves a card. [1]"
        " Then the parcel goes back to the sender by lorry. [1]"
    )
    assert ask(question, text, max_sentences=1).text == "Then the parcel goes back to the sender by lorry. [1]"


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        (
            "When may I fly business class?",
            "Flights are booked in economy unless the flight is long, when I may fly premium."
            " Business class needs a signature.",
            "Business class needs a signature.",
        ),
        (
            "供暖费什么时候交？",
            "供暖费按建筑面积收取，标准为每平方米6.8元。企业应于12月5日前一次性缴清。园区有食堂。",
            "企业应于12月5日前一次性缴清。",
        ),
        (
            "What was written on the slip of paper?",
            'Behind the dial they found a slip of paper. "I have set it fast," it said. "Forgive me." Wren slept.',
            '"I have set it fast," it said. [1] "Forgive me."',
        ),
        ("纸条上写了什么？", "他们在钟后面找到一张纸条。“我把钟拨快了。请原谅我。”他笑了。", "请原谅我。”"),
    ],
)
def test_the_answer_next_door_is_told_too(question: str, text: str, told: str) -> None:
    assert told in ask(question, text).text


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        (
            "Who designed the bridge?",
            "The bridge was designed by Anna Gray. The bridge carries trains. Cats like the bridge.",
            "The bridge was designed by Anna Gray. [1]",
        ),
        (
            "青禾科技的财务总监是谁？",
            "# 青禾科技\n\n青禾科技的财务总监是陈立秋。青禾科技副总经理为林若云。",
            "青禾科技的财务总监是陈立秋。[1]",
        ),
        (
            "When was the mill built?",
            "The mill was built in 1950. The mill is built of stone and stands by the river.",
            "The mill was built in 1950. [1]",
        ),
    ],
)
def test_only_what_bears_on_the_question_is_told_beside_the_answer(question: str, text: str, told: str) -> None:
    assert ask(question, text).text == told


@pytest.mark.parametrize(
    ("question", "best", "other", "told"),
    [
        (
            "How long are logs kept on the enterprise plan?",
            "Logs are kept for 14 days.",
            "On the enterprise plan it is 90.",
            True,
        ),
        (
            "How many visitors did the pool have in 2022?",
            "In 2021 the pool had 80,400 visitors.",
            "2022 saw 95,100.",
            True,
        ),
        (
            "How much is a year's pass for seniors?",
            "A year's pass costs 120 euros.",
            "For seniors the price is 80.",
            True,
        ),
        ("周末几点开放？", "平时开放时间为7:00至21:00。", "周末则为9:00至22:00。", True),
        ("老年人年卡多少钱？", "年卡售价1200元。", "老年人的价格是800元。", True),
        (
            "How long are logs kept on the enterprise plan?",
            "Logs are kept for 14 days.",
            "Disks are checked weekly.",
            False,
        ),
    ],
)
def test_what_has_the_rest_of_the_question_bears_on_it(question: str, best: str, other: str, told: bool) -> None:
    strips = [Strip(hit(text), 0, len(text), text, 1.0) for text in (best, other)]
    assert adds(question, strips[1], strips[0], several=False) is told


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Can I send a parcel to Malta?", "How do I send a parcel?"),
        ("How much is sending a parcel?", "When is a parcel sent?"),
    ],
)
def test_another_question_of_the_document_is_not_the_one_that_is_asked(question: str, heading: str) -> None:
    text = f"# FAQ\n\n## {heading}\n\nCreate a label.\n\n## Where\n\nWe send to Malta for 5 euros a parcel."
    assert ask(question, text).text.startswith("We send to Malta")


@pytest.mark.parametrize("run", ["_", "-", ".", "—", "= "])
def test_long_runs_of_one_mark_are_shortened(run: str) -> None:
    text = f"The tower has 312 steps {run * 4000} and a bell."
    assert ask("How many steps does the tower have?", text).text.split() == [
        *f"The tower has 312 steps {run * 3} and a bell. [1]".split()
    ]


def test_phrases_are_pairs_of_words_that_tell() -> None:
    assert phrases("When may I fly business class?") == ("fly business", "business class")
    assert has_phrase("Business-class fares", "business class")
    assert not has_phrase("the class of business", "business class")
    assert has_phrase("商务舱需签字", "商务舱")
    assert "商务舱" in phrases("什么时候可以坐商务舱？")
