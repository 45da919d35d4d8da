"""Containers of the standard library: heaps, deques, counters, chained maps, bisect, enum, functools."""
from __future__ import annotations

import bisect
import enum
import functools
import heapq
import math
import operator
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .registry import program


class Median:
    """The median of a stream, by two heaps."""

    def __init__(self):
        self.low, self.high = [], []

    def push(self, x):
        heapq.heappush(self.low, -heapq.heappushpop(self.high, x))
        if len(self.low) > len(self.high):
            heapq.heappush(self.high, -heapq.heappop(self.low))

    @property
    def value(self):
        if len(self.high) > len(self.low):
            return self.high[0]
        return 0.5 * (self.high[0] - self.low[0])


@program(np.array([0.5, 2.0, 1.0, 3.0, 0.2]))
def running_median(xs):
    median = Median()
    total = 0.0
    for x in xs:
        median.push(x)
        total += median.value ** 2
    return total


class Lru:
    def __init__(self, capacity):
        self.capacity = capacity
        self.data = OrderedDict()
        self.misses = 0

    def get(self, key, make):
        if key in self.data:
            self.data.move_to_end(key)
            return self.data[key]
        self.misses += 1
        value = self.data[key] = make(key)
        if len(self.data) > self.capacity:
            self.data.popitem(last=False)
        return value


@program(0.3)
def ordered_dict_cache(x):
    cache = Lru(2)
    total = 0.0
    for key in (1, 2, 1, 3, 2, 1):
        total += cache.get(key, lambda k: math.exp(x * k))
    return total / cache.misses


@program(0.5, 1.2)
def chain_map_config(a, b):
    defaults = {"rate": 0.1, "gain": a, "bias": 0.0}
    user = {"gain": b}
    config = ChainMap(user, defaults)
    local = config.new_child({"bias": a * b})
    return local["gain"] * 2.0 + local["bias"] + local["rate"] * config["bias"]


@program(np.array([0.2, 1.1, 2.4, 3.2]))
def histogram_counter(x):
    weights = Counter()
    for v in x:
        weights[int(v)] += v * v
    return sum(w * (k + 1) for k, w in weights.items()) + weights[17]


@program(np.array([1.0, 0.5, 0.25]), np.array([2.0, 1.0, 3.0]))
def grouped(keys_scale, values):
    groups = defaultdict(list)
    for k, v in zip("aba", values):
        groups[k].append(v * keys_scale[len(groups[k])])
    return sum(math.prod(g) for g in groups.values())


class PiecewiseLinear:
    def __init__(self, xs, ys):
        self.xs, self.ys = list(xs), list(ys)

    def __call__(self, x):
        k = min(max(bisect.bisect_right(self.xs, x) - 1, 0), len(self.xs) - 2)
        t = (x - self.xs[k]) / (self.xs[k + 1] - self.xs[k])
        return self.ys[k] * (1.0 - t) + self.ys[k + 1] * t

    def insert(self, x, y):
        k = bisect.bisect_left(self.xs, x)
        self.xs.insert(k, x)
        self.ys.insert(k, y)


@program(np.array([0.0, 1.0, 4.0, 9.0]), 1.4)
def piecewise(ys, x):
    p = PiecewiseLinear([0.0, 1.0, 2.0, 3.0], ys)
    before = p(x)
    p.insert(1.5, x)
    return before + p(x) * p(2.5)


@program(np.array([0.9, 0.1, 0.5]))
def insort_values(x):
    ordered = []
    for v in x:
        bisect.insort(ordered, v)
    return sum(w * v for w, v in zip((1.0, 10.0, 100.0), ordered))


class Mode(enum.Enum):
    HEAT = 1.0
    COOL = -0.5
    OFF = 0.0

    def power(self, error):
        return self.value * abs(error)

    @property
    def active(self):
        return self is not Mode.OFF


@program(18.0, 21.0)
def enum_modes(temperature, target):
    used = Counter()
    for _ in range(6):
        error = target - temperature
        mode = Mode.HEAT if error > 0.5 else Mode.COOL if error < -0.5 else Mode.OFF
        used[mode] += 1
        if mode.active:
            temperature += 0.4 * mode.power(error)
        else:
            temperature -= 0.05 * temperature / used[Mode.OFF]
    return temperature


class Permission(enum.IntFlag):
    DRAG = 1
    LIFT = 2
    GRAVITY = 4


@program(0.3, 2.0)
def flag_terms(v, m):
    total = 0.0
    for flags in (Permission.DRAG, Permission.DRAG | Permission.GRAVITY, Permission(7)):
        if flags & Permission.DRAG:
            total -= 0.5 * v * v
        if flags & Permission.LIFT:
            total += 0.2 * v
        if Permission.GRAVITY in flags:
            total -= 9.81 * m
    return total


class Renderer:
    @functools.singledispatchmethod
    def area(self, shape):
        raise TypeError(type(shape))

    @area.register
    def _(self, shape: float):
        return shape * shape

    @area.register
    def _(self, shape: tuple):
        a, b = shape
        return a * b


