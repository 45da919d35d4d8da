"""Views and copies that depend on how an array lies in memory, written to: C order, F order, strided; compiled and on the tape."""
import numpy as np
import pytest

import transgrad as tg
from transgrad.transforms.fallback import TapedVariant

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
W = np.arange(12.0)
M = W.reshape(3, 4) / 7 + np.eye(3, 4)


def doubled(f, m):
    f[0] *= 2
    return np.sum(f ** 2 * W[:f.size].reshape(f.shape)) + np.sum(m)


def fortran(m):
    return doubled(np.asfortranarray(m), m)


def fortran_alone(m):
    f = np.asfortranarray(m)
    f[1:, ::2] *= 2
    return np.sum(f ** 2)


def fortran_of_a_product(m):
    g = m * 2
    return doubled(np.asfortranarray(g), g)


def contiguous_transpose(m):
    return doubled(np.ascontiguousarray(m.T), m)


def raveled(m):
    return doubled(m.ravel("F"), m)


def reshaped(m):
    return doubled(np.reshape(m, (4, 3), "F"), m)


def raveled_twice(m):
    f = np.asfortranarray(m)
    f[0] *= 2
    r = f.ravel(order="F")
    r[0] = 3 * r[1]
    return np.sum(f ** 2)


def required(m):
    return doubled(np.require(m, float, ["F"]), m)


def converted(m):
    return doubled(m.astype(float, copy=False), m)


def array_if_needed(m):
    return doubled(np.array(m, copy=None, order="F"), m)


def as_array_in_order(m):
    return doubled(np.asarray(m, order="F"), m)


def single(m):
    f = np.asarray(m, dtype=np.float32)
    f[0] *= 2
    return np.sum(f.astype(float))


def strided(m):
    return np.repeat(m, 2, axis=1)[:, ::2]


def of_both_orders(m):
    b = m.T + W.reshape(4, 3)
    return doubled(b.reshape(-1), b)


def copied_as_it_lies(m):
    b = np.array(m)
    return doubled(b.ravel(), b @ M.T)


def copied_in_order(m):
    b = m.copy("K")
    return doubled(b.reshape(-1), b @ M.T)


def written_and_transposed(m):
    """The cotangent of ``b`` arrives in F order."""
    b = m.copy()
    c = b.ravel()
    c[0] = 3.0 * c[1]
    return np.sum((np.einsum("ij->ji", b) @ M) ** 2)


def ascontiguous(m):
    return doubled(np.ascontiguousarray(m), m)


def backwards(m):
    return m[::-1, ::-1].copy()[::-1, ::-1]


LAYOUTS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "strided": strided, "backwards": backwards}
FUNCTIONS = [fortran, fortran_alone, fortran_of_a_product, contiguous_transpose, raveled, reshaped, raveled_twice, required, converted,
             array_if_needed, as_array_in_order, copied_as_it_lies, copied_in_order, written_and_transposed, ascontiguous, single]


def differences(f, layout):
    found = np.zeros(M.shape)
    h = 0.25 if f is single else 1e-6
    for i in np.ndindex(M.shape):
        step = np.zeros(M.shape)
        step[i] = h
        found[i] = (f(layout(M + step)) - f(layout(M - step))) / (2 * h)
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", FUNCTIONS)
def test_gradient(f, layout):
    order = LAYOUTS[layout]
    want, gradient = differences(f, order), tg.grad(f)
    for _ in range(2):
        np.testing.assert_allclose(gradient(order(M.copy())), want, rtol=1e-6, atol=1e-6)
    taped = TapedVariant(gradient, {}, tg.UnsupportedSyntax("for the test")).call_with({"m": order(M.copy())})
    np.testing.assert_allclose(taped, want, rtol=1e-6, atol=1e-6)


def sliced(m):
    return doubled(m[1:].reshape(-1), m)


def transposed(m):
    return doubled(m.T.reshape(-1), m)


def by_a_helper(m):
    return doubled(in_one_row(m.T), m)


def in_one_row(m):
    return m.reshape(-1)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", [*(f for f in FUNCTIONS if f is not single), sliced, transposed, by_a_helper])
def test_tangents(f, layout):
    """The caller's tangents lie in memory as they like (those of ``single`` are rounded)."""
    order = LAYOUTS[layout]
    want = differences(f, order)
    np.testing.assert_allclose(tg.jacfwd(f)(order(M.copy())), want, rtol=1e-6, atol=1e-6)
    for k, (unit, slope) in enumerate(zip(np.eye(12).reshape(12, 3, 4), want.ravel())):
        tangent = (np.ascontiguousarray, np.asfortranarray, strided)[k % 3](unit)
        np.testing.assert_allclose(tg.jvp(f, (order(M.copy()),), (tangent,))[1], slope, rtol=1e-6, atol=1e-6)


def test_what_cannot_be_known_of_tangents_is_refused():
    with pytest.raises(tg.errors.TransgradError, match="view or a copy"):
        tg.jvp(transposed, (np.asfortranarray(M),), (np.ones((3, 4)),), fallback="error")


def test_a_tangent_that_lies_in_another_way_is_noticed_in_the_run():
    """``b`` is a sum of arrays in both orders, its tangent is computed of one of them."""
    want = differences(of_both_orders, np.ascontiguousarray)
    np.testing.assert_allclose(tg.grad(of_both_orders)(M.copy()), want, rtol=1e-6)
    with pytest.raises(ValueError, match="copy the array before creating the view"):
        tg.jvp(of_both_orders, (M.copy(),), (np.ones((3, 4)),))


def test_one_derivative_for_all_layouts():
    gradient = tg.grad(fortran)
    for layout in (*LAYOUTS.values(), *LAYOUTS.values()):
        np.testing.assert_allclose(gradient(layout(M.copy())), differences(fortran, layout), rtol=1e-6, atol=1e-6)
