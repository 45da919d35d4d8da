"""Recurrent layers along time, each as one operation with a derivative of its own.

A layer takes the contribution of its inputs to the gates (T, N, gates * H), the states at the start, the weights of the hidden state and
its bias, or None. It also returns the activations of the gates (T, gates, N, H), from which the derivative is computed. A sigmoid is
computed as ``(1 + tanh(x / 2)) / 2``, so that one tanh serves all gates of a step. Loops write into arrays that are allocated once, and
in which each gate is contiguous; `graph_rule` states the derivative as operations on Tensors, for recorded backward passes.
"""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...rules.registry import rule
from ...rules.static import part
from ..graph_rules import graph_rule
from ..names import node_name

__all__ = ["gru_layer", "lstm_layer", "rnn_layer"]

_SIGMOID, _TANH = (0.5, 0.5), (1.0, 0.0)


def _forms(kinds: Sequence[tuple[float, float]], shape: tuple[int, ...], dtype: Any) -> tuple[Any, Any]:
    """The factor and the summand that make the activation of each gate of a tanh, for each element (which is faster than broadcasting)."""
    factor, summand = (np.ascontiguousarray(np.broadcast_to(a[:, None, None], (len(a), *shape))) for a in np.array(kinds, dtype).T)
    return factor, summand


def _before(start: Any, states: Any) -> Any:
    """The state at the beginning of each step."""
    return np.concatenate((np.expand_dims(start, 0), states[:-1]), 0)


def _backwards(*arrays: Any) -> Iterator[tuple[Any, ...]]:
    """The entries of arrays along time, the last ones first."""
    return zip(*(a[::-1] for a in arrays))


def _rows(x: Any) -> Any:
    return np.reshape(x, (-1, x.shape[-1]))


def _sums(steps: Any, bias: Any) -> Any:
    """The gradient of a bias."""
    return None if bias is None else np.sum(_rows(steps), axis=0)


