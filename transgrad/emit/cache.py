"""The cache directory: files that outlive the process, named by their content, so that none is ever out of date.

Cached files contain code that is run. A file is read only if it is a regular file that belongs to the user and that nothing else may write
to, and if its checksum is right. Folders are private to their owner, symbolic links in them are not followed, and a file is written whole
or not at all. If the directory cannot be used, files are in a temporary directory of the process, or nothing is stored.
"""
from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import hashlib
import os
import pathlib
import shutil
import stat
import tempfile
import time
import warnings

from ..errors import CacheWarning

__all__ = ["FOLDERS", "base", "content_file", "digest", "directory", "read", "untrusted", "write", "write_text"]

#: The folders of the cache directory whose files may be deleted at any time.
FOLDERS = ("texts", "source", "numba")
_MAGIC = b"transgrad cache 1\n"
_CHECKSUM = 16
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_USED_AGAIN = 3600.0    # seconds after which a use is recorded


def base() -> str | None:
    """Return the directory in which files are looked for, or None if nothing is stored for other processes.

    It is ``$TRANSGRAD_CACHE``, or ``transgrad`` in ``$XDG_CACHE_HOME`` or ``~/.cache``. It is None with ``TRANSGRAD_CACHE=off`` (or ``0``),
    and for a user without a home directory.
    """
    chosen = os.environ.get("TRANSGRAD_CACHE")
    if chosen in ("off", "0"):
        return None
    if not chosen:
        home = os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
        if home.startswith("~"):
            return None
        chosen = os.path.join(home, "transgrad")
    return os.path.abspath(chosen)


def directory() -> pathlib.Path:
    """Return the directory to which files are written: `base`, or a temporary one if nothing can be written there."""
    chosen = base()
    if chosen is None:
        return _temporary()
    found = pathlib.Path(chosen)
    _make(chosen)
    return found if os.access(found, os.W_OK | os.X_OK) else _temporary()


def _make(path: str) -> None:
    """Make the cache directory private to its owner; an existing one only if it is named transgrad."""
    with contextlib.suppress(OSError):
        try:
            found = os.stat(path)
        except FileNotFoundError:
            os.makedirs(path, mode=0o700, exist_ok=True)
            return
        own = hasattr(os, "getuid") and found.st_uid == os.getuid()
        if own and os.path.basename(path) == "transgrad" and found.st_mode & 0o077:
            os.chmod(path, 0o700)


@functools.cache
def _temporary() -> pathlib.Path:
    """Return a directory that only this process uses, removed when it ends."""
    try:
        made = pathlib.Path(tempfile.mkdtemp(prefix="transgrad-"))
    except OSError:
        return pathlib.Path("/dev/null/transgrad")      # no file can be written there; the sources are in `linecache`
    atexit.register(_remove, made, os.getpid())
    return made


def _remove(made: pathlib.Path, owner: int) -> None:
    if os.getpid() == owner:        # not a child that was forked
        shutil.rmtree(made, ignore_errors=True)


def digest(*parts: str) -> str:
    """Return a short name for a content."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


# -- trust

def untrusted(found: os.stat_result, path: str) -> str:
    """Return why a file or folder is not used; an empty string if it is."""
    if stat.S_ISLNK(found.st_mode):
        return f"{path} is a symbolic link"
    if hasattr(os, "getuid") and found.st_uid != os.getuid():
        return f"{path} belongs to another user (uid {found.st_uid})"
    if os.name == "posix" and found.st_mode & _OTHERS_WRITE:
        return f"other users may write to {path} (mode {stat.S_IMODE(found.st_mode):o})"
    return ""


#: The folders about which a warning was given.
_WARNED: set[str] = set()


def _warn(path: str, why: str) -> None:
    """Warn once for each folder; the reason is often the same for all of its files."""
    folder = os.path.dirname(path)
    if folder not in _WARNED:
        warnings.warn(CacheWarning(f"a file of the cache is not used: {why}\n"
                                   "Hint: delete it, or set TRANSGRAD_CACHE to a directory of your own; `transgrad cache` lists all"),
                      stacklevel=2)
        _WARNED.add(folder)


def _prepare(folder: pathlib.Path) -> None:
    """Make a private folder; OSError if there is one that cannot be trusted."""
    try:
        found = os.lstat(folder)
    except FileNotFoundError:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = os.lstat(folder)
    if stat.S_ISDIR(found.st_mode) and hasattr(os, "getuid") and found.st_uid == os.getuid() and stat.S_IMODE(found.st_mode) & 0o077:
        os.chmod(folder, 0o700)
        found = os.lstat(folder)
    why = untrusted(found, str(folder))
    if why:
        _warn(str(folder), why)
        raise PermissionError(errno.EPERM, why)


# -- files

def read(path: str) -> bytes | None:
    """Return what `write` wrote to a file, or None if it does not exist, is damaged, or cannot be trusted."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            _warn(path, f"{path} is a symbolic link")
        return None
    try:
        with open(handle, "rb", buffering=0) as file:
            found = os.fstat(handle)
            why = untrusted(found, path)
            if why:
                _warn(path, why)
                return None
            data = file.read()
    except OSError:
        return None
    start = len(_MAGIC) + _CHECKSUM
    if data[:len(_MAGIC)] != _MAGIC or data[len(_MAGIC):start] != _checksum(data[start:]):
        return None
    if time.time() - found.st_mtime > _USED_AGAIN:
        with contextlib.suppress(OSError):
            os.utime(path)      # the files that were not used for the longest time are deleted first
    return data[start:]


def _checksum(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=_CHECKSUM).digest()


def write(path: pathlib.Path, data: bytes) -> None:
    """Write a file for `read`, whole or not at all."""
    _write(path, _MAGIC + _checksum(data) + data)


def write_text(path: str, text: str) -> None:
    """Write a file of Python source."""
    _write(pathlib.Path(path), text.encode())


def content_file(folder: str, name: str, text: str) -> pathlib.Path:
    """Return a file with this source, the same one in every process; a file that exists is left as it is.

    Parameters
    ----------
    folder : str
        The folder in `directory`.
    name : str
        The beginning of the file's name, before the digest of the source.
    text : str
        Python source.

    Raises
    ------
    OSError
        If the file can be written neither there nor in a temporary directory.
    """
    file = f"{name}_{digest(text)}.py"
    for home in (directory(), _temporary()):
        path = home / folder / file
        with contextlib.suppress(OSError):
            _prepare(path.parent)
            if not os.path.lexists(path):
                _write(path, text.encode())
            if not untrusted(os.lstat(path), str(path)):
                return path
    raise OSError(errno.ENOSPC, f"{file} cannot be written")


def _write(path: pathlib.Path, data: bytes) -> None:
    _prepare(path.parent)
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")       # with mode 600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    from .cache_size import written
    written(path)
