"""Markdown and plain text keep every character; encodings are told and noted."""

from __future__ import annotations

import pytest

from chunking.loaders import load_bytes
from tests.chunking.blocks import covered, kinds


def test_markdown_blocks() -> None:
    text = (
        "# Title `x`\n\nIntro line\nwraps.\n\n- one\n- two\n  ```\n  # no heading\n  ```\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\n# comment\n```\n\nSetext\n------\n\n> quote\n\n"
        "[ref]: http://x\n\n    code\n"
    )
    document = load_bytes(text.encode(), source="a.md")
    assert document.text == text
    assert [kind for kind, _ in kinds(document)] == [
        *("heading", "paragraph", "list", "table", "code", "heading", "quote", "other", "code"),
    ]
    assert document.title == "Title x"
    assert document.blocks[5].heading_path == ("Title x", "Setext")
    assert document.blocks[4].heading_path == ("Title x",)
    assert covered(document)


def test_front_matter_is_no_block() -> None:
    text = '---\ntitle: "Named"\nx: 1\n---\n\n# Heading\n\n---\n\nText\n'
    document = load_bytes(text.encode(), source="a.md")
    assert document.title == "Named"
    assert document.text == text
    assert kinds(document)[0] == ("heading", "# Heading")


def test_markdown_formulas_are_whole_whatever_stands_in_them() -> None:
    formulas = ["$$\nf(x)\n=\n\\sum a_i\n- b\n+ c\n\n# d\n$$", "\\[\n> a\n\\]", "$$a = 1$$", "$$a\n= 1$$"]
    formulas.append("\\begin{align}\n- b\n\n---\n\\end{align}")
    source = "# T\n\nWe define\n" + "\nthen\n".join(formulas) + "\n\n$$ is a shell's number.\n\n# Next\n\nText.\n"
    document = load_bytes(source.encode(), source="a.md")
    assert covered(document)
    assert [text for kind, text in kinds(document) if kind == "math"] == formulas
    assert [text for kind, text in kinds(document) if kind == "heading"] == ["# T", "# Next"]
    assert [text for kind, text in kinds(document) if kind == "paragraph"] == [
        *("We define", "then", "then", "then", "then", "$$ is a shell's number.", "Text."),
    ]


@pytest.mark.parametrize(
    "opening", ["---\n\n# Notes\n\nOld: gone.", "---\n# Notes\n\nThe old one is gone.", "---\nThe old one is gone."]
)
def test_a_page_may_open_with_a_rule(opening: str) -> None:
    document = load_bytes(f"{opening}\n\n---\n\nSecond part.\n".encode(), source="a.md")
    assert covered(document)
    assert any("gone" in text for _, text in kinds(document))


def test_front_matter_may_hold_remarks_lists_and_blank_lines() -> None:
    source = "---\n# remark\nlast updated: 2026\ntags:\n- a\n  - b\n\ntitle: T\nof: [\n  c\n]\n---\nText.\n"
    document = load_bytes(source.encode(), source="a.md")
    assert (document.title, kinds(document)) == ("T", [("paragraph", "Text.")])


def test_crlf_and_control_characters_are_gone_before_offsets_exist() -> None:
    document = load_bytes("# A\r\n\r\nB\x00\x07C\ufffd\rD".encode(), source="a.md")
    assert document.text == "# A\n\nBC\nD"


def test_toml_front_matter_is_no_block() -> None:
    document = load_bytes(b'+++\ntitle = "Named"\ndate = 2026-01-01\n+++\n\nText\n', source="a.md")
    assert document.title == "Named"
    assert kinds(document) == [("paragraph", "Text")]


