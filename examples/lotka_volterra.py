"""Fits the Lotka–Volterra model to the lynx and hare counts of the Hudson's Bay Company, 1900–1920.

The model is integrated by a plain Runge–Kutta loop that writes into a preallocated array and calls a helper.  Nothing in it
knows of differentiation: `scipy.optimize` is driven by the derivative that transgrad writes of it.
"""
from __future__ import annotations

import argparse
import pathlib
from typing import Any

import numpy as np
from scipy.optimize import minimize

import transgrad as tg

HERE = pathlib.Path(__file__).parent


def rates(z, p):
    """Growth of hares and lynxes a year."""
    hare, lynx = z
    return np.array([p[0] * hare - p[1] * hare * lynx, p[2] * hare * lynx - p[3] * lynx])


def simulate(z0, p, dt, steps):
    """The trajectory of the populations, by the classical Runge–Kutta method."""
    z = np.empty((steps + 1, 2))
    z[0] = z0
    for k in range(steps):
        k1 = rates(z[k], p)
        k2 = rates(z[k] + 0.5 * dt * k1, p)
        k3 = rates(z[k] + 0.5 * dt * k2, p)
        k4 = rates(z[k] + dt * k3, p)
        z[k + 1] = z[k] + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return z


def misfit(theta, observed, substeps):
    """Squared distance of the logarithms of model and counts; theta holds the logarithms of rates and initial counts."""
    p = np.exp(theta[:4])
    z0 = np.exp(theta[4:])
    z = simulate(z0, p, 1.0 / substeps, substeps * (len(observed) - 1))
    r = np.log(z[::substeps]) - np.log(observed)
    return np.sum(r ** 2)


def load() -> tuple[Any, Any]:
    """The years, and the counts of hare and lynx in thousands of pelts."""
    table = np.loadtxt(HERE / "data" / "hudson_bay_lynx_hare.csv", delimiter=",", skiprows=3)
    return table[:, 0], table[:, 1:]


def fit(observed: Any, substeps: int = 10, iterations: int = 200) -> tuple[Any, Any, float, float]:
    """Fitted rates and initial counts, and the cost before and after."""
    value_and_grad = tg.value_and_grad(misfit)
    start = np.log([1.0, 0.05, 0.02, 1.0, *observed[0]])
    before = misfit(start, observed, substeps)
    found = minimize(value_and_grad, start, args=(observed, substeps), jac=True, method="BFGS", options={"maxiter": iterations})
    return np.exp(found.x[:4]), np.exp(found.x[4:]), float(before), float(found.fun)


def plot(years: Any, observed: Any, p: Any, z0: Any, path: pathlib.Path) -> None:
    """Counts and fitted model as a PNG."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    fine = simulate(z0, p, 0.05, 20 * (len(years) - 1))
    times = years[0] + 0.05 * np.arange(len(fine))
    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    for column, (name, colour) in enumerate([("hare", "tab:blue"), ("lynx", "tab:red")]):
        axes.plot(times, fine[:, column], color=colour, label=f"{name}, fitted model")
        axes.plot(years, observed[:, column], "o", color=colour, markersize=4, label=f"{name}, counted")
    axes.set(xlabel="year", ylabel="pelts (thousands)", title="Lotka–Volterra model of the Hudson's Bay counts",
             xlim=(years[0] - 0.5, years[-1] + 0.5), ylim=(0.0, 1.25 * observed.max()))
    axes.set_xticks(years[::4])
    axes.legend(ncols=2, frameon=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(argv: list[str] | None = None) -> int:
    """Fits, prints and plots."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--substeps", type=int, default=10, help="Runge-Kutta steps a year")
    parser.add_argument("--iterations", type=int, default=200, help="iterations of the optimiser, at most")
    parser.add_argument("--plot", type=pathlib.Path, default=pathlib.Path("out") / "lotka_volterra.png", help="where the plot goes")
    options = parser.parse_args(argv)

    years, observed = load()
    print("The derivative of misfit, as transgrad writes it:\n")
    print(tg.value_and_grad(misfit).source_for(np.zeros(6), observed, options.substeps))
    p, z0, before, after = fit(observed, options.substeps, options.iterations)
    print(f"cost before the fit  {before:10.4f}")
    print(f"cost after the fit   {after:10.4f}\n")
    names = ("hare births", "hares eaten, per lynx", "lynx births, per hare", "lynx deaths", "hares in 1900", "lynxes in 1900")
    for name, value in zip(names, (*p, *z0)):
        print(f"{name:22s} {value:8.4f}")
    plot(years, observed, p, z0, options.plot)
    print(f"\nplot: {options.plot}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
