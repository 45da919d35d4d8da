"""Profiles of nvprof: a file with its tables, read by transgrad and by PyTorch."""
from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from transgrad.autograd import profiler

SCHEMA = """
CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL, UNIQUE (value));
CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (_id_ INTEGER PRIMARY KEY AUTOINCREMENT, flags INT NOT NULL, timestamp INTEGER NOT NULL,
    id INTEGER NOT NULL, objectKind INT NOT NULL, objectId BLOB, name INT NOT NULL, domain INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER PRIMARY KEY AUTOINCREMENT, cbid INT NOT NULL, start INTEGER NOT NULL,
    end INTEGER NOT NULL, processId INT NOT NULL, threadId INT NOT NULL, correlationId INT NOT NULL, returnValue INT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (_id_ INTEGER PRIMARY KEY AUTOINCREMENT, start INTEGER NOT NULL, end INTEGER NOT NULL,
    deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT NULL, correlationId INT NOT NULL, name INT NOT NULL);
"""

RANGES = [("aten::mm, seq=5", 1000, 9000), ("aten::add, seq=6", 10000, 12000), ("step", 500, 20000)]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Two operations inside a step; the first launches a kernel, which runs after the launch returns."""
    path = tmp_path / "trace.prof"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(SCHEMA)
        for marker, (name, start, end) in enumerate(RANGES, 1):
            label = database.execute("INSERT INTO StringTable (value) VALUES (?)", (name,)).lastrowid
            insert = "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER (flags, timestamp, id, objectKind, name, domain) VALUES (?, ?, ?, 2, ?, 0)"
            database.execute(insert, (2, start, marker, label))
            database.execute(insert, (4, end, marker, 0))
        label = database.execute("INSERT INTO StringTable (value) VALUES ('sgemm_128x64')").lastrowid
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (NULL, 211, 2000, 3000, 1, 1, 77, 0)")
        database.execute("INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES (NULL, 15000, 19500, 0, 1, 7, 77, ?)", (label,))
    return path


def test_ranges_and_kernels(trace: Path) -> None:
    events = profiler.load_nvprof(trace)
    assert [(event.name, event.cpu_time_total) for event in events] == [("step", 19500), ("aten::mm, seq=5", 8000), ("aten::add, seq=6", 2000)]
    assert [event.kernels for event in events] == [[kernel := profiler.Kernel("sgemm_128x64", 0, 4500)], [kernel], []]


def test_averages_show_the_device(trace: Path) -> None:
    table = profiler.load_nvprof(trace).key_averages().table(sort_by="cuda_time_total")
    assert "Self CUDA" in table
    assert "Self CUDA time total: 9.000ms" in table


def test_as_torch_reads_it(trace: Path) -> None:
    def seen(events: object) -> list[object]:
        return [(event.id, event.name, event.thread, event.cpu_time_total, [kernel.duration for kernel in event.kernels])
                for event in events]  # type: ignore[attr-defined]

    torch = pytest.importorskip("torch")
    assert seen(profiler.load_nvprof(str(trace))) == seen(torch.autograd.profiler.load_nvprof(str(trace)))


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no nvprof profile"):
        profiler.load_nvprof(tmp_path / "nowhere.prof")
    assert not (tmp_path / "nowhere.prof").exists()


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to be taken for one" * 20])
def test_another_file(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(ValueError, match="not a profile that nvprof wrote"):
        profiler.load_nvprof(tmp_path / "other")


def test_two_ranges_of_one_identifier(trace: Path) -> None:
    with closing(sqlite3.connect(trace)) as database, database:
        database.execute("UPDATE CUPTI_ACTIVITY_KIND_MARKER SET id = 1")
    with pytest.raises(RuntimeError, match="duplicate key"):
        profiler.load_nvprof(trace)
