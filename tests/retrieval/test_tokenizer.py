from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.lexical.tokenizer import comparable, tokenize, words


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("BGE-M3", {"bge-m3", "bge", "m3"}),
        ("email_smtp_port", {"email_smtp_port", "email", "smtp", "port"}),
        ("v2.0.1", {"2.0.1", "2.0", "v2"}),
        ("JDK1.8", {"jdk1.8", "jdk1", "jdk", "1.8"}),
        ("C++ and C#", {"c++", "c#"}),
        ("maxRetries", {"maxretry", "max", "retry"}),
        ("1,234,567 rows", {"1234567", "row"}),
        ("ＧＰＴ－４ｏ", {"gpt-4o", "gpt", "4o"}),
        ("Beyoncé's cities", {"beyonce", "city"}),
        ("What is the class of a virus?", {"class", "virus"}),
        ("", set()),
        ("。，！ -- __", set()),
    ],
)
def test_words_and_identifiers(text: str, terms: set[str]) -> None:
    assert set(tokenize(text)) == terms


SPELLINGS = ["v2.0.1", "V2.0.1", "2.0.1", "2.0.1版", "2.0.1-beta", "app-v2.0.1-bin.tar.gz", "ver.2.0.1", "２．０．１"]


@pytest.mark.parametrize("asked", SPELLINGS)
def test_versions_meet_however_they_are_written(asked: str) -> None:
    assert "2.0.1" in words(asked)
    for held in [*SPELLINGS, "下载 v2.0.1 的安装包"]:
        assert "2.0.1" in set(tokenize(asked)) & set(tokenize(held))
    assert "2.0.1" not in tokenize("2.0.10, 12.0.1, 2.0.12345 and 1.2.0.1")


def test_a_version_is_asked_for_by_its_number_alone() -> None:
    assert words("v2.0.1") == words("2.0.1") == {"2.0.1"}
    assert words("JDK1.8") == words("JDK 1.8") == {"jdk", "1.8"}
    assert words("v2") <= set(tokenize("2.0.1"))
    assert words("2.0") <= set(tokenize("v2.0.1"))


def test_long_numbers_of_addresses_are_no_versions() -> None:
    assert set(tokenize("11186623.0.0.4a6e")) == {"11186623.0.0.4a6e", "11186623", "4a6e"}


def test_a_short_chinese_question_is_about_its_subject_not_about_its_asking() -> None:
    """The dictionary cuts 年假 into two characters, and 几天 is what is asked for: no passage says it."""
    assert words("年假几天？") == words("年假有几天？") == words("年假有幾天？") == {"年假"}
    assert words("年假几天？") <= set(tokenize("正式员工每年享有15天带薪年假。"))
    assert words("几点上班？") == {"上班"}
    assert words("几何是什么？") == {"几何"}
    assert words("要多久？") == set()


def test_chinese_gives_words_and_bigrams_but_no_stop_words() -> None:
    assert set(tokenize("检索增强生成是什么")) >= {"检索", "增强", "生成", "索增"}
    assert not {"是", "什么", "成是", "是什"} & set(tokenize("检索增强生成是什么"))


def test_an_unknown_name_meets_its_question() -> None:
    passage, question = set(tokenize("钱钟书撰写了围城一书")), set(tokenize("谁写了围城"))
    assert "围城" in passage & question


def test_a_two_character_word_counts_once() -> None:
    assert tokenize("模型") == ["模型"]


def test_traditional_and_simplified_meet() -> None:
    assert tokenize("臺灣的網路與軟體") == tokenize("台湾的网路与软体")


def test_identifiers_inside_chinese_stay_whole() -> None:
    assert "bge-m3" in tokenize("使用BGE-M3模型")
    assert "email_smtp_port" in tokenize("参数email_smtp_port的默认值")


@given(st.text())
def test_any_text_gives_lower_case_terms_without_space(text: str) -> None:
    assert all(term and not term.isspace() and term == term.lower() for term in tokenize(text))


def test_time_grows_with_length_only() -> None:
    text = "自然语言处理的 max_retries 参数, e.g. 3.14 and a-b-c. " * 2000
    tokenize("热身 warm")
    started = time.perf_counter()
    tokenize(text)
    assert time.perf_counter() - started < 3
    started = time.perf_counter()
    tokenize("a-" * 50_000 + "," * 50_000 + "1," * 50_000 + "x" * 50_000 + "1." * 50_000)
    assert time.perf_counter() - started < 3


@pytest.mark.parametrize(
    ("question", "text", "meets"),
    [
        ("How long are backups kept?", "每日备份保留 14 天。", False),
        ("备份保留多少天？", "Daily backups are kept for 14 days.", False),
        ("备份保留多少天？", "Daily backups 每日备份", True),
        ("What is RRF?", "RRF merges two rankings (倒数排名融合), as Cormack and others described it in 2009.", True),
        ("", "", True),
    ],
)
def test_words_of_two_languages_do_not_meet(question: str, text: str, meets: bool) -> None:
    assert comparable(question, text) is meets
