"""`insert_grad_of` on the tape: the body of the statement is a hook on the adjoint.

    with insert_grad_of(x) as x_bar:        def adjoint_of_x(x_bar, k=read(lambda: k)):
        x_bar *= k                     →        x_bar *= k
                                                return x_bar
                                            x = insert(x, adjoint_of_x)

The function gets this form before it runs on the tape.
"""
from __future__ import annotations

import ast
import copy
import types
import weakref
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from .. import tree
from ..autograd.tensor import Tensor, unwrap, wrap
from ..errors import UnsupportedSyntax
from ..frontend.frames import scope_of
from ..frontend.source.find import FunctionSource, register, source_of
from ..frontend.source.insertions import has_insertions, names_of
from .array import TapedArray

__all__ = ["hooked"]

_made: weakref.WeakKeyDictionary[types.FunctionType, types.FunctionType] = weakref.WeakKeyDictionary()
_INSERT, _READ = "transgrad_insert", "transgrad_read"


def hooked(func: types.FunctionType) -> types.FunctionType:
    """The function with hooks in place of its `insert_grad_of` statements, or the function itself if it has none."""
    known = _made.get(func)
    if known is not None:
        return known
    if not any("insert_grad_of" in c.co_names for c in _codes(func.__code__)):
        return func
    source = source_of(func)
    if not has_insertions(source) or not isinstance(source.node, gast.FunctionDef):
        return func
    own = _Hooks(source).visit(copy.deepcopy(source.node))
    own.decorator_list, own.returns, own.name = [], None, f"{own.name}_with_hooks"       # the function's name keeps its meaning
    free = func.__code__.co_freevars
    outer = gast.FunctionDef("outer", _parameters([*free, _INSERT, _READ]), [own], [], None, None, [])
    module = gast.gast_to_ast(gast.Module([gast.copy_location(outer, source.node)], []))
    ast.increment_lineno(ast.fix_missing_locations(module), source.offset)
    compiled = compile(module, source.file, "exec", dont_inherit=True)
    code = next(c for c in _codes(compiled) if c.co_name == own.name)
    code = code.replace(co_name=func.__code__.co_name, co_qualname=func.__code__.co_qualname)
    cells = {**dict(zip(free, func.__closure__ or ())), _INSERT: types.CellType(_insert), _READ: types.CellType(_read)}
    closure = tuple(cells[n] for n in code.co_freevars)
    made = _made[func] = types.FunctionType(code, func.__globals__, func.__name__, func.__defaults__, closure)
    made.__kwdefaults__, made.__module__, made.__qualname__ = func.__kwdefaults__, func.__module__, func.__qualname__
    register(made, FunctionSource(own, source.file, source.offset, source.lines))
    return made


def _codes(code: types.CodeType) -> list[types.CodeType]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return [code, *(found for c in inner for found in _codes(c))]


class _Hooks(gast.NodeTransformer):  # type: ignore[misc]
    def __init__(self, source: FunctionSource):
        self.locals = scope_of(source, source.node).locals

    def visit_With(self, node: Any) -> Any:
        """The statement as a function and a call."""
        names = names_of(node)
        if names is None:
            return self.generic_visit(node)
        name, bar = names
        inside = [n for stmt in node.body for n in gast.walk(stmt) if isinstance(n, gast.Name)]
        own = {n.id for n in inside if isinstance(n.ctx, gast.Store)} | {bar}
        reads = [n for n in dict.fromkeys(n.id for n in inside) if n in self.locals and n not in own]
        parameters = _parameters([bar, *reads])
        parameters.defaults = [gast.Call(_load(_READ), [gast.Lambda(_parameters([]), _load(n))], []) for n in reads]
        hook = f"adjoint_of_{name}"
        made = gast.FunctionDef(hook, parameters, [*node.body, gast.Return(_load(bar))], [], None, None, [])
        store = gast.Assign([gast.Name(name, gast.Store(), None, None)], gast.Call(_load(_INSERT), [_load(name), _load(hook)], []), None)
        for new in (made, store):
            gast.copy_location(new, node)
        return [made, store]


def _load(name: str) -> Any:
    return gast.Name(name, gast.Load(), None, None)


def _parameters(names: list[str]) -> Any:
    return gast.arguments([gast.Name(n, gast.Param(), None, None) for n in names], [], None, [], [], None, [])


def _read(get: Callable[[], Any]) -> Any:
    """The value of a variable at the statement, as plain numbers and arrays; None if it has none yet."""
    try:
        return tree.map_leaves(_raw, get())
    except NameError:
        return None


def _raw(leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray) and type(leaf) is np.ndarray:
        return leaf.copy()
    tensor = leaf if type(leaf) is Tensor else leaf.tensor if type(leaf) is TapedArray else None
    if tensor is None:
        return leaf
    array = np.array(unwrap(tensor))
    return array[()] if type(leaf) is TapedArray and leaf.number is not False else array


def _insert(x: Any, body: Callable[[Any], Any]) -> Any:
    """The variable with a hook that runs the body; of several leaves, the body runs once all their adjoints are there."""
    leaves, form = tree.flatten(x)
    active = [k for k, leaf in enumerate(leaves) if type(leaf) in (Tensor, TapedArray) and _tensor(leaf).requires_grad]
    if not active:
        return x
    if len(leaves) > 1:
        raise UnsupportedSyntax("insert_grad_of takes one number or array on the tape", None, "insert a statement for each")
    leaf, = leaves
    tensor = _tensor(leaf).view_as(_tensor(leaf))
    number = type(leaf) is TapedArray and leaf.number is not False

    def hook(gradient: Any) -> Any:
        array = np.conj(np.array(unwrap(gradient)))
        found = body(array[()] if number else array)
        return wrap(np.conj(np.asarray(found, array.dtype)).reshape(array.shape))
    tensor.register_hook(hook)
    return tree.unflatten(form, [TapedArray(tensor, leaf.number) if type(leaf) is TapedArray else tensor])


def _tensor(leaf: Any) -> Any:
    return leaf.tensor if type(leaf) is TapedArray else leaf
