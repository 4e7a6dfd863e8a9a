"""`crag pipelines`: which versions there are, what they do, and how two of them differ."""

from __future__ import annotations

from typing import Any

import click

from crag.auto import Resolved, resolve
from crag.cli.options import console, json_option, print_json, unused_home_option
from crag.pipeline import LADDER, diff_pipelines, load_pipeline


@click.group()
def pipelines() -> None:
    """List, show or compare pipeline files."""


@pipelines.command("list")
@json_option
@unused_home_option
def list_(as_json: bool) -> None:
    """List the shipped pipelines."""
    resolved = [_resolve(name) for name in LADDER]
    if as_json:
        print_json({"pipelines": [_row(each) for each in resolved]})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for column in ("pipeline", "version", "what it does"):
        table.add_column(column)
    for each in resolved:
        table.add_row(each.pipeline.name, each.pipeline.version, each.pipeline.description)
    console().print(table)


@pipelines.command()
@click.argument("pipeline", metavar="NAME|FILE")
@json_option
@click.option("--mermaid", is_flag=True, help="Print LangGraph's own drawing of the graph, in Mermaid's language.")
@unused_home_option
def show(pipeline: str, as_json: bool, mermaid: bool) -> None:
    """Print a pipeline in full. `extends` is followed, defaults are filled in, `auto` is decided."""
    resolved = _resolve(pipeline)
    if mermaid:
        from graph.build import drawing

        click.echo(drawing(), nl=False)
        return
    if as_json:
        print_json({**resolved.pipeline.to_dict(), "models": resolved.models})
        return
    import yaml

    sections = resolved.pipeline.sections()
    about = f": {resolved.pipeline.description}" if resolved.pipeline.description else ""
    click.echo(f"# {resolved.pipeline.name}, version {resolved.pipeline.version}{about}")
    for pick in resolved.picks:
        click.echo(f"# {pick.role}: {pick.label} ({pick.reason})")
    click.echo(yaml.safe_dump(sections, sort_keys=False, allow_unicode=True), nl=False)


@pipelines.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@json_option
@unused_home_option
def diff(old: str, new: str, as_json: bool) -> None:
    """Show the fields in which two pipelines differ."""
    before, after = _resolve(old).pipeline, _resolve(new).pipeline
    differences = diff_pipelines(before, after)
    if as_json:
        print_json({"old": _name(before), "new": _name(after), "differences": differences})
        return
    if not differences:
        click.echo(f"{before.name} and {after.name} do the same (version {after.version}).")
        return
    click.echo(f"{before.name} ({before.version}) -> {after.name} ({after.version})")
    width = max(map(len, differences))
    for field, change in differences.items():
        click.echo(f"  {field:<{width}}  {change['old']} -> {change['new']}")


def _resolve(name: str) -> Resolved:
    return resolve(load_pipeline(name))


def _name(pipeline: Any) -> dict[str, str]:
    return {"name": pipeline.name, "version": pipeline.version}


def _row(resolved: Resolved) -> dict[str, Any]:
    return {**_name(resolved.pipeline), "description": resolved.pipeline.description, "models": resolved.models}
