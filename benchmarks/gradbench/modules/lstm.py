"""GradBench's ``lstm``: the mean log likelihood of the next character under a network with diagonal weights."""
from __future__ import annotations

import numpy as np

import transgrad as tg

from ...workloads.lstm import objective
from ..entry import Entry, array, compiled, encoded

__all__ = ["functions", "objective"]


def functions(backend: str) -> dict[str, Entry]:
    def arguments(given):
        return tuple(array(given[name]) for name in ("main_params", "extra_params", "state", "sequence"))

    def flat(gradient):
        main, extra = gradient
        return encoded(np.concatenate([main.ravel(), extra.ravel()]))

    return {
        "objective": Entry(arguments, compiled(objective, backend)),
        "jacobian": Entry(arguments, tg.grad(objective, argnums=(0, 1), backend=backend), flat),
    }
