"""Control of the heat equation: how to heat one end of a rod so that it ends up with a wanted temperature profile.

The temperature is stepped in place, by slices of one array; the gradient runs back through the same slices.
"""
from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from scipy.optimize import minimize

import transgrad as tg


def diffuse(u, heating, conduction, dt):
    """Steps the temperatures u in place, once for each entry of the heating at the left end."""
    for power in heating:
        u[1:-1] += conduction * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u[0] += conduction * 2.0 * (u[1] - u[0]) + dt * power
        u[-1] += conduction * 2.0 * (u[-2] - u[-1])


def cost(heating, start, target, conduction, dt, price):
    """Squared distance from the target at the end, and the price of the power that was used."""
    u = start.copy()
    diffuse(u, heating, conduction, dt)
    return np.mean((u - target) ** 2) + price * np.mean(heating ** 2)


def problem(points: int, steps: int) -> tuple[Any, Any, float, float, float]:
    """Start and target profile, the number of the scheme, the time step and the price of power."""
    x = np.linspace(0.0, 1.0, points)
    conduction = 0.4
    dt = conduction / (points - 1) ** 2
    horizon = dt * steps
    return np.zeros(points), np.exp(-3.0 * x), conduction, dt * (points - 1), 1e-5 * horizon


def fit(points: int = 41, steps: int = 400, iterations: int = 200) -> Any:
    """The result of the optimiser; the power is bounded."""
    return minimize(tg.value_and_grad(cost), np.zeros(steps), args=problem(points, steps), jac=True, method="L-BFGS-B",
                    bounds=[(0.0, 25.0)] * steps, options={"maxiter": iterations})


def main(argv: list[str] | None = None) -> int:
    """Optimises and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=41, help="points along the rod")
    parser.add_argument("--steps", type=int, default=400, help="time steps")
    parser.add_argument("--iterations", type=int, default=200, help="iterations of the optimiser, at most")
    options = parser.parse_args(argv)

    settings = problem(options.points, options.steps)
    print(tg.value_and_grad(cost).source_for(np.zeros(options.steps), *settings))
    found = fit(options.points, options.steps, options.iterations)
    start, target, conduction, dt, _ = settings
    u = start.copy()
    diffuse(u, found.x, conduction, dt)
    print(f"cost before {cost(np.zeros(options.steps), *settings):.6f}, after {found.fun:.6f} ({found.nit} iterations)")
    print(f"largest distance from the target {np.max(np.abs(u - target)):.4f}")
    tenths = np.array_split(found.x, 10)
    print("heating in each tenth of the time  " + " ".join(f"{np.mean(part):5.2f}" for part in tenths))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