@program(1.5, 0.5)
def dispatch_method(a, b):
    r = Renderer()
    return r.area(a) + r.area((a, b)) + r.area(b)


class Field2:
    def __init__(self, strength):
        self.strength = strength
        self.evaluated = 0

    @functools.cached_property
    def potential(self):
        self.evaluated += 1
        return self.strength ** 2 + 1.0

    def at(self, x):
        return self.potential * x


@program(0.7)
def cached_potential(s):
    field = Field2(s)
    total = sum(field.at(x) for x in (0.1, 0.2, 0.3))
    return total + field.evaluated * s


@program(0.3)
def lru_cached_inside(x):
    @functools.lru_cache(maxsize=None)
    def moment(n):
        if n < 2:
            return x if n else 1.0
        return x * moment(n - 1) + (n - 1) * moment(n - 2)
    return moment(6) + moment(4)


@program(0.9, 1.1)
def partials(a, b):
    def affine(x, scale, shift=0.0):
        return scale * x + shift
    steps = [functools.partial(affine, scale=a), functools.partial(affine, scale=b, shift=a), functools.partial(operator.mul, b)]
    return functools.reduce(lambda x, f: f(x), steps, 1.5)


@dataclass(order=True)
class Job:
    priority: int
    cost: float = field(compare=False)
    tags: list = field(default_factory=list, compare=False)


@program(1.5, 0.5)
def job_queue(a, b):
    heap = []
    for k, c in ((3, a), (1, b), (2, a * b)):
        heapq.heappush(heap, Job(k, c))
    total, weight = 0.0, 1.0
    while heap:
        job = heapq.heappop(heap)
        job.tags.append("done")
        total += weight * job.cost
        weight *= 0.5
    return total


class Sample(NamedTuple):
    t: float
    value: float
    weight: float = 1.0

    def scaled(self, by):
        return self._replace(value=self.value * by)


@program(0.5, 2.0)
def named_samples(a, b):
    samples = [Sample(0.0, a), Sample(1.0, b, 0.5), Sample(2.0, a * b)]
    scaled = [s.scaled(b) for s in samples if s.t > 0.5]
    return sum(s.value * s.weight for s in scaled) / sum(weight for _, _, weight in scaled)


class RingBuffer:
    def __init__(self, size):
        self.data = deque([0.0] * size, maxlen=size)

    def push(self, x):
        oldest = self.data[0]
        self.data.append(x)
        return oldest

    def tap(self, k):
        return self.data[-1 - k]


@program(0.6, 0.3)
def comb_filter(feedback, x):
    line = RingBuffer(3)
    total = 0.0
    for k in range(8):
        out = x / (k + 1) + feedback * line.push(total)
        total = out + 0.1 * line.tap(1)
        line.data.rotate(1)
    return total


@program(np.array([3.0, 1.0, 2.0, 5.0]))
def largest_and_smallest(x):
    top = heapq.nlargest(2, x)
    low = heapq.nsmallest(2, enumerate(x), key=lambda p: p[1])
    return top[0] * top[1] + sum(v * (k + 1) for k, v in low)


@dataclass
class Ledger:
    name: str
    rates: dict = field(default_factory=lambda: {"base": 0.05})
    history: list = field(default_factory=list)
    total: float = field(init=False, default=0.0)

    def post(self, amount, kind="base"):
        self.total += amount * (1.0 + self.rates.setdefault(kind, 0.1))
        self.history.append((kind, self.total))


@program(2.0, 0.3)
def ledger(amount, rate):
    book = Ledger("main")
    book.rates["special"] = rate
    for kind in ("base", "special", "other", "base"):
        book.post(amount, kind)
    return sum(t for kind, t in book.history if kind != "other")


@dataclass(frozen=True)
class Vec2:
    x: float
    y: float

    def __add__(self, o):
        return Vec2(self.x + o.x, self.y + o.y)

    def __rmul__(self, k):
        return Vec2(k * self.x, k * self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __bool__(self):
        return bool(self.x or self.y)


@program(0.5, 1.5)
def frozen_vectors(a, b):
    path = sum((k * Vec2(a, b * k) for k in range(1, 4)), Vec2(0.0, 0.0))
    return abs(path) if path else 0.0


@program(1.0, 2.0, 0.5)
def sorted_objects(a, b, c):
    jobs = [Job(2, a), Job(0, b), Job(1, c)]
    jobs.sort()
    by_cost = sorted(jobs, key=operator.attrgetter("cost"), reverse=True)
    return jobs[0].cost * 3.0 + by_cost[0].cost + by_cost[-1].cost ** 2


@program(0.4)
def set_of_visited(x):
    frontier, visited, cost = deque([(0, x)]), set(), {}
    while frontier:
        node, c = frontier.popleft()
        if node in visited:
            continue
        visited.add(node)
        cost[node] = c
        for child in (2 * node + 1, 2 * node + 2):
            if child < 6:
                frontier.append((child, c * x + child))
    return sum(cost.values()) / len(visited)
