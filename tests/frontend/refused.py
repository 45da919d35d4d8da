"""Functions that are refused, each with the key of the limitation and the text it is at."""
import ctypes

import numpy as np

STORE = np.zeros(3)
HISTORY = []


async def coroutine(x):
    return x


def generator(x):
    yield x


def sent_to(x):
    g = generator(x)
    g.send(None)
    return x


def run_through_twice(x):
    g = (v * x for v in [1.0, x])
    return sum(g) + sum(g)


def run_through_in_a_loop(x):
    g = map(lambda v: v * x, [1.0, x])
    total = 0.0
    for _ in range(2):
        total += sum(g)
    return total


def next_of_a_name(x):
    g = (v for v in [x, 1.0])
    return next(g) + next(g)


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


def writes_global_array(x):
    STORE[0] = x
    return STORE[0]


def writes_view_of_global(x):
    v = STORE[1:]
    v[0] = x
    return STORE[1]


def appends_to_global(x):
    HISTORY.append(x)
    return HISTORY[0]


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
    (coroutine, "async", "async def coroutine"), (generator, "generator_send", "def generator"), (sent_to, "generator_send", "g.send"),
    (run_through_twice, "generator_send", "sum(g)"), (run_through_in_a_loop, "generator_send", "sum(g)"), (next_of_a_name, "generator_send", "next(g)"),
    (evaluates, "eval", 'eval("x * 2")'), (exception_group, "except_star", "try:"),
    (opaque, "opaque", "ctypes.c_double(x)"), (writes_global_array, "global_write", "STORE[0] = x"),
    (writes_view_of_global, "global_write", "v[0] = x"), (appends_to_global, "global_write", "HISTORY.append(x)"),
    (return_in_finally, "finally", "return x"),
    (missing_argument, "arguments", "f(x)"), (endless_inlining, "recursion", "f("), (native_descriptor, "metaclass", "o.fixed = x"),
    (read_from_text, "untracked", 'float(f"{x:.3f}")'), (read_from_text_of_a_helper, "untracked", '"{:.2f}".format(v)'),
    (asks_for_its_variables, "namespace", "locals()"),
]
