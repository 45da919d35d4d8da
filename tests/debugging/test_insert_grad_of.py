"""`insert_grad_of`: statements inside of the reverse sweep, compiled and on the tape.

The oracle is a function without the statement in which the variable is multiplied by a number for derivatives alone:
``s * x - (s - 1) * stop_gradient(x)``.
"""
import warnings

import numpy as np
import pytest

import transgrad as tg

X = np.array([0.5, 2.0, -1.0])


def scaled(x, s):
    return s * x - (s - 1.0) * tg.stop_gradient(x)


def gradients(f, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("error", tg.TapeFallbackWarning)
        return tg.grad(f)(*args)


def clipped(x):
    y = x * x
    with tg.insert_grad_of(y) as y_bar:
        y_bar = np.clip(y_bar, -1.0, 1.0)
    return np.sum(y ** 2)


def test_clipping():
    np.testing.assert_allclose(gradients(clipped, X), np.clip(2.0 * X * X, -1.0, 1.0) * 2.0 * X)
    g = tg.grad(clipped)
    g(X)
    assert "y_bar = np.clip(y_bar, -1.0, 1.0)" in g.source


def test_a_plain_call_runs_the_body_once_with_zeros():
    seen = []

    def f(x):
        y = x * x
        with tg.insert_grad_of(y) as y_bar:
            seen.append(y_bar)
        return np.sum(y)

    assert f(X) == np.sum(X * X)
    zeros, = seen
    np.testing.assert_array_equal(zeros, np.zeros(3))
    assert f(2.0) == 4.0 and seen[1] == 0.0 and type(seen[1]) is float


def test_forward_mode_does_not_run_it():
    def f(x):
        y = x * x
        with tg.insert_grad_of(y) as y_bar:
            y_bar = y_bar * 0.0
        return np.sum(y)

    assert tg.jvp(f, (X,), (np.ones(3),))[1] == np.sum(2.0 * X)
    np.testing.assert_array_equal(tg.jacfwd(f)(X), 2.0 * X)


def later_uses(x):
    y = np.sin(x)
    before = np.sum(y)
    with tg.insert_grad_of(y) as y_bar:
        y_bar *= 10.0
    return before + np.sum(y * y)


def test_only_later_uses_pass_through_it():
    np.testing.assert_allclose(gradients(later_uses, X), np.cos(X) * (1.0 + 10.0 * 2.0 * np.sin(X)))


def loop(x, w, n, scale):
    h = x
    for k in range(n):
        h = np.tanh(w * h + x)
        with tg.insert_grad_of(h) as h_bar:
            h_bar *= scale[k]
    return np.sum(h)


def loop_oracle(x, w, n, scale):
    h = x
    for k in range(n):
        h = scaled(np.tanh(w * h + x), scale[k])
    return np.sum(h)


SCALE = np.array([0.5, 2.0, 3.0])
MODES = {
    "grad": lambda f: tg.grad(f, argnums=(0, 1))(X, 0.7, 3, SCALE),
    "value_and_grad": lambda f: tg.value_and_grad(f)(X, 0.7, 3, SCALE),
    "vjp": lambda f: tg.vjp(lambda x, w: f(x, w, 3, SCALE), X, 0.7)[1](2.0),
    "jacrev": lambda f: tg.jacrev(f)(X, 0.7, 3, SCALE),
    "checkpoint": lambda f: tg.grad(f, checkpoint=True)(X, 0.7, 3, SCALE),
    "vmap": lambda f: tg.vmap(tg.grad(f), in_axes=(0, None, None, None))(np.stack([X, 2 * X]), 0.7, 3, SCALE),
    "nan": lambda f: tg.grad(f, nan="raise")(X, 0.7, 3, SCALE),
    "plain": lambda f: tg.grad(f, optimize=False)(X, 0.7, 3, SCALE),
}


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_with_a_reverse_sweep(mode):
    found, expected = MODES[mode](loop), MODES[mode](loop_oracle)
    for a, b in zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]:
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("outer", [tg.jacfwd, tg.jacrev])
def test_second_derivatives_are_those_of_the_first(outer):
    gradient = tg.grad(loop)
    steps = 1e-6 * np.eye(3)
    differences = [(gradient(X + h, 0.7, 3, SCALE) - gradient(X - h, 0.7, 3, SCALE)) / 2e-6 for h in steps]
    np.testing.assert_allclose(outer(gradient)(X, 0.7, 3, SCALE), np.transpose(differences), rtol=1e-6, atol=1e-8)


def test_linearize_is_forward_mode():
    out, f_dot = tg.linearize(lambda x: loop(x, 0.7, 3, SCALE), X)
    assert (out, f_dot(X)) == tg.jvp(lambda x: loop(x, 0.7, 3, SCALE), (X,), (X,))


def aliased(x):
    u = x.copy()
    v = u
    u[0] = u[1] * 3.0
    with tg.insert_grad_of(u) as u_bar:
        u_bar *= 2.0
    u[1] = u[0] * x[0]
    return np.sum(v * v)


def aliased_oracle(x):
    u = [scaled(y, 2.0) for y in (x[1] * 3.0, x[1], x[2])]
    return u[0] ** 2 + (u[0] * x[0]) ** 2 + u[2] ** 2


def stencil(x):
    u = x.copy()
    for _ in range(3):
        u[1:-1] += 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        with tg.insert_grad_of(u) as u_bar:
            u_bar[:] = 0.9 * u_bar
    return np.sum(u ** 2)


