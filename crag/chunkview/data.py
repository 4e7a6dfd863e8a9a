"""What the page computes with: units, token counts, sections and similarities, measured once.

The page lays strategies and settings over these figures; it counts no token and embeds no sentence. Offsets are code
points.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from chunking.config import ChunkingConfig
from chunking.noise import kept_blocks
from chunking.pieces import cut_pieces, slices
from chunking.strategies.assembly import Assembler, Measured, context_names
from chunking.strategies.base import SentenceEmbedder
from chunking.strategies.breakpoints import DEFAULT_BOUNDS, gap_similarities, optimal
from chunking.strategies.sections import group_units
from chunking.strategies.tfidf import tfidf_vectors
from chunking.types import Chunk, Document, TokenCounter
from chunking.units import INSIDE_CODE, INSIDE_WORD, REFERS_BACK, table_head

LEAST_MAX = 128
"""The sliders' lowest cap and target, unless the settings that the page opens with are lower."""
LEAST_TARGET = 40
OPTIMAL_BOUNDS = tuple(round(0.2 * step, 1) for step in range(1, 16))
WINDOWS = (1, 2, 3, 4, 5)
_UNCUT = 1 << 30
_FIXED_SLICE = 64  # characters, as chunking.strategies.fixed measures


def view_data(
    document: Document,
    config: ChunkingConfig,
    chunks: Sequence[Chunk],
    count_tokens: TokenCounter,
    embed: SentenceEmbedder,
) -> dict[str, Any]:
    """`chunks` are what the configuration itself gives; the page opens with them."""
    blocks = kept_blocks(document, config)
    uncut = config.model_copy(update={"max_tokens": _UNCUT})
    assembler = Assembler(document, blocks, uncut, count_tokens)
    measured = assembler.measure()
    paths = sorted({block.heading_path[:d] for block in blocks for d in range(len(block.heading_path) + 1)})
    number = {path: i for i, path in enumerate(paths)}
    least = min(LEAST_MAX, config.max_tokens)
    target = min(LEAST_TARGET, config.target_tokens)
    return {
        "title": document.title,
        "source": document.source,
        "text": document.text,
        "config": config.model_dump(mode="json"),
        "least": {"max": least, "target": target},
        "costs": {"code": INSIDE_CODE, "back": REFERS_BACK, "word": INSIDE_WORD},
        "bounds": DEFAULT_BOUNDS,
        "paths": paths,
        "contexts": _contexts(document, paths, config, count_tokens),
        "blocks": [
            [b.kind, b.start, b.end, number[b.heading_path], bool(i and assembler.follows(i))]
            for i, b in enumerate(blocks)
        ],
        "heads": _heads(document, assembler, count_tokens),
        "units": [
            [u.start, u.end, u.block, u.kind, u.cost, tokens]
            for u, tokens in zip(measured.units, measured.tokens, strict=True)
        ],
        "pieces": _pieces(document.text, measured, least - least // 2 - 1, min(target, least // 2), count_tokens),
        "regions": _regions(document.text, assembler, count_tokens),
        "gaps": _gaps(document, config, count_tokens, embed),
        "pages": document.page_starts,
        "chunks": [
            [c.start, c.end, c.tokens, c.forced, list(c.heading_path), c.context, c.parent_id or ""] for c in chunks
        ],
    }


def _contexts(
    document: Document, paths: Sequence[tuple[str, ...]], config: ChunkingConfig, count_tokens: TokenCounter
) -> list[list[int]]:
    """For each path the tokens of its context, then without the outermost name, without two, ..."""
    if not config.headings:
        return [[0] for _ in paths]
    names = [context_names(document.title, path) for path in paths]
    strings = [" > ".join(each[first:]) for each in names for first in range(len(each))]
    counts = iter(count_tokens(strings))
    return [[*(next(counts) for _ in each), 0] for each in names]


def _heads(document: Document, assembler: Assembler, count_tokens: TokenCounter) -> list[list[int]]:
    """(block, tokens, end) of each table's header."""
    tables = [i for i, block in enumerate(assembler.blocks) if block.kind == "table"]
    spans = [table_head(document.text, assembler.blocks[i]) for i in tables]
    heads = ["\n".join(line.strip() for line in document.text[a:b].split("\n")) for a, b in spans]
    return [[i, tokens, end] for i, tokens, (_, end) in zip(tables, count_tokens(heads), spans, strict=True)]


def _pieces(
    text: str, measured: Measured, budget: int, limit: int, count_tokens: TokenCounter
) -> dict[int, list[list[Any]]]:
    """For each unit that some setting cuts: (start, end, tokens, the pieces that this one falls into when it is over
    the limit).
    """

    def grown(pieces: Sequence[tuple[int, int, int]]) -> list[list[Any]]:
        found: list[list[Any]] = []
        for start, end, tokens in pieces:
            finer = cut_pieces(text, start, end, tokens - 1, count_tokens) if tokens > limit else []
            found.append([start, end, tokens, grown(finer) if len(finer) > 1 else []])
        return found

    return {
        i: grown(cut_pieces(text, unit.start, unit.end, _UNCUT, count_tokens))
        for i, (unit, tokens) in enumerate(zip(measured.units, measured.tokens, strict=True))
        if tokens > budget
    }


def _regions(text: str, assembler: Assembler, count_tokens: TokenCounter) -> list[list[list[int]]]:
    """(offsets, tokens before each) of the slices of each stretch without anything kept out: what `fixed` cuts."""
    spans: list[tuple[int, int]] = []
    for i, block in enumerate(assembler.blocks):
        joined = i and assembler.follows(i)
        spans[len(spans) - bool(joined) :] = [(spans[-1][0] if joined else block.start, block.end)]
    regions = []
    for start, end in spans:
        pieces = slices(text, start, end, _FIXED_SLICE)
        counts = count_tokens([text[a:b] for a, b in pieces])
        regions.append([[start, *(b for _, b in pieces)], [0, *accumulate(counts)]])
    return regions


def _gaps(
    document: Document, config: ChunkingConfig, count_tokens: TokenCounter, embed: SentenceEmbedder
) -> dict[str, Any]:
    """Similarities across the gaps between the atoms of each section, by the offset that follows the gap."""
    assembler = Assembler(document, kept_blocks(document, config), config, count_tokens)
    measured = assembler.measure()
    groups = group_units(assembler, measured, target=config.target_tokens, coalesce=False)
    atoms = [[(measured.units[a].start, measured.units[b - 1].end) for a, b in group.ranges] for group in groups]
    texts = [[document.text[a:b] for a, b in each] for each in atoms]
    if config.signal == "tfidf":
        vectors = [tfidf_vectors(each) for each in texts]
    else:
        together = embed([text for each in texts for text in each])
        ends = list(accumulate(map(len, texts)))
        vectors = [together[end - len(each) : end] for end, each in zip(ends, texts, strict=True)]
    bounds = list(OPTIMAL_BOUNDS)
    if config.breakpoint == "optimal" and config.threshold is not None and config.threshold not in bounds:
        bounds = sorted([*bounds, config.threshold])
    return {
        "starts": [start for each in atoms for start, _ in each[1:]],
        "similarities": [
            [float(value) for each in vectors for value in gap_similarities(each, window)] for window in WINDOWS
        ],
        "optimal": {
            "bounds": bounds,
            "cuts": [
                [each[cut + 1][0] for each, found in zip(atoms, vectors, strict=True) for cut in optimal(found, bound)]
                for bound in bounds
            ],
        },
    }
