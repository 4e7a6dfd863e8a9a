"""The review of drafts on the terminal: one at a time, beside its passages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from chunking.errors import ConfigError
from eval.drafting.origins import origin
from eval.testset import KINDS, Decision, Draft, decide

_DECISIONS: dict[str, Decision] = {"a": "accepted", "d": "dropped"}
_STATE = {"draft": "", "accepted": " · accepted", "dropped": " · dropped"}


def go_through(drafts: Sequence[Draft], save: Callable[[Sequence[Draft]], None], *, again: bool = False) -> list[Draft]:
    """The drafts as the reviewer left them; `save` is called after each change.

    Those that are decided are passed over, unless with `again` or where the reviewer goes back to them.
    """
    drafts = list(drafts)

    def following(place: int) -> int:
        left = (n for n in range(place + 1, len(drafts)) if again or drafts[n].decision == "draft")
        return next(left, len(drafts))

    at = following(-1)
    while at < len(drafts):
        draft = drafts[at]
        _show(draft, at + 1, len(drafts))
        choice = _chosen("[a]ccept, [e]dit, [d]rop, [s]kip, [b]ack or [q]uit", "aedsbq")
        if choice == "q":
            break
        if choice == "b":
            if at == 0:
                click.echo("This is the first draft.")
            at = max(at - 1, 0)
            continue
        if choice == "e":
            drafts = _edited(drafts, draft)
        elif choice in _DECISIONS:
            try:
                drafts = decide(drafts, draft.id, _DECISIONS[choice])
            except ConfigError as error:
                click.echo(error)
                continue
        if choice != "s":
            save(drafts)
        if choice == "e":
            continue
        at = following(at)
        if at == len(drafts) and _chosen("That was the last: [b]ack or [q]uit", "bq", default="q") == "b":
            at -= 1
    return drafts


def _chosen(asked: str, letters: str, default: str | None = None) -> str:
    return str(click.prompt(asked, type=click.Choice(list(letters)), show_choices=False, default=default))


def _show(draft: Draft, number: int, total: int) -> None:
    click.echo()
    facts = f"{number} of {total} · {draft.id} · {draft.type} · {draft.lang} · {origin(draft.how).en}"
    click.secho(f"{facts}{_STATE[draft.decision]}", dim=True)
    click.secho(f"Question   {draft.question}", bold=True)
    click.echo(f"Reference  {draft.reference if draft.answerable else '(the documents do not answer it)'}")
    for place in draft.passages:
        click.secho(f"  {place.title or place.source}, {place.source}", fg="cyan")
        click.echo(f"  {place.shown_before}{click.style(place.text, bold=True)}{place.shown_after}")


def _edited(drafts: list[Draft], draft: Draft) -> list[Draft]:
    """Asks for each part; Enter keeps it. Nothing is decided by that."""
    edits: dict[str, Any] = {"question": click.prompt("Question", default=draft.question)}
    edits["type"] = click.prompt("Kind", type=click.Choice(KINDS), default=draft.type)
    if edits["type"] != "unanswerable":
        edits["reference"] = click.prompt("Reference", default=draft.reference)
    drafts = decide(drafts, draft.id, None, **edits)
    if edits["type"] == "unanswerable":
        return drafts
    quotes = [place.text for place in draft.passages]
    for n, place in enumerate(draft.passages):
        while True:
            asked = f"Evidence in {place.source}, words of its passage (Enter keeps it)"
            quotes[n] = click.prompt(asked, default=place.text, show_default=False)
            try:
                drafts = decide(drafts, draft.id, None, evidence=quotes)
                break
            except ConfigError as error:
                click.echo(error)
                quotes[n] = place.text
    return drafts
