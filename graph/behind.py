"""Sentences of a passage that complete another, which repeats the question, reports or proposes: they tell the rest.

"CardLink moves to TLS 1.3. Confirmed for 1 June 2025." answers when; the first of the two is all that is like the
question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from graph.exchanges import is_question
from graph.fields import is_field, tells
from graph.language import has_han
from graph.lists import LIST_ITEM, announces
from graph.members import asks_yes_or_no
from graph.outcomes import concludes
from graph.phrases import has_phrase, phrases
from graph.questions import Expected, asks_when
from graph.support import content_words, known_words

REPEATS = 0.5
"""Share of a sentence's words that a question has which it only repeats."""
KNOWN = 0.8
"""Of what is expected of an answer, what the sentence behind must have."""
_DECIDED_WITHIN = 3
"""Sentences behind a proposal in which what was decided about it is looked for."""
_CHAIN = 4
"""Clauses of one sentence that are told with one of them, in either direction."""

_LEANS = re.compile(
    r"\s*(?:拒不|[逾過过]期|情[节節]|造成|[构構]成|其中|但|否[则則]|同[时時]|[并並]|[仍还還]|[^，。；,;]{1,24}的[，,]"
    r"|(?:but|if|in case|otherwise|and|or|which|provided|except|unless|below|above|after|from)\b)",
    re.IGNORECASE,
)
"""A clause behind a semicolon that goes on about the same thing, and is no next member of a list."""
_PROPOSES = re.compile(
    r"\b(?:propos\w+|suggest\w*|request\w*|recommend\w*|wants? to|wanted to|asked (?:to|for|whether))\b"
    r"|建[议議]|提[议議出]|申[请請]|要求|主[张張]",
    re.IGNORECASE,
)
_ASKS_WORDS = re.compile(
    r"\bwhat\b.*\b(?:sa(?:id|ys?)|wr(?:ote|ites?|itten)|reads?|repl(?:y|ied)|answer(?:ed)?|shout(?:ed)?|whisper(?:ed)?|text)\b"
    r"|(?:[写寫][了着著]?|[说說][了过過]?|回答[了道]?|[内內]容是)(?:[的得]?是)?(?:什[么麼]|啥)|怎[么麼](?:[说說写寫]|回答)",
    re.IGNORECASE,
)
_QUOTE = re.compile(r"[\"“”「」『』]")
_OPENS_QUOTE = re.compile(r"\s*[\"“「『]")
_QUOTED_WITHIN = 4
"""Sentences of a quotation that are told."""
_NAME = re.compile(r"(?<=\S )[A-Z][\w.-]*\w|(?<=[\u3400-\u9fff])[A-Za-z][\w.-]*\w")
_ENDS_CLAUSE = (";", "；")


def told_with(question: str, sentences: Sequence[str], gaps: Sequence[str], index: int) -> list[int]:
    """Indices of the sentences that have to be told with one of them, in order.

    `gaps` holds what stands in the text before each sentence, since the one before it.
    """
    text = sentences[index]
    if text.startswith("|"):
        return []
    found = {*_clauses(sentences, gaps, index)}
    if (head := head_of(sentences, gaps, index)) is not None:
        found.add(head)
    found |= _fields(question, sentences, gaps, index) | _quotation(question, sentences, gaps, index)
    for behind in range(index + 1, len(sentences)):
        item = LIST_ITEM.match(text) is not None and all(
            _of_item(sentences, gaps, i) for i in range(index + 1, behind + 1)
        )
        if not (_near(sentences, gaps, behind) and (item or behind == index + 1)):
            break
        if _tells_the_rest(question, text, sentences[behind], item=item):
            found.add(behind)
            break
    return sorted(found | _decided(question, sentences, gaps, index))


def head_of(sentences: Sequence[str], gaps: Sequence[str], index: int) -> int | None:
    """The item whose "Owner: Ada Byron." a field is. None for a field of the document."""
    if not _is_field(sentences[index]):
        return None
    first = index
    while first and _of_item(sentences, gaps, first):
        first -= 1
    return first if first < index and LIST_ITEM.match(sentences[first]) else None


def _of_item(sentences: Sequence[str], gaps: Sequence[str], index: int) -> bool:
    """Whether a sentence goes on with the item or the line before it."""
    gap = gaps[index]
    if gap.strip() or gap.count("\n") > 1 or LIST_ITEM.match(sentences[index]):
        return False
    return "\n" not in gap or gap.endswith((" ", "\t")) or _is_field(sentences[index])


