"""Generate functions of plain arguments around functions of nested ones.

The frameworks pass lists of arrays. For ``f(params, x)`` with ``params = {"a": …, "b": …}`` this module generates

    def f(params_a, params_b, x):
        return wrapped_f({'a': params_a, 'b': params_b}, x)

whose parameters are arrays and numbers, so that any subset of them can be differentiated. The derivative of such a function is again
written as Python source, in terms of `transgrad.vjp` and `transgrad.jvp`, and can be compiled, batched and differentiated in turn.
"""
from __future__ import annotations

import collections
import dataclasses
import itertools
import keyword
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from .. import api, tree
from ..emit.files import expected_file, publish
from ..frontend.calls import hooks
from ..frontend.returns import from_tree
from ..ir.ops import Tree
from ..ir.prims import Fields, initializer
from ..transforms.arguments import name_of

__all__ = ["Names", "adapter", "expression", "pullback", "pushforward"]

_PLAIN_KEYS = (str, int, bool, float, bytes, type(None))


class Names:
    """The names of a generated function: its parameters, and the objects that it refers to."""

    def __init__(self, taken: Collection[str] = ()):
        self.objects: dict[str, Any] = {}
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """Return an unused identifier that resembles ``wanted``."""
        stem = re.sub(r"\W+", "_", wanted).strip("_") or "x"
        stem = f"x{stem}" if stem[0].isdigit() else f"{stem}_" if keyword.iskeyword(stem) else stem
        name = next(n for n in itertools.chain([stem], (f"{stem}_{k}" for k in itertools.count(1))) if n not in self._taken)
        self._taken.add(name)
        return name

    def bind(self, wanted: str, value: Any) -> str:
        """Return the name under which the generated function finds an object."""
        for name, known in self.objects.items():
            if known is value:
                return name
        name = self.fresh(wanted)
        self.objects[name] = value
        return name