def stencil_oracle(x):
    u = x
    for _ in range(3):
        u = scaled(u + np.concatenate([[0.0], 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]), [0.0]]), 0.9)
    return np.sum(u ** 2)


def doubled(u):
    with tg.insert_grad_of(u) as u_bar:
        u_bar = 2.0 * u_bar
    return u


def written_by_the_caller(x):
    w = x * 1.0
    z = w
    y = doubled(w)
    y[0] = x[1] * 5.0
    return np.sum(z ** 2)


def written_by_the_caller_oracle(x):
    w = scaled(x, 2.0)
    return (x[1] * 5.0) ** 2 + w[1] ** 2 + w[2] ** 2


def pair(x):
    p = x * 2.0, x[0] ** 2
    with tg.insert_grad_of(p) as p_bar:
        p_bar = p_bar[0] * 10.0, p_bar[1] * 100.0
    return np.sum(p[0]) + p[1]


def pair_oracle(x):
    return np.sum(scaled(x * 2.0, 10.0)) + scaled(x[0] ** 2, 100.0)


def branches(x):
    y = x * 3.0
    if x[0] > 0.0:
        with tg.insert_grad_of(y) as y_bar:
            if np.max(np.abs(y_bar)) > 1.0:
                y_bar = y_bar / 2.0
    return np.sum(y * y)


def branches_oracle(x):
    return np.sum(scaled(x * 3.0, 0.5) ** 2)


@pytest.mark.parametrize("f, oracle", [
    (aliased, aliased_oracle), (stencil, stencil_oracle), (written_by_the_caller, written_by_the_caller_oracle), (pair, pair_oracle),
    (branches, branches_oracle),
], ids=lambda f: f.__name__)
def test_arrays_that_are_written_to_and_tuples(f, oracle):
    x = np.array([0.5, 2.0, -1.0, 0.3]) if f is stencil else X
    np.testing.assert_allclose(gradients(f, x), tg.grad(oracle)(x))
    np.testing.assert_allclose(f(x), oracle(x))


LOG = []


def logged(x, limit):
    y = np.sin(x)
    for k in range(2):
        y = y * x
        with tg.insert_grad_of(y) as y_bar:
            LOG.append((k, float(np.linalg.norm(y_bar)), limit))
            print("norm", k)
    return np.sum(y)


def test_logging_and_printing(capsys):
    LOG.clear()
    np.testing.assert_allclose(gradients(logged, X, 5.0), np.cos(X) * X ** 2 + 2.0 * np.sin(X) * X)
    assert [entry[0] for entry in LOG] == [1, 0] and LOG[0][1] == np.sqrt(3.0) and LOG[0][2] == 5.0
    assert capsys.readouterr().out.split() == ["norm", "1", "norm", "0"]


def recursive(x, n):
    if n == 0:
        return x
    y = np.sin(x)
    with tg.insert_grad_of(y) as y_bar:
        y_bar = y_bar * 2.0
    return recursive(y, n - 1)


def with_eval(x, n):
    u = x * 2.0
    s = np.sum(u)
    for k in range(n):
        with tg.insert_grad_of(u) as u_bar:
            u_bar *= k + 1
        u = np.sin(u)
    return np.sum(u) + s + eval("u[0]")


def without_eval(x, n):
    u = x * 2.0
    s = np.sum(u)
    for k in range(n):
        u = np.sin(scaled(u, k + 1))
    return np.sum(u) + s + u[0]


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
def test_on_the_tape():
    np.testing.assert_allclose(tg.grad(with_eval)(X, 3), tg.grad(without_eval)(X, 3))
    np.testing.assert_allclose(tg.grad(recursive)(0.5, 3), 8.0 * tg.grad(lambda x: np.sin(np.sin(np.sin(x))))(0.5))


def bad_write(x):
    y = x * x
    with tg.insert_grad_of(y) as _:
        y[0] = 1.0
    return np.sum(y * x)


def bad_assignment(x):
    y = x * x
    with tg.insert_grad_of(y) as y_bar:
        y = y_bar
    return np.sum(y * x)


def bad_update(x):
    y = x * x
    with tg.insert_grad_of(y) as _:
        x += 1.0
    return np.sum(y * x)


def bad_call(x):
    y = x * x
    with tg.insert_grad_of(y) as _:
        y.sort()
    return np.sum(y * x)


def bad_log(x):
    y, log = x * x, []
    with tg.insert_grad_of(y) as y_bar:
        log.append(y_bar)
    return np.sum(y * x) + len(log)


def bad_return(x):
    y = x * x
    with tg.insert_grad_of(y) as y_bar:
        return y_bar
    return np.sum(y)


def bad_list(x):
    y = [x, x]
    with tg.insert_grad_of(y) as _:
        pass
    return np.sum(y[0])


def bad_expression(x):
    with tg.insert_grad_of(x * x) as _:
        pass
    return np.sum(x)


@pytest.mark.parametrize("f, message", [
    (bad_write, "changes 'y'"), (bad_assignment, "changes 'y'"), (bad_update, "changes 'x'"), (bad_call, "changes 'y'"),
    (bad_log, "changes 'log'"), (bad_return, "return in the body"), (bad_list, "'y' is a list"), (bad_expression, "name of a variable"),
], ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_bodies_that_are_refused(f, message, fallback):
    with warnings.catch_warnings():
        warnings.simplefilter("error")      # they do not run on the tape instead
        with pytest.raises(tg.UnsupportedSyntax, match=message):
            tg.grad(f, fallback=fallback)(X)
