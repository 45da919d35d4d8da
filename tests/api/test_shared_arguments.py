"""Arguments that share memory: where the function writes into one of them, it is refused out loud, never differentiated wrongly."""
from dataclasses import dataclass

import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")


@dataclass
class Pair:
    a: np.ndarray
    b: np.ndarray


def two(a, b):
    a[0] = 3.0 * b[1]
    return np.sum(a * b)


def starred(*p):
    return two(*p)


def by_name(x, **p):
    return two(**p) + np.sum(x)


def items(p):
    return two(p[0], p[1])


def attributes(p):
    p.a[0] = 3.0 * p.b[1]
    return np.sum(p.a * p.b)


def item_and_array(a, p):
    p[1][0] = 3.0 * a[1]
    return np.sum(a * p[1])


def lists(p, q):
    p[0] = 3.0 * q[1]
    return p[0] * q[0]


X = np.array([1.0, 2.0, 3.0])
SHARED = {
    "twice": (two, (0, 1), lambda x: (x, x)),
    "twice, one differentiated": (two, 0, lambda x: (x, x)),
    "twice, the other differentiated": (two, 1, lambda x: (x, x)),
    "a view": (two, (0, 1), lambda x: (x, x[::-1])),
    "starred": (starred, (0, 1), lambda x: (x, x)),
    "in a list": (items, 0, lambda x: ([x, x],)),
    "in a tuple": (items, 0, lambda x: ((x, x),)),
    "in a dataclass": (attributes, 0, lambda x: (Pair(x, x),)),
    "beside a list": (item_and_array, 0, lambda x: (x, [x.copy(), x])),
    "inside of a list": (item_and_array, 1, lambda x: (x, [x.copy(), x])),
}


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("case", SHARED)
def test_refused_with_the_way_out(case, backend):
    if backend == "numba":
        pytest.importorskip("numba")
    f, argnums, arguments = SHARED[case]
    with pytest.raises(tg.TransgradError, match=r"(?s)shares memory.*File.*Hint: pass a copy") as caught:
        tg.grad(f, argnums, backend=backend)(*arguments(X.copy()))
    assert caught.value.lineno is not None
    with pytest.raises(tg.TransgradError, match="Hint: pass a copy"):
        tg.vjp(f, *arguments(X.copy()))


def test_two_names_for_what_is_not_differentiated():
    x = X.copy()
    np.testing.assert_allclose(tg.grad(by_name)(2.0 * x, a=x, b=x), np.ones(3))
    np.testing.assert_allclose(x, [6.0, 2.0, 3.0])


def test_refused_in_forward_mode():
    x = X.copy()
    with pytest.raises(tg.TransgradError, match="Hint: pass a copy"):
        tg.jvp(two, (x, x), (X, X))


def test_the_same_list_twice():
    p = [1.0, 2.0]
    with pytest.raises(tg.TransgradError, match="Hint: pass a copy"):
        tg.grad(lists, (0, 1))(p, p)


@pytest.mark.parametrize("case", SHARED)
def test_a_later_call_is_refused_too(case):
    f, argnums, arguments = SHARED[case]
    gradient = tg.grad(f, argnums)
    copies = [type(v)(map(np.copy, v)) if isinstance(v, (list, tuple)) else Pair(v.a.copy(), v.b.copy()) if isinstance(v, Pair) else v.copy()
              for v in arguments(X.copy())]
    gradient(*copies)
    with pytest.raises(tg.TransgradError, match="Hint: pass a copy"):
        gradient(*arguments(X.copy()))


def test_a_write_that_changes_no_number():
    x = np.array([6.0, 2.0, 3.0])
    gradient = tg.grad(two, (0, 1))
    for _ in range(2):
        with pytest.raises(tg.TransgradError, match="Hint: pass a copy"):
            gradient(x, x[::-1])


def test_arguments_that_are_apart_again():
    gradient = tg.grad(two, (0, 1))
    with pytest.raises(tg.TransgradError):
        gradient(x := X.copy(), x)
    a_bar, b_bar = gradient(X.copy(), X.copy())
    np.testing.assert_allclose(a_bar, [0.0, 2.0, 3.0])
    np.testing.assert_allclose(b_bar, [6.0, 5.0, 3.0])


def test_what_is_only_read_may_be_shared():
    x = X.copy()
    a_bar, b_bar = tg.grad(lambda a, b: np.sum(a * b ** 2), (0, 1))(x, x)
    np.testing.assert_allclose(a_bar + b_bar, 3.0 * X ** 2)
    p_bar, = tg.grad(lambda p: np.sum(p[0] * p[0]), (0,))([x, x])
    np.testing.assert_allclose(p_bar[0], 2.0 * X)
