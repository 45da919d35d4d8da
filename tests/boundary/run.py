"""One case of the cross product: a container, a function and a transformation."""
from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import transgrad as tg

from .containers import CONTAINERS, leaves
from .functions import FUNCTIONS
from .oracle import gradient
from .transformations import TRANSFORMATIONS, Case

__all__ = ["cases", "judged"]


def _drawn(container: str, rng: np.random.Generator) -> Any:
    return CONTAINERS[container](lambda *shape: rng.uniform(0.5, 1.5, shape) if shape else float(rng.uniform(0.5, 1.5)))


def cases(seed: int = 0) -> list[tuple[str, str]]:
    """The functions and the containers that they take, and of which they are real and differentiable."""
    found = []
    for container in CONTAINERS:
        for function, f in FUNCTIONS.items():
            x = _drawn(container, np.random.default_rng(seed))
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    value = f(x)
                    gradient(f, x)
            except Exception:
                continue
            if np.ndim(value) == 0 and np.asarray(value).dtype.kind == "f":
                found.append((function, container))
    return found


def judged(transformation: str, function: str, container: str, seed: int = 0, **options: Any) -> str | None:
    """What is wrong with a transformation of a function of a container; None where nothing is, 'refused: …' where it says so."""
    rng = np.random.default_rng(seed)
    f, x = FUNCTIONS[function], _drawn(container, rng)
    before = [np.array(leaf) for leaf in leaves(x)]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wrong = TRANSFORMATIONS[transformation](Case(f, x, gradient(f, x), rng, options))
    except tg.TransgradError as error:
        return f"refused: {error.reason}"
    if wrong is None and not all(map(np.array_equal, before, leaves(x))):
        return "the argument was written to"
    return wrong
