"""Programs in which a differentiated value travels through something that is no number and no array of numbers.

Each takes an array of two numbers and returns one number.  The name says how the value travels.
"""
from __future__ import annotations

import array
import copy
import decimal
import enum
import fractions
import heapq
import io
import json
import operator
import pickle
import re
import struct
import types
import weakref
from collections import Counter, OrderedDict, UserDict, deque, namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["PROGRAMS"]

PROGRAMS: dict[str, Any] = {}


def program(f: Any) -> Any:
    PROGRAMS[f.__name__] = f
    return f


# Sets and keys

@program
def set_sum(v: Any) -> Any:
    return sum({v[0], v[1] * 2.0})


@program
def set_comprehension_loop(v: Any) -> Any:
    total = 0.0
    for x in {abs(x) for x in v}:
        total = total + x * x
    return total


@program
def set_added(v: Any) -> Any:
    s = set()
    s.add(v[0])
    s.update([v[1] ** 2])
    return max(s) * min(s)


@program
def set_popped(v: Any) -> Any:
    s = {v[0] * v[1]}
    return s.pop() ** 2


@program
def set_union_sorted(v: Any) -> Any:
    s = sorted({v[0]} | {v[1]})
    return s[0] ** 2 * s[1]


@program
def frozen_set(v: Any) -> Any:
    return sum(x ** 3 for x in frozenset(v.tolist()))


@program
def set_difference(v: Any) -> Any:
    return sum({v[0], v[1]} - {v[1]}) * v[1]


@program
def key_of_dict(v: Any) -> Any:
    d = {v[0]: 1.0, v[1]: 2.0}
    total = 0.0
    for key, weight in d.items():
        total += key * weight
    return total


@program
def keys_summed(v: Any) -> Any:
    d = {}
    for x in v:
        d[x * x] = True
    return sum(d)


@program
def keys_listed(v: Any) -> Any:
    d = dict.fromkeys([v[0], v[1]])
    keys = list(d.keys())
    return keys[0] * keys[1]


@program
def tuple_as_key(v: Any) -> Any:
    d = {(v[0], 1): "a", (v[1], 2): "b"}
    return sum(k[0] * k[1] for k in d)


@program
def counter_keys(v: Any) -> Any:
    c = Counter([v[0], v[1], v[1]])
    return sum(k * n for k, n in c.items())


# Arrays of objects, structured arrays, buffers

@program
def object_array(v: Any) -> Any:
    a = np.array([v[0], v[1]], dtype=object)
    return (a * v).sum()


@program
def object_array_filled(v: Any) -> Any:
    a = np.empty(2, dtype=object)
    a[0] = v[0] * v[1]
    a[1] = v[1] ** 2
    return a[0] * a[1]


@program
def object_array_cast(v: Any) -> Any:
    return float(np.dot(v.astype(object), np.array([1.0, 2.0])))


@program
def object_array_of_arrays(v: Any) -> Any:
    a = np.empty(2, dtype=object)
    a[0] = v * 2.0
    a[1] = v[:1] ** 2
    return sum(np.sum(part) for part in a)


@program
def object_array_back(v: Any) -> Any:
    return np.sum(v.astype(object).astype(float) ** 2)


@program
def structured(v: Any) -> Any:
    a = np.zeros(2, dtype=[("x", float), ("n", int)])
    a["x"] = v * 2.0
    return np.sum(a["x"] ** 2)


@program
def structured_row(v: Any) -> Any:
    a = np.zeros(2, dtype=[("x", float), ("y", float)])
    a[0] = (v[0], v[1])
    return a["x"][0] * a["y"][0]


@program
def record_array(v: Any) -> Any:
    a = np.rec.fromarrays([v, v ** 2], names="x,y")  # type: ignore[call-overload]
    return np.sum(a.x * a.y)


@program
def to_bytes(v: Any) -> Any:
    return np.sum(np.frombuffer(v.tobytes()) ** 2)


@program
def view_as_integers(v: Any) -> Any:
    return np.sum(v.view(np.int64).view(np.float64) ** 2)


