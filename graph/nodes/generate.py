"""Write the answer; each sentence passes the gate before the reader sees it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from dataclasses import replace

from chunking.errors import CragError, ProviderError
from graph.crosslingual import alike
from graph.gate import Gate
from graph.llms.base import Generator, LengthError, Request, Rest
from graph.llms.extractive import ExtractiveGenerator
from graph.neutral import visible
from graph.nodes.base import Node, Result, Run, degraded
from graph.questions import spelt_out
from graph.state import State
from graph.types import TextDelta, Usage


async def generate(state: State, run: Run) -> Result:
    request = Request(
        question=state["question"],
        standalone=state["standalone"],
        language=state["language"],
        sources=state["sources"],
        config=run.generation,
        history=state["history"],
        missing=_missing(state),
        text_of=run.deps.retriever.text,
    )
    generator, usage, update = run.deps.generator, list[Usage](), State(incomplete=False)
    # What is quoted needs no comparison.
    compare = alike(run.deps.embedder) if generator.prompt(request) else None
    gate = Gate(request.sources, request.standalone, request.language, compare)
    # One more reserve than the guard around the node leaves: the quotes below are written inside it.
    limit = max(0.0, min(run.generation.timeout, run.remaining(reserves=2)))
    try:
        async with asyncio.timeout(limit):
            await _within_budget(generator, request, gate, run, usage)
    except (CragError, TimeoutError) as raised:
        error = raised if isinstance(raised, CragError) else _late(generator, limit)
        if gate.text:
            # What the reader has seen stays; the sentence in the making is dropped.
            action = "The answer ends where the model stopped."
            update = {"incomplete": True, "degraded": degraded("generate", error, action)}
        else:
            generator, gate = ExtractiveGenerator(), Gate(request.sources, request.standalone, request.language)
            await _write(generator, request, gate, run, usage)
            action = "The answer quotes the passages."
            update = {"incomplete": False, "degraded": degraded("generate", error, action)}
    _show(gate.read_as(state.get("read_as", "")), run)
    update = {
        **update,
        "text": gate.text,
        "citations": gate.citations,
        "dropped": gate.dropped,
        "incomplete": update["incomplete"] or gate.insufficient,
        "usage": sum(usage, Usage()),
    }
    return update, {"generator": generator.name, "sentences_dropped": gate.dropped, "citations": len(gate.citations)}


def _missing(state: State) -> tuple[str, ...]:
    """As the question words them. What the web was searched for may be there."""
    if state.get("web") is not None:
        return ()
    return tuple(part for part, spelt in spelt_out(state["standalone"]).items() if spelt in state["best"].missing)


async def _within_budget(generator: Generator, request: Request, gate: Gate, run: Run, usage: list[Usage]) -> None:
    prompt = generator.prompt(request)
    if not prompt:
        return await _write(generator, request, gate, run, usage)
    grant = run.budget.admit(prompt, request.config.max_tokens, last=True)
    short = grant.max_tokens < request.config.max_tokens
    if short:
        request = replace(request, config=request.config.model_copy(update={"max_tokens": grant.max_tokens}))
    try:
        await _write(generator, request, gate, run, usage)
    except LengthError as error:
        if short:
            raise ProviderError(
                f"The answer's budget left {grant.max_tokens} tokens to write it in: raise limits.tokens.",
                provider="limits",
                code="length",
            ) from error
        raise
    finally:
        run.budget.settle(grant, sum(usage, Usage()) if usage else None)


async def _write(generator: Generator, request: Request, gate: Gate, run: Run, usage: list[Usage]) -> None:
    """Sentences to the reader as they are whole; `usage` is told of every call, also of one that then fails."""
    rests: list[Rest] = []
    silent = bool(generator.prompt(request))
    async with aclosing(generator.generate(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Usage):
                usage.append(piece)
            elif isinstance(piece, Rest):
                rests.append(piece)
            else:
                silent = silent and not visible(piece).strip()
                _show(await asyncio.to_thread(gate.push, piece) if gate.compares else gate.push(piece), run)
            if gate.insufficient:
                return
    if silent:
        raise ProviderError(f"{generator.name} wrote nothing.", provider=generator.name, code="bad_reply")
    _show(await asyncio.to_thread(gate.close) if gate.compares else gate.close(), run)
    for rest in rests:
        _show(gate.rest(rest), run)
    if not generator.prompt(request):
        # A model says itself what it does not find.
        _show(gate.leave_out(request.missing), run)


def _show(text: str, run: Run) -> None:
    if text:
        run.emit(TextDelta(text))


def _late(generator: Generator, limit: float) -> ProviderError:
    return ProviderError(
        f"{generator.name} did not finish within {limit:.3g} s.", provider=generator.name, code="timeout"
    )


NODE = Node(name="generate", body=generate)
