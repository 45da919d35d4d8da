"""Nested arguments: lists, tuples, dicts, named tuples and dataclasses of numbers and arrays, as a structure and its leaves.

It uses optree, and registers dataclasses in a private namespace when they first occur.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import optree

from .runtime.plain_tree import of_fields

__all__ = ["Structure", "describe", "flatten", "is_node", "leaves_with_paths", "map_leaves", "structure", "unflatten"]


def __dir__() -> list[str]:
    return sorted(__all__)


_NAMESPACE = "transgrad"
_KNOWN: set[type] = set()
Structure = optree.PyTreeSpec


def _learn(tree: Any) -> None:
    """Register the dataclasses in ``tree``."""
    cls = type(tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = tuple(f.name for f in dataclasses.fields(tree))
        if cls not in _KNOWN:
            _KNOWN.add(cls)
            optree.register_pytree_node(
                cls, lambda x: (tuple(getattr(x, n, None) for n in names), None, names),
                lambda _, children: of_fields(cls, dict(zip(names, children))), namespace=_NAMESPACE)
        for name in names:
            _learn(getattr(tree, name, None))
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            _learn(item)
    elif isinstance(tree, dict):
        for item in tree.values():
            _learn(item)


def is_node(value: Any) -> bool:
    """Return whether a value is a container whose leaves are differentiated.

    Parameters
    ----------
    value : object
        Any object.

    Returns
    -------
    bool
        True for lists, tuples, dicts, named tuples and instances of dataclasses.

    Examples
    --------
    >>> is_node([1.0]), is_node(1.0)
    (True, False)
    """
    return isinstance(value, (list, tuple, dict)) or dataclasses.is_dataclass(value) and not isinstance(value, type)


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """Return the leaves of a nested value, and its structure. ``None`` is a leaf.

    Parameters
    ----------
    tree : nested value
        A nested value, or a single leaf.

    Returns
    -------
    leaves : list
        The leaves from left to right; those of a dict in the order of its sorted keys.
    form : Structure
        The structure without the leaves, which `unflatten` takes.

    Examples
    --------
    >>> leaves, form = flatten({"a": 1.0, "b": (2.0, 3.0)})
    >>> leaves
    [1.0, 2.0, 3.0]
    >>> unflatten(form, [10.0, 20.0, 30.0])
    {'a': 10.0, 'b': (20.0, 30.0)}
    """
    if is_node(tree):
        _learn(tree)
    return optree.tree_flatten(tree, none_is_leaf=True, namespace=_NAMESPACE)


def structure(tree: Any) -> Structure:
    """Return the structure of a nested value.

    Parameters
    ----------
    tree : nested value
        A nested value, or a single leaf.

    Returns
    -------
    Structure
        The structure, which can be compared and hashed.

    Examples
    --------
    >>> structure([1.0, 2.0]) == structure([3.0, 4.0])
    True
    """
    return flatten(tree)[1]


def unflatten(form: Structure, leaves: Sequence[Any]) -> Any:
    """Return a nested value with the structure ``form`` and the given leaves.

    Parameters
    ----------
    form : Structure
        A structure, from `flatten` or `structure`.
    leaves : sequence
        As many leaves as the structure has.

    Returns
    -------
    nested value
        A new value; containers are not shared with others.

    Examples
    --------
    >>> unflatten(structure((1.0, [2.0])), ["a", "b"])
    ('a', ['b'])
    """
    return optree.tree_unflatten(form, leaves)


def leaves_with_paths(tree: Any, name: str = "") -> list[tuple[str, Any]]:
    """Return each leaf with the expression that reads it.

    Parameters
    ----------
    tree : nested value
        A nested value, or a single leaf.
    name : str, default ''
        The name of the value, with which the expressions begin.

    Returns
    -------
    list of (str, object)
        Pairs of an expression and a leaf, in the order of `flatten`.

    Examples
    --------
    >>> leaves_with_paths({"w": [1.0, 2.0]}, "params")
    [("params['w'][0]", 1.0), ("params['w'][1]", 2.0)]
    """
    if is_node(tree):
        _learn(tree)
    accessors, leaves, _ = optree.tree_flatten_with_accessor(tree, none_is_leaf=True, namespace=_NAMESPACE)
    return [(accessor.codify(name), leaf) for accessor, leaf in zip(accessors, leaves)]


def map_leaves(fn: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Apply a function to each leaf of a nested value, and to the corresponding leaves of ``others``.

    Parameters
    ----------
    fn : callable
        A function of one leaf of each nested value.
    tree : nested value
        The value that determines the structure of the result.
    *others : nested values
        Values of the same structure.

    Returns
    -------
    nested value
        The results of ``fn`` in the structure of ``tree``.

    Raises
    ------
    ValueError
        If the structures differ.

    Examples
    --------
    >>> map_leaves(lambda x, y: x + y, [1.0, (2.0,)], [10.0, (20.0,)])
    [11.0, (22.0,)]
    """
    leaves, form = flatten(tree)
    rest = []
    for other in others:
        more, other_form = flatten(other)
        if other_form != form:
            raise ValueError(f"expected the structure {form}, got {other_form}")
        rest.append(more)
    return unflatten(form, [fn(*row) for row in zip(leaves, *rest)])


def describe(value: Any) -> str:
    """Return a short description of a leaf, for messages.

    Parameters
    ----------
    value : object
        A leaf.

    Returns
    -------
    str
        The dtype and shape of an array, the dtype of a NumPy scalar, or the name of the type.

    Examples
    --------
    >>> import numpy as np
    >>> describe(np.ones((3, 2)))
    'float64 array of shape (3, 2)'
    """
    if isinstance(value, np.ndarray):
        return f"{value.dtype} array of shape {value.shape}"
    if isinstance(value, np.generic):
        return f"NumPy scalar {value.dtype}"
    return "None" if value is None else type(value).__name__
