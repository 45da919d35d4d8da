"""The disk cache on a machine with other users, other processes, small and broken disks."""
from __future__ import annotations

import errno
import json
import marshal
import multiprocessing
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad.cli import main
from transgrad.emit import cache, cache_size
from transgrad.errors import CacheWarning

ROOT = pathlib.Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name != "posix", reason="users and modes of POSIX")


def loss(x):
    return np.sum(np.sin(x) * x)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of its own; warnings that were given are given again."""
    monkeypatch.setenv("TRANSGRAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_WARNED", set())
    return tmp_path / "cache"


def stored(folder) -> pathlib.Path:
    """The file of a derivative."""
    tg.transforms.derivative.Derivative(tg.grad(loss).kind, loss)(np.ones(3))
    return next((folder / "texts").iterdir())


def is_found() -> bool:
    """Whether a derivative comes from the disk; its result is right in any case."""
    g = tg.transforms.derivative.Derivative(tg.grad(loss).kind, loss)
    x = np.array([0.3, 1.0, 2.0])
    assert np.allclose(g(x), np.cos(x) * x + np.sin(x))
    return type(g.variants[0]).__name__ == "StoredVariant"


def test_the_directory_is_private(folder, monkeypatch):
    old = os.umask(0o002)
    try:
        file = stored(folder)
    finally:
        os.umask(old)
    assert [stat.S_IMODE(os.stat(p).st_mode) for p in (folder, folder / "texts", folder / "source", file)] == [0o700, 0o700, 0o700, 0o600]
    assert is_found()


def test_a_directory_that_an_earlier_version_made_becomes_private(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSGRAD_CACHE", str(tmp_path / "transgrad"))
    (tmp_path / "transgrad" / "texts").mkdir(parents=True)
    os.chmod(tmp_path / "transgrad", 0o777)
    os.chmod(tmp_path / "transgrad" / "texts", 0o777)
    stored(tmp_path / "transgrad")
    assert [stat.S_IMODE(os.stat(tmp_path / "transgrad" / name).st_mode) for name in ("", "texts")] == [0o700, 0o700]


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_not_run(folder, mode):
    file = stored(folder)
    os.chmod(file, mode)
    with pytest.warns(CacheWarning, match=f"(?s)other users may write to {file}.*Hint: delete it"):
        assert not is_found()


def test_files_and_folders_of_another_user_are_not_used(folder, monkeypatch):
    file = stored(folder)
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    with pytest.warns(CacheWarning, match=f"{file} belongs to another user"):
        assert cache.read(str(file)) is None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert not is_found()
    assert not file.with_name("new").exists()
    with pytest.raises(PermissionError):
        cache.write(folder / "texts" / "new", b"")


def test_symbolic_links_are_not_followed(folder, tmp_path):
    file = stored(folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.rename(file, elsewhere / file.name)
    file.symlink_to(elsewhere / file.name)
    with pytest.warns(CacheWarning, match="is a symbolic link"):
        assert not is_found()       # and the link is replaced by a file
    assert not file.is_symlink() and is_found()
    os.rename(folder / "texts", elsewhere / "texts")
    (folder / "texts").symlink_to(elsewhere / "texts")
    before = sorted(os.listdir(elsewhere / "texts"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tg.transforms.derivative.Derivative(tg.grad(loss).kind, loss)(1.0)
        cache_size.clear(str(folder))
    assert sorted(os.listdir(elsewhere / "texts")) == before


@pytest.mark.parametrize("damage", [
    lambda data: b"", lambda data: data[:10], lambda data: data[:-1], lambda data: data + b"x", lambda data: marshal.dumps({"text": "1"}),
    lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:], lambda data: b"\xff" * len(data), lambda data: data[34:]])
def test_damaged_files_are_ignored_and_replaced(folder, damage):
    """marshal crashes the interpreter on damaged data: it is not given any."""
    file = stored(folder)
    file.write_bytes(damage(file.read_bytes()))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not is_found()
        assert is_found()


def _writer(path: str, k: int) -> int:
    data = bytes([k]) * 20000
    wrong = 0
    for _ in range(100):
        cache.write(pathlib.Path(path), data)
        found = cache.read(path)
        wrong += found is None or len(found) != 20000 or len(set(found)) != 1
    return wrong


def test_processes_that_write_at_once(folder):
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.starmap(_writer, [(str(folder / "texts" / "one"), k) for k in range(3)]) == [0, 0, 0]
    assert os.listdir(folder / "texts") == ["one"]


def test_the_files_that_were_not_used_for_the_longest_time_are_deleted(folder):
    for k in range(10):
        cache.write(folder / "texts" / str(k), bytes(1000))
        os.utime(folder / "texts" / str(k), (1e9 + k, 1e9 + k))
    assert cache.read(str(folder / "texts" / "0")) == bytes(1000)       # used again
    assert cache_size.evict(str(folder), 8300) == 4      # down to 80 percent of the limit
    assert sorted(os.listdir(folder / "texts")) == ["0", "5", "6", "7", "8", "9"]
    assert cache_size.evict(str(folder), 8300) == 0


def test_writing_keeps_the_size_below_the_limit(folder, monkeypatch):
    monkeypatch.setenv("TRANSGRAD_CACHE_SIZE", "20K")
    for k in range(200):
        cache.write(folder / "texts" / str(k), bytes(1000))
    assert sum(f.size for f in cache_size.files(str(folder))) < 20 * 2 ** 10 + 64 * 1100


def test_a_file_that_was_never_completed_is_deleted(folder):
    cache.write(folder / "texts" / "whole", b"1")
    for name, age in (("old.tmp", 7200), ("new.tmp", 0)):
        (folder / "texts" / name).write_bytes(b"")
        os.utime(folder / "texts" / name, (time.time() - age,) * 2)
    cache_size.evict(str(folder), 10 ** 6)
    assert sorted(os.listdir(folder / "texts")) == ["new.tmp", "whole"]


@pytest.mark.parametrize("given, size", [("1000", 1000), ("2k", 2048), ("1.5M", 1572864), ("1GB", 2 ** 30), ("0", 0), (" 3 MiB ", 3 * 2 ** 20)])
def test_sizes(monkeypatch, given, size):
    monkeypatch.setenv("TRANSGRAD_CACHE_SIZE", given)
    assert cache_size.limit() == size


def test_what_is_no_size(monkeypatch):
    monkeypatch.setenv("TRANSGRAD_CACHE_SIZE", "much")
    with pytest.warns(CacheWarning, match="'much' is not a size"):
        assert cache_size.limit() == cache_size.DEFAULT


@pytest.mark.parametrize("where", ["/proc/self/transgrad", "/dev/null/transgrad"])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_directory_that_cannot_be_written(monkeypatch, where, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    monkeypatch.setenv("TRANSGRAD_CACHE", where)
    with warnings.catch_warnings():
        warnings.simplefilter("error", CacheWarning)
        assert tg.grad(lambda x: x * x, backend=backend)(3.0) == 6.0


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_full_disk(folder, monkeypatch, backend):
    if backend == "numba":
        pytest.importorskip("numba")

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")
    monkeypatch.setattr(tempfile, "mkstemp", full)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tg.grad(lambda x: x * x * 2.0, backend=backend)(3.0) == 12.0
    assert not list(cache_size.files(str(folder)))


def test_a_user_without_a_home(monkeypatch, tmp_path):
    for name in ("TRANSGRAD_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    monkeypatch.chdir(tmp_path)
    assert cache.base() is None
    assert tg.grad(lambda x: x * x * 5.0)(3.0) == 30.0
    assert os.listdir(tmp_path) == []


def test_no_temporary_directory_either(monkeypatch):
    script = """
