"""Jacobians by numbers and by few entries, in one forward sweep that carries a tangent for each."""
import numpy as np
import pytest

import transgrad as tg

T = np.linspace(0.1, 2.0, 30)
P = np.array([1.2, 0.5, 3.0, 0.1])


def damped(p, t):
    return p[0] * np.exp(-p[1] * t) * np.cos(p[2] * t + p[3])


def unpacked(p, t):
    a, b, c, d = p
    return a * t ** 3 + b * t ** 2 + c * t + d


def gaussians(p, t):
    """A sum over two peaks, by a helper that reads its own entries."""
    return peak(p[0], p[1], t) + peak(p[2], p[3], t)


def peak(height, place, t):
    return height * np.exp(-(t - place) ** 2)


def whole_in_a_helper(p, t):
    return line(p, t) ** 2


def line(p, t):
    return p[0] + p[1] * t + p[3] * t * t


def read_twice(p, t):
    a = p[1]
    return a * t + p[1] * np.sin(p[0] * t)


def some_unread(p, t):
    return np.stack([p[2] * t, t ** p[0]])


def in_a_branch(p, t):
    scale = p[3]
    if p[0] > 1.0:
        scale = scale * p[1]
    else:
        scale = scale / p[2]
    return scale * t


def in_a_loop(p, t):
    y = np.zeros_like(t)
    x = p[3]
    for k in range(4):
        x = p[0] * np.sin(x) + p[1]
        y = y + x * t ** k
    return y


def until_small(p, t):
    y = t * p[0]
    while np.max(y) > 0.5:
        y = y * p[1] + 0.01 * p[3]
    return y


def trajectory(p, t):
    a, b, c, d = p
    x, v = a, b
    out = np.empty((12, 2))
    for k in range(12):
        v = v - 0.1 * (c * x + d * v)
        x = x + 0.1 * v
        out[k, 0] = x
        out[k] *= 1.0 + 0.1 * v
        out[k, 1] = v
    return out


def a_list(p, t):
    rows = []
    for k in range(3):
        rows.append(p[0] * t + p[1] * k)
    return np.array(rows) * p[3]


def masked(p, t):
    y = t * p[0]
    y[y > 1.0] = p[1]
    y[0] += p[3]
    return y


def sums(p, t):
    w = p[0] * t + p[3]
    return t * np.sum(w) / np.linalg.norm(w) + np.cumsum(w) + np.max(w)


def shifted(p, t):
    """Tangents that are the same number everywhere, on their way through what is no operation element by element."""
    w = t + p[0]
    return np.outer(w, np.ones(2)) @ np.array([1.0, p[1]]) + np.sum(t - p[3]) + np.where(t > 1.0, w, t * p[2])


def in_an_exception(p, t):
    try:
        y = p[0] * t
        if p[1] > 0:
            raise ValueError
        y = y * p[2]
    except ValueError:
        y = t / p[3]
    return y


def complex_meanwhile(p, t):
    return np.abs(p[0] * np.exp(1j * p[1] * t) + p[3])


TAKEN = [damped, unpacked, gaussians, whole_in_a_helper, read_twice, some_unread, in_a_branch, in_a_loop, until_small, trajectory, a_list, masked,
         sums, shifted, in_an_exception, complex_meanwhile]


def by_differences(f, p, *rest):
    return np.stack([(f(p + h, *rest) - f(p - h, *rest)) / 2e-6 for h in 1e-6 * np.eye(len(p))], axis=-1)


def in_one_sweep(derivative):
    return "jvp_" not in derivative.source


@pytest.mark.parametrize("f", TAKEN, ids=lambda f: f.__name__)
def test_entries_of_a_vector(f):
    derivative, others = tg.jacfwd(f, fallback="error"), tg.jacfwd(f, fallback="error", optimize={"entries": False})
    found = derivative(P, T.copy())
    np.testing.assert_allclose(found, by_differences(f, P, T), rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found, others(P, T), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found, tg.jacrev(f)(P, T), rtol=1e-10, atol=1e-12)
    assert in_one_sweep(derivative) and not in_one_sweep(others)


@pytest.mark.parametrize("f", [damped, trajectory, in_a_branch], ids=lambda f: f.__name__)
def test_machine_code(f):
    pytest.importorskip("numba")
    np.testing.assert_allclose(tg.jacfwd(f, fallback="error", backend="numba")(P, T), by_differences(f, P, T), rtol=1e-6, atol=1e-7)


def sliced(p, t):
    return np.sum(p[:2]) * t + p[3]


def from_the_end(p, t):
    return p[-1] * t * p[0]


def written(p, t):
    p = p.copy()
    p[0] *= 2.0
    return p[0] * t


def handed_on(p, t):
    return np.concatenate([p, p[0] * t])


@pytest.mark.parametrize("f", [sliced, from_the_end, written, handed_on], ids=lambda f: f.__name__)
def test_what_is_not_read_entry_by_entry_is_swept_as_before(f):
    derivative = tg.jacfwd(f, fallback="error")
    np.testing.assert_allclose(derivative(P, T), by_differences(f, P, T), rtol=1e-6, atol=1e-7)
    assert not in_one_sweep(derivative)


