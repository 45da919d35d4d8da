"""Trials in a child process: PyTorch may crash, which must not end a run of thousands."""
from __future__ import annotations

import importlib
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from .trial import Outcome, replay, shrink, trial

__all__ = ["CRASHED", "Child", "compared", "shortened"]

CRASHED = "PyTorch crashed"
T = TypeVar("T")


class Child:
    """A process that calls functions, and is started anew after it has died."""

    pool: ProcessPoolExecutor | None = None

    def call(self, f: Callable[..., T], *args: Any) -> T:
        """``f(*args)``; BrokenProcessPool where the process has died of it."""
        if self.pool is None:
            self.pool = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
        try:
            return self.pool.submit(f, *args).result()
        except BrokenProcessPool:
            self.pool = None
            raise

    def close(self) -> None:
        """End the process."""
        if self.pool is not None:
            self.pool.shutdown()


def compared(child: Child, seed: int, ours: str, more: str = "") -> Outcome:
    """`trial` in the child. Where that dies, and dies again with PyTorch on both sides, the graph is cut; else it is a difference."""
    try:
        return child.call(_trial, seed, ours, more)
    except BrokenProcessPool:
        pass
    try:
        program = child.call(_trial, seed, "torch", more).program
    except BrokenProcessPool:
        return Outcome([], [], CRASHED)
    return Outcome(program, [f"{ours} crashed"])


def shortened(child: Child, seed: int, outcome: Outcome, ours: str) -> list[str]:
    """The shortest program that differs and its differences, as they are printed; where shorter ones crash, the whole program."""
    try:
        return child.call(_shortened, seed, outcome.program, ours)
    except BrokenProcessPool:
        return [*outcome.program, *(f"    {line}" for line in outcome.differences[:4])]


def _trial(seed: int, ours: str, more: str) -> Outcome:
    return trial(seed, importlib.import_module("torch"), importlib.import_module(ours), more)


def _shortened(seed: int, program: list[str], ours: str) -> list[str]:
    libraries = importlib.import_module("torch"), importlib.import_module(ours)
    least = shrink(program, *libraries, bool(seed % 2))
    return [*least, *(f"    {line}" for line in replay(least, *libraries, bool(seed % 2))[:4])]