@program
def view_as_bytes(v: Any) -> Any:
    w = v * 3.0
    return np.sum(w.view(np.uint8).copy().view(float))


@program
def buffer_of_array(v: Any) -> Any:
    return np.sum(np.asarray(memoryview(v)) ** 2)


@program
def array_module(v: Any) -> Any:
    a = array.array("d", v)
    return a[0] * a[1]


@program
def struct_packed(v: Any) -> Any:
    x, y = struct.unpack("dd", struct.pack("dd", v[0], v[1]))
    return x * y


@program
def saved_and_loaded(v: Any) -> Any:
    f = io.BytesIO()
    np.save(f, v)
    f.seek(0)
    return np.sum(np.load(f) ** 2)


@program
def written_as_text(v: Any) -> Any:
    f = io.StringIO()
    np.savetxt(f, v)
    f.seek(0)
    return np.sum(np.loadtxt(f) ** 2)


@program
def string_io(v: Any) -> Any:
    f = io.StringIO()
    f.write(repr(float(v[0])))
    return float(f.getvalue()) ** 2


@program
def pickled(v: Any) -> Any:
    return np.sum(pickle.loads(pickle.dumps(v)) ** 2)


@program
def bytes_join(v: Any) -> Any:
    return np.sum(np.frombuffer(b"".join([v.tobytes(), v.tobytes()])))


@program
def copied(v: Any) -> Any:
    return np.sum(copy.copy(v) * copy.deepcopy([v])[0])


# Text and exact numbers

@program
def text_and_float(v: Any) -> Any:
    return float(str(v[0])) ** 2


@program
def text_formatted(v: Any) -> Any:
    return float(f"{v[0]:.17g}") * v[1]


@program
def text_percent(v: Any) -> Any:
    return float("%.17g" % v[0]) * v[1]


@program
def text_joined_split(v: Any) -> Any:
    return sum(float(w) for w in ",".join(str(float(x)) for x in v).split(","))


@program
def text_matched(v: Any) -> Any:
    return float(re.match(r"(.*)", repr(float(v[0]))).group(1)) ** 2  # type: ignore[union-attr]


@program
def text_from_string(v: Any) -> Any:
    return np.sum(np.array([str(float(x)) for x in v]).astype(float) ** 2)


@program
def text_hex(v: Any) -> Any:
    return float.fromhex(float(v[0]).hex()) ** 2


@program
def json_text(v: Any) -> Any:
    return json.loads(json.dumps({"x": float(v[0])}))["x"] ** 2


@program
def json_list(v: Any) -> Any:
    return sum(json.loads(json.dumps(v.tolist())))


@program
def evaluated(v: Any) -> Any:
    return eval(repr(float(v[0]))) ** 2


@program
def integer_ratio(v: Any) -> Any:
    n, d = float(v[0]).as_integer_ratio()
    return n / d * v[1]


@program
def as_fraction(v: Any) -> Any:
    return float(fractions.Fraction(float(v[0])) * 2)


@program
def as_decimal(v: Any) -> Any:
    return float(decimal.Decimal(float(v[0])) * 3)


@program
def digits_of_integers(v: Any) -> Any:
    return (v[0] * 2 ** 40).astype(np.int64) / 2 ** 40 * 0.0 + v[0] ** 2


# Exceptions

class Found(Exception):
    def __init__(self, value: Any):
        super().__init__("found")
        self.value = value


@program
def exception_args(v: Any) -> Any:
    try:
        raise ValueError(v[0] * v[1])
    except ValueError as err:
        return err.args[0]


@program
def exception_attribute(v: Any) -> Any:
    try:
        raise Found(v[0] * v[1])
    except Found as err:
        y = err.value
    return y


def _search(v: Any) -> Any:
    for x in v:
        if x > 0.5:
            raise Found(x ** 2)
    return v[0]


@program
def exception_of_helper(v: Any) -> Any:
    try:
        y = _search(v)
    except Found as err:
        y = err.value * 3.0
    return y


