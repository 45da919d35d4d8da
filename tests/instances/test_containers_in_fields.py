"""Lists and dicts in attributes of an instance that is an argument: what is stored in them is differentiated, and the instance changes."""
from __future__ import annotations

import collections
import copy
from typing import Any

import numpy as np
import pytest

import transgrad as tg

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.TapeFallbackWarning")
X = np.array([0.3, 0.7, -0.2])


class State:
    """Containers of numbers and arrays."""

    def __init__(self) -> None:
        self.numbers = [1.0, 2.0, 3.0]
        self.by_name = {"a": 1.0}
        self.rows = [[1.0, 2.0], [3.0]]
        self.pair = ([1.0], 2.0)
        self.none: list[float] = []
        self.arrays = {"a": np.ones(2)}
        self.vectors = [np.ones(2)]

    def change(self, x: Any) -> Any:
        self.numbers[0] += x[0]
        self.numbers[1] = x[1] * self.numbers[0]
        return self.numbers[0] * self.numbers[1]


class Queued(State):
    """Holds a container that cannot be split into its items as well."""

    def __init__(self) -> None:
        super().__init__()
        self.queue = collections.deque([1.0])
        self.name = "queued"


def stored(x, s):
    s.numbers[0] = x[0] ** 2
    return s.numbers[0] * x[1]


def added(x, s):
    s.numbers[0] += x[0]
    s.numbers[1] = x[1] * s.numbers[0]
    return s.numbers[0] * s.numbers[1]


def appended(x, s):
    s.numbers.append(x[0])
    return s.numbers[-1] ** 2 + s.numbers[0]


def under_another_name(x, s):
    numbers = s.numbers
    numbers[0] = x[0]
    return s.numbers[0] ** 2 * numbers[0]


def by_a_method(x, s):
    return s.change(x)


def of_a_dict(x, s):
    s.by_name["a"] = x[0]
    s.by_name["b"] = x[1] * s.by_name["a"]
    return s.by_name["a"] * s.by_name["b"]


def updated(x, s):
    s.by_name.update(a=x[0])
    s.by_name.setdefault("q", x[1])
    return s.by_name["a"] * s.by_name["q"]


def of_rows(x, s):
    s.rows[0][0] = x[0]
    s.rows[1].append(x[1])
    return s.rows[0][0] * s.rows[1][-1]


def of_a_tuple(x, s):
    s.pair[0][0] = x[0]
    return s.pair[0][0] ** 2


def into_an_empty_list(x, s):
    s.none.append(x[0])
    s.none += [x[1]]
    return s.none[0] * s.none[1]


def in_a_loop(x, s):
    for k in range(2):
        s.numbers[k] += x[k] * s.numbers[k + 1]
    return s.numbers[0] * s.numbers[1]


def moved(x, s):
    s.numbers.insert(0, x[0])
    s.numbers.reverse()
    return s.numbers[-1] ** 2


def array_in_a_dict(x, s):
    s.arrays["a"][0] = x[0]
    return s.arrays["a"][0] ** 2


def array_in_a_list(x, s):
    s.vectors[0][0] = x[0]
    return s.vectors[0][0] ** 2 * s.vectors[0][1]


def another_array(x, s):
    s.arrays["a"] = x
    return np.sum(s.arrays["a"] ** 2)


def slice_of_a_list(x, s):
    s.numbers[:2] = [x[0], x[1]]
    return s.numbers[0] * s.numbers[1]


def another_list(x, s):
    s.numbers = [x[0], x[1]]
    s.numbers[0] *= x[1]
    return s.numbers[0] * s.numbers[1]


def the_old_list(x, s):
    old = s.numbers
    s.numbers = [x[0]]
    old[0] = x[1]
    return old[0] * s.numbers[0]


def put(numbers, x):
    numbers[0] = x[0] * numbers[1]


def by_a_function(x, s):
    put(s.numbers, x)
    return s.numbers[0] ** 2


def on_one_path(x, s):
    if x[0] > 0:
        s.numbers[0] = x[1]
    return s.numbers[0] ** 2


PROGRAMS = [stored, added, appended, under_another_name, by_a_method, of_a_dict, updated, of_rows, of_a_tuple, into_an_empty_list,
            in_a_loop, moved, array_in_a_dict, array_in_a_list, another_array, slice_of_a_list, another_list, the_old_list, by_a_function,
            on_one_path]


def plain(x: Any) -> Any:
    """The contents of a state, as lists and numbers."""
    if isinstance(x, State):
        return plain(vars(x))
    if isinstance(x, dict):
        return {name: plain(v) for name, v in x.items()}
    if isinstance(x, (list, tuple, collections.deque)):
        return [plain(v) for v in x]
    return x if isinstance(x, str) else np.asarray(x).tolist()


@pytest.mark.parametrize("make", [State, Queued])
@pytest.mark.parametrize("f", PROGRAMS)
def test_derivative_and_state(f: Any, make: Any) -> None:
    step, after = 1e-6, make()
    want = np.array([(f(X + e, make()) - f(X - e, make())) / (2 * step) for e in np.eye(3) * step])
    f(X, after)
    state = make()
    np.testing.assert_allclose(tg.grad(f, fallback="error")(X, state), want, atol=1e-7)
    assert plain(state) == plain(after)


@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in (into_an_empty_list, the_old_list)])
def test_forward_through_a_closure(f: Any) -> None:
    step, after = 1e-6, State()
    want = np.array([(f(X + e, State()) - f(X - e, State())) / (2 * step) for e in np.eye(3) * step])
    f(X, after)
    state = State()
    np.testing.assert_allclose(tg.jvp(lambda x: f(x, state), (X,), (X,))[1], want @ X, atol=1e-7)
    assert plain(state) == plain(after)


def test_the_caller_keeps_its_list() -> None:
    state = State()
    numbers, before = state.numbers, copy.copy(state.numbers)
    tg.grad(added)(X, state)
    assert state.numbers is numbers and numbers != before