def _by_gate(x: Any, n: int) -> Any:
    """View the inputs of gates, (..., N, gates * H), as (..., gates, N, H)."""
    return np.swapaxes(np.reshape(x, (*x.shape[:-1], x.shape[-1] // n, n)), -2, -3)


def _side_by_side(x: Any) -> Any:
    """The inverse of `_by_gate`."""
    x = np.swapaxes(x, -2, -3)
    return np.reshape(x, (*x.shape[:-2], x.shape[-2] * x.shape[-1]))


def _slopes(gates: Any) -> Any:
    """The derivatives of the first three or four gates with respect to their inputs; the third is a tanh, the others are sigmoids."""
    found = [a * (1.0 - a) if k != 2 else 1.0 - a * a for k, a in enumerate(gates[:, k] for k in range(gates.shape[1]))]
    return np.stack(found, 1)


def _slopes_of_arrays(gates: Any) -> Any:
    """`_slopes` of an array, without temporary arrays."""
    found = np.empty(gates.shape, gates.dtype)
    for k in range(gates.shape[1]):
        a, slope = gates[:, k], found[:, k]
        np.multiply(a, a if k == 2 else np.subtract(1.0, a, out=slope), out=slope)
        if k == 2:
            np.subtract(1.0, slope, out=slope)
    return found


# LSTM: gates i, f, g, o


def lstm_layer(given: Any, h: Any, c: Any, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """The hidden states, the cell states and the activations of the gates of a layer of long short-term memory."""
    n = c.shape[-1]
    factor, summand = _forms((_SIGMOID, _SIGMOID, _TANH, _SIGMOID), c.shape, given.dtype)
    scale = np.repeat(factor[:, 0, 0], n)
    halves = given * scale
    if bias is not None:
        halves += bias * scale
    turned = np.ascontiguousarray(weight.T) * scale
    shape = (*given.shape[:-1], n)
    hidden, cell = np.empty(shape, given.dtype), np.empty(shape, given.dtype)
    gates = halves.reshape(shape[0], 4, *shape[1:])     # a step's gates replace its inputs, which have been read
    sums, product = np.empty(given.shape[1:], given.dtype), np.empty(shape[1:], given.dtype)
    view, h = _by_gate(sums, n), np.ascontiguousarray(h)
    dot, add, multiply, tanh = np.dot, np.add, np.multiply, np.tanh     # results are passed by position, which takes less time
    for half, step, (i, f, g, o), out, state in zip(halves, gates, gates, hidden, cell):
        dot(h, turned, sums)
        add(sums, half, sums)
        tanh(sums, sums)
        step[...] = view
        multiply(step, factor, step)
        add(step, summand, step)
        multiply(f, c, state)
        multiply(i, g, product)
        add(state, product, state)
        tanh(state, product)
        h, c = multiply(o, product, out), state
    return hidden, cell, gates


def lstm_steps(g: Any, y: Any, c: Any, weight: Any) -> tuple[Any, Any, Any]:
    """The gradients of the inputs of the gates, and of the initial states."""
    hidden, cell, gates = y
    i, f, new, o = (gates[:, k] for k in range(4))
    out = np.tanh(cell)
    slopes = _slopes_of_arrays(gates)
    extra = None if g[2] is None else g[2] * slopes
    for k, by in enumerate((new, _before(c, cell), i, out)):
        slopes[:, k] *= by
    np.multiply(out, out, out=out)
    through = np.multiply(o, np.subtract(1.0, out, out=out), out=out)
    gh, gc = (None if a is None else np.ascontiguousarray(a) for a in g[:2])
    arrived, product = np.zeros(gates.shape[1:], cell.dtype), np.empty(c.shape, cell.dtype)
    dc, copies, dh = arrived[0], arrived[1:3], arrived[3]       # views of the gradients of the states
    result, steps = np.empty_like(arrived), slopes.reshape(*cell.shape[:-1], -1)    # the results of a step replace its derivatives
    dot, add, multiply = np.dot, np.add, np.multiply
    zipped = _backwards(steps, _by_gate(steps, c.shape[-1]), slopes, through, f)
    for k, (step, view, whole, slope, forget) in enumerate(zipped, 1):
        if gh is not None:
            add(dh, gh[-k], dh)
        if gc is not None:
            add(dc, gc[-k], dc)
        add(dc, multiply(dh, slope, product), dc)
        copies[...] = dc
        multiply(whole, arrived, result)
        if extra is not None:
            add(result, extra[-k], result)
        view[...] = result
        dot(step, weight, dh)
        multiply(dc, forget, dc)
    return steps, dh, dc


def _lstm_tangents(y: Any, h: Any, c: Any, weight: Any, added: Any, dh: Any, dc: Any) -> Any:
    """The tangents of the results, from those of the gates' inputs (without the hidden states) and of the initial states."""
    n, (_, cell, gates) = c.shape[-1], y
    slopes, out, before = _slopes(gates), np.tanh(cell), _before(c, cell)
    found: tuple[list[Any], ...] = ([], [], [])
    for k in range(cell.shape[0]):
        t = _by_gate(added[k] + dh @ weight.T, n) * slopes[k]
        i, f, g, o = (gates[k, j] for j in range(4))
        dc = t[0] * g + t[1] * before[k] + t[2] * i + f * dc
        dh = t[3] * out[k] + o * (1.0 - out[k] * out[k]) * dc
        for tangents, x in zip(found, (dh, dc, t)):
            tangents.append(x)
    return tuple(map(np.stack, found))


def _unmoved(y: Any) -> Any:
    """Zero tangents for the inputs of the gates."""
    return np.zeros_like(_side_by_side(y[-1]))


@rule(lstm_layer, kind="general", jvp=(
    lambda t, y, given, h, c, weight, bias: _lstm_tangents(y, h, c, weight, t, np.zeros_like(h), np.zeros_like(c)),
    lambda t, y, given, h, c, weight, bias: _lstm_tangents(y, h, c, weight, _unmoved(y), t, np.zeros_like(c)),
    lambda t, y, given, h, c, weight, bias: _lstm_tangents(y, h, c, weight, _unmoved(y), np.zeros_like(h), t),
    lambda t, y, given, h, c, weight, bias: _lstm_tangents(
        y, h, c, weight, _before(h, y[0]) @ t.T, np.zeros_like(h), np.zeros_like(c)),
    lambda t, y, given, h, c, weight, bias: _lstm_tangents(y, h, c, weight, _unmoved(y) + t, np.zeros_like(h), np.zeros_like(c))))
def _(g, y, given, h, c, weight, bias):
    steps, dh, dc = lstm_steps(g, y, c, weight)
    return steps, dh, dc, _rows(steps).T @ _rows(_before(h, y[0])), _sums(steps, bias)


@graph_rule(lstm_layer)
def _(g, y, given, h, c, weight, bias):
    hidden, cell, gates = y
    i, f, new, o = (gates[:, k] for k in range(4))
    slopes, out = _slopes(gates), np.tanh(cell)
    through, gh, gc, extra = o * (1.0 - out * out), part(g, y, 0), part(g, y, 1), part(g, y, 2)
    factors, dh, dc, steps = np.stack((new, _before(c, cell), i, out), 1), np.zeros_like(h), np.zeros_like(c), []
    for k in range(cell.shape[0] - 1, -1, -1):
        dh = gh[k] + dh
        dc = gc[k] + dc + dh * through[k]
        step = _side_by_side(slopes[k] * (factors[k] * np.stack((dc, dc, dc, dh)) + extra[k]))
        steps.append(step)
        dh, dc = step @ weight, dc * f[k]
    every = np.stack(steps[::-1])
    return every, dh, dc, _rows(every).T @ _rows(_before(h, hidden)), _sums(every, bias)


# GRU: gates r, z, n, and the part of n that comes from the hidden state


def gru_layer(given: Any, h: Any, weight: Any, bias: Any) -> tuple[Any, Any]:
    """The hidden states, and the activations of the gates with the hidden state's part of the last one, of gated recurrent units."""
    n = h.shape[-1]
    shape = (*given.shape[:-1], n)
    hidden, gates = np.empty(shape, given.dtype), np.empty((shape[0], 4, *shape[1:]), given.dtype)
    scale = np.repeat(np.array((0.5, 0.5, 1.0), given.dtype), n)
    halves, turned, shift = given * scale, np.ascontiguousarray(weight.T) * scale, None if bias is None else bias * scale
    sums = np.empty(given.shape[1:], given.dtype)
    view, h = _by_gate(sums, n), np.ascontiguousarray(h)
    by_gate = _by_gate(halves, n)
    for half, rest, (r, z, new, own), sigmoids, out in zip(by_gate[:, :2], by_gate[:, 2], gates, gates[:, :2], hidden):
        np.dot(h, turned, out=sums)
        if shift is not None:
            np.add(sums, shift, out=sums)
        np.add(view[:2], half, out=sigmoids)
        np.tanh(sigmoids, out=sigmoids)
        np.multiply(sigmoids, 0.5, out=sigmoids)
        np.add(sigmoids, 0.5, out=sigmoids)
        own[...] = view[2]
        np.add(np.multiply(r, own, out=out), rest, out=out)
        np.tanh(out, out=new)
        np.subtract(h, new, out=out)
        np.multiply(out, z, out=out)
        h = np.add(out, new, out=out)
    return hidden, gates


def gru_steps(g: Any, y: Any, h: Any, weight: Any) -> tuple[Any, Any, Any]:
    """The gradients of the contributions of input and hidden state to the gates, and of the initial state."""
    hidden, gates = y
    n, (r, z, new, own) = h.shape[-1], (gates[:, k] for k in range(4))
    ahead, along = (1.0 - z) * (1.0 - new * new), (_before(h, hidden) - new) * z * (1.0 - z)
    factors = np.stack((own * r * (1.0 - r) * ahead, along, ahead, r * ahead), 1)      # of the gradient of the next hidden state
    extra = g[1]
    if extra is not None:
        slopes = _slopes(gates[:, :3])
        entries = extra[:, :3] * slopes
        entries[:, 0] += entries[:, 2] * own * r * (1.0 - r)
        extra = np.concatenate((entries, (extra[:, 3] + entries[:, 2] * r)[:, None]), 1)
    dh, gh = np.zeros(h.shape, hidden.dtype), g[0]
    inner = np.empty((*hidden.shape[:-1], 3 * n), hidden.dtype)
    rest = np.empty(hidden.shape, hidden.dtype)
    view, out = _by_gate(inner, n), np.empty(h.shape, hidden.dtype)
    for k in range(hidden.shape[0] - 1, -1, -1):
        if gh is not None:
            np.add(dh, gh[k], out=dh)
        whole = np.multiply(factors[k], dh, out=factors[k])
        if extra is not None:
            np.add(whole, extra[k], out=whole)
        view[k, :2] = whole[:2]
        view[k, 2] = whole[3]
        rest[k] = whole[2]
        np.multiply(dh, z[k], out=dh)
        np.add(dh, np.dot(inner[k], weight, out=out), out=dh)
    steps = inner.copy()
    steps[..., 2 * n:] = rest
    return steps, inner, dh


def _gru_tangents(y: Any, h: Any, weight: Any, added: Any, within: Any, dh: Any) -> Any:
    """As `_lstm_tangents`; ``within`` is added to the contribution of the hidden state."""
    n, (hidden, gates) = h.shape[-1], y
    slopes, before = _slopes(gates[:, :3]), _before(h, hidden)
    found: tuple[list[Any], ...] = ([], [])
    for k in range(hidden.shape[0]):
        r, z, new, own = (gates[k, j] for j in range(4))
        inner, outer = _by_gate(within[k] + dh @ weight.T, n), _by_gate(added[k], n)
        t = (outer + inner)[:2] * slopes[k][:2]
        dnew = (outer[2] + t[0] * own + r * inner[2]) * slopes[k][2]
        dh = (dh - dnew) * z + (before[k] - new) * t[1] + dnew
        for tangents, x in zip(found, (dh, np.stack((t[0], t[1], dnew, inner[2])))):
            tangents.append(x)
    return tuple(map(np.stack, found))


def _still(y: Any) -> Any:
    return np.zeros_like(_side_by_side(y[1][:, :3]))


@rule(gru_layer, kind="general", jvp=(
    lambda t, y, given, h, weight, bias: _gru_tangents(y, h, weight, t, np.zeros_like(t), np.zeros_like(h)),
    lambda t, y, given, h, weight, bias: _gru_tangents(y, h, weight, _still(y), _still(y), t),
    lambda t, y, given, h, weight, bias: _gru_tangents(y, h, weight, _still(y), _before(h, y[0]) @ t.T, np.zeros_like(h)),
    lambda t, y, given, h, weight, bias: _gru_tangents(y, h, weight, _still(y), _still(y) + t, np.zeros_like(h))))
def _(g, y, given, h, weight, bias):
    steps, inner, dh = gru_steps(g, y, h, weight)
    return steps, dh, _rows(inner).T @ _rows(_before(h, y[0])), _sums(inner, bias)


@graph_rule(gru_layer)
def _(g, y, given, h, weight, bias):
    (hidden, gates), before = y, _before(h, y[0])
    r, z, new, own = (gates[:, k] for k in range(4))
    slopes, gh, extra = _slopes(gates[:, :3]), part(g, y, 0), part(g, y, 1)
    dh, steps, inner = np.zeros_like(h), [], []
    for k in range(hidden.shape[0] - 1, -1, -1):
        dh = gh[k] + dh
        dn = (dh * (1.0 - z[k]) + extra[k][2]) * slopes[k][2]
        dr = (dn * own[k] + extra[k][0]) * slopes[k][0]
        dz = (dh * (before[k] - new[k]) + extra[k][1]) * slopes[k][1]
        steps.append(_side_by_side(np.stack((dr, dz, dn))))
        inner.append(_side_by_side(np.stack((dr, dz, dn * r[k] + extra[k][3]))))
        dh = dh * z[k] + inner[-1] @ weight
    every, own_sums = np.stack(steps[::-1]), np.stack(inner[::-1])
    return every, dh, _rows(own_sums).T @ _rows(before), _sums(own_sums, bias)


# plain cells


def rnn_layer(given: Any, h: Any, weight: Any, bias: Any, activation: str) -> Any:
    """The hidden states of a layer of plain cells, with ``tanh`` or ``relu``."""
    hidden, turned = given + (0 if bias is None else bias), np.ascontiguousarray(weight.T)
    sums = np.empty(h.shape, hidden.dtype)
    for out in hidden:
        out += np.dot(h, turned, out=sums)
        h = np.tanh(out, out=out) if activation == "tanh" else np.maximum(out, 0, out=out)
    return hidden


def _slope(y: Any, activation: str) -> Any:
    """The derivative of the activation, from its value."""
    return 1.0 - y * y if activation == "tanh" else np.sign(y)


def rnn_steps(g: Any, y: Any, weight: Any, activation: str) -> tuple[Any, Any]:
    """The gradients of the input of the activation, and of the initial state."""
    steps = _slope(y, activation)
    dh = np.zeros_like(y[0])
    for step, arrived in _backwards(steps, g):
        dh += arrived
        step *= dh
        np.matmul(step, weight, out=dh)
    return steps, dh


def _rnn_tangents(y: Any, weight: Any, activation: str, added: Any, dh: Any) -> Any:
    slopes, found = _slope(y, activation), []
    for k in range(y.shape[0]):
        dh = slopes[k] * (added[k] + dh @ weight.T)
        found.append(dh)
    return np.stack(found)


@rule(rnn_layer, kind="general", jvp=(
    lambda t, y, given, h, weight, bias, activation: _rnn_tangents(y, weight, activation, t, np.zeros_like(h)),
    lambda t, y, given, h, weight, bias, activation: _rnn_tangents(y, weight, activation, np.zeros_like(y), t),
    lambda t, y, given, h, weight, bias, activation: _rnn_tangents(y, weight, activation, _before(h, y) @ t.T, np.zeros_like(h)),
    lambda t, y, given, h, weight, bias, activation: _rnn_tangents(
        y, weight, activation, np.broadcast_to(t, y.shape), np.zeros_like(h))))
def _(g, y, given, h, weight, bias, activation):
    steps, dh = rnn_steps(g, y, weight, activation)
    return steps, dh, _rows(steps).T @ _rows(_before(h, y)), _sums(steps, bias)


@graph_rule(rnn_layer)
def _(g, y, given, h, weight, bias, activation):
    slopes, dh, steps = _slope(y, activation), np.zeros_like(h), []
    for k in range(y.shape[0] - 1, -1, -1):
        step = slopes[k] * (g[k] + dh)
        steps.append(step)
        dh = step @ weight
    every = np.stack(steps[::-1])
    return every, dh, _rows(every).T @ _rows(_before(h, y)), _sums(every, bias)


for _fn in (lstm_layer, gru_layer, rnn_layer):
    node_name(_fn, "StackBackward0")      # of torch's several nodes the last
