"""Arrays that are updated in place through what a container holds, after something nonlinear has been computed from them."""
from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest

import transgrad as tg
from tests import oracles

X = np.array([0.3, 0.5, 0.7, 1.1])
V = np.array([1.0, -0.5, 0.25, 2.0])

VIEWS = {
    "whole": lambda u: u,
    "reversed": lambda u: u[::-1],
    "part": lambda u: u[1:],
    "reshaped": lambda u: u.reshape(2, 2),
}


class Holder:
    """An object with an array that a method updates."""

    def __init__(self, w):
        self.w = w

    def update(self, c):
        self.w += 0.5 * c
        self.w[0] = np.sin(self.w[-1])
        return self


def update(w, c):
    rest = w[1:]
    rest += 0.5 * c
    w[-1] = np.sin(w[0])
    return w


def held_by_name(w, c):
    w += 0.3 * c


def held_in_attribute(w, c):
    held = Holder(w)
    held.w *= np.cos(c)


def held_in_tuple(w, c):
    for part in (w,):
        part += 0.3 * c


def held_in_list(w, c):
    held = [w]
    for k in range(len(held)):
        held[k] *= 1.0 + 0.3 * c


def held_in_dict(w, c):
    held = {"w": w}
    for key in held:
        held[key] += 0.3 * c


def held_by_closure(w, c):
    def inner():
        w[0] = np.cos(w[-1]) * c
    inner()


def by_method(w, c):
    Holder(w).update(c)


def by_method_of_listed_object(w, c):
    for held in [Holder(w)]:
        held.update(c)


def by_helper_of_attribute(w, c):
    held = Holder(w)
    update(held.w, c)


def by_helper_of_item(w, c):
    held = {"w": w}
    update(held["w"], c)


WRITERS = (held_by_name, held_in_attribute, held_in_tuple, held_in_list, held_in_dict, held_by_closure, by_method,
           by_method_of_listed_object, by_helper_of_attribute, by_helper_of_item)


def of_dict(view, write):
    def program(x):
        d = {"u": np.sin(x), "v": x * 1.5}
        w = view(d["u"])
        d["v"] -= 0.3 * np.tanh(np.cos(d["u"]))
        write(w, np.sqrt(x[0]))
        return sum(np.sum(np.sin(a)) for a in d.values())
    return program


def of_list(view, write):
    def program(x):
        rows = [np.sin(x), x * 1.5]
        w = view(rows[0])
        rows[1] *= np.cos(rows[0])
        write(w, np.sqrt(x[0]))
        total = 0.0
        for k in range(2):
            total += np.sum(np.exp(rows[k]))
        return total
    return program


def of_names(view, write):
    def program(x):
        u, v = np.sin(x), x * 1.5
        w = view(u)
        v *= np.cos(u)
        write(w, np.sqrt(x[0]))
        return sum(np.sum(a * a) for a in [u, v])
    return program


PROGRAMS = {f"{of.__name__}-{view}-{write.__name__}": (of, VIEWS[view], write)
            for of, view, write in itertools.product((of_dict, of_list, of_names), VIEWS, WRITERS)}


def derivatives(f, gradient):
    """What each transformation gives, and what it should."""
    yield "grad", tg.grad(f)(X.copy()), gradient
    yield "vjp", tg.vjp(f, X.copy())[1](1.0)[0], gradient
    yield "jvp", tg.jvp(f, (X.copy(),), (V,))[1], gradient @ V


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients(name):
    of, view, write = PROGRAMS[name]
    f = of(view, write)
    want, error = oracles.gradient(oracles.Problem(f, (X,), (0,)), X, 1e-3)
    assert error < 1e-8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tg.TapeFallbackWarning)
        for mode, found, wanted in derivatives(f, want):
            np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8, err_msg=mode)
