"""A variant: the derivative compiled for one combination of argument types."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..emit.text import Origin
from ..ir.ops import Function, Tree, functions_of
from .guards import Guards

if TYPE_CHECKING:
    from ..emit import Module
    from ..emit.numba import Native
    from .derivative import Derivative

__all__ = ["DelegatingPlan", "Plan", "Variant"]


class Variant:
    """The generated code for one combination of argument types.

    Attributes
    ----------
    types : dict of str to str
        The types of the arguments, by name.
    source : str
        The generated source.
    function : callable
        The generated function.
    ir : Function
        The intermediate representation.
    backward : Variant or None
        The backward half, if the derivative consists of two functions.
    native : Native or None
        The machine code, with the Numba back end.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> gradient = tg.grad(lambda x: np.sum(x * x))
    >>> gradient(np.ones(3))
    array([2., 2., 2.])
    >>> gradient.variants[0].types
    {'x': 'float64[n]'}
    """

    __slots__ = (
        "_holds", "backward", "function", "guards", "ir", "like", "linear", "module", "native", "on_floats", "parameters", "primal",
        "types", "uncached",
    )

    def __init__(self, ir: Function, module: Module, function: Callable[..., Any], types: Mapping[str, str],
                 native: Native | None = None):
        self.ir, self.module, self.function, self.types, self.native = ir, module, function, dict(types), native
        self.guards = Guards(ir.attrs.guards, ir.names)
        #: Names and kinds of the parameters, in their order.
        self.parameters = [(p.name, p.kind) for p in ir.signature]
        self._bind()
        self.backward: Variant | None = None
        #: Whether it may raise where NumPy does not, because it computes with Python numbers.
        self.on_floats = any(fn.attrs.floats for fn in functions_of(ir))
        #: Its derivative along tangents (see `transgrad.transforms.linear`), once that was asked for.
        self.linear: Any = None
        #: Why it is not in the disk cache, if it could not be stored.
        self.uncached: str | None = None
        #: The IR of the function itself.
        self.primal: Function | None = None
        #: Arguments it was compiled for (see `transgrad.transforms.argument_likeness`), where it may raise.
        self.like: Mapping[str, Any] | None = None

    def _bind(self) -> None:
        self._holds = self.guards.bind({name: f"args[{k}]" for k, (name, _) in enumerate(self.parameters)})

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether the guards hold for arguments given by name."""
        return self._holds is None or self._holds([values.get(name) for name, _ in self.parameters], {})

    def call_with(self, values: Mapping[str, Any]) -> Any:
        """Run the generated code with arguments given by name."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        by_name = False
        for name, kind in self.parameters:
            value = values[name]
            if kind == "varargs":
                args.extend(value)
                by_name = True
            elif kind == "varkwargs":
                kwargs.update(value)
            elif kind == "keyword" or by_name:
                kwargs[name] = value
            else:
                args.append(value)
        return self.function(*args, **kwargs)

    @property
    def source(self) -> str:
        return self.module.text if self.backward is None else f"{self.module.text}\n\n{self.backward.source}"

    @property
    def returns(self) -> Tree:
        """The structure of the function's result."""
        assert self.primal is not None
        return self.primal.returns

    @property
    def source_map(self) -> dict[int, Origin]:
        """The statement of the user's source behind each line of ``source`` that has one."""
        found = {line: Origin(*origin) for line, origin in self.module.origins().items()}
        if self.backward is not None:       # stands after the forward half and a blank line
            above = self.module.text.count("\n") + 2
            found.update((above + line, origin) for line, origin in self.backward.source_map.items())
        return found

    def __repr__(self) -> str:
        return f"<{self.module.entry} for {', '.join(f'{name}: {t}' for name, t in self.types.items())}>"


class Plan:
    """How one way of calling a derivative (so many positional arguments, these keywords, of these types) runs a variant."""

    __slots__ = ("holds", "missing", "on_floats", "run", "variant")

    def __init__(self, variant: Variant, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self.variant = variant
        self.run, self.on_floats = variant.function, variant.on_floats
        self.missing: dict[str, Any] = {}
        roots: dict[str, str] = {}
        defaults: dict[str, Any] = {}
        for k, p in enumerate(signature.parameters.values()):
            name, kind = p.name, p.kind
            if kind is p.VAR_POSITIONAL:
                roots[name] = f"args[{k}:]"
            elif kind is p.VAR_KEYWORD:
                roots[name] = "kwargs"
            elif k < len(args) and kind is not p.KEYWORD_ONLY:
                roots[name] = f"args[{k}]"
            elif name in kwargs and kind is not p.POSITIONAL_ONLY:
                roots[name] = f"kwargs[{name!r}]"
            else:
                roots[name] = f"default_{name}"
                self.missing[name] = defaults[roots[name]] = p.default
        if self.missing:
            parameters = list(signature.parameters.values())
            catches_rest = any(p.kind is p.VAR_POSITIONAL for p in parameters)
            by_position = [p for p in parameters if p.kind is p.POSITIONAL_ONLY or (catches_rest and p.kind is p.POSITIONAL_OR_KEYWORD)]
            if any(p.name in self.missing for p in by_position):
                self.run, self.missing = _rebinding(variant.function, signature), {}
        self.holds = variant.guards.bind(roots, defaults)

    @classmethod
    def by_position(cls, variant: Variant) -> Plan:
        """The plan for calls with one positional argument for each parameter."""
        plan = object.__new__(cls)
        plan.variant, plan.run, plan.on_floats, plan.missing = variant, variant.function, variant.on_floats, {}
        plan.holds = variant._holds
        return plan


class DelegatingPlan(Plan):
    """A plan that converts the arguments and calls another derivative, which has the variant; subclasses define ``run``."""

    __slots__ = ("derivative",)

    def __init__(self, derivative: Derivative):
        self.derivative = derivative
        self.holds, self.missing, self.on_floats = None, {}, False

    @property
    def variant(self) -> Variant | None:  # type: ignore[override]
        """The variant that ran last."""
        return self.derivative._last


def _rebinding(function: Callable[..., Any], signature: inspect.Signature) -> Callable[..., Any]:
    """The function, with defaults filled in by position."""
    def run(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return function(*bound.args, **bound.kwargs)
    return run
