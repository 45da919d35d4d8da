"""Nested arguments: lists, tuples, dicts, named tuples and dataclasses of numbers and arrays, as a structure and its leaves.

It uses optree, and registers dataclasses in a private namespace when they first occur.
"""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import optree

from .runtime.fields import REGISTERED, fields_of, instance
from .runtime.fields import is_node as is_node_of_fields
from .runtime.plain_tree import of_fields

__all__ = ["Structure", "describe", "flatten", "is_node", "leaves_with_paths", "map_leaves", "register_dataclass",
           "register_pytree_node", "structure", "unflatten"]


def __dir__() -> list[str]:
    return sorted(__all__)


_NAMESPACE, _OF_OBJECTS = "transgrad", "transgrad.objects"
_KNOWN: set[tuple[type, str]] = set()
Structure = optree.PyTreeSpec


def _learn(tree: Any, objects: bool = False, around: tuple[int, ...] = ()) -> None:
    """Register the dataclasses in ``tree``, and the classes of other instances with ``objects``."""
    inner = (*around, id(tree))
    if isinstance(tree, (list, tuple)):
        if type(tree) is not tuple and isinstance(tree, tuple) and hasattr(tree, "_fields") and not optree.is_namedtuple(tree):
            _register_tuple(type(tree), _OF_OBJECTS if objects else _NAMESPACE)
        for item in tree:
            _learn(item, objects, inner)
    elif isinstance(tree, dict):
        for item in tree.values():
            _learn(item, objects, inner)
    elif _is_record(tree, objects):
        if id(tree) in around:
            raise TypeError(f"an instance of {type(tree).__name__} contains itself, so that it has no structure of numbers. Hint: register "
                            f"its class with tg.register_pytree_node or tg.register_dataclass, without the reference")
        cls, namespace = type(tree), _OF_OBJECTS if objects else _NAMESPACE
        if (cls, namespace) not in _KNOWN:
            _KNOWN.add((cls, namespace))
            _register_fields(cls, namespace)
        for item in fields_of(tree).values():
            _learn(item, objects, inner)
    elif type(tree) in REGISTERED:
        _learn(list(REGISTERED[type(tree)][0](tree)[0]), objects, inner)


def _register_tuple(cls: Any, namespace: str) -> None:
    """Register a tuple with named items that is no `collections.namedtuple`: SciPy's results."""
    if (cls, namespace) in _KNOWN:
        return
    _KNOWN.add((cls, namespace))

    def unflatten_items(names: Any, children: Any) -> Any:
        try:
            return cls(*children)
        except TypeError:
            raise TypeError(f"a {cls.__name__} cannot be made of its items alone: it holds more. Hint: return the items that you need, "
                            f"for example (r.{', r.'.join(map(str, cls._fields[:2]))})") from None

    optree.register_pytree_node(cls, lambda value: (tuple(value), None, tuple(cls._fields)), unflatten_items, namespace=namespace)


def _register_fields(cls: Any, namespace: str) -> None:
    """Register a class whose instances consist of their fields."""
    make = of_fields if dataclasses.is_dataclass(cls) else instance

    def unflatten_fields(names: Any, children: Any) -> Any:
        return make(cls, dict(zip(names, children)))

    optree.register_pytree_node(cls, _fields, unflatten_fields, namespace=namespace, path_entry_type=optree.GetAttrEntry)


def _fields(value: Any) -> tuple[tuple[Any, ...], tuple[str, ...], tuple[str, ...]]:
    """The fields of an instance as children of a node, and their names."""
    found = fields_of(value)
    return tuple(found.values()), tuple(found), tuple(found)


def _is_record(value: Any, objects: bool) -> bool:
    """Return whether a value is an instance that consists of its fields."""
    if type(value) in REGISTERED:
        return False
    return is_node_of_fields(value) if objects else dataclasses.is_dataclass(value) and not isinstance(value, type)


def _is_leaf(value: Any) -> bool:
    """Return whether an instance has no fields that are differentiated, among those whose class is registered."""
    return (type(value), _OF_OBJECTS) in _KNOWN and not is_node_of_fields(value)


def _options(objects: bool) -> dict[str, Any]:
    return {"none_is_leaf": True, "namespace": _OF_OBJECTS, "is_leaf": _is_leaf} if objects else {
        "none_is_leaf": True, "namespace": _NAMESPACE}


