"""Derivatives by instances, of every way to write a class and in every mode, against finite differences; and the state left behind."""
import copy
import warnings

import numpy as np
import pytest

import transgrad as tg

from .classes import CLASSES, Net, Plain, Slots, System
from .oracle import assert_gradient, assert_same_state, finite, get, leaves, put
from .programs import (
    INTO_INTEGERS,
    MODEL_PROGRAMS,
    ON_THE_TAPE,
    OTHER_PROGRAMS,
    WRITES,
    Holder,
    copied,
    of_grown_system,
    of_net,
    other_fields,
    reads,
    steps,
)

CASES = [pytest.param(f, lambda cls=cls: cls(np.array([1.0, 2.0]), 0.5), id=f"{f.__name__}-{cls.__name__}")
         for f in MODEL_PROGRAMS for cls in CLASSES if cls in (Plain, Slots) or f in (reads, other_fields, steps, copied)]
CASES += [pytest.param(f, make, id=f.__name__) for f, make in OTHER_PROGRAMS]
MODES = {
    "grad": lambda f, m, **o: tg.grad(f, **o)(m),
    "value_and_grad": lambda f, m, **o: tg.value_and_grad(f, **o)(m)[1],
    "vjp": lambda f, m, **o: tg.vjp(f, m, **o)[1](1.0)[0],
    "unoptimized": lambda f, m, **o: tg.grad(f, optimize=False, **o)(m),
    "jacrev": lambda f, m, **o: tg.jacrev(f, **o)(m),
}


def _is_taped(f, make):
    return f in ON_THE_TAPE or type(make()).__name__ == "Attrs" and f in WRITES


def left_behind(f, model):
    f(model)
    return model


@pytest.mark.parametrize("f, make", CASES)
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_reverse(f, make, fallback):
    if fallback == "error" and _is_taped(f, make):
        with pytest.raises(tg.TransgradError):
            tg.grad(f, fallback="error")(make())
        return
    if fallback == "tape":
        compiled = f

        def f(m):
            return eval("1.0") * compiled(m)
    if f.__name__ == "raises_inside":       # in reverse mode it depends on the kind of class
        fallback = "tape"
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
    if _is_taped(f, make):
        return
    want = finite(f, make())
    rng = np.random.default_rng(1)
    direction = make()
    for path, value in leaves(direction).items():
        put(direction, path, rng.normal(size=np.shape(value)) if isinstance(value, np.ndarray) else float(rng.normal()))
    slope = sum(np.sum(d * get(direction, path)) for path, d in want.items())
    kept = copy.deepcopy(direction)
    for along in (lambda m: tg.jvp(f, (m,), (direction,), fallback="error")[1], lambda m: tg.linearize(f, m)[1](direction)):
        model = make()
        assert along(model) == pytest.approx(slope, rel=1e-5)
        assert_same_state(model, left_behind(f, make()))
        assert_same_state(direction, kept)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("f", INTO_INTEGERS)
def test_floats_stored_where_integers_were(f):
    model, want = Holder(), finite(f, Holder())[("x",)]
    got = tg.grad(f, fallback="error")(model)
    assert got.x == pytest.approx(want) and got.rng is None and got.helper is None
    assert tg.jvp(f, (Holder(),), (Holder(),))[1] == pytest.approx(2.0 * want)


def test_hessians_and_products():
    model = Plain(np.array([1.0, 2.0]), 0.5)
    direction = Plain(np.array([0.3, -0.2]), 1.5)
    step = 1e-6

    def at(sign):
        return tg.grad(reads)(Plain(model.w + sign * step * direction.w, model.b + sign * step * direction.b))
    product, = tg.hvp(reads, (model,), (direction,))
    np.testing.assert_allclose(product.w, (at(1).w - at(-1).w) / (2 * step), atol=1e-6)
    assert product.b == pytest.approx((at(1).b - at(-1).b) / (2 * step))
    hessian = tg.hessian(reads)(model)
    assert type(hessian) is Plain and type(hessian.b) is Plain and hessian.n is None and hessian.b.b == pytest.approx(8.0)
    nested = tg.grad(lambda m: tg.grad(reads)(m).b ** 2)(model)
    assert nested.b == pytest.approx(2 * tg.grad(reads)(model).b * 8.0)


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_no_object_of_the_tape_stays_behind():
    for f in (of_grown_system, lambda s: eval("1.0") * of_grown_system(s)):
        system = System()
        tg.grad(f)(system)
        assert_same_state(system, left_behind(of_grown_system, System()))