@program
def exception_attribute_set(v: Any) -> Any:
    err = ValueError("no")
    err.data = v[0] ** 2  # type: ignore[attr-defined]
    try:
        raise err
    except ValueError as caught:
        return caught.data  # type: ignore[attr-defined]


@program
def exception_cause(v: Any) -> Any:
    try:
        try:
            raise Found(v[0] ** 2)
        except Found as err:
            raise KeyError("k") from err
    except KeyError as err:
        return err.__cause__.value  # type: ignore[union-attr]


@program
def exception_text(v: Any) -> Any:
    try:
        raise ValueError(f"{v[0]}")
    except ValueError as err:
        return float(str(err)) ** 2


@program
def exception_missing_key(v: Any) -> Any:
    try:
        return {1.0: 2.0}[v[0]]
    except KeyError as err:
        return err.args[0] ** 2


@program
def exception_stop_iteration(v: Any) -> Any:
    def items() -> Any:
        yield 1.0
        return v[0] ** 2
    g = items()
    next(g)
    try:
        next(g)
    except StopIteration as stop:
        return stop.value
    return 0.0


# Objects and their attributes

class Bag:
    k: Any


class Slots:
    __slots__ = ("x",)
    x: Any


class Boxed:
    def __init__(self, x: Any):
        self.x = x

    def twice(self) -> Any:
        return 2.0 * self.x


class Hooked:
    def __init__(self) -> None:
        object.__setattr__(self, "data", {})

    def __setattr__(self, name: str, value: Any) -> None:
        self.data[name] = value

    def __getattr__(self, name: str) -> Any:
        return self.data[name]


@dataclass
class Point:
    x: Any
    y: Any = 1.0
    z: Any = field(init=False, default=0.0)


Pair = namedtuple("Pair", "a b")


class Color(enum.Enum):
    RED = 1.0
    BLUE = 2.0


GLOBAL_BAG = types.SimpleNamespace(k=1.0)


@program
def attribute_of_object(v: Any) -> Any:
    o = Bag()
    o.k = v[0]
    return o.k ** 2


@program
def attribute_of_namespace(v: Any) -> Any:
    o = types.SimpleNamespace(k=v[0])
    o.m = v[1]
    return o.k * o.m


@program
def attribute_by_name(v: Any) -> Any:
    o = Bag()
    for name, x in zip("ab", v):
        setattr(o, name, x)
    return getattr(o, "a") * o.__dict__["b"]


@program
def attribute_in_slots(v: Any) -> Any:
    o = Slots()
    o.x = v[0]
    return o.x ** 2


@program
def attribute_with_hooks(v: Any) -> Any:
    o = Hooked()
    o.x = v[0]
    return o.x ** 2


@program
def attribute_of_vars(v: Any) -> Any:
    o = Boxed(v[0])
    return sum(vars(o).values()) ** 2


@program
def attribute_of_global(v: Any) -> Any:
    GLOBAL_BAG.k = v[0]
    y = GLOBAL_BAG.k ** 2
    GLOBAL_BAG.k = 1.0
    return y


@program
def objects_in_set(v: Any) -> Any:
    return sum(o.x ** 2 for o in {Boxed(v[0]), Boxed(v[1])})


@program
def object_as_key(v: Any) -> Any:
    d = {Boxed(v[0]): 2.0, Boxed(v[1]): 3.0}
    return sum(o.x * w for o, w in d.items())


@program
def objects_in_array(v: Any) -> Any:
    a = np.array([Boxed(v[0]), Boxed(v[1])], dtype=object)
    return sum(o.twice() for o in a)


@program
def object_copied(v: Any) -> Any:
    return copy.copy(Boxed(v[0])).x * copy.deepcopy(Boxed(v[1])).x


@program
def object_pickled(v: Any) -> Any:
    return pickle.loads(pickle.dumps(Boxed(v[0]))).x ** 2


@program
def object_weakref(v: Any) -> Any:
    o = Boxed(v[0])
    r = weakref.ref(o)
    return r().x ** 2  # type: ignore[union-attr]


