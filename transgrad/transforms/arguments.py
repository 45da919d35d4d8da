"""Resolve ``argnums`` and ``argnames`` against the signature of the function, and check the differentiated arguments."""
from __future__ import annotations

import collections
import inspect
import operator
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..ir.infer import PLAIN_ARRAYS
from ..ir.parameters import Slot, name_of, signature_of
from ..runtime.fields import UnreadableFields, fields_of, holds_registered, is_node, is_record, is_unreadable

__all__ = ["Slot", "bind", "check_class", "check_leaves", "name_of", "pick", "resolve", "signature_of"]

_VAR_POSITIONAL = inspect.Parameter.VAR_POSITIONAL
_VAR_KEYWORD = inspect.Parameter.VAR_KEYWORD


def resolve(f: Any, signature: inspect.Signature, argnums: int | Sequence[int], argnames: str | Sequence[str] | None,
            skip: int = 0) -> tuple[tuple[Slot, ...], bool]:
    """The differentiated arguments, and whether there is one gradient rather than a tuple of them.

    ``skip`` leading parameters (an instance a method is bound to) do not count in ``argnums``.
    """
    if argnames is not None:
        if argnums != 0:
            raise TypeError(f"give argnums or argnames of {name_of(f)}, not both")
        single = isinstance(argnames, str)
        names = (argnames,) if isinstance(argnames, str) else tuple(argnames)
        return tuple(_by_name(f, signature, name) for name in names), single
    if isinstance(argnums, (bool, float, str)):
        raise TypeError(f"argnums is an int or a tuple of ints, not {argnums!r}; names go into argnames")
    single = not isinstance(argnums, (tuple, list, range))
    numbers = (argnums,) if single else tuple(argnums)  # type: ignore[arg-type]
    positional = [p.name for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][skip:]
    rest = next((p.name for p in signature.parameters.values() if p.kind is _VAR_POSITIONAL), None)
    slots = tuple([_by_number(f, signature, operator.index(n), positional, rest) for n in numbers])  # type: ignore[arg-type]
    if len(set(slots)) != len(slots):
        raise ValueError(f"argnums={argnums!r} names an argument of {name_of(f)}{signature} twice")
    return slots, single


def _by_name(f: Any, signature: inspect.Signature, name: str) -> Slot:
    parameter = signature.parameters.get(name)
    if parameter is not None and parameter.kind not in (_VAR_POSITIONAL, _VAR_KEYWORD):
        return Slot(name)
    catch_all = next((p.name for p in signature.parameters.values() if p.kind is _VAR_KEYWORD), None)
    if catch_all is not None and parameter is None:
        return Slot(catch_all, name)
    raise TypeError(f"{name_of(f)}{signature} has no argument {name!r} to differentiate")


def _by_number(f: Any, signature: inspect.Signature, number: int, names: Sequence[str], rest: str | None) -> Slot:
    """The positional parameter with a number, of those called ``names``, or an entry of ``*rest``."""
    if -len(names) <= number < len(names) and (number >= 0 or rest is None):
        return Slot(names[number])
    if rest is not None and number >= 0:
        return Slot(rest, number - len(names))
    if rest is not None:
        raise TypeError(f"argnums={number} counts from the end, which {name_of(f)}{signature} has none of: it takes *{rest}")
    hint = "" if names else " (keyword-only arguments are named in argnames)"
    raise TypeError(f"{name_of(f)}{signature} has no positional argument number {number} to differentiate{hint}")


