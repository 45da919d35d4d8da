"""Functions that are refused, each with the key of the limitation and the text it is at."""
import ctypes

import numpy as np

STORES = np.zeros(3), np.ones(2)


async def coroutine(x):
    return x


def generator(x):
    yield x


def closing(x):
    try:
        yield x
    finally:
        print("closed")


def resumed_inside_of_a_try(x):
    g = closing(x)
    return next(g)


def delegating(x):
    yield from [x, 2.0 * x]


def sent_through(x):
    g = delegating(x)
    next(g)
    return g.send(x)


def sentinel(x):
    return sum(iter(lambda: x, 1.0))


def evaluates(x):
    return eval("x * 2")


def asks_for_its_variables(x):
    return locals()["x"] * 2


def exception_group(x):
    try:
        y = x
    except* ValueError:
        y = 0.0
    return y


def opaque(x):
    return ctypes.c_double(x).value


def writes_array_in_a_global_tuple(x):
    STORES[0][1] = x
    return STORES[0][1]


def conflicting(x):
    if x > 0:
        f = "text"
    else:
        f = np.sin
    return f(x)


def return_in_finally(x):
    try:
        x = x * 2
    finally:
        return x


def missing_argument(x):
    def f(a, b):
        return a + b
    return f(x)


def endless_inlining(x):
    def f(v, g):
        return g(v, g)
    return f(x, lambda v, g: f(v, g))


def read_from_text(x):
    return float(f"{x:.3f}")


def read_from_text_of_a_helper(x):
    def text(v):
        return "{:.2f}".format(v)
    parts = [text(x), "1.0"]
    return float(parts[0])


class Native:
    fixed = vars(type(lambda: 0))["__defaults__"]       # a descriptor in C


def native_descriptor(x):
    o = Native()
    o.fixed = x
    return o.fixed


CASES = [
    (coroutine, "async", "async def coroutine"), (generator, "generator_send", "def generator"),
    (resumed_inside_of_a_try, "generator_send", "try:"), (sent_through, "generator_send", "g.send(x)"),
    (sentinel, "generator_send", "iter(lambda: x, 1.0)"),
    (evaluates, "eval", 'eval("x * 2")'), (exception_group, "except_star", "try:"),
    (opaque, "opaque", "ctypes.c_double(x)"), (writes_array_in_a_global_tuple, "global_write", "STORES[0][1] = x"),
    (return_in_finally, "finally", "return x"),
    (missing_argument, "arguments", "f(x)"), (endless_inlining, "recursion", "f("), (native_descriptor, "metaclass", "o.fixed = x"),
    (read_from_text, "untracked", 'float(f"{x:.3f}")'), (read_from_text_of_a_helper, "untracked", '"{:.2f}".format(v)'),
    (asks_for_its_variables, "namespace", "locals()"),
]
