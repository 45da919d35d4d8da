"""The results of a function: their structure, and the dtype of each leaf."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import tree

__all__ = ["Outputs", "Result", "outputs_of"]


@dataclass(frozen=True, slots=True)
class Result:
    """A leaf of a result.

    Attributes
    ----------
    dtype : str or None
        The dtype, or None for a leaf that is neither a number nor an array.
    form : {'array', 'scalar', 'number', 'other'}
        An array, a NumPy scalar, a Python number or something else.
    shape : tuple of int or None
        The shape, as far as it is known; unknown lengths are None.
    """

    dtype: str | None
    form: str
    shape: tuple[int | None, ...] | None = None

    @property
    def is_active(self) -> bool:
        """Whether the leaf is differentiable."""
        return self.dtype is not None and np.dtype(self.dtype).kind in "fc"

    def seed(self, given: Any) -> Any:
        """Return a cotangent or tangent with the dtype and form of the leaf."""
        array = np.asarray(given)
        if self.dtype is not None and array.dtype != self.dtype:
            array = (array.real if array.dtype.kind == "c" and np.dtype(self.dtype).kind == "f" else array).astype(self.dtype)
        return array if self.form == "array" else array[()] if self.form == "scalar" else array.item()


@dataclass(frozen=True, slots=True)
class Outputs:
    """The structure of a result and its leaves."""

    form: Any
    leaves: tuple[Result, ...]

    @property
    def active(self) -> tuple[int, ...]:
        """The positions of the differentiable leaves."""
        return tuple(k for k, leaf in enumerate(self.leaves) if leaf.is_active)

    @property
    def untyped(self) -> Outputs:
        """The same without shapes: what generated code depends on."""
        return Outputs(self.form, tuple(Result(leaf.dtype, leaf.form) for leaf in self.leaves))

    def seed(self, given: Sequence[Any]) -> Any:
        """Return a cotangent in the structure of the result from those of its differentiable leaves."""
        rest = iter(given)
        return tree.unflatten(self.form, [leaf.seed(next(rest)) if leaf.is_active else None for leaf in self.leaves])

    def names(self, given: Sequence[str]) -> Any:
        """Return the structure of the result with a name at each differentiable leaf and ``"None"`` at the others."""
        rest = iter(given)
        return tree.unflatten(self.form, [next(rest) if leaf.is_active else "None" for leaf in self.leaves])


def outputs_of(value: Any) -> tuple[list[Any], Outputs]:
    """Return the leaves of a result, and their description.

    Examples
    --------
    >>> leaves, outputs = outputs_of({"a": np.float32(1.0), "b": [2, None]})
    >>> [(leaf.dtype, leaf.form) for leaf in outputs.leaves]
    [('float32', 'scalar'), ('int64', 'number'), (None, 'other')]
    >>> outputs.active
    (0,)
    """
    leaves, form = tree.flatten(value)
    return leaves, Outputs(form, tuple(map(_result, leaves)))


def _result(leaf: Any) -> Result:
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind in "biufc":
        return Result(leaf.dtype.name, "array", leaf.shape)
    if isinstance(leaf, np.generic) and leaf.dtype.kind in "biufc":
        return Result(leaf.dtype.name, "scalar", ())
    if isinstance(leaf, (bool, int, float, complex)):
        return Result(np.asarray(leaf).dtype.name, "number", ())
    return Result(None, "other")
