"""Exported modules give the results of the derivatives without transgrad: a sample of ``python -m tests.corpus.exports``."""
from __future__ import annotations

import pathlib
import zlib

import numpy as np
import pytest

from transgrad.transforms.derivative import Derivative

from .exports import GROUPS, TRANSFORMATIONS, Program, Trial, examine, programs

#: One program in this many is exported in the transformations other than the gradient; of the large groups, for the gradient too.
ONE_IN = 40
ONE_IN_LARGE = 5


def _sample(found: list[Program], one_in: int) -> list[Program]:
    return [p for p in found if zlib.crc32(p.name.encode()) % one_in == 0]


def _problems(trials: list[Trial]) -> list[str]:
    return [f"{t.program.name}: {t.status}: {t.reason}" for t in trials if t.status in ("wrong", "not exported")]


@pytest.mark.parametrize("group", GROUPS)
def test_gradients(group: str, tmp_path: pathlib.Path) -> None:
    sample = _sample(programs(group), ONE_IN_LARGE if group in ("everyday", "uses") else 1)
    trials = examine([(program, "grad") for program in sample], tmp_path)
    assert not _problems(trials)
    assert sum(t.status == "ok" for t in trials) > 0.9 * len(trials)


@pytest.mark.parametrize("transformation", [t for t in TRANSFORMATIONS if t != "grad"])
def test_a_sample_in_other_transformations(transformation: str, tmp_path: pathlib.Path) -> None:
    sample = _sample([p for group in GROUPS for p in programs(group)], ONE_IN)
    trials = examine([(program, transformation) for program in sample], tmp_path)
    assert not _problems(trials)
    assert sum(t.status == "ok" for t in trials) > 0.8 * len(trials)


@pytest.mark.parametrize(("change", "to", "problem"), [("3 *", "2 *", "same: "), ("    assert", "    True or", "other variant: ")])
def test_damage_is_noticed(change: str, to: str, problem: str, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    whole = Derivative.exported
    monkeypatch.setattr(Derivative, "exported", lambda self: whole(self).replace(change, to))
    cubes = Program("cubes", _cubes, (np.array([1.0, 2.0]),), {}, (0,))
    trial, = examine([(cubes, "grad")], tmp_path)
    assert trial.status == "wrong" and trial.reason.startswith(problem)


def _cubes(x):
    return np.sum(x ** 3 * np.array([1.0, 2.0]))
