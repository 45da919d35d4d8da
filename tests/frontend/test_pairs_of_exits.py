"""Two ways out of a statement in a loop, each with each: what follows runs for those that left by neither, and for a finally clause for all."""
from __future__ import annotations

import itertools
import linecache
import random
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import transgrad as tg

EXITS = ("break", "continue", "return x * 2.0", "return", "raise KeyError('k')", "x = x * 1.5", "pass")
LOOPS = ("for k in range(3):", "for k in (1.0, 2.0, 3.0):", "for k, n in ((1.0, 'a'), (2.0, 'b')):", "for k in [x, y]:",
         "while z < 3.0:\n    z += 1.0\n    k = z")
STATEMENTS = (
    "if x * k > 1.0:\n    {a}\nelse:\n    {b}",
    "if x * k > 1.0:\n    {a}\nelif y > 1.0:\n    {b}",
    "try:\n    w = [1.0, 2.0][int(x * k)] * x\n    {a}\nexcept IndexError:\n    {b}",
    "try:\n    z = z + x * k\n    if x > k:\n        {a}\n    else:\n        {b}\nfinally:\n    y = y + z",
    "if x > 1.0:\n    if y > k:\n        {a}\n    {b}\ny = y * 0.9",
    "for j in ('p', 'q'):\n    if x > k:\n        {a}\n    elif j == 'q':\n        {b}\ny *= 0.8",
    "for j in ('p', 'q'):\n    if x > k:\n        {a}\n    else:\n        {b}\ny *= 0.8",
    "for j in range(2):\n    if x * j > k:\n        {a}\n    else:\n        {b}\ny *= 0.8",
    "def g(x):\n    for j in ('p', 'q'):\n        if x > k:\n            return x\n        elif y > k:\n            break\n        else:\n"
    "            return 2.0 * x\n    return 3.0 * x\nz += g(x)\nif z > 5.0:\n    {a}\nelse:\n    {b}",
)
ENDS = ("return x * y * z", "", "else:\n    y = y * 3.0\nreturn x * y * z")
POINTS = ((0.31, 0.4), (0.7, 1.4), (1.3, 0.2), (1.2, 2.55), (2.4, 1.1), (3.3, 3.2))


def written(loop: str, statement: str, a: str, b: str, end: str) -> Callable[[float, float], Any]:
    body = textwrap.indent(statement.format(a=a, b=b) + "\nx = x * 1.1", "    ")
    text = "def f(x, y):\n    z = 0.5\n" + textwrap.indent(f"{loop}\n{body}\n{end}", "    ") + "\n"
    name = f"<exits {hash(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


def outcome(f: Callable[..., Any], *args: Any) -> Any:
    try:
        return f(*args)
    except (KeyError, IndexError, UnboundLocalError) as error:
        return type(error).__name__


def check(f: Callable[[float, float], Any]) -> None:
    for optimize in (True, False):
        compiled = tg.compile(f, fallback="error", optimize=optimize)
        for point in POINTS:
            want, got = outcome(f, *point), outcome(compiled, *point)
            assert want == got or np.isclose(want, got, rtol=1e-12), (point, want, got)
    numbers = [point for point in POINTS if isinstance(outcome(f, *point), float)]
    if not numbers:
        return
    derivative = tg.value_and_grad(f, (0, 1), fallback="error")
    for point in numbers:
        value, gradient = derivative(*point)
        assert np.isclose(value, f(*point), rtol=1e-12)
        for k in range(2):
            step = np.eye(2)[k] * 1e-6
            above, below = outcome(f, *np.add(point, step)), outcome(f, *np.subtract(point, step))
            assert np.isclose(gradient[k], (above - below) / 2e-6, rtol=1e-4, atol=1e-5), (point, k)


#: those that once lost what follows, and as many more as take a few seconds
FOUND = [("while z < 3.0:\n    z += 1.0\n    k = z", STATEMENTS[6], "return", "break", ENDS[0]),
         ("for k in range(3):", STATEMENTS[2], "return x * 2.0", "continue", ENDS[2]),
         ("for k in range(3):", STATEMENTS[2], "return x * 2.0", "break", ENDS[2]),
         ("for k in (1.0, 2.0, 3.0):", STATEMENTS[0], "break", "return x * 2.0", ENDS[0])]
