"""Literals as Python source: objects with a literal form are written as such, all others become a name bound to the object."""
from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from ..ir.ops import Lit
from .globals import Globals

__all__ = ["literal", "number"]

_REAL = frozenset((int, float))


def number(value: float | int | complex, names: Globals) -> ast.expr:
    """A number; negative ones are negations, so that they bind as they do in Python."""
    if type(value) in _REAL and 0 < value < math.inf:       # type: ignore[operator]  # most numbers
        return ast.Constant(value)
    if isinstance(value, bool):
        return ast.Constant(value)
    if isinstance(value, complex):
        if value.real == 0 and math.copysign(1, value.real) > 0 and math.isfinite(value.imag):
            return _signed(value.imag, 1j)
        parts: list[ast.expr] = [number(value.real, names), number(value.imag, names)]
        return ast.Call(names.expr(complex), parts, [])
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return names.spelled("np.nan")
        infinity = names.spelled("np.inf")
        return infinity if value > 0 else ast.UnaryOp(ast.USub(), infinity)
    return _signed(value, 1)


def _signed(value: Any, unit: Any) -> ast.expr:
    if math.copysign(1, value) < 0 and (value or isinstance(value, float)):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value * unit if unit != 1 else -value))
    return ast.Constant(value * unit if unit != 1 else value)


def literal(lit: Lit, names: Globals) -> ast.expr:
    """The expression for a literal operand."""
    if lit.text is not None:
        spelled = names.spelling(lit.text, lit.value)
        if spelled is not None:
            return spelled
    return constant(lit.value, names)


def constant(value: Any, names: Globals) -> ast.expr:
    """The expression for an object known at compile time."""
    kind = type(value)
    if kind in (bool, int, float, complex):
        return number(value, names)
    if value is None or value is Ellipsis or kind in (str, bytes):
        return ast.Constant(value)
    if kind in (tuple, list) and _spellable(value):
        items = [constant(v, names) for v in value]
        return ast.Tuple(items, ast.Load()) if kind is tuple else ast.List(items, ast.Load())
    if kind is dict and _spellable(value):
        return ast.Dict([constant(k, names) for k in value], [constant(v, names) for v in value.values()])
    if kind is slice:
        parts = [value.start, value.stop, value.step]
        if value.step is None:
            parts = parts[:2] if value.start is not None else parts[1:2]
        return ast.Call(names.expr(slice), [constant(v, names) for v in parts], [])
    if isinstance(value, Lit):
        return literal(value, names)
    if isinstance(value, np.dtype) and value.isbuiltin == 1:
        return ast.Call(names.spelled("np.dtype"), [ast.Constant(value.name)], [])
    if isinstance(value, (np.floating, np.integer, np.bool_)) and math.isfinite(value):
        inner = ast.Constant(bool(value)) if isinstance(value, np.bool_) else number(value.item(), names) if _exact(value) else None
        if inner is not None:
            return ast.Call(names.expr(kind), [inner], [])
    return names.expr(value)


def _exact(value: Any) -> bool:
    """Whether a NumPy scalar survives the way through a Python number."""
    item = value.item()
    return isinstance(item, (int, float)) and bool(type(value)(item) == value)


def _spellable(value: Any) -> bool:
    """Whether a container is a tree of literals (a large one keeps its name)."""
    items = list(value) + list(value.values()) if isinstance(value, dict) else list(value)
    return len(items) <= 32 and all(
        v is None or v is Ellipsis or type(v) in (bool, int, float, complex, str, bytes, slice) or callable(v)
        or isinstance(v, (np.dtype, np.generic)) or (type(v) in (tuple, list, dict) and _spellable(v)) for v in items)
