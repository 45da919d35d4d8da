"""Derivatives and other transformed functions as class methods: Python 3.13 calls them with the class, earlier versions bind them."""
import warnings

import numpy as np
import pytest

import transgrad as tg

X = np.array([1.0, 2.0])


class Model:
    scale = 2.0

    def loss(cls, x):
        return cls.scale * np.sum(x ** 3)

    plain = classmethod(loss)
    gradient = classmethod(tg.grad(loss))
    pair = classmethod(tg.value_and_grad(loss))
    matrix = classmethod(tg.hessian(loss))
    compiled = classmethod(tg.compile(loss))
    again = classmethod(tg.checkpoint(loss))
    rows = classmethod(tg.vmap(loss))
    both = classmethod(tg.grad(lambda cls, x, y: cls.scale * np.sum(x * y ** 2), argnums=(0, 1)))
    tail = classmethod(tg.vmap(lambda cls, x, y: cls.scale * x + y, in_axes=(0, None)))


class Other(Model):
    scale = 3.0


CALLS = {
    "gradient": (lambda c: c.gradient(X), lambda s: s * 3 * X ** 2),
    "pair": (lambda c: c.pair(x=X)[1], lambda s: s * 3 * X ** 2),
    "matrix": (lambda c: c.matrix(X), lambda s: s * np.diag(6 * X)),
    "compiled": (lambda c: c.compiled(X), lambda s: s * np.sum(X ** 3)),
    "again": (lambda c: c.again(X), lambda s: s * np.sum(X ** 3)),
    "rows": (lambda c: c.rows(X), lambda s: s * X ** 3),
    "both": (lambda c: np.stack(c.both(X, 2 * X)), lambda s: s * np.stack([4 * X ** 2, 4 * X ** 2])),
    "tail": (lambda c: c.tail(X, 1.0), lambda s: s * X + 1.0),
    "called inside": (lambda c: tg.grad(lambda x: c.plain(x) + c.again(x) + c.compiled(x) + np.sum(c.gradient(x)), fallback="error")(X),
                      lambda s: s * (9 * X ** 2 + 6 * X)),
    "of an instance": (lambda c: tg.grad(lambda x: c().again(x) + np.sum(c().gradient(x)), fallback="error")(X),
                       lambda s: s * (3 * X ** 2 + 6 * X)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_class_method_counts_the_arguments_after_the_class(name):
    call, expected = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error", tg.TapeFallbackWarning)
        for cls in (Model, Other, Model(), Other()) if name not in ("of an instance",) else (Model, Other):
            for _ in range(2):
                found = call(cls)
                np.testing.assert_allclose(found, expected(cls.scale), rtol=1e-12)


def test_the_source_is_that_of_the_last_call():
    assert Model.gradient(X) is not None
    assert "def grad_loss" in Model.gradient.source
