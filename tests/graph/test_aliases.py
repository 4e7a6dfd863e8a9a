"""What parties of a contract are called, clauses by number, and sentences in the words of the question."""

import pytest

from graph.aliases import aliases, spelt_with_names
from graph.clauses import asked_clauses, clause_shares
from graph.statements import states

CONTRACT = (
    'between Tarrant Estates Ltd., 4 Dock Road, Cardiff (the "Landlord"), '
    'and Quill & Byte LLP, 19 Hope Street (the "Tenant")'
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CONTRACT, {"Landlord": "Tarrant Estates Ltd.", "Tenant": "Quill & Byte LLP"}),
        (
            "本合同由星河公司（以下简称“甲方”）与云帆公司（以下简称“乙方”）签订。",
            {"甲方": "星河公司", "乙方": "云帆公司"},
        ),
        ("甲方（出租方）：张三\n乙方：李四有限公司\n", {"甲方": "张三", "乙方": "李四有限公司"}),
        ('The lamp is green (see "Colours") and stays so.', {}),
    ],
)
def test_parties_and_what_they_are_called(text: str, expected: dict[str, str]) -> None:
    assert {alias.word: alias.name for alias in aliases(text)} == expected


def test_a_name_stands_behind_its_word_or_above_the_sentence() -> None:
    known = aliases(CONTRACT)
    assert spelt_with_names("Signed for the Tenant: Idris Pugh", known) == (
        "Signed for the Tenant (Quill & Byte LLP): Idris Pugh"
    )
    assert spelt_with_names("The rent is due.", known) == "Tarrant Estates Ltd., Quill & Byte LLP\nThe rent is due."
    assert spelt_with_names("The rent is due.", ()) == "The rent is due."


def test_a_question_names_a_party_by_its_first_word_or_by_half_of_its_name() -> None:
    landlord, tenant = aliases(CONTRACT)
    assert landlord.means({"tarrant", "rent"})
    assert not landlord.means({"rent"})
    assert tenant.means({"quill", "signed"})


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("第二十一条规定了什么？", {"21"}),
        ("What does clause 4.2 say?", {"4.2"}),
        ("What is § 7 about?", {"7"}),
        ("违反第九条规定会怎么处罚？", set()),
        ("How high is the penalty in clause 4.2?", set()),
        ("What is new in 4.2?", set()),
    ],
)
def test_clauses_whose_content_is_asked_for(question: str, expected: set[str]) -> None:
    assert asked_clauses(question) == expected


def test_a_clause_goes_on_until_the_next() -> None:
    zh = ["第二十一条 发生泄露的，应当补救。", "并在三日内报告。", "第三十条 违反第二十一条规定的，罚款。"]
    assert clause_shares(frozenset({"21"}), zh, ["总则"] * 3) == [1, 1, -1]
    assert clause_shares(frozenset({"4"}), ["4.1 The rent.", "4.2 It rises.", "5.1 Use."], [""] * 3) == [1, 1, -1]
    assert clause_shares(frozenset({"4"}), ["The rent."], ["Definitions"]) == [0]


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("What is the annual fee in the contract?", "3.1 The annual fee is GBP 144,000.", True),
        ("What is the annual fee in the contract?", "It is limited to 125% of the annual fee.", False),
        ("What was the operating margin in 2023?", "Operating margin (adjusted): 8.1%", True),
        ("营业收入是多少？", "营业收入为1200万元。", True),
        ("公司的营业收入是多少？", "营业收入下降的原因有三个。", False),
        ("漫画的画家是谁？", "插画家是三月。", False),
        ("Who signed the contract?", "The contract is signed.", False),
    ],
)
def test_a_sentence_says_what_is_asked_in_its_words(question: str, sentence: str, expected: bool) -> None:
    assert states(question, sentence) is expected
