"""NumPy's protocols: its functions and ufuncs take Tensors."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules import definition_of, lookup
from ..rules.outs import named_out
from ..runtime import divisor
from . import dispatch
from .state import STATE
from .tensor import Tensor

__all__ = ["array_function", "array_ufunc"]


#: the operators that have a Tensor on their right
_REFLECTED: dict[Any, str] = {
    np.add: "__radd__", np.subtract: "__rsub__", np.multiply: "__rmul__", np.divide: "__rtruediv__", np.power: "__rpow__",
    np.mod: "__rmod__", np.floor_divide: "__rfloordiv__", np.less: "__gt__", np.less_equal: "__ge__", np.greater: "__lt__",
    np.greater_equal: "__le__", np.equal: "__eq__", np.not_equal: "__ne__",
}


def array_ufunc(self: Tensor, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """``__array_ufunc__``."""
    if method == "__call__" and not kwargs and len(inputs) == 1:
        return dispatch.apply(ufunc, *inputs)
    out = kwargs.pop("out", None)
    if method == "at":
        raise TypeError(f"np.{ufunc.__name__}.at does not write into a Tensor: use x.index_put_((index,), value, accumulate=True)")
    if len(inputs) == 2 and isinstance(inputs[0], np.generic) and method == "__call__" and not kwargs and out is None:
        reflected = _REFLECTED.get(ufunc)
        if reflected is not None:       # ``np.sqrt(2) * x``: a number beside the Tensor, as in ``x * np.sqrt(2)``
            return getattr(inputs[1], reflected)(inputs[0].item())
    fn = ufunc if method == "__call__" else getattr(ufunc, method)
    return _written(out, dispatch.apply(fn, *inputs, **kwargs))


def array_function(self: Tensor, func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``__array_function__``."""
    if not kwargs and len(args) == 2 and type(args[1]) in _SETTINGS and func not in _SPECIAL and definition_of(func) is None:
        return dispatch.apply(func, *args)      # a function of one Tensor, as most rules call them
    if func in _WRITERS:
        return _WRITERS[func](*args, **kwargs)
    given, kwargs = named_out(func, args, kwargs)
    out = kwargs.pop("out", None)
    kwargs.pop("overwrite_input", None)     # the derivative could not read overwritten values
    return _written(out, _run(func, tuple(given), kwargs))


def _run(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """One operation by its rule, or those that define the function."""
    if func in _EACH and len(args) > 1:
        return tuple(_run(func, (a,), kwargs) for a in args)
    if func is divisor and not STATE.masking:       # with derivative 1, as torch has it: the fallback follows the compiler
        return args[0] + (args[0].detach() == 0)
    text = definition_of(func)
    if text is None or (rule := lookup(func)) is not None and rule.accepts(args, kwargs):
        return dispatch.apply(func, *args, **kwargs)
    return text(*args, **kwargs)


#: functions that do the same with each of their arguments
_EACH = (np.atleast_1d, np.atleast_2d, np.atleast_3d)


def _copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    if not isinstance(dst, Tensor):
        dst[...] = np.asarray(src)      # which refuses a Tensor that requires grad
    elif where is True:
        dst.copy_(src)
    else:
        dst.copy_(dispatch.apply(np.where, where, src, dst))


def _refused(*args: Any, **kwargs: Any) -> Any:
    raise TypeError("np.put, np.place, np.putmask, np.put_along_axis and np.fill_diagonal do not write into a Tensor: assign to x[index]")


_WRITERS: dict[Any, Callable[..., Any]] = {
    np.copyto: _copyto, np.put: _refused, np.place: _refused, np.putmask: _refused, np.put_along_axis: _refused,
    np.fill_diagonal: _refused,
}


#: the types of a second argument that is no operand and no ``out``
_SETTINGS = frozenset((int, tuple))
_SPECIAL = frozenset((*_WRITERS, *_EACH, divisor))


def _written(out: Any, result: Any) -> Any:
    """The results, written into ``out`` if it is given."""
    if out is None:
        return result
    targets = out if isinstance(out, tuple) else (out,)
    results = list(result) if isinstance(result, tuple) else [result]
    for k, target in enumerate(targets):
        if isinstance(target, Tensor):
            target.copy_(results[k])
        elif target is not None:
            target[...] = np.asarray(results[k])
        if target is not None:
            results[k] = target
    return tuple(results) if isinstance(result, tuple) else results[0]
