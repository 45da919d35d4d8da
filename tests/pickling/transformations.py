"""Each transformation, as a callable of a function and the arguments that the callable takes."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg
from transgrad import tree

Case = tuple[Callable[..., Any], tuple[Any, ...]]


def ones(x: Any) -> Any:
    return tree.map_leaves(lambda leaf: np.ones_like(leaf)[()] if isinstance(leaf, np.ndarray) else 1.0, x)


def batch(x: Any) -> Any:
    return tree.map_leaves(lambda leaf: np.stack([leaf, 0.5 * leaf]).astype(np.asarray(leaf).dtype), x)


def value(f: Callable[..., Any], x: Any) -> Any:
    """The type of the value, for cotangents."""
    return f(x)


def _plain(transformation: Callable[..., Any], **options: Any) -> Callable[[Any, Any], Case]:
    return lambda f, x: (transformation(f, **options), (x,))


TRANSFORMATIONS: dict[str, Callable[[Any, Any], Case]] = {
    "compile": _plain(tg.compile),
    "grad": _plain(tg.grad),
    "grad, no optimizations": _plain(tg.grad, optimize=False, fallback="error"),
    "grad, some off": _plain(tg.grad, optimize={"scalars": False}),
    "value_and_grad": _plain(tg.value_and_grad),
    "jacrev": _plain(tg.jacrev),
    "jacfwd": _plain(tg.jacfwd),
    "jacobian": _plain(tg.jacobian),
    "hessian": _plain(tg.hessian),
    "jvp(compile)": lambda f, x: (functools.partial(tg.jvp, tg.compile(f)), ((x,), (ones(x),))),
    "hvp(compile)": lambda f, x: (functools.partial(tg.hvp, tg.compile(f)), ((x,), (ones(x),))),
    "pullback": lambda f, x: (tg.vjp(f, x)[1], (value(f, x) * 0 + 1,)),
    "pushforward": lambda f, x: (tg.linearize(f, x)[1], (ones(x),)),
    "vmap": lambda f, x: (tg.vmap(f), (batch(x),)),
    "vmap(grad)": lambda f, x: (tg.vmap(tg.grad(f)), (batch(x),)),
    "jacobian(vmap)": lambda f, x: (tg.jacobian(tg.vmap(f)), (batch(x),)),
    "jacobian(grad)": lambda f, x: (tg.jacobian(tg.grad(f)), (x,)),
    "compile(grad)": lambda f, x: (tg.compile(tg.grad(f)), (x,)),
    "sparse_jacobian": _plain(tg.sparse_jacobian),
    "sparse_hessian": _plain(tg.sparse_hessian),
}