def is_node(value: Any, objects: bool = False) -> bool:
    """Return whether a value is a container whose leaves are differentiated.

    Parameters
    ----------
    value : object
        Any object.
    objects : bool, default False
        Whether instances of other classes count that are written in Python and hold floats.

    Returns
    -------
    bool
        True for lists, tuples, dicts, named tuples and instances of dataclasses.

    Examples
    --------
    >>> is_node([1.0]), is_node(1.0)
    (True, False)
    """
    return isinstance(value, (list, tuple, dict)) or type(value) in REGISTERED or _is_record(value, objects)


def flatten(tree: Any, objects: bool = False) -> tuple[list[Any], Structure]:
    """Return the leaves of a nested value, and its structure. ``None`` is a leaf.

    Parameters
    ----------
    tree : nested value
        A nested value, or a single leaf.
    objects : bool, default False
        Whether an instance of any class that is written in Python consists of its fields, as an instance of a dataclass does.

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
    if is_node(tree, objects):
        _learn(tree, objects)
    return optree.tree_flatten(tree, **_options(objects))


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


def leaves_with_paths(tree: Any, name: str = "", objects: bool = False) -> list[tuple[str, Any]]:
    """Return each leaf with the expression that reads it.

    Parameters
    ----------
    tree : nested value
        A nested value, or a single leaf.
    name : str, default ''
        The name of the value, with which the expressions begin.
    objects : bool, default False
        Whether an instance of any class that is written in Python consists of its fields.

    Returns
    -------
    list of (str, object)
        Pairs of an expression and a leaf, in the order of `flatten`.

    Examples
    --------
    >>> leaves_with_paths({"w": [1.0, 2.0]}, "params")
    [("params['w'][0]", 1.0), ("params['w'][1]", 2.0)]
    """
    if is_node(tree, objects):
        _learn(tree, objects)
    accessors, leaves, _ = optree.tree_flatten_with_accessor(tree, **_options(objects))
    return [(accessor.codify(name), leaf) for accessor, leaf in zip(accessors, leaves)]


def map_leaves(fn: Callable[..., Any], tree: Any, *others: Any, objects: bool = False) -> Any:
    """Apply a function to each leaf of a nested value, and to the corresponding leaves of ``others``.

    Parameters
    ----------
    fn : callable
        A function of one leaf of each nested value.
    tree : nested value
        The value that determines the structure of the result.
    *others : nested values
        Values of the same structure.
    objects : bool, default False
        Whether an instance of any class that is written in Python consists of its fields.

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
    leaves, form = flatten(tree, objects)
    rest = []
    for other in others:
        more, other_form = flatten(other, objects)
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


def register_pytree_node(nodetype: type, flatten_func: Callable[[Any], tuple[Iterable[Any], Any]],
                         unflatten_func: Callable[[Any, Iterable[Any]], Any], flatten_with_keys_func: Any = None) -> None:
    """Register a class whose instances consist of parts that are differentiated.

    The gradient with respect to an instance is an instance of the class, which ``unflatten_func`` makes of the gradients by its parts. The
    differentiated function gets an instance that ``unflatten_func`` has made of the parts; what it assigns to that is not seen in the
    argument. The signature is that of ``jax.tree_util.register_pytree_node``.

    Parameters
    ----------
    nodetype : type
        The class.
    flatten_func : callable
        A function of an instance that returns its parts, and what else ``unflatten_func`` needs.
    unflatten_func : callable
        A function of that, and of the parts, that returns an instance. It is also called with gradients, and with ``None`` in their place.
    flatten_with_keys_func : callable, optional
        Accepted for compatibility.

    Raises
    ------
    ValueError
        If the class is registered already.

    Examples
    --------
    >>> import transgrad as tg
    >>> class Celsius:
    ...     def __init__(self, degrees, name):
    ...         self.degrees, self.name = degrees, name
    >>> def parts(t):
    ...     return (t.degrees,), t.name
    >>> def make(name, parts):
    ...     return Celsius(parts[0], name)
    >>> tg.register_pytree_node(Celsius, parts, make)
    >>> def squared(t):
    ...     return t.degrees ** 2
    >>> bar = tg.grad(squared)(Celsius(3.0, "inside"))
    >>> bar.degrees, bar.name
    (6.0, 'inside')
    """
    _register(nodetype, flatten_func, unflatten_func, None)


