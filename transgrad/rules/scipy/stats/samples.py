"""Statistics of samples, said with sums, means and products."""
from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special as sp
import scipy.stats as st

from ...registry import definition
from ...static import NoDerivative


def plain(nan_policy: Any) -> None:
    """Samples with numbers only."""
    if nan_policy != "propagate":
        raise NoDerivative(f"no derivative of a statistic with nan_policy={nan_policy!r}: take missing numbers out with x[~np.isnan(x)]")


@definition(st.zscore)
def zscore(a: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    """Numbers in units of their deviation from the mean."""
    plain(nan_policy)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


@definition(st.zmap)
def zmap(scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    """Numbers in units of the deviation of others."""
    plain(nan_policy)
    return (scores - np.mean(compare, axis=axis, keepdims=True)) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


@definition(st.gzscore)
def gzscore(a: Any, *, axis: Any = 0, ddof: Any = 0, nan_policy: Any = "propagate") -> Any:
    """`zscore` of the logarithms."""
    return zscore(np.log(a), axis, ddof, nan_policy)


@definition(st.gmean)
def gmean(a: Any, axis: Any = 0, dtype: Any = None, weights: Any = None, *, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    """The geometric mean."""
    plain(nan_policy)
    return np.exp(np.average(np.log(a), axis, weights, keepdims=keepdims))


@definition(st.hmean)
def hmean(a: Any, axis: Any = 0, dtype: Any = None, *, weights: Any = None, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    """The harmonic mean."""
    plain(nan_policy)
    return 1.0 / np.average(1.0 / a, axis, weights, keepdims=keepdims)


@definition(st.pmean)
def pmean(a: Any, p: Any, *, axis: Any = 0, dtype: Any = None, weights: Any = None, nan_policy: Any = "propagate",
          keepdims: Any = False) -> Any:
    """The power mean, of an exponent that is not 0."""
    plain(nan_policy)
    return np.average(a ** p, axis, weights, keepdims=keepdims) ** (1.0 / p)


def central(a: Any, order: int, axis: Any, keepdims: Any) -> Any:
    """A central moment."""
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis, keepdims=keepdims)


@definition(st.moment)
def moment(a: Any, order: Any = 1, axis: Any = 0, nan_policy: Any = "propagate", *, center: Any = None, keepdims: Any = False) -> Any:
    """A moment about the mean, or about ``center``."""
    plain(nan_policy)
    middle = np.mean(a, axis=axis, keepdims=True) if center is None else center
    return np.mean((a - middle) ** order, axis=axis, keepdims=keepdims)


@definition(st.skew)
def skew(a: Any, axis: Any = 0, bias: Any = True, nan_policy: Any = "propagate", *, keepdims: Any = False) -> Any:
    """The third standardized moment."""
    plain(nan_policy)
    value = central(a, 3, axis, keepdims) / central(a, 2, axis, keepdims) ** 1.5
    if bias:
        return value
    n = a.size if axis is None else a.shape[axis]
    return value * np.sqrt(n * (n - 1.0)) / (n - 2.0)


@definition(st.kurtosis)
def kurtosis(a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True, nan_policy: Any = "propagate", *, keepdims: Any = False) -> Any:
    """The fourth standardized moment, less that of a normal distribution with ``fisher``."""
    plain(nan_policy)
    value = central(a, 4, axis, keepdims) / central(a, 2, axis, keepdims) ** 2
    if not bias:
        n = a.size if axis is None else a.shape[axis]
        value = ((n * n - 1.0) * value - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return value - 3.0 if fisher else value


@definition(st.variation)
def variation(a: Any, axis: Any = 0, nan_policy: Any = "propagate", ddof: Any = 0, *, keepdims: Any = False) -> Any:
    """The standard deviation over the mean."""
    plain(nan_policy)
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.mean(a, axis=axis, keepdims=keepdims)


@definition(st.sem)
def sem(a: Any, axis: Any = 0, ddof: Any = 1, nan_policy: Any = "propagate", *, keepdims: Any = False) -> Any:
    """The standard error of the mean."""
    plain(nan_policy)
    n = a.size if axis is None else a.shape[axis]
    return np.std(a, axis=axis, ddof=ddof, keepdims=keepdims) / np.sqrt(n)


@definition(st.gstd)
def gstd(a: Any, axis: Any = 0, ddof: Any = 1, *, keepdims: Any = False, nan_policy: Any = "propagate") -> Any:
    """The geometric standard deviation."""
    plain(nan_policy)
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof, keepdims=keepdims))


@definition(st.entropy)
def entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0, *, nan_policy: Any = "propagate", keepdims: Any = False) -> Any:
    """The entropy of a distribution, or its divergence from another."""
    plain(nan_policy)
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        terms = sp.entr(p)
    else:
        terms = sp.rel_entr(p, qk / np.sum(qk, axis=axis, keepdims=True))
    total = np.sum(terms, axis=axis, keepdims=keepdims)
    return total if base is None else total / np.log(base)


@definition(st.boxcox_llf)
def boxcox_llf(lmb: Any, data: Any, *, axis: Any = 0, keepdims: Any = False, nan_policy: Any = "propagate") -> Any:
    """The log-likelihood of a power transform."""
    plain(nan_policy)
    n = data.shape[axis]
    logs = np.log(data)
    spread = np.log(np.var(np.exp(lmb * logs) / lmb, axis=axis))
    return (lmb - 1.0) * np.sum(logs, axis=axis) - 0.5 * n * spread
