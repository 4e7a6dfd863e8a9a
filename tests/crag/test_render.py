"""Lines on a terminal: Chinese breaks anywhere but before closing punctuation, English at spaces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from crag.cli.render import wrapped


def test_chinese_fills_its_lines() -> None:
    text = "重排的时限设为 10 秒，超过就放弃。[1]重排失败：按融合后的名次返回。"
    assert wrapped(text, 20) == "重排的时限设为 10\n秒，超过就放弃。[1]\n重排失败：按融合后的\n名次返回。"


def test_english_words_stay_whole() -> None:
    assert wrapped("The nightly run starts at 02:30.", 14) == "The nightly\nrun starts at\n02:30."


@given(st.text(alphabet="ab cd 中文，。（1）\n", max_size=200), st.integers(6, 60))
def test_nothing_is_lost_and_lines_fit(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join(lines.split()) == "".join(text.split())
    for line in lines.splitlines():
        # A single word, or one character with all its closing marks, may be wider than the line.
        assert cell_len(line) <= width or len(line.split()) == 1
