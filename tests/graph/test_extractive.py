"""Answers without a model: the sentence that answers comes first, quoted word for word."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.config import GenerationConfig
from graph.engine import Engine
from graph.quotes import plain, quoted
from graph.types import Answer
from tests.fakes.graph import ScriptedGrader, deps, hit


def ask(question: str, *texts: str, max_sentences: int = 3) -> Answer:
    passages = [hit(text, source=f"{number}.md", title=f"T{number}") for number, text in enumerate(texts)]
    generation = GenerationConfig(provider="extractive", max_sentences=max_sentences)
    engine = Engine(deps(passages, calibration=ScriptedGrader([0.9]), generation=generation))
    return asyncio.run(engine.ask(question))


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
    assert mixed.text == "depth 的默认值是 50。[1]The default of top_k is 5. [2]"


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
    assert ask("Does the pump start?", "The pump does start.").status == "abstained"


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


TABLE_ZH = (
    "维护计划如下。\n\n| 项目 | 周期 | 负责人 |\n|---|---|---|\n"
    "| 检查密封圈 | 每 3 个月 | 张华 |\n| 更换滤芯 | 每 6 个月 | 李明 |"
)
TABLE_EN = (
    "| Task | Interval | Owner |\n|:--|--:|---|\n| Check the seals | every **3** months | Anna Gray |\n"
    "| Change the filter | every 6 months |  |"
)


@pytest.mark.parametrize(
    ("question", "text", "shown", "row"),
    [
        (
            "检查密封圈的周期是多久？",
            TABLE_ZH,
            "项目：检查密封圈，周期：每 3 个月。[1]",
            "| 检查密封圈 | 每 3 个月 | 张华 |",
        ),
        (
            "How often are the seals checked?",
            TABLE_EN,
            "Task: Check the seals, Interval: every 3 months. [1]",
            "| Check the seals | every **3** months | Anna Gray |",
        ),
        (
            "What is the interval to change the filter?",
            TABLE_EN,
            "Task: Change the filter, Interval: every 6 months. [1]",
            "| Change the filter | every 6 months |  |",
        ),
    ],
)
def test_a_table_row_reads_as_columns_and_values_and_is_cited_as_it_stands(
    question: str, text: str, shown: str, row: str
) -> None:
    answer = ask(question, text)
    assert answer.text.startswith(shown)
    assert answer.status == "grounded"
    assert row in answer.citations[0].quote
    assert text[answer.citations[0].start : answer.citations[0].end] == answer.citations[0].quote


def test_a_row_says_the_whole_of_itself_where_no_column_is_asked_for() -> None:
    text = ask("Tell me about the seals", TABLE_EN).text
    assert text.startswith("Task: Check the seals, Interval: every 3 months, Owner: Anna Gray. [1]")


def test_a_row_that_begins_a_passage_has_the_header_which_its_context_carries() -> None:
    (passage,) = [hit("| Ridge Fold | 16.9 kg   | 3 h |\n\nIt folds.", source="bikes.md")]
    carried = "Bikes\n| Model | Weight | Charging time |\n|---|---|---|"
    passage = replace(passage, chunk=replace(passage.chunk, context=carried))
    engine = Engine(deps([passage], calibration=ScriptedGrader([0.9]), generation=GenerationConfig()))
    answer = asyncio.run(engine.ask("How heavy is the Ridge Fold?"))
    assert answer.text == "Model: Ridge Fold, Weight: 16.9 kg. [1]"
    assert answer.citations[0].quote == "| Ridge Fold | 16.9 kg   | 3 h |"


def test_a_row_without_its_header_reads_as_its_cells() -> None:
    answer = ask("检查密封圈的周期是多久？", "| 检查密封圈 | 每 3 个月 | 张华 |\n| 更换滤芯 | 每 6 个月 | 李明 |")
    assert answer.text.startswith("检查密封圈，每 3 个月，张华。[1]")


def test_a_cell_that_says_no_denies_nothing() -> None:
    answer = ask(
        "What is the default of the topic option?", "| topic | String | No | SeaTunnel-Topic | Topic of sls. |"
    )
    assert answer.text == "topic · String · No · SeaTunnel-Topic · Topic of sls. [1]"


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


def test_of_a_table_in_which_a_row_is_named_no_other_row_is_said() -> None:
    table = "| Model | Weight | Colour |\n|---|---|---|\n| Ridge Cargo | 34 kg | red |\n| Ridge Trail | 24 kg | blue |"
    assert ask("How heavy is the Ridge Cargo model?", table).text == "Model: Ridge Cargo, Weight: 34 kg. [1]"


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


FLEET = "| Model | Weight |\n|---|---|\n| Alpha | 19 kg |\n| Beta | {beta} |\n| Gamma | 7 kg |\n\nThey are red."


def test_the_heaviest_of_a_table_is_its_row() -> None:
    told = ask("Which model has the highest weight?", FLEET.format(beta="34 kg"))
    assert told.text == "Model: Beta, Weight: 34 kg. [1]"


def test_what_cannot_be_compared_is_told_whole() -> None:
    told = ask("Which model has the highest weight?", FLEET.format(beta="on request"), max_sentences=2)
    assert (
        told.text
        == "Model: Alpha, Weight: 19 kg. [1]\nModel: Beta, Weight: on request. [1]\nModel: Gamma, Weight: 7 kg. [1]"
    )


def test_a_table_that_may_go_on_elsewhere_is_not_compared() -> None:
    rows = "\n".join(
        f"| Model {n} | {n} kg | of the long series of models that are made in the north |" for n in range(30)
    )
    told = ask("Which model has the highest weight?", f"| Model | Weight | Kind |\n|---|---|---|\n{rows}")
    assert told.text.count("[1]") > 1


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


def test_a_row_whose_name_is_part_of_the_one_asked_for_is_another() -> None:
    table = "| 假期 | 天数 |\n|---|---|\n| 产假 | 158 天 |\n| 陪产假 | 15 天 |"
    assert ask("陪产假的天数是多少？", table).text == "假期：陪产假，天数：15 天。[1]"


@pytest.mark.parametrize(
    ("question", "sheet", "first"),
    [
        (
            "What is the rated heating power of the HX-200?",
            "# HX-200\n\nThe HX-200 is a heat pump for houses.\n\n| Parameter | Value |\n|---|---|\n"
            "| Rated heating power | 8.4 kW |\n| Weight | 152 kg |",
            "Parameter: Rated heating power, Value: 8.4 kW.",
        ),
        (
            "What is the weight of the HX-200?",
            "# HX-200\n\nThe HX-200 is a heat pump for houses.\n\n| Item | Specification |\n|---|---|\n"
            "| Refrigerant | R32 |\n| Weight | 152 kg |",
            "Item: Weight, Specification: 152 kg.",
        ),
        (
            "HX-200的重量是多少？",
            "# HX-200\n\nHX-200是家用热泵，共有3个型号。\n\n"
            "| 项目 | 参数 |\n|---|---|\n| 额定功率 | 8.4 kW |\n| 重量 | 152 kg |",
            "项目：重量，参数：152 kg。",
        ),
    ],
)
def test_of_a_data_sheet_the_row_of_what_is_asked_is_told_first(question: str, sheet: str, first: str) -> None:
    assert ask(question, sheet).text.startswith(first)


def test_rows_are_told_by_name_in_every_part_of_a_question() -> None:
    table = "| System | Memory | Disk |\n|---|---|---|\n| Linux | 2 GB | 600 MB |\n| Windows | 4 GB | 900 MB |"
    told = ask("How much memory does Linux need, and how much disk does it need?", table).text
    assert told == "System: Linux, Memory: 2 GB, Disk: 600 MB. [1]"


ACTIONS = (
    "| Action | Owner | Status |\n|---|---|---|\n| Alert at 80 percent | Ada Byron | done |\n"
    "| Block the removal | Mei Tanaka | open |\n| Practise a restore | Priya Nair | open |\n\nCats sleep in the sun."
)


def test_all_rows_are_told_in_order_where_all_are_asked_for() -> None:
    assert ask("Which actions are there?", ACTIONS).text == (
        "Action: Alert at 80 percent, Owner: Ada Byron, Status: done. [1]\n"
        "Action: Block the removal, Owner: Mei Tanaka, Status: open. [1]\n"
        "Action: Practise a restore, Owner: Priya Nair, Status: open. [1]"
    )


def test_only_the_rows_that_hold_what_the_question_says_are_told() -> None:
    assert ask("Which actions are still open?", ACTIONS).text == (
        "Action: Block the removal, Status: open. [1]\nAction: Practise a restore, Status: open. [1]"
    )


def test_a_long_table_is_told_from_all_its_passages() -> None:
    table = "| 型号 | 净重 |\n|---|---|\n| QH-60 | 48 kg |"
    first, rest = hit(table), hit("| QH-240 | 136 kg |\n\n保修两年。", offset=len(table) + 1)
    rest = replace(rest, chunk=replace(rest.chunk, context="Notes\n| 型号 | 净重 |\n|---|---|"))
    engine = Engine(deps([first, rest], calibration=ScriptedGrader([0.9]), generation=GenerationConfig()))
    answer = asyncio.run(engine.ask("有哪些型号？"))
    assert sorted(answer.text.split("\n")) == ["型号：QH-240，净重：136 kg。[2]", "型号：QH-60，净重：48 kg。[1]"]
