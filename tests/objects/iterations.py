"""Generators, iterators and itertools: values that are produced one at a time."""
from __future__ import annotations

import itertools
import math
from collections import deque

import numpy as np

from .registry import program


def newton_iterates(f, df, x):
    while True:
        yield x
        x = x - f(x) / df(x)


@program(2.5)
def newton_generator(a):
    iterates = newton_iterates(lambda x: x * x - a, lambda x: 2.0 * x, 1.0 + a)
    return list(itertools.islice(iterates, 6))[-1]


@program(0.4, 1.3)
def takewhile_decay(rate, start):
    def decay(x):
        while True:
            yield x
            x *= math.exp(-rate)
    total = 0.0
    for value in itertools.takewhile(lambda v: v > 0.2, decay(start)):
        total += value ** 2
    return total


@program(1.2, 0.8)
def zip_infinite(a, b):
    def powers(x):
        p = 1.0
        while True:
            yield p
            p *= x
    return sum(p * c for p, c in zip(powers(a), [1.0, b, b * b, 0.5]))


def running_average():
    total, count, average = 0.0, 0, None
    while True:
        value = yield average
        total += value
        count += 1
        average = total / count


@program(np.array([0.5, 1.5, -0.3, 2.0]))
def send_average(xs):
    averager = running_average()
    next(averager)
    last = 0.0
    for x in xs:
        last = last * 0.5 + averager.send(x * x)
    return last


@program(0.3, 1.7)
def averager_closed(x, y):
    averager = running_average()
    next(averager)
    averager.send(x)
    m = averager.send(math.exp(y))
    averager.close()
    return m * x


class BinaryNode:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.value
        if self.right is not None:
            yield from self.right


@program(0.6, 1.4)
def tree_in_order(a, b):
    tree = BinaryNode(a, BinaryNode(b * a, BinaryNode(b)), BinaryNode(a + b, None, BinaryNode(a * a)))
    total, weight = 0.0, 1.0
    for value in tree:
        total += weight * math.sin(value)
        weight *= 0.7
    return total


class LogBook:
    def __init__(self):
        self.entries = []

    def record(self, generator):
        for step, value in enumerate(generator):
            self.entries.append((step, value))
            yield value


def heun_path(f, y, h, n):
    for _ in range(n):
        k1 = f(y)
        k2 = f(y + h * k1)
        y = y + 0.5 * h * (k1 + k2)
        yield y


@program(0.5, 1.0)
def recorded_path(k, y0):
    book = LogBook()
    last = None
    for last in book.record(heun_path(lambda y: -k * y * y, y0, 0.1, 5)):
        pass
    return last + sum(v * s for s, v in book.entries)