def test_text_paragraphs_chapters_and_lines() -> None:
    text = (
        "第一章 开始\n\n这是第一段。\n这是第二段。\n\n"
        "A wrapped paragraph that\ngoes on over lines.\n\n第二章 结束\n尾声"
    )
    document = load_bytes(text.encode(), source="a.txt")
    assert kinds(document) == [
        ("heading", "第一章 开始"),
        ("paragraph", "这是第一段。"),
        ("paragraph", "这是第二段。"),
        ("paragraph", "A wrapped paragraph that\ngoes on over lines."),
        ("heading", "第二章 结束"),
        ("paragraph", "尾声"),
    ]
    assert document.blocks[-1].heading_path == ("第二章 结束",)
    assert document.title == "a"


def test_text_titles_stand_alone() -> None:
    text = (
        "检索说明\n\n一、概述\n\n这是概述。\n\n二、参数\n\n一、这一行在段落里\n并不是标题。\n\n"
        "2.1 Limits\n\nThere are limits.\n\n1. Open it\n\n2. Close it\n\nNOTES\n\nDone."
    )
    document = load_bytes(text.encode(), source="a.txt")
    assert document.title == "检索说明"
    assert [words for kind, words in kinds(document) if kind == "heading"] == [
        *("检索说明", "一、概述", "二、参数", "2.1 Limits", "NOTES"),
    ]
    paths = [block.heading_path for block in document.blocks]
    assert paths[6] == ("检索说明", "二、参数", "2.1 Limits")
    assert paths[-1] == ("检索说明", "NOTES")


@pytest.mark.parametrize(
    "text",
    [
        "The agreement has three parts that all accept. As said in\nPart II of the agreement, the obligations\n"
        "begin after payment and end in\nChapter 7 proceedings where the seller is bankrupt\nbefore that day.",
        "Part II of the agreement, which the\nseller has signed, holds.",
        "CHAPTER 7 proceedings where the seller is\nBankrupt end.",
        "当事人应当按照约定履行自己的义务，依照\n第三章规定的情形除外，当事人可以请求\n予以撤销，应当受理并作出裁定，"
        "\n第二节所称的期限自受理之日起计算。",
        "第三章规定的情形除外，当事人可以请求\n予以撤销。",
    ],
)
def test_a_wrapped_line_that_begins_as_chapters_do_is_none(text: str) -> None:
    assert kinds(load_bytes(text.encode(), source="a.txt")) == [("paragraph", text)]


def test_chapters_need_no_blank_lines() -> None:
    text = (
        "西游记\n第一卷 开始\n第一章灵根\n东胜神洲有一座山。\nPart II: Return\nHe came\nback home.\n第二节 结束\n完。"
    )
    document = load_bytes(text.encode(), source="a.txt")
    assert [words for kind, words in kinds(document) if kind == "heading"] == [
        *("第一卷 开始", "第一章灵根", "Part II: Return", "第二节 结束"),
    ]


_CHINESE = "检索增强生成把检索到的段落交给语言模型，让它只根据资料回答。如果资料不够，就说不知道。"
_TRADITIONAL = "檢索增強生成把檢索到的段落交給語言模型，讓它只根據資料回答。如果資料不夠，就說不知道。"


