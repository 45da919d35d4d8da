"""Functions with helpers, closures, classes and containers, and arguments for them."""
import dataclasses
import functools
import itertools
import math
import operator
from collections import OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field

import numpy as np

from .functions_of_pairs import dicts_of_pairs, generators_that_return

X = np.array([0.5, -1.25, 2.0, 0.75])
GRAVITY = 9.81
TABLE = {"a": 2.0, "b": 3.0}
OPS = {"sin": np.sin, "sq": lambda v: v * v}
Point = namedtuple("Point", ["x", "y"])


def helper(x, k=2, *, bias=0.5):
    return x ** k + bias


def factorial(n, x):
    return x if n <= 1 else n * factorial(n - 1, x)


def is_even(n, x):
    return x if n == 0 else is_odd(n - 1, x * 1.5)


def is_odd(n, x):
    return -x if n == 0 else is_even(n - 1, x + 1)


def pair(x):
    return np.sin(x), {"d": x * 2, "name": "p"}


def uses_helpers(x, n):
    a, rest = pair(x)
    return helper(x) + helper(a, 3, bias=x) + factorial(n, x) + is_even(n, x) + rest["d"]


def varargs(x, *more, scale=1.0, **options):
    total = x * scale
    for m in more:
        total += m
    return total + options.get("shift", 0.0) + options["gain"] * len(options)


def calls_varargs(x):
    args = (1.0, x)
    return varargs(x, *args, 2.0, scale=x, **{"gain": 3.0}) + varargs(x, gain=x, shift=x)


def closures(x):
    factor = 2.0

    def scale(v, extra=x):
        nonlocal factor
        factor = factor + 1
        return v * factor + extra
    a = scale(x)
    b = scale(a)
    return a + b * factor


def make_adder(n):
    return lambda v: v + n


def returned_closure(x):
    add = make_adder(x)
    fs = [make_adder(k * x) for k in range(3)]
    return add(x) * sum(f(1.0) for f in fs)


def nested_recursion(x, n):
    def go(k, acc):
        if k == 0:
            return acc
        return go(k - 1, acc * x)
    return go(n, 1.0)


def apply_twice(f, v):
    return f(f(v))


def functions_as_arguments(x):
    return apply_twice(np.sin, x) + apply_twice(lambda v: v * x, x) + apply_twice(functools.partial(helper, k=3), x)


def chosen_function(x, flag):
    f = np.sin if flag > 0 else np.cos
    g = OPS["sq"]
    return f(x) * g(x)


def dispatch(x, name):
    return OPS[name](x)


def higher_order(xs, ys):
    a = sum(map(lambda v, w: v * w, xs, ys))
    b = functools.reduce(lambda s, v: s * 0.5 + v, xs, 1.0)
    c = sum(filter(lambda v: v > 0, xs))
    d = max(xs) - min(ys, key=abs) + max(xs[0], ys[1], 0.25)
    e = sorted(xs)[0] + sorted(ys, key=lambda v: -v)[1]
    return a + b + c + d + e


def quantifiers(xs):
    return any(v > 1 for v in xs) * 1.0 + all(v > -9 for v in xs) * xs[0] + next(v for v in xs if v > 0.6)


def operators(x, y):
    return operator.add(x, y) * operator.itemgetter(1)((x, y)) + operator.mul(x, y) - operator.neg(x)


def itertools_used(xs):
    total = 0.0
    for a, b in itertools.product(xs, [1.0, 2.0]):
        total += a * b
    for a, b in itertools.combinations(xs, 2):
        total -= a * b
    for a, b in itertools.pairwise(xs):
        total += a - 2 * b
    for v in itertools.chain(xs, [total]):
        total += v
    for k, v in zip(itertools.count(), itertools.accumulate(xs)):
        total += k * v
    for v in itertools.islice(xs, 2):
        total *= v
    return total


def generator(xs):
    for x in xs:
        if x > 0:
            yield x
            yield x * 2


def nested_generator(xs):
    yield from generator(xs)
    yield 1.0


def generators(xs):
    total = 0.0
    for v in nested_generator(xs):
        if v > 3.5:
            break
        total += v
    for k, v in enumerate(generator(xs)):
        total += k * v
    return total + sum(v * v for v in generator(xs)) + sum(list(generator(xs))) + max(v for v in xs if v < 1)


