"""Instrument the tree of generated source with a check of every operation.

>>> print(ast.unparse(instrument(ast.parse("y = a * np.log(b)"), "c", sites := [])))
y = c.binary(1, '*', a, c.call(0, np.log, b))
>>> print(ast.unparse(instrument(ast.parse("y /= b"), "c", [])))
c_value = b
c_before = c.flags(y, c_value)
y /= c_value
c.after(0, y, c_before)

Line numbers are those of the source, so that debuggers and tracebacks show it and not the instrumented form.
"""
from __future__ import annotations

import ast
from typing import Any

__all__ = ["instrument"]

SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
}


def instrument(module: ast.Module, checker: str, sites: list[ast.AST]) -> ast.Module:
    """Rewrite a module in place.

    Parameters
    ----------
    module : ast.Module
        The source.
    checker : str
        The name of the object with the checks (see `transgrad.transforms.nan_check.check.Checker`).
    sites : list
        Filled with a copy of the node of each check; the checks refer to them by position.
    """
    made: ast.Module = _Instrument(checker, sites).visit(module)
    return ast.fix_missing_locations(made)


class _Instrument(ast.NodeTransformer):
    def __init__(self, checker: str, sites: list[ast.AST]):
        self.checker, self.sites = checker, sites

    def _check(self, method: str, node: ast.AST, *args: ast.expr, keywords: Any = ()) -> ast.Call:
        self.sites.append(node)
        return self._call(method, node, ast.Constant(len(self.sites) - 1), *args, keywords=keywords)

    def _call(self, method: str, node: ast.AST, *args: ast.expr, keywords: Any = ()) -> ast.Call:
        called = ast.Attribute(ast.Name(self.checker, ast.Load()), method, ast.Load())
        return ast.copy_location(ast.Call(called, list(args), list(keywords)), node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        symbol = SYMBOLS.get(type(node.op))
        original = ast.copy_location(ast.BinOp(node.left, node.op, node.right), node)
        self.generic_visit(node)
        return node if symbol is None else self._check("binary", original, ast.Constant(symbol), node.left, node.right)

    def visit_Call(self, node: ast.Call) -> Any:
        original = ast.copy_location(ast.Call(node.func, [*node.args], [*node.keywords]), node)
        self.generic_visit(node)
        return self._check("call", original, node.func, *node.args, keywords=node.keywords)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if type(node.op) not in SYMBOLS:
            return self.generic_visit(node)
        value, before = f"{self.checker}_value", f"{self.checker}_before"
        out: list[ast.stmt] = []
        original = ast.copy_location(ast.AugAssign(node.target, node.op, node.value), node)
        target = node.target
        if isinstance(target, ast.Subscript):       # its parts are evaluated once
            owner, index = f"{self.checker}_owner", f"{self.checker}_index"
            out += [_store(owner, self.visit(target.value), node), _store(index, self.visit(_index(target.slice)), node)]
            target = ast.Subscript(_load(owner), _load(index), ast.Store())
        out.append(_store(value, self.visit(node.value), node))
        out.append(_store(before, self._call("flags", node, _loaded(target), _load(value)), node))
        out.append(ast.copy_location(ast.AugAssign(target, node.op, _load(value)), node))
        out.append(ast.copy_location(ast.Expr(self._check("after", original, _loaded(target), _load(before))), node))
        return out

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.body = [made for stmt in node.body for made in _listed(self.visit(stmt))]       # not its defaults and decorators
        return node


def _listed(x: Any) -> list[ast.stmt]:
    return x if isinstance(x, list) else [x]


def _index(e: ast.expr) -> ast.expr:
    """An index as an expression of its own, with calls of ``slice``."""
    if isinstance(e, ast.Slice):
        parts: list[ast.expr] = [ast.Constant(None) if part is None else part for part in (e.lower, e.upper, e.step)]
        return ast.copy_location(ast.Call(ast.Name("slice", ast.Load()), parts, []), e)
    if isinstance(e, ast.Tuple):
        return ast.copy_location(ast.Tuple([_index(item) for item in e.elts], ast.Load()), e)
    return e


def _loaded(target: Any) -> Any:
    """An assignment's target as an expression."""
    match target:
        case ast.Name(name):
            return _load(name)
        case ast.Subscript(value, index):
            return ast.Subscript(value, index, ast.Load())
    return ast.Attribute(target.value, target.attr, ast.Load())


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(name: str, value: ast.expr, node: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)
