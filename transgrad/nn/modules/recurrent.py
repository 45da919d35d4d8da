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
    """Base class of layers and cells; subclasses name the functions of `recurrent` and the number of gates."""

    _name, _gates = "", 1
    #: the options that ``repr`` shows where they have other values
    _usual: dict[str, Any] = {"bias": True}
    input_size: int
    hidden_size: int

    def reset_parameters(self) -> None:
        """Draw new values, uniform within ``1 / sqrt(hidden_size)``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def _zeros(self, *shape: int, like: Any) -> Any:
        """Return the initial state: for LSTM a pair of hidden and cell states, which have another size if they are projected."""
        h, c = (FUNCTIONS["zeros"](*shape, size, dtype=like.dtype) for size in (
            getattr(self, "proj_size", 0) or self.hidden_size, self.hidden_size))
        return (h, c) if self._name == "lstm" else h

    def extra_repr(self) -> str:
        shown = [f"{name}={getattr(self, name)}" for name, value in self._usual.items() if getattr(self, name) != value]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *shown])


class _Layers(_Recurrent):
    """Base class of layers that run along time, forwards or in both directions."""

    _usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        for name, size in (("hidden_size", hidden_size), ("num_layers", num_layers)):
            if size <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if not 0 <= dropout <= 1 or isinstance(dropout, bool):
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if proj_size and self._name != "lstm":
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if proj_size < 0 or proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size, and not negative")
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first = bias, batch_first
        self.dropout, self.bidirectional, self.proj_size = float(dropout), bidirectional, proj_size
        self._names: list[str] = []
        rows, out = self._gates * hidden_size, proj_size or hidden_size
        for layer in range(num_layers):
            features = out * (1 + bidirectional) if layer else input_size
            shapes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, features), "weight_hh": (rows, out)}
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)} if bias else {}
            shapes |= {"weight_hr": (proj_size, hidden_size)} if proj_size else {}
            for name in [f"{name}_l{layer}{end}" for end in ("", "_reverse")[:1 + bidirectional] for name in shapes]:
                self.register_parameter(name, empty_parameter(*shapes[name.partition("_l")[0]], device=device, dtype=dtype))
                self._names.append(name)
        self.reset_parameters()

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters, one list for each layer and direction."""
        each = 2 + 2 * self.bias + bool(self.proj_size)
        flat = [self._parameters[name] for name in self._names]
        return [flat[k:k + each] for k in range(0, len(flat), each)]

    def flatten_parameters(self) -> None:
        """Do nothing: there is one memory layout of parameters."""

    def forward(self, input: Any, hx: Any = None) -> Any:
        if input.ndim not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead")
        if input.shape[-1] != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.shape[-1]}")
        batched, batch_first = input.ndim == 3, self.batch_first and input.ndim == 3
        signal = input if batched else input.unsqueeze(1)
        if hx is None:
            hx = self._zeros(self.num_layers * (1 + self.bidirectional), signal.shape[not batch_first], like=input)
        elif not batched:
            hx = tuple(h.unsqueeze(1) for h in hx) if isinstance(hx, (tuple, list)) else hx.unsqueeze(1)
        weights = [self._parameters[name] for name in self._names]
        out, *last = getattr(networks, self._name)(
            signal, hx, weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional, batch_first)
        if not batched:
            out, last = out.squeeze(1), [h.squeeze(1) for h in last]
        return out, tuple(last) if self._name == "lstm" else last[0]


class RNN(_Layers):
    """Layers of simple cells, with a tanh or a relu."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
                 dtype: Any = None) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device=device, dtype=dtype)
        self.nonlinearity, self._name = nonlinearity, f"rnn_{nonlinearity}"


class GRU(_Layers):
    """Layers of gated recurrent units."""

    _name, _gates = "gru", 3


class LSTM(_Layers):
    """Layers of long short-term memory; the state is a pair of hidden and cell states."""

    _name, _gates = "lstm", 4


class _Cell(_Recurrent):
    """Base class of one step of a recurrent network."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = self._gates * hidden_size
        shapes = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size), "bias_ih": (rows,), "bias_hh": (rows,)}
        for name, shape in shapes.items():
            wanted = bias or name.startswith("weight")
            self.register_parameter(name, empty_parameter(*shape, device=device, dtype=dtype) if wanted else None)
        self.reset_parameters()

    def forward(self, input: Any, hx: Any = None) -> Any:
        if input.ndim not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.ndim}D instead")
        state = self._zeros(*input.shape[:-1], like=input) if hx is None else hx
        cell = getattr(networks, f"{self._name}_cell")
        return cell(input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class RNNCell(_Cell):
    """The simple cell, with a tanh or a relu."""

    _usual = {"bias": True, "nonlinearity": "tanh"}

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity, self._name = nonlinearity, f"rnn_{nonlinearity}"


class GRUCell(_Cell):
    """The gated recurrent unit."""

    _name, _gates = "gru", 3


class LSTMCell(_Cell):
    """Long short-term memory; returns the hidden and the cell state."""

    _name, _gates = "lstm", 4
