"""`crag eval testset`: propose questions, review each beside its passage, keep the accepted ones as a suite."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import click

from crag.app import Crag
from crag.cli.eval_options import drafter_options, judge_settings
from crag.cli.eval_review import go_through
from crag.cli.options import counted, home_again, home_option, json_option, print_json, unused_home_option
from crag.cli.progress import keeping
from eval.drafting.model import draft_with_model
from eval.drafting.patterns import draft_by_patterns
from eval.testset import QUESTIONS, load_drafts, progress, save_drafts, write_suite

_FILE = click.Path(path_type=Path)


@click.group()
def testset() -> None:
    """Draft, review and write question-answer pairs of your own."""


@testset.command()
@click.option("--out", required=True, type=_FILE, metavar="FILE", help="Where the drafts go.")
@click.option("--count", default=24, show_default=True, type=click.IntRange(1, 1000), metavar="N")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Another seed picks other passages.")
@home_option
@drafter_options
@json_option
def draft(*, out: Path, count: int, seed: int, home: Path, as_json: bool, **settings: Any) -> None:
    """Propose pairs from the ingested documents. By --judge MODEL, or by sentence patterns without one."""
    if out.exists():
        raise click.UsageError(f"{out} is there already: review it, or give another --out.")
    model = judge_settings(settings)
    with Crag.open(home) as crag:
        crag.require_documents()
        registry = crag.workspace.registry
        documents = [registry.get(record.id) for record in registry.documents()]
    if model is None:
        drafts = draft_by_patterns(documents, count=count, seed=seed)
    else:
        drafts = asyncio.run(draft_with_model(documents, model, count=count, seed=seed))
    save_drafts(out, drafts)
    if as_json:
        print_json({"path": str(out), "drafts": len(drafts), "model": model.model if model else None})
        return
    how = model.model if model else "sentence patterns (--judge MODEL has a language model propose better ones)"
    short = f" of the {count} asked for (the documents give no more)" if len(drafts) < count else ""
    click.echo(
        f"{counted(len(drafts), 'draft')}{short} by {how}, in {out}. Next: crag eval testset review {out}{home_again()}"
    )


@testset.command()
@unused_home_option
@click.argument("file", type=_FILE)
@click.option("--page", is_flag=True, help="Review in the browser instead of on the terminal.")
@click.option("--again", is_flag=True, help="On the terminal: go through those already decided too.")
@click.option(
    "--port", default=0, type=click.IntRange(0, 65535), metavar="N", help="Port of the page. [default: any free]"
)
def review(*, file: Path, page: bool, again: bool, port: int) -> None:
    """Go through the drafts one by one: accept, edit, drop, go back. What is decided or edited is saved at once."""
    drafts = load_drafts(file)
    if page:
        _review_on_page(file, port)
        return
    with keeping(f"What is decided is kept in {file}: the same command goes on."):
        drafts = go_through(drafts, lambda after: save_drafts(file, after), again=again)
    counts = progress(drafts)
    click.echo(f"{counts['accepted']} accepted, {counts['dropped']} dropped, {counts['draft']} to go.")
    if not counts["draft"] and not again:
        click.echo("Every draft is decided; --again goes through them once more.")
    if counts["accepted"]:
        click.echo(f"Next: crag eval testset write {file} --out SUITE{home_again()}")


@testset.command()
@unused_home_option
@click.argument("file", type=_FILE)
@click.option("--out", required=True, type=_FILE, metavar="SUITE", help="Folder of the suite.")
@click.option("--force", is_flag=True, help="Write over the questions of a suite that is there.")
@json_option
def write(*, file: Path, out: Path, force: bool, as_json: bool) -> None:
    """Write the accepted pairs as a suite over the ingested documents."""
    if out.exists() and not out.is_dir():
        raise click.UsageError(f"{out} is a file: give a folder as --out.")
    if not force and (out / QUESTIONS).exists():
        raise click.UsageError(f"{out / QUESTIONS} is there already: --force writes over it, or give another --out.")
    count = write_suite(load_drafts(file), out)
    if as_json:
        print_json({"path": str(out), "questions": count})
    else:
        click.echo(
            f"{counted(count, 'question')} in {out}. Next: crag eval run --suite {out} --pipeline crag --out runs/mine"
            f"{home_again()}"
        )


def _review_on_page(file: Path, port: int) -> None:
    import secrets

    import uvicorn

    from crag.api.server import listen
    from crag.review import create_app

    token = secrets.token_urlsafe(24)
    app = create_app(file, token)
    with listen("127.0.0.1", port) as bound:
        click.echo(f"Review {file} at http://127.0.0.1:{bound.getsockname()[1]}/#{token}")
        click.echo("Every decision is saved at once. Ctrl-C stops it.")
        config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, ws="none")
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[bound])
    counts = progress(load_drafts(file))
    click.echo(f"{counts['accepted']} accepted, {counts['dropped']} dropped, {counts['draft']} to go.")
