"""The part of a recurrent cell that works element by element, as one operation."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import part
from ..names import node_name
from .activations import sigmoid
from .losses import logistic

__all__ = ["lstm_gates", "lstm_layer"]


def lstm_gates(gates: Any, c: Any) -> tuple[Any, Any]:
    """The next hidden and cell state of an LSTM, from the sums that go into its gates (input, forget, cell, output) and its cell state."""
    n = c.shape[-1]
    both, output = sigmoid(gates[..., :2 * n]), sigmoid(gates[..., 3 * n:])
    following = both[..., n:] * c + both[..., :n] * np.tanh(gates[..., 2 * n:3 * n])
    return output * np.tanh(following), following


def lstm_gates_jvp(t, y, gates, c):
    n = c.shape[-1]
    i, f, o = logistic(gates[..., :n]), logistic(gates[..., n:2 * n]), logistic(gates[..., 3 * n:])
    g, h = np.tanh(gates[..., 2 * n:3 * n]), np.tanh(y[1])
    dc = (t[..., :n] * i * (1.0 - i) * g + t[..., n:2 * n] * f * (1.0 - f) * c + t[..., 2 * n:3 * n] * i * (1.0 - g * g))
    return dc * o * (1.0 - h * h) + t[..., 3 * n:] * o * (1.0 - o) * h, dc


def lstm_gates_jvp_by_cell(t, y, gates, c):
    n = c.shape[-1]
    dc, h = t * logistic(gates[..., n:2 * n]), np.tanh(y[1])
    return dc * logistic(gates[..., 3 * n:]) * (1.0 - h * h), dc


@rule(lstm_gates, kind="general", jvp=(lstm_gates_jvp, lstm_gates_jvp_by_cell))
def _(g, y, gates, c):
    n = c.shape[-1]
    i, f, o = logistic(gates[..., :n]), logistic(gates[..., n:2 * n]), logistic(gates[..., 3 * n:])
    new, h = np.tanh(gates[..., 2 * n:3 * n]), np.tanh(y[1])
    gh = part(g, y, 0)
    dc = part(g, y, 1) + gh * o * (1.0 - h * h)
    entries = (dc * new * i * (1.0 - i), dc * c * f * (1.0 - f), dc * i * (1.0 - new * new), gh * h * o * (1.0 - o))
    return np.concatenate(entries, -1), dc * f


def lstm_layer(given: Any, h: Any, c: Any, weight: Any) -> tuple[Any, Any]:
    """The hidden and cell states of a layer along time, (T, N, H), from what the inputs add to the gates, (T, N, 4 H)."""
    n, turned = c.shape[-1], weight.T
    hidden, cell = np.empty((*given.shape[:-1], n), given.dtype), np.empty((*given.shape[:-1], n), given.dtype)
    for k, sums in enumerate(given):
        h, c = lstm_gates(sums + h @ turned, c)
        hidden[k], cell[k] = h, c
    return hidden, cell


def lstm_layer_tangents(y: Any, given: Any, h: Any, c: Any, weight: Any, added: Any, dh: Any, dc: Any) -> tuple[Any, Any]:
    """The tangents of the states from those of the sums (but for the part of the hidden states) and of the states at the start."""
    found: tuple[list[Any], list[Any]] = ([], [])
    for k in range(given.shape[0]):
        sums, own = given[k] + h @ weight.T, (y[0][k], y[1][k])
        by_sums, by_cell = lstm_gates_jvp(added[k] + dh @ weight.T, own, sums, c), lstm_gates_jvp_by_cell(dc, own, sums, c)
        dh, dc = by_sums[0] + by_cell[0], by_sums[1] + by_cell[1]
        h, c = own
        found[0].append(dh)
        found[1].append(dc)
    return np.stack(found[0]), np.stack(found[1])


def hidden_before(y: Any, h: Any) -> Any:
    """The hidden state at the beginning of each step."""
    return np.concatenate((np.expand_dims(h, 0), y[0][:-1]), 0)


@rule(lstm_layer, kind="general", jvp=(
    lambda t, y, given, h, c, weight: lstm_layer_tangents(y, given, h, c, weight, t, np.zeros_like(h), np.zeros_like(c)),
    lambda t, y, given, h, c, weight: lstm_layer_tangents(y, given, h, c, weight, np.zeros_like(given), t, np.zeros_like(c)),
    lambda t, y, given, h, c, weight: lstm_layer_tangents(y, given, h, c, weight, np.zeros_like(given), np.zeros_like(h), t),
    lambda t, y, given, h, c, weight: lstm_layer_tangents(
        y, given, h, c, weight, hidden_before(y, h) @ t.T, np.zeros_like(h), np.zeros_like(c))))
def _(g, y, given, h, c, weight):
    """All gates at once; then backwards along time what depends on later steps."""
    n, (hidden, cell) = c.shape[-1], y
    before, cell_before = (np.concatenate((np.expand_dims(s, 0), x[:-1]), 0) for s, x in ((h, hidden), (c, cell)))
    gates = given + before @ weight.T
    i, f, o = logistic(gates[..., :n]), logistic(gates[..., n:2 * n]), logistic(gates[..., 3 * n:])
    new, out = np.tanh(gates[..., 2 * n:3 * n]), np.tanh(cell)
    slopes = np.concatenate((new * i * (1.0 - i), cell_before * f * (1.0 - f), i * (1.0 - new * new), out * o * (1.0 - o)), -1)
    through, gh, gc = o * (1.0 - out * out), part(g, y, 0), part(g, y, 1)
    dh, dc, steps = np.zeros_like(h), np.zeros_like(c), []
    for k in range(given.shape[0] - 1, -1, -1):
        dh = gh[k] + dh
        dc = gc[k] + dc + dh * through[k]
        step = slopes[k] * np.concatenate((dc, dc, dc, dh), -1)
        steps.append(step)
        dh, dc = step @ weight, dc * f[k]
    every = np.stack(steps[::-1])
    return every, dh, dc, np.reshape(every, (-1, 4 * n)).T @ np.reshape(before, (-1, n))


node_name(lstm_layer, "StackBackward0")      # of torch's several nodes the last
