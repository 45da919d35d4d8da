"""What loops over elements read and write in place of arrays that may be stretched: of the type of the array itself."""
from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from ..stretch import fold_back, room_for, stretched

__all__: list[str] = []

_jit = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_MISMATCH = "operands could not be broadcast together"


def _same_layout(x: Any) -> str:
    """How an array that was made is of the type of another: by its layout."""
    return {"C": "out", "F": "np.asfortranarray(out)"}.get(x.layout, "out[::1]")


def _implementation(lines: list[str], names: str, **scope: Any) -> Any:
    found: dict[str, Any] = {"np": np, **scope}
    exec("\n".join([f"def implementation({names}):", *(f"    {line}" for line in lines)]), found)
    return found["implementation"]


def _checked(n: int) -> list[str]:
    return [line for k in range(n) for line in (f"if x.shape[{k}] != shape[{k}] and x.shape[{k}] != 1:",
                                                f"    raise ValueError({_MISMATCH!r})")]


@overload(stretched, jit_options=_jit)
def _stretched(x, shape):
    if not isinstance(x, types.Array) or x.ndim != len(shape):
        return None
    made = ["out = np.empty(shape, x.dtype)", "out[...] = x"]
    if not x.mutable:
        return _implementation([*_checked(x.ndim), *made, "return out"], "x, shape")
    same = " and ".join(f"x.shape[{k}] == shape[{k}]" for k in range(x.ndim))
    return _implementation([f"if {same}:", "    return x", *_checked(x.ndim), *made, f"return {_same_layout(x)}"], "x, shape")


@overload(room_for, jit_options=_jit)
def _room_for(x, like, shape):
    if not isinstance(x, types.Array) or not x.mutable or x.ndim != len(shape) or like.ndim != x.ndim:
        return None
    alike = [line for k in range(x.ndim) for line in (f"if x.shape[{k}] != like.shape[{k}]:", f"    raise ValueError({_MISMATCH!r})")]
    same = " and ".join(f"x.shape[{k}] == shape[{k}]" for k in range(x.ndim))
    return _implementation([*alike, f"if {same}:", "    return x", *_checked(x.ndim), "out = np.zeros(shape, x.dtype)",
                            f"return {_same_layout(x)}"], "x, like, shape")


@overload(fold_back, jit_options=_jit)
def _fold_back(x, room):
    n = x.ndim
    same = " and ".join(f"x.shape[{k}] == room.shape[{k}]" for k in range(n))
    lines = [f"if {same}:", "    return"]
    lines += [f"{'    ' * k}for i{k} in range(room.shape[{k}]):" for k in range(n)]
    place = ", ".join(f"(i{k} if x.shape[{k}] != 1 else 0)" for k in range(n))
    lines += [f"{'    ' * n}x[{place}] += room[{', '.join(f'i{k}' for k in range(n))}]"]
    return _implementation(lines, "x, room")
