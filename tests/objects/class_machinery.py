"""Metaclasses, descriptors, registries, mixins, abstract classes, weak references and state outside of the function."""
from __future__ import annotations

import abc
import collections.abc
import copy
import functools
import math
import operator
import weakref
from types import SimpleNamespace

import numpy as np

from .registry import program


class ModelMeta(type):
    registry: dict = {}

    def __new__(mcs, name, bases, namespace, **kw):
        cls = super().__new__(mcs, name, bases, namespace, **kw)
        cls.fields = [k for k, v in namespace.items() if isinstance(v, Number)]
        mcs.registry[name.lower()] = cls
        return cls


class Number:
    def __init__(self, default=0.0, scale=1.0):
        self.default, self.scale = default, scale

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, obj, owner):
        if obj is None:
            return self
        return obj.__dict__.get(self.name, self.default) * self.scale

    def __set__(self, obj, value):
        if callable(value):
            raise TypeError(self.name)
        obj.__dict__[self.name] = value / self.scale


class Model(metaclass=ModelMeta):
    def __init__(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def total(self):
        return sum(getattr(self, f) for f in self.fields)


class Spring(Model):
    stiffness = Number(1.0, scale=10.0)
    damping = Number(0.1)

    def force(self, x, v):
        return -self.stiffness * x - self.damping * v


class Magnet(Model):
    strength = Number(2.0)

    def force(self, x, v):
        return self.strength / (1.0 + x * x)


@program(3.0, 0.4)
def declared_fields(k, strength):
    parts = [ModelMeta.registry[name](**kw) for name, kw in (("spring", {"stiffness": k}), ("magnet", {"strength": strength}))]
    x, v = 0.5, 0.0
    for _ in range(5):
        v += 0.1 * sum(p.force(x, v) for p in parts)
        x += 0.1 * v
    return x + parts[0].total() * 0.1


class Kernel(abc.ABC):
    @abc.abstractmethod
    def __call__(self, a, b): ...

    def __add__(self, other):
        return Combined(operator.add, self, other)

    def __mul__(self, other):
        return Combined(operator.mul, self, other if isinstance(other, Kernel) else Constant(other))

    __rmul__ = __mul__

    def matrix(self, xs):
        return np.array([[self(a, b) for b in xs] for a in xs])


class Constant(Kernel):
    def __init__(self, c):
        self.c = c

    def __call__(self, a, b):
        return self.c


class Rbf(Kernel):
    def __init__(self, length):
        self.length = length

    def __call__(self, a, b):
        return math.exp(-0.5 * ((a - b) / self.length) ** 2)


class Combined(Kernel):
    def __init__(self, op, left, right):
        self.op, self.left, self.right = op, left, right

    def __call__(self, a, b):
        return self.op(self.left(a, b), self.right(a, b))


@program(0.8, 1.5)
def kernels_combined(length, amplitude):
    kernel = amplitude * Rbf(length) + Rbf(2.0 * length) * Constant(0.3)
    K = kernel.matrix([0.0, 0.5, 1.2]) + 0.1 * np.eye(3)
    y = np.array([1.0, 0.2, -0.5])
    return 0.5 * y @ np.linalg.solve(K, y) + 0.5 * np.linalg.slogdet(K)[1]


class TreeItem:
    def __init__(self, name, weight):
        self.name, self.weight = name, weight
        self._parent, self.children = None, []

    @property
    def parent(self):
        return self._parent() if self._parent is not None else None

    def add(self, child):
        child._parent = weakref.ref(self)
        self.children.append(child)
        return child

    def path_weight(self):
        node, total = self, 0.0
        while node is not None:
            total = total * 0.5 + node.weight
            node = node.parent
        return total


@program(0.5, 1.5)
def weak_parents(a, b):
    root = TreeItem("root", a)
    leaf = root.add(TreeItem("x", b)).add(TreeItem("y", a * b))
    other = root.add(TreeItem("z", a ** 2))
    return leaf.path_weight() * other.path_weight()


class Series(collections.abc.Sequence):
    def __init__(self, values):
        self._values = tuple(values)

    def __getitem__(self, k):
        if isinstance(k, slice):
            return Series(self._values[k])
        return self._values[k]

    def __len__(self):
        return len(self._values)

    def diff(self):
        return Series(b - a for a, b in zip(self, self[1:]))


@program(np.array([1.0, 1.5, 0.7, 2.0]))
def abstract_sequence(x):
    s = Series(v * v for v in x)
    d = s.diff()
    return sum(reversed(d)) + d[-1] * s[0] + max(s) * len(d) + s.index(s[2])


class Attributes(collections.abc.MutableMapping):
    def __init__(self, **kw):
        self.store = dict(kw)
        self.reads = 0

    def __getitem__(self, key):
        self.reads += 1
        return self.store[key]

    def __setitem__(self, key, value):
        self.store[key] = value

    def __delitem__(self, key):
        del self.store[key]

    def __iter__(self):
        return iter(self.store)

    def __len__(self):
        return len(self.store)


@program(0.4, 2.5)
def abstract_mapping(a, b):
    m = Attributes(a=a, b=b)
    m["c"] = m["a"] * m.get("b", 1.0) + m.get("z", 2.0)
    m.update(d=m.pop("a") ** 2)
    return sum(m.values()) + 0.01 * len(m)


class Serializable:
    def to_dict(self):
        return {k: v for k, v in vars(self).items() if not k.startswith("_")}

    @classmethod
    def from_dict(cls, data):
        obj = cls.__new__(cls)
        obj.__dict__.update(data)
        return obj


class Comparable:
    def __lt__(self, other):
        return self.key() < other.key()


class Star(Serializable, Comparable):
    def __init__(self, mass, radius):
        self.mass, self.radius = mass, radius
        self._cache = None

    def key(self):
        return self.mass / self.radius


@program(1.2, 0.8)
def serialized(mass, radius):
    star = Star(mass, radius)
    clone = Star.from_dict({**star.to_dict(), "mass": mass * 2.0})
    return max(star, clone).key() + min([clone, star]).mass * clone.radius


RATES = {"eur": 1.1, "gbp": 1.3}


class Money:
    table = RATES

    def __init__(self, amount, currency):
        self.amount, self.currency = amount, currency

    def to(self, currency):
        return Money(self.amount * self.table[self.currency] / self.table[currency], currency)

    def __add__(self, other):
        return Money(self.amount + other.to(self.currency).amount, self.currency)


def _set_rates():
    RATES.clear()
    RATES.update(eur=1.1, gbp=1.3)


@program(2.0, 3.0, outside=lambda: RATES, reset=_set_rates)
def exchange(a, rate):
    RATES["chf"] = rate
    total = Money(a, "eur") + Money(1.0, "chf") + Money(2.0, "gbp")
    RATES["gbp"] = RATES["gbp"] * 1.05
    return total.to("gbp").amount


class Meter:
    instances = 0
    last = None

    def __init__(self, scale):
        type(self).instances += 1
        self.number = Meter.instances
        self.scale = scale

    def read(self, x):
        Meter.last = self.scale * x * self.number
        return Meter.last


def _meters():
    Meter.instances, Meter.last = 0, None


@program(0.7, outside=lambda: [Meter.instances, Meter.last], reset=_meters)
def counted_instances(x):
    meters = [Meter(s) for s in (1.0, x)]
    total = 0.0
    for m in meters:
        total += m.read(x)
    return total + Meter.last


def traced(f):
    @functools.wraps(f)
    def wrapper(self, *args, **kwargs):
        result = f(self, *args, **kwargs)
        self.trace.append((f.__name__, result))
        return result
    return wrapper


class Accountant:
    def __init__(self):
        self.trace = []

    @traced
    def interest(self, amount, rate=0.1):
        return amount * rate

    @traced
    def fee(self, amount):
        return 0.5 + self.interest(amount, rate=0.02)


@program(5.0)
def decorated_methods(amount):
    a = Accountant()
    total = a.interest(amount) - a.fee(amount)
    return total + sum(v * v for name, v in a.trace if name == "interest") * len(a.trace)


class Unit:
    def __init__(self, **conversions):
        self._conversions = conversions

    def __getattr__(self, name):
        if name.startswith("to_"):
            factor = self._conversions[name[3:]]
            return lambda v: v * factor
        raise AttributeError(name)


@program(3.0, 0.5)
def dynamic_methods(length, factor):
    u = Unit(feet=3.28, rods=factor)
    total = u.to_feet(length) + u.to_rods(length) ** 2
    return total if not hasattr(u, "from_feet") else 0.0


class Prototype:
    def __init__(self):
        self.parts = {"wheel": [1.0, 2.0]}
        self.owner = None

    def clone(self, **changes):
        other = copy.deepcopy(self)
        other.__dict__.update(changes)
        return other


@program(0.9)
def deep_copies(x):
    base = Prototype()
    base.parts["wheel"].append(x)
    one = base.clone(owner=x * x)
    one.parts["wheel"][0] = x * 3.0
    two = copy.copy(one)
    two.parts["axle"] = [x]
    return sum(base.parts["wheel"]) + sum(sum(p) for p in one.parts.values()) * two.owner


class Matrix2:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __getitem__(self, key):
        i, j = key
        return self.rows[i][j]

    def __setitem__(self, key, value):
        i, j = key
        self.rows[i][j] = value

    def __matmul__(self, other):
        return Matrix2([[sum(self[i, k] * other[k, j] for k in range(2)) for j in range(2)] for i in range(2)])

    def __imatmul__(self, other):
        self.rows = (self @ other).rows
        return self

    def __pow__(self, n):
        out = Matrix2([[1.0, 0.0], [0.0, 1.0]])
        for _ in range(n):
            out @= self
        return out


@program(0.5, 1.2)
def matrix_power(a, b):
    m = Matrix2([[a, b], [1.0, a * b]])
    m[0, 1] += a
    p = m ** 3
    return p[0, 1] - p[1, 0] * p[0, 0]


class Borg:
    _shared: dict = {}

    def __init__(self):
        self.__dict__ = self._shared


def _borg():
    Borg._shared.clear()


@program(0.6, outside=lambda: Borg._shared, reset=_borg)
def shared_dict(x):
    one, two = Borg(), Borg()
    one.level = getattr(two, "level", 1.0) * 0.5 + x
    two.count = getattr(one, "count", 0) + 1
    return one.level ** 2 * one.count


class Fluent:
    def __init__(self):
        self.ops = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def add(*args):
            self.ops.append((getattr(math, name), args))
            return self
        return add

    def __call__(self, x):
        for op, args in self.ops:
            x = op(x, *args)
        return x


@program(0.5, 1.5)
def fluent_calls(x, p):
    return Fluent().sin().pow(p).exp()(x)


@program(0.4, 1.1, given=lambda: [SimpleNamespace(gain=2.0, log=[], inner=SimpleNamespace(bias=0.1))])
def namespace_passed(a, b, ns):
    ns.gain = ns.gain * a + b
    ns.inner.bias += a * ns.gain
    ns.log.append(ns.inner.bias)
    return sum(ns.log) * ns.gain


class Strategy:
    def __init_subclass__(cls, name=None, **kw):
        super().__init_subclass__(**kw)
        cls.label = name or cls.__name__
        STRATEGIES.append(cls)


STRATEGIES: list = []


class Linear2(Strategy, name="linear"):
    def __call__(self, x, k):
        return k * x


class Quadratic(Strategy):
    def __call__(self, x, k):
        return k * x * x + 1.0


@program(0.8, 2.0)
def strategies(x, k):
    chosen = {s.label: s() for s in STRATEGIES}
    total = 0.0
    for label in sorted(chosen):
        total = total * x + chosen[label](x, k)
    return total


class Edge:
    def __init__(self, a, b, capacity):
        self.a, self.b, self.capacity, self.flow = a, b, capacity, 0.0

    def other(self, node):
        return self.b if node == self.a else self.a

    def residual(self, node):
        return self.capacity - self.flow if node == self.a else self.flow


class Network:
    def __init__(self, edges):
        self.adjacent = {}
        for e in edges:
            self.adjacent.setdefault(e.a, []).append(e)
            self.adjacent.setdefault(e.b, []).append(e)

    def path(self, source, sink, seen=()):
        if source == sink:
            return []
        for e in self.adjacent[source]:
            to = e.other(source)
            if to not in seen and e.residual(source) > 1e-9:
                rest = self.path(to, sink, (*seen, source))
                if rest is not None:
                    return [(e, source), *rest]
        return None

    def max_flow(self, source, sink):
        total = 0.0
        while (path := self.path(source, sink)) is not None:
            amount = min(e.residual(n) for e, n in path)
            for e, n in path:
                e.flow += amount if n == e.a else -amount
            total += amount
        return total


@program(3.0, 2.0, 1.5)
def maximum_flow(a, b, c):
    edges = [Edge("s", "u", a), Edge("s", "v", b), Edge("u", "v", 1.0), Edge("u", "t", b * 0.7), Edge("v", "t", c)]
    flow = Network(edges).max_flow("s", "t")
    return flow + sum(e.flow ** 2 for e in edges)


class LinkedDeque:
    class Link:
        __slots__ = ("value", "prev", "next")

        def __init__(self, value):
            self.value = value
            self.prev = self.next = self

    def __init__(self):
        self.root = self.Link(None)

    def append(self, value):
        link, last = self.Link(value), self.root.prev
        link.prev, link.next = last, self.root
        last.next = self.root.prev = link
        return link

    def remove(self, link):
        link.prev.next, link.next.prev = link.next, link.prev
        return link.value

    def __iter__(self):
        link = self.root.next
        while link is not self.root:
            yield link.value
            link = link.next


@program(0.5, 2.0)
def doubly_linked(a, b):
    d = LinkedDeque()
    links = [d.append(a * k + b) for k in range(4)]
    removed = d.remove(links[1])
    return sum(v * v for v in d) - removed