def register_dataclass(nodetype: Any = None, data_fields: Sequence[str] | None = None, meta_fields: Sequence[str] | None = None,
                       drop_fields: Sequence[str] = ()) -> Any:
    """Register a class by its fields: those that are differentiated, and those that a gradient has from its argument.

    The signature is that of ``jax.tree_util.register_dataclass``.

    Parameters
    ----------
    nodetype : type
        The class; it need not be a dataclass. Without it, the function returns a decorator.
    data_fields : sequence of str, optional
        The fields that are differentiated. By default, those of a dataclass that have no ``metadata`` with ``static=True``.
    meta_fields : sequence of str, optional
        The other fields. By default, those with ``metadata={"static": True}``.
    drop_fields : sequence of str
        Fields that are left out, and missing in a gradient.

    Returns
    -------
    type
        The class.

    Raises
    ------
    TypeError
        If the fields are left out, and the class is not a dataclass.
    ValueError
        If the fields of a dataclass are not those given, or the class is registered already.

    Examples
    --------
    >>> import transgrad as tg
    >>> class Gas:
    ...     def __init__(self, pressure, gamma):
    ...         self.pressure, self.gamma = pressure, gamma
    >>> tg.register_dataclass(Gas, data_fields=["pressure"], meta_fields=["gamma"]).__name__
    'Gas'
    >>> def energy(gas):
    ...     return gas.pressure ** 2 / gas.gamma
    >>> bar = tg.grad(energy)(Gas(2.0, 4.0))
    >>> bar.pressure, bar.gamma
    (1.0, 4.0)
    """
    if nodetype is None:
        return lambda cls: register_dataclass(cls, data_fields, meta_fields, drop_fields)
    declared = dataclasses.fields(nodetype) if dataclasses.is_dataclass(nodetype) else None
    if data_fields is None or meta_fields is None:
        if declared is None:
            raise TypeError(f"{nodetype.__name__} is not a dataclass. Hint: name its fields: data_fields=[…], meta_fields=[…]")
        static = {f.name for f in declared if f.metadata.get("static", False)}
        names = [f.name for f in declared if f.name not in drop_fields]
        data_fields = [name for name in names if name not in static] if data_fields is None else data_fields
        meta_fields = [name for name in names if name in static] if meta_fields is None else meta_fields
    data, meta = tuple(data_fields), tuple(meta_fields)
    if declared is not None and (wanted := {f.name for f in declared if f.init} - set(drop_fields)) - {*data, *meta}:
        raise ValueError(f"the fields of {nodetype.__name__} are {sorted(wanted)}, but data_fields and meta_fields name {[*data, *meta]}")

    def parts(value: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return tuple(getattr(value, name) for name in data), tuple(getattr(value, name) for name in meta)

    def make(aux: Any, children: Any) -> Any:
        return instance(nodetype, {**dict(zip(meta, aux)), **dict(zip(data, children))})

    _register(nodetype, parts, make, (meta, data))
    return nodetype


def _register(cls: Any, parts: Any, make: Any, names: tuple[tuple[str, ...], tuple[str, ...]] | None) -> None:
    if cls in REGISTERED:
        raise ValueError(f"{cls.__name__} is registered already")
    if not isinstance(cls, type) or issubclass(cls, (list, tuple, dict, np.ndarray, float)):
        raise TypeError(f"expected a class that is no container or array, got {cls!r}")

    def flat(value: Any) -> tuple[Any, ...]:
        children, aux = parts(value)
        return (tuple(children), aux) if names is None else (tuple(children), aux, names[1])

    for namespace in (_NAMESPACE, _OF_OBJECTS):
        if (cls, namespace) in _KNOWN:
            _KNOWN.discard((cls, namespace))
            unregister: Any = optree.unregister_pytree_node
            unregister(cls, namespace=namespace)
        register: Any = optree.register_pytree_node
        register(cls, flat, make, namespace=namespace, **({} if names is None else {"path_entry_type": optree.GetAttrEntry}))
    REGISTERED[cls] = (parts, make, names)
