"""Sentence ends beside pysbd and a regular expression of the kind that untrained splitters use.

A fixture counts as right when every one of its sentences is; boundaries are counted over all fixtures. Times take
turns on the same text. The fixtures were written for this splitter: the others' figures say what they do on these
cases, which are hard on purpose, not on running text.
"""

from __future__ import annotations

import re
import statistics
import time
import warnings
from collections.abc import Callable

from chunking.sentences import split_sentences
from tests.chunking.test_sentences import CHINESE, ENGLISH, MIXED

Splitter = Callable[[str], list[str]]
_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])|(?<=[。！？；])(?![”’」』）])")
_REPEATS = 40
_ROUNDS = 3


def main() -> None:
    splitters: dict[str, dict[str, Splitter]] = {
        "this splitter": dict.fromkeys(("en", "zh"), lambda text: [text[a:b] for a, b in split_sentences(text)]),
        "regular expression": dict.fromkeys(("en", "zh"), lambda text: [part.strip() for part in _END.split(text)]),
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import pysbd

            splitters["pysbd"] = {lang: pysbd.Segmenter(language=lang, clean=False).segment for lang in ("en", "zh")}
    except ImportError:
        print("pysbd is not installed: left out")
    print(f"{'':20}{'fixtures right':>24}{'boundary F1':>14}{'MB/s':>8}")
    for name, splitter in splitters.items():
        print(f"{name:20}", end="")
        report(splitter)


def report(splitter: dict[str, Splitter]) -> None:
    right, total, hits, found, expected = [], 0, 0, 0, 0
    for lang, block in (("en", ENGLISH), ("zh", CHINESE), ("zh", MIXED)):
        fixtures = block.strip().splitlines()
        own = 0
        for marked in fixtures:
            text = marked.replace("‖", "")
            wanted = _ends(text, [part.strip() for part in marked.split("‖")])
            got = _ends(text, [part.strip() for part in splitter[lang](text)])
            own += wanted == got
            hits, found, expected = hits + len(wanted & got), found + len(got), expected + len(wanted)
        right.append(f"{own}/{len(fixtures)}")
        total += len(fixtures)
    text = "\n\n".join(line.replace("‖", "") for line in ENGLISH.strip().splitlines() * _REPEATS)
    seconds = []
    for _ in range(_ROUNDS):
        started = time.process_time()
        splitter["en"](text)
        seconds.append(time.process_time() - started)
    speed = len(text.encode()) / 1e6 / statistics.median(seconds)
    print(f"{' '.join(right):>24}{2 * hits / (found + expected):14.3f}{speed:8.2f}   (en, zh, mixed of {total})")


def _ends(text: str, sentences: list[str]) -> frozenset[int]:
    """Where sentences end, counted in characters that are no whitespace."""
    ends, at = set(), 0
    for sentence in filter(None, sentences):
        at += len("".join(sentence.split()))
        ends.add(at)
    return frozenset(ends)
