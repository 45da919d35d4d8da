"""Sample the parameters of a predator-prey model with NUTS: the model is a NumPy loop inside PyMC.

The same model is also written in PyTensor operations, for comparison::

    python examples/lotka_volterra_pymc.py
    python examples/lotka_volterra_pymc.py --draws 200 --tune 200 --only numpy

It prints means, R-hat and seconds for both. It needs ``pip install 'transgrad[pymc]'``.
"""
from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt

import transgrad as tg

START = np.array([33.0, 6.0])
TRUTH = np.array([0.55, 0.028, 0.80, 0.024])
STEP = 0.25
NOISE = 0.1


def populations(rates, start, steps, dt):
    """The populations of prey and predators at each time, by the classical Runge-Kutta method."""
    birth, eaten, death, growth = rates
    prey, predators = start[0], start[1]
    out = np.zeros((steps, 2))
    for k in range(steps):
        out[k, 0] = prey
        out[k, 1] = predators
        dx1 = birth * prey - eaten * prey * predators
        dy1 = growth * prey * predators - death * predators
        x, y = prey + dt / 2 * dx1, predators + dt / 2 * dy1
        dx2 = birth * x - eaten * x * y
        dy2 = growth * x * y - death * y
        x, y = prey + dt / 2 * dx2, predators + dt / 2 * dy2
        dx3 = birth * x - eaten * x * y
        dy3 = growth * x * y - death * y
        x, y = prey + dt * dx3, predators + dt * dy3
        dx4 = birth * x - eaten * x * y
        dy4 = growth * x * y - death * y
        prey = prey + dt / 6 * (dx1 + 2 * dx2 + 2 * dx3 + dx4)
        predators = predators + dt / 6 * (dy1 + 2 * dy2 + 2 * dy3 + dy4)
    return out


def populations_in_pytensor(rates: Any, start: np.ndarray, steps: int, dt: float) -> Any:
    """The same in PyTensor operations."""
    def slope(s: Any, rates: Any) -> Any:
        return pt.stack([rates[0] * s[0] - rates[1] * s[0] * s[1], rates[3] * s[0] * s[1] - rates[2] * s[1]])

    def step(s: Any, rates: Any) -> Any:
        d1 = slope(s, rates)
        d2 = slope(s + dt / 2 * d1, rates)
        d3 = slope(s + dt / 2 * d2, rates)
        d4 = slope(s + dt * d3, rates)
        return s + dt / 6 * (d1 + 2 * d2 + 2 * d3 + d4)

    first = pt.as_tensor(start)
    rest = pytensor.scan(step, outputs_info=[first], non_sequences=[rates], n_steps=steps - 1, strict=True, return_updates=False)
    return pt.concatenate([first[None], rest])


def simulated(steps: int = 40, seed: int = 1) -> np.ndarray:
    """Noisy logarithms of populations."""
    noise = np.random.default_rng(seed).normal(size=(steps, 2))
    return np.log(populations(TRUTH, START, steps, STEP)) + NOISE * noise


def model(data: np.ndarray, kind: str) -> pm.Model:
    """The PyMC model, around the NumPy loop or around PyTensor operations."""
    inner = tg.interop.pytensor.op(populations) if kind == "numpy" else populations_in_pytensor
    with pm.Model() as made:
        rates = pm.LogNormal("rates", mu=np.log([0.5, 0.03, 0.8, 0.03]), sigma=0.5, shape=4)
        pm.Normal("observed", pt.log(inner(rates, START, len(data), STEP)), NOISE, observed=data)
    return made


def sample(data: np.ndarray, kind: str, draws: int = 500, tune: int = 500, chains: int = 2, progressbar: bool = False) -> Any:
    """Sample the model with NUTS."""
    with model(data, kind), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)     # trajectories of the first steps may overflow
        return pm.sample(draws=draws, tune=tune, chains=chains, cores=1, random_seed=0, progressbar=progressbar,
                         compute_convergence_checks=False)


def main() -> None:
    """Sample both models, and print how they compare."""
    import arviz
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--tune", type=int, default=1000)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--only", choices=("numpy", "pytensor"))
    given = parser.parse_args()
    data = simulated(given.steps)
    for kind in (given.only,) if given.only else ("numpy", "pytensor"):
        start = time.perf_counter()
        trace = sample(data, kind, given.draws, given.tune, given.chains, progressbar=True)
        seconds = time.perf_counter() - start
        summary = arviz.summary(trace)
        print(f"{kind}: {seconds:.0f} s, largest R-hat {summary['r_hat'].max():.3f}")
        print(summary[["mean", "sd", "ess_bulk", "r_hat"]].to_string())


if __name__ == "__main__":
    main()
