"""Padding of tensors."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .ops import FUNCTIONS
from .tensor import Tensor, wrap

__all__ = ["pad"]


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """The tensor with `value` (default 0) around it: ``pad`` has two widths a dimension, the last dimension first.

    Raises
    ------
    RuntimeError
        If the number of widths is odd or too large, or there is too little to reflect.
    NotImplementedError
        If `mode` is not one of ``constant``, ``reflect``, ``replicate`` and ``circular``.
    """
    if mode not in ("constant", *_MODES):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise RuntimeError(f"Padding length must be divisible by 2 and at most twice the number of dimensions, but is {len(pad)}")
    if mode == "constant":
        call: Any = FUNCTIONS
        padded: Tensor = call["constant_pad_nd"](input, pad, 0 if value is None else value)
        return padded
    for k in range(len(pad) // 2):
        input = input.index_select(-1 - k, wrap(_places(input.shape[-1 - k], pad[2 * k], pad[2 * k + 1], mode)))
    return input


#: NumPy's names of the modes, and how much longer than the tensor a width may not be
_MODES: dict[str, tuple[str, int | None]] = {"reflect": ("reflect", -1), "replicate": ("edge", None), "circular": ("wrap", 0)}


def _places(n: int, before: int, after: int, mode: str) -> np.ndarray[Any, Any]:
    """Which elements of a dimension stand where after padding; negative widths cut off."""
    name, spare = _MODES[mode]
    if spare is not None and max(before, after) > n + spare:
        raise RuntimeError(f"Padding size should be less than the corresponding input dimension, but got: padding ({before}, {after}) at a "
                           f"dimension of size {n}")
    if mode == "replicate":
        return np.clip(np.arange(-before, n + after), 0, n - 1)
    kept = np.arange(max(-before, 0), n - max(-after, 0))
    mode_of_numpy: Any = name
    padded: np.ndarray[Any, Any] = np.pad(kept, (max(before, 0), max(after, 0)), mode=mode_of_numpy)
    return padded
