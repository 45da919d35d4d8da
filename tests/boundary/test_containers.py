"""A fixed sample of the cross product of containers, functions and transformations (`python -m tests.boundary` runs all of it)."""
from __future__ import annotations

import random

import pytest

from .containers import CONTAINERS
from .functions import FUNCTIONS
from .run import cases, judged
from .transformations import TRANSFORMATIONS

COUNT = 160
#: each function and each container at least once, and others by chance
SAMPLE = sorted({(random.Random(f"{t}{f}{c}").random(), t, f, c) for f, c in cases() for t in TRANSFORMATIONS})[:COUNT]
FIRST = sorted({f: c for f, c in random.Random(0).sample(cases(), len(cases()))}.items())
LATER = sorted({c: f for f, c in random.Random(1).sample(cases(), len(cases()))}.items())


def _check(transformation: str, function: str, container: str, **options: str) -> None:
    wrong = judged(transformation, function, container, **options)
    assert wrong is None or wrong.startswith("refused"), wrong


@pytest.mark.parametrize(("transformation", "function", "container"), [case[1:] for case in SAMPLE])
def test_sample(transformation: str, function: str, container: str) -> None:
    _check(transformation, function, container)


@pytest.mark.parametrize(("function", "container"), FIRST)
def test_each_function(function: str, container: str) -> None:
    _check("grad", function, container, fallback="error")


@pytest.mark.parametrize(("container", "function"), LATER)
def test_each_container(container: str, function: str) -> None:
    _check("jvp", function, container)


def test_nothing_is_left_out() -> None:
    assert {f for f, _ in cases()} == set(FUNCTIONS)
    assert {c for _, c in cases()} == set(CONTAINERS)


@pytest.mark.parametrize("function", ["concatenate", "vstack", "array", "sum", "mean", "norm", "starred_subtract"])
@pytest.mark.parametrize("container", ["tuple of matrices", "list of vectors"])
@pytest.mark.parametrize("transformation", ["grad", "vjp", "jvp", "linearize"])
def test_compiled(transformation: str, function: str, container: str) -> None:
    assert judged(transformation, function, container, fallback="error") is None
