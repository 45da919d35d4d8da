"""Lists that a loop replaces by new ones, beside lists that grow: every mode, against differences."""
import numpy as np
import pytest

import transgrad as tg


def triangle(x):
    d = [x * (j + 1) for j in range(4)]
    for r in range(1, 4):
        e = []
        for m in range(4 - r):
            e.append(d[m] * d[m + 1] * 0.1 + x * r)
        d = e
    return d[0]


def grown_before(x):
    d = [x, x * 2]
    for n in range(3):
        d.append(x * n)
        for _ in range(2):
            e = []
            for k in range(len(d) - 1):
                e.append(d[k] * d[k + 1] * 0.3 + x)
            d = e if len(e) > 1 else d
    return sum(d)


def grown_after(x):
    d = [x, x * 2, x * 3]
    for _ in range(2):
        e = []
        for k in range(len(d)):
            e.append(d[k] * d[k - 1])
        d = e
    d.append(d[0] * x)
    d.append(d[-1] * x)
    return d[-1] * d[1]


def two_names(x):
    d, old = [x, x * 2], [x]
    for n in range(3):
        e = [d[0] * old[0], d[1] + x]
        e.append(x * n)
        old = d
        d = e
    return sum(d) * sum(old)


def kept_outside(x):
    d, seen = [x, x * 2], []
    for n in range(3):
        e = [d[0] * 0.5]
        e.append(d[1] * x)
        seen.append(e)
        d = seen[0]
        d.append(x * n)
        d = [d[0] * d[-1], d[1]]
    return d[0] * d[1] + len(seen[0]) * seen[0][-1]


def slope(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


@pytest.mark.parametrize("f", [triangle, grown_before, grown_after, two_names, kept_outside])
@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_against_differences(f):
    x = 1.25
    first = pytest.approx(slope(f, x, 1e-5), rel=1e-6)
    assert tg.grad(f)(x) == first
    assert tg.grad(f, optimize=False)(x) == first
    assert tg.vjp(f, x)[1](1.0)[0] == first
    assert tg.jvp(f, (x,), (1.0,))[1] == first
    assert tg.linearize(f, x)[1](1.0) == first
    assert tg.hessian(f)(x) == pytest.approx(slope(lambda x: slope(f, x, 1e-3), x, 1e-3), rel=1e-4)
    np.testing.assert_allclose(tg.vmap(tg.grad(f))(np.array([x, 1.0])), [tg.grad(f)(x), tg.grad(f)(1.0)])


@pytest.mark.parametrize("f", [triangle])
def test_compiled(f):
    tg.vjp(f, 1.25, fallback="error")
