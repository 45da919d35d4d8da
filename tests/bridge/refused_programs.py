"""Programs that call functions the compiler refuses, in all the ways that functions are called.

Each is a function of an array of three numbers that returns a number.  ``CALLS`` holds those of which only the refused call has
to run on the tape, ``WHOLE`` those where the function that calls it has to go there too.
"""
from __future__ import annotations

import functools
import math

import numpy as np

import transgrad as tg

from .refused import (
    LOG,
    ONE,
    Model,
    adds,
    applies,
    array,
    awaits,
    each,
    fills,
    keywords,
    logs,
    mask,
    named,
    nothing,
    order,
    pair,
    parameters,
    product,
    raises,
    recursive,
    same,
    scalar,
    scales,
    sends,
    sometimes,
    tripled,
    two,
    view,
    whole_part,
)

CALLS = {}
WHOLE = {}


def call_alone(fn):
    CALLS[fn.__name__] = fn
    return fn


def as_a_whole(fn):
    WHOLE[fn.__name__] = fn
    return fn


def assigns(x):
    global ASSIGNED
    ASSIGNED = x * eval(ONE)
    return ASSIGNED * 2.0


ASSIGNED = 0.0


# programs of which the call alone runs on the tape

@call_alone
def in_a_loop(x):
    total = 0.0
    for i in range(3):
        total += scalar(x[i])
    return total


@call_alone
def result_changed_in_place(x):
    y = array(x)
    y += x
    y *= 2.0
    y[0] = 3.0 * y[1]
    return np.sum(y * x)


@call_alone
def several_results(x):
    a, b = two(x, k=2.0)
    return np.sum(a ** 2) * b


@call_alone
def dict_of_results(x):
    d = named(x)
    return d["a"] * np.sum(d["b"])


@call_alone
def no_result(x):
    nothing(x)
    return np.sum(x ** 3)


@call_alone
def fills_a_buffer(x):
    buf = np.zeros(3)
    fills(buf, x)
    buf *= 2.0
    return np.sum(buf * x)


@call_alone
def fills_and_returns(x):
    buf = x.copy()
    r = adds(buf, x)
    fills(buf, x)
    return r + np.sum(buf ** 2)


@call_alone
def fills_in_a_loop(x):
    u = x.copy()
    for _ in range(2):
        fills(u, u.copy())
    return np.sum(u * x)


@call_alone
def scales_in_a_loop(x):
    buf = np.ones(3)
    for _ in range(3):
        scales(buf, x)
        buf = buf * 1.5
        scales(buf[:2], buf[1:] * x[0])
    return np.sum(buf)


@call_alone
def buffer_that_comes_to_depend(x):
    buf = np.zeros(3)
    total = 0.0
    for i in range(3):
        total += adds(buf, x) * x[i]
    return total


@call_alone
def fills_a_view(x):
    u = np.zeros(3)
    v = u[1:]
    adds(v, x[1:])
    return np.sum(u * x)


@call_alone
def generator_that_is_sent_to(x):
    return sends(x[0]) * x[1]


@call_alone
def coroutine(x):
    return awaits(x[0]) * x[1]


@call_alone
def exception_caught(x):
    total = 0.0
    for i in range(3):
        try:
            total += raises(x[i])
        except ValueError:
            total += x[i] ** 3
    return total


@call_alone
def zero_at_times(x):
    total = 0.0
    for i in range(3):
        total += sometimes(x[i]) * x[0]
    return total


@call_alone
def refused_recursion(x):
    return recursive(x[0], 3) * x[1]


@call_alone
def by_keyword(x):
    return keywords(x[0], scale=x[1], shift=2.0) + keywords(x[2], scale=2.0)


@call_alone
def displays(x):
    return pair((x[0], x[1])) * pair([x[1], x[2]]) + parameters({"w": x, "b": np.array([1.0, 2.0, 3.0])})


@call_alone
def functions_as_arguments(x):
    return applies(math.exp, x[0]) + applies(scalar, x[1])


@call_alone
def constant_matrix(x):
    a = np.arange(9.0).reshape(3, 3)
    for _ in range(3):
        x = np.tanh(product(a, x) * 0.1)
    return np.sum(x)


@call_alone
def integer_beside(x):
    k, v = whole_part(x[0])
    return v * k * x[1]


@call_alone
def appended(x):
    out = []
    for i in range(3):
        out.append(scalar(x[i]))
    return out[0] * out[1] + out[2]


