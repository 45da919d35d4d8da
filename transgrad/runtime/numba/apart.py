"""Compiles loops whose arrays are known to share no memory with the arrays they write to."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit
from numba.core.compiler import Compiler

from .once import InnerCompiler

__all__ = ["apart", "apart_inner"]


class _Promised:
    """Tells LLVM of the arguments what a caller promises: C says ``restrict`` for it."""

    def __init__(self, typingctx: Any, targetctx: Any, library: Any, args: Any, return_type: Any, flags: Any, local_types: Any):
        flags = flags.copy()
        flags.noalias = True
        super().__init__(typingctx, targetctx, library, args, return_type, flags, local_types)  # type: ignore[call-arg]


class _Apart(_Promised, Compiler):  # type: ignore[misc]
    """Numba's compiler with this promise."""


class _InnerApart(_Promised, InnerCompiler):
    """The same, for what only machine code calls."""


def apart(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` for a function of which no argument that it writes to shares memory with another one.

    It is compiled into its callers, which then know it of the arrays as well.
    """
    decorator: Callable[[Callable[..., Any]], Any] = njit(pipeline_class=_Apart, forceinline=True, **settings)
    return decorator


def apart_inner(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """`apart` for a function that only functions call which are compiled by `njit_inner` or `njit_outer`."""
    decorator: Callable[[Callable[..., Any]], Any] = njit(
        pipeline_class=_InnerApart, forceinline=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **settings)
    return decorator
