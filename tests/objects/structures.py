"""Linked structures, trees, graphs, caches and registries."""
from __future__ import annotations

import abc
import collections
import functools
import math

import numpy as np

from .registry import program


class Node:
    def __init__(self, value, next=None):
        self.value, self.next = value, next


@program(0.5, 1.5)
def linked_list(a, b):
    head = None
    for k in range(4):
        head = Node(a * k + b, head)
    total, node = 0.0, head
    while node is not None:
        total = total * 0.5 + node.value ** 2
        node = node.next
    return total


class Stack:
    class _Item:
        def __init__(self, value, below):
            self.value, self.below = value, below

    def __init__(self):
        self._top = None
        self._size = 0

    def push(self, value):
        self._top = self._Item(value, self._top)
        self._size += 1

    def pop(self):
        item = self._top
        self._top = item.below
        self._size -= 1
        return item.value

    def __len__(self):
        return self._size


@program(2.0, 3.0)
def rpn_stack(x, y):
    stack = Stack()
    for token in "x y + x * y /".split():
        if token == "x":
            stack.push(x)
        elif token == "y":
            stack.push(y)
        else:
            b, a = stack.pop(), stack.pop()
            stack.push({"+": a + b, "*": a * b, "/": a / b}[token])
    return stack.pop()


class Tree:
    def __init__(self, key, value):
        self.key, self.value, self.left, self.right = key, value, None, None

    def insert(self, key, value):
        if key < self.key:
            if self.left is None:
                self.left = Tree(key, value)
            else:
                self.left.insert(key, value)
        elif self.right is None:
            self.right = Tree(key, value)
        else:
            self.right.insert(key, value)

    def total(self, depth=0):
        out = self.value / (1 + depth)
        if self.left:
            out += self.left.total(depth + 1)
        if self.right:
            out += self.right.total(depth + 1)
        return out


@program(0.7, 1.1)
def search_tree(a, b):
    tree = Tree(4, a)
    for key in (2, 6, 1, 3, 5, 7):
        tree.insert(key, a * key + b ** 2)
    return tree.total()


class Expr(abc.ABC):
    @abc.abstractmethod
    def eval(self, env): ...

    def __add__(self, other):
        return Add(self, other)

    def __mul__(self, other):
        return Mul(self, other)


class Const(Expr):
    def __init__(self, v):
        self.v = v

    def eval(self, env):
        return self.v


class Var(Expr):
    def __init__(self, name):
        self.name = name

    def eval(self, env):
        return env[self.name]


class Add(Expr):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def eval(self, env):
        return self.a.eval(env) + self.b.eval(env)


class Mul(Expr):
    def __init__(self, a, b):
        self.a, self.b = a, b

    def eval(self, env):
        return self.a.eval(env) * self.b.eval(env)


@program(1.2, -0.4)
def expression_tree(x, y):
    e = (Var("x") + Const(2.0)) * (Var("y") + Var("x") * Const(y))
    return e.eval({"x": x, "y": y})


@program(1.2, -0.4, given=lambda: [(Var("x") + Const(2.0)) * (Var("y") + Var("x") * Const(3.0))])
def expression_passed(x, y, e):
    return e.eval({"x": x, "y": y})


@program(1.2, -0.4)
def expression_grown(x, y):
    e = Var("x")
    for k in range(3):
        e = e * Const(0.5 + k) + Var("y")
    return e.eval({"x": x, "y": y})


class Graph:
    def __init__(self):
        self.nodes = {}
        self.edges = collections.defaultdict(list)

    def edge(self, a, b, w):
        self.edges[a].append((b, w))
        self.nodes.setdefault(a, 0.0)
        self.nodes.setdefault(b, 0.0)


@program(1.0, 0.5)
def shortest_path(a, b):
    g = Graph()
    for u, v, w in ((0, 1, a), (0, 2, b), (2, 1, 0.2 * a), (1, 3, a * b), (2, 3, 2.0)):
        g.edge(u, v, w)
    dist = {n: math.inf for n in g.nodes}
    dist[0] = 0.0
    for _ in range(3):
        for u in list(g.edges):
            for v, w in g.edges[u]:
                if dist[u] + w < dist[v]:
                    dist[v] = dist[u] + w
    return dist[3] ** 2 + dist[1]


