"""Determine whether a rule reads the values of its parameters, or only their shapes and dtypes."""
from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..ir.ops import Value
from ..ir.parsing import compile_tree
from ..rules.static import count, is_complex, is_number, ndim
from ..rules.text import definition, sliced
from .inline import decided

__all__ = ["DtypeOf", "mentioned", "outputs_read", "read_by", "tested_by"]

_ATTRIBUTES = frozenset(("dtype", "ndim", "shape", "size", "strides"))
#: functions that look at the shape and dtype of their first argument (`np.result_type`: of any) alone
_SHAPE_ONLY = frozenset((ndim, count, is_complex, len, np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.empty_like,
                         np.iscomplexobj, np.result_type, isinstance))
_LOOPS = frozenset(("enumerate", "zip"))


class DtypeOf:
    """The properties of a tensor that are known when a rule is analyzed; other accesses raise an error, so that no test depends on them."""

    def __init__(self, dtype: np.dtype[Any]):
        self.dtype = dtype

    def __getattr__(self, name: str) -> Any:
        raise LookupError(f"{name} of a tensor is not known at compile time")

    def _unknown(self, *args: Any) -> Any:
        raise LookupError("the values of a tensor are not known at compile time")

    __array__ = __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __len__ = __iter__ = _unknown
    __hash__ = object.__hash__


def read_by(vjp: Callable[..., Any], wanted: Sequence[bool], known: Mapping[str, Any], shapes: bool = False) -> set[str] | None:
    """The parameters whose values (with ``shapes``: whose values or shapes) the wanted entries need; None if the source is not at hand.

    Parameters
    ----------
    vjp : callable
        The source.
    wanted : sequence of bool
        Which entries are asked for.
    known : mapping
        Parameters that are constants, with their values, and tensors as `DtypeOf`: a test on them is decided.
    """
    node = sliced(vjp, wanted)
    if node is None:
        return None
    names = set(inspect.signature(vjp).parameters) - {"g"}
    return {name for name in names if _reads(node, {name}, vjp.__globals__, known, 0, shapes)}


def outputs_read(vjp: Callable[..., Any], wanted: Sequence[bool], known: Mapping[str, Any], count: int) -> set[int]:
    """The results in ``y`` whose values the requested entries read: source with ``y[1]`` reads only that one."""
    node = sliced(vjp, wanted)
    if node is None:
        return set(range(count))
    name = list(inspect.signature(vjp).parameters)[1]
    return {k for k in range(count) if _reads(node, {name}, vjp.__globals__, known, 0, False, k)}


