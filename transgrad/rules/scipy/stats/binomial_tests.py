"""Tests by binomial probabilities: of how often something happens, and of quantiles."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import definition


class Trials:
    """How often something has happened, and how probable that was."""

    def __init__(self, k: Any, n: Any, alternative: Any, pvalue: Any):
        self.k, self.n, self.alternative, self.statistic, self.pvalue = k, n, alternative, k / n, pvalue


@definition(st.binomtest)
def binomtest(k: Any, n: Any, p: Any = 0.5, alternative: Any = "two-sided") -> Any:
    """With respect to the probability p; which counts are as rare as k is constant."""
    if alternative != "two-sided":
        return Trials(k, n, alternative, sp.bdtr(float(k), n, p) if alternative == "less" else sp.bdtrc(k - 1.0, n, p))
    every = np.arange(n + 1)
    rare = st.binom.pmf(every, n, p) <= st.binom.pmf(k, n, p) * (1.0 + 1e-7)
    side = np.where(k < p * n, (every <= k) | rare & (every >= p * n), (every >= k) | rare & (every <= p * n))
    total = np.sum(np.where(side, st.binom.pmf(every, n, p), 0.0))
    return Trials(k, n, alternative, np.minimum(1.0, np.where(k == p * n, 1.0, total)))


class Counted:
    """A count, which of the two it is, and how probable a more extreme one was."""

    def __init__(self, statistic: Any, kind: Any, pvalue: Any):
        self.statistic, self.statistic_type, self.pvalue = statistic, kind, pvalue


@definition(st.quantile_test)
def quantile_test(x: Any, *, q: Any = 0, p: Any = 0.5, alternative: Any = "two-sided") -> Any:
    """With respect to the probability p; how many numbers lie below q is constant."""
    n = x.shape[0]
    most, least = np.sum(x <= q), np.sum(x < q)
    below, above = st.binom.cdf(most, n, p), st.binom.sf(least - 1, n, p)
    if alternative == "less":
        return Counted(least, 2, above)
    if alternative == "greater":
        return Counted(most, 1, below)
    first = below <= above
    return Counted(np.where(first, most, least), np.where(first, 1, 2), np.clip(2.0 * np.minimum(below, above), 0.0, 1.0))
