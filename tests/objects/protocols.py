"""Python's object protocol in numerical code."""
from __future__ import annotations

import abc
import contextlib
import copy
import dataclasses
import enum
import functools
import math
import types
from collections import UserDict, namedtuple
from typing import NamedTuple

import numpy as np

from .registry import program


class Params:
    def __init__(self, **kwargs):
        self.__dict__.update(kwargs)


@program(0.5, 2.0)
def dict_update(a, b):
    p = Params(gain=a, rate=b)
    p.rate = p.rate * p.gain
    return p.gain ** 2 + p.rate


class Options:
    defaults = {"alpha": 0.5, "beta": 1.5}

    def __init__(self, **given):
        for name, value in {**self.defaults, **given}.items():
            setattr(self, name, value)

    def total(self):
        return sum(getattr(self, name) for name in self.defaults)


@program(0.7)
def setattr_names(x):
    o = Options(alpha=x * x)
    return o.total() * o.beta


class Bounded:
    def __init__(self, lo, hi):
        self.lo, self.hi = lo, hi

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)

    def __set__(self, obj, value):
        setattr(obj, self.name, min(max(value, self.lo), self.hi))


class Knob:
    level = Bounded(0.0, 1.0)

    def __init__(self, level):
        self.level = level


@program(0.4, 3.0)
def data_descriptor(x, y):
    k = Knob(x)
    first = k.level
    k.level = y
    return first * 2.0 + k.level * x


@program(0.4, given=lambda: [Knob(0.5)])
def data_descriptor_passed(x, k):
    k.level = k.level * 0.5 + x
    return k.level ** 2


class Logged:
    def __init__(self, x):
        self.writes = []
        self.x = x

    def __setattr__(self, name, value):
        if name == "x":
            self.writes.append(value)
        super().__setattr__(name, value)


@program(1.3)
def own_setattr(x):
    o = Logged(x)
    o.x = o.x * 2.0
    o.x = o.x + x ** 2
    return o.x + sum(o.writes)


class Lazy:
    def __init__(self, source):
        self._source = source

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self._source[name] * 2.0


@program(0.9)
def own_getattr(x):
    lazy = Lazy({"a": x, "b": x ** 2})
    return lazy.a * lazy.b


@dataclasses.dataclass(frozen=True)
class Orbit:
    a: float
    e: float = 0.1

    @property
    def b(self):
        return self.a * math.sqrt(1 - self.e ** 2)

    def raised(self, dv):
        return dataclasses.replace(self, a=self.a + dv)


@program(1.5, 0.2)
def frozen_replace(a, dv):
    o = Orbit(a)
    for _ in range(3):
        o = o.raised(dv)
    return o.b * o.a


@dataclasses.dataclass
class Body:
    mass: float
    radius: float
    density: float = dataclasses.field(init=False)
    tags: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        self.density = self.mass / (4 / 3 * math.pi * self.radius ** 3)


@program(2.0, 0.7)
def post_init(m, r):
    bodies = [Body(m, r), Body(2 * m, r ** 2)]
    bodies[0].mass *= 3.0
    bodies[0].tags.append("heavy")
    return sum(b.density for b in bodies) + bodies[0].mass + len(bodies[0].tags)


@program(2.0, 0.7)
def dataclass_list(m, r):
    bodies = []
    for k in range(5):
        b = Body(m + k, r)
        b.density *= 0.5
        bodies.append(b)
    heavy = max(bodies, key=lambda b: b.mass)
    return heavy.density + sum(b.density for b in bodies)


class Units(enum.Enum):
    M = 1.0
    KM = 1000.0

    def convert(self, x, to):
        return x * self.value / to.value

    @classmethod
    def parse(cls, name):
        return cls[name.upper()]


@program(2.5)
def enum_methods(x):
    return Units.parse("km").convert(x, Units.M) * 1e-3 + Units.KM.convert(x, Units.KM) ** 2


class Shape(abc.ABC):
    @property
    @abc.abstractmethod
    def area(self): ...

    def scaled_area(self, k):
        return k * self.area


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    @property
    def area(self):
        return math.pi * self.r ** 2


class Rect(Shape):
    def __init__(self, w, h):
        self.w, self.h = w, h

    @property
    def area(self):
        return self.w * self.h


@program(1.1, 0.6)
def shapes_in_list(a, b):
    shapes = []
    for k in range(4):
        shapes.append(Circle(a + k) if k % 2 == 0 else Rect(a, b * k))
    return sum(s.scaled_area(0.5) for s in shapes)


@program(1.1, 0.6)
def match_classes(a, b):
    total = 0.0
    for shape in (Circle(a), Rect(a, b), Rect(b, 2.0)):
        match shape:
            case Circle(r=r):
                total += r ** 2
            case Rect(w=w, h=h) if w > h:
                total += w * h
            case Rect():
                total += 2.0 * shape.w
    return total


