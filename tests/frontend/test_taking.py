"""iter() and next(), and iterators that something has run through: nothing hands out the same items twice."""
import collections
import functools
import itertools
import math
import operator

import numpy as np
import pytest

import transgrad as tg
from tests.passes.by_differences import Programs, check
from tests.random_programs.oracle import compile_text

X = np.array([0.9, 2.1, 3.2])
tried = Programs()


@tried
def two_items(x):
    it = iter(x)
    a = next(it)
    return a * next(it)


@tried
def the_rest_of_a_display(x):
    it = iter([x[0], x[1] * 2.0, x[2]])
    s = next(it)
    for q in it:
        s = s * 2.0 + q * s
    return s


@tried
def the_best_of_an_array(x):
    it = iter(x)
    best = next(it)
    for q in it:
        if q * q > best:
            best = q * best
    return best


@tried
def with_a_default(x):
    it = iter(x)
    s = 0.0
    while (v := next(it, None)) is not None:
        s = s * 2.0 + v
    return s


@tried
def until_it_stops(x):
    it = iter(x)
    s = 0.0
    while True:
        try:
            v = next(it)
        except StopIteration:
            break
        s = s * 2.0 + v
    return s


@tried
def on_one_path(x):
    it = iter(x)
    s = 1.0
    for v in x:
        if v > 1.5:
            s = s * 2.0 + next(it)
        else:
            s = s * v
    return s * next(it)


def first(it):
    return next(it)


@tried
def by_a_helper(x):
    it = iter(x)
    return first(it) * 2.0 * first(it) + sum(it)


@tried
def of_several(x):
    its = [iter(x), iter(x * x)]
    s = 0.0
    for _ in range(2):
        for it in its:
            s = s * 2.0 + next(it)
    return s


@tried
def written_meanwhile(x):
    items = [x[0], x[1]]
    it = iter(items)
    a = next(it)
    items[1] = a * a * x[2]
    items.append(x[2])
    y = x.copy()
    of_array = iter(y)
    b = next(of_array)
    y[1] = b * x[2]
    return next(it) * a * next(it) * next(of_array)


@tried
def of_a_growing_list(x):
    squares = []
    for v in x:
        squares.append(v * v)
    it = iter(squares)
    a = next(it)
    return a * next(it) * next(it) * next(it, 3.0)


@tried
def the_first_of_a_dict(x):
    d = {"a": x[0], "b": x[1]}
    e = {i: x[i] * x[2] for i in range(len(x))}
    return next(iter(d.values())) * next(iter(d.items()))[1] * next(iter(e.values())) * (2.0 if next(iter(d)) == "a" else 1.0)


@tried
def by_default_arguments(x):
    take = lambda it=iter(x): next(it)
    return take() * take() * x[2]


class Counted:
    def __init__(self, items):
        self.items = items
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= len(self.items):
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]


@tried
def of_an_instance(x):
    it = Counted(x)
    a = next(it)
    return a * next(it) + next(it)


@pytest.mark.parametrize("f", tried)
def test_taking(f):
    check(f, X)


def test_nothing_left():
    def f(x):
        it = iter([x[0]])
        return next(it) * next(it)
    with pytest.raises(StopIteration):
        tg.grad(f, fallback="error")(X)


MAKERS = ("iter(x)", "reversed([x[0], x[1]])", "itertools.chain([x[0]], [x[1]])", "iter({'a': x[0], 'b': x[1]}.values())",
          "map(np.sin, x)", "itertools.islice([x[0], x[1]], 2)")
USES = ("sum(it)", "max(it)", "list(it)", "sorted(it)", "any(it)", "math.prod(it)", "[*it]", "(lambda *a: a)(*it)", "x[0] in it",
        "np.fromiter(it, float)", "list(itertools.chain(it))", "list(itertools.chain.from_iterable([it]))",
        "functools.reduce(operator.mul, it)", "[].extend(it)", "list(zip(it, x))", "list(enumerate(it))", "list(map(np.sin, it))",
        "list(itertools.islice(it, 1))", "list(itertools.accumulate(it))", "list(itertools.product(it))",
        "list(itertools.combinations(it, 1))", "collections.deque(it)", "[v for v in it]", "next(it, 0)", "list(itertools.pairwise(it))",
        "list(itertools.zip_longest(it, x))", "list(filter(None, it))", "functools.partial(sum, it)()", "math.hypot(*it)",
        "[p * q for p, q in zip(*[it] * 2)]", "[box['it'] for box in [{'it': it}] for _ in box['it']]", "holder(it).first()")
TEXT = """
class holder:
    def __init__(self, it):
        self.it = it

    def first(self):
        for v in self.it:
            return v


def program(x):
    it = {made}
    used = {use}
    return x[2] * (1.0 + sum(it)) * (2.0 if used is None else 1.0)
"""
SPACE = {"np": np, "math": math, "itertools": itertools, "functools": functools, "operator": operator, "collections": collections,
         "__name__": "written"}


@pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
@pytest.mark.parametrize("made", MAKERS)
def test_run_through_before(made):
    for use in USES:
        f = compile_text(TEXT.format(made=made, use=use), f"{made}, {use}", dict(SPACE))
        want = [(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(tg.grad(f)(X), want, rtol=1e-7, atol=1e-8, err_msg=use)


def test_run_through_in_a_loop():
    def f(x):
        def leading(it):
            for v in it:
                return v
        of = functools.partial(leading, iter(x))
        s = 0.0
        for _ in range(2):
            s = s * 2.0 + of()
        return s
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X), [2.0, 1.0, 0.0])
