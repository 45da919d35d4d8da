"""Runs mutants in a copy of the source, each on the tests that execute its line, and stops at the first failure."""
from __future__ import annotations

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .mutators import Mutant, mutants
from .targets import ROOT, recorded

__all__ = ["Verdict", "files", "run"]

PACKAGES = ("rules", "passes", "frontend", "ir", "transforms", "emit", "runtime")


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant: ``killed`` (by a test), ``timed out``, ``survived``, or ``not covered`` by any candidate test."""

    mutant: Mutant
    kind: str
    by: str = ""
    tests: int = 0
    seconds: float = 0.0


def files(only: Sequence[str] = ()) -> list[str]:
    """The files that are mutated."""
    found = [str(p.relative_to(ROOT)) for package in PACKAGES for p in sorted((ROOT / "transgrad" / package).rglob("*.py")) if p.name != "__init__.py"]
    return [f for f in found if not only or any(o in f for o in only)]


class Copy:
    """A copy of the source, with tests and their data, that mutants are written into."""

    def __init__(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="mutation-"))
        shutil.copytree(ROOT / "transgrad", self.folder / "transgrad", ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("tests", "examples", "docs", "benchmarks", "pyproject.toml", "README.md", "CHANGELOG.md", "Makefile"):
            os.symlink(ROOT / name, self.folder / name)

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, mutant: Mutant, tests: Sequence[str], timeout: int) -> tuple[str, str]:
        """Whether a test fails, and which."""
        place = self.folder / mutant.file
        old = place.read_text()
        place.write_text(mutant.text)
        env = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "TRANSGRAD_CACHE": "off"}
        try:
            done = subprocess.run([sys.executable, "-m", "pytest", "-x", "-q", "--no-header", "-p", "no:cacheprovider", "--rootdir", str(self.folder),
                                   "--tb=no", "-rf", *tests], cwd=self.folder, env=env, capture_output=True, text=True, timeout=timeout)
        except subprocess.TimeoutExpired:
            return "timed out", ""
        finally:
            place.write_text(old)
        if done.returncode == 0:
            return "survived", ""
        first = next((line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))), done.stdout.strip()[-200:])
        return "killed", first[:200]


def run(seed: int, count: int, only: Sequence[str], cache: pathlib.Path, per_file: int, most_tests: int, timeout: int) -> Iterator[Verdict]:
    """The verdicts of ``count`` mutants, drawn file by file."""
    cache.mkdir(parents=True, exist_ok=True)
    rng = random.Random(seed)
    chosen = files(only)
    rng.shuffle(chosen)
    copy, done = Copy(), 0
    try:
        for file in chosen:
            if done >= count:
                break
            try:
                lines, _ = recorded(file, cache, timeout * 10)
            except subprocess.TimeoutExpired:
                continue
            covered = frozenset(lines)
            every = list(mutants(file, (ROOT / file).read_text(), covered or None))
            for mutant in rng.sample(every, min(per_file, len(every), count - done)):
                done += 1
                tests = _spread(lines.get(mutant.line, []), most_tests, rng)
                if not tests:
                    yield Verdict(mutant, "not covered")
                    continue
                begin = time.monotonic()
                kind, by = copy.run(mutant, tests, timeout)
                yield Verdict(mutant, kind, by, len(tests), time.monotonic() - begin)
    finally:
        copy.close()


def _spread(tests: Sequence[str], most: int, rng: random.Random) -> list[str]:
    """At most so many tests, from as many files as possible, in the order of their files."""
    if len(tests) <= most:
        return list(tests)
    by_file: dict[str, list[str]] = {}
    for test in tests:
        by_file.setdefault(test.partition("::")[0], []).append(test)
    for group in by_file.values():
        rng.shuffle(group)
    found: list[str] = []
    while len(found) < most:
        for group in by_file.values():
            if group and len(found) < most:
                found.append(group.pop())
    return sorted(found)
