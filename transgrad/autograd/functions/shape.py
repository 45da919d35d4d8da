"""Views and rearrangements of one tensor under the names that torch's nodes have for them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.installed import at_least
from ...rules.registry import alias, constant, rule
from ...rules.static import lifted, part
from ...runtime import scatter
from ..dtypes import as_real
from ..facts import shows, sizes
from ..layouts import BY_ELEMENT, CHANNELS, LIKE_FIRST, ROWS, like
from ..names import node_name

__all__ = [
    "alias_of", "clone", "contiguous", "expand", "flip", "fw_primal", "narrow_copy", "permute", "renamed", "repeat", "reshape_alias",
    "roll", "rot90", "select", "slice_", "split", "split_with_sizes", "squeeze", "squeeze_", "squeeze_dim", "squeeze_dim_",
    "squeeze_dims", "squeeze_dims_", "t", "t_", "to_copy", "transpose", "transpose_", "tril", "triu", "unbind", "unsafe_view",
    "unsqueeze", "unsqueeze_", "view", "view_dtype",
]

#: whether ``reshape`` takes ``copy``
_KEEPS = at_least("numpy", 2, 1)
back: Any = lifted(scatter)


def t(self: Any) -> Any:
    """The transpose of a matrix; anything of fewer dimensions as it is."""
    return self.transpose()


def permute(self: Any, axes: Any) -> Any:
    """The dimensions in the order ``axes``."""
    return self.transpose(axes)


alias(np.transpose, t, permute)
node_name(t, "TBackward0")
node_name(permute, "PermuteBackward0", axes="dims")


def transpose(self: Any, axis1: int, axis2: int) -> Any:
    """Two dimensions swapped."""
    return self.swapaxes(axis1, axis2)


alias(np.swapaxes, transpose)
node_name(transpose, "TransposeBackward0", axis1="dim0", axis2="dim1")


def _shared(self: Any, shape: tuple[int, ...]) -> Any:
    """``self.reshape(shape, copy=False)``, which NumPy 2.0 lacks."""
    found = self.reshape(shape)
    if found.size and not np.shares_memory(found, self):
        raise ValueError("Unable to avoid creating a copy while reshaping.")
    return found


def view(self: Any, shape: tuple[int, ...]) -> Any:
    """The same elements in another shape, sharing memory; ValueError where that cannot be."""
    return self.reshape(shape, copy=False) if _KEEPS else _shared(self, shape)


def unsafe_view(self: Any, shape: tuple[int, ...]) -> Any:
    """The elements of a new array in another shape."""
    return np.array(np.reshape(self, shape))


def reshape_alias(self: Any, shape: tuple[int, ...]) -> Any:
    """`view`, of elements that do not lie in order."""
    return self.reshape(shape, copy=False) if _KEEPS else _shared(self, shape)


alias(np.reshape, view, unsafe_view, reshape_alias)


def unsqueeze(self: Any, axis: int) -> Any:
    """A new dimension of size 1."""
    return self.reshape((*self.shape[:axis], 1, *self.shape[axis:]))


alias(np.expand_dims, unsqueeze)
node_name(unsqueeze, "UnsqueezeBackward0", axis="dim")


def squeeze(self: Any) -> Any:
    """All dimensions of size 1 left out."""
    return self.squeeze()


def squeeze_dim(self: Any, axis: int) -> Any:
    """One dimension left out, where it has size 1."""
    return self.squeeze(axis) if self.shape[axis:axis + 1] == (1,) else self[...]


def squeeze_dims(self: Any, axis: tuple[int, ...]) -> Any:
    """Those of several dimensions left out that have size 1."""
    return np.squeeze(self, tuple(k for k in axis if self.shape[k] == 1))


@rule(squeeze, squeeze_dim, squeeze_dims, kind="linear")
def _(g, y, self, axis=None):
    return np.reshape(g, self.shape)


node_name(squeeze, "SqueezeBackward0")
node_name(squeeze_dim, "SqueezeBackward1", axis="dim")

node_name(squeeze_dims, "SqueezeBackward2", axis="dim")


def expand(self: Any, shape: tuple[int, ...]) -> Any:
    """``self`` broadcast to a shape, without a copy."""
    wide = np.broadcast_to(self, shape)
    if isinstance(self, np.ndarray) and self.flags.writeable:       # what broadcasts NumPy would have read only
        wide.flags.writeable = True
    return wide


alias(np.broadcast_to, expand)


def select(self: Any, dim: int, index: int) -> Any:
    """One place along a dimension, which is left out."""
    return self[(slice(None),) * dim + (index, ...)]


@rule(select, kind="linear")
def _(g, y, self, dim, index):
    return back(self, (slice(None),) * dim + (index, ...), g)


def slice_(self: Any, dim: int, start: int, end: int, step: int = 1) -> Any:
    """Every ``step``-th place of a range along a dimension."""
    return self[(slice(None),) * dim + (slice(start, end, step),)]


@rule(slice_, kind="linear")
def _(g, y, self, dim, start, end, step=1):
    return back(self, (slice(None),) * dim + (slice(start, end, step),), g)


node_name(slice_, "SliceBackward0")


def unbind(self: Any, dim: int) -> tuple[Any, ...]:
    """The slices along a dimension."""
    before = (slice(None),) * dim
    return tuple([self[(*before, k, ...)] for k in range(self.shape[dim])])


@rule(unbind, kind="general", jvp=lambda t, y, self, dim: tuple(t[(slice(None),) * dim + (k, ...)] for k in range(len(y))))
def _(g, y, self, dim):
    return np.stack([part(g, y, k) for k in range(len(y))], axis=dim)


def split_with_sizes(self: Any, split_sizes: Sequence[int], dim: int) -> tuple[Any, ...]:
    """Consecutive parts along a dimension."""
    before, parts, start = (slice(None),) * dim, [], 0
    for n in split_sizes:
        parts.append(self[(*before, slice(start, start + n))])
        start += n
    return tuple(parts)


def sizes_of(n: int, size: int) -> list[int]:
    """The lengths of ``n`` places in parts of ``size``, the last one shorter."""
    return [min(size, n - k) for k in range(0, n, size)] or [0]


def split(self: Any, split_size: int, dim: int) -> tuple[Any, ...]:
    """Consecutive parts of one size along a dimension, the last one shorter."""
    return split_with_sizes(self, sizes_of(self.shape[dim], split_size), dim)


def parts_jvp(t, y, self, sizes, dim):
    return tuple(split_with_sizes(t, [r.shape[dim] for r in y], dim))


@rule(split, split_with_sizes, kind="general", jvp=parts_jvp)
def _(g, y, self, sizes, dim):
    return np.concatenate([part(g, y, k) for k in range(len(y))], axis=dim)


node_name(split, "SplitBackward0", sizes="split_size")
node_name(split_with_sizes, "SplitWithSizesBackward0", sizes="split_sizes")


def clone(self: Any) -> Any:
    """A copy of a new memory."""
    return np.array(self)


def to_copy(self: Any, dtype: Any) -> Any:
    """A copy of another dtype."""
    return as_real(self, dtype).astype(dtype)


BY_ELEMENT.update((clone, to_copy))


@rule(clone, kind="linear")
def _(g, y, self):
    return g


@rule(to_copy, kind="linear")
def _(g, y, self, dtype):
    return g


def flip(self: Any, axis: Any) -> Any:
    """The elements in reverse order along one dimension or several."""
    return np.array(np.flip(self, axis))


def roll(self: Any, shift: Any, axis: Any = None) -> Any:
    """The elements moved along dimensions, around the end."""
    return np.roll(self, shift, axis)


def rot90(self: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """A quarter turn, ``k`` times, in a plane."""
    dims = {0: (), 1: axes[1:], 2: axes, 3: axes[:1]}[k % 4]
    turned = like(np.array(np.flip(self, dims)), self)
    return np.swapaxes(turned, *axes) if k % 2 else turned


def repeat(self: Any, repeats: tuple[int, ...]) -> Any:
    """Copy of ``self`` side by side."""
    return np.tile(self, repeats)


def tril(self: Any, diagonal: int = 0) -> Any:
    """The lower triangle."""
    return np.tril(self, diagonal)


def triu(self: Any, diagonal: int = 0) -> Any:
    """The upper triangle."""
    return np.triu(self, diagonal)


for _thin, _fn in ((flip, np.flip), (roll, np.roll), (rot90, np.rot90), (repeat, np.tile), (tril, np.tril), (triu, np.triu)):
    alias(_fn, _thin)
CHANNELS.add(roll)
ROWS.update((tril, triu))
LIKE_FIRST.add(flip)
node_name(repeat, "RepeatBackward0", A="self", reps="repeats")
node_name(roll, "RollBackward0", shift="shifts", axis="dims")
node_name(flip, "FlipBackward0", axis="dims")



def alias_of(self: Any) -> Any:
    """All of the tensor, as a view."""
    return self[...]


def fw_primal(self: Any) -> Any:
    """All of the tensor, as the view that has no tangent."""
    return self[...]


def view_dtype(self: Any, dtype: Any) -> Any:
    """The same memory read as another dtype."""
    return self.view(dtype)


@rule(alias_of, fw_primal, kind="linear")
def _(g, y, self):
    return g


constant(view_dtype)
node_name(alias_of, "AliasBackward0")
node_name(fw_primal, "torch::autograd::Identity")


def contiguous(self: Any) -> Any:
    """A copy whose elements lie in order."""
    return np.array(self, order="C")


def narrow_copy(self: Any, dim: int, start: int, end: int, step: int = 1) -> Any:
    """A copy of a range of a dimension."""
    return np.array(slice_(self, dim, start, end, step))


alias(clone, contiguous)
alias(slice_, narrow_copy)
node_name(contiguous, "CloneBackward0")


def renamed(fn: Any, name: str, **fields: str) -> Any:
    """The same function, whose node has another name."""
    def thin(*args: Any) -> Any:
        return fn(*args)
    thin.__name__, thin.__doc__ = fn.__name__ + "_", fn.__doc__
    alias(fn, thin)
    node_name(thin, name, **fields)
    return thin


#: as methods that change the tensor itself have them
t_, transpose_ = renamed(t, "TBackward1"), renamed(transpose, "TransposeBackward1", axis1="dim0", axis2="dim1")
unsqueeze_ = renamed(unsqueeze, "UnsqueezeBackward1", axis="dim")
squeeze_, squeeze_dim_, squeeze_dims_ = (renamed(fn, f"SqueezeBackward{k}", axis="dim")
                                         for k, fn in enumerate((squeeze, squeeze_dim, squeeze_dims), 3))
shows(view, reshape_alias, unsafe_view, select, slice_, expand, repeat, squeeze, squeeze_dim, squeeze_dims, split, split_with_sizes,
      self_sym_sizes=sizes)
