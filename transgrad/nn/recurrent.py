"""Recurrent networks: cells, and layers of them that run along time."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.dispatch import apply
from ..autograd.functions.gates import lstm_gates
from ..autograd.functions.recurrent import gru_layer, lstm_layer, rnn_layer
from ..autograd.ops import FUNCTIONS
from ..autograd.state import STATE
from ..autograd.tensor import Tensor
from .functional import linear

__all__ = ["gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell"]

_call: Any = FUNCTIONS
#: computes the next state from the term of the input, the state and its weights (hidden to hidden, bias, optionally a projection)
Step = Callable[[Any, Any, Sequence[Any]], Any]


def _tanh(given: Any, state: Any, weights: Sequence[Any]) -> Any:
    return (given + linear(state, *weights[:2])).tanh()


def _relu(given: Any, state: Any, weights: Sequence[Any]) -> Any:
    return (given + linear(state, *weights[:2])).relu()


def _gru(given: Any, state: Any, weights: Sequence[Any]) -> Any:
    (r, z, n), (hr, hz, hn) = given.chunk(3, -1), linear(state, *weights[:2]).chunk(3, -1)
    new = (n + (r + hr).sigmoid() * hn).tanh()
    return (state - new) * (z + hz).sigmoid() + new


def _lstm(given: Any, state: Any, weights: Sequence[Any]) -> Any:
    h, c = state
    gates = given + linear(h, *weights[:2])
    if STATE.plain or STATE.unrecorded:
        h, c = apply(lstm_gates, gates, c)
    else:
        i, f, g, o = gates.chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
    return (linear(h, weights[2]) if len(weights) > 2 else h), c


def _cell(step: Step, name: str, doc: str) -> Callable[..., Any]:
    def cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        if input.shape[-1] != w_ih.shape[-1]:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {w_ih.shape[-1]}")
        return step(linear(input, w_ih, b_ih), hx, (w_hh, b_hh))
    cell.__name__ = cell.__qualname__ = name
    cell.__doc__ = f"""Compute one step of {doc}.

    Return the next state for an input (N, features), a state (N, H), weights and biases.

    Raises
    ------
    RuntimeError
        If the input and the weights have different numbers of features.
    """
    return cell


def _fused(step: Step, given: Any, state: Any, weights: Sequence[Any]) -> tuple[Any, Any]:
    """Run one direction of a layer as a single operation."""
    if step is _lstm:
        hidden, cell, _ = apply(lstm_layer, given, *state, *weights)
        return hidden, (hidden[-1], cell[-1])
    if step is _gru:
        hidden, _ = apply(gru_layer, given, state, *weights)
    else:
        hidden = apply(rnn_layer, given, state, *weights, "tanh" if step is _tanh else "relu")
    return hidden, hidden[-1]


def _direction(step: Step, signal: Any, w_ih: Any, b_ih: Any, state: Any, weights: Sequence[Any], backwards: bool) -> tuple[Any, Any]:
    """Return the outputs (T, N, H) of one direction of a layer, and its last state."""
    fused = len(weights) == 2 and (STATE.plain or STATE.unrecorded) and signal.shape[0]
    if fused and b_ih is not None and step is not _gru:     # one sum of both biases instead of an array of its own
        b_ih, weights = None, (weights[0], b_ih + weights[1])
    given = linear(signal, w_ih, b_ih)
    if fused:
        out, state = _fused(step, given.flip(0) if backwards else given, state, weights)
        return (out.flip(0) if backwards else out), state
    outputs = []
    for x in reversed(given.unbind(0)) if backwards else given.unbind(0):
        state = step(x, state, weights)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    return _call["stack"](outputs[::-1] if backwards else outputs), state


def _layers(step: Step, name: str, doc: str) -> Callable[..., Any]:
    two = name == "lstm"

    def run(input: Any, hx: Any, params: Sequence[Any], has_biases: bool, num_layers: int, dropout: float, train: bool,
            bidirectional: bool, batch_first: bool = False) -> Any:
        if isinstance(hx, Tensor) and not hx.is_floating_point() and not hx.is_complex():
            raise NotImplementedError(f"{name}() of packed sequences (data and batch_sizes) is not supported. "
                                      "Hint: pad them to one length, and index the outputs at their ends.")
        states = tuple(hx) if two else (hx,)
        signal = input.transpose(0, 1) if batch_first else input
        if signal.ndim != 3:
            raise RuntimeError(f"{name}(): expected input of 3 dimensions, got {signal.ndim}")
        projected = two and states[0].shape[-1] != states[1].shape[-1]
        each, directions = 2 + 2 * has_biases + projected, 1 + bidirectional
        if len(params) != each * num_layers * directions:
            raise RuntimeError(f"{name}(): expected {each * num_layers * directions} weights and biases, got {len(params)}")
        last = []
        for layer in range(num_layers):
            outputs = []
            for k in range(layer * directions, (layer + 1) * directions):
                w_ih, w_hh, *more = params[k * each:(k + 1) * each]
                b_ih, b_hh = more[:2] if has_biases else (None, None)
                start = tuple(s[k] for s in states) if two else hx[k]
                weights = (w_hh, b_hh, *more[-1:]) if projected else (w_hh, b_hh)
                out, end = _direction(step, signal, w_ih, b_ih, start, weights, k % directions == 1)
                outputs.append(out)
                last.append(end)
            signal = outputs[0] if directions == 1 else _call["cat"](outputs, -1)
            if dropout and train and layer < num_layers - 1:
                signal = _call["dropout"](signal, dropout)
        ends = [_call["stack"](list(s)) for s in zip(*last)] if two else [_call["stack"](last)]
        return (signal.transpose(0, 1) if batch_first else signal, *ends)
    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"""Run layers of {doc} along time.

    Parameters
    ----------
    input : Tensor, shape (T, N, features), or (N, T, features) with `batch_first`
        The sequences.
    hx : Tensor, shape (layers * directions, N, H){', or a pair of them' * two}
        The initial states.
    params : sequence of Tensor
        For each layer and direction: weights of the input, weights of the state, and with `has_biases` the biases of both.
    num_layers, dropout, train, bidirectional
        The number of layers, the probability of dropout between them in training mode, and whether each layer also runs backwards.

    Returns
    -------
    tuple of Tensor
        The outputs (T, N, directions * H) and the final states.

    Raises
    ------
    NotImplementedError
        For packed sequences.
    """
    return run


_STEPS = {"rnn_tanh": (_tanh, "the simple cell with a tanh"), "rnn_relu": (_relu, "the simple cell with a relu"),
          "gru": (_gru, "gated recurrent units"), "lstm": (_lstm, "long short-term memory, whose state is a pair")}
rnn_tanh, rnn_relu, gru, lstm = (_layers(step, name, doc) for name, (step, doc) in _STEPS.items())
rnn_tanh_cell, rnn_relu_cell, gru_cell, lstm_cell = (_cell(step, f"{name}_cell", doc) for name, (step, doc) in _STEPS.items())
