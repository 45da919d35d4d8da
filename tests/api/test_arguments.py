"""argnums and argnames against signatures, and the checks of what is passed for them."""
from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest

from transgrad.transforms.arguments import Slot, bind, check_leaves, pick, resolve, signature_of


def plain(a, b, c=1.0, *, d=2.0):
    return a


def variadic(a, *rest, scale=1.0, **more):
    return a


def slots(f, argnums=0, argnames=None, skip=0):
    return resolve(f, signature_of(f), argnums, argnames, skip)


@pytest.mark.parametrize("argnums, expected", [
    (0, (("a",), True)), (2, (("c",), True)), (-1, (("c",), True)), (-3, (("a",), True)), ((0, 1), (("a", "b"), False)),
    ((1,), (("b",), False)), ([2, 0], (("c", "a"), False)), (range(2), (("a", "b"), False)), (np.int64(1), (("b",), True)),
])
def test_argnums(argnums, expected):
    found, single = slots(plain, argnums)
    assert (tuple(s.name for s in found), single) == expected


def test_argnums_of_star_arguments():
    assert slots(variadic, (0, 1, 3))[0] == (Slot("a"), Slot("rest", 0), Slot("rest", 2))


@pytest.mark.parametrize("argnames, expected", [("d", ((Slot("d"),), True)), (("a", "d"), ((Slot("a"), Slot("d")), False))])
def test_argnames(argnames, expected):
    assert slots(plain, argnames=argnames) == expected


def test_argnames_in_keyword_catch_all():
    assert slots(variadic, argnames="w")[0] == (Slot("more", "w"),)


@pytest.mark.parametrize("argnums, argnames, error, message", [
    (3, None, TypeError, r"plain\(a, b, c=1.0, \*, d=2.0\) has no positional argument number 3"),
    (-4, None, TypeError, "has no positional argument number -4"),
    ("a", None, TypeError, "argnames"),
    (True, None, TypeError, "int"),
    (1.0, None, TypeError, "int"),
    ((0, 0), None, ValueError, "twice"),
    ((0, -3), None, ValueError, "twice"),
    (0, "z", TypeError, r"plain\(a, b, c=1.0, \*, d=2.0\) has no argument 'z'"),
    (1, "a", TypeError, "not both"),
])
def test_refused(argnums, argnames, error, message):
    with pytest.raises(error, match=message):
        slots(plain, argnums, argnames)


def test_negative_argnums_of_star_arguments():
    with pytest.raises(TypeError, match="counts from the end"):
        slots(variadic, -1)


def test_no_positional_argument():
    def only_keywords(*, a):
        return a
    with pytest.raises(TypeError, match="argnames"):
        slots(only_keywords)


def test_skip_does_not_count():
    assert slots(plain, 0, skip=1)[0] == (Slot("b"),)


def test_bind_fills_defaults_and_names_the_function():
    assert bind(plain, signature_of(plain), (1.0, 2.0), {}) == {"a": 1.0, "b": 2.0, "c": 1.0, "d": 2.0}
    with pytest.raises(TypeError, match=r"plain\(.*missing a required argument: 'b'"):
        bind(plain, signature_of(plain), (1.0,), {})


def test_pick_what_was_not_passed():
    values = bind(variadic, signature_of(variadic), (1.0, 2.0), {"w": 3.0})
    assert pick(values, Slot("rest", 0)) == 2.0 and pick(values, Slot("more", "w")) == 3.0
    with pytest.raises(TypeError, match=r"rest\[1\], was not passed"):
        pick(values, Slot("rest", 1))


@dataclasses.dataclass
class Pair:
    left: float
    right: object


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize("value", [
    1.0, 1j, np.float32(1), np.ones(3), np.ones((2, 2), np.complex64), [1.0, np.ones(2)], (1.0, {"w": [2.0]}), Pair(1.0, np.ones(2)),
    Point(1.0, 2.0), [], np.ones(0), Pair(1.0, 2),
])
def test_differentiable(value):
    check_leaves(plain, [Slot("a")], {"a": value})


@pytest.mark.parametrize("value, message", [
    (3, "argument a of plain is to be differentiated, but is int"),
    (True, "argument a of plain is to be differentiated, but is bool"),
    (np.arange(3), "but is an array of int64"),
    (np.array([True]), "but is an array of bool"),
    (np.int32(3), "but is int"),
    ([1.0, 2], r"argument a\[1\] of plain"),
    ({"w": 1.0, "n": 3}, r"argument a\['n'\] of plain"),
    (Point(1, 2.0), r"argument a.x of plain"),
    ("text", "but is str"),
    (None, "but is None"),
    (np.array(["x"]), "but is <U1 array"),
])
def test_not_differentiable(value, message):
    with pytest.raises(TypeError, match=message):
        check_leaves(plain, [Slot("a")], {"a": value})


def test_callable_without_signature():
    assert str(signature_of(min)) == "(*args, **kwargs)"