def test_numbers_and_vectors():
    def f(t, a, p, b):
        return a * np.sin(p[0] * t) + p[1] * b
    derivative = tg.jacfwd(f, (1, 2, 3), fallback="error")
    by_a, by_p, by_b = derivative(T, 2.0, P[:2], 0.5)
    np.testing.assert_allclose(by_a, np.sin(P[0] * T))
    np.testing.assert_allclose(by_p, np.stack([2.0 * T * np.cos(P[0] * T), np.full_like(T, 0.5)], axis=1))
    np.testing.assert_allclose(by_b, np.full_like(T, P[1]))
    assert in_one_sweep(derivative)


def test_results_are_arrays_of_their_own():
    def f(t, a, b):
        return (a + b) * t
    kept = T.copy()
    by_a, by_b = tg.jacfwd(f, (1, 2), fallback="error")(T, 1.0, 2.0)
    by_a[:] = 7.0
    np.testing.assert_array_equal(by_b, kept)
    by_b[:] = 8.0
    np.testing.assert_array_equal(T, kept)


def test_entries_that_nothing_reads_are_zero_and_missing_ones_an_error():
    derivative = tg.jacfwd(line_of_two, fallback="error")
    found = derivative(np.array([1.0, 2.0, 3.0]), T)
    np.testing.assert_array_equal(found, np.stack([np.ones_like(T), T, np.zeros_like(T)], axis=1))
    with pytest.raises(IndexError):
        derivative(np.array([1.0]), T)
    with pytest.raises(ValueError, match="unpack"):
        tg.jacfwd(unpacked, fallback="error")(P[:3], T)


def line_of_two(p, t):
    return p[0] + p[1] * t


def test_a_place_that_is_read_on_one_side_alone_may_be_missing():
    def f(p, t):
        return p[0] * t if p[0] < 10.0 else p[1] * t
    derivative = tg.jacfwd(f, fallback="error")
    np.testing.assert_array_equal(derivative(np.array([2.0]), T), T[:, None])
    np.testing.assert_array_equal(derivative(np.array([20.0, 3.0]), T), np.stack([np.zeros_like(T), T], axis=1))


def test_single_precision():
    def f(p, t):
        return p[0] * t + p[1]
    found = tg.jacfwd(f, fallback="error")(P[:2].astype(np.float32), T.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.stack([T, np.ones_like(T)], axis=1), rtol=1e-6)


def test_random_numbers_are_drawn_once():
    def f(p, t, rng):
        return p[0] * rng.normal(size=3) + p[1] * t[:3]
    found = tg.jacfwd(f, fallback="error")(P[:2], T, np.random.default_rng(0))
    np.testing.assert_array_equal(found[:, 0], np.random.default_rng(0).normal(size=3))


def likelihood(p, t):
    a, b, c = p
    r = np.sin(3.0 * t) - (a + b * t + c * t ** 2)
    return np.sum(np.log(1.0 + r ** 2))


def two_of_three(p, t):
    return np.sum(np.exp(p[0] * t) * p[2]) / p[2] ** 2


@pytest.mark.parametrize("f", [likelihood, two_of_three], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    p = P[:3]
    derivative = tg.hessian(f, fallback="error")
    np.testing.assert_allclose(derivative(p, T), by_differences(tg.grad(f), p, T), rtol=1e-6, atol=1e-6)
    assert in_one_sweep(derivative)


def test_the_text_is_the_one_by_hand():
    assert tg.jacfwd(damped, fallback="error").source_for(P, T) == '''\
def jacfwd_damped(p, t):
    """Jacobian of damped with respect to p."""
    p_0 = p[0]
    p_1 = p[1]
    s = np.exp(-p_1 * t)
    q = p_0 * s
    p_2 = p[2]
    p_3 = p[3]
    r = p_2 * t + p_3
    w = np.sin(r)
    v = np.cos(r)
    jac_p = np.zeros((len(s), p.size))
    jac_p[:, 0] = s * v
    jac_p[:, 1] = p_0 * (-t * s) * v
    jac_p[:, 2] = q * -(w * t)
    jac_p[:, 3] = q * -w
    return jac_p
'''


def test_jacobian_takes_the_direction_with_fewer_sweeps():
    def few(p, t):
        return np.sum(p) * t
    def many(x):
        return x.reshape(3, 10).sum(axis=1)
    forward = tg.jacobian(few, fallback="error")
    np.testing.assert_allclose(forward(P, T), by_differences(few, P, T), rtol=1e-6)
    assert "jvp_few" in forward.source and "def jacobian_few" in forward.source
    reverse = tg.jacobian(many, fallback="error")
    np.testing.assert_array_equal(reverse(T), np.kron(np.eye(3), np.ones(10)))
    assert "many_backward" in reverse.source


def test_jacobian_inside_of_a_function():
    def norm(p):
        return np.sum(tg.jacobian(damped)(p, T) ** 2)
    np.testing.assert_allclose(tg.grad(norm, fallback="error")(P), by_differences(norm, P), rtol=1e-5)


@pytest.mark.parametrize("holomorphic", [False, True])
def test_jacobian_by_complex_numbers_is_the_one_by_rows(holomorphic):
    """Of what is not holomorphic, rows and columns are not the same."""
    def f(z):
        return np.abs(z) * 2.0
    z = np.array([1.0 + 2.0j, 0.5 - 1.0j])
    want = tg.jacrev(f, holomorphic=holomorphic)(z)
    np.testing.assert_allclose(np.diag(want), 2.0 * np.conj(z) / np.abs(z))
    np.testing.assert_array_equal(tg.jacobian(f, holomorphic=holomorphic)(z), want)
