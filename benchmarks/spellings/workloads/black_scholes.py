"""The price of a European call by explicit finite differences for the Black-Scholes equation."""
import numpy as np

from ..workload import Spellings

STRIKE, TIME = 50.0, 0.25


def slices(volatility, rate, s, steps):
    dt, ds = TIME / steps, s[1] - s[0]
    v = np.maximum(s - STRIKE, 0.0)
    for t in range(steps):
        delta = (v[2:] - v[:-2]) / (2 * ds)
        gamma = (v[2:] - 2 * v[1:-1] + v[:-2]) / ds ** 2
        theta = 0.5 * volatility ** 2 * s[1:-1] ** 2 * gamma + rate * s[1:-1] * delta - rate * v[1:-1]
        new = v.copy()
        new[1:-1] = v[1:-1] + dt * theta
        new[-1] = s[-1] - STRIKE * np.exp(-rate * (t + 1) * dt)
        v = new
    return v[len(s) // 2]


def coefficients(volatility, rate, s, steps):
    n = len(s)
    dt = TIME / steps
    j = np.arange(1, n - 1)
    a = 0.5 * dt * (volatility ** 2 * j ** 2 - rate * j)
    b = 1 - dt * (volatility ** 2 * j ** 2 + rate)
    c = 0.5 * dt * (volatility ** 2 * j ** 2 + rate * j)
    v = np.where(s > STRIKE, s - STRIKE, 0.0)
    for t in range(steps):
        v[1:-1] = a * v[:-2] + b * v[1:-1] + c * v[2:]
        v[-1] = s[-1] - STRIKE * np.exp(-rate * (t + 1) * dt)
    return v[n // 2]


def scalar_loops(volatility, rate, s, steps):
    dt, ds, n = TIME / steps, s[1] - s[0], len(s)
    v = [max(x - STRIKE, 0.0) for x in s]
    for t in range(steps):
        new = [v[0]]
        for i in range(1, n - 1):
            delta = (v[i + 1] - v[i - 1]) / (2 * ds)
            gamma = (v[i + 1] - 2 * v[i] + v[i - 1]) / (ds * ds)
            new.append(v[i] + dt * (0.5 * (volatility * s[i]) ** 2 * gamma + rate * s[i] * delta - rate * v[i]))
        new.append(s[n - 1] - STRIKE * np.exp(-rate * (t + 1) * dt))
        v = new
    return v[n // 2]


def history(volatility, rate, s, steps):
    dt, ds, n = TIME / steps, s[1] - s[0], len(s)
    v = np.zeros((steps + 1, n))
    v[0] = np.maximum(s - STRIKE, 0)
    v[:, -1] = s[-1] - STRIKE * np.exp(-rate * dt * np.arange(steps + 1))
    for t in range(steps):
        for i in range(1, n - 1):
            delta = (v[t, i + 1] - v[t, i - 1]) / (2 * ds)
            gamma = (v[t, i + 1] - 2 * v[t, i] + v[t, i - 1]) / ds ** 2
            v[t + 1, i] = v[t, i] + dt * (0.5 * volatility ** 2 * s[i] ** 2 * gamma + rate * (s[i] * delta - v[t, i]))
    return v[steps, n // 2]


def operator_of(volatility, rate, s):
    ds = s[1] - s[0]
    diffusion, drift = 0.5 * (volatility * s / ds) ** 2, 0.5 * rate * s / ds
    l = np.diag(-2 * diffusion - rate) + np.diag((diffusion + drift)[:-1], 1) + np.diag((diffusion - drift)[1:], -1)
    inner = np.ones(len(s))
    inner[0] = inner[-1] = 0.0
    return l * inner[:, None]


def matrix(volatility, rate, s, steps):
    dt = TIME / steps
    step = np.eye(len(s)) + dt * operator_of(volatility, rate, s)
    last = np.zeros(len(s))
    last[-1] = 1.0
    v = np.maximum(s - STRIKE, 0.0)
    for t in range(steps):
        v = (step @ v) * (1 - last) + last * (s[-1] - STRIKE * np.exp(-rate * (t + 1) * dt))
    return v[len(s) // 2]


def by_hand(volatility, rate, s, steps):
    dt, ds, n = TIME / steps, s[1] - s[0], len(s)
    x = s[1:-1] / ds
    x2 = x * x
    diffusion, drift = 0.5 * dt * volatility ** 2 * x2, 0.5 * dt * rate * x
    a, b, c = diffusion - drift, 1 - dt * rate - 2 * diffusion, diffusion + drift
    v = np.maximum(s - STRIKE, 0.0)
    saved = np.empty((steps, n))
    for t in range(steps):
        saved[t] = v
        v[1:-1] = a * v[:-2] + b * v[1:-1] + c * v[2:]
        v[-1] = s[-1] - STRIKE * np.exp(-rate * (t + 1) * dt)
    v_bar = np.zeros(n)
    v_bar[n // 2] = 1.0
    a_bar, b_bar, c_bar = np.zeros(n - 2), np.zeros(n - 2), np.zeros(n - 2)
    rate_bar = 0.0
    for t in range(steps - 1, -1, -1):
        w = saved[t]
        rate_bar += v_bar[-1] * STRIKE * (t + 1) * dt * np.exp(-rate * (t + 1) * dt)
        g = v_bar[1:-1]
        a_bar += g * w[:-2]
        b_bar += g * w[1:-1]
        c_bar += g * w[2:]
        new = np.zeros(n)
        new[0] = v_bar[0]
        new[:-2] += a * g
        new[1:-1] += b * g
        new[2:] += c * g
        v_bar = new
    diffusion_bar = a_bar + c_bar - 2 * b_bar
    return dt * volatility * (diffusion_bar @ x2), rate_bar + dt * (0.5 * (c_bar - a_bar) @ x - b_bar.sum())


def arguments(rng):
    return 0.3, 0.05, np.linspace(0.0, 100.0, 41), 60


WORKLOAD = Spellings(arguments, by_hand, {
    "slices": slices, "coefficients": coefficients, "scalar loops": scalar_loops, "history": history, "matrix": matrix}, (0, 1))
