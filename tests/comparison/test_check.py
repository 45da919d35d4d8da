"""tg.check, testing.check_grad and TRANSGRAD_CHECK=1: what they compare, what they say, and that they compare something."""
from __future__ import annotations

import dataclasses
import typing
import warnings

import numpy as np
import pytest

import transgrad as tg
from transgrad.testing import check_grad

A = np.array([0.5, -1.2, 2.0])


@dataclasses.dataclass
class Params:
    w: object
    b: object


class Pair(typing.NamedTuple):
    w: object
    b: object


def tripled(x):
    return x * x


@tg.rule(tripled)
def _(g, y, x):
    """A wrong rule: the derivative is 2 x."""
    return 3.0 * x * g


def scaled(x):
    return x * 2.0


@tg.rule(scaled)
def _(g, y, x):
    return np.sum(g) * 2.0      # a wrong rule: it has no shape


class Model:
    def __init__(self, k):
        self.k, self.calls = k, 0

    def loss(self, x):
        self.calls += 1
        return np.sum(np.sin(x) * self.k)


STRUCTURES = {
    "dict": (lambda p: np.sum(p["w"] ** 2) * p["b"], {"w": A, "b": 2.0}),
    "dict of numbers": (lambda p: p[0] * p[1], {0: 1.5, 1: 2.0}),
    "list": (lambda p: np.sum(p[0] * p[1]), [A, 2.0]),
    "tuple": (lambda p: np.sum(p[0]) * p[1], (A, 2.0)),
    "dataclass": (lambda p: np.sum(p.w ** 2) * p.b, Params(A, 2.0)),
    "named tuple": (lambda p: np.sum(p.w ** 2) * p.b, Pair(A, 2.0)),
    "nested": (lambda p: p["u"][0].w @ p["u"][1], {"u": [Params(A, 0.5), A], "name": "text"}),
}


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("entries", [False, True])
def test_every_number_of_a_structure_is_compared(name, entries):
    f, x = STRUCTURES[name]
    report = tg.check(f, entries=entries)(x)
    check_grad(f, [x])
    leaves = [row.path for row in report.rows if row.mode == "reverse"]
    assert len(leaves) >= 2 and all(row.verdict == "ok" for row in report.rows)
    assert report.compared >= len(leaves) + 1


@pytest.mark.parametrize("make, path", [
    (lambda: ({"u": A, "v": [1.0, A]},), "p['v'][1]"), (lambda: (Params(1.0, [A]),), "p.b[0]"), (lambda: (Pair(A, (1.0, A)),), "p.b[1]"),
])
def test_the_leaf_that_differs_is_named(make, path):
    space: dict = {}
    exec(f"def loss(p):\n    return total({path})", {"total": lambda t: np.sum(tripled(t))}, space)
    right = np.sum(1.0)
    with pytest.raises(tg.DerivativeError) as found:
        tg.check(lambda p: np.sum(tripled(eval_path(p, path))) * right)(*make())
    assert path in str(found.value) and "finite differences give" in str(found.value)


def eval_path(p, path):
    if path == "p['v'][1]":
        return p["v"][1]
    return p.b[0] if path == "p.b[0]" else p.b[1]


def test_the_entry_and_the_size_of_the_difference_are_named():
    with pytest.raises(tg.DerivativeError, match=r"reverse mode, x: at \[1\] it is -3.6, and finite differences give -2.4 ±"):
        check_grad(lambda x: np.sum(tripled(x)), np.array([0.1, -1.2, 0.2]))
    with pytest.raises(tg.DerivativeError, match=r"x: there it is 4.5, and finite differences give 3 ±"):
        tg.check(lambda x: tripled(x))(1.5)


def test_a_difference_in_shape_or_dtype_is_named():
    from transgrad.comparison.numbers import differs
    assert differs(1.0, A, "x", "gradient") == "the gradient of x has shape (), and x has (3,)"
    assert differs({"w": A.astype(np.float32)}, {"w": A}, "p", "gradient") == "the gradient of p['w'] is float32, and p['w'] is float64"
    assert differs({"w": None}, {"w": A}, "p", "gradient").startswith("the gradient of p['w'] is None")
    assert "structure" in differs([A], (A,), "p", "gradient") and "structure" in differs({"w": A}, {"v": A}, "p", "gradient")
    assert not differs((A, None), (A, "text"), "p", "gradient")


@pytest.mark.parametrize("f, args", [
    (lambda x: 3.0, (1.0,)),                # a constant is compared: its derivative is 0
])
def test_a_constant_result_is_compared(f, args):
    assert tg.check(f)(*args).compared


