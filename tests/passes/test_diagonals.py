"""Jacobians that are a few diagonals: as columns give them, written diagonal by diagonal, and what is no matter of diagonals."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transgrad as tg

RNG = np.random.default_rng(17)
SIZES = (0, 1, 2, 3, 4, 5, 6, 9)


def residuals(x):
    return x[1:] - x[:-1] ** 2


def alone(x):
    return np.sin(x) * np.exp(x) + np.arange(len(x))


def laplace(x):
    y = np.zeros_like(x)
    y[1:-1] = x[2:] - 2 * x[1:-1] + x[:-2]
    return y


def in_two_steps(x):
    y = np.zeros(len(x))
    y[2:] += x[:-2]
    z = y * y
    z[:-1] -= x[1:]
    return z


def chosen(x):
    return np.where(x[3:] > 0, x[3:] ** 2, x[:-3])


def seen_later(x):
    """The product reads what is there when it is computed."""
    y = x.copy()
    z = y[1:] * x[:-1]
    y[1:] = z
    return y


def read_before(x):
    y = x.copy()
    z = y * x
    y[:] = 0.0
    return z


def whole(x):
    y = x.copy()
    y += x
    y -= np.sin(y)
    y[1:] -= y[:-1]
    y[2:] += y[2:] * x[:-2]
    return y


def with_ends(x):
    y = x * x
    y[0], y[-1] = 0.0, 1.0
    return y[1:] * x[:-1]


def far(x):
    return np.hypot(x[4:], x[:-4]) + x[2:-2]


def product(a, b):
    return a * np.tanh(b)


def called(x):
    return product(x[1:], x[:-1])


def overwritten(x):
    y = np.ones_like(x)
    y[...] = x
    y[2:] = 5.0
    y[:-1] = x[1:]
    return y


def unchanged(x):
    return x


def kinks(x):
    return np.sign(x) * np.abs(x) ** 1.5 + np.maximum(x, 0.3)


def squares(f: Any) -> Any:
    def energy(x):
        return np.sum(f(x) ** 2)
    return energy


FEW = [residuals, alone, laplace, in_two_steps, chosen, seen_later, read_before, whole, far, called, overwritten, unchanged, kinks]


def told(f: Any, x: Any) -> Any:
    try:
        return f(x)
    except Exception as error:
        return type(error)


@pytest.mark.parametrize("f", [*FEW, with_ends])
@pytest.mark.parametrize("transform", [tg.jacfwd, tg.jacrev, tg.hessian])
def test_diagonals_are_those_of_columns(f, transform):
    g = squares(f) if transform is tg.hessian else f
    few, plain = transform(g, fallback="error"), transform(g, fallback="error", optimize={"diagonals": False})
    for n in SIZES:
        x = RNG.normal(size=n)
        ours, theirs = told(few, x.copy()), told(plain, x.copy())
        if isinstance(theirs, type):
            assert ours is theirs
        else:
            assert ours.shape == theirs.shape
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("f", FEW)
def test_they_are_written_as_diagonals(f):
    jacobian, hessian = tg.jacfwd(f, fallback="error"), tg.hessian(squares(f), fallback="error")
    jacobian(RNG.normal(size=9))
    hessian(RNG.normal(size=9))
    for derivative in (jacobian, hessian):
        assert "diagonal" in derivative.source
        assert "for " not in derivative.source


def test_the_text():
    def chain(x):
        return np.sum(np.cos(x[1:] - x[:-1]))
    h = tg.hessian(chain, fallback="error")
    h(np.ones(5))
    assert h.source == '''\
def hessian_chain(x):
    """Second derivatives of chain with respect to x."""
    n = x.size
    jac_x = np.zeros((n, n))
    flat = jac_x.ravel()
    s = np.cos(x[1:] - x[:-1])
    t = -s
    m = n + 1
    diagonal = flat[n::m]
    diagonal[:] = s
    diagonal = flat[::m]
    diagonal[:-1] = t
    diagonal[1:] += t
    diagonal = flat[1::m]
    diagonal[:] = s
    return jac_x
'''


def turned(x):
    return x * x[::-1]


def summed(x):
    return x * np.sum(x)


def one_entry(x):
    return x * x[0]


def in_a_loop(x):
    for _ in range(3):
        x = np.sin(x)
    return x


def through_a_view(x):
    """What is read through the slice has changed meanwhile."""
    y = x * 2
    s = y[1:]
    y[1:] += x[:-1]
    return s * s


def far_apart(x):
    return sum(x[k:len(x) - 12 + k] for k in range(12))


@pytest.mark.parametrize("f", [turned, summed, one_entry, in_a_loop, through_a_view, far_apart])
def test_what_is_no_matter_of_diagonals(f):
    jacobian = tg.jacfwd(f, fallback="error")
    x = RNG.normal(size=14)
    found = jacobian(x)
    assert "diagonal" not in jacobian.source
    step = 1e-6
    for k in range(14):
        e = np.zeros(14)
        e[k] = step
        np.testing.assert_allclose(found[:, k], (f(x + e) - f(x - e)) / (2 * step), rtol=1e-6, atol=1e-8)


def test_lengths_that_do_not_fit():
    def shifted(x, w):
        return x + w
    jacobian = tg.jacfwd(shifted, fallback="error")
    np.testing.assert_array_equal(jacobian(np.ones(3), np.ones(3)), np.eye(3))
    np.testing.assert_array_equal(jacobian(np.ones(3), np.ones(1)), np.eye(3))
    with pytest.raises(ValueError, match="broadcast"):
        jacobian(np.ones(4), np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        tg.jacfwd(lambda x: x[1:] + x, fallback="error")(np.ones(4))


def test_beside_data():
    def misfit(x, data, weights):
        r = x - data
        s = np.zeros_like(r)
        s[1:] = weights * r[:-1] * r[1:]
        return np.sum(s ** 2) + np.sum(np.exp(-weights * x[1:]))
    x, data, weights = RNG.normal(size=6), RNG.normal(size=6), RNG.normal(size=5)
    h = tg.hessian(misfit, fallback="error")
    np.testing.assert_allclose(h(x, data, weights), tg.hessian(misfit, optimize=False)(x, data, weights), rtol=1e-10, atol=1e-12)
    assert "diagonal" in h.source and "for " not in h.source
    np.testing.assert_allclose(h(x, data, weights[:1]), tg.hessian(misfit, optimize=False)(x, data, weights[:1]), rtol=1e-10, atol=1e-12)
    for wrong in ((x, data[:4], weights), (x, data, weights[:3])):
        with pytest.raises(ValueError, match="broadcast"):
            h(*wrong)


@pytest.mark.parametrize("f", [residuals, in_two_steps, seen_later, whole])
def test_machine_code(f):
    pytest.importorskip("numba")
    few, plain = tg.jacfwd(f, fallback="error", backend="numba"), tg.jacfwd(f, fallback="error", optimize={"diagonals": False})
    for n in (2, 3, 40):
        x = RNG.normal(size=n)
        np.testing.assert_allclose(few(x.copy()), plain(x.copy()), rtol=1e-10, atol=1e-12)
    assert "diagonal" in few.source


def test_zeros_stay_zeros_where_numbers_are_not():
    x = np.array([0.5, np.nan, 0.5, np.inf, 1.0])
    found = tg.jacfwd(residuals, fallback="error")(x)
    assert np.isnan(found[1, 1]) and np.isinf(found[3, 3])
    np.testing.assert_array_equal(found[0], [-1.0, 1.0, 0.0, 0.0, 0.0])


def test_several_arguments_and_structures():
    def f(x, y, c):
        return c["scale"] * x * y[1:]
    x, y, c = RNG.normal(size=4), RNG.normal(size=5), {"scale": 3.0}
    np.testing.assert_allclose(tg.jacfwd(f, 1, fallback="error")(x, y, c), 3.0 * np.eye(5)[1:] * x[:, None])
    first, second = tg.jacfwd(f, (0, 1), fallback="error")(x, y, c)
    np.testing.assert_allclose(first, np.diag(3.0 * y[1:]))
    np.testing.assert_allclose(second, 3.0 * np.eye(5)[1:] * x[:, None])
    (only,) = tg.jacfwd(f, (0,), fallback="error")(x, y, c)
    np.testing.assert_allclose(only, first)


def test_inside_of_other_transformations():
    """Where a Jacobian is differentiated or batched it is written another way."""
    x = RNG.normal(size=(3, 4))
    each = tg.vmap(tg.hessian(squares(residuals)))(x)
    np.testing.assert_allclose(each, [tg.hessian(squares(residuals))(row) for row in x], rtol=1e-12)
    third = tg.jacfwd(tg.hessian(squares(residuals)))(x[0])
    step = 1e-6
    for k in range(4):
        e = step * np.eye(4)[k]
        ahead, behind = (tg.hessian(squares(residuals))(x[0] + s * e) for s in (1, -1))
        np.testing.assert_allclose(third[..., k], (ahead - behind) / (2 * step), rtol=1e-6, atol=1e-6)


SLICES = st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda s: slice(s[0] or None, -s[1] or None))


@st.composite
def stencils(draw: Any) -> Any:
    """A function that writes products of parts of its argument, and of what it has made, to parts of an array."""
    steps = draw(st.lists(st.tuples(st.sampled_from(("=", "+=", "-=")), st.integers(0, 2), st.integers(0, 2), st.integers(0, 2),
                                    st.sampled_from(("x", "y")), st.sampled_from(("*", "+", "-"))), min_size=1, max_size=5))
    lines = ["def f(x):", "    y = np.zeros_like(x)"]
    for how, front, behind, other, source, sign in steps:
        cut = f"{front or ''}:{-behind if behind else ''}"
        left = min(front + behind, other)
        far = f"{left or ''}:{left - front - behind or ''}"
        lines.append(f"    y[{cut}] {how} np.sin({source}[{far}]) {sign} x[{cut}]")
    return "\n".join([*lines, "    return y * x"])


@settings(max_examples=40, deadline=None)
@given(stencils())
def test_random_stencils(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("stencil") / "stencil.py"
    path.write_text("import numpy as np\n\n\n" + text + "\n")
    names: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    import linecache
    linecache.checkcache(str(path))
    f = names["f"]
    x = np.random.default_rng(len(text)).normal(size=9)
    few, plain = (tg.jacfwd(f, fallback="error", optimize=how) for how in (True, {"diagonals": False}))
    np.testing.assert_allclose(few(x.copy()), plain(x.copy()), rtol=1e-10, atol=1e-12)
