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
#: from the input's term, the state and its weights (hidden to hidden, bias, and for LSTM cells perhaps projection) to the next state
Step = Callable[[Any, Any, Sequence[Any]], Any]


def _plain(activation: str) -> Step:
    def step(given: Any, state: Any, weights: Sequence[Any]) -> Any:
        return getattr(given + linear(state, *weights[:2]), activation)()
    return step


_tanh, _relu = _plain("tanh"), _plain("relu")


def _gru(given: Any, state: Any, weights: Sequence[Any]) -> Any:
    (r, z, n), (hr, hz, hn) = given.chunk(3, -1), linear(state, *weights[:2]).chunk(3, -1)
    new = (n + (r + hr).sigmoid() * hn).tanh()
    return (state - new) * (z + hz).sigmoid() + new


def _lstm(given: Any, state: Any, weights: Sequence[Any]) -> Any:
    h, c = state
    if STATE.plain or STATE.unrecorded:
        h, c = apply(lstm_gates, given + linear(h, *weights[:2]), c)
        return (linear(h, weights[2]) if len(weights) > 2 else h), c
    i, f, g, o = (given + linear(h, *weights[:2])).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (linear(h, weights[2]) if len(weights) > 2 else h), c


def _cell(step: Step, name: str, doc: str) -> Callable[..., Any]:
    def cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        if input.shape[-1] != w_ih.shape[-1]:
            raise RuntimeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {w_ih.shape[-1]}")
        return step(linear(input, w_ih, b_ih), hx, (w_hh, b_hh))
    cell.__name__ = cell.__qualname__ = name
    cell.__doc__ = f"""{doc}: the next state, of an input (N, features), a state (N, H), weights and biases.

    Raises
    ------
    RuntimeError
        If the input has not as many features as the weights.
    """
    return cell


rnn_tanh_cell = _cell(_tanh, "rnn_tanh_cell", "The plain cell, with a tanh")
rnn_relu_cell = _cell(_relu, "rnn_relu_cell", "The plain cell, with a relu")
gru_cell = _cell(_gru, "gru_cell", "The gated recurrent unit")
lstm_cell = _cell(_lstm, "lstm_cell", "Long short-term memory, whose state is two tensors")


def _at_once(step: Step, given: Any, state: Any, weights: Sequence[Any], back: bool) -> tuple[Any, Any]:
    """`_along` as one operation."""
    if step is _lstm:
        hidden, cell, _ = apply(lstm_layer, given, *state, *weights)
        end: Any = (hidden[-1], cell[-1])
    else:
        if step is _gru:
            hidden, _ = apply(gru_layer, given, state, *weights)
        else:
            hidden = apply(rnn_layer, given, state, *weights, "tanh" if step is _tanh else "relu")
        end = hidden[-1]
    return (hidden.flip(0) if back else hidden), end


def _along(step: Step, given: Any, state: Any, weights: Sequence[Any], back: bool) -> tuple[Any, Any]:
    """What one direction of a layer puts out (T, N, H), and its last state."""
    if len(weights) == 2 and (STATE.plain or STATE.unrecorded) and given.shape[0] and given.ndim == 3:
        return _at_once(step, given.flip(0) if back else given, state, weights, back)
    out = []
    for x in reversed(given.unbind(0)) if back else given.unbind(0):
        state = step(x, state, weights)
        out.append(state[0] if isinstance(state, tuple) else state)
    return _call["stack"](out[::-1] if back else out), state


def _layers(step: Step, name: str, doc: str) -> Callable[..., Any]:
    two = name == "lstm"

    def run(input: Any, hx: Any, params: Sequence[Any], has_biases: bool, num_layers: int, dropout: float, train: bool,
            bidirectional: bool, batch_first: bool = False) -> Any:
        if isinstance(hx, Tensor) and not hx.is_floating_point() and not hx.is_complex():
            raise NotImplementedError(f"{name}() of packed sequences (data and batch_sizes) is not here: pad them to one length, and "
                                      "take the "
                                      "outputs at their ends")
        states = tuple(hx) if two else (hx,)
        signal = input.transpose(0, 1) if batch_first else input
        if signal.ndim != 3:
            raise RuntimeError(f"{name}(): expected input of 3 dimensions, got {signal.ndim}")
        directions = 1 + bidirectional
        projected = two and states[0].shape[-1] != states[1].shape[-1]
        each = 2 + 2 * has_biases + projected
        if len(params) != each * num_layers * directions:
            raise RuntimeError(f"{name}(): expected {each * num_layers * directions} weights and biases, got {len(params)}")
        last = []
        for layer in range(num_layers):
            outs = []
            for d in range(directions):
                k = layer * directions + d
                w_ih, w_hh, *more = params[k * each:(k + 1) * each]
                b_ih, b_hh = (more[0], more[1]) if has_biases else (None, None)
                weights = (w_hh, b_hh, *more[-1:]) if projected else (w_hh, b_hh)
                start = tuple(s[k] for s in states) if two else states[0][k]
                out, end = _along(step, linear(signal, w_ih, b_ih), start, weights, bool(d))
                outs.append(out)
                last.append(end)
            signal = outs[0] if directions == 1 else _call["cat"](outs, -1)
            if dropout and train and layer < num_layers - 1:
                signal = _call["dropout"](signal, dropout)
        ends = [_call["stack"](list(s)) for s in zip(*last)] if two else [_call["stack"](last)]
        return (signal.transpose(0, 1) if batch_first else signal, *ends)
    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"""{doc}

    Parameters
    ----------
    input : Tensor, shape (T, N, features), or (N, T, features) with `batch_first`
        The inputs along time.
    hx : Tensor, shape (layers * directions, N, H){', two of them' * two}
        The states at the start.
    params : sequence of Tensor
        For each layer and direction: weights of the input, weights of the state, and with `has_biases` the biases of both.
    num_layers, dropout, train, bidirectional
        How many layers; with which probability outputs between them are 0 while training; whether each runs backwards too.

    Returns
    -------
    tuple of Tensor
        The outputs (T, N, directions * H) and the states at the end.

    Raises
    ------
    NotImplementedError
        For packed sequences.
    """
    return run


rnn_tanh = _layers(_tanh, "rnn_tanh", "Layers of plain cells with a tanh.")
rnn_relu = _layers(_relu, "rnn_relu", "Layers of plain cells with a relu.")
gru = _layers(_gru, "gru", "Layers of gated recurrent units.")
lstm = _layers(_lstm, "lstm", "Layers of long short-term memory.")
