"""Text of expressions, as `ast.unparse` writes it: the common nodes without the machinery that the others need."""
from __future__ import annotations

import ast

__all__ = ["unparse"]

#: How tightly a node binds, in the order of `ast.unparse`: from what any place takes to what only an atom's place takes.
_TEST, _COMPARE, _FACTOR, _ATOM = 0, 4, 11, 14
_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.BitOr: (" | ", 5), ast.BitXor: (" ^ ", 6), ast.BitAnd: (" & ", 7), ast.LShift: (" << ", 8), ast.RShift: (" >> ", 8),
    ast.Add: (" + ", 9), ast.Sub: (" - ", 9), ast.Mult: (" * ", 10), ast.Div: (" / ", 10), ast.FloorDiv: (" // ", 10),
    ast.Mod: (" % ", 10), ast.MatMult: (" @ ", 10), ast.Pow: (" ** ", 12),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: " < ", ast.LtE: " <= ", ast.Gt: " > ", ast.GtE: " >= ", ast.Eq: " == ", ast.NotEq: " != ", ast.Is: " is ",
    ast.IsNot: " is not ", ast.In: " in ", ast.NotIn: " not in ",
}


class _Other(Exception):
    """A node that is left to `ast.unparse`."""


def unparse(e: ast.expr) -> str:
    """The source of an expression.

    Examples
    --------
    >>> unparse(ast.parse("a*(b+c[1:, 0])**-x", mode="eval").body)
    'a * (b + c[1:, 0]) ** (-x)'
    """
    try:
        return _write(e, _TEST)
    except _Other:
        return ast.unparse(e)


def _write(e: ast.expr, place: int) -> str:
    kind = type(e)
    if kind is ast.Name:
        return e.id  # type: ignore[attr-defined, no-any-return]
    write = _WRITERS.get(kind)
    if write is None:
        raise _Other
    return write(e, place)  # type: ignore[no-any-return, operator]


def _constant(e: ast.Constant, place: int) -> str:
    kind = type(e.value)
    text = repr(e.value)
    if kind is int or kind is bool or kind is float and text[-1] not in "fn":      # inf, nan
        return text
    raise _Other


def _binary(e: ast.BinOp, place: int) -> str:
    symbol, own = _BINARY[type(e.op)]
    right = own == 12
    text = _write(e.left, own + right) + symbol + _write(e.right, own + (not right))
    return f"({text})" if place > own else text


def _unary(e: ast.UnaryOp, place: int) -> str:
    if type(e.op) is not ast.USub:
        raise _Other
    text = "-" + _write(e.operand, _FACTOR)
    return f"({text})" if place > _FACTOR else text


def _compare(e: ast.Compare, place: int) -> str:
    text = _write(e.left, _COMPARE + 1) + "".join(_COMPARISONS[type(op)] + _write(c, _COMPARE + 1) for op, c in zip(e.ops, e.comparators))
    return f"({text})" if place > _COMPARE else text


def _attribute(e: ast.Attribute, place: int) -> str:
    if type(e.value) is ast.Constant:
        raise _Other
    return f"{_write(e.value, _ATOM)}.{e.attr}"


def _call(e: ast.Call, place: int) -> str:
    items = [_write(a, _TEST) for a in e.args]
    for k in e.keywords:
        if k.arg is None:
            raise _Other
        items.append(f"{k.arg}={_write(k.value, _TEST)}")
    return f"{_write(e.func, _ATOM)}({', '.join(items)})"


def _subscript(e: ast.Subscript, place: int) -> str:
    index = e.slice
    inside = ", ".join([_write(i, _TEST) for i in index.elts]) if type(index) is ast.Tuple and len(index.elts) > 1 else _write(index, _TEST)
    return f"{_write(e.value, _ATOM)}[{inside}]"


def _slice(e: ast.Slice, place: int) -> str:
    text = f"{_write(e.lower, _TEST) if e.lower else ''}:{_write(e.upper, _TEST) if e.upper else ''}"
    return f"{text}:{_write(e.step, _TEST)}" if e.step else text


_WRITERS = {
    ast.Constant: _constant, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.Compare: _compare, ast.Attribute: _attribute, ast.Call: _call,
    ast.Subscript: _subscript, ast.Slice: _slice,
}