def mentioned(vjp: Callable[..., Any], wanted: Sequence[bool]) -> set[str]:
    """All names in the source of the requested entries."""
    node = sliced(vjp, wanted)
    return set(inspect.signature(vjp).parameters) if node is None else {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


@functools.lru_cache(4096)
def tested_by(function: Callable[..., Any], depth: int = 0) -> set[str]:
    """The parameters that a function, or one of its callees, tests: their values select the executed part."""
    node = definition(function)
    if node is None or depth > 4:
        return set()
    found: set[str] = set()
    for n in ast.walk(node):
        if isinstance(n, (ast.If, ast.IfExp)):
            found |= {m.id for m in ast.walk(n.test) if isinstance(m, ast.Name)}
        elif isinstance(n, ast.Call):
            callee = _callee(n.func, function.__globals__)
            if inspect.isfunction(callee):
                inner, names = tested_by(callee, depth + 1), list(inspect.signature(callee).parameters)
                found |= {a.id for name, a in zip(names, n.args) if name in inner and isinstance(a, ast.Name)}
    return found


def _callee(func: ast.expr, space: dict[str, Any]) -> Any:
    """The function that is called, without what lifts it to other kinds of values."""
    try:
        found = eval(compile_tree(ast.Expression(func), "<rule>"), space, {})
        return found if found in _SHAPE_ONLY else getattr(found, "__wrapped__", found)
    except Exception:
        return None


def _reads(node: ast.FunctionDef, names: set[str], space: dict[str, Any], known: Mapping[str, Any], depth: int,
           shapes: bool, element: int | None = None) -> bool:
    """Return whether the body reads the value of one of the names (of the same thing), or of one of its elements."""
    reader = _Reader(names, space, known, depth, shapes)
    reader.element = element
    for statement in node.body:
        reader.visit(statement)
    return reader.found


def _asks_for_ir(test: ast.expr, space: dict[str, Any]) -> bool:
    """Return whether a test holds for values of the compiler alone, which the tape does not have."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_asks_for_ir(part, space) for part in test.values)
    return (isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2
            and isinstance(test.args[1], ast.Name) and space.get(test.args[1].id) is Value)


class _Reader(ast.NodeVisitor):
    """Looks for a use of a name that is not of its shape or dtype."""

    def __init__(self, names: set[str], space: dict[str, Any], known: Mapping[str, Any], depth: int, shapes: bool):
        self.names, self.space, self.known, self.depth, self.shapes = set(names), space, known, depth, shapes
        self.found = False
        self.element: int | None = None     # the index, if it is a single element

    def visit_Subscript(self, node: ast.Subscript) -> None:
        other = isinstance(node.slice, ast.Constant) and self.element is not None and node.slice.value != self.element
        if not (other and self._is_name(node.value)):
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self.names:
            self.found = True

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self.shapes or not (self._is_name(node.value) and node.attr in _ATTRIBUTES):
            self.generic_visit(node)

    def _is_name(self, node: ast.expr) -> bool:
        """Return whether it is the name, or an element of it (an array of a list)."""
        if isinstance(node, ast.Subscript) and isinstance(node.slice, (ast.Name, ast.Constant)) and not self._is_name(node.slice):
            return self._is_name(node.value)
        return isinstance(node, ast.Name) and node.id in self.names

    def _decided(self, test: ast.expr) -> bool | None:
        if _asks_for_ir(test, self.space):
            return False
        return decided(test, {k: v for k, v in self.space.items() if k not in self.names}, self.known)

    def visit_IfExp(self, node: ast.IfExp) -> None:
        decided = self._decided(node.test)
        if decided is None:
            self.visit(node.test)
        if decided is not False:
            self.visit(node.body)
        if decided is not True:
            self.visit(node.orelse)

    def visit_If(self, node: ast.If) -> None:
        decided = self._decided(node.test)
        if decided is None:
            self.visit(node.test)
        for statement in [*(node.body if decided is not False else ()), *(node.orelse if decided is not True else ())]:
            self.visit(statement)
            if isinstance(statement, ast.Return) and decided:
                self.names = set()      # the following code is unreachable
                break

    def visit_For(self, node: ast.For) -> None:
        self._loop(node.target, node.iter)
        for statement in [*node.body, *node.orelse]:
            self.visit(statement)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._loop(node.target, node.iter)
        for test in node.ifs:
            self.visit(test)

    def _comprehension(self, node: Any) -> None:
        for generator in node.generators:
            self.visit(generator)
        self.visit(node.elt)

    visit_ListComp = visit_GeneratorExp = visit_SetComp = _comprehension

    def _loop(self, target: ast.expr, iterable: ast.expr) -> None:
        """A loop over the arrays of a list reads no value by itself: its variable means one of them."""
        if self._is_name(iterable) and isinstance(target, ast.Name):
            self.names.add(target.id)
        elif (isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id in _LOOPS
              and isinstance(target, ast.Tuple)):
            offset = 1 if iterable.func.id == "enumerate" else 0
            for k, part in enumerate(iterable.args):
                if self._is_name(part) and isinstance(target.elts[k + offset], ast.Name):
                    self.names.add(target.elts[k + offset].id)      # type: ignore[attr-defined]
                elif not self._is_name(part):
                    self.visit(part)
                else:
                    self.found = True
        else:
            self.visit(iterable)

    def visit_Call(self, node: ast.Call) -> None:
        if not isinstance(node.func, ast.Name):
            self.visit(node.func)
        callee = _callee(node.func, self.space)
        for k, arg in enumerate(node.args):
            if not (self._is_name(arg) and self._passes(callee, k, None, node)):
                self.visit(arg)
        for keyword in node.keywords:
            if not (self._is_name(keyword.value) and self._passes(callee, None, keyword.arg, node)):
                self.visit(keyword.value)

    def _passes(self, callee: Any, place: int | None, keyword: str | None, call: ast.Call) -> bool:
        """Return whether the function that receives the name reads only its shape."""
        try:
            if callee in _SHAPE_ONLY:
                return not self.shapes and (place == 0 or callee in (np.result_type, isinstance))
        except TypeError:
            return False
        if callee is is_number or self.depth > 4 or not inspect.isfunction(callee):
            return False
        node = definition(callee)
        if node is None or any(isinstance(a, ast.Starred) for a in call.args):
            return False
        names = [a.arg for a in [*node.args.posonlyargs, *node.args.args]]
        inner = keyword if keyword is not None else names[place] if place is not None and place < len(names) else None
        if inner is None:
            return False
        known = {names[k]: self.known[a.id] for k, a in enumerate(call.args)
                 if isinstance(a, ast.Name) and a.id in self.known and k < len(names)}
        known |= {names[k]: a.value for k, a in enumerate(call.args) if isinstance(a, ast.Constant) and k < len(names)}
        return not _reads(node, {inner}, callee.__globals__, known, self.depth + 1, self.shapes)
