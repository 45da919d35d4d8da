"""`insert_grad_of`: user statements inside the reverse sweep."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import tree
from ..errors import UnsupportedSyntax

__all__ = ["insert_grad_of"]


class insert_grad_of:
    """Insert the body of a ``with`` statement into the reverse sweep.

    The body runs when the reverse sweep reaches the statement, with the adjoint of the variable at that point: the sum of the
    contributions of all later uses.  It may print or log the adjoint, change it in place, or assign another value to it; the sweep
    continues with the result.  It may read other variables of the function, which have their values at the statement, and must not
    change them.

    In a plain call of the function the body runs once, with an adjoint of zeros.  It does not run in forward mode, or if the result
    does not depend on the variable.

    Parameters
    ----------
    x : float, array, or tuple of them
        A variable of the function, by its name.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def loss(x):
    ...     y = x * x
    ...     with tg.insert_grad_of(y) as y_bar:
    ...         y_bar = np.clip(y_bar, -1.0, 1.0)
    ...     return np.sum(y ** 2)
    >>> tg.grad(loss)(np.array([0.5, 2.0]))
    array([0.5, 4. ])
    """

    def __init__(self, x: Any):
        self.x = x

    def __enter__(self) -> Any:
        return tree.map_leaves(_zeros, self.x)

    def __exit__(self, *error: object) -> None:
        return None


def _zeros(leaf: Any) -> Any:
    if "Tensor" in type(leaf).__name__ or type(leaf).__name__ == "TapedArray":
        raise UnsupportedSyntax("insert_grad_of has no effect on the tape", None, "use x.register_hook(function) for Tensors")
    if isinstance(leaf, (np.ndarray, np.generic)):
        return np.zeros_like(leaf)
    return leaf * 0 if isinstance(leaf, (float, complex)) else leaf
