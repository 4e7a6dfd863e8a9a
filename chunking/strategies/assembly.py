"""From spans to chunks: context, exact token counts and the cap, the same for every strategy."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from chunking.config import ChunkingConfig
from chunking.pieces import cut_pieces
from chunking.types import Block, Chunk, Document, TokenCounter, chunk_id
from chunking.units import INSIDE_CODE, INSIDE_WORD, REFERS_BACK, Unit, split_units, table_head


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]``; `forced` when one end lies inside a unit that alone exceeds the cap."""

    start: int
    end: int
    forced: bool = False


@dataclass(slots=True)
class Measured:
    """Units with their tokens. Counts reach to the next unit, so that their sum covers the text between them."""

    units: list[Unit]
    tokens: list[int]
    forced: list[bool]
    """Whether a cut right before the unit falls inside a sentence, row or line, or inside a code block."""
    extra: list[int]
    """Tokens of the table header that a chunk repeats when it begins with the unit."""

    def span(self, first: int, last: int) -> Span:
        """Units `first` to `last`, the last one not included."""
        cut = self.forced[first] or (last < len(self.units) and self.forced[last])
        return Span(self.units[first].start, self.units[last - 1].end, cut)


class Assembler:
    """Serves one document: measures its units, then finishes the spans that a strategy has chosen."""

    def __init__(
        self, document: Document, blocks: Sequence[Block], config: ChunkingConfig, count_tokens: TokenCounter
    ) -> None:
        self.document = document
        self.blocks = blocks
        self._config = config
        self._count = count_tokens
        self._starts = [block.start for block in blocks]
        self._heads: dict[int, tuple[str, int, int]] = {}
        self._contexts: dict[tuple[str, ...], tuple[str, int]] = {}
        self._antecedents: dict[int, tuple[str, int]] = {}
        self._measure_contexts()
        self.rooms = [config.max_tokens - self._contexts[block.heading_path][1] - 1 for block in blocks]
        """Tokens that text of each block may have beside its context; a repeated table header comes off it."""

    def measure(self) -> Measured:
        """Every unit counted once, in one batch. A unit above its budget is cut into pieces of at most the target."""
        text = self.document.text
        units = split_units(text, self.blocks)
        rows: list[tuple[Unit, int, bool, int]] = []
        rooms = self.rooms
        counts = self._count([text[unit.start : stop] for unit, stop in zip(units, self._stops(units), strict=True)])
        for unit, tokens in zip(units, counts, strict=True):
            _, _, block, kind, cost = unit
            extra = self._head_tokens(unit) if kind == "row" else 0
            budget = rooms[block] - extra
            in_code = cost >= INSIDE_CODE and kind == "line"
            if tokens <= budget or tokens <= 1:
                rows.append((unit, tokens, in_code, extra))
                continue
            limit = min(max(1, budget), self._config.target_tokens)
            for k, (start, end, count) in enumerate(cut_pieces(text, unit.start, unit.end, limit, self._count)):
                piece = Unit(start, end, unit.block, unit.kind, INSIDE_WORD if k else unit.cost)
                rows.append((piece, count, k > 0 or in_code, extra))
        measured = Measured(*map(list, zip(*rows, strict=True))) if rows else Measured([], [], [], [])
        self._find_antecedents(measured)
        return measured

    def follows(self, number: int) -> bool:
        """Whether only whitespace lies between a block and the one before it."""
        return not self.document.text[self.blocks[number - 1].end : self.blocks[number].start].strip()

    def smallest_budget(self) -> int:
        """The least that any chunk of the document may have beside its context."""
        heads = max((tokens for _, tokens, _ in self._heads.values()), default=0)
        contexts = max((tokens for _, tokens in self._contexts.values()), default=0)
        return max(1, self._config.max_tokens - contexts - heads - 1)

    def _head_tokens(self, row: Unit) -> int:
        _, tokens, head_end = self._heads.get(row.block, ("", 0, 0))
        return tokens if row.start >= head_end else 0

    def finish(self, spans: Sequence[Span]) -> list[Chunk]:
        """Chunks of the spans, in order. A span whose embedded text is above the cap after all is halved."""
        text = self.document.text
        cap = self._config.max_tokens
        waiting = [span for span in (_trim(text, each) for each in spans) if span.start < span.end]
        done: list[tuple[Span, str, tuple[str, ...], int]] = []
        while waiting:
            described = [self._describe(span) for span in waiting]
            counts = self._count([text[span.start : span.end] for span in waiting])
            # Only near the cap can the seam between context and text matter.
            close = [i for i, (_, _, tokens) in enumerate(described) if counts[i] + tokens >= 0.9 * cap]
            embedded = self._count(
                [f"{described[i][0]}\n{text[slice(waiting[i].start, waiting[i].end)]}".lstrip("\n") for i in close]
            )
            over = {i for i, tokens in zip(close, embedded, strict=True) if tokens > cap}
            halved: list[Span] = []
            for i, span in enumerate(waiting):
                if i in over and span.end - span.start > 1:
                    halved.extend(self._halve(span))
                else:
                    context, path, tokens = described[i]
                    sentence, more = self._antecedents.get(span.start, ("", 0))
                    if sentence and counts[i] + tokens + more + 2 < 0.9 * cap:
                        context = f"{context}\n{sentence}".lstrip("\n")
                    done.append((span, context, path, counts[i]))
            waiting = halved
        done.sort(key=lambda item: (item[0].start, item[0].end))
        return [self._chunk(*item) for item in done]

    def _chunk(self, span: Span, context: str, path: tuple[str, ...], tokens: int) -> Chunk:
        piece = self.document.text[span.start : span.end]
        return Chunk(
            id=chunk_id(self.document.id, span.start, span.end, piece),
            document_id=self.document.id,
            start=span.start,
            end=span.end,
            text=piece,
            tokens=tokens,
            heading_path=path,
            page=self.document.page_at(span.start),
            forced=span.forced,
            context=context,
        )

    def _block_at(self, offset: int) -> int:
        return max(0, bisect_right(self._starts, offset) - 1)

    def _describe(self, span: Span) -> tuple[str, tuple[str, ...], int]:
        """Context, heading path and the context's tokens."""
        first = self._block_at(span.start)
        inside = self.blocks[first : bisect_left(self._starts, span.end)]
        headings = [block for block in inside if block.kind == "heading"]
        content = [block.heading_path for block in inside if block.kind != "heading"]
        path = common_prefix(content or [block.heading_path for block in headings])
        shown = len(path)
        if headings:
            # A heading that the text itself shows is not said twice.
            own = {block.heading_path for block in headings if block.start >= span.start}
            shown = next((depth for depth in range(shown) if path[: depth + 1] in own), shown)
        context, tokens = self._contexts[path[:shown]]
        if not shown and path[:1] == (self.document.title,):
            context, tokens = "", 0
        if inside and inside[0].kind == "table" and first in self._heads:
            head, head_tokens, head_end = self._heads[first]
            if span.start >= head_end:
                context, tokens = f"{context}\n{head}".lstrip("\n"), tokens + head_tokens
        return context, path, tokens

    def _halve(self, span: Span) -> list[Span]:
        text = self.document.text
        inside = self.blocks[self._block_at(span.start) : bisect_left(self._starts, span.end)]
        units = split_units(text, [_clip(block, span) for block in inside if block.end > span.start])
        middle = (span.start + span.end) // 2
        # A heading does not end a chunk: what follows it is cut.
        places = [after.start for before, after in pairwise(units) if before.kind != "heading"]
        if places:
            cut = min(places, key=lambda place: (abs(place - middle), place))
            block = self.blocks[self._block_at(cut)]
            forced = span.forced or (block.kind == "code" and block.start < cut)
            return [_trim(text, Span(span.start, cut, forced)), _trim(text, Span(cut, span.end, forced))]
        low = units[-1].start if units else span.start
        pieces = cut_pieces(text, low, span.end, 1 << 30, self._count)
        cut = pieces[len(pieces) // 2][0] if len(pieces) > 1 else max(middle, (low + span.end) // 2)
        cut = min(max(cut, span.start + 1), span.end - 1)
        halves = [Span(span.start, cut, True), Span(cut, span.end, True)]
        return [half for half in (_trim(text, each) for each in halves) if half.start < half.end]

    def _stops(self, units: Sequence[Unit]) -> Iterator[int]:
        """Where each unit's count ends: at the next unit, unless something that is kept out lies between."""
        text = self.document.text
        for (_, end, block, _, _), (start, _, following, _, _) in pairwise(units):
            yield start if following == block or not text[end:start].strip() else end
        yield from (unit.end for unit in units[-1:])

    def _find_antecedents(self, measured: Measured) -> None:
        """The sentence before each sentence that points back, in the same section: context where a chunk parts them."""
        units, tokens = measured.units, measured.tokens
        for i, (*_, cost) in enumerate(units):
            if not (i and REFERS_BACK <= cost < INSIDE_CODE and units[i - 1].kind == "sentence"):
                continue
            unit, last = units[i], units[i - 1]
            same = self.blocks[last.block].heading_path == self.blocks[unit.block].heading_path
            adjacent = last.block == unit.block or self.follows(unit.block)
            if same and adjacent and tokens[i - 1] <= self._config.max_tokens // 4:
                self._antecedents[unit.start] = (self.document.text[last.start : last.end], tokens[i - 1])

    def _measure_contexts(self) -> None:
        """Context strings of every heading path that a chunk could have, within a third of the cap."""
        paths = {
            path[:depth] for path in {block.heading_path for block in self.blocks} for depth in range(len(path) + 1)
        }
        if not self._config.headings:
            self._contexts = dict.fromkeys(paths, ("", 0))
        else:
            limit = self._config.max_tokens // 3
            waiting = {path: context_names(self.document.title, path) for path in sorted(paths)}
            while waiting:
                strings = {path: " > ".join(names) for path, names in waiting.items()}
                counts = self._count(list(strings.values()))
                for (path, string), tokens in zip(strings.items(), counts, strict=True):
                    if tokens <= limit or not waiting[path]:
                        self._contexts[path] = (string, tokens if string else 0)
                        del waiting[path]
                    else:
                        # The innermost heading says most.
                        waiting[path] = waiting[path][1:]
        tables = [i for i, block in enumerate(self.blocks) if block.kind == "table"]
        text = self.document.text
        spans = [table_head(text, self.blocks[i]) for i in tables]
        heads = ["\n".join(line.strip() for line in text[a:b].split("\n")) for a, b in spans]
        for i, (_, end), head, tokens in zip(tables, spans, heads, self._count(heads), strict=True):
            if tokens + self._contexts[self.blocks[i].heading_path][1] <= self._config.max_tokens // 2:
                self._heads[i] = (head, tokens, end)


def common_prefix(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    shortest, longest = min(paths), max(paths)
    if shortest == longest:
        return shortest
    same = next((i for i, (a, b) in enumerate(zip(shortest, longest, strict=False)) if a != b), None)
    return shortest[: min(len(shortest), len(longest)) if same is None else same]


def context_names(title: str, path: tuple[str, ...]) -> list[str]:
    """Title and headings, outermost first, without repeats."""
    return list(dict.fromkeys(name for name in (title, *path) if name))


def _trim(text: str, span: Span) -> Span:
    """The span without outer whitespace; an empty one where there is nothing else."""
    if span.start < span.end and not (text[span.start].isspace() or text[span.end - 1].isspace()):
        return span
    piece = text[span.start : span.end].strip()
    start = text.index(piece[0], span.start) if piece else span.start
    return Span(start, start + len(piece), span.forced)


def _clip(block: Block, span: Span) -> Block:
    return Block(block.kind, max(block.start, span.start), min(block.end, span.end), block.heading_path, block.page)