def expression(value: Any, names: Names) -> str:
    """Return the expression that builds a nested value, of which each leaf is the source of an expression.

    Examples
    --------
    >>> expression({"a": "x", "b": ["y", ("z",)]}, Names())
    "{'a': x, 'b': [y, (z,)]}"
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        items = ", ".join(f"{_key(k, names)}: {expression(v, names)}" for k, v in value.items())
        if type(value) is dict:
            return f"{{{items}}}"
        cls = names.bind(type(value).__name__, type(value))
        if isinstance(value, collections.defaultdict):
            return f"{cls}({names.bind('factory', value.default_factory)}, {{{items}}})"
        return f"{cls}({{{items}}})"
    if isinstance(value, list):
        return f"[{', '.join(expression(v, names) for v in value)}]"
    if isinstance(value, tuple):
        items = "".join(f"{expression(v, names)}, " for v in value)
        if hasattr(value, "_fields"):
            return f"{names.bind(type(value).__name__, type(value))}({items[:-2]})"
        return f"({items[:-1] if len(value) == 1 else items[:-2]})"
    kind: Any = type(value)
    make = initializer(kind)    # the class, unless its initializer does more than to store the fields
    called = names.bind(kind.__name__ if make is kind else f"make_{kind.__name__}", make)
    fields = [f.name for f in dataclasses.fields(value)]
    return f"{called}({', '.join(f'{name}={expression(getattr(value, name), names)}' for name in fields)})"


def _call_fields(ctx: Any, made: Fields, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """An instance of a dataclass that a compiled function makes from its fields."""
    leaves = [Tree("leaf", index=k) for k in range(len(kwargs))]
    return from_tree(ctx, Tree("object", leaves, keys=list(kwargs), cls=made.cls), list(kwargs.values()))


hooks.register_type(Fields, _call_fields)


def _key(key: Any, names: Names) -> str:
    return repr(key) if isinstance(key, _PLAIN_KEYS) and type(key) in _PLAIN_KEYS else names.bind("key", key)


def _function(name: str, parameters: Sequence[str], body: Sequence[str], names: Names, module: str) -> Callable[..., Any]:
    """Load a generated function."""
    source = f"def {name}({', '.join(parameters)}):\n" + "".join(f"    {line}\n" for line in body)
    file = expected_file(f"interop_{name}", source)
    publish(file, source, {})
    space: dict[str, Any] = {"__name__": module, **names.objects}
    exec(compile(source, file, "exec"), space)
    made: Callable[..., Any] = space[name]
    return made


def adapter(f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], parameters: Sequence[str]) -> Callable[..., Any]:
    """Return a function of plain arguments that calls ``f(*args, **kwargs)``.

    Parameters
    ----------
    f : callable
        The function.
    args, kwargs
        Its arguments, in which each leaf is the name of a parameter of the new function.
    parameters : sequence of str
        The names of the parameters.

    Examples
    --------
    >>> g = adapter(lambda p, x: p["a"] * x, ({"a": "a"}, "x"), {}, ["a", "x"])
    >>> g(2.0, 3.0)
    6.0
    """
    name = name_of(f)
    names = Names([*parameters, name])
    called = names.bind(f"wrapped_{name}", f)
    given = [expression(a, names) for a in args]
    given += [f"{key}={expression(value, names)}" for key, value in kwargs.items() if key.isidentifier()]
    rest = {key: value for key, value in kwargs.items() if not key.isidentifier()}
    given += [f"**{expression(rest, names)}"] if rest else []
    return _function(name, parameters, [f"return {called}({', '.join(given)})"], names, getattr(f, "__module__", None) or __name__)


def parameter_names(args: Sequence[Any], kwargs: Mapping[str, Any], positional: Sequence[str]) -> list[str]:
    """Return a name for each leaf of the arguments of a call, in the order of the leaves of ``(args, kwargs)``."""
    names = Names()
    roots = [*positional, *(f"x{k}" for k in range(len(positional), len(args)))]
    found = [names.fresh(path) for root, value in zip(roots, args) for path, _ in tree.leaves_with_paths(value, root)]
    return found + [names.fresh(path) for key in tree.flatten({k: k for k in kwargs})[0]
                    for path, _ in tree.leaves_with_paths(kwargs[key], str(key))]


def _inner(fn: Callable[..., Any], parameters: Sequence[str], argnums: Sequence[int], names: Names) -> tuple[str, str]:
    """The differentiated arguments of ``fn``, and the expression of a function of these alone."""
    active = ", ".join(parameters[k] for k in argnums)
    called = names.bind(f"operation_{name_of(fn)}", fn)
    if len(argnums) == len(parameters):
        return active, called
    return active, f"lambda {active}: {called}({', '.join(parameters)})"


def pullback(fn: Callable[..., Any], parameters: Sequence[str], argnums: Sequence[int], cotangent: Any,
             cotangents: Sequence[str]) -> Callable[..., Any]:
    """Return the function ``(*arguments, *cotangents) -> cotangents of the arguments``.

    Parameters
    ----------
    fn : callable
        A function of plain arguments.
    parameters : sequence of str
        Names for its arguments.
    argnums : sequence of int
        The differentiated arguments.
    cotangent
        The structure of its result, in which each leaf is the name of a cotangent, or ``"None"``.
    cotangents : sequence of str
        The names of the cotangents.

    Examples
    --------
    >>> pull = pullback(lambda x, y: x * y, ["x", "y"], [0], "g", ["g"])
    >>> pull(2.0, 3.0, 1.0)
    (3.0,)
    """
    name = f"pullback_{name_of(fn)}"
    names = Names([*parameters, *cotangents, name])
    active, inner = _inner(fn, parameters, argnums, names)
    body = f"return {names.bind('tg_vjp', api.vjp)}({inner}, {active})[1]({expression(cotangent, names)})"
    return _function(name, [*parameters, *cotangents], [body], names, fn.__module__)


def pushforward(fn: Callable[..., Any], parameters: Sequence[str], argnums: Sequence[int], tangents: Sequence[str],
                result: Any) -> Callable[..., Any]:
    """Return the function ``(*arguments, *tangents) -> tangents of the results``.

    ``result`` has the structure of the result of ``fn``; the tangent of a leaf is returned unless the leaf is ``"None"``.

    Examples
    --------
    >>> push = pushforward(lambda x, y: {"product": x * y, "kind": 3}, ["x", "y"], [0], ["x_dot"], {"product": "out", "kind": "None"})
    >>> push(2.0, 3.0, 1.0)
    (3.0,)
    """
    name = f"pushforward_{name_of(fn)}"
    names = Names([*parameters, *tangents, name])
    active, inner = _inner(fn, parameters, argnums, names)
    dot = names.fresh("out_dot")
    returned = "".join(f"{path}, " for path, leaf in tree.leaves_with_paths(result, dot) if leaf != "None")
    body = [f"{dot} = {names.bind('tg_jvp', api.jvp)}({inner}, ({active},), ({', '.join(tangents)},))[1]", f"return ({returned[:-1]})"]
    return _function(name, [*parameters, *tangents], body, names, fn.__module__)
