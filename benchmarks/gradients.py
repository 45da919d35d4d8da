"""Derivatives of whole programs: ours, those written by hand, and those of other tools.

``python -m benchmarks.gradients [NAME ...] [--write]`` measures the workloads named (all of them where none is), each in a process
of its own, and prints the tables; with ``--write`` they go into the documentation, with plots.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
from typing import Any

from . import report
from .measure import Row, measure
from .workload import names

__all__ = ["main"]

MEMORY = 8 * 2 ** 30
KEPT = pathlib.Path(__file__).parent.parent / "docs" / "explanation" / "figures" / "gradients.json"


def _alone(name: str) -> list[Row]:
    """The rows of a workload from a process of its own, on one processor and with nothing compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "TRANSGRAD_CACHE": f"{folder}/transgrad", "NUMBA_CACHE_DIR": f"{folder}/numba"}
        subprocess.run([sys.executable, "-m", "benchmarks.gradients", "--alone", name, f"{folder}/rows.json"], env=env, check=True)
        return [Row(**row) for row in json.loads(pathlib.Path(folder, "rows.json").read_text())]


def _measure_here(name: str, path: str) -> None:
    if hasattr(os, "sched_setaffinity"):    # one processor for every tool, whatever it thinks of threads
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[os.getpid() % len(allowed)]})
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    pathlib.Path(path).write_text(json.dumps([dataclasses.asdict(row) for row in measure(name)]))


def kept() -> dict[str, Any]:
    """The measurements that are kept in the documentation."""
    found: dict[str, Any] = json.loads(KEPT.read_text())
    return {**found, "rows": [Row(**row) for row in found["rows"]]}


def main(chosen: list[str] | None = None, write: bool = False) -> bool:
    """Measures and prints; whether all limits hold."""
    rows: list[Row] = []
    for name in chosen or names():
        print(f"  {name}", file=sys.stderr, flush=True)
        rows += _alone(name)
    machine = report.machine()
    if write:
        old = kept()["rows"] if chosen and KEPT.exists() else []
        order = names()
        rows = sorted([r for r in old if r.workload not in chosen] + rows if chosen else rows, key=lambda r: order.index(r.workload))
        KEPT.parent.mkdir(exist_ok=True)
        KEPT.write_text(json.dumps({"machine": machine, "rows": [dataclasses.asdict(row) for row in rows]}, indent=1) + "\n")
        from . import plots
        plots.draw(rows, KEPT.parent)
        report.insert(rows, machine)
    print(report.markdown(rows, machine))
    return not any(report.over(rows))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gradients", description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--write", action="store_true", help="write docs/explanation/performance.md and its figures")
    parser.add_argument("--render", action="store_true", help="write again what was measured last, measuring nothing")
    parser.add_argument("--alone", nargs=2, metavar=("NAME", "PATH"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        _measure_here(*given.alone)
    elif given.render:
        from . import plots
        found = kept()
        plots.draw(found["rows"], KEPT.parent)
        report.insert(found["rows"], found["machine"])
    else:
        raise SystemExit(not main(given.names, given.write))
