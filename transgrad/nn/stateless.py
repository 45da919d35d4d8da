"""Modules as functions of their parameters."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..autograd.ops import FUNCTIONS

__all__ = ["functional_call", "stack_module_state"]


def functional_call(module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None, *,
                    tie_weights: bool = True, strict: bool = False) -> Any:
    """Call a module with other Tensors in place of its parameters and buffers.

    Parameters
    ----------
    module : Module
        The module.
    parameter_and_buffer_dicts : dict of Tensor, or several
        The Tensors by their names, ``"encoder.weight"``.
    args, kwargs
        The arguments; a single argument need not be a tuple.
    tie_weights : bool
        Whether a parameter that has several names is replaced at all of them.
    strict : bool
        Whether every parameter and buffer has to be given, and nothing else.
    """
    given: dict[str, Any] = {}
    for part in parameter_and_buffer_dicts if isinstance(parameter_and_buffer_dicts, (list, tuple)) else [parameter_and_buffer_dicts]:
        twice = given.keys() & part.keys()
        if twice:
            raise ValueError(f"{sorted(twice)[0]} appears in multiple dictionaries; behavior of functional call is ambiguous")
        given.update(part)
    own = dict([*module.named_parameters(remove_duplicate=False), *module.named_buffers(remove_duplicate=False)])
    if strict and own.keys() != given.keys():
        missing, unexpected = sorted(own.keys() - given.keys()), sorted(given.keys() - own.keys())
        raise RuntimeError(f"Error(s) in reparametrizing for {type(module).__name__}:\n\tMissing key(s): {', '.join(missing)}"
                           f"\n\tUnexpected key(s): {', '.join(unexpected)}")
    if tie_weights:
        values = {id(own[name]): value for name, value in given.items() if name in own}
        given = {**{name: values[id(t)] for name, t in own.items() if id(t) in values}, **given}
    with _replaced(module, given):
        return module(*(args if isinstance(args, tuple) else () if args is None else (args,)), **(kwargs or {}))


@contextmanager
def _replaced(module: Any, tensors: dict[str, Any]) -> Iterator[None]:
    """The module with other Tensors for a while."""
    before = []
    try:
        for path, tensor in tensors.items():
            parent, _, name = path.rpartition(".")
            owner = module.get_submodule(parent)
            kind = next((k for k in ("_parameters", "_buffers") if name in owner.__dict__[k]), None)
            if kind is None:
                raise KeyError(f"{path} is not a parameter or buffer of {type(module).__name__}")
            before.append((owner.__dict__[kind], name, owner.__dict__[kind][name]))
            owner.__dict__[kind][name] = tensor
        yield
    finally:
        for table, name, tensor in reversed(before):
            table[name] = tensor


def stack_module_state(models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and buffers of several modules of one class, each as one Tensor with a first dimension for the modules."""
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    found: list[dict[str, Any]] = []
    for members in ([dict(m.named_parameters()) for m in models], [dict(m.named_buffers()) for m in models]):
        found.append({})
        for name, first in members[0].items():
            stacked = FUNCTIONS["stack"]([m[name].detach() for m in members])
            found[-1][name] = stacked.requires_grad_(first.requires_grad) if first.is_floating_point() else stacked
    return found[0], found[1]
