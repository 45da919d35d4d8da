"""Newton's method in a ``while`` loop: Kepler's equation at many times, in plain Python."""
import math

import numpy as np

from ..workload import Workload


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


def arguments(rng, count):
    return 0.6, 0.2, 0.03, count, 1e-12


workload = Workload(mean_distance, by_hand, arguments, {"200 solves": 200}, tiny=5, wrt=(0, 1, 2), limit="loop", numba=for_numba)
