"""The reverse of differences on a grid."""
from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["gradient_pullback"]


def gradient_pullback(g: Any, spacing: Any, axis: int = 0, edge_order: int = 1) -> Any:
    """The cotangent of ``f`` for ``np.gradient(f, spacing, axis=axis, edge_order=edge_order)``."""
    g = np.moveaxis(g, axis, 0)
    n = g.shape[0]
    widths = np.diff(spacing) if np.ndim(spacing) else np.full(n - 1, spacing)
    widths = np.reshape(widths, (-1,) + (1,) * (g.ndim - 1))
    before, after = widths[:-1], widths[1:]
    out = np.zeros_like(g)
    inner = g[1:-1]
    out[:-2] -= inner * after / (before * (before + after))
    out[1:-1] += inner * (after - before) / (before * after)
    out[2:] += inner * before / (after * (before + after))
    if edge_order == 1:
        first, last = g[0] / widths[0], g[-1] / widths[-1]
        out[0] -= first
        out[1] += first
        out[-2] -= last
        out[-1] += last
    else:
        h, k = widths[0], widths[1]
        out[0] -= g[0] * (2.0 * h + k) / (h * (h + k))
        out[1] += g[0] * (h + k) / (h * k)
        out[2] -= g[0] * h / (k * (h + k))
        h, k = widths[-2], widths[-1]
        out[-3] += g[-1] * k / (h * (h + k))
        out[-2] -= g[-1] * (k + h) / (h * k)
        out[-1] += g[-1] * (2.0 * k + h) / (k * (h + k))
    return np.moveaxis(out, 0, axis)
