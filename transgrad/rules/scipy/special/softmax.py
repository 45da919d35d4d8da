"""Logarithms of sums of exponentials, along axes."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp

from ...normalized import log_softmax_jvp, log_softmax_vjp, softmax_jvp, softmax_share, softmax_vjp
from ...registry import rule
from ...static import NoDerivative, options, restore

rule(sp.softmax, kind="general", jvp=softmax_jvp)(softmax_vjp)
rule(sp.log_softmax, kind="general", jvp=log_softmax_jvp)(log_softmax_vjp)


def plain_sign(return_sign: Any) -> None:
    """A value and its sign as a pair are not differentiated."""
    if return_sign:
        raise NoDerivative("no derivative of logsumexp with return_sign=True")


def logsumexp_by_a(t, y, a, axis=None, b=None, keepdims=False, return_sign=False):
    plain_sign(return_sign)
    return np.sum(softmax_share(y, a, axis, keepdims) * (t if b is None else b * t), **options(axis=axis, keepdims=keepdims))


def logsumexp_by_b(t, y, a, axis=None, b=None, keepdims=False, return_sign=False):
    plain_sign(return_sign)
    return np.sum(softmax_share(y, a, axis, keepdims) * t, **options(axis=axis, keepdims=keepdims))


@rule(sp.logsumexp, kind="general", broadcasts=True, jvp=(logsumexp_by_a, None, logsumexp_by_b))
def _(g, y, a, axis=None, b=None, keepdims=False, return_sign=False):
    plain_sign(return_sign)
    share = softmax_share(y, a, axis, keepdims)
    g = restore(g, axis, keepdims)
    return g * share if b is None else g * b * share, None, None if b is None else g * share
