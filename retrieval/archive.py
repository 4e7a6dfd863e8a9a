"""A workspace as one file: a plain tar with a manifest of sizes and SHA-256 sums, checked before anything is moved in.

Documents, chunks, the embedding cache, uploads, calibrations and feedback travel. Vectors and postings do not: they
are derived, and the cache lets the other side write them without embedding a text. Keys and logs stay where they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from chunking.errors import StoreError
from retrieval.database import Database
from retrieval.schema import make_own
from retrieval.workspace import CACHE, DATABASE, Workspace

FORMAT = 1
_MANIFEST = "manifest.json"
_CHUNK = 1 << 20
_DATABASES = (".sqlite3", ".sqlite")
_TRAVEL = (DATABASE, CACHE, "calibrations", "uploads", "feedback.sqlite3")
"""Files of a workspace and folders in it that are exported."""


def export_workspace(home: Path, file: Path) -> dict[str, Any]:
    """Write the workspace `home` to `file`; the manifest. Owns the workspace meanwhile.

    Raises StoreError where another process writes to it, where the file exists or cannot be written.
    """
    if not (home / DATABASE).exists():
        raise StoreError(f"There is no workspace at {home}: name another with --home.")
    if file.exists():
        raise StoreError(f"{file} exists: name a new file, or remove it first.")
    with Workspace.open(home, write=True) as workspace, tempfile.TemporaryDirectory(dir=file.parent) as folder:
        indexes = workspace.indexes()
        documents = len(workspace.registry)
        try:
            members = {name: _frozen(home / name, Path(folder)) for name in _names(home)}
            manifest = {
                "format": FORMAT,
                "documents": documents,
                "indexes": [{"fingerprint": each.fingerprint, "embedder": each.embedder} for each in indexes],
                "files": {name: {"bytes": path.stat().st_size, "sha256": _sum(path)} for name, path in members.items()},
            }
            written = Path(folder) / "archive"
            with tarfile.open(written, "w") as archive:
                _add(archive, _MANIFEST, json.dumps(manifest, indent=1).encode())
                for name, path in members.items():
                    archive.add(path, name, recursive=False, filter=_anonymous)
            written.replace(file)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{file} cannot be written ({error}): free some space, or name another place.") from error
    return manifest


def import_workspace(file: Path, home: Path) -> dict[str, Any]:
    """Unpack `file` into the folder `home`, which must be new or empty; the manifest.

    Nothing is left behind where the file is damaged, is no export, or names a path outside: StoreError.
    """
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise StoreError(f"{home} is not empty: import into a new --home.")
    home.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{home.name}-", dir=home.parent))
    try:
        with _told(file), tarfile.open(file, "r:") as archive:
            manifest = _unpack(archive, folder)
        _check(folder / DATABASE, file)
        home.rmdir() if home.exists() else None
        folder.chmod(0o777 & ~_umask())
        folder.replace(home)
    except OSError as error:
        raise StoreError(f"{home} cannot be written ({error}): name another with --home.") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return manifest


def _names(home: Path) -> list[str]:
    """Files that travel, the documents first."""
    paths = [path for each in _TRAVEL for path in (home / each, *sorted((home / each).rglob("*")))]
    return [path.relative_to(home).as_posix() for path in paths if path.is_file() and not path.is_symlink()]


def _frozen(path: Path, folder: Path) -> Path:
    """The file, or for a database a copy as of now, as what its write-ahead log holds is not in the file."""
    if path.suffix not in _DATABASES:
        return path
    copy = folder / hashlib.sha256(str(path).encode()).hexdigest()
    with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
    return copy


def _unpack(archive: tarfile.TarFile, folder: Path) -> dict[str, Any]:
    first = archive.next()
    if first is None or first.name != _MANIFEST or first.size > _CHUNK * 64:
        raise ValueError("it has no manifest")
    manifest: dict[str, Any] = json.loads(_opened(archive, first).read())
    if manifest["format"] != FORMAT:
        raise ValueError(f"it has the format {manifest['format']}, this release reads {FORMAT}")
    awaited = dict(manifest["files"])
    while (member := archive.next()) is not None:
        if (expected := awaited.pop(member.name, None)) is None:
            raise ValueError(f"it holds {member.name[:80]!r}, which its manifest does not name")
        target = folder / _safe(member.name)
        target.parent.mkdir(parents=True, exist_ok=True)
        digest = hashlib.sha256()
        if member.size != expected["bytes"]:
            raise ValueError(f"{member.name} has another size than its manifest says")
        with _opened(archive, member) as source, target.open("xb") as out:
            while block := source.read(_CHUNK):
                digest.update(block)
                out.write(block)
        if digest.hexdigest() != expected["sha256"]:
            raise ValueError(f"{member.name} has another SHA-256 than its manifest says")
    if awaited or DATABASE not in manifest["files"]:
        raise ValueError(f"it lacks {next(iter(awaited), DATABASE)}")
    return manifest


def _safe(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    plain = name.isprintable() and not set(name) & set("\\:")
    if not plain or path.is_absolute() or path.as_posix() != name or ".." in path.parts or path.parts[0] not in _TRAVEL:
        raise ValueError(f"it names the path {name[:80]!r}")
    return path


def _opened(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    found = archive.extractfile(member) if member.isreg() else None
    if found is None:
        raise ValueError(f"{member.name[:80]!r} is not a plain file")
    return found


def _check(database: Path, file: Path) -> None:
    """That the documents are whole and hold no code of their own, and that vectors and postings will be written."""
    with _told(file), contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("PRAGMA trusted_schema = OFF")
        if (answer := connection.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise ValueError(f"its documents are damaged: {answer}")
        with (
            tempfile.TemporaryDirectory() as folder,
            contextlib.closing(Database(Path(folder) / DATABASE, write=True)) as own,
        ):
            ours, theirs = (_schema(each) for each in (own.read(), connection))
        if not theirs <= ours:
            raise ValueError(f"its database holds {min(theirs - ours)[1]!r}, which no workspace has")
    with contextlib.closing(Database(database, write=True)) as upgraded, upgraded.transaction() as connection:
        make_own(connection)  # The workspace that it came from may use the same server of vectors.
        connection.execute("INSERT OR IGNORE INTO outbox SELECT index_id, id FROM chunks")


def _schema(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """Type and name of everything in it; of triggers, which act by themselves, also what they do."""
    rows = connection.execute("SELECT type, name, CASE type WHEN 'trigger' THEN sql ELSE '' END FROM sqlite_master")
    return {(kind, name, sql) for kind, name, sql in rows if not name.startswith("sqlite_autoindex")}


@contextlib.contextmanager
def _told(file: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(f"There is no file {file}: check the path.") from error
    except (ValueError, LookupError, TypeError, AttributeError, tarfile.TarError, sqlite3.Error) as error:
        raise StoreError(
            f"{file} cannot be imported ({error}): export the workspace again with this release."
        ) from error


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    import io

    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without the names and numbers of who wrote it."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