import tempfile
def none(*args, **kwargs):
    raise FileNotFoundError("no usable temporary directory")
tempfile.mkdtemp = tempfile.mkstemp = none
import numpy as np, transgrad as tg
def f(x):
    return np.sum(x ** 2)
g = tg.grad(f)
assert g(np.ones(2))[0] == 2.0
import inspect
assert "x_bar" in g.source and inspect.getsource(g.variants[0].function) == g.source
"""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(script)
        file.flush()
        for where in ("off", "/dev/null/x"):
            env = {**os.environ, "PYTHONPATH": str(ROOT), "TRANSGRAD_CACHE": where}
            done = subprocess.run([sys.executable, "-W", "error", file.name], env=env, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


def test_the_command(folder, capsys):
    file = stored(folder)
    assert main(["cache"]) == 0
    out = capsys.readouterr().out
    assert str(folder) in out and "of 512.0 MB in" in out
    os.chmod(file, 0o666)
    assert main(["cache", "info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["directory"] == str(folder) and found["folders"]["texts"]["files"] == 1
    assert found["files"] == sum(f["files"] for f in found["folders"].values())
    assert found["unused"] == [f"other users may write to {file} (mode 666)"]
    (folder / "notes.txt").write_text("not a file of the cache")
    assert main(["cache", "clear", "--json"]) == 0
    cleared = json.loads(capsys.readouterr().out)
    assert cleared["deleted"] == found["files"] and cleared["left"] == 0
    assert os.listdir(folder) == ["notes.txt"]
    assert main(["cache", "clear"]) == 0 and "deleted 0 files" in capsys.readouterr().out


def test_the_command_without_a_cache(monkeypatch, capsys):
    monkeypatch.setenv("TRANSGRAD_CACHE", "off")
    assert main(["cache"]) == main(["cache", "clear"]) == 0
    assert "off (TRANSGRAD_CACHE)" in capsys.readouterr().out
