"""The chunk view: one self-contained page that shows how a document is cut and cuts it anew as settings change.

    chunk_view(document, config, count_tokens, embed) -> str

`data` measures, `strategies.js` cuts (held to `chunking.strategies` by a test in Chromium), `view.js` shows.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from pathlib import Path

from chunking.config import ChunkingConfig
from chunking.strategies.base import SentenceEmbedder
from chunking.types import Document, TokenCounter

_ROOM = Path(__file__).parent
_SCRIPTS = ("strategies.js", "words.js", "plot.js", "view.js")


def chunk_view(document: Document, config: ChunkingConfig, count_tokens: TokenCounter, embed: SentenceEmbedder) -> str:
    """The page as HTML that needs no network. It opens with the chunks of `config`.

    `embed` gives unit vectors, as for `chunking.strategies.build_chunker`. The document's text travels as JSON in which
    no tag can end, and reaches the page as text only.
    """
    from chunking.strategies import build_chunker
    from crag.chunkview.data import view_data

    chunks = build_chunker(config, count_tokens, embed).chunk(document)
    data = view_data(document, config, chunks, count_tokens, embed)
    script, style, page = _parts()
    parts = {
        "POLICY": html.escape(policy()),
        "TITLE": html.escape(document.title or document.source),
        "STYLE": style,
        "DATA": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        "SCRIPT": script,
    }
    # One pass over the template: what a document says is never looked through for places.
    pieces = page.split("@@")
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


@cache
def policy() -> str:
    """Content security policy of the page: its own script and style by hash, and nothing from anywhere else."""
    script, style, _ = _parts()
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


@cache
def _parts() -> tuple[str, str, str]:
    """Script, style and template."""
    script = "".join((_ROOM / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    style, page = ((_ROOM / name).read_text(encoding="utf-8") for name in ("style.css", "page.html"))
    return f'"use strict";\n{script}', style, page


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
