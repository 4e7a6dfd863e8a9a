"""The command line. A command's module is imported only when that command runs, so `--help` answers at once."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from chunking.errors import ConfigError, CragError
from crag.cli.errors import misplaced, report, report_unexpected
from crag.cli.lazy import LazyGroup

COMMANDS = {
    "ingest": ("crag.cli.ingest:ingest", "Read files or folders into the workspace."),
    "ask": ("crag.cli.ask:ask", "Answer a question from the documents, with sources."),
    "search": ("crag.cli.search:search", "Show the passages that a question finds."),
    "chunk": ("crag.cli.chunk:chunk", "Show how a file is cut into chunks."),
    "serve": ("crag.cli.serve:serve", "Serve the chat API and the page."),
    "keys": ("crag.cli.keys:keys", "Make, list or remove the keys that clients must send."),
    "feedback": ("crag.cli.feedback:feedback", "List ratings of answers, or export them as drafts of a suite."),
    "docs": ("crag.cli.docs:docs", "List, show or remove documents."),
    "collections": ("crag.cli.collections:collections", "List or remove collections of documents."),
    "index": ("crag.cli.index:index", "Check, rebuild, list, prune, export or import the search index."),
    "pipelines": ("crag.cli.pipelines:pipelines", "List, show or compare pipeline files."),
    "eval": ("crag.cli.evaluate:evaluate", "Run a suite over pipelines and compare the runs."),
    "doctor": ("crag.cli.doctor:doctor", "Say what is installed, configured and picked."),
}


@click.group(
    cls=LazyGroup,
    commands_at=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="agentic-crag", prog_name="crag")
def cli() -> None:
    """Ask your own documents, in Chinese or English, with sources and an honest "I don't know".

    Start with: crag ingest FOLDER, then: crag ask "QUESTION". Nothing leaves this machine and no key is needed
    unless you configure one. Exit codes: 0 done, 1 the job found nothing usable or failed a gate, 2 wrong usage.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code. Every failure is one sentence on stderr, never a traceback."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in arguments
    # What is logged on the way is in the answer's `degraded` too; a person at a terminal sees it once.
    logging.basicConfig(handlers=[logging.NullHandler()])
    try:
        result = cli.main(arguments, prog_name="crag", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(result if isinstance(result, int) else 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        hint = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "crag"
        sentence = misplaced(error) or error.format_message().rstrip(".")
        # A message that asks "Did you mean ...?" goes on as it is.
        joined = f"{sentence} See" if sentence.endswith("?") else f"{sentence}; see"
        sys.exit(report(ConfigError(f"{joined} '{hint} --help'."), as_json=as_json))
    except CragError as error:
        sys.exit(report(error, as_json=as_json))
    except (KeyboardInterrupt, click.Abort) as interrupt:
        click.echo(f"Interrupted. {interrupt}".rstrip(), err=True)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except Exception as error:  # The last line of defence: a person gets a sentence, the log gets the traceback.
        sys.exit(report_unexpected(error, as_json=as_json))
