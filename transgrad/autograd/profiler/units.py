"""Times, shares and sizes as people read them."""
from __future__ import annotations


def format_time(microseconds: float) -> str:
    """``12.345ms``: in the largest of us, ms and s that gives at least one."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


def format_time_in(microseconds: float, unit: str | None) -> str:
    """`format_time`, in a unit of the caller's choice.

    Raises
    ------
    ValueError
        If `unit` is none of ``s``, ``ms``, ``us`` and None.
    """
    if unit is None:
        return format_time(microseconds)
    scale = {"us": 1.0, "ms": 1e3, "s": 1e6}
    if unit not in scale:
        raise ValueError(f"time_unit must be 's', 'ms', 'us' or None, got {unit!r}")
    return f"{microseconds / scale[unit]:.3f}{unit}"


def format_share(part: float, whole: float) -> str:
    """``12.50%``; of nothing, ``NaN``."""
    return f"{part * 100.0 / whole:.2f}%" if whole else "NaN"


def format_memory(nbytes: int) -> str:
    """``2.00 KB``, in powers of 1024."""
    for exponent, unit in ((3, "GB"), (2, "MB"), (1, "KB")):
        if abs(nbytes) >= 1024**exponent:
            return f"{nbytes / 1024**exponent:.2f} {unit}"
    return f"{nbytes} B"


def flops_scale(least: float) -> tuple[str, float]:
    """Heading and divisor of a column whose smallest entry is `least`."""
    for exponent, unit in ((5, "P"), (4, "T"), (3, "G"), (2, "M"), (1, "K")):
        if least >= 1000**exponent:
            return f"Total {unit}FLOPs", 1000.0**exponent
    return "Total FLOPs", 1.0