def lists(x, n):
    xs = [x]
    for k in range(n):
        xs.append(xs[-1] * 0.9 + k)
    xs.insert(0, 2.0)
    y = xs.pop()
    xs.extend([y, x])
    xs[1] = xs[1] * 3
    xs[0] += x
    del xs[2]
    ys = xs[1:3] + [v * 2 for v in xs if v > 1]
    zs = [*ys, 1.0]
    return sum(xs) + sum(zs) * len(ys)


def static_lists(x):
    xs = [x, x * 2]
    xs.append(np.sin(x))
    first, *rest = xs
    (a, b), c = (first, rest[0]), rest[1]
    d = e = a + b
    return np.array(xs) * c + d * e


def nested_lists(x, n):
    rows = [[x * i * j for j in range(3)] for i in range(n)]
    table = []
    for r in rows:
        row = []
        for v in r:
            row.append(v + 1)
        table.append(row)
    return np.array(table).sum() + table[0][1]


def dicts(x, key):
    d = {"a": x, "b": x * 2, **{"c": 1.0}}
    d["e"] = d["a"] * 3
    d["a"] += 1
    total = d.get("zz", x) + d.setdefault("q", 2.0)
    for k, v in d.items():
        if k != "b":
            total += v
    s = {k: v * 2 for k, v in d.items()}
    if "a" in d and key not in s:
        total *= 2
    return total + sum(s.values()) + d.pop("c") + len(d)


def dynamic_dict(xs):
    counts = {}
    for k, v in enumerate(xs):
        counts[k % 2] = counts.get(k % 2, 0.0) + v
    return counts[0] * counts[1]


def library_containers(xs):
    q = deque(maxlen=2)
    d = defaultdict(float)
    for k, v in enumerate(xs):
        q.append(v)
        d[k % 2] += v * q[0]
    o = OrderedDict()
    o["x"] = d[0]
    return o["x"] * d[1]


def globals_used(x):
    return x * GRAVITY + TABLE["a"] * math.pi


class Base:
    rate = 0.5

    def __init__(self, k):
        self.k = k
        self.calls = 0

    def force(self, x):
        self.calls += 1
        return -self.k * x * self.rate

    @property
    def double(self):
        return self.k * 2

    @double.setter
    def double(self, v):
        self.k = v / 2

    @staticmethod
    def twice(x):
        return x * 2

    @classmethod
    def unit(cls):
        return cls(1.0)


class Derived(Base):
    rate = 0.25

    def __init__(self, k, c):
        super().__init__(k)
        self.c = c

    def force(self, x):
        return super().force(x) - self.c

    def __call__(self, x):
        return self.force(x) + self.twice(x)


def objects(x, k):
    d = Derived(k, 0.5)
    y = d(x) + d.double + Base.unit().force(x) + d.calls
    d.double = x
    for _ in range(3):
        d.k = d.k * 1.1
    return y + d.k + isinstance(d, Base)


class Vec:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, s):
        return Vec(self.x * s, self.y * s)

    __rmul__ = __mul__

    def __iter__(self):
        yield self.x
        yield self.y

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __eq__(self, o):
        return self.x == o.x

    def __neg__(self):
        return Vec(-self.x, -self.y)


def overloads(x, n):
    v = Vec(x, 1.0)
    for k in range(n):
        v = v + 0.5 * v * x
    a, b = -v
    return v[0] * v[1] + a + b + len(v) + (v == v)


@dataclass
class Particle:
    pos: float
    vel: float = 1.0
    tags: list = field(default_factory=list)

    def step(self, dt):
        return Particle(self.pos + dt * self.vel, self.vel - dt * self.pos)

    def energy(self):
        return self.pos ** 2 + self.vel ** 2


def dataclasses_made(x, n):
    p = Particle(x)
    for _ in range(n):
        p = p.step(0.1)
    q = dataclasses.replace(p, vel=x)
    return p.energy() + q.energy() * q.pos


def returns_dataclass(x):
    return Particle(x, x * 2)


def takes_dataclass(p, x):
    return p.energy() * x + p.step(x).pos


def named(x):
    p = Point(x, 2.0)
    q = p._replace(y=x)
    a, b = p
    return p.x * q.y + a * b + q[1]


