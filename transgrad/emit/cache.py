"""The directory of what outlives a process: files named by their content, so that nothing in it is ever out of date."""
from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import os
import pathlib
import shutil
import tempfile

__all__ = ["base", "content_file", "digest", "directory", "write", "write_text"]


def base() -> str | None:
    """Where files are looked for: ``$TRANSGRAD_CACHE``, or ``transgrad`` in ``$XDG_CACHE_HOME`` (``~/.cache``).

    None with ``TRANSGRAD_CACHE=off`` (or ``0``): nothing is kept for other processes.
    """
    chosen = os.environ.get("TRANSGRAD_CACHE")
    if chosen in ("off", "0"):
        return None
    return os.path.abspath(chosen or os.path.join(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"), "transgrad"))


def directory() -> pathlib.Path:
    """Where files are written.

    Returns
    -------
    Path
        `base`; a directory for this process alone, where nothing can be written there, or with ``TRANSGRAD_CACHE=off``.
    """
    chosen = base()
    if chosen is None:
        return _temporary()
    found = pathlib.Path(chosen)
    with contextlib.suppress(OSError):
        found.mkdir(parents=True, exist_ok=True)
    return found if os.access(found, os.W_OK) else _temporary()


@functools.cache
def _temporary() -> pathlib.Path:
    """A directory that only this process uses, removed when it ends."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="transgrad-"))
    atexit.register(_remove, made, os.getpid())
    return made


def _remove(made: pathlib.Path, owner: int) -> None:
    if os.getpid() == owner:        # not a child that was forked
        shutil.rmtree(made, ignore_errors=True)


def digest(*parts: str) -> str:
    """A short name for a content."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def content_file(folder: str, name: str, text: str) -> pathlib.Path:
    """A file with this text, the same one in every process; a file that is there is left as it is.

    Parameters
    ----------
    folder : str
        The folder in `directory`.
    name : str
        What the file is called, before the digest of its text.
    text : str
        The text: Python source.
    """
    path = directory() / folder / f"{name}_{digest(text)}.py"
    if not path.exists():
        write(path, text.encode())
    return path


def write_text(path: str, text: str) -> None:
    """Writes a file of Python source."""
    write(pathlib.Path(path), text.encode())


def write(path: pathlib.Path, data: bytes) -> None:
    """Writes a file whole or not at all; another process may write the same one at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
