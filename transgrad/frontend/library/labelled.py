"""Series, data frames and arrays with named dimensions: calls of NumPy functions on them, and attributes that their classes lack."""
from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...ir.ops import Lit, Value
from ...ir.types import Obj, RecordT
from ..context import Lowering
from ..domain.abstract import SObj
from ..refusals import refuse

__all__ = ["call_on_labels", "missing_attribute"]

_MODULE = "transgrad.rules.labelled."
#: The class that each stands for.
_REAL = {"Series": ("pandas", "Series"), "Frame": ("pandas", "DataFrame"), "DataArray": ("xarray", "DataArray"),
         "Dataset": ("xarray", "Dataset")}
#: Functions of NumPy's that call the method of the same name.
_METHODS = frozenset((np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin, np.std, np.var,
                      np.cumsum, np.dot, np.abs, np.absolute, np.clip))


def _class_of(x: Any) -> Any:
    """The class of a labelled value; None for any other."""
    if isinstance(x, Value) and isinstance(x.type, (Obj, RecordT)):
        cls: Any = x.type.cls
    elif isinstance(x, SObj):
        cls = x.cls
    else:
        return None
    return cls if isinstance(cls, type) and cls.__module__.startswith(_MODULE) else None


def call_on_labels(ctx: Lowering, fn: Any, args: list[Any], kwargs: dict[str, Any], node: Any) -> Any:
    """A call of a function of NumPy's on a labelled value; NotImplemented for any other call."""
    at = next((k for k, a in enumerate(args) if _class_of(a) is not None), None)
    if at is None or not (isinstance(fn, np.ufunc) or str(getattr(fn, "__module__", "")).startswith("numpy")):
        return NotImplemented
    from ..calls.dispatch import call_abstract
    from ..expressions.attributes import read_attribute
    x, rest = args[at], [*args[:at], *args[at + 1:]]
    if isinstance(fn, np.ufunc):
        if kwargs or at > 1:
            refuse("labels", ctx.at(node), f"{fn.__name__}() with options")
        method = "elementwise" if at == 0 else "elementwise_right"
        return call_abstract(ctx, read_attribute(ctx, x, method, node), [Lit(fn, f"{ctx.bind('np', np)}.{fn.__name__}"), *rest], {}, node)
    name = {"amax": "max", "amin": "min", "absolute": "abs"}.get(fn.__name__, fn.__name__)
    if fn in _METHODS and at == 0 and hasattr(_class_of(x), name):
        if name in ("std", "var") and "ddof" not in kwargs:
            kwargs = {**kwargs, "ddof": Lit(0)}
        return call_abstract(ctx, read_attribute(ctx, x, name, node), rest, kwargs, node)
    if fn is np.where:
        refuse("labels", ctx.at(node), "np.where() of labeled values (use to_numpy())")

    def array_of(a: Any) -> Any:
        return call_abstract(ctx, read_attribute(ctx, a, "to_numpy", node), [], {}, node) if _class_of(a) is not None else a

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
