"""``transgrad check``: compare the derivatives of a function, in both modes, with finite differences."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..comparison import Report
from ..comparison.api import compare, differentiable
from ..transforms.arguments import name_of, signature_of
from ..transforms.compiling import unknown
from ..transforms.options import Options
from ..transforms.transformations import Kind
from . import arguments
from .arguments import Given
from .errors import TargetError

__all__ = ["check"]


def check(f: Callable[..., Any], given: Given, wrt: Sequence[str] | None, options: Options, tolerance: float, step: float | None,
          jacobian: Kind | None) -> Report:
    """Compare each leaf of the differentiated arguments in reverse mode, and one direction through all of them in forward mode.

    With ``jacobian``, also compare the product of the Jacobian and a direction.
    """
    signature = signature_of(f)
    values = arguments.values_of(f, signature, given)
    missing = unknown(values)
    if missing:
        raise TargetError(
            f"check runs {name_of(f)}{signature}, and there is no value for {', '.join(missing)}. Hint: pass the arguments with --args")
    if wrt is None and not differentiable(values):
        raise TargetError(f"no argument of {name_of(f)}{signature} holds floats")
    return compare(f, values, wrt, options, tolerance, step, jacobian=jacobian)