class Neuron:
    def __init__(self, bias):
        self.bias, self.inputs, self.activation = bias, [], 0.0

    def fire(self):
        self.activation = math.tanh(self.bias + sum(w * n.activation for n, w in self.inputs))


@program(0.3, -0.8)
def neuron_graph(w, x):
    ins = [Neuron(0.0), Neuron(0.0)]
    ins[0].activation, ins[1].activation = x, 0.5
    hidden = [Neuron(0.1 * k) for k in range(3)]
    out = Neuron(0.0)
    for h in hidden:
        for i in ins:
            h.inputs.append((i, w + 0.1 * len(h.inputs)))
        out.inputs.append((h, 0.7))
    for n in [*hidden, out]:
        n.fire()
    return out.activation


class LRU:
    def __init__(self, n):
        self.n, self.data = n, collections.OrderedDict()
        self.hits = 0

    def get(self, key, make):
        if key in self.data:
            self.hits += 1
            self.data.move_to_end(key)
            return self.data[key]
        value = self.data[key] = make(key)
        if len(self.data) > self.n:
            self.data.popitem(last=False)
        return value


@program(0.6)
def lru_of_own(x):
    cache = LRU(2)
    total = 0.0
    for k in (1, 2, 1, 3, 2, 1):
        total += cache.get(k, lambda key: math.sin(x * key))
    return total + cache.hits


class Memo:
    def __init__(self, f):
        self.f, self.cache = f, {}
        functools.update_wrapper(self, f)

    def __call__(self, *args):
        if args not in self.cache:
            self.cache[args] = self.f(*args)
        return self.cache[args]


@Memo
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


@program(0.4, reset=binomial.cache.clear, outside=lambda: binomial.cache)
def memoized_coefficients(p):
    return sum(binomial(5, k) * p ** k * (1 - p) ** (5 - k) * k ** 2 for k in range(6))


@functools.lru_cache(maxsize=None)
def legendre(n):
    if n == 0:
        return (1.0,)
    if n == 1:
        return (0.0, 1.0)
    a, b = legendre(n - 1), legendre(n - 2)
    out = [0.0] * (n + 1)
    for k, c in enumerate(a):
        out[k + 1] += (2 * n - 1) / n * c
    for k, c in enumerate(b):
        out[k] -= (n - 1) / n * c
    return tuple(out)


@program(0.4)
def cached_polynomial(x):
    return sum(c * x ** k for k, c in enumerate(legendre(4)))


REGISTRY = {}


def register(name):
    def wrap(cls):
        REGISTRY[name] = cls
        cls.key = name
        return cls
    return wrap


@register("linear")
class Linear:
    def __init__(self, k):
        self.k = k

    def force(self, x):
        return -self.k * x


@register("cubic")
class Cubic(Linear):
    def force(self, x):
        return super().force(x) - 0.1 * x ** 3


@program(1.4, 0.3)
def plugin_registry(k, x):
    laws = [REGISTRY[n](k) for n in ("linear", "cubic")]
    return sum(law.force(x) * len(law.key) for law in laws)


class Plugin:
    plugins = []

    def __init_subclass__(cls, weight=1.0, **kwargs):
        super().__init_subclass__(**kwargs)
        cls.weight = weight
        Plugin.plugins.append(cls)

    def apply(self, x):
        raise NotImplementedError


class Square(Plugin, weight=0.5):
    def apply(self, x):
        return x * x


class Sine(Plugin):
    def apply(self, x):
        return math.sin(x)


@program(0.8)
def subclass_plugins(x):
    return sum(p().apply(x) * p.weight for p in Plugin.plugins)


class Bunch(dict):
    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name, value):
        self[name] = value


@program(0.8, 1.5)
def bunch(x, y):
    b = Bunch(x=x, y=y)
    b.z = b.x * b.y
    b["x"] = b.z + 1.0
    return b.x ** 2 + b.z