class Model:
    def __init__(self, w, activation=np.tanh, name="m"):
        self.w = w
        self.activation = activation
        self.name = name
        self.bias = None
        self.count = 0

    def predict(self, x):
        y = self.activation(self.w @ x)
        if self.bias is not None:
            y = y + self.bias
        self.count += 1
        return y


def passed_instance(model, x):
    y = model.predict(x)
    if model.name == "m":
        y = y * 2
    return np.sum(y)


def local_class(x):
    class Acc:
        def __init__(self, start):
            self.total = start

        def add(self, v):
            self.total += v
            return self
    acc = Acc(x)
    acc.add(2.0).add(x)
    return acc.total * x


def strings_and_prints(x, label):
    text = f"{label}: {x:.3f} {len(label)!r}"
    parts = ", ".join(str(k) for k in range(3))
    return x * len(text) + len(parts.split(","))


def imports_inside(x):
    import math as m
    from functools import reduce
    return m.sqrt(x) + reduce(lambda a, b: a * b, [x, 2.0])


def aliasing(xs):
    a = xs.copy()
    b = a[1:]
    b[0] = xs[0] * 2
    c = a
    c += 1
    return a.sum() * b[0]


def sets(x, k):
    s = {1, 2, 3}
    return x if k in s else -x


def decorated_inside(x):
    def twice(f):
        @functools.wraps(f)
        def inner(*args, **kwargs):
            return 2 * f(*args, **kwargs)
        return inner

    @twice
    def g(v, w=1.0):
        return v * w
    return g(x, w=x)


@functools.lru_cache(maxsize=None)
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 2)


def uses_cached(x, n):
    return x * cached(n)


def keyword_only(x, *, a, b=2.0):
    return x * a + b


def starred_call(xs):
    def f(a, b, c):
        return a * b - c
    return f(*xs)


def tuple_state(x, n):
    s = (x, (1.0, 2.0))
    for _ in range(n):
        a, (b, c) = s
        s = (b, (c, a * 0.5))
    return s


def mutated_argument(xs, ys):
    for k in range(len(xs)):
        xs[k] = xs[k] * ys[0]
    ys.append(3.0)
    return xs


CASES = [
    (uses_helpers, (1.5, 4), {}), (varargs, (1.5, 2.0, 3.0), {"scale": 2.0, "gain": 1.0, "shift": 0.5}), (calls_varargs, (1.5,), {}),
    (closures, (1.5,), {}), (returned_closure, (1.5,), {}), (nested_recursion, (1.5, 4), {}), (functions_as_arguments, (0.7,), {}),
    (chosen_function, (0.7, 1.0), {}), (chosen_function, (0.7, -1.0), {}), (dispatch, (0.7, "sin"), {}), (higher_order, (X, X * 2), {}),
    (higher_order, ([1.0, 2.0, -0.5], [0.1, 0.7, 0.3]), {}), (quantifiers, (X,), {}), (operators, (1.5, 2.5), {}), (itertools_used, (X,), {}),
    (generators, (X,), {}), (generators_that_return, (X,), {}), (dicts_of_pairs, (X,), {}), (lists, (1.5, 4), {}), (static_lists, (1.5,), {}),
    (nested_lists, (1.5, 4), {}), (dicts, (1.5, "k"), {}),
    (dynamic_dict, (X,), {}), (library_containers, (X,), {}), (globals_used, (1.5,), {}), (objects, (1.5, 2.0), {}), (overloads, (1.5, 3), {}),
    (dataclasses_made, (1.5, 4), {}), (returns_dataclass, (1.5,), {}), (takes_dataclass, (Particle(1.5, 0.5), 2.0), {}), (named, (1.5,), {}),
    (passed_instance, (Model(np.outer(X, X)), X), {}), (local_class, (1.5,), {}), (strings_and_prints, (1.5, "ab"), {}), (imports_inside, (1.5,), {}),
    (aliasing, (X,), {}), (sets, (1.5, 2), {}), (decorated_inside, (1.5,), {}), (uses_cached, (1.5, 7), {}), (keyword_only, (1.5,), {"a": 2.0}),
    (starred_call, ([1.0, 2.0, 3.0],), {}), (starred_call, (X[:3],), {}), (tuple_state, (1.5, 3), {}), (mutated_argument, (X, [2.0]), {}),
]
