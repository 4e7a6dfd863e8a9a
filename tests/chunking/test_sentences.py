"""Where sentences end: each line of the fixtures is one text, ``‖`` marks the ends inside it."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.abbreviations import REFERENCES, TITLES
from chunking.sentences import split_sentences

ENGLISH = r"""
It works.‖ It is fast.
Dr. Smith arrived.‖ He sat down.
Mr. and Mrs. Brown met Prof. Li in St. Louis.‖ They talked.
Messrs. Brown and Li met on Thurs. June 4 and talked.‖ Then Messrs. Li left.
See Fig. 1 for details.‖ It shows the curve.
See Figs. 2 and 3.‖ Both agree.
Eq. (4) follows from Sec. 2.‖ The proof is short.
As shown in Sec. A, this holds.‖ We omit it.
Use a tool, e.g. Grep, to search.‖ Then read.
Use a tool, e.g. grep.‖ Then read.
The limit, i.e. the cap, is 480.‖ It holds.
Pi is about 3.14 in value.‖ Use it.
It works.[1]‖ So does this.[2,3]‖ The rest does not [4].‖ End.
They climbed Mt. Everest.‖ See Appx. B and Rem. 4 of it.
The load is 10 Mt.‖ The ship sank.
It costs $3.50.‖ That is cheap.
Install v2.0.1 first.‖ Then restart.
Version 2.0.‖ Released today.
Visit https://example.org/a.b?c=d.‖ It explains everything.
Open www.example.com/index.html and log in.‖ Done.
Mail me at a.b@example.com.‖ I will answer.
We met at 5 p.m. on Monday.‖ It rained.
We met at 5 p.m.‖ The rain had stopped.
At 9 a.m. Eastern time it opens.‖ Be there.
She lives in the U.S. and works in the U.K.‖ She travels.
The U.S. Army came.‖ They left.
He moved to the U.S.‖ He liked it.
Acme Inc. makes tools.‖ They sell.
He works for Acme Inc.‖ It pays well.
Bring pens, paper, etc. to class.‖ Be early.
Bring pens, paper, etc.‖ The class starts early.
J. R. R. Tolkien wrote it.‖ C. S. Lewis read it.
We need vitamin C.‖ The body cannot make it.
Smith et al. (2020) showed this.‖ We agree.
This follows Smith et al. [3] closely.‖ See there.
No. 7 is alive.‖ So is no. 8.
He said no.‖ Then he left.
Vol. 3, pp. 12-15, has it.‖ Read it.
It was approx. 5 cm long.‖ It broke.
Cats vs. dogs is a long debate.‖ Nobody wins.
Wait... what?‖ I see.
Well...‖ The end came.
It was, well, ... odd.‖ Nobody spoke.
To be continued…‖ The next part follows.
What?‖ No way!‖ Yes.
Really?!‖ Yes, really!!‖ Good.
"Are you ok?" she asked.‖ He nodded.
"Stop!" he cried.‖ Nobody did.
"It is done."‖ He sat down.
He said "It is done."‖ Then he sat down.
“It is done.”‖ He sat down.
'Fine.'‖ She left.
(It was late.)‖ We slept.
It was late (very late).‖ We slept.
It was late (see Fig. 2.)‖ We slept.
The file is config.yaml and the key is a.b.c.‖ Edit it.
Call os.path.join first.‖ Then open.
Use `a. B` here.‖ It is code.
Use **bold.**‖ Then stop.
*Note.*‖ This matters.
See [the docs](http://x.y/a.b).‖ Next.
It has 3 parts.‖ 4 more follow.
The year was 1999.‖ Everyone danced.
In Jan. 2020 it began.‖ It ended in Dec.‖ The cost was high.
He holds a Ph.D. in physics.‖ He teaches.
He holds a Ph.D.‖ He teaches.
Sammy Davis Jr. sang.‖ We listened.
Gen. Grant and Lt. Col. Fox met.‖ They agreed.
iPhones sell.‖ Everyone knows.
A) First point.‖ B) is not here.
The ratio is 1:2.‖ It is fixed.
Is it 5?‖ 6?‖ No idea.
See Ch. 3.‖ It is short.
See App. B for this.‖ It is long.
He arrived at 10.30 and left.‖ Nobody saw.
Go to Main St. and turn.‖ Walk on.
Use ver. 3 or later.‖ Earlier ones fail.
Thanks!‖ :) Bye.
One.‖ Two.‖ Three.
"""

CHINESE = r"""
小明（男，5岁。）来了。‖他笑了。
用户输入“是/否？”后继续。‖然后结束。
他问“来吗？”‖我说不来。
条款（见第三条（二）。）有效。‖完。
正文到此。‖（以上是注。）‖后文开始。
他大声喊“快来！”‖大家都来了。
今天下雨。‖我们在家。
你好！‖再见！
真的吗？‖真的。
第一点；‖第二点；‖第三点。
他说了很多……‖我没听清。
他犹豫……，还是走了。‖门关了。
“你来吗？”他问。‖我点头。
“我来。”‖她笑了。
“走吧！”小明喊道。‖大家出发。
他说：“我来。”‖大家都笑了。
他问：“为什么？”‖没有人回答。
这是“为什么？”的问题。‖没有答案。
「你好嗎？」她說。‖我點頭。
『好。』‖他走了。
（见附录。）‖下一节说明用法。
它很快（见表3。）‖它也很省。
圆周率约为3.14。‖记住它。
版本v2.0.1已发布。‖请升级。
增长了5.6%。‖利润下降。
访问 https://example.org/a?b=1。‖然后登录。
什么？！‖不可能！！
好的。。。‖走吧。
《红楼梦》是名著。‖《西游记》也是。
1、打开电源。‖关闭电源。
（1）打开电源。‖再关闭。
一、总则。‖本法适用于全国。
他来了,我走了。‖再见。
你好!‖再见!
真的?‖是的。
上涨12.5,下跌3.1。‖完。
会议时间为10:30。‖请准时。
“一。‖二。‖三。”‖完。
邮箱是a@b.com。‖请联系。
他姓李（Li）。‖她姓王。
为什么会这样呢？‖原因如下：一是慢；‖二是贵。
他说：“走！”‖我说：“不！”
完了～‖
【注意】请勿触摸。‖谢谢。
价格是￥3.50。‖很便宜。
參數是必填的。‖預設值為空。
「走！」他喊。‖沒有人動。
他说了“好”。‖她点头。
这叫“检索。”‖那叫“生成。”
"""

MIXED = r"""
RAG 指检索增强生成。‖It retrieves first.
It retrieves first.‖ 然后生成。
使用 Python 3.11。‖Then run it.
使用 Python 3.11.‖ 然后运行。
请看 Fig. 1。‖曲线上升。
Dr. Smith 说得对。‖我们同意。
BM25 的 k1=1.2，b=0.75。‖这是默认值。
运行 `pip install x`。‖完成！
配置 a.b.c 为 true；‖重启服务。
OK?‖ 好的。
OK？‖好的!‖Yes.
GPT-4.5 发布了。‖它更快。
下载 file.v1.2.zip。‖解压。
他说 "Hello."‖ 我说你好。
Node.js 和 Vue.js 都可以。‖任选其一。
见 https://a.cn/x.html。‖谢谢。
准确率为 0.85 (F1)。‖召回率为 0.9。
A股涨了。‖B股跌了。
"""

LINES = [
    ("1. Open it. Then wait.\n2. Close it.", ["1. Open it.", "Then wait.", "2. Close it."]),
    ("- one\n- two", ["- one", "- two"]),
    ("Intro:\n* a\n* b", ["Intro:", "* a", "* b"]),
    ("# Title\nText goes\non here.", ["# Title\nText goes\non here."]),
    ("Para one\n\nPara two", ["Para one", "Para two"]),
    ("A line that\nwraps. And ends.", ["A line that\nwraps.", "And ends."]),
    ("一、总则\n二、细则", ["一、总则", "二、细则"]),
    ("（一）总则\n（二）细则", ["（一）总则", "（二）细则"]),
    ("① 打开\n② 关闭", ["① 打开", "② 关闭"]),
    ("text\n| a | b |\n| 1 | 2 |", ["text", "| a | b |", "| 1 | 2 |"]),
    (
        "| Why? | 可以。再试。 |\n| a. B | 3! Yes |\nNext. Last.",
        ["| Why? | 可以。再试。 |", "| a. B | 3! Yes |", "Next.", "Last."],
    ),
    ("Is it? Yes.\n\n  | Is it? Yes. | no |\n  | b |", ["Is it?", "Yes.", "| Is it? Yes. | no |", "| b |"]),
    (
        "Ask? Do. | why\n--- | ---\nSo? It is. | 是。否。\n\nEnd. Stop.",
        ["Ask? Do. | why", "--- | ---", "So? It is. | 是。否。", "End.", "Stop."],
    ),
    ("Use a|b. Then c|d. | is no row.", ["Use a|b.", "Then c|d.", "| is no row."]),
    ("text\n```\ncode\n```", ["text", "```\ncode", "```"]),
    ("   \n\n  ", []),
    ("", []),
    ("x", ["x"]),
    ("a) first\nb) second", ["a) first", "b) second"]),
    ("1.1 Scope. This applies.", ["1.1 Scope.", "This applies."]),
    ("他进来了。\n“来吗？”他问。没人答。", ["他进来了。", "“来吗？”他问。", "没人答。"]),
    ("说明。\n　　1. Open the lid.\n　　2. Close it.", ["说明。", "1. Open the lid.", "2. Close it."]),
    ("结果很好。[1]下一句。[2,3]", ["结果很好。[1]", "下一句。[2,3]"]),
]

FIXTURES = [line for block in (ENGLISH, CHINESE, MIXED) for line in block.strip().splitlines()]


@pytest.mark.parametrize("marked", FIXTURES)
def test_fixture(marked: str) -> None:
    text = marked.replace("‖", "")
    expected = [part.strip() for part in marked.split("‖") if part.strip()]
    assert [text[start:end] for start, end in split_sentences(text)] == expected


@pytest.mark.parametrize(("text", "expected"), LINES)
def test_lines(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in split_sentences(text)] == expected


@pytest.mark.parametrize("name", sorted(TITLES | REFERENCES))
def test_no_sentence_ends_after_a_title_or_a_reference(name: str) -> None:
    label = "Brown" if name in TITLES else "A"
    for written in (name, name.capitalize()):
        text = f"We have seen {written}. {label} today."
        assert split_sentences(text) == [(0, len(text))]


@given(st.text(alphabet='aB1 .!?。！？…；\n"”“「」()（）`*#-|:,，Dr3说的', max_size=80), st.integers(0, 20))
def test_spans_tile_the_range_up_to_whitespace(text: str, start: int) -> None:
    start = min(start, len(text))
    at = start
    for first, last in split_sentences(text, start):
        assert not text[at:first].strip()
        assert text[first:last] == text[first:last].strip() != ""
        at = last
    assert not text[at:].strip()


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        ".",
        "....a",
        "\n",
        "。",
        "\"'",
        "`",
        "a. ",
        "“你好。”",
        "- ",
        "a`b",
        ".*_`",
        ". ",
        "\n \n",
        "[a](b)",
        "…",
        "|",
        "| ",
        "a|\n-|-\n",
        "|-",
    ],
)
def test_time_is_linear_on_one_line(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        started = time.process_time()
        split_sentences(text)
        return time.process_time() - started

    # Quadratic work would take a hundred times as long, not ten.
    assert seconds(300_000) < 40 * max(seconds(30_000), 0.005)