class Handler:
    @functools.singledispatchmethod
    def handle(self, x):
        return 0.0

    @handle.register
    def _(self, x: float):
        return x ** 2

    @handle.register
    def _(self, x: list):
        return sum(self.handle(v) for v in x)


@functools.singledispatch
def measure(x):
    return 1.0


@measure.register(float)
def _(x):
    return x ** 3


@measure.register(Circle)
def _(x):
    return x.area


@program(0.8)
def single_dispatch(x):
    return measure(x) + measure(Circle(x)) + measure("s")


class Amplifier:
    def amplify(self, x, factor):
        return x * factor

    double = functools.partialmethod(amplify, factor=2.0)


@program(0.8)
def partial_method(x):
    return Amplifier().double(x) ** 2


class Timer:
    def __init__(self):
        self.total = 0.0
        self.caught = None

    def __enter__(self):
        self.mark = self.total
        return self

    def __exit__(self, kind, exc, tb):
        self.total += 1.0
        self.caught = exc
        return kind is ValueError


class OutOfRange(ValueError):
    def __init__(self, amount):
        super().__init__("out of range")
        self.amount = amount


@program(1.7)
def exit_receives(x):
    timer = Timer()
    y = 0.5 * x
    with timer:
        y = x ** 2
        if y > 2.0:
            raise ValueError("large")
        y = y + 10.0
    return y * timer.total


@program(1.7)
def exception_carries(x):
    total = 0.0
    for k in range(3):
        try:
            if x * k > 2.0:
                raise OutOfRange(x * k - 2.0)
            total += x * k
        except OutOfRange as e:
            total += e.amount ** 2
        finally:
            total *= 1.1
    return total


class Countdown:
    def __init__(self, n, x):
        self.n, self.x = n, x

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x *= 0.5
        return self.x


@program(3.0)
def own_iterator(x):
    total = 0.0
    for v in Countdown(4, x):
        total += v ** 2
    return total


class Grid:
    def __init__(self, values):
        self.values = list(values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, k):
        return self.values[k]

    def __setitem__(self, k, v):
        self.values[k] = v


@program(np.array([1.0, 2.0, 0.5]))
def sequence_protocol(x):
    g = Grid(x)
    g[0] = g[1] * g[2]
    return sum(g) + sum(v * k for k, v in enumerate(g)) + len(g)


class Angle:
    def __init__(self, deg):
        self.deg = deg

    def __float__(self):
        return math.radians(self.deg)

    def __neg__(self):
        return Angle(-self.deg)

    def __lt__(self, other):
        return self.deg < other.deg

    def __eq__(self, other):
        return self.deg == other.deg

    def __hash__(self):
        return hash(self.deg)


@program(30.0, 50.0)
def float_protocol(a, b):
    angles = sorted([Angle(b), Angle(a), -Angle(a)])
    return float(angles[0]) * math.sin(float(angles[-1])) + float(max(angles))


class Field:
    def __init__(self, data):
        self.data = data

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.data)

    def __add__(self, other):
        return Field(self.data + np.asarray(other))


@program(np.array([1.0, 2.0, 0.5]))
def array_protocol(x):
    f = Field(x) + Field(x ** 2)
    return np.sum(np.sin(np.asarray(f)))


class Config:
    def __init__(self, x):
        self.values = [x, 2.0 * x]
        self.inner = Circle(x)

    def copy(self):
        return copy.copy(self)


@program(0.9)
def copies(x):
    c = Config(x)
    shallow = c.copy()
    shallow.values.append(3.0 * x)
    deep = copy.deepcopy(c)
    deep.values[0] = x ** 2
    deep.inner.r *= 2.0
    return sum(c.values) * deep.inner.r + c.inner.r + deep.values[0]


class Point(NamedTuple):
    x: float
    y: float = 1.0

    def norm(self):
        return math.hypot(self.x, self.y)

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)


@program(0.5, 1.5)
def named_tuple_methods(a, b):
    p = Point(a) + Point(b, a)
    q = p._replace(y=p.y * 2.0)
    return q.norm() * p.norm()


Pair = namedtuple("Pair", "left right")


@program(0.5, 1.5)
def named_tuples_in_dict(a, b):
    table = {k: Pair(a * k, b + k) for k in range(1, 4)}
    table[2] = table[2]._replace(left=b)
    return sum(p.left * p.right for p in table.values())


class Vec(tuple):
    def __new__(cls, *items):
        return super().__new__(cls, items)

    def dot(self, other):
        return sum(a * b for a, b in zip(self, other))


@program(0.5, 1.5)
def tuple_subclass(a, b):
    return Vec(a, b, 1.0).dot(Vec(b, a, a))


