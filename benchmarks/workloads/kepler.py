"""Newton's method in a ``while`` loop: Kepler's equation at many times, in plain Python."""
import importlib
import math

import numpy as np

from ..workload import Cannot, Rewritten, Workload


def mean_distance(eccentricity, first, step, count, tol):
    total = 0.0
    for k in range(count):
        mean = first + k * step
        anomaly = mean
        change = 1.0
        while abs(change) > tol:
            change = (anomaly - eccentricity * math.sin(anomaly) - mean) / (1.0 - eccentricity * math.cos(anomaly))
            anomaly -= change
        total += 1.0 - eccentricity * math.cos(anomaly)
    return total / count


def by_hand(eccentricity, first, step, count, tol):
    """Each solve is reversed right after it is done, as its cotangent is known: one short list serves all of them."""
    scale = 1.0 / count
    eccentricity_bar = first_bar = step_bar = 0.0
    for k in range(count):
        mean = first + k * step
        anomaly = mean
        change = 1.0
        kept = []
        while abs(change) > tol:
            sine, cosine = math.sin(anomaly), math.cos(anomaly)
            slope = 1.0 - eccentricity * cosine
            change = (anomaly - eccentricity * sine - mean) / slope
            kept.append((sine, cosine, slope, change))
            anomaly -= change
        eccentricity_bar -= scale * math.cos(anomaly)
        anomaly_bar = scale * eccentricity * math.sin(anomaly)
        mean_bar = 0.0
        for sine, cosine, slope, change in reversed(kept):
            residual_bar = -anomaly_bar / slope
            slope_bar = -residual_bar * change
            mean_bar -= residual_bar
            eccentricity_bar -= residual_bar * sine + slope_bar * cosine
            anomaly_bar += residual_bar * slope + slope_bar * eccentricity * sine
        mean_bar += anomaly_bar
        first_bar += mean_bar
        step_bar += k * mean_bar
    return eccentricity_bar, first_bar, step_bar


def for_numba(eccentricity, first, step, count, tol):
    """The anomalies alone are kept, as an array that grows when it has to; sines are computed again."""
    scale = 1.0 / count
    eccentricity_bar = first_bar = step_bar = 0.0
    kept = np.empty(64)
    for k in range(count):
        mean = first + k * step
        anomaly = mean
        change = 1.0
        n = 0
        while abs(change) > tol:
            if n == len(kept):
                kept = np.concatenate((kept, np.empty(n)))
            kept[n] = anomaly
            n += 1
            change = (anomaly - eccentricity * math.sin(anomaly) - mean) / (1.0 - eccentricity * math.cos(anomaly))
            anomaly -= change
        eccentricity_bar -= scale * math.cos(anomaly)
        anomaly_bar = scale * eccentricity * math.sin(anomaly)
        mean_bar = 0.0
        for i in range(n - 1, -1, -1):
            sine, cosine = math.sin(kept[i]), math.cos(kept[i])
            slope = 1.0 - eccentricity * cosine
            change = (kept[i] - eccentricity * sine - mean) / slope
            residual_bar = -anomaly_bar / slope
            slope_bar = -residual_bar * change
            mean_bar -= residual_bar
            eccentricity_bar -= residual_bar * sine + slope_bar * cosine
            anomaly_bar += residual_bar * slope + slope_bar * eccentricity * sine
        mean_bar += anomaly_bar
        first_bar += mean_bar
        step_bar += k * mean_bar
    return eccentricity_bar, first_bar, step_bar


def in_jax():
    """The root by its implicit function, which is how a ``while_loop`` has a gradient; all solves side by side."""
    import jax
    import jax.numpy as jnp

    def f(eccentricity, first, step, count, tol):
        def anomaly(mean):
            def residual(x):
                return x - eccentricity * jnp.sin(x) - mean

            def solve(residual, start):
                def newton(state):
                    change = residual(state[0]) / (1.0 - eccentricity * jnp.cos(state[0]))
                    return state[0] - change, change
                return jax.lax.while_loop(lambda state: jnp.abs(state[1]) > tol, newton, (start, jnp.ones_like(start)))[0]
            return jax.lax.custom_root(residual, mean, solve, lambda g, y: y / g(1.0))
        return jnp.mean(1.0 - eccentricity * jnp.cos(jax.vmap(anomaly)(first + step * jnp.arange(count))))
    return f


def with_functions_of(numpy):
    """The same text, with the sines of another module: those of ``math`` take numbers only, as does ``abs`` of some."""
    def f(eccentricity, first, step, count, tol):
        total = 0.0
        for k in range(count):
            mean = first + k * step
            anomaly = mean
            change = 1.0
            while change > tol or change < -tol:
                change = (anomaly - eccentricity * numpy.sin(anomaly) - mean) / (1.0 - eccentricity * numpy.cos(anomaly))
                anomaly = anomaly - change
            total = total + 1.0 - eccentricity * numpy.cos(anomaly)
        return total / count
    return f


def module(name):
    """The function with the sines of a module."""
    return Rewritten(lambda: with_functions_of(importlib.import_module(name)))


def arguments(rng, count):
    return 0.6, 0.2, 0.03, count, 1e-12


workload = Workload(mean_distance, by_hand, arguments, {"200 solves": 200}, tiny=5, wrt=(0, 1, 2), limit="loop", numba=for_numba,
                    peers={"jax": Rewritten(in_jax), "torch": module("torch"), "autograd": module("autograd.numpy"),
                           "mygrad": module("mygrad"), "casadi": Cannot("the trip count depends on the data")},
                    reasons={
                        "by hand": "the slope is computed again in the reverse of a solve; by hand, it is kept",
                        "primal": "the same",
                        "by hand, Numba": "lists of lists where the number of turns is not known; an array that grows, or reversing "
                            "each solve at once, would do",
                        "primal, Numba": "lists of lists where the number of turns is not known",
                        "JAX, jitted": "JAX differentiates the root, not the iteration (custom_root); transgrad.custom_root does the "
                            "same",
                    })