ALL = [(loop, s, a, b, e) for loop, s, (a, b), e in itertools.product(LOOPS, STATEMENTS, itertools.product(EXITS, EXITS), ENDS)]


@pytest.mark.parametrize("case", [*FOUND, *random.Random(0).sample(ALL, 150)], ids=range(154))
def test_pairs_of_exits(case: tuple[str, str, str, str, str]) -> None:
    check(written(*case))


def returned_through_finally(x, y):
    z = 0.5 * x
    try:
        x += x + 0.3
        return z * x
    finally:
        x *= 0.9


def left_in_different_ways(x, y):
    t, z = 0.0, x
    for k in ("a", "b"):
        try:
            if x > 1 and k == "b":
                z = z * 2
                return z * t
            else:
                z = z * 3
                break
        finally:
            t += z
    return z * t


def helper_with_finally(x, y):
    def g(x):
        try:
            x = x * 2
            return x
        finally:
            x = x * 3
    try:
        return g(x) * y
    finally:
        x = x * 2


def nothing_left_in_a_context(x, y):
    with np.errstate(all="ignore"):
        for _ in range(3):
            with np.errstate(all="ignore"):
                break
            x *= 2
    return x * y


@pytest.mark.parametrize("f", [returned_through_finally, left_in_different_ways, helper_with_finally, nothing_left_in_a_context])
def test_after_a_return(f: Callable[[float, float], float]) -> None:
    check(f)


def test_a_finally_clause_sees_the_path_that_returned() -> None:
    def f(x, y):
        a = [0.0]

        def g():
            t = x
            try:
                if y > 0:
                    t = x * 3
                    return t
                t = x * 2
            finally:
                a[0] = t
            return t
        return g() + a[0]
    for point in POINTS:
        assert tg.compile(f, fallback="error")(*point) == f(*point)
        assert tg.compile(f, fallback="error")(point[0], -point[1]) == f(point[0], -point[1])


def through_a_callback(x, y):
    def tell(f, v):
        if v > 0.5:
            f(v)
            return 1.0
        return 2.0
    z = 0.0

    def hear(v):
        nonlocal z
        z = v * 3
    r = tell(hear, x)
    return z * r + y * x


def told(f, x):
    if x > 0.5:
        f(x)
        return 1.0
    return 2.0


def through_a_callback_of_a_function_elsewhere(x, y):
    z = 0.0

    def hear(v):
        nonlocal z
        z = v * 3
    r = told(hear, x)
    return z * r + y * x


def given(f, x):
    f(x)
    yield x
    if x > 1:
        f(x * 2)
        return
    yield 2 * x
    f(x * 4)


def through_a_generator(x, y):
    z = 0.0

    def hear(v):
        nonlocal z
        z += v * 3
    for k in given(hear, x):
        y += k * z
        if y > 20:
            return y
    return z * y


def items(x):
    if x < 0.5:
        return
    yield x
    yield 2 * x


def continues_over_a_generator(x, y):
    for k in items(x):
        if x > 2.0:
            return y * 0.3
        y += k * 0.3
        continue
    return x * y


def continues_through_finally(x, y):
    for k in items(x):
        if x > 2.0:
            return y * 0.3
        try:
            continue
        finally:
            y += k * 0.3
    return x * y


@pytest.mark.parametrize("f", [through_a_callback, through_a_callback_of_a_function_elsewhere, through_a_generator, continues_over_a_generator,
                               continues_through_finally])
def test_what_a_path_that_returns_has_changed_elsewhere(f: Callable[[float, float], float]) -> None:
    check(f)


def left_by_raising_in_a_context(x, y):
    if y < 1.0:
        return x + 0.3
    with np.errstate(all="ignore"):
        raise KeyError("stop")


def test_what_stands_behind_a_context_that_is_left_by_raising() -> None:
    check(left_by_raising_in_a_context)