@pytest.mark.parametrize(
    ("text", "encoding", "noted"),
    [
        (_CHINESE, "utf-8", None),
        (_CHINESE, "utf-8-sig", None),
        (_CHINESE, "gb18030", "gb18030"),
        (_CHINESE, "gbk", "gb18030"),
        (_TRADITIONAL, "big5", "big5"),
        (_CHINESE, "utf-16", "utf-16"),
        ("Plain English text, long enough to tell.", "utf-16-le", "utf-16-le"),
        ("Plain English text, long enough to tell.", "utf-16-be", "utf-16-be"),
        ("Un café très agréable à l'été, où l'on dîne bien.", "cp1252", "cp1252"),
        ("Résumé of the café: naïve “quotes” cost €100 – it’s fine.", "cp1252", "cp1252"),
        ("Die Größe der Straße ist für Müller schön. Übergröße.", "cp1252", "cp1252"),
        ("It’s one dash.", "cp1252", "cp1252"),
        ("登录失败", "gbk", "gb18030"),
        ("张三，李四", "gbk", "gb18030"),
        ("Error: 登录失败 (code 7)", "gbk", "gb18030"),
        ("登入失敗", "big5", "big5"),
        ("臺北捷運營運時間，週一至週五。", "big5", "big5"),
        ("설정 파일에 대한 설명입니다. 시작할 때 읽습니다. " * 5, "euc-kr", "cp949"),
        ("비밀번호를 잊으셨습니까?", "euc-kr", "cp949"),
        ("로그인 실패", "euc-kr", "cp949"),
        ("会議は午後三時に始まります。", "euc-jp", "euc_jp"),
        ("ファイルが見つかりません", "shift_jis", "cp932"),
        ("Файл не найден", "koi8-r", "koi8_r"),
        ("Пароль", "cp1251", "cp1251"),
        ("ИНСТРУКЦИЯ ПО ЭКСПЛУАТАЦИИ", "koi8-r", "koi8_r"),
        ("背部脊椎", "gbk", "gb18030"),
        ("中央集權", "big5", "big5"),
        ("設定ファイルの説明です。起動時に読み込みます。", "shift_jis", "cp932"),
        ("Привет мир. Это тестовый файл для проверки.", "cp1251", "cp1251"),
    ],
)
def test_encodings(text: str, encoding: str, noted: str | None) -> None:
    document = load_bytes(text.encode(encoding), source="a.txt")
    assert document.text == text
    if noted is None:
        assert document.notes == ()
    else:
        assert noted in document.notes[0]


def test_a_guess_from_few_characters_is_said_to_be_one() -> None:
    (few,) = load_bytes("登录失败".encode("gbk"), source="a.txt").notes
    assert few == "encoding: gb18030 (guessed from 4 characters, check that it reads well)"
    assert load_bytes(_CHINESE.encode("gbk"), source="a.txt").notes == ("encoding: gb18030 (guessed)",)


def test_a_few_damaged_bytes_do_not_change_the_encoding() -> None:
    data = (_CHINESE * 100).encode() + b"\xff\xfe" + _CHINESE.encode()
    document = load_bytes(data, source="a.txt")
    assert document.text == _CHINESE * 101
    assert "damaged" in document.notes[0]


def test_underlined_lines_of_plain_text_are_titles() -> None:
    text = (
        "PUMP CONTROLLER\n===============\n\nIt pumps.\n\nInstall\n-------\nUnpack it\nand run it\n\n"
        "name   value\n----   -----\na      1\n\n安装\n----\n\n完成。"
    )
    document = load_bytes(text.encode(), source="a.txt")
    assert document.title == "PUMP CONTROLLER"
    assert [(block.kind, block.heading_path) for block in document.blocks if block.kind == "heading"] == [
        ("heading", ("PUMP CONTROLLER",)),
        ("heading", ("PUMP CONTROLLER", "Install")),
        ("heading", ("PUMP CONTROLLER", "安装")),
    ]
    assert ("paragraph", "Unpack it\nand run it") in kinds(document)
    assert covered(document)


@pytest.mark.parametrize(("first", "last"), [(0, -1), (0, -2), (1, None), (2, None), (1, -1)])
def test_utf_8_cut_inside_a_character_is_utf_8(first: int, last: int | None) -> None:
    document = load_bytes(_CHINESE.encode()[first:last], source="a.txt")
    assert document.text == _CHINESE[1 if first else 0 : -1 if last else None]
    assert document.notes == ("encoding: utf-8 with damaged bytes left out (guessed)",)


def test_a_damaged_byte_in_english_spares_the_dash() -> None:
    data = b"It\x92s a long English text with one bad byte and one \xe2\x80\x94 dash."
    assert load_bytes(data, source="a.txt").text == "Its a long English text with one bad byte and one — dash."


def test_a_damaged_byte_in_gbk_is_left_out() -> None:
    data = (_CHINESE * 20).encode("gbk")[:-3] + b"\xff" + "完".encode("gbk")
    assert load_bytes(data, source="a.txt").text.startswith(_CHINESE)
