"""Two documents that drafts are made of, Chinese and English."""

from __future__ import annotations

from chunking.loaders import load_bytes
from chunking.types import Document

ZH = """# 词法检索

BM25是一种按词频和逆文档频率打分的检索方法。它不需要训练。BM25对专有名词特别有效。参数k1的默认值为1.2，很少需要改动。

## 融合

倒数排名融合是把多个排名合成一个排名的方法。倒数排名融合只看名次，不看分数。因为两路检索的分数不可比，所以倒数排名融合只用名次。
它于2009年提出，至今常用。
"""
EN = """# Storage

Chroma is a database that stores vectors beside their text. Chroma runs inside the process. It was made for retrieval.

## Fusion

Reciprocal rank fusion is a method that merges several rankings. Reciprocal rank fusion is used to combine two searches.
This is simple. The constant defaults to 60 in most libraries. The constant rarely matters.
"""


def documents() -> list[Document]:
    return [load_bytes(ZH.encode(), source="zh.md"), load_bytes(EN.encode(), source="en.md")]
