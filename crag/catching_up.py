"""Building indexes beside a server that answers from the ones before."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from chunking.errors import CragError
from crag.app import Crag
from crag.pipeline import Pipeline
from retrieval.embedders.interrupt import interruptible

_log = logging.getLogger(__name__)


class _StoppedError(Exception):
    pass


@contextmanager
def catching_up(crag: Crag, pipelines: Sequence[Pipeline]) -> Iterator[None]:
    """Within the block a thread takes into the pipelines' indexes what they lack, one after another.

    Each serves from the moment it is whole. Leaving the block stops the thread after the batch that it is at, and the
    next start goes on from there. What fails is logged, and the earlier index goes on answering.
    """
    stop = threading.Event()

    def check(*_: object) -> None:
        if stop.is_set():
            raise _StoppedError

    def work() -> None:
        for pipeline in pipelines:
            try:
                with interruptible(check):
                    crag.catch_up(pipeline, check)
                crag.warm([pipeline])
            except _StoppedError:
                return
            except CragError as error:
                _log.error("The index of pipeline %s is not whole, the one before answers: %s", pipeline.name, error)
            else:
                _log.warning("The index of pipeline %s is whole and answers from now on.", pipeline.name)

    thread = threading.Thread(target=work, name="crag-catching-up")
    if pipelines:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        if pipelines:
            thread.join()
