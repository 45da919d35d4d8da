"""Pooling and padding."""
from __future__ import annotations

from typing import Any

from .. import functional as F
from .module import Module
from .options import REQUIRED, WithOptions, family

__all__: list[str] = []


class _Pool(WithOptions):
    """A pool, whose stride is the size of its windows unless it is given."""

    stride: Any

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.stride is None:
            self.stride = self.kernel_size


_MAX: dict[str, Any] = {"kernel_size": REQUIRED, "stride": None, "padding": 0, "dilation": 1, "return_indices": False, "ceil_mode": False}
_MEAN: dict[str, Any] = {"kernel_size": REQUIRED, "stride": None, "padding": 0, "ceil_mode": False, "count_include_pad": True}
_NORM: dict[str, Any] = {"norm_type": REQUIRED, "kernel_size": REQUIRED, "stride": None, "ceil_mode": False}
_FOUND: dict[str, Any] = {}
for _count in (1, 2, 3):
    _FOUND |= family(
        __name__, _Pool,
        **{f"MaxPool{_count}d": (f"max_pool{_count}d", "The largest element of each window.", _MAX),
           f"AvgPool{_count}d": (f"avg_pool{_count}d", "The mean of each window.",
                                 _MEAN if _count == 1 else {**_MEAN, "divisor_override": None})})
    _FOUND[f"MaxPool{_count}d"]._shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")
    _FOUND[f"AvgPool{_count}d"]._shown = ("kernel_size", "stride", "padding")
    _adaptive: dict[str, Any] = {"output_size": REQUIRED}
    _FOUND |= family(
        __name__, WithOptions,
        **{f"AdaptiveAvgPool{_count}d": (f"adaptive_avg_pool{_count}d", "Means of as many windows as asked for.",
                                         _adaptive),
           f"AdaptiveMaxPool{_count}d": (f"adaptive_max_pool{_count}d", "Largest elements of as many windows as asked for.",
                                         {**_adaptive, "return_indices": False})})
    _FOUND[f"AdaptiveMaxPool{_count}d"]._shown = ("output_size",)
_FOUND |= family(
    __name__, WithOptions,
    LPPool1d=("lp_pool1d", "The p-norm of each window.", _NORM),
    LPPool2d=("lp_pool2d", "The p-norm of each window.", _NORM),
    LPPool3d=("lp_pool3d", "The p-norm of each window.", _NORM),
)


class _Pad(Module):
    """Adds elements at the ends of the last dimensions."""

    _count = 0
    _mode = ""

    def __init__(self, padding: Any, value: float = 0.0) -> None:
        super().__init__()
        self.padding = tuple(padding) if isinstance(padding, (tuple, list)) else (padding,) * (2 * self._count)
        self.value = value

    def forward(self, input: Any) -> Any:
        return F.pad(input, self.padding, self._mode, self.value if self._mode == "constant" else None)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}" if type(self).__name__.startswith("Constant") else str(self.padding)


for _name, _mode in (("Zero", "constant"), ("Constant", "constant"), ("Reflection", "reflect"), ("Replication", "replicate"),
                     ("Circular", "circular")):
    for _count in (1, 2, 3):
        _full = f"{_name}Pad{_count}d"
        _FOUND[_full] = type(_full, (_Pad,), {
            "_count": _count, "_mode": _mode, "__module__": __name__, "__qualname__": _full,
            "__doc__": f"Padding ({_mode}) at both ends of the last {_count} dimensions."})
_FOUND["AvgPool1d"].extra_repr = lambda self: ", ".join(      # as torch, which makes tuples of these alone
    f"{name}={value if isinstance(value := getattr(self, name), tuple) else (value,)}" for name in self._shown)
globals().update(_FOUND)
__all__ += list(_FOUND)