class History(list):
    def mean(self):
        return sum(self) / len(self)

    def push(self, x):
        self.append(x)
        return self


@program(0.5, 1.5)
def list_subclass(a, b):
    h = History()
    h.push(a).push(b).push(a * b)
    return h.mean() * h[-1]


class Counts(dict):
    def __missing__(self, key):
        return 0.0

    def add(self, key, x):
        self[key] = self[key] + x


@program(0.5, 1.5)
def dict_subclass(a, b):
    c = Counts()
    for k, v in (("p", a), ("q", b), ("p", a * b)):
        c.add(k, v)
    return c["p"] * c["q"] + c["zero"]


class Registry(UserDict):
    def total(self):
        return sum(self.data.values())


@program(0.5, 1.5)
def user_dict(a, b):
    r = Registry()
    r["a"] = a
    r["b"] = b * a
    return r.total() * r["a"]


class Singleton:
    _instance = None

    def __new__(cls):
        if cls._instance is None:
            cls._instance = super().__new__(cls)
            cls._instance.count = 0
        return cls._instance


def _no_singleton():
    Singleton._instance = None


@program(0.6, reset=_no_singleton, outside=lambda: [Singleton._instance])
def singleton(x):
    s = Singleton()
    s.count += 1
    return x ** 2 * Singleton().count


class Counter:
    calls = 0

    def __init__(self):
        type(self).calls += 1
        Counter.last = self.calls


def _no_calls():
    Counter.calls = 0
    Counter.last = 0


@program(0.6, reset=_no_calls, outside=lambda: [Counter.calls])
def class_counter(x):
    Counter()
    Counter()
    return x * Counter.calls


STATS = {"calls": 0, "values": []}


def _no_stats():
    STATS.update(calls=0, values=[])


@program(0.6, reset=_no_stats, outside=lambda: STATS)
def module_table(x):
    STATS["calls"] += 1
    return x ** 2 * STATS["calls"]


TRACE: list = []


@program(0.6, reset=TRACE.clear, outside=lambda: TRACE)
def module_trace(x):
    y = math.sin(x)
    TRACE.append(y)
    return y * 2.0


LAST = 0.0


def _no_last():
    global LAST
    LAST = 0.0


@program(0.6, reset=_no_last, outside=lambda: LAST)
def global_variable(x):
    global LAST
    LAST = 0.5 * LAST + x ** 2
    return LAST * x


def _accumulator():
    total = 0.0

    def add(x):
        nonlocal total
        total += x
        return total
    return add


@program(0.6, given=lambda: [_accumulator()])
def closure_cell(x, add):
    add(x)
    return add(x ** 2)


@program(0.6)
def closure_inside(x):
    add = _accumulator()
    add(x)
    return add(x ** 2) * 2.0


class Mixin:
    def describe(self):
        return f"{type(self).__name__}: {self.value():.2f}"

    def squared(self):
        return self.value() ** 2


class Base:
    def __init__(self, x, **kwargs):
        super().__init__(**kwargs)
        self.x = x

    def value(self):
        return self.x


class Scaled(Base):
    def __init__(self, *args, scale=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        self.scale = scale

    def value(self):
        return self.scale * super().value()


class Final(Mixin, Scaled):
    pass


@program(0.6, 1.4)
def mixins(x, s):
    f = Final(x, scale=s)
    label = f.describe()
    return f.squared() * len(label)


class Temperature:
    def __init__(self, celsius):
        self._c = celsius

    @property
    def kelvin(self):
        return self._c + 273.15

    @kelvin.setter
    def kelvin(self, k):
        if k < 0:
            raise ValueError("below zero")
        self._c = k - 273.15

    @classmethod
    def from_fahrenheit(cls, f):
        return cls((f - 32) / 1.8)

    @staticmethod
    def mean(*ts):
        return Temperature(sum(t._c for t in ts) / len(ts))


@program(50.0)
def properties(f):
    t = Temperature.from_fahrenheit(f)
    t.kelvin *= 1.1
    u = Temperature.mean(t, Temperature(f), t)
    return u.kelvin + u._c ** 2


@program(0.8)
def simple_namespace(x):
    ns = types.SimpleNamespace(a=x, items=[x])
    ns.b = ns.a * 2
    ns.items.append(ns.b)
    vars(ns)["c"] = 1.0
    return ns.b * sum(ns.items)


@contextlib.contextmanager
def scaled(obj, k):
    old = obj.r
    obj.r = old * k
    try:
        yield obj
    finally:
        obj.r = old


@program(0.8, 1.5)
def temporary_change(r, k):
    c = Circle(r)
    with scaled(c, k) as d:
        inside = d.area
    return inside - c.area