@program(0.8, given=lambda: [Bunch(gain=2.0, offset=0.5)])
def bunch_passed(x, b):
    b.last = b.gain * x + b.offset
    b.gain = b.gain * 0.9
    return b.last ** 2


class Interval:
    def __init__(self, lo, hi):
        self.lo, self.hi = min(lo, hi), max(lo, hi)

    def __add__(self, o):
        o = o if isinstance(o, Interval) else Interval(o, o)
        return Interval(self.lo + o.lo, self.hi + o.hi)

    __radd__ = __add__

    def __mul__(self, o):
        o = o if isinstance(o, Interval) else Interval(o, o)
        p = [a * b for a in (self.lo, self.hi) for b in (o.lo, o.hi)]
        return Interval(min(p), max(p))

    __rmul__ = __mul__

    def __contains__(self, x):
        return self.lo <= x <= self.hi

    def __bool__(self):
        return self.hi > self.lo


@program(1.2, 0.3)
def intervals(a, r):
    x = Interval(a - r, a + r)
    y = 2.0 * x * x + 1.0
    z = sum([x, y, x])
    return (z.hi - z.lo) * (2.0 if 5.0 in z else 1.0)


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __matmul__(self, other):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*other.rows)] for r in self.rows])

    def __getitem__(self, ij):
        return self.rows[ij[0]][ij[1]]

    def __setitem__(self, ij, v):
        self.rows[ij[0]][ij[1]] = v

    @classmethod
    def rotation(cls, t):
        return cls([[math.cos(t), -math.sin(t)], [math.sin(t), math.cos(t)]])

    @property
    def T(self):
        return Matrix(zip(*self.rows))


@program(0.4, 1.3)
def own_matrix(t, s):
    m = Matrix.rotation(t)
    m[0, 1] *= s
    n = m @ m.T @ Matrix([[s, 0.0], [1.0, 2.0]])
    return n[0, 0] + n[1, 0] * n[0, 1]


class Poly:
    def __init__(self, *coeffs):
        self.c = coeffs

    def __call__(self, x):
        out = 0.0
        for c in reversed(self.c):
            out = out * x + c
        return out

    def __mul__(self, other):
        out = [0.0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                out[i + j] += a * b
        return Poly(*out)

    def deriv(self):
        return Poly(*[k * c for k, c in enumerate(self.c)][1:])


@program(0.7, -1.2)
def polynomials(x, a):
    p = Poly(1.0, a, 2.0)
    q = p * p * Poly(a, 1.0)
    return q(x) + q.deriv()(x)


class UnionFind:
    def __init__(self, n):
        self.parent = list(range(n))

    def find(self, i):
        while self.parent[i] != i:
            self.parent[i] = self.parent[self.parent[i]]
            i = self.parent[i]
        return i

    def union(self, i, j):
        i, j = self.find(i), self.find(j)
        if i == j:
            return False
        self.parent[i] = j
        return True


@program(np.array([3.0, 1.0, 2.0, 1.5, 0.5]))
def spanning_tree(w):
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    uf, total = UnionFind(4), 0.0
    for k in sorted(range(5), key=lambda k: w[k]):
        if uf.union(*edges[k]):
            total += w[k] ** 2
    return total


class Octree:
    def __init__(self, center, size):
        self.center, self.size = center, size
        self.mass, self.com, self.children = 0.0, 0.0, {}

    def add(self, x, m):
        self.com = (self.com * self.mass + m * x) / (self.mass + m)
        self.mass += m
        if self.size > 0.3:
            side = 1 if x > self.center else -1
            if side not in self.children:
                self.children[side] = Octree(self.center + side * self.size / 4, self.size / 2)
            self.children[side].add(x, m)

    def force(self, x, theta=0.5):
        d = abs(self.com - x) + 0.1
        if not self.children or self.size / d < theta:
            return self.mass * (self.com - x) / d ** 3
        return sum(c.force(x, theta) for c in self.children.values())


@program(np.array([0.1, 0.4, 0.8]), 0.55)
def barnes_hut(xs, x):
    root = Octree(0.5, 1.0)
    for k, p in enumerate(xs):
        root.add(p, 1.0 + k)
    return root.force(x)
