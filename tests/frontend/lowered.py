"""Lowers a function, runs its IR, and compares with Python itself: results, exceptions, and what was written into arguments."""
from __future__ import annotations

import copy
import dataclasses
import inspect
from typing import Any

import numpy as np

from transgrad import frontend
from transgrad.ir.interp import call
from transgrad.ir.ops import Function, Lit
from transgrad.ir.verify import verify


def arguments(f: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> dict[str, Any]:
    bound = inspect.signature(f).bind(*args, **(kwargs or {}))
    bound.apply_defaults()
    return dict(bound.arguments)


def lowered(f: Any, *args: Any, wrt: Any = None, **kwargs: Any) -> Function:
    named = arguments(f, args, kwargs)
    if wrt is None:
        wrt = [n for n, v in named.items() if has_float(v)]
    fn = frontend.lower(f, named, wrt)
    verify(fn)
    return fn


def has_float(v: Any) -> bool:
    if isinstance(v, (tuple, list)):
        return any(map(has_float, v))
    if isinstance(v, dict):
        return any(map(has_float, v.values()))
    if dataclasses.is_dataclass(v) and not isinstance(v, type):
        return any(has_float(getattr(v, f.name)) for f in dataclasses.fields(v))
    return isinstance(v, float) or isinstance(v, (np.ndarray, np.generic)) and v.dtype.kind in "fc"


def run(fn: Function, named: dict[str, Any]) -> Any:
    values = [named[p.name] for p in fn.signature if not isinstance(p.value, Lit)]
    return call(fn, values)


def same(a: Any, b: Any) -> bool:
    if isinstance(b, np.ndarray):
        return isinstance(a, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=b.dtype.kind in "fc"))
    if isinstance(b, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, np.random.Generator):
        return same(a.bit_generator.state, b.bit_generator.state)
    if isinstance(b, dict):
        return type(a) is type(b) and list(a) == list(b) and all(same(a[k], b[k]) for k in b)
    if dataclasses.is_dataclass(b) and not isinstance(b, type):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in dataclasses.fields(b))
    if hasattr(b, "__dict__") and not callable(b):
        return type(a) is type(b) and same(vars(a), vars(b))
    if isinstance(b, (float, complex, np.generic)):
        return type(a) is type(b) and (a == b or bool(np.isclose(a, b, rtol=1e-14, atol=0, equal_nan=True)))
    return bool(type(a) is type(b) and (a == b or a is b))


def check(f: Any, *args: Any, wrt: Any = None, **kwargs: Any) -> Function:
    """Lowers for these arguments and compares a run of the IR with a call of the function."""
    fn = lowered(f, *args, wrt=wrt, **kwargs)
    compare(f, fn, *args, **kwargs)
    return fn


def compare(f: Any, fn: Function, *args: Any, **kwargs: Any) -> None:
    """Compares a lowered function with Python on arguments of the same types."""
    mine, theirs = copy.deepcopy((args, kwargs)), copy.deepcopy((args, kwargs))
    try:
        expected, error = f(*theirs[0], **theirs[1]), None
    except Exception as exc:
        expected, error = None, exc
    try:
        got, raised = run(fn, arguments(f, *mine)), None
    except Exception as exc:
        got, raised = None, exc
    if error is not None or raised is not None:
        assert type(raised) is type(error), (raised, error, str(fn))
        assert str(raised) == str(error)
    else:
        assert same(got, expected), (got, expected, str(fn))
    assert same(list(mine[0]), list(theirs[0])), "the arguments were changed differently"
