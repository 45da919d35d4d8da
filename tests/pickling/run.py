"""Compares what a callable returns in another process with what it returns in this one."""
from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from transgrad import tree

from .functions import FUNCTIONS
from .transformations import TRANSFORMATIONS
from .transports import TRANSPORTS, Job, run


def equal(a: Any, b: Any) -> bool:
    """Whether two results agree in class, structure, dtype, shape and every number."""
    if isinstance(a, Exception):
        return type(a) is type(b) and str(a) == str(b)
    if hasattr(a, "toarray"):
        return type(a) is type(b) and equal(a.toarray(), b.toarray())
    left, form = tree.flatten(a)
    right, other = tree.flatten(b)
    return form == other and all(type(p) is type(q) and np.asarray(p).dtype == np.asarray(q).dtype
                                 and np.array_equal(p, q, equal_nan=True) for p, q in zip(left, right))


def jobs(functions: Sequence[str], transformations: Sequence[str]) -> Iterator[tuple[str, Job]]:
    """The callables that can be made, by name."""
    for name in functions:
        f, x = FUNCTIONS[name]
        for transformation in transformations:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    yield f"{transformation} of {name}", TRANSFORMATIONS[transformation](f, x)
                except Exception:       # this function has no such derivative, here or elsewhere
                    continue


def compared(functions: Sequence[str], transformations: Sequence[str], transports: Sequence[str]) -> tuple[int, int, list[str]]:
    """How many results were compared, how many of them are exceptions here and there, and those that differ."""
    made = list(jobs(functions, transformations))
    expected = [run(job) for _, job in made]
    failed = sum(isinstance(x, Exception) for x in expected)
    wrong = []
    for transport in transports:
        found = TRANSPORTS[transport]([job for _, job in made])
        wrong += [f"{name} by {transport}: {b!r} instead of {a!r}" for (name, _), a, b in zip(made, expected, found, strict=True)
                  if not equal(a, b)]
    return len(made) * len(transports), failed * len(transports), wrong
