"""Derivatives by instances, of every way to write a class and in every mode, against finite differences; and the state left behind."""
import copy
import warnings

import numpy as np
import pytest

import transgrad as tg

from .classes import CLASSES
from .oracle import assert_gradient, assert_same_state, finite, get, leaves
from .programs import MODEL_PROGRAMS, ON_THE_TAPE, OTHER_PROGRAMS

CASES = [pytest.param(f, lambda cls=cls: cls(np.array([1.0, 2.0]), 0.5), id=f"{f.__name__}-{cls.__name__}")
         for f in MODEL_PROGRAMS for cls in CLASSES]
CASES += [pytest.param(f, make, id=f.__name__) for f, make in OTHER_PROGRAMS]
MODES = {
    "grad": lambda f, m, **o: tg.grad(f, **o)(m),
    "value_and_grad": lambda f, m, **o: tg.value_and_grad(f, **o)(m)[1],
    "vjp": lambda f, m, **o: tg.vjp(f, m, **o)[1](1.0)[0],
    "unoptimized": lambda f, m, **o: tg.grad(f, optimize=False, **o)(m),
    "jacrev": lambda f, m, **o: tg.jacrev(f, **o)(m),
}


def left_behind(f, model):
    f(model)
    return model


@pytest.mark.parametrize("f, make", CASES)
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_reverse(f, make, fallback):
    if fallback == "error" and f in ON_THE_TAPE:
        with pytest.raises(tg.TransgradError, match="is an argument and a value at run time"):
            tg.grad(f, fallback="error")(make())
        return
    if fallback == "tape":
        compiled = f

        def f(m):
            return eval("1.0") * compiled(m)
        if compiled.__name__ == "of_grown_system":
            pytest.skip("an instance that the function makes, on the tape, is followed; its numbers in the caller's model are not")
    want = finite(f, make())
    for mode, derive in MODES.items():
        model = make()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tg.TapeFallbackWarning)
            got = derive(f, model, fallback=fallback)
        assert_gradient(got, make(), want)
        if mode != "jacrev":
            assert_same_state(model, left_behind(f, make()))


@pytest.mark.parametrize("f, make", CASES)
def test_forward(f, make):
    if f in ON_THE_TAPE:
        return
    want = finite(f, make())
    rng = np.random.default_rng(1)
    direction = make()
    for path, value in leaves(direction).items():
        from .oracle import put
        put(direction, path, rng.normal(size=np.shape(value)) if isinstance(value, np.ndarray) else float(rng.normal()))
    slope = sum(np.sum(d * get(direction, path)) for path, d in want.items())
    kept = copy.deepcopy(direction)
    for along in (lambda m: tg.jvp(f, (m,), (direction,), fallback="error")[1], lambda m: tg.linearize(f, m)[1](direction)):
        model = make()
        assert along(model) == pytest.approx(slope, rel=1e-5)
        assert_same_state(model, left_behind(f, make()))
        assert_same_state(direction, kept)
