"""Questions that a document asks and answers itself, as drafts."""

from __future__ import annotations

from chunking.loaders import load_bytes
from eval.drafting.patterns import draft_by_patterns

FAQ_EN = """# Staff handbook

**Q: How often can I replace my laptop?**
A: Every **three**
years.

**Q: Who approves travel?** A: Your line manager.

Q1. Is it possible to work abroad
A1. For four weeks a year.

Q: Does it cost anything?
A: No.

### How do I reset my password?

Open the portal and follow the link.

**Where is the spare key?**

With the porter.

| Question | Answer |
|---|---|
| When is payday? | On the 25th. |
"""
FAQ_ZH = """# 员工手册

## 设备与账号

**问：笔记本电脑多久可以更换？**
答：使用满三年，或者损坏无法修复时。

**问：忘记密码怎么办？** 答：在登录页点“忘记密码”。

**问：可以自带显示器吗？**

**答：** 可以，但需要登记。

问：它要钱吗？
答：不要。

## 会议室怎么预订？

提前一天在日历里预订。
"""


def test_what_a_document_asks_and_answers_itself_is_taken_as_it_stands() -> None:
    """But for what leans on the question before; and nothing else is asked about its lines."""
    asking = [load_bytes(FAQ_EN.encode(), source="en.md"), load_bytes(FAQ_ZH.encode(), source="zh.md")]
    made = draft_by_patterns(asking, count=60)
    assert {draft.question: draft.reference for draft in made} == {
        "How often can I replace my laptop?": "Every three years.",
        "Who approves travel?": "Your line manager.",
        "Is it possible to work abroad?": "For four weeks a year.",
        "How do I reset my password?": "Open the portal and follow the link.",
        "Where is the spare key?": "With the porter.",
        "When is payday?": "On the 25th.",
        "笔记本电脑多久可以更换？": "使用满三年，或者损坏无法修复时。",
        "忘记密码怎么办？": "在登录页点“忘记密码”。",
        "可以自带显示器吗？": "可以，但需要登记。",
        "会议室怎么预订？": "提前一天在日历里预订。",
    }
    page = (
        b"<h1>Library</h1><p><b>Q: How many books may I borrow?</b></p><p>A: Twelve.</p><p>What does a card cost?</p>"
    )
    html = load_bytes(page + b"<p>Five euros.</p>", source="a.html")
    assert [(d.question, d.reference) for d in draft_by_patterns([html])] == [
        ("How many books may I borrow?", "Twelve."), ("What does a card cost?", "Five euros."),
    ]  # fmt: skip
