"""Modules that call a function with options which are set once: activations, pools, dropouts, losses."""
from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from .. import functional as F
from .module import Module

__all__ = ["WithOptions", "family"]

REQUIRED = inspect.Parameter.empty


class WithOptions(Module):
    """A module that calls ``function`` of `functional` with its options.

    Attributes
    ----------
    _function : str
        The name of the function.
    _signature : inspect.Signature
        The options, with their defaults, as ``__init__`` takes them.
    _shown : tuple of str
        The options that ``repr`` shows; ``inplace`` only if it is set.
    """

    _function = ""
    _signature = inspect.Signature()
    _shown: Sequence[str] = ()
    #: whether ``repr`` leaves out the name of the first option
    _unnamed = False
    #: whether the function is told of training mode
    _trains = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{type(self).__name__}.__init__() {error}") from None
        bound.apply_defaults()
        self._options = tuple(bound.arguments)
        for name, value in bound.arguments.items():
            setattr(self, name, value)

    def forward(self, *inputs: Any) -> Any:
        options = {name: getattr(self, name) for name in self._options}
        if self._trains:
            options["training"] = self.training
        return getattr(F, self._function)(*inputs, **options)

    def extra_repr(self) -> str:
        shown = [f"{name}={getattr(self, name)!r}" for name in self._shown if name != "inplace"]
        if shown and self._unnamed:
            shown[0] = shown[0].partition("=")[2]
        return ", ".join(shown + (["inplace=True"] if "inplace" in self._shown and self.__dict__.get("inplace") else []))


def family(module: str, base: type[WithOptions], **members: tuple[str, str, dict[str, Any]]) -> dict[str, type[WithOptions]]:
    """Make the classes of a family: for each name its function, its docstring and its options with their defaults."""
    made = {}
    for name, (function, doc, options) in members.items():
        parameters = [inspect.Parameter(k, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=v) for k, v in options.items()]
        body: dict[str, Any] = {"__doc__": doc, "__module__": module, "__qualname__": name, "_function": function,
                                "_signature": inspect.Signature(parameters), "_shown": tuple(options),
                                "__signature__": inspect.Signature(parameters)}
        made[name] = type(name, (base,), body)
    return made
