"""Softmax, its logarithm, and sums in the logarithm."""
from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.normalized import log_softmax_jvp, log_softmax_vjp, softmax_jvp, softmax_share, softmax_vjp
from ...rules.registry import rule
from ...rules.static import options, restore
from ..layouts import ROWS

__all__ = ["log_softmax", "logcumsumexp", "logsumexp", "softmax"]


def softmax(self: Any, axis: int) -> Any:
    """``exp(x)`` over its sum along ``axis``."""
    e = np.exp(self - np.max(self, axis=axis, keepdims=True, initial=-np.inf))
    return e / np.sum(e, axis=axis, keepdims=True)


def log_softmax(self: Any, axis: int) -> Any:
    """The logarithm of `softmax`."""
    s = self - np.max(self, axis=axis, keepdims=True, initial=-np.inf)
    return s - np.log(np.sum(np.exp(s), axis=axis, keepdims=True))


rule(softmax, kind="general", jvp=softmax_jvp)(softmax_vjp)
rule(log_softmax, kind="general", jvp=log_softmax_jvp)(log_softmax_vjp)


def logsumexp(self: Any, axis: Any, keepdims: bool = False) -> Any:
    """The logarithm of the sum of ``exp(x)`` along one axis or several."""
    top = np.max(self.real, axis=axis, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0).astype(self.real.dtype, copy=False)
    total = np.log(np.sum(np.exp(self - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(np.array(total, order="C"), axis)


def logsumexp_jvp(t, y, self, axis, keepdims=False):
    return np.sum(softmax_share(y, self, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims))


@rule(logsumexp, kind="general", jvp=logsumexp_jvp)
def _(g, y, self, axis, keepdims=False):
    return restore(g, axis, keepdims) * softmax_share(y, self, axis, keepdims)


def logcumsumexp(self: Any, axis: int) -> Any:
    """The logarithm of the running sum of ``exp(x)``."""
    if not np.iscomplexobj(self):
        return np.logaddexp.accumulate(self, axis=axis)
    y = np.moveaxis(np.array(self), axis, 0)
    for k in range(1, len(y)):      # each sum by the larger of its two terms, so that neither overflows nor vanishes
        low, high = np.where(y[k - 1].real < y[k].real, (y[k - 1], y[k]), (y[k], y[k - 1]))
        y[k] = high + np.log1p(np.exp(low - high))
    return np.moveaxis(y, 0, axis)


def running(terms: Any, decay: Any) -> Any:
    """The sums ``s[k] = terms[k] + decay[k] * s[k - 1]`` along the first axis."""
    total = terms[0]
    out = [total]
    for k in range(1, terms.shape[0]):
        total = terms[k] + decay[k] * total
        out.append(total)
    return np.stack(out)


def share(x: Any, y: Any) -> Any:
    """``exp(x - y)`` of a part x of a sum y, 0 where nothing is there."""
    return np.exp(x - np.where(np.isneginf(np.real(y)), 0.0, y))


def logcumsumexp_jvp(t, y, self, axis):
    x, y, t = np.moveaxis(self, axis, 0), np.moveaxis(y, axis, 0), np.moveaxis(t, axis, 0)
    part = share(x, y)
    return np.moveaxis(running(part * t, np.concatenate((part[:1], share(y[:-1], y[1:])))), 0, axis)


@rule(logcumsumexp, kind="general", jvp=logcumsumexp_jvp)
def _(g, y, self, axis):
    x, y, g = np.moveaxis(self, axis, 0), np.moveaxis(y, axis, 0), np.moveaxis(g, axis, 0)
    later = running(g[::-1], np.concatenate((g[:1], share(y[:-1], y[1:])[::-1])))
    return np.moveaxis(later[::-1] * share(x, y), 0, axis)


ROWS.update((softmax, log_softmax, logsumexp, logcumsumexp))
