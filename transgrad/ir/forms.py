"""The form of a function's result, as a string: ``(float, float64[:, :])``; and its types in the IR."""
from __future__ import annotations

import ast
import functools
from typing import Any

from .ops import Tree
from .types import ANY, Arr, Num, Obj, Type

__all__ = ["parse", "types_of"]

_NUMBERS = ("bool", "int", "float")


@functools.lru_cache(maxsize=1024)
def parse(text: str) -> Any:
    """A form as nested tuples, dicts, types and None."""
    return _parsed(ast.parse(text, mode="eval").body)


def _parsed(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=None):
            return None
        case ast.Name(id="str"):
            return Obj(str)
        case ast.Name(id=name) if name in _NUMBERS:
            return Num(name)
        case ast.Attribute(attr=dtype):
            return Arr(dtype.rstrip("_"), (), True)
        case ast.Subscript(value=ast.Name(id=dtype), slice=ast.Tuple(elts=parts)):
            return Arr(dtype, (ANY,) * len(parts))
        case ast.Subscript(value=ast.Name(id=dtype)):
            return Arr(dtype, (ANY,))
        case ast.Tuple(elts=items):
            return tuple(map(_parsed, items))
        case ast.Dict(keys=keys, values=values):
            return {ast.literal_eval(k): _parsed(v) for k, v in zip(keys, values) if k is not None}
    raise ValueError(f"no form of a result: {ast.unparse(node)}")


def types_of(form: Any) -> tuple[Tree, list[Type]]:
    """The returned structure over the types of its leaves."""
    types: list[Type] = []

    def visit(part: Any) -> Tree:
        if part is None:
            return Tree("lit", value=None)
        if isinstance(part, tuple):
            return Tree("tuple", [visit(item) for item in part])
        if isinstance(part, dict):
            return Tree("dict", [visit(item) for item in part.values()], keys=list(part))
        types.append(part)
        return Tree("leaf", index=len(types) - 1)

    return visit(form), types
