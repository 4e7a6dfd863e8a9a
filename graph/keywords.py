"""A question's own words."""

from __future__ import annotations

import re

from graph.language import STOPWORDS

# Chinese is written without spaces: what is left between these words is searched for as it stands.
_QUESTION_WORDS = re.compile(
    r"请问|請問|请|告诉我|介绍一下|说明一下|我想知道|你知道|是什么(?:意思)?|是什麼|什么是|什麼是|什么|什麼|为什么|為什麼|为何|為何"
    r"|怎么样|怎么|怎麼|怎样|怎樣|如何|多少|哪些|哪个|哪個|哪里|哪裡|哪一|哪|谁|誰|是否|能否|可以|有没有|[吗嗎呢吧的了]"
)
WORDS = re.compile(r"[\u3400-\u9fff]+|[^\W_][\w.+#\-]*[\w+#]|[^\W_]")


def keywords(question: str) -> list[str]:
    """A question's words in order, as written, once each; question words and politeness are gone."""
    pieces = WORDS.findall(_QUESTION_WORDS.sub(" ", question))
    return list(dict.fromkeys(piece for piece in pieces if piece.lower() not in STOPWORDS))