@pytest.mark.parametrize("f, args", [
    (lambda x: x, (3,)), (lambda x: "text", (1.0,)), (lambda x: x["n"], ({"n": 3},)), (lambda x: abs(x), (0.0,)), (lambda x: np.floor(x), (2.0,)),
    (lambda x: np.sum(x), (np.zeros(0, dtype=int),)), (lambda: 3.0, ()), (lambda x: np.sum(x), (np.zeros(0),)),
])
@pytest.mark.parametrize("check", [lambda f, x: tg.check(f)(*x), check_grad], ids=["check", "check_grad"])
def test_a_check_that_compares_no_number_raises(check, f, args):
    with pytest.raises(tg.NothingCompared):
        check(f, list(args))


def test_arguments_are_left_alone_and_methods_do_not_change_their_object():
    model, x = Model(2.0), A.copy()
    tg.check(model.loss)(x)
    np.testing.assert_array_equal(x, A)


def test_all_ways_of_passing_arguments():
    def f(a, *rest, scale=1.0, **more):
        return a * rest[0] * scale * more["z"]
    report = tg.check(f)(1.5, 2.0, scale=3.0, z=0.5)
    assert {row.path for row in report.rows if row.mode == "reverse"} == {"a", "rest[0]", "scale", "more['z']"}
    assert {row.path for row in tg.check(f, argnums=0)(1.5, 2.0, z=0.5).rows if row.mode == "reverse"} == {"a"}
    assert {row.path for row in tg.check(f, argnames="scale")(1.5, 2.0, scale=3.0, z=0.5).rows if row.mode == "reverse"} == {"scale"}


def test_integers_beside_are_not_differentiated():
    report = tg.check(lambda x, n: x ** n)(1.5, 3)
    assert {row.path for row in report.rows if row.mode == "reverse"} == {"x"}


def test_results_of_any_structure():
    report = tg.check(lambda x: {"u": x * x, "v": (np.sin(x), 3, "text")})(A)
    assert {row.path for row in report.rows if row.mode == "forward"} == {"result['u']", "result['v'][0]"}


@pytest.mark.parametrize("x", [np.array([1.0 + 2.0j, -0.5j]), 1.5 - 0.5j])
def test_complex_numbers(x):
    assert tg.check(lambda z: np.sum(np.abs(z) ** 2 * np.real(z * 1j)))(x).compared
    assert tg.check(lambda z: z * np.conj(z) * 2j)(x).compared


def test_single_precision():
    assert tg.check(lambda x: np.sum(np.tanh(x)))(A.astype(np.float32)).compared


def test_random_draws_are_the_same_in_each_run():
    def noisy(x):
        return np.sum(x * np.random.normal(size=3))
    before = np.random.get_state()[1].copy()
    assert tg.check(noisy)(A).compared
    np.testing.assert_array_equal(np.random.get_state()[1], before)


def test_a_domain_that_ends_beside_the_point():
    def root(x):
        if x < 1e-4:
            raise ValueError("too small")
        return np.sqrt(x)
    assert tg.check(root)(2e-4).compared


@pytest.fixture
def checking(monkeypatch):
    monkeypatch.setenv("TRANSGRAD_CHECK", "1")


TRANSFORMS = {
    "grad": lambda f: tg.grad(f)(A), "value_and_grad": lambda f: tg.value_and_grad(f)(A), "vjp": lambda f: tg.vjp(f, A),
    "jvp": lambda f: tg.jvp(f, (A,), (A,)), "linearize": lambda f: tg.linearize(f, A), "jacrev": lambda f: tg.jacrev(f)(A),
    "jacfwd": lambda f: tg.jacfwd(f)(A), "hvp": lambda f: tg.hvp(f, (A,), (A,)), "hessian": lambda f: tg.hessian(f)(A),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_environment_variable_warns_of_a_wrong_derivative(checking, name):
    with pytest.warns(tg.DerivativeWarning, match="finite differences"):
        TRANSFORMS[name](lambda x: np.sum(tripled(x)))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_the_environment_variable_says_nothing_of_a_right_derivative(checking, name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TRANSFORMS[name](lambda x: np.sum(np.sin(x) * x))


def test_the_environment_variable_checks_each_variant_once(checking):
    derivative = tg.grad(lambda x: np.sum(tripled(x)))
    with pytest.warns(tg.DerivativeWarning):
        derivative(A)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        derivative(A)


def test_custom_rules_of_lambdas():
    double = tg.custom_vjp(lambda x: x * 2.0)
    double.defvjp(lambda x: (x * 2.0, None), lambda saved, g: (2.0 * g,))
    assert tg.check(lambda x: np.sum(double(x) ** 2))(A).compared
