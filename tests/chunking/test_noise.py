"""Noise is named and kept out; everything that looks like it but is text stays."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from chunking.config import ChunkingConfig
from chunking.loaders import load_bytes
from chunking.strategies import STRATEGIES, build_chunker
from chunking.strategies.tfidf import tfidf_vectors
from tests.fakes.boundaries import EveryThird


def _count(texts: Sequence[str]) -> list[int]:
    return [len(text) for text in texts]


LINKS = "\n".join(f"- [Page number {i}](page{i}.md)" for i in range(6))
REFERENCES = "\n".join(f"[{i}] A. Author. A title. Journal, 20{i:02}." for i in range(10, 16))

NOISE = [
    ("copyright line", "Copyright © 2024 Example Ltd. All rights reserved."),
    ("copyright line", "© 2023 某某公司"),
    ("copyright line", "版权所有 某某公司，未经许可不得转载。"),
    ("reference list", f"## References\n\n{REFERENCES}"),
    ("reference list", f"## 参考文献\n\n{REFERENCES}"),
    ("reference list", f"## 5. References\n\n{REFERENCES}"),
    ("link list", LINKS),
    ("copyright line", "Copyright 2019-2024 The Example Authors and contributors"),
    ("copyright line", "著作权归作者所有。商业转载请联系作者获得授权，非商业转载请注明出处。"),
    ("reference list", "## References\n\nSmith, J. (2019). A title. Some Journal.\n\nhttps://example.org/paper"),
    ("table of contents", "## Contents\n\n- [Setup](#setup)\n- [Usage](#usage)\n- [Limits](#limits)"),
    ("table of contents", "## 目录\n\n- Title\n- Next"),
    ("table of contents", "## Contents\n\nSetup ........ 3\nUsage ........ 12\nLimits ....... 40"),
    ("table of contents", "1.1 Setup ........ 3\n1.2 Usage ........ 12\n2 Limits ....... 40"),
    ("navigation", "Skip to main content"),
    ("badges", "[![Build](https://x/y.svg)](https://x) ![Cov](https://img.shields.io/z.svg)"),
    ("navigation", "Jump to navigation Jump to search"),
    ("navigation", "返回顶部"),
    ("comment", "<!-- a licence header\nof two lines -->"),
    ("comment", "<!-- one --> <!-- two -->"),
    ("import lines", "import ChangeLog from '../changelog/x.md';"),
]

TEXT = [
    "Copyright law protects authors, and this section explains how.",
    "## References\n\nA reference in the language is an alias of an object. It never owns what it names.",
    "- [One](a.md) explains how the index is built and why it is kept apart from the store.\n- [Two](b.md)",
    "See [one](a.md), [two](b.md), [three](c.md) and [four](d.md) before you configure the service for production use, "
    "because the order of these steps decides which of the settings take effect at all and which are ignored.",
    "import lines are explained here from the start.",
    "- [x] [batch](a.md)\n- [ ] [stream](b.md)\n" + LINKS,
    "![The architecture](../images/architecture.png)",
    "## Contents\n\nThe contents of the package are listed by the command.",
    "著作权归作者所有，但法律另有规定的除外。",
    "版权所有者应当在三十日内提出书面异议。",
    "Copyright law was reformed in 1976 in the United States.",
    "© 符号只表示权利声明，不是登记的条件。",
    "(c) 2019 revenue was 3 million, less than planned.",
    "跳转至支付页面，完成付款。",
    "Skip to step 4 if you already have an account",
    "## Reference\n\nThe base address is https://api.example.com/v1 limit 100.\n\n1. Get a key.\n2. Send it.",
    "## References\n\nThe code 429 has been returned since 2019 when the limit is exceeded.",
    "<!-- begin --> The admin password expires after 90 days. <!-- end -->",
    "Espresso ............ 25\nLatte ............... 32\nMocha ............... 35",
    "## Contents\n\n- One power adapter of 65 W\n- Two cables of one metre",
    "## 目录\n\n- /etc/app 存放配置文件\n- /var/log/app 存放日志文件",
]


@pytest.mark.parametrize(("reason", "noise"), NOISE)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_noise_is_left_out_and_named(reason: str, noise: str, strategy: str) -> None:
    text = f"# Title\n\nFirst words of the text.\n\n{noise}\n\n# Next\n\nLast words of the text."
    document = load_bytes(text.encode(), source="a.md")
    assert document.notes == (f"kept out of the index unless chunking.keep_noise is set: {reason}",)
    sizes = {"strategy": strategy, "target_tokens": 400, "max_tokens": 480, "min_tokens": 100}
    chunks = build_chunker(ChunkingConfig.model_validate(sizes), _count, tfidf_vectors, EveryThird()).chunk(document)
    indexed = "\n\n".join(chunk.text for chunk in chunks)
    assert indexed == "# Title\n\nFirst words of the text.\n\n# Next\n\nLast words of the text."
    config = ChunkingConfig.model_validate({**sizes, "keep_noise": True})
    kept = build_chunker(config, _count, tfidf_vectors, EveryThird()).chunk(document)
    assert "".join("".join(chunk.text for chunk in kept).split()) == "".join(text.split())


@pytest.mark.parametrize("own", TEXT)
def test_text_is_no_noise(own: str) -> None:
    text = f"# Title\n\nFirst words.\n\n{own}\n\n# Next\n\nLast words."
    assert load_bytes(text.encode(), source="a.md").notes == ()


@pytest.mark.parametrize(
    "last", ["The hotline is 555-1234 around the clock", "Final answer: 42", "客服热线全天二十四小时开通"]
)
def test_a_last_heading_that_says_something_is_indexed(last: str) -> None:
    document = load_bytes(f"# FAQ\n\nSome text.\n\n## {last}".encode(), source="a.md")
    assert document.notes == ()
    assert last in build_chunker(ChunkingConfig(), _count).chunk(document)[-1].text
    empty = load_bytes(b"# FAQ\n\nSome text.\n\n## Changelog", source="a.md")
    assert empty.notes[0].endswith("heading without content")


def test_a_file_of_nothing_but_noise_is_indexed() -> None:
    document = load_bytes(f"# Links\n\n{LINKS}".encode(), source="a.md")
    assert document.notes == ()
    assert build_chunker(ChunkingConfig(), _count).chunk(document)


def test_no_chunk_reaches_over_noise() -> None:
    text = "# Title\n\nShort.\n\n<!-- hidden -->\n\nAlso short."
    chunks = build_chunker(ChunkingConfig(), _count).chunk(load_bytes(text.encode(), source="a.md"))
    assert [chunk.text for chunk in chunks] == ["# Title\n\nShort.", "Also short."]
    assert chunks[1].context == "Title"
