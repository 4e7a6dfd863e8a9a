"""`crag chunk`: how a file is cut, without a workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from chunking.errors import ConfigError, NotFoundError
from crag.cli.options import counted, json_option, pipeline_option, print_json, unused_home_option


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@pipeline_option
@click.option("--strategy", metavar="NAME", help="Chunking strategy (the pipeline's by default).")
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="Any field of the chunking section.")
@json_option
@unused_home_option
@click.option(
    "--html", metavar="OUT", type=click.Path(path_type=Path), help="Write one offline page that re-cuts live."
)
def chunk(
    *, file: Path, pipeline: str, strategy: str | None, settings: tuple[str, ...], as_json: bool, html: Path | None
) -> None:
    """Show how a file is cut into chunks."""
    if not file.is_file():
        raise NotFoundError(f"There is no file {str(file)!r}: check the path.")
    values = dict(_setting(each) for each in settings)
    if strategy is not None:
        values["strategy"] = strategy
    if html is not None:
        if not html.parent.is_dir() or html.is_dir():
            raise ConfigError(f"{html} cannot be written: give a file in a folder that is there, as --html OUT.")
        if html.exists() and html.samefile(file):
            raise ConfigError(f"{html} is the file to be cut, which the page would replace: give another --html OUT.")
        from crag.chunks import chunk_page

        _write(html, chunk_page(file, pipeline, values))
        click.echo(f"Wrote {html}: open it in a browser.")
        return
    from crag.chunks import chunk_file

    shape = chunk_file(file, pipeline, values)
    if as_json:
        print_json(shape)
    else:
        _print(shape)


def _write(out: Path, page: str) -> None:
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{out} cannot be written ({error.strerror}): give another --html OUT.") from error


def _setting(text: str) -> tuple[str, Any]:
    import yaml

    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set {text!r}: write KEY=VALUE, e.g. --set target_tokens=200.")
    try:
        return key.strip(), yaml.safe_load(value)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {text!r}: the value cannot be read.") from error


def _print(shape: dict[str, Any]) -> None:
    for number, each in enumerate(shape["chunks"], 1):
        path = " › ".join(each["heading_path"])
        forced = ", forced" if each["forced"] else ""
        page = f", page {each['page']}" if each["page"] else ""
        click.secho(
            f"── {number} · {counted(each['tokens'], 'token')} · {each['start']}-{each['end']}{page}{forced}  {path}",
            fg="cyan",
        )
        click.echo(each["text"])
    if notes := [*shape["document"]["notes"], *(each["note"] for each in shape["chunks"] if each["note"])]:
        click.secho(f"note: {'; '.join(dict.fromkeys(notes))}", dim=True)
    tokens = [each["tokens"] for each in shape["chunks"]]
    mean = sum(tokens) / len(tokens) if tokens else 0
    sizes = ", ".join(f"{name} {shape['chunking'][name]}" for name in ("min_tokens", "target_tokens", "max_tokens"))
    click.secho(f"{counted(len(tokens), 'chunk')}, {mean:.0f} tokens on average ({sizes})", bold=True)