@pytest.mark.parametrize("transform", ["vmap", "checkpoint", "compile", "numba", "check"])
def test_other_transformations(transform):
    model, want = Plain(np.array([1.0, 2.0]), 0.5), finite(reads, Plain(np.array([1.0, 2.0]), 0.5))
    if transform == "vmap":
        xs = np.arange(8.0).reshape(4, 2)
        found = tg.vmap(tg.grad(lambda m, x: m(x) ** 2), in_axes=(None, 0))(model, xs)
        np.testing.assert_allclose(found.w, [2 * model(x) * x for x in xs])
    elif transform == "checkpoint":
        assert_gradient(tg.grad(tg.checkpoint(reads))(model), model, want)
    elif transform == "compile":
        assert tg.compile(reads)(model) == pytest.approx(reads(model))
    elif transform == "numba":
        pytest.importorskip("numba")
        assert_gradient(tg.grad(reads, backend="numba")(model), model, want)
        with pytest.raises(tg.UnsupportedByNumba):      # the fields hold functions
            tg.grad(of_net, backend="numba")(Net())
    else:
        assert tg.check(reads)(model)


def test_optimizers():
    model = Plain(np.array([1.0, 2.0]), 0.5)
    optimizer = tg.optim.SGD(model, lr=0.01)
    start = reads(model)
    for _ in range(3):
        optimizer.step(tg.grad(reads)(optimizer.params))
    assert type(optimizer.params) is Plain and optimizer.params.n == 3 and optimizer.params.name == "model"
    assert reads(optimizer.params) < start


class Two:
    """Two fields of each kind, which may be one object."""

    def __init__(self, array=False, instance=False):
        self.a, self.p = np.array([1.0, 2.0]), Plain(np.ones(2), 3.0)
        self.b = self.a if array else self.a.copy()
        self.q = self.p if instance else Plain(np.ones(2), 3.0)


def of_two(t):
    return np.sum(t.a ** 2 * t.b) + t.p.b * t.q.b ** 2


def written_instance(t):
    t.p.b = t.p.b * 2
    return t.q.b


def written_array(t):
    t.a[0] = t.a[0] * 2
    return t.b[0]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_shared_references():
    """Each place has a gradient of its own, as in a list; where what is shared is written to, the function is refused."""
    for shared in (Two(), Two(array=True), Two(instance=True)):
        got = tg.grad(of_two)(shared)
        np.testing.assert_allclose(got.a, 2 * shared.a * shared.b)
        np.testing.assert_allclose(got.b, shared.a ** 2)
        assert (got.p.b, got.q.b) == (9.0, 18.0)
    with pytest.raises(tg.UnsupportedCall, match="that it is given in two places"):
        tg.grad(written_instance)(Two(instance=True))
    with pytest.raises(tg.UnsupportedCall, match="shares memory with another one"):
        tg.grad(written_array)(Two(array=True))
    assert tg.grad(written_instance)(Two()).q.b == 1.0


def test_refusals():
    cyclic = Plain(np.ones(2), 1.0)
    cyclic.other = {"me": [cyclic]}
    for derive in (tg.grad(reads), lambda m: tg.vjp(reads, m), lambda m: tg.jvp(reads, (m,), (m,)), tg.check(reads)):
        with pytest.raises(TypeError, match="contains itself.*register_pytree_node"):
            derive(cyclic)
    with pytest.raises(TypeError, match="argument m of reads is to be differentiated, but is a Helper that holds no float"):
        tg.grad(reads)(type("Helper", (), {})())
    with pytest.raises(TypeError, match="is int. Hint: pass a float"):
        tg.grad(reads)(3)
    with pytest.raises(ValueError, match="has the structure"):
        tg.jvp(reads, (Plain(np.ones(2), 1.0),), (Slots(np.ones(2), 1.0),))


def test_classes_whose_fields_cannot_be_read():
    interpolate = pytest.importorskip("scipy.interpolate")
    model = Plain(np.ones(2), 1.0)
    derivative = tg.grad(lambda m: m.b ** 2)
    derivative(model)
    model.other = interpolate.CubicSpline([0.0, 1.0, 2.0], [1.0, 2.0, 0.0])
    with pytest.raises(TypeError, match=r"argument m.other of .*CubicSpline, whose fields cannot be read.*register_pytree_node"):
        derivative(model)       # the fields have changed since it was compiled
