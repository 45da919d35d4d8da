"""What `dict.get`, `dict.pop` and `dict.setdefault` hand out: an item, or the default itself, which may be written to then."""
from collections import OrderedDict

import numpy as np
import pytest

from .by_differences import Programs, check

tried = Programs()


def _made(x, n):
    d = {}
    for k in range(n):
        d[k] = x * (k + 1)
    return d


@tried
def popped(x):
    b, d = x * 2.0, _made(x, 2)
    a = d.pop(7, b)
    c = d.pop(1, b)
    return np.sum(a * x) + np.sum(b * b * c) + np.sum(d[0] * x)


@tried
def popped_in_a_loop(x):
    b, d, s = x * 2.0, _made(x, 2), 0.0
    for k in range(3):
        a = d.pop(2 * k, b)
        s += np.sum(a * a)
        b = b * a
    return np.sum(a * x) + np.sum(b) + s + np.sum(d[1] * b)


@tried
def a_number_instead(x):
    d, s = _made(x, 2), 0.0
    for k in range(3):
        s += np.sum(d.pop(2 * k, x[1]) * x) + d.pop(9, 0.5) * x[k]
    d.pop(1, None)
    d.pop(1, None)
    return s + len(d)


@tried
def popped_and_written_to(x):
    b, d = x * 2.0, _made(x, 2)
    a = d.pop(7, b)
    a *= x
    return np.sum(a * x) + np.sum(b * b) + np.sum(d[0] * x)


@tried
def got_and_written_to(x):
    b, d = x * 2.0, _made(x, 2)
    a = d.get(7, b)
    a *= x
    return np.sum(a * x) + np.sum(b * b) + np.sum(d[0] * x)


@tried
def got_in_a_loop_and_written_to(x):
    b, d = x * 2.0, _made(x, 2)
    for k in range(3):
        a = d.get(k, b)
        a *= x
    return np.sum(a * x) + np.sum(b * b) + np.sum(d[0] * x) + np.sum(d[1] * b)


@tried
def put_there_and_written_to(x):
    b, d = x * 2.0, _made(x, 2)
    a = d.setdefault(7, b)
    a *= x
    return np.sum(a * x) + np.sum(b * b) + np.sum(d[0] * x) + np.sum(d[7] * b)


@tried
def ordered(x):
    d = OrderedDict()
    for k in "abc":
        d[k] = x["abc".index(k)]
    d.move_to_end("a")
    _, first = d.popitem(last=False)
    total = 0.0
    for v in d.values():
        total = 0.5 * total + v * v
    return total * first


@pytest.mark.parametrize("f", tried)
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_defaults_of_dicts(f):
    check(f, np.array([0.31, 0.73, 1.13]))