@call_alone
def type_asked_for(x):
    y = scalar(x[0])
    if isinstance(y, float):
        return y * x[1]
    return 100.0 * y


@call_alone
def branch_on_the_result(x):
    y = array(x)
    if y[0] > 0.2:
        return y[0] * y.sum()
    return y[1]


@call_alone
def call_of_a_call(x):
    y = array(array(x))
    return float(y[0]) * y.max()


@call_alone
def nested_function(x):
    def inner(t):
        return scalar(t) * x[0]
    return inner(x[1]) + inner(x[2])


@call_alone
def while_loop(x):
    i = 0
    s = x[0]
    while s < 2.0 and i < 20:
        s = s + scalar(s) * 0.1
        i += 1
    return s


@call_alone
def comprehension(x):
    ys = [scalar(t) for t in x if t > 0.25]
    return ys[0] * len(ys) + sum(scalar(t) for t in x) + sum(map(scalar, x))


@call_alone
def reduced(x):
    return functools.reduce(lambda a, b: a * scalar(b), x, 1.0)


@call_alone
def number_renamed(x):
    y = scalar(x[0])
    z = y
    z += 1.0
    return y * z


@call_alone
def array_renamed(x):
    y = array(x)
    z = y
    z += x
    return np.sum(y * z)


@call_alone
def broadcast(x):
    return np.sum(array(x.reshape(1, 3)) * x.reshape(3, 1)) + np.sum(array(x[:1]) * x) + np.sum(array(x[0] * np.ones((1, 3))))


@call_alone
def other_types_at_other_places(x):
    return two(x)[1] * two(x[:2])[0][0]


def through(x):
    return scalar(x) * x


@call_alone
def inside_a_helper(x):
    total = 1.0
    for i in range(2):
        total = total * through(x[i]) + through(total)
    return total


def _powers(v, n):
    return v if n == 0 else _powers(array(v) * v, n - 1)


@call_alone
def inside_a_recursion(x):
    return np.sum(_powers(x, 3))


def _even(x, n):
    return x if n == 0 else _odd(scalar(x), n - 1)


def _odd(x, n):
    return x * x if n == 0 else _even(x + 1.0, n - 1)


@call_alone
def mutual_recursion(x):
    return _even(x[0], 5) * x[1]


@call_alone
def in_a_condition(x):
    if scalar(x[0]) > 0.1:
        return scalar(x[1])
    return 0.0


@call_alone
def with_continue(x):
    r = np.zeros(3)
    for i in range(3):
        if i == 1:
            continue
        r[i] = scalar(x[i])
        r[i] *= x[0]
    return r @ x


@call_alone
def unpacked(x):
    a, b, c = each(x)
    total = a * b + c
    for t in each(x):
        total += t * t
    return total


@call_alone
def truth_values(x):
    m = mask(x)
    return np.sum(x[m] ** 2) + np.sum(np.where(m, x, 0.0))


@call_alone
def indices(x):
    return np.sum(x[order(x)] * np.arange(3))


@call_alone
def of_a_closure(x):
    return tripled(x[0]) * x[1]


@call_alone
def with_statement(x):
    with np.errstate(all="ignore"):
        y = scalar(x[0])
    return y * x[1]


@call_alone
def in_a_dict(x):
    d = {"a": x[0]}
    d["b"] = scalar(d["a"])
    d["b"] += x[1]
    return d["b"] * d["a"]


# programs that have to run on the tape with the call

@as_a_whole
def view_of_an_argument(x):
    w = view(x)
    return np.sum(w ** 2)


@as_a_whole
def view_written_to(x):
    y = x.copy()
    w = view(y)
    w[0] = 7.0 * x[0]
    return np.sum(y * x)


@as_a_whole
def argument_returned_and_written_to(x):
    y = x * 1.0
    z = same(y)
    z[0] = 5.0
    return np.sum(y * x)


@as_a_whole
def value_kept_by_the_function(x):
    return logs(x[0]) * x[1] + LOG[-1]


@as_a_whole
def global_assigned(x):
    return assigns(x[0]) * ASSIGNED


@as_a_whole
def method_of_an_object_made_here(x):
    m = Model(x[0])
    return m.step(x[1]) + m.n


@as_a_whole
def never_returns(x):
    try:
        return raises(x[1])
    except Exception:
        return x[1] ** 2


@as_a_whole
def derivative_of_it(x):
    return tg.grad(scalar)(x[0]) * x[1]