class Pairs:
    """Iterates over the pairs of neighbors of a sequence; can be iterated over again."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return zip(self.items, self.items[1:])

    def __len__(self):
        return len(self.items) - 1


@program(np.array([0.2, 0.9, 1.4, 2.2]))
def path_length(points):
    pairs = Pairs([(p, math.sin(p)) for p in points])
    length = sum(math.hypot(x1 - x0, y1 - y0) for (x0, y0), (x1, y1) in pairs)
    slopes = [(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in pairs]
    return length + sum(slopes) / len(pairs)


class Collatz:
    def __init__(self, n, scale):
        self.n = n
        self.scale = scale
        self.done = False

    def __iter__(self):
        return self

    def __next__(self):
        if self.done:
            raise StopIteration
        value = self.n
        if value == 1:
            self.done = True
        self.n = value // 2 if value % 2 == 0 else 3 * value + 1
        return value * self.scale


@program(0.05)
def collatz_sum(scale):
    return sum(math.tanh(v) for v in Collatz(6, scale))


def sliding(seq, width):
    window = deque(maxlen=width)
    for item in seq:
        window.append(item)
        if len(window) == width:
            yield tuple(window)


@program(np.array([1.0, 0.5, 2.0, 1.5, 0.8]))
def sliding_window(xs):
    return sum(max(w) * min(w) for w in sliding(list(xs), 3))


@program(np.array([0.5, 1.0, 1.5]))
def accumulate_chain(xs):
    head = itertools.accumulate(xs, lambda s, x: 0.5 * s + x * x)
    tail = itertools.chain(head, itertools.repeat(xs[0], 2))
    return sum(w * v for w, v in zip(itertools.cycle([1.0, -0.5]), tail))


@program(1.1, 0.7)
def product_of_factors(a, b):
    total = 0.0
    for u, v in itertools.product([a, b], repeat=2):
        total += u * math.exp(-v)
    for u, v, w in itertools.combinations([a, b, a * b, 1.0], 3):
        total += u * v * w
    return total


@program(np.array([3.0, 1.0, 2.0, 4.0]))
def groups_by_sign(x):
    deviations = sorted(x - x.mean())
    parts = {}
    for positive, group in itertools.groupby(deviations, key=lambda d: d > 0):
        parts[positive] = sum(d * d for d in group)
    return parts[True] - 0.5 * parts[False]


def scheduler(tasks):
    """Round robin over generators, until all are exhausted."""
    ready = deque(tasks)
    while ready:
        task = ready.popleft()
        try:
            value = next(task)
        except StopIteration:
            continue
        ready.append(task)
        yield value


def ramp(start, step, n):
    for k in range(n):
        yield start + k * step


@program(0.4, 0.9)
def round_robin(a, b):
    total = 1.0
    for value in scheduler([ramp(a, b, 2), ramp(b, a, 3), ramp(a * b, 1.0, 1)]):
        total = total * 0.8 + value
    return total


def accumulator_with_result(values):
    total = 0.0
    for v in values:
        total += v
        yield total
    return total * total


def outer(values):
    result = yield from accumulator_with_result(values)
    yield result


@program(0.3, 1.2)
def yield_from_result(x, y):
    return sum(outer([x, y, x * y]))


class Countup:
    def __init__(self, start, step):
        self.value = start
        self.step = step

    def __iter__(self):
        while True:
            yield self.value
            self.value += self.step


@program(0.25)
def shared_iterator(step):
    it = iter(Countup(1.0, step))
    first = sum(itertools.islice(it, 3))
    second = next(it)
    return first * second


@program(np.array([0.5, 1.5, 2.5]))
def two_passes_tee(xs):
    a, b = itertools.tee(x * x for x in xs)
    next(b)
    return sum(u * v for u, v in zip(a, b))


def bisection(f, lo, hi):
    while True:
        mid = 0.5 * (lo + hi)
        yield lo, hi, mid
        if f(mid) * f(lo) <= 0:
            hi = mid
        else:
            lo = mid


@program(2.0)
def bisection_then_newton(a):
    def f(x):
        return x ** 3 - a
    for lo, hi, mid in bisection(f, 0.0, 3.0):
        if hi - lo < 0.1:
            break
    x = mid
    for _ in range(4):
        x = x - f(x) / (3.0 * x * x)
    return x


class Buffered:
    """An iterator with one item of look-ahead."""

    def __init__(self, source):
        self._source = iter(source)
        self._ahead = None
        self._has = False
        self._advance()

    def _advance(self):
        try:
            self._ahead = next(self._source)
            self._has = True
        except StopIteration:
            self._has = False

    def peek(self):
        return self._ahead

    def __bool__(self):
        return self._has

    def take(self):
        value = self._ahead
        self._advance()
        return value


@program(np.array([0.7, 0.2, 1.1]), np.array([0.4, 0.9]))
def merge_sorted(a, b):
    left, right = Buffered(sorted(a)), Buffered(sorted(b))
    total, weight = 0.0, 1.0
    while left or right:
        if not right or (left and left.peek() < right.peek()):
            v = left.take()
        else:
            v = right.take()
        total += weight * v * v
        weight *= 0.5
    return total


class Signal:
    def __init__(self, f):
        self.f = f

    def samples(self, rate):
        for k in itertools.count():
            yield self.f(k / rate)

    def __add__(self, other):
        return Signal(lambda t: self.f(t) + other.f(t))

    def __mul__(self, gain):
        return Signal(lambda t: gain * self.f(t))


@program(1.5, 0.4)
def signal_energy(freq, gain):
    tone = Signal(lambda t: math.sin(freq * t)) + Signal(math.cos) * gain
    return sum(s * s for s in itertools.islice(tone.samples(5.0), 2, 12, 3))


def controlled(gain):
    error = yield 0.0
    integral = 0.0
    while error is not None:
        integral += error
        error = yield gain * error + 0.1 * integral


@program(0.6, 2.0)
def coroutine_controller(gain, target):
    controller = controlled(gain)
    next(controller)
    y = 0.0
    for _ in range(5):
        u = controller.send(target - y)
        y += 0.5 * (u - 0.2 * y)
    try:
        controller.send(None)
    except StopIteration:
        y *= 2.0
    return y


@program(0.8)
def starmap_and_filter(x):
    pairs = [(x, 2), (x + 1.0, 3), (-x, 3), (x * x, 1)]
    powers = itertools.starmap(pow, pairs)
    return sum(v for v in filter(lambda v: v > 0, powers))


@program(np.array([0.3, 0.6, 0.9]))
def generator_of_objects(x):
    class Item:
        def __init__(self, w, k):
            self.w, self.k = w, k

        def cost(self):
            return self.w ** self.k

    items = (Item(w, k + 1) for k, w in enumerate(x))
    best = max(items, key=Item.cost)
    return best.cost() + best.w
