"""Maximum likelihood through a Kalman filter: the annual flow of the Nile as a random walk with drift, observed with noise.

The filter is written for matrices of any size; the variances of the model are found by following the gradient of its
log-likelihood.
"""
from __future__ import annotations

import argparse
import pathlib
from typing import Any

import numpy as np
from scipy.optimize import minimize

import transgrad as tg

HERE = pathlib.Path(__file__).parent
TRANSITION = np.array([[1.0, 1.0], [0.0, 1.0]])
OBSERVATION = np.array([[1.0, 0.0]])


def log_likelihood(y, transition, observation, q, r, mean, covariance):
    """Log-likelihood of the observations (a row a time) under a linear Gaussian state-space model."""
    total = 0.0
    for row in y:
        innovation = row - observation @ mean
        s = observation @ covariance @ observation.T + r
        gain = np.linalg.solve(s, observation @ covariance).T
        _, logdet = np.linalg.slogdet(2.0 * np.pi * s)
        total -= 0.5 * (logdet + innovation @ np.linalg.solve(s, innovation))
        mean = transition @ (mean + gain @ innovation)
        covariance = transition @ (covariance - gain @ observation @ covariance) @ transition.T + q
    return total


def cost(theta, y):
    """Negative log-likelihood a year; theta holds the logarithms of the two variances."""
    noise, drive = np.exp(theta)
    q = np.zeros((2, 2))
    q[0, 0] = drive
    r = noise * np.eye(1)
    mean = np.array([y[0, 0], 0.0])
    return -log_likelihood(y[1:], TRANSITION, OBSERVATION, q, r, mean, np.diag([1e6, 1e2])) / len(y)


def load() -> Any:
    """The flow, a row a year."""
    return np.loadtxt(HERE / "data" / "nile.csv", delimiter=",", skiprows=3)[:, 1:]


def fit(y: Any, iterations: int = 100) -> Any:
    """The result of the optimiser."""
    start = np.log([np.var(y) / 2.0, np.var(y) / 2.0])
    return minimize(tg.value_and_grad(cost), start, args=(y,), jac=True, method="BFGS", options={"maxiter": iterations})


def main(argv: list[str] | None = None) -> int:
    """Fits and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=100, help="iterations of the optimiser, at most")
    parser.add_argument("--years", type=int, default=100, help="how many years to use")
    options = parser.parse_args(argv)

    y = load()[:options.years]
    start = np.log([np.var(y) / 2.0, np.var(y) / 2.0])
    print(tg.value_and_grad(cost).source_for(start, y))
    found = fit(y, options.iterations)
    noise, drive = np.exp(found.x)
    print(f"negative log-likelihood a year: {cost(start, y):.4f} before, {found.fun:.4f} after ({found.nit} iterations)")
    print(f"variance of the observation noise {noise:9.1f}")
    print(f"variance of the level's steps     {drive:9.1f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