@program
def user_dict(v: Any) -> Any:
    d: Any = UserDict()
    d["a"] = v[0]
    return d["a"] ** 2


@program
def ordered_dict(v: Any) -> Any:
    d: Any = OrderedDict()
    d["b"], d["a"] = v[0], v[1]
    d.move_to_end("b")
    first, second = d.values()
    return first ** 2 * second


@program
def class_attribute(v: Any) -> Any:
    class Local:
        k = v[0]
    return Local.k ** 2


@program
def class_attribute_set(v: Any) -> Any:
    Bag.k = v[0]
    y = Bag.k ** 2
    del Bag.k
    return y


@program
def enum_member(v: Any) -> Any:
    weights = {Color.RED: v[0], Color.BLUE: v[1]}
    return sum(c.value * w ** 2 for c, w in weights.items())


@program
def enum_made(v: Any) -> Any:
    kind = enum.Enum("kind", {"A": float(v[0])})
    return kind.A.value ** 2


@program
def enum_by_name(v: Any) -> Any:
    return Color["BLUE"].value * v[0]


@program
def named_tuple_replaced(v: Any) -> Any:
    p = Pair(v[0], 1.0)._replace(b=v[1])
    return p.a * p.b ** 2


@program
def dataclass_field(v: Any) -> Any:
    p = Point(v[0])
    p.z = v[1]
    return p.x * p.z + p.y


# Functions and iterators

@program
def closure(v: Any) -> Any:
    x = v[0]

    def f(y: Any) -> Any:
        return x * y
    return f(v[1])


@program
def closure_written(v: Any) -> Any:
    total = 0.0

    def add(y: Any) -> None:
        nonlocal total
        total += y ** 2
    for x in v:
        add(x)
    return total


@program
def default_argument(v: Any) -> Any:
    def f(y: Any = v[0]) -> Any:
        return y ** 2
    return f()


@program
def default_keyword(v: Any) -> Any:
    fs = [lambda y, *, x=x: x * y for x in v]
    return sum(f(2.0) ** 2 for f in fs)  # type: ignore[no-untyped-call]


@program
def function_attribute(v: Any) -> Any:
    def f() -> Any:
        return f.x ** 2  # type: ignore[attr-defined]
    f.x = v[0]  # type: ignore[attr-defined]
    return f()


@program
def bound_method(v: Any) -> Any:
    m = Boxed(v[0]).twice
    return m() ** 2


@program
def attribute_getter(v: Any) -> Any:
    return operator.attrgetter("x")(Boxed(v[0])) ** 2


@program
def heap(v: Any) -> Any:
    h: list[Any] = []
    for x in v:
        heapq.heappush(h, x * x)
    return heapq.heappop(h) * 3.0 + heapq.heappop(h)


@program
def heap_of_pairs(v: Any) -> Any:
    h = [(x * x, k) for k, x in enumerate(v)]
    heapq.heapify(h)
    x, k = heapq.heappop(h)
    return x * (k + 1)


@program
def heap_smallest(v: Any) -> Any:
    return heapq.nsmallest(1, [v[0] ** 2, v[1] ** 2])[0]


@program
def deque_rotated(v: Any) -> Any:
    d = deque(v, maxlen=2)
    d.rotate(1)
    d.append(v[1] ** 2)
    return d[0] * d[1]


@program
def generator_sent(v: Any) -> Any:
    def mean() -> Any:
        total = 0.0
        while True:
            x = yield total
            total += x ** 2
    g = mean()
    next(g)
    g.send(v[0])
    return g.send(v[1])


@program
def iterator_next(v: Any) -> Any:
    it = iter([v[0], v[1]])
    return next(it) ** 2 * next(it, 0.0)


@program
def string_keys_of_values(v: Any) -> Any:
    d = {f"{x:.3f}": x for x in v}
    return sum(x ** 2 for x in d.values())


@program
def container_in_itself(v: Any) -> Any:
    a: list[Any] = [v[0]]
    a.append(a)
    return a[1][0] ** 2
