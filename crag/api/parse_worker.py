"""The process that reads uploaded files: one JSON line in, ``{"path", "source", "origin"}``, one JSON line out.

Started as ``python -m crag.api.parse_worker MEGABYTES SECONDS PAGES CHARACTERS``. It may not write files, and ends
when its input does.
"""

from __future__ import annotations

import contextlib
import json
import resource
import sys
from pathlib import Path
from typing import Any

from chunking.errors import CragError, DocumentError
from chunking.loaders import load_path
from crag.api.parsing import document_to_dict


def main(megabytes: int, seconds: int, pages: int, characters: int) -> None:
    _lower(resource.RLIMIT_AS, megabytes * 1024 * 1024)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)
    for line in sys.stdin.buffer:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # A child whose parent was killed must end by itself too.
        _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime) + seconds + 1)
        sys.stdout.buffer.write(json.dumps(_answer(json.loads(line), pages, characters)).encode() + b"\n")
        sys.stdout.buffer.flush()


def _answer(ask: dict[str, str], pages: int, characters: int) -> dict[str, Any]:
    source = ask["source"]
    try:
        path = Path(ask["path"])
        _check_pages(path, source, pages)
        document = load_path(path, origin=ask["origin"], source=source)
        if len(document.text) > characters:
            raise DocumentError(
                f"{source} holds {len(document.text)} characters, at most {characters}: split it.", code="too_large"
            )
        return {"document": document_to_dict(document)}
    except CragError as error:
        return {"refused": str(error), "code": error.code}
    except RecursionError:
        return {
            "refused": f"{source} nests too deeply to be read: save it in a simpler form.",
            "code": "too_deep",
            "last": True,
        }
    except MemoryError:
        return {
            "refused": f"{source} needs too much memory to be read: split it into smaller files.",
            "code": "too_large",
            "last": True,
        }
    except Exception as error:
        return {
            "refused": f"{source} is damaged ({type(error).__name__}): open it in its program and save it anew.",
            "code": "damaged",
        }


def _check_pages(path: Path, source: str, most: int) -> None:
    with path.open("rb") as file:
        if b"%PDF-" not in file.read(1024):
            return
    import pypdfium2

    with contextlib.suppress(pypdfium2.PdfiumError):  # The loader says what is wrong with it.
        document = pypdfium2.PdfDocument(path)
        try:
            count = len(document)
        finally:
            document.close()
        if count > most:
            raise DocumentError(f"{source} has {count} pages, at most {most} are read: split it.", code="too_large")


def _lower(what: int, soft: int) -> None:
    hard = resource.getrlimit(what)[1]
    # macOS knows RLIMIT_AS and refuses to set it; the limit on time holds there all the same.
    with contextlib.suppress(ValueError):
        resource.setrlimit(what, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:5]))