def bind(f: Any, signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Parameter names to values, defaults filled in."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(f"{name_of(f)}{signature}: {error}") from None
    bound.apply_defaults()
    return dict(bound.arguments)


def pick(values: Mapping[str, Any], slot: Slot) -> Any:
    """The value of a differentiated argument."""
    value = values[slot.name]
    if slot.key is None:
        return value
    try:
        return value[slot.key]
    except (IndexError, KeyError):
        raise TypeError(f"the argument to be differentiated, {slot}, was not passed") from None


def check_leaves(f: Any, slots: Sequence[Slot], values: Mapping[str, Any]) -> None:
    """Raise an error that names a leaf without derivative."""
    for slot in slots:
        value = pick(values, slot)
        cls = type(value)
        if cls is float or cls is np.ndarray and value.dtype.kind in "fc":
            continue
        if holds_registered(value):
            raise TypeError(f"argument {slot} of {name_of(f)} is, or holds, an instance of a registered class, which this transformation "
                            f"does not take. Hint: pass its parts")
        try:
            inside = tree.is_node(value, objects=True)
            of_instances = set(_of_instances(value, str(slot), ())) if inside else ()
        except UnreadableFields as error:
            raise TypeError(f"argument {error} of {name_of(f)} is to be differentiated, but contains itself, so that its gradient has no "
                            f"structure. {_REGISTER}") from None
        for path, leaf in tree.leaves_with_paths(value, str(slot), objects=True):
            if path not in of_instances:
                _check_leaf(f, path, leaf, inside)
            elif isinstance(leaf, np.ndarray) and type(leaf) not in PLAIN_ARRAYS and leaf.dtype.kind in "fc":
                _check_leaf(f, path, leaf, inside)
            else:       # the gradient by an integer in a field is None
                _check_readable(f, path, leaf)


def _of_instances(value: Any, path: str, around: tuple[int, ...], inside: bool = False) -> Iterator[str]:
    """The paths of the leaves that are fields of instances.

    Raises
    ------
    UnreadableFields
        If an instance contains itself.
    """
    if isinstance(value, dict):
        items = [(f"{path}[{key!r}]", item) for key, item in value.items()]
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        items = [(f"{path}.{name}", item) for name, item in zip(value._fields, value)]
    elif isinstance(value, (list, tuple, collections.deque)):
        items = [(f"{path}[{k}]", item) for k, item in enumerate(value)]
    elif is_node(value):
        items, inside = [(f"{path}.{name}", item) for name, item in fields_of(value).items()], True
    else:
        if inside:
            yield path
        return
    if id(value) in around:
        raise UnreadableFields(path)
    for inner, item in items:
        if not isinstance(item, (np.ndarray, float)):
            yield from _of_instances(item, inner, (*around, id(value)), inside)
        elif inside:
            yield inner


_REGISTER = ("Hint: register its class with tg.register_pytree_node, or with tg.register_dataclass, which names the fields to "
             "differentiate by; such an object in a field belongs among the meta_fields")


def _check_readable(f: Any, path: str, leaf: Any) -> None:
    """Refuse an object whose numbers cannot be listed, naming it."""
    if is_unreadable(leaf):
        cls = type(leaf)
        raise TypeError(f"argument {path} of {name_of(f)} is to be differentiated, but is a {cls.__module__}.{cls.__qualname__}, whose "
                        f"fields cannot be read. {_REGISTER}")
    check_class(f, path, leaf, "differentiated")


_SELECT = "Hint: select the arguments to differentiate with argnums or argnames (on the command line: --wrt)"
#: What to pass instead of arrays of a library that is not supported, by its package.
_WAYS_OUT = {
    "pint": "a gradient has other units than its argument. Hint: pass q.m_as(unit), and attach units to the result",
    "astropy": "a gradient has other units than its argument. Hint: pass q.to_value(unit), and attach units to the result",
    "unyt": "a gradient has other units than its argument. Hint: pass q.to_value(unit), and attach units to the result",
    "awkward": "its rows differ in length. Hint: pass ak.to_numpy(ak.flatten(a)) and ak.num(a), and attach the lengths to the result "
               "with ak.unflatten",
    "polars": "its columns are not NumPy arrays. Hint: pass a.to_numpy()",
    "pyarrow": "its columns are not NumPy arrays. Hint: pass a.to_numpy()",
}


def _check_leaf(f: Any, path: str, leaf: Any, inside: bool) -> None:
    """Check that a number is a float; objects that are not numbers are allowed inside containers."""
    if isinstance(leaf, (bool, int, np.bool_, np.integer)):
        kind = "bool" if isinstance(leaf, (bool, np.bool_)) else "int"
    elif isinstance(leaf, np.ndarray) and leaf.dtype.kind in "biu":
        kind = f"an array of {leaf.dtype}"
    elif isinstance(leaf, np.ndarray) and type(leaf) not in PLAIN_ARRAYS:
        raise TypeError(f"argument {path} of {name_of(f)} is to be differentiated, but is a {type(leaf).__module__.split('.')[0]}."
                        f"{type(leaf).__name__}, whose operators are its own. Hint: pass np.asarray(…) of it")
    elif isinstance(leaf, (float, complex, np.inexact)) or isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc":
        return
    else:
        from ..frontend.domain.abstract import ANYTHING
        check_class(f, path, leaf, "differentiated")
        if inside or leaf is ANYTHING:
            return
        if is_record(leaf):
            raise TypeError(f"argument {path} of {name_of(f)} is to be differentiated, but is a {type(leaf).__name__} that holds no float")
        package = type(leaf).__module__.partition(".")[0]
        if package in _WAYS_OUT:
            raise TypeError(f"argument {path} of {name_of(f)} is to be differentiated, but is a {package}.{type(leaf).__name__}: "
                            f"{_WAYS_OUT[package]}")
        _check_readable(f, path, leaf)
        raise TypeError(f"argument {path} of {name_of(f)} is to be differentiated, but is {tree.describe(leaf)}: "
                        f"expected a float, a complex number, a NumPy array of these, or a container of them. {_SELECT}")
    raise TypeError(f"argument {path} of {name_of(f)} is to be differentiated, but is {kind}. Hint: pass "
                    f"{'an array of floats' if isinstance(leaf, np.ndarray) else 'a float'}, or leave the argument out of argnums")


def check_class(f: Any, path: str, leaf: Any, verb: str) -> None:
    """Refuse a container of a class that is not supported, naming it."""
    if isinstance(leaf, (list, tuple, dict)):
        base = next(c.__name__ for c in (list, tuple, dict) if isinstance(leaf, c))
        raise TypeError(f"argument {path} of {name_of(f)} is to be {verb}, but is a {type(leaf).__name__}: a subclass of "
                        f"{base} is not supported. Hint: pass {base}({path}), or use a dataclass")
