"""`crag serve`: the chat API and the page, for this machine."""

from __future__ import annotations

import contextlib
import logging
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from chunking.errors import ConfigError
from crag.cli.options import home_option, shown_path
from crag.cli.progress import ingest_progress
from crag.pipeline import LADDER, Pipeline, load_pipeline
from crag.settings import API_KEY, DEFAULT_HOST, DEFAULT_PIPELINE, DEFAULT_PORT, Limits, check_addresses, cors_origins

if TYPE_CHECKING:
    import socket

    from crag.app import Crag


@click.command()
@home_option
@click.option(
    "--host",
    default=DEFAULT_HOST,
    show_default=True,
    help=f"Address; others than loopback need a key: crag keys add NAME, or {API_KEY}.",
)
@click.option(
    "--port",
    default=DEFAULT_PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port; 0 takes any that is free.",
)
@click.option(
    "--pipeline",
    "names",
    metavar="P",
    multiple=True,
    help="Pipeline to serve besides the shipped ones; the first is the page's default. May be repeated.",
)
@click.option(
    "--runs",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of evaluation runs and reports for the page to show.",
)
@click.option("--samples", is_flag=True, help="Ingest the bundled samples first, unless there are other documents.")
def serve(*, home: Path, host: str, port: int, names: tuple[str, ...], runs: Path | None, samples: bool) -> None:
    """Serve the chat API and the page.

    Open the address that it prints in a browser, or give it with /v1 to a chat client. Ctrl-C ends it.
    """
    _log_to_stderr()
    check_addresses()
    # Ctrl-C and a service manager's SIGTERM are the ordinary ways to stop, at any moment.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):
        _serve(home, host, port, _pipelines(names), runs=runs, samples=samples)
    click.echo("Stopped.")


def _log_to_stderr() -> None:
    from crag.api.telemetry import RequestIdFilter

    handler = logging.StreamHandler()
    handler.addFilter(RequestIdFilter())
    form = "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"
    logging.basicConfig(level=logging.WARNING, format=form, handlers=[handler], force=True)


def _serve(home: Path, host: str, port: int, pipelines: list[Pipeline], *, runs: Path | None, samples: bool) -> None:
    from crag.api.keys import KeyRing
    from crag.api.server import bind, note
    from crag.api.server import serve as run
    from crag.app import Crag
    from crag.catching_up import catching_up
    from crag.library import SAMPLES

    # Settings that are wrong are told before anything is read.
    Limits.from_environment()
    cors_origins()
    keys = KeyRing(home)
    with bind(host, port, keys) as bound, Crag.open(home, pipelines[0], write=True) as crag:
        resolved = [crag.resolved(pipeline).pipeline for pipeline in pipelines]
        # Also where the first start was interrupted: what is there already is left alone.
        if samples and all(Path(each["origin"]).is_relative_to(SAMPLES.resolve()) for each in crag.documents()):
            if not crag.documents():
                click.echo("Reading the sample documents (once) ...")
            with ingest_progress(show=True) as progress:
                crag.ingest_samples(progress)
        later = [pipeline for pipeline in resolved if crag.serves_earlier(pipeline)]
        for pipeline in resolved:
            if pipeline not in later:
                with ingest_progress(show=True) as progress:
                    crag.catch_up(pipeline, progress)
        crag.warm(resolved)
        with note(home, bound), catching_up(crag, later):
            _announce(crag, resolved, bound, home, locked=bool(keys), later=later)
            run(crag, resolved, bound, keys, runs=runs)


def _pipelines(names: tuple[str, ...]) -> list[Pipeline]:
    """The named ones, or the default one, first; then the shipped ones that none of them replaces by name, best first.

    Raises NotFoundError for an unknown name and ConfigError for a damaged file or for two of one name.
    """
    wanted = [load_pipeline(name) for name in names]
    if not wanted:
        wanted = [load_pipeline(DEFAULT_PIPELINE)]
    taken: dict[str, Pipeline] = {}
    for pipeline in wanted:
        if pipeline.name in taken:
            raise ConfigError(f"Two pipelines are named {pipeline.name!r}: give one of the files another 'name:'.")
        taken[pipeline.name] = pipeline
    rest = [load_pipeline(name) for name in reversed(LADDER) if name not in taken]
    return [*wanted, *rest]


def _announce(
    crag: Crag, pipelines: list[Pipeline], bound: socket.socket, home: Path, *, locked: bool, later: list[Pipeline]
) -> None:
    address, number = bound.getsockname()[:2]
    url = f"http://{f'[{address}]' if ':' in address else address}:{number}"
    model = crag.models()["generation"]
    if model == "extractive":
        model = "none configured: answers quote the documents (OPENAI_API_KEY and CRAG_CHAT_MODEL, see the README)"
    click.secho("agentic-crag is ready.", bold=True)
    click.echo(f"  Page            {url}/")
    click.echo(f"  Chat clients    base URL {url}/v1, model {pipelines[0].name}, {'your' if locked else 'any'} key")
    click.echo(f"  Documents       {len(crag.documents())} in {shown_path(home)}")
    click.echo(f"  Language model  {model}")
    if later:
        names = ", ".join(pipeline.name for pipeline in later)
        click.echo(f"  Index           being built for {names}; the one before answers until then")
    click.echo("Ctrl-C stops it.")
