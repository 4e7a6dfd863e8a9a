"""Answers without a model: the sentence that answers comes first, quoted word for word."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.quotes import plain, quoted
from tests.fakes.graph import ScriptedGrader, deps, hit
from tests.fakes.quoting import ask


@pytest.mark.parametrize(
    ("question", "texts", "first"),
    [
        (
            "When was the tower finished?",
            ["The tower is finished with white stone. The tower was finished in 1889."],
            "The tower was finished in 1889. [1]",
        ),
        (
            "Who designed the bridge?",
            ["The bridge was designed to carry trains. The bridge was designed by Anna Gray."],
            "The bridge was designed by Anna Gray. [1]",
        ),
        (
            "How many rooms does the castle have?",
            ["The castle rooms are large. The castle has 214 rooms."],
            "The castle has 214 rooms. [1]",
        ),
        (
            "Why was the mill closed?",
            ["The mill stands by the river. The mill was closed because the river dried up."],
            "The mill was closed because the river dried up. [1]",
        ),
        ("大桥长多少米？", ["大桥横跨黄河。大桥长 1200 米。"], "大桥长 1200 米。[1]"),
        ("大桥是什么时候建成的？", ["大桥建成后通行火车。大桥于 1950 年建成。"], "大桥于 1950 年建成。[1]"),
        ("为什么要关闭磨坊？", ["磨坊有三层。因为河水干涸，磨坊被关闭。"], "因为河水干涸，磨坊被关闭。[1]"),
    ],
)
def test_the_sentence_that_fits_the_kind_of_question_comes_first(
    question: str, texts: Sequence[str], first: str
) -> None:
    answer = ask(question, *texts)
    assert answer.text.startswith(first)
    assert answer.status == "grounded"


def test_quotes_are_word_for_word_and_cited_at_their_place() -> None:
    text = "Cats sleep a lot.\nThe tower has 312\nsteps. Dogs bark."
    answer = ask("How many steps does the tower have?", text)
    assert answer.text == "The tower has 312 steps. [1]"
    (citation,) = answer.citations
    assert text[citation.start : citation.end] == citation.quote == "The tower has 312\nsteps."


def test_a_summary_quotes_several_sentences_but_no_more_than_allowed() -> None:
    texts = [
        "Dense retrieval finds passages by meaning. Dense retrieval misses rare names.",
        "BM25 finds passages by words. BM25 misses synonyms of the words.",
    ]
    question = "Compare dense retrieval and BM25: how do they find passages?"
    assert 2 <= ask(question, *texts).text.count("[") <= 3
    assert ask(question, *texts, max_sentences=1).text.count("[") == 1


def test_what_to_do_is_answered_by_the_steps() -> None:
    text = (
        "Refusals rise when the evidence is weak.\n\n1. Search by hand.\n2. Compare the counts.\n3. Check the embedder."
    )
    answer = ask("What should the engineer do when refusals rise?", text)
    assert "Search by hand." in answer.text


def test_english_quotes_under_a_chinese_question_are_read_as_sentences_of_their_own() -> None:
    answer = ask("top_k 和 depth 的默认值分别是多少？", "The default of top_k is 5. The default of depth is 50.")
    assert answer.text == "The default of top_k is 5. [1] The default of depth is 50. [1]"
    mixed = ask("top_k 和 depth 的默认值分别是多少？", "The default of top_k is 5.", "depth 的默认值是 50。")
    assert mixed.text == "The default of top_k is 5. [1] depth 的默认值是 50。[2]"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Does the Python client support Windows?", "The Python client does not support Windows."),
        ("Are data shared with third parties?", "Data are never shared with third parties."),
        ("Can the pump run dry?", "The pump can't run dry."),
        ("Python 客户端支持 Windows 吗？", "Python 客户端不支持 Windows。"),
    ],
)
def test_a_denial_in_the_words_of_the_question_is_an_answer(question: str, sentence: str) -> None:
    assert ask(question, sentence).text.startswith(sentence)


def test_a_sentence_that_only_repeats_the_question_is_none() -> None:
    assert ask("Why does the pump not start?", "The pump does not start.").status == "abstained"
    assert ask("Do you know why the pump does start?", "The pump does start.").status == "abstained"


def test_nothing_is_said_twice() -> None:
    sentence = "The tower has 312 steps."
    answer = ask("How many steps does the tower have?", sentence, sentence + " Cats sleep.", "The tower has 312 steps!")
    assert answer.text.count("312") == 1


def test_a_sentence_that_refers_back_is_completed() -> None:
    answer = ask(
        "Explain why it took so long until the tower opened",
        "The tower was planned for years. It opened late because the tower money ran out.",
    )
    assert answer.text.startswith("The tower was planned for years. [1] It opened late")


def test_reference_marks_of_a_document_are_no_markers() -> None:
    answer = ask("How many steps does the tower have?", "The tower has 312 steps.[7][8]")
    assert answer.text == "The tower has 312 steps.(7)(8) [1]"
    assert answer.citations[0].quote == "The tower has 312 steps.[7][8]"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("- an item", "an item"),
        ("## 3. Heading", "Heading"),
        ("| email_port | int | 465 |", "email_port · int · 465"),
        ("| 检查密封圈 | 每 3 个月 |  |", "检查密封圈，每 3 个月"),
        (r"| `a | b` | c \| d | x<br>y |", "a | b · c | d · x y"),
        ("The route is **incorrect** here", "The route is incorrect here"),
        ("- **`top_k`**: *how many* ~~old~~", "top_k: how many old"),
        ("这是__非常 重要__的*一点*", "这是非常 重要的一点"),
        ("2 * 3 * 4, *args, **kwargs, a_b_c and __init__", "2 * 3 * 4, *args, **kwargs, a_b_c and __init__"),
        ("`a*b*c` and ``d`e``", "a*b*c and d`e"),
        ("```bash\ncrag serve\n```", "crag serve"),
        ("a\n  b\tc", "a b c"),
        ("1) first", "first"),
        ("**\n不可以。", "不可以。"),
        ("3.14 is a number", "3.14 is a number"),
    ],
)
def test_list_heading_and_table_marks_are_left_out(raw: str, shown: str) -> None:
    assert quoted(raw) == shown


def test_a_quote_without_an_end_gets_one() -> None:
    assert ask("What is the port default?", "- port default 465").text == "port default 465. [1]"
    assert ask("端口默认值是多少？", "- 端口默认值 465").text == "端口默认值 465。[1]"


def test_marks_of_emphasis_are_left_out_and_the_citation_keeps_them() -> None:
    answer = ask("Which route does the tower take?", "The tower takes the **incorrect** route with `top_k` of 3.")
    assert answer.text == "The tower takes the incorrect route with top_k of 3. [1]"
    assert answer.citations[0].quote == "The tower takes the **incorrect** route with `top_k` of 3."


def test_code_is_quoted_only_where_it_may_answer() -> None:
    text = "The tower server listens on port 80.\n\n```bash\ntower serve --port 80\n\ntower port --list\n```"
    assert "serve" not in ask("Which port does the tower use?", text).text
    assert "tower serve --port 80" in ask("Which command makes the tower serve on a port?", text).text


@given(st.text(alphabet="ab*_`~ |\n\\", max_size=40))
def test_plain_text_loses_marks_only(text: str) -> None:
    def letters(value: str) -> str:
        return "".join(character for character in value if character.isalpha())

    assert letters(plain(text)) == letters(text)
    assert "\n" not in quoted(text)


def test_of_two_things_that_are_compared_each_has_its_own_answer() -> None:
    data = [f"# Manual of the HX-{n}\n\nThe refrigerant is {gas}." for n, gas in (("200", "R290"), ("300", "R32"))]
    other = "The HX-200 and the HX-300 stand on feet. The refrigerant of the HX-200 and the HX-300 smells."
    text = ask("Compare the refrigerant of the HX-200 and the HX-300.", other, *data, max_sentences=5).text
    assert "is R290. [" in text
    assert "is R32. [" in text


def test_versions_that_are_compared_are_told_apart_by_their_documents() -> None:
    passages = [
        hit(f"单条记录不超过 {size} MB。", source=f"{version}.md", title=f"KuStore {version} 说明")
        for version, size in (("2.x", 1), ("3.0", 4), ("4.0", 9))
    ]
    generation = GenerationConfig(provider="extractive", max_sentences=2)
    engine = Engine(deps(passages, calibration=ScriptedGrader([0.9]), generation=generation))
    text = asyncio.run(engine.ask("KuStore 2.x 和 3.0 的单条记录有什么区别？")).text
    assert text == "单条记录不超过 1 MB。[1]单条记录不超过 4 MB。[2]"


FAQ = (
    "# Questions\n\n**Do you take cash at the tower?**\nNo. We take cards only.\n\n"
    "**How much is a tower ticket?**\nTickets are £9 a head."
)


def test_a_question_that_the_document_asks_is_no_answer_but_what_follows_is() -> None:
    assert ask("How much is a tower ticket?", FAQ).text.startswith("Tickets are £9 a head. [1]")
    assert "?" not in ask("Do you take cash at the tower?", FAQ).text


def test_a_bare_no_is_said_with_what_follows_it() -> None:
    assert ask("Do you take cash at the tower?", FAQ).text.startswith("No. [1] We take cards only. [1]")


def test_who_is_not_answered_by_a_name_of_the_question() -> None:
    text = "The Ridge Cargo bike was designed for families. The Ridge Cargo bike was designed by Hanna Lindqvist."
    answer = ask("Who designed the Ridge Cargo bike?", text, "Cats sleep in the sun.")
    assert answer.text.startswith("The Ridge Cargo bike was designed by Hanna Lindqvist. [1]")


@pytest.mark.parametrize(
    ("question", "text", "first"),
    [
        (
            "How heavy is the big pump?",
            "The big pump has 3 valves. The big pump weighs 40 kg.",
            "The big pump weighs 40 kg.",
        ),
        (
            "How far is the old mill?",
            "The old mill has 12 sails. The old mill is 9 km away.",
            "The old mill is 9 km away.",
        ),
        ("大水泵多重？", "大水泵有 3 个阀门。大水泵净重 40 kg。", "大水泵净重 40 kg。"),
        ("大水泵多少钱？", "大水泵有 3 个阀门。大水泵售价 5200 元。", "大水泵售价 5200 元。"),
        ("谁负责维护大水泵？", "大水泵需要定期维护。大水泵的维护由王小明负责。", "大水泵的维护由王小明负责。"),
    ],
)
def test_a_measure_is_answered_by_its_unit_or_its_name(question: str, text: str, first: str) -> None:
    assert ask(question, text, "Cats sleep in the sun. 猫在太阳下睡觉。").text.startswith(first)


def test_a_reason_needs_no_further_sentence() -> None:
    text = "The mill was closed because the river dried up. The mill is closed on Mondays. Cats sleep in the sun."
    assert ask("Why was the mill closed?", text).text == "The mill was closed because the river dried up. [1]"


STEPS_EN = (
    "To descale the boiler, take these steps:\n\n1. Empty the tank.\n2. Add citric acid. Do not add vinegar.\n"
    "3. Wait an hour.\n4. Rinse twice.\n5. Fill the tank.\n6. Switch the boiler on.\n\nThe boiler is made of steel."
)


def test_steps_are_told_whole_and_in_order_one_a_line() -> None:
    answer = ask("How do I descale the boiler?", STEPS_EN, max_sentences=3)
    assert answer.text.startswith(
        "To descale the boiler, take these steps:\n1. Empty the tank. [1]\n"
        "2. Add citric acid. [1] Do not add vinegar. [1]\n3. Wait an hour. [1]\n4. Rinse twice. [1]\n"
        "5. Fill the tank. [1]\n6. Switch the boiler on. [1]"
    )
    assert answer.status == "grounded"


def test_what_only_announces_is_not_quoted() -> None:
    text = (
        "The rates per night for hotel rooms are:\n\n| Rank | Rate |\n|---|---|\n| Chief of rooms | 90 |\n\nCats sleep."
    )
    assert "are:" not in ask("What are the rates per night for hotel rooms?", text, max_sentences=5).text


def test_how_something_is_done_is_told_by_one_document_and_not_by_what_only_stands_behind() -> None:
    tower = "To descale the boiler, fill the boiler with citric acid. Cats sleep in the sun."
    other = "To descale your kettle, fill it by hand."
    assert ask("How do I descale the boiler?", tower, other, max_sentences=5).text == (
        "To descale the boiler, fill the boiler with citric acid. [1]"
    )
