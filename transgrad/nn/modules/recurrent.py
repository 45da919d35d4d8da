"""Recurrent layers and cells."""
from __future__ import annotations

import math
from typing import Any

from ...autograd.ops import FUNCTIONS
from .. import init
from .. import recurrent as networks
from .linear import empty_parameter
from .module import Module

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNCell"]


class _Recurrent(Module):
    """What layers and cells have in common."""

    hidden_size: int

    def reset_parameters(self) -> None:
        """Draw new values, uniform within ``1 / sqrt(hidden_size)``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)


class _Layers(_Recurrent):
    """Layers that run along time, forwards or in both directions."""

    _gates = 1

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if proj_size and not isinstance(self, LSTM):
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size, and not negative")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first = bias, batch_first
        self.dropout, self.bidirectional, self.proj_size = float(dropout), bidirectional, proj_size
        self._names: list[str] = []
        how = {"device": device, "dtype": dtype}
        rows, out = self._gates * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            for direction in range(1 + bidirectional):
                end = f"_l{layer}" + "_reverse" * direction
                features = out * (1 + bidirectional) if layer else input_size
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, features), "weight_hh": (rows, out)}
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
                shapes |= {"weight_hr": (proj_size, hidden_size)} if proj_size else {}
                for name, shape in shapes.items():
                    self.register_parameter(name + end, empty_parameter(*shape, **how))
                    self._names.append(name + end)
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters, a list for each layer and direction."""
        each = 2 + 2 * self.bias + bool(self.proj_size)
        flat = [self._parameters[name] for name in self._names]
        return [flat[k:k + each] for k in range(0, len(flat), each)]

    def flatten_parameters(self) -> None:
        """Does nothing: there is one layout of parameters."""

    def _run(self, input: Any, states: Any) -> Any:
        raise NotImplementedError

    def _states(self, input: Any) -> Any:
        """Zeros to start with."""
        layers = self.num_layers * (1 + self.bidirectional)
        return FUNCTIONS["zeros"](layers, input.shape[1], self.proj_size or self.hidden_size, dtype=input.dtype)

    def _layered(self, function: Any, input: Any, hx: Any) -> Any:
        """The function on a sequence that has time first and a batch."""
        weights = [self._parameters[name] for name in self._names]
        return function(input, hx, weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, False)

    def forward(self, input: Any, hx: Any = None) -> Any:
        if input.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}")
        batched = input.ndim == 3
        signal = (input.transpose(0, 1) if self.batch_first else input) if batched else input.unsqueeze(1)
        if hx is not None and not batched:
            hx = tuple(h.unsqueeze(1) for h in hx) if isinstance(hx, (tuple, list)) else hx.unsqueeze(1)
        out, last = self._run(signal, hx)
        if not batched:
            return out.squeeze(1), tuple(h.squeeze(1) for h in last) if isinstance(last, tuple) else last.squeeze(1)
        return (out.transpose(0, 1) if self.batch_first else out), last

    def extra_repr(self) -> str:
        shown = [f"{self.input_size}, {self.hidden_size}"]
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        return ", ".join(shown + [f"{k}={getattr(self, k)}" for k, v in usual.items() if getattr(self, k) != v])


class RNN(_Layers):
    """Layers of plain cells, with a tanh or a relu."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def _run(self, input: Any, states: Any) -> Any:
        function = networks.rnn_tanh if self.nonlinearity == "tanh" else networks.rnn_relu
        return self._layered(function, input, self._states(input) if states is None else states)


class GRU(_Layers):
    """Layers of gated recurrent units."""

    _gates = 3

    def _run(self, input: Any, states: Any) -> Any:
        return self._layered(networks.gru, input, self._states(input) if states is None else states)


class LSTM(_Layers):
    """Layers of long short-term memory; the state is a pair, of hidden and cell states."""

    _gates = 4

    def _run(self, input: Any, states: Any) -> Any:
        if states is None:
            hidden = self._states(input)
            layers = self.num_layers * (1 + self.bidirectional)
            states = hidden, FUNCTIONS["zeros"](layers, input.shape[1], self.hidden_size, dtype=input.dtype)
        out, h, c = self._layered(networks.lstm, input, states)
        return out, (h, c)


class _Cell(_Recurrent):
    """One step of a recurrent network."""

    _gates = 1

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows, how = self._gates * hidden_size, {"device": device, "dtype": dtype}
        self.weight_ih = empty_parameter(rows, input_size, **how)
        self.weight_hh = empty_parameter(rows, hidden_size, **how)
        self.register_parameter("bias_ih", empty_parameter(rows, **how) if bias else None)
        self.register_parameter("bias_hh", empty_parameter(rows, **how) if bias else None)
        self.reset_parameters()

    def _step(self, cell: Any, input: Any, hx: Any) -> Any:
        return cell(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)

    def _start(self, input: Any) -> Any:
        return FUNCTIONS["zeros"](*input.shape[:-1], self.hidden_size, dtype=input.dtype)

    def _check(self, input: Any) -> None:
        if input.ndim not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.ndim}D instead")

    def extra_repr(self) -> str:
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")


class RNNCell(_Cell):
    """The plain cell, with a tanh or a relu."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        self._check(input)
        cell = networks.rnn_tanh_cell if self.nonlinearity == "tanh" else networks.rnn_relu_cell
        return self._step(cell, input, self._start(input) if hx is None else hx)

    def extra_repr(self) -> str:
        return super().extra_repr() + ("" if self.nonlinearity == "tanh" else f", nonlinearity={self.nonlinearity}")


class GRUCell(_Cell):
    """The gated recurrent unit."""

    _gates = 3

    def forward(self, input: Any, hx: Any = None) -> Any:
        self._check(input)
        return self._step(networks.gru_cell, input, self._start(input) if hx is None else hx)


class LSTMCell(_Cell):
    """Long short-term memory; returns the hidden and the cell state."""

    _gates = 4

    def forward(self, input: Any, hx: Any = None) -> Any:
        self._check(input)
        start = (self._start(input),) * 2 if hx is None else hx
        return self._step(networks.lstm_cell, input, start)
