"""Functions that optimisers are tried on, and time series."""
from __future__ import annotations

import numpy as np

from .entry import Entry, entry

__all__ = ["ENTRIES"]

_X = np.array([0.6, -0.8, 1.7, 0.35])
_SERIES = np.array([0.3, 1.1, 0.7, -0.4, 0.9, 1.6, 0.2, -0.8, 0.5, 1.3, 0.05, -0.6, 0.75, 1.9, -0.15, 0.65])

ENTRIES: tuple[Entry, ...] = (
    entry("deap.benchmarks:ackley", _X, reduce="r[0]"),
    entry("deap.benchmarks:griewank", _X, reduce="r[0]"),
    entry("deap.benchmarks:rastrigin", _X, reduce="r[0]"),
    entry("deap.benchmarks:schwefel", _X * 100, reduce="r[0]"),
    entry("deap.benchmarks:rosenbrock", _X, reduce="r[0]"),
    entry("deap.benchmarks:himmelblau", _X[:2], reduce="r[0]"),
    entry("deap.benchmarks:bohachevsky", _X, reduce="r[0]"),
    entry("deap.benchmarks:schaffer", _X, reduce="r[0]"),
    entry("deap.benchmarks:shekel", _X[:2], np.array([[0.1, 0.2], [0.5, 0.6]]), np.array([0.3, 0.4]), wrt=(0,), reduce="r[0]"),
    entry("deap.benchmarks:kursawe", _X, reduce="r[0]+r[1]"),
    entry("deap.benchmarks:zdt3", np.abs(_X) / 2, reduce="r[0]+r[1]"),
    entry("deap.benchmarks:dtlz2", np.abs(_X) / 2, 2, wrt=(0,), reduce="r[0]+2*r[1]"),
    entry("deap.benchmarks:fonseca", _X[:3], reduce="r[0]+r[1]"),
    entry("deap.benchmarks:poloni", _X[:2], reduce="r[0]+r[1]"),
    entry("deap.benchmarks:h1", _X[:2] * 10, reduce="r[0]"),
    entry("cma.fitness_functions:FitnessFunctions().elli", _X),
    entry("cma.fitness_functions:FitnessFunctions().rosen", _X),
    entry("cma.fitness_functions:FitnessFunctions().cigtab", _X),
    entry("cma.fitness_functions:FitnessFunctions().diffpow", _X),
    entry("cma.fitness_functions:FitnessFunctions().rastrigin", _X),
    entry("cma.fitness_functions:FitnessFunctions().schwefelelli", _X),
    entry("cma.fitness_functions:FitnessFunctions().griewank", _X),
    entry("cma.fitness_functions:FitnessFunctions().trid", _X),
    entry("cma.fitness_functions:FitnessFunctions().levy", _X),
    entry("emcee.autocorr:function_1d", _SERIES, reduce="np.sum(r*np.arange(16.))"),
    entry("emcee.autocorr:integrated_time", np.tile(_SERIES, 8) + np.sin(np.arange(128.0)), 1, 2.0, 5, True, wrt=(0,), reduce="r[0]"),
    entry("pybaselines.whittaker:asls", _SERIES + 2, reduce="np.sum(r[0]*np.arange(16.))"),
    entry("pybaselines.polynomial:poly", _SERIES + 2, reduce="np.sum(r[0]*np.arange(16.))"),
)
