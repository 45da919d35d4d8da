"""Random numbers inside `vmap`: refused, drawn for each example, or once for all."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..state import STATE
from .call import Call
from .interpret import shown
from .loop import loop
from .values import BatchedTensor, Level, current_levels

__all__ = ["drawing_by_level"]

_DRAWS = ("bernoulli", "multinomial", "normal", "poisson", "rand", "rand_like", "randint", "randint_like", "randn", "randn_like",
          "randperm")
_WRITES = ("bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_", "random_", "uniform_")


def drawing_by_level(tables: tuple[dict[str, Any], ...]) -> None:
    """Has the random operations in the tables ask the `vmap` they are in."""
    for table in tables:
        for name in {*_DRAWS, *_WRITES} & table.keys():
            table[name] = _asking(table[name], _written if name in _WRITES else _drawn)


def _asking(function: Callable[..., Any], draw: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.interpreter is None or not current_levels():
            return function(*args, **kwargs)
        level = current_levels()[-1]
        if level.randomness == "error":
            raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
                               "randomness flags on vmap or perform the randomness operation out of vmap")
        with _outside(level):       # an enclosing vmap handles it next
            return draw(call, function.__name__, Call(call, args, kwargs, level))
    return call


@contextmanager
def _outside(level: Level) -> Iterator[None]:
    levels = current_levels()
    levels.remove(level)
    try:
        yield
    finally:
        levels.append(level)


def _drawn(function: Callable[..., Any], name: str, call: Call) -> Any:
    if call.level.randomness == "different":
        return shown(loop(call, function), call.level)
    if call.any_mapped([call.args, call.kwargs]):
        if not name.endswith("_like"):
            raise RuntimeError("Vmap does not currently support same randomness with a batched tensor input. Please use 'different' "
                               "randomness.")
        return function(*call.example(call.args, 0), **call.example(call.kwargs, 0))
    return function(*call.args, **call.kwargs)


def _written(function: Callable[..., Any], name: str, call: Call) -> Any:
    x, *rest = call.args
    if not isinstance(x, BatchedTensor) or not call.mapped(x):
        if call.level.randomness == "different":
            raise RuntimeError("vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
                               "randomness. Make the tensor from one that is mapped over.")
        return function(x, *rest, **call.kwargs)
    if call.level.randomness == "different":
        function(x.physical, *rest, **call.kwargs)
    else:
        x.copy_(function(call.example(x, 0).detach().clone(), *rest, **call.kwargs))
    return x
