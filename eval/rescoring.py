"""Scoring answers anew, beside the scores that count until the new ones are all there.

    rescore/    manifest.json and scores.jsonl of the new scoring, while it goes on; a kill leaves it behind
    rescored/   the same when it is done, with whole.jsonl, which takes the place of the run's scores

Whoever opens the run next ends what a kill left: the first is given up, what it paid kept; the second moves in place.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from eval.lines import write_json, write_lines
from eval.metrics.base import GIVEN_UP
from eval.runs import MANIFEST, SCORES, Score, read_scores

_BEGUN, _DONE, _WHOLE = "rescore", "rescored", "whole.jsonl"


def begin(run: Path, manifest: Mapping[str, Any]) -> Path:
    """The file that takes the new scores."""
    folder = run / _BEGUN
    folder.mkdir()
    write_json(folder / MANIFEST, manifest)
    return folder / SCORES


def going_on(run: Path) -> bool:
    return (run / _BEGUN).is_dir()


def scores(run: Path) -> list[Score]:
    """What has been scored anew so far."""
    return read_scores(run / _BEGUN / SCORES)


def accept(run: Path) -> None:
    """The new scores count from now on; the lines of the old ones stay before them, for what they paid."""
    _write_scores(run / _BEGUN / _WHOLE, [*read_scores(run / SCORES), *scores(run)])
    (run / _BEGUN).rename(run / _DONE)
    settle(run)


def give_up(run: Path) -> None:
    """The old scores count on. A new one is kept as a failure that the old one overrules, for what it paid."""
    paid = [replace(score, value=None, status="judge_error", reason=GIVEN_UP) for score in scores(run) if score.tokens]
    _write_scores(run / SCORES, [*paid, *read_scores(run / SCORES)])
    shutil.rmtree(run / _BEGUN)


def settle(run: Path) -> None:
    """End what a kill left."""
    done = run / _DONE
    if done.is_dir():
        for name, place in ((_WHOLE, SCORES), (MANIFEST, MANIFEST)):
            if (done / name).exists():
                (done / name).replace(run / place)
        shutil.rmtree(done)
    if going_on(run):
        give_up(run)


def _write_scores(file: Path, lines: Iterable[Score]) -> None:
    write_lines(file, (score.to_dict() for score in lines))
