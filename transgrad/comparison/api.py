"""``tg.check`` and the selection of the arguments that are differentiated."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import progress, tree
from ..runtime.fields import is_node
from ..transforms.arguments import bind, name_of, pick, resolve, signature_of
from ..transforms.options import Options
from ..transforms.seeds import is_active
from ..transforms.transformations import Kind
from .probe import Probe
from .report import Report

__all__ = ["check", "compare", "differentiable"]


def differentiable(values: Mapping[str, Any]) -> list[str]:
    """Return the arguments that hold floats and no integers, which a check differentiates by default."""
    found = []
    for name, value in values.items():
        leaves = tree.flatten(value, objects=True)[0]
        whole = any(isinstance(leaf, (int, np.integer)) or isinstance(leaf, np.ndarray) and leaf.dtype.kind in "biu" for leaf in leaves)
        if (not whole or is_node(value)) and any(map(is_active, leaves)):
            found.append(name)
    return found


def compare(f: Callable[..., Any], values: Mapping[str, Any], wrt: Sequence[str] | None, options: Options, rtol: float,
            step: float | None = None, entries: bool = False, jacobian: Kind | None = None) -> Report:
    """Return the report for arguments by name; with ``jacobian``, that matrix is compared, too."""
    chosen = differentiable(values) if wrt is None else list(wrt)
    with progress.shown(options.progress or progress.asked()):
        return Probe(f, signature_of(f), values, chosen, options, rtol, step, entries, jacobian=jacobian).run()


def check(f: Callable[..., Any] | None = None, argnums: int | Sequence[int] | None = None, *, argnames: str | Sequence[str] | None = None,
          rtol: float = 1e-5, entries: bool = False, **options: Any) -> Any:
    """Compare the derivatives of a function with finite differences and with each other.

    The gradient (reverse mode) and a derivative along a random direction (forward mode) are compared in structure, shape,
    dtype and value.

    Parameters
    ----------
    f : callable
        The function. It may return any structure. If it is omitted, ``check`` returns a decorator.
    argnums, argnames
        The arguments to differentiate; by default all that hold floats and no integers.
    rtol : float
        The tolerance relative to the size of the derivative, which counts as at least 1. The estimated error of the finite
        differences is added. In single precision the tolerance is at least 1e-3.
    entries : bool
        Whether each entry of each leaf is compared, instead of each leaf along a random direction.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``progress``, as for `grad`.

    Returns
    -------
    callable
        A function of the arguments of ``f`` that returns a `Report` with a row for each leaf.

    Raises
    ------
    DerivativeError
        If a derivative differs. The message names the leaf, its derivative, and the reference with its estimated error.
    NothingCompared
        If no number was compared.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def loss(p, x):
    ...     return np.sum((p["w"] * x + p["b"]) ** 2)
    >>> print(tg.check(loss, argnums=0)({"w": np.ones(3), "b": 0.5}, np.arange(3.0)).rows[0].verdict)
    ok
    """
    if f is None:
        return lambda f: check(f, argnums, argnames=argnames, rtol=rtol, entries=entries, **options)
    function, chosen = f, Options(**options)

    def checked(*args: Any, **kwargs: Any) -> Report:
        """Check the derivatives at these arguments."""
        signature = signature_of(function)
        values = bind(function, signature, args, kwargs)
        wrt: list[str] | None = None
        if argnums is not None or argnames is not None:
            slots, _ = resolve(function, signature, 0 if argnums is None else argnums, argnames)
            for slot in slots:
                pick(values, slot)
            wrt = list(dict.fromkeys(slot.name for slot in slots))
        return compare(function, values, wrt, chosen, rtol, entries=entries).raise_if_wrong()

    checked.__name__ = f"check_{name_of(function)}"
    return checked
