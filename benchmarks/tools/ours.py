"""transgrad: the derivative a user asks for, and its text without what the call adds."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import transgrad as tg
from transgrad.transforms.at_arguments import derivative_of
from transgrad.transforms.options import Options
from transgrad.transforms.transformations import Product

from ..workload import Workload

__all__ = ["derivative", "text_of"]


def derivative(workload: Workload, **options: Any) -> Callable[..., Any]:
    """The derivative of the workload; nothing of it may run on the tape."""
    f, argnums, options = workload.primal, workload.argnums, {"fallback": "error", **options}
    return {
        "grad": lambda: tg.grad(f, argnums, **options),
        "hessian": lambda: tg.hessian(f, argnums, **options),
        "hvp": lambda: _Along(f, options),
        "jacfwd": lambda: tg.jacfwd(f, argnums, **options),
        "blocks": lambda: tg.vmap(tg.jacrev(f, argnums, **options), **options),
    }[workload.transform]()


class _Along:
    """``tg.hvp`` along a vector."""

    def __init__(self, f: Callable[..., Any], options: dict[str, Any]):
        self.f, self.options = f, options

    def __call__(self, x: Any, v: Any) -> Any:
        return tg.hvp(self.f, (x,), (v,), **self.options)

    @property
    def variants(self) -> Any:
        """Those of the derivative that is kept for such calls."""
        return derivative_of(Product(), self.f, 1, Options(**self.options)).variants


def text_of(derivative: Any) -> Callable[..., Any] | None:
    """The emitted function that ran last; None where one call of the derivative runs more than one."""
    variants = getattr(derivative, "variants", ())
    return getattr(variants[-1], "function", None) if variants else None
