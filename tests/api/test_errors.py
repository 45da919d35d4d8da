"""Clear errors of their own for what cannot be differentiated."""
from __future__ import annotations

import json

import numpy as np
import pytest

import transgrad as tg


def plain(x, n=2):
    return x ** n


def vector(x):
    return x * 2.0


def test_integers():
    with pytest.raises(TypeError, match="argument x of plain is to be differentiated, but is int"):
        tg.grad(plain)(3)
    with pytest.raises(TypeError, match=r"argument p\['n'\]"):
        tg.grad(lambda p: p["w"] * p["n"])({"w": 1.0, "n": 3})
    with pytest.raises(TypeError, match="array of int64"):
        tg.grad(lambda x: np.sum(x))(np.arange(3))
    with pytest.raises(TypeError, match="bool"):
        tg.grad(plain)(True)
    with pytest.raises(TypeError, match="argument n of plain"):
        tg.vjp(plain, 2.0, 3)


@pytest.mark.parametrize("transformation", [tg.grad, tg.value_and_grad])
def test_output_that_is_not_a_number(transformation):
    with pytest.raises(TypeError, match=r"vector returns an array of shape \(3,\).*jacobian"):
        transformation(vector)(np.ones(3))
    with pytest.raises(TypeError, match=r"array of shape \(1,\).*jacobian"):
        transformation(vector)(np.ones(1))
    with pytest.raises(TypeError, match="tuple of 2.*jacobian.*has_aux"):
        transformation(lambda x: (x, x))(1.0)
    with pytest.raises(TypeError, match="dict"):
        transformation(lambda x: {"x": x})(1.0)


def test_output_that_is_not_a_float():
    with pytest.raises(TypeError, match="returns int"):
        tg.grad(lambda x: len([x, x]))(1.0)
    with pytest.raises(TypeError, match="None"):
        tg.grad(lambda x: None)(1.0)
    with pytest.raises(TypeError, match="complex.*holomorphic"):
        tg.grad(lambda x: x * 1j)(1.0)


def test_has_aux_needs_a_pair():
    with pytest.raises(TypeError, match="pair"):
        tg.grad(lambda x: x * x, has_aux=True)(1.0)


def test_arguments_that_do_not_exist():
    with pytest.raises(TypeError, match=r"plain\(x, n=2\) has no positional argument number 2"):
        tg.grad(plain, argnums=2)
    with pytest.raises(TypeError, match=r"plain\(x, n=2\) has no argument 'z'"):
        tg.grad(plain, argnames="z")
    with pytest.raises(TypeError, match=r"plain\(x, n=2\).*too many"):
        tg.grad(plain)(1.0, 2, 3)
    with pytest.raises(TypeError, match="function"):
        tg.grad(3.0)


def test_function_without_source():
    space: dict[str, object] = {}
    exec(compile("def f(x):\n    return x * x\n", "<made at run time>", "exec"), space)
    with pytest.raises(tg.NoSourceError, match=r"source of f\(\) cannot be found"):
        tg.grad(space["f"], fallback="error")(1.0)


def test_calls_without_a_rule():
    def f(x):
        return x * json.loads(json.dumps(x))
    with pytest.raises((tg.UnsupportedCall, tg.UnsupportedSyntax)) as caught:
        tg.grad(f)(1.0)
    assert caught.value.filename == __file__ or "json" in str(caught.value)
    assert caught.value.lineno and "^" in str(caught.value) and "Hint" in str(caught.value)


def test_refusals_are_raised_where_nothing_may_run_on_the_tape():
    def f(x):
        return eval("x * x")
    with pytest.raises((tg.UnsupportedCall, tg.UnsupportedSyntax), match="eval"):
        tg.grad(f, fallback="error")(1.0)


def test_options():
    with pytest.raises(ValueError, match="fallback"):
        tg.grad(plain, fallback="no")
    with pytest.raises(ValueError, match="backend"):
        tg.grad(plain, backend="cuda")


def test_tangents_and_cotangents_that_do_not_fit():
    with pytest.raises(ValueError, match=r"tangent of x has shape \(2,\)"):
        tg.jvp(vector, (np.ones(3),), (np.ones(2),))
    with pytest.raises(TypeError, match="2 primals and 1 tangents"):
        tg.jvp(plain, (1.0, 2.0), (1.0,))
    with pytest.raises(TypeError, match="tuple"):
        tg.jvp(plain, 1.0, 1.0)
    with pytest.raises(ValueError, match="cotangent of vector has shape"):
        tg.vjp(vector, np.ones(3))[1](np.ones(2))
    with pytest.raises(TypeError, match="nothing to differentiate"):
        tg.vjp(lambda: 1.0)


def test_a_class_that_exec_made_without_a_name():
    space = {}
    exec("class Doubled:\n    def __init__(self, a):\n        self.a = 2 * a\n", space)
    made = space["Doubled"]

    def value(x):
        return made(x).a

    with pytest.raises(tg.UnsupportedCall, match="the source of the class is not known"):
        tg.grad(value, fallback="error")(1.0)
    assert tg.grad(value)(1.0) == 2.0


def test_the_shape_of_an_output_of_a_ufunc_is_named() -> None:
    with pytest.raises(TypeError, match=r"grad takes a function that returns one number, but sin returns an array of shape \(3,\)"):
        tg.grad(np.sin)(np.ones(3))


def test_an_argument_without_numbers_says_what_is_expected() -> None:
    with pytest.raises(TypeError, match="is str: expected a float, a complex number, a NumPy array of these, or a container of them. Hint: "):
        tg.grad(lambda text: len(text) * 1.0)("abc")
