"""What torch names ``..._copy``: views whose elements are copied, each one node named after that of its view."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.registry import alias
from ..facts import facts_of, shows
from ..functions import shape
from ..layouts import ROWS
from ..names import fields_of, name_of, node_name
from ..tensor import Tensor
from . import complexes, indexing, joining  # noqa: F401  define views
from . import shape as views  # noqa: F401
from .arguments import dim_of, needed, sizes_of
from .table import FUNCTIONS, METHODS, Call, bind, op, spelled

_VIEWS = ("as_strided", "diagonal", "expand", "permute", "select", "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind",
          "unfold", "unsqueeze", "view_as_complex", "view_as_real")


@functools.cache
def copied(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A primitive that makes views as one that copies them, with the same derivative."""
    def made(*args: Any) -> Any:
        found = fn(*args)
        return tuple(np.array(part, order="C") for part in found) if isinstance(found, tuple) else np.array(found, order="C")
    made.__name__ = fn.__name__ + "_copy"
    alias(fn, made)
    node_name(made, name_of(fn) + "_copy", **fields_of(fn))
    shows(made, **facts_of(fn))
    ROWS.add(made)
    return made


def copying(name: str) -> None:
    """Put the copying function of a view into the table."""
    view = METHODS.get(name) or FUNCTIONS[name]

    def lower(*args: Any, **kwargs: Any) -> Any:
        found = view.__wrapped__(*args, **kwargs)
        return Call(copied(found.fn), found.args, found.kwargs, found.promotes) if type(found) is Call else found.clone()
    lower.__name__ = name + "_copy"
    lower.__doc__ = f"`{name}`, as a copy."
    bind(name + "_copy", spelled(lower, name + "_copy", False), method=False)


for _name in _VIEWS:
    copying(_name)


@op(method=False)
def alias_copy(self: Tensor) -> Any:
    """A copy."""
    return Call(copied(shape.alias_of), (self,), {}, None)


@op(method=False)
def detach_copy(self: Tensor) -> Any:
    """A copy without history."""
    return self.detach().clone()


@op(method=False)
def view_copy(self: Tensor, *size: Any, dtype: Any = None) -> Any:
    """`view`, as a copy."""
    if dtype is not None:
        return self.view(dtype).clone()
    return Call(copied(shape.view), (self, sizes_of(needed("view_copy", "size", size), self.numel())), {}, None)


@op(method=False)
def slice_copy(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """A copy of every ``step``-th place of a range along a dimension."""
    axis = dim_of(dim, self.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    first, last, _ = slice(start, end, step).indices(self.shape[axis])
    return Call(copied(shape.slice_), (self, axis, first, max(first, last), step), {}, None)


def apart(name: str) -> None:
    """Put the splitting of a tensor into parts that may each be written to into the table."""
    view = METHODS[name]
    title = "UnsafeSplitWithSizesBackward0" if name == "split_with_sizes" else "UnsafeSplitBackward0"

    def lower(*args: Any, **kwargs: Any) -> Any:
        found = view.__wrapped__(*args, **kwargs)
        return Call(unsafe(found.fn, title), found.args, found.kwargs, found.promotes)
    lower.__name__ = "unsafe_" + name
    lower.__doc__ = f"`{name}`, into parts that may be written to."
    op()(lower)


@functools.cache
def unsafe(fn: Callable[..., Any], title: str) -> Callable[..., Any]:
    """A primitive that splits, as one that copies the parts as they lie."""
    def made(*args: Any) -> Any:
        return tuple(np.array(part, order="C") for part in fn(*args))
    made.__name__ = "unsafe_" + fn.__name__
    alias(fn, made)
    node_name(made, title, **fields_of(fn))
    shows(made, **facts_of(fn))
    return made


for _name in ("split", "split_with_sizes", "chunk"):
    apart(_name)
