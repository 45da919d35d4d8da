"""The part of a recurrent cell that works element by element, as one operation."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import part
from .activations import sigmoid
from .losses import logistic

__all__ = ["lstm_gates"]


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
