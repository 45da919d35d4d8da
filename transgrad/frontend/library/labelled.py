"""Series, data frames and arrays with named dimensions: functions that are called on them, and attributes that their classes lack."""
from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any

import numpy as np

from ...ir.ops import Lit, Value
from ...ir.types import Obj, RecordT
from ..context import Lowering
from ..domain.abstract import SList, SObj, STuple
from ..refusals import refuse

__all__ = ["call_on_labels", "has_attribute", "missing_attribute", "real_class", "refuse_special"]

_MODULE = "transgrad.rules.labelled."
#: The class of pandas or xarray that each class stands for.
_REAL = {"Series": ("pandas", "Series"), "Frame": ("pandas", "DataFrame"), "DataArray": ("xarray", "DataArray"),
         "Dataset": ("xarray", "Dataset")}
#: Functions of NumPy that call the method of the same name.
_METHODS: dict[Any, str] = {fn: fn.__name__.replace("amax", "max").replace("amin", "min") for fn in (
    np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin, np.std, np.var, np.cumsum, np.clip, np.any, np.all, np.cumprod, np.round,
    np.argmax, np.argmin, np.argsort, np.take, np.repeat, np.transpose, np.squeeze, np.reshape, np.ravel, np.nonzero, np.searchsorted,
    np.compress, np.diagonal, np.swapaxes, np.partition)}
_REDUCTIONS = frozenset(("sum", "mean", "prod", "max", "min", "std", "var"))


def _class_of(x: Any) -> Any:
    """The class of a labeled value; None for any other."""
    if isinstance(x, Value) and isinstance(x.type, (Obj, RecordT)):
        cls: Any = x.type.cls
    elif isinstance(x, SObj):
        cls = x.cls
    else:
        return None
    return cls if isinstance(cls, type) and cls.__module__.startswith(_MODULE) else None


def real_class(cls: Any) -> Any:
    """The class of pandas or xarray that a class stands for; the class itself if it stands for none."""
    if not isinstance(cls, type) or not cls.__module__.startswith(_MODULE) or cls.__name__ not in _REAL:
        return cls
    package, name = _REAL[cls.__name__]
    return getattr(sys.modules.get(package), name, cls)


def has_attribute(x: Any, name: str) -> bool | None:
    """Whether the object of pandas or xarray has an attribute; None for values that are not labeled."""
    cls = _class_of(x)
    return None if cls is None else hasattr(cls, name) or hasattr(real_class(cls), name)


def refuse_special(ctx: Lowering, found: Any, node: Any) -> None:
    """Refuse a special method that is not compiled for labeled values."""
    what = getattr(found, "refuses", None)
    if what is not None:
        refuse("labels", ctx.at(node) if hasattr(node, "lineno") else ctx.loc, what)


def _holds_labels(ctx: Lowering, x: Any) -> bool:
    """Whether a value is labeled, or a list or tuple of known items that holds one."""
    from ..containers.iterables import static_items
    items = static_items(ctx, x) if isinstance(x, (STuple, SList)) else None
    return _class_of(x) is not None if items is None else any(_holds_labels(ctx, i) for i in items)


def call_on_labels(ctx: Lowering, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of a function of NumPy, pandas or xarray on a labeled value; NotImplemented for any other call."""
    module = str(getattr(fn, "__module__", "")).partition(".")[0]
    if not (isinstance(fn, np.ufunc) or module in ("numpy", "pandas", "xarray")):
        return NotImplemented
    if not any(_holds_labels(ctx, a) for a in (*args, *kwargs.values())):
        return NotImplemented
    from ..calls.dispatch import call_abstract
    from ..containers.iterables import static_items
    from ..expressions.attributes import read_attribute
    if module in ("pandas", "xarray"):
        refuse("labels", ctx.at(node), f"{module}.{getattr(fn, '__name__', fn)}()")
    if isinstance(fn, np.ufunc):
        at = next((k for k, a in enumerate(args) if _class_of(a) is not None), 2)
        if kwargs or at > 1:
            refuse("labels", ctx.at(node), f"{fn.__name__}() with options")
        x, rest = args[at], [*args[:at], *args[at + 1:]]
        method = "_elementwise" if at == 0 else "_elementwise_right"
        return call_abstract(ctx, read_attribute(ctx, x, method, node), [Lit(fn, f"{ctx.bind('np', np)}.{fn.__name__}"), *rest], {}, node)
    name = _METHODS.get(fn) if isinstance(fn, Hashable) else None
    if name is not None and args and _class_of(args[0]) is not None:
        cls, rest = _class_of(args[0]), args[1:]
        if not hasattr(cls, name):
            refuse("labels", ctx.at(node), f"np.{fn.__name__}() of a {real_class(cls).__name__}")
        if name in _REDUCTIONS:
            defaults = {"ddof": Lit(0)} if name in ("std", "var") else {}
            axis = {"axis": rest[0]} if rest else {"axis": Lit(None)} if cls.__name__ == "Frame" else {}
            kwargs, rest = {**axis, **defaults, **kwargs}, rest[1:]
        return call_abstract(ctx, read_attribute(ctx, args[0], name, node), rest, kwargs, node)

    def array_of(a: Any) -> Any:
        if _class_of(a) is not None:
            return call_abstract(ctx, read_attribute(ctx, a, "to_numpy", node), [], {}, node)
        return ctx.tuple([array_of(i) for i in static_items(ctx, a) or ()]) if _holds_labels(ctx, a) else a

    return call_abstract(ctx, Lit(fn), [array_of(a) for a in args], {k: array_of(v) for k, v in kwargs.items()}, node)


def missing_attribute(ctx: Lowering, obj: Any, name: str, node: Any) -> Any:
    """An attribute that the class of a labelled value lacks: a column or a variable, or refused; NotImplemented for other values."""
    cls = _class_of(obj)
    if cls is None or hasattr(cls, name) or name in cls.__dataclass_fields__ or name.startswith("__"):
        return NotImplemented
    package, real = _REAL[cls.__name__]
    if hasattr(getattr(sys.modules.get(package), real, None), name) or cls.__name__ in ("Series", "DataArray"):
        refuse("labels", ctx.at(node), f"{real}.{name}")
    from ..calls.dispatch import call_abstract
    from ..expressions.attributes import read_attribute
    return call_abstract(ctx, read_attribute(ctx, obj, "__getitem__", node), [Lit(name)], {}, node)
