"""Programs with statements that the compiler refuses, at all places where statements stand.

Each is a function of an array of three numbers that returns a number.  ``APART`` holds those of which only the statement has to run
on the tape, ``TOGETHER`` those where it cannot be told from what is around it, so that the function goes there as a whole.
"""
from __future__ import annotations

import contextlib

import numpy as np

from .refused import MODEL, ONE, Model, imaginary, table

APART = {}
TOGETHER = {}


def apart(fn):
    APART[fn.__name__] = fn
    return fn


def together(fn):
    TOGETHER[fn.__name__] = fn
    return fn


@apart
def assignment(x):
    y = x[0] * x[1]
    z = eval("y * x[2]")
    return z ** 2 + y


@apart
def added_in_a_loop(x):
    s = 0.0
    for i in range(3):
        k = i + 1
        s += eval("x[i] * k") * x[0]
    return s ** 2


@apart
def returned(x):
    y = np.sum(x ** 2)
    return y * eval(ONE)


@apart
def several_variables(x):
    a, (b, c) = eval("x[0] * 2.0"), (x[1], eval("x[2]"))
    return a * b * c


@apart
def written_in_place(x):
    out = np.zeros(3)
    for i in range(3):
        out[i] = eval("x[i]") * x[i - 1]
    out *= 2.0
    return np.sum(out * x)


@apart
def a_loop_of_its_own(x):
    s = x[0]
    for i in range(3):
        if i == 1:
            continue
        s = s * eval("x[i]")
        if s > 100.0:
            break
    return s + x[1]


@apart
def in_a_branch(x):
    if x[0] > 0.0:
        y = eval("x[0]") ** 2
    else:
        y = x[1]
    return y * x[2]


@apart
def assigned_at_times(x):
    y = x[1]
    if eval("x[0]") > 0.0:
        y = y * x[0]
    return y * x[2]


@apart
def twice(x):
    a = eval("x[0]") * x[1]
    b = np.sin(a)
    c = eval("b") * x[2]
    return c + a


@apart
def name_of_an_earlier_loop(x):
    s = 0.0
    for i in range(3):
        s = s + x[i]
    for i in range(2):
        s = s * eval("2.0") + x[i] ** 2
    return s * i


@apart
def with_inside(x):
    with np.errstate(all="ignore"):
        y = eval("x[0]") * x[1]
    return y


@together
def named_in_an_expression(x):
    if (y := eval("x[0]")) > 0.1:
        return y * x[1]
    return y


@apart
def comprehension_inside(x):
    s = sum([eval("2.0") * t for t in x if t > 0.25])
    return s * x[0]


@apart
def matched(x):
    kind = "b"
    match kind:
        case "a":
            y = x[0]
        case "b":
            y = eval("x[1]") * x[0]
    return y


@apart
def defaults_and_keywords(x, scale=2.0, *rest, power=2, **more):
    y = eval("x[0] * scale")
    return y ** power + len(rest) + len(more)


@apart
def complex_inside(x):
    y = np.sum(np.abs(imaginary(x)) ** 2)
    return y * x[0]


@apart
def object_inside(x):
    y = Model(x[0]).step(x[1])
    return y * x[2]


@apart
def method_of_an_object(x):
    return MODEL.step(x[0]) * x[1]


@apart
def table_inside(x):
    y = np.sum(table(x) * x)
    return y * y


def _closure(k):
    def of_a_closure(x):
        y = eval("x[0]") * k
        return y * x[1]
    return of_a_closure


of_a_closure = apart(_closure(1.7))


@apart
def function_defined_inside(x):
    y = eval("x[0]") * x[1]

    def inner(t):
        return t * y
    return inner(x[2]) + inner(y)


@apart
def of_several_lines(x):
    y = (x[0] *
         eval("x[1]")
         + x[2])
    return y ** 2


# what stays together

@together
def variable_that_may_be_missing(x):
    for i in range(3):
        if i > 0:
            s = s * eval("x[i]")
        else:
            s = x[0]
    return s


@together
def all_names_are_seen(x):
    y = x[0] * 2.0
    return eval("y") * len(locals())


@apart
def of_its_own_name(x):
    __y = x[0]
    z = eval("__y") * x[1]
    return z


@apart
def function_that_stays(x):
    k = eval("x[0]")
    f = eval("lambda t: t * 2.0")
    return f(x[1]) * k


@apart
def left_from_inside(x):
    s = x[0]
    while True:
        if eval("s") > 3.0:
            break
        s = s * 2.0 + x[1]
    return s


@together
def deleted(x):
    y = eval("x[0]")
    z = y * x[1]
    del y
    return z


@together
def statement_that_never_ends_well(x):
    try:
        y = eval("float(x[0])") / 0
    except ZeroDivisionError:
        y = x[0] ** 3
    return y * x[1]


@apart
def carried_by_the_text(x):
    t, k = 0.0, 1.0
    for i in range(3):
        t, k = eval("(t + k * x[i], k * 2.0)")
    return t


@apart
def half_done_in_a_loop(x):
    s = x[0]
    try:
        for i in range(4):
            if i == 5:
                continue
            s = s * eval("x[i]")
            if s > 100.0:
                break
    except IndexError:
        s = s * 2.0
    return s


@apart
def half_done_and_left(x):
    s = x[0]
    try:
        i = 0
        while True:
            if eval("i") > 7:
                break
            s = s * x[i]
            i += 1
    except IndexError:
        s = s * 2.0
    return s


@apart
def suppressed(x):
    s = x[0]
    with contextlib.suppress(IndexError):
        for i in range(4):
            if i == 9:
                break
            s = eval("s * x[i]")
    return s