def _fields(question: str, sentences: Sequence[str], gaps: Sequence[str], index: int) -> set[int]:
    """Those behind an item that tell what is asked of it."""
    found = set[int]()
    if _is_field(sentences[index]) and LIST_ITEM.match(sentences[index]) is None:
        return found
    for i in range(index + 1, len(sentences)):
        if not _of_item(sentences, gaps, i):
            break
        if _is_field(sentences[i]) and head_of(sentences, gaps, i) == index and tells(question, sentences[i]):
            found.add(i)
    return found


def _is_field(sentence: str) -> bool:
    return is_field(sentence) and not announces(sentence)


def _clauses(sentences: Sequence[str], gaps: Sequence[str], index: int) -> list[int]:
    """The clauses of its sentence that go on about the same thing."""
    first = last = index
    while first and index - first < _CHAIN and _goes_on(sentences, gaps, first):
        first -= 1
    while last + 1 < len(sentences) and last - index < _CHAIN and _goes_on(sentences, gaps, last + 1):
        last += 1
    return [i for i in range(first, last + 1) if i != index]


def _goes_on(sentences: Sequence[str], gaps: Sequence[str], index: int) -> bool:
    parted = "\n" in gaps[index] or gaps[index].strip()
    return (
        not parted
        and sentences[index - 1].rstrip().endswith(_ENDS_CLAUSE)
        and _LEANS.match(sentences[index]) is not None
    )


def _near(sentences: Sequence[str], gaps: Sequence[str], index: int) -> bool:
    """Whether a sentence stands in the paragraph or the item of the one before it."""
    if index >= len(sentences) or gaps[index].strip() or gaps[index].count("\n") > 1:
        return False
    text = sentences[index]
    return not (text.startswith("|") or LIST_ITEM.match(text) or is_question(text))


def _tells_the_rest(question: str, text: str, behind: str, *, item: bool) -> bool:
    """`item`: both are of one item, which is about one thing in fewer of the question's words."""
    if is_question(text):
        return False
    asked, own, expected = known_words(question), content_words(text), _expected(question)
    repeats = len(own & asked) >= (0.0 if item else REPEATS) * len(own) and bool(own & asked)
    if expected and repeats and expected.share(text) == 0.0 and expected.share(behind) >= KNOWN:
        return True
    # 供暖费按面积收取，每平方米6.8元。企业应于12月5日前缴清。
    about = has_han(text) and (
        len(own & asked) >= REPEATS * len(asked) or any(has_phrase(text, each) for each in phrases(question))
    )
    if about and asks_when(question) and expected.share(text) == 0.0 and expected.share(behind) >= KNOWN:
        return True
    if any(_says(behind, name) and not _says(text, name) for name in _NAME.findall(question)):
        return True
    # "Does it run on phones?" "New: split view on tablets. Phones will follow."
    return asks_yes_or_no(question) and bool((asked - own) & content_words(behind)) and len(behind) < len(text)


# A question is asked of all sentences.
_expected = lru_cache(maxsize=256)(Expected)


def _says(text: str, name: str) -> bool:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", text) is not None


def _quotation(question: str, sentences: Sequence[str], gaps: Sequence[str], index: int) -> set[int]:
    """The words that are quoted right behind a sentence, up to their end, where it is asked what was said or written:
    the sentence tells only where or by whom."""
    if not _ASKS_WORDS.search(question):
        return set()
    found, is_open = set[int](), _leaves_open(sentences[index])
    for i in range(index + 1, min(index + 1 + _QUOTED_WITHIN, len(sentences))):
        if not (_near(sentences, gaps, i) and (is_open or _OPENS_QUOTE.match(sentences[i]))):
            break
        found.add(i)
        is_open ^= _leaves_open(sentences[i])
    return found


def _leaves_open(sentence: str) -> bool:
    """Whether a quotation begins in a sentence and does not end, or the reverse."""
    return len(_QUOTE.findall(sentence)) % 2 == 1


def _decided(question: str, sentences: Sequence[str], gaps: Sequence[str], index: int) -> set[int]:
    """What follows a proposal up to what was decided about it, unless it is asked who proposed or what."""
    if _PROPOSES.search(question) or not _PROPOSES.search(sentences[index]):
        return set()
    for i in range(index + 1, min(index + 1 + _DECIDED_WITHIN, len(sentences))):
        if not _near(sentences, gaps, i):
            break
        if concludes(sentences[i]):
            return set(range(index + 1, i + 1))
    return set()
