"""How a function is found: in files, as methods, lambdas on one line, made by exec, decorated, in notebooks and doctests."""
from __future__ import annotations

import functools
import linecache
import textwrap

import numpy as np

from .registry import case

X = np.array([0.6, -0.8, 1.1])

first, second, third = lambda x: x ** 2, lambda x: x ** 3, lambda x: np.sin(x) * x  # noqa: E731
case(args=(1.3,), name="first_lambda_on_line")(first)
case(args=(1.3,), name="second_lambda_on_line")(second)
case(args=(1.3,), name="third_lambda_on_line")(third)
case(args=(X,), name="lambda_in_call")(lambda x: np.sum(x * x))
case(args=(0.4, 2.0), wrt=(0, 1), name="lambda_in_dict")({"a": lambda x, y: x * y, "b": lambda x, y: x - y * x}["b"])
case(args=(0.9,), name="lambda_over_lines")(
    lambda x: (x ** 2
               + np.cos(x)
               ) * 2.0)


def _lambdas():
    return [lambda x: x * 2.0 + x ** 2, lambda x: x * 3.0 + x ** 2]


case(args=(0.9,), name="lambda_that_differs_by_a_constant")(_lambdas()[1])


def from_source(source: str, filename: str, **names):
    """Runs source text that linecache knows, as notebooks and the interactive prompt do."""
    source = textwrap.dedent(source)
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space = {"np": np, "__name__": "__main__", **names}
    exec(compile(source, filename, "exec"), space)
    return space


case(args=(X,), name="exec_with_registered_source")(from_source("""
    def f(x):
        total = 0.0
        for v in x:
            total += v * np.exp(v)
        return total
    """, "<generated 1>")["f"])

case(args=(X,), name="notebook_cell")(from_source("""
    w = np.array([1.0, 2.0, 3.0])

    def helper(x):
        return x * w

    def loss(x):
        return np.sum(helper(x) ** 2)
    """, "<ipython-input-3-0123456789ab>")["loss"])

case(args=(0.7,), name="repl_line")(from_source("def g(x): y = x * x; return y * np.log(x)\n", "<python-input-4>")["g"])
case(args=(0.7,), name="repl_lambda")(from_source("h = lambda x: x * np.log(x)\n", "<python-input-5>")["h"])
case(args=(0.7,), name="doctest_example")(from_source("""
    def cube(x):
        return x ** 3
    """, "<doctest tests.example[0]>")["cube"])


class Holder:
    """Functions that live in a class."""

    weight = 1.5

    def method(self, x):
        return self.weight * np.sum(x ** 2)

    @staticmethod
    def static(x):
        return np.sum(np.sin(x))

    @classmethod
    def of_class(cls, x):
        return cls.weight * np.sum(x ** 3)

    square = lambda self, x: x ** 2 * self.weight  # noqa: E731

    class Inner:
        """One level deeper."""

        def deep(self, x):
            return np.sum(x) ** 2


case(args=(X,), name="bound_method_found")(Holder().method)
case(args=(X,), name="static_method_found")(Holder.static)
case(args=(X,), name="class_method_found")(Holder.of_class)
case(args=(0.4,), name="lambda_method_found")(Holder().square)
case(args=(X,), name="method_of_inner_class")(Holder.Inner().deep)


def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        result = f(*args, **kwargs)
        return result
    return wrapper


def scaled(factor):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(x):
            return factor * f(x)
        return wrapper
    return decorate


@case(args=(0.8,))
@logged
@scaled(
    3.0,
)
def twice_decorated(x):
    return x ** 2 + np.sin(x)


def outer(scale):
    def inner(x):
        return np.sum(np.tanh(scale * x))
    return inner


case(args=(X,), name="function_in_function")(outer(0.7))
case(args=(X, 0.4), wrt=(1,), name="partial_found")(functools.partial(lambda a, x, c: a * np.sum(x * c ** 2), 2.0))


if True:
    @case(args=(1.1,))
    def in_an_if_block(x):
        if x > 0:
            y = x ** 2
        else: y = -x  # noqa: E701
        return (y +
                x)


@case(args=(0.9,))
def oddly_formatted(x, *,
                    k=2):
    text = """
def decoy(x):
    return 0.0
"""
    y = x \
        ** k
    z = (y,
         x)[0]
    return z * len(text.splitlines())


@case(args=(0.9,))
def    spaced   (  x  )  :   return   x*x   ;   # noqa


@case(args=(1.7,))
def naïve_größe(x):
    β = x ** 2
    eta = 3.0 * β
    b = β * eta
    b_bar = b * x
    x_bar = b_bar + eta
    np_ = x_bar
    return np_ * b
