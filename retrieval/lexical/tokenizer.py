"""Text to index terms, the same for passages and questions. Linear in the text.

- Full-width forms are folded (NFKC), traditional characters become simplified ones, Latin accents are dropped.
- Chinese runs give the words that jieba cuts, and the character bigrams between stop words, so that a word the
  dictionary lacks still matches. A word of two characters is its bigram and counts once.
- Latin words are lower-cased and lose an English plural (Harman's S stemmer, JASIS 1991).
- Identifiers count whole and in parts: ``BGE-M3`` gives bge-m3, bge, m3; ``maxRetries`` gives maxretries, max, retries.
- Versions meet however they are written: ``v2.0.1``, ``2.0.1-beta`` and ``app-2.0.1.jar`` all give 2.0.1, and 2.0 and
  v2 for who names less of it; ``JDK1.8`` gives jdk and 1.8.
- Stop words, the question words among them, are left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

TOKENIZER_VERSION = "zh-en-3"
"""Part of an index's fingerprint: change it whenever `tokenize` changes its output."""

HAN = "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
_RUNS = re.compile(rf"([{HAN}]+)|[^\W_{HAN}]+(?:(?:[._-]|(?<=[0-9]),(?=[0-9]{{3}}(?![0-9])))[^\W_{HAN}]+)*[+#]*")
_CHINESE = re.compile(f"[{HAN}]")
# Longer numbers are those of addresses, not of releases.
_VERSION = re.compile(r"(?<![^\W\d_])([^\W\d_]*)(?<![0-9])(?<![0-9]\.)([0-9]{1,4}(?:\.[0-9]{1,4})+)(?![0-9]|\.[0-9])")
_V = re.compile(r"\A[vV](?=[0-9]+\.[0-9])")
_PARTS = re.compile(r"[._+#-]+|(?<=[a-z0-9])(?=[A-Z])")

_ASKING = re.compile(
    r"\bhow (?:long|many|much|often|far|old|tall|big|large|high|fast|deep|wide|soon)\b"
    r"|\b(?:what|which) (?:(?:kind|type|sort)s? of|year|date|day|month|time|century)\b",
    re.IGNORECASE,
)

_HOW_MANY = re.compile("几[^何乎率许度]")
"""几天, 几次: asking, which passages are not asked to say."""

_STOP_WORDS = """
a about an and are as at be been being but by can could did do does for from had has have he her his how i if in into is
it its me my of on or our she should so such than that the their them then there these they this those to was we were
what when where which who whom whose why will with would you your s t
的 了 和 是 在 有 与 及 或 也 都 就 而 把 被 对 于 吗 呢 吧 啊 呀 着 地 得 这 那 个 中 之 其 等 以 为 所 会 由 从 到 将
并 但 什么样 多长 多久 多大 多高 多远 多深 多重 哪年 几年 有没有 是不是
什么 哪 哪些 哪个 哪里 哪儿 哪一 谁 几 多少 如何 怎么 怎样 为什么 为何 何 何时 是否 请问
"""
_STOPS = frozenset(_STOP_WORDS.split())


def tokenize(text: str) -> list[str]:
    """Index terms in text order, repeats kept."""
    return list(_terms(text, _words_and_bigrams, indexed=True))


def words(text: str) -> set[str]:
    """What a question asks about: its index terms that are words, without the bigrams across them and the asking.

    Where it has none, characters that the dictionary knows in no word.
    """
    asked = _ASKING.sub(" ", text)
    return set(_terms(asked, _words, indexed=False)) or set(_terms(asked, _unknown_words, indexed=False))


def comparable(question: str, text: str) -> bool:
    """Whether words can meet: not where one is Chinese and the other has (almost) no Chinese in it."""
    return bool(_CHINESE.search(question)) == (len(_CHINESE.findall(text)) > len(text) / 10)


def _terms(text: str, chinese: Callable[[list[str]], Iterable[str]], *, indexed: bool) -> Iterator[str]:
    for match in _RUNS.finditer(unicodedata.normalize("NFKC", text)):
        yield from chinese(_cut(match.group())) if match.group(1) else _latin(match.group(), indexed)


def _cut(run: str) -> list[str]:
    import rjieba

    return list(rjieba.cut(simplified(run)))


def simplified(text: str) -> str:
    """The text with traditional characters as simplified ones, one for one."""
    return text.translate(_simplified())


def _words(cut: list[str]) -> list[str]:
    # A single character is mostly a verb or a measure word of the question itself.
    return [word for word in cut if len(word) > 1 and word not in _STOPS and not _HOW_MANY.fullmatch(word)]


def _unknown_words(cut: list[str]) -> list[str]:
    """Single characters in a row, two at a time: 年假, which the dictionary lacks."""
    runs = "".join(word if len(word) == 1 and word not in _STOPS else " " for word in cut).split()
    return [run[i : i + 2] for run in runs for i in range(len(run) - 1)]


def _words_and_bigrams(cut: list[str]) -> list[str]:
    terms: list[str] = []
    span = ""
    for word in [*cut, ""]:
        if not word or word in _STOPS:
            terms += [span[i : i + 2] for i in range(len(span) - 1)]
            span = ""
        else:
            span += word
            if len(word) != 2:
                terms.append(word)
    return terms


@lru_cache(maxsize=1 << 16)
def _latin(run: str, indexed: bool) -> tuple[str, ...]:
    if not run.isascii():
        run = "".join(c for c in unicodedata.normalize("NFKD", run) if not unicodedata.combining(c))
    run = run.replace(",", "")
    name = _V.sub("", run)
    terms: list[str] = []
    if indexed or not _VERSION.fullmatch(name):
        terms.append(name)
        parts = [part for part in _PARTS.split(run) if part]
        if len(parts) > 1:
            # A lone digit of a version or a date says nothing by itself.
            terms += [part for part in parts if len(part) > 1 or part.isalpha()]
    found = [_singular(term.lower()) for term in terms if term.lower() not in _STOPS]
    return (*found, *(term for term in dict.fromkeys(_versions(name.lower(), indexed)) if term not in found))


def _versions(run: str, indexed: bool) -> Iterator[str]:
    """The numbers of versions, the names that are written against them, and with `indexed` what may stand for them."""
    for name, number in _VERSION.findall(run):
        if name not in ("", "v", *_STOPS):
            yield _singular(name)
        yield number
        major, minor, *rest = number.split(".")
        if indexed and rest:
            yield from (f"{major}.{minor}", f"v{major}")


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word if word.endswith(("eies", "aies")) else f"{word[:-3]}y"
    return word if word.endswith(("us", "ss", "is", "aes", "ees", "oes")) else word[:-1]


@cache
def _simplified() -> dict[int, str]:
    """OpenCC's traditional to simplified, character by character: enough for two spellings to meet."""
    import opencc

    characters = [chr(point) for first, last in ((0x3400, 0xA000), (0x20000, 0x2A6E0)) for point in range(first, last)]
    simplified = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    return {ord(old): new for old, new in zip(characters, simplified, strict=True) if old != new}
