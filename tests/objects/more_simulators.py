"""More simulators, controllers, agents and data structures that keep state in objects."""
from __future__ import annotations

import collections
import dataclasses
import heapq
import itertools
import math
from typing import Any

import numpy as np

from .registry import program


class Boid:
    def __init__(self, x, y, vx, vy):
        self.p, self.v = np.array([x, y]), np.array([vx, vy])

    def neighbors(self, flock, radius):
        return [b for b in flock if b is not self and np.sqrt(np.sum((b.p - self.p) ** 2)) < radius]


@program(0.3, 0.1)
def flock(cohesion, alignment):
    boids = []
    for k in range(5):
        boids.append(Boid(0.5 * k, 0.1 * k * k, 0.3, -0.1 * k))
    for _ in range(3):
        steering = []
        for b in boids:
            near = b.neighbors(boids, 1.2)
            if near:
                center = sum(n.p for n in near) / len(near)
                heading = sum(n.v for n in near) / len(near)
                steering.append(cohesion * (center - b.p) + alignment * (heading - b.v))
            else:
                steering.append(np.zeros(2))
        for b, s in zip(boids, steering):
            b.v = b.v + s
            b.p = b.p + 0.1 * b.v
    return sum(np.sum(b.p ** 2) for b in boids)


class Verlet:
    def __init__(self, positions, cutoff):
        self.x = positions
        self.old = positions.copy()
        self.cutoff = cutoff
        self.pairs = []

    def build(self):
        self.pairs = []
        for i, j in itertools.combinations(range(len(self.x)), 2):
            if abs(self.x[i] - self.x[j]) < self.cutoff:
                self.pairs.append((i, j))

    def energy_and_forces(self, eps):
        f, e = np.zeros(len(self.x)), 0.0
        for i, j in self.pairs:
            d = self.x[i] - self.x[j]
            inv = 1.0 / (d * d + 0.1)
            e += eps * inv
            f[i] += 2 * eps * d * inv ** 2
            f[j] -= 2 * eps * d * inv ** 2
        return e, f

    def step(self, dt, eps):
        e, f = self.energy_and_forces(eps)
        new = 2 * self.x - self.old + dt * dt * f
        self.old, self.x = self.x, new
        return e


@program(0.7, np.array([0.0, 1.0, 1.8, 3.5]))
def neighbor_list(eps, x0):
    md = Verlet(x0, 1.5)
    total = 0.0
    for k in range(4):
        if k % 2 == 0:
            md.build()
        total += md.step(0.1, eps)
    return total


class Lotka:
    def __init__(self, a, b, c, d):
        self.a, self.b, self.c, self.d = a, b, c, d
        self.prey, self.predators = 1.0, 0.5
        self.history = collections.deque([self.prey], maxlen=3)

    def step(self, dt):
        dp = self.a * self.prey - self.b * self.prey * self.predators
        dq = self.c * self.prey * self.predators - self.d * self.predators
        self.prey += dt * dp
        self.predators += dt * dq
        self.history.append(self.prey)
        return self


@program(1.1, 0.4)
def lotka_volterra(a, b):
    model = Lotka(a, b, 0.3, 0.4)
    for _ in range(10):
        model.step(0.1)
    return sum(model.history) * model.predators


class Vehicle:
    def __init__(self, position, speed):
        self.position, self.speed, self.leader = position, speed, None

    def acceleration(self, gain):
        if self.leader is None:
            return 0.5 * (1.0 - self.speed)
        gap = self.leader.position - self.position
        return gain * (gap - 1.0) + 0.2 * (self.leader.speed - self.speed)


@program(0.6, 0.8)
def car_following(gain, speed):
    cars = []
    for k in range(4):
        car = Vehicle(-1.2 * k, speed)
        if cars:
            car.leader = cars[-1]
        cars.append(car)
    for _ in range(5):
        accelerations = [c.acceleration(gain) for c in cars]
        for c, a in zip(cars, accelerations):
            c.speed += 0.1 * a
            c.position += 0.1 * c.speed
    return cars[-1].position ** 2 + cars[0].speed


@dataclasses.dataclass
class Order:
    price: float
    size: float
    buy: bool


class Book:
    def __init__(self):
        self.bids, self.asks, self.trades = [], [], []

    def submit(self, order):
        side, other = (self.bids, self.asks) if order.buy else (self.asks, self.bids)
        while order.size > 0 and other:
            best = max(other, key=lambda o: o.price) if not order.buy else min(other, key=lambda o: o.price)
            crosses = best.price <= order.price if order.buy else best.price >= order.price
            if not crosses:
                break
            size = min(order.size, best.size)
            self.trades.append(size * best.price)
            order.size -= size
            best.size -= size
            if best.size <= 1e-12:
                other.remove(best)
        if order.size > 0:
            side.append(order)


@program(1.0, 0.3)
def order_book(price, spread):
    book = Book()
    for k in range(3):
        book.submit(Order(price + spread * (k + 1), 1.0 + k, False))
    book.submit(Order(price + 2.5 * spread, 2.2, True))
    return sum(book.trades)


class Rng:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (1103515245 * self.state + 12345) % 2 ** 31
        return self.state / 2 ** 31


@program(0.5, 1.3)
def own_random_numbers(sigma, x):
    rng, total = Rng(7), 0.0
    for _ in range(6):
        x = x + sigma * (rng.next() - 0.5) * x
        total += x * x
    return total


class Queue:
    def __init__(self):
        self._in, self._out = [], []

    def put(self, x):
        self._in.append(x)

    def get(self):
        if not self._out:
            while self._in:
                self._out.append(self._in.pop())
        return self._out.pop()


@program(0.5, 1.3)
def two_stack_queue(a, b):
    q = Queue()
    total = 0.0
    for k in range(5):
        q.put(a * k + b)
        q.put(a ** k)
        total += q.get() * (k + 1)
    return total


class Inventory:
    class Item:
        def __init__(self, name, price, count):
            self.name, self.price, self.count = name, price, count

    def __init__(self):
        self.items = {}

    def add(self, name, price, count=1):
        if name in self.items:
            item = self.items[name]
            item.price = (item.price * item.count + price * count) / (item.count + count)
            item.count += count
        else:
            self.items[name] = Inventory.Item(name, price, count)

    def __iter__(self):
        return iter(self.items.values())

    @property
    def value(self):
        return sum(i.price * i.count for i in self)


@program(2.0, 3.5)
def inventory(p, q):
    inv = Inventory()
    for k, name in enumerate(["bolt", "nut", "bolt", "gear", "nut"]):
        inv.add(name, p + 0.1 * k * q, 1 + k % 2)
    inv.items["gear"].price *= q
    return inv.value + max(i.price for i in inv)


class Maze:
    def __init__(self, costs):
        self.costs = costs

    def neighbors(self, i, j):
        n, m = self.costs.shape
        for di, dj in ((0, 1), (1, 0)):
            if i + di < n and j + dj < m:
                yield i + di, j + dj


@program(np.array([[1.0, 2.0, 3.0], [1.5, 0.5, 1.0], [2.0, 0.7, 0.9]]))
def grid_path(costs):
    maze = Maze(costs)
    best = {(0, 0): costs[0, 0]}
    for i in range(3):
        for j in range(3):
            for n in maze.neighbors(i, j):
                c = best[i, j] + costs[n]
                if n not in best or c < best[n]:
                    best[n] = c
    return best[2, 2] ** 2


class Dijkstra:
    def __init__(self, graph):
        self.graph = graph

    def run(self, source, target):
        queue, seen = [(0.0, source)], set()
        while queue:
            d, u = heapq.heappop(queue)
            if u == target:
                return d
            if u in seen:
                continue
            seen.add(u)
            for v, w in self.graph[u]:
                heapq.heappush(queue, (d + w, v))
        return math.inf


@program(1.0, 0.4)
def dijkstra(a, b):
    graph = {0: [(1, a), (2, b)], 1: [(3, a * b)], 2: [(1, 0.3), (3, 2.0 * a)], 3: []}
    return Dijkstra(graph).run(0, 3) ** 2


class Servo:
    modes = ("idle", "track", "hold")

    def __init__(self):
        self.mode, self.angle, self.errors = "idle", 0.0, []
        self.handlers = {"idle": self.on_idle, "track": self.on_track, "hold": self.on_hold}

    def on_idle(self, target, gain):
        return "track" if abs(target - self.angle) > 0.05 else "idle"

    def on_track(self, target, gain):
        self.errors.append(target - self.angle)
        self.angle += gain * self.errors[-1]
        return "hold" if abs(target - self.angle) < 0.1 else "track"

    def on_hold(self, target, gain):
        return "idle"

    def step(self, target, gain):
        self.mode = self.handlers[self.mode](target, gain)


@program(0.5, 1.0)
def state_machine(gain, target):
    servo = Servo()
    for _ in range(8):
        servo.step(target, gain)
    return servo.angle + sum(e ** 2 for e in servo.errors)


class Wheel:
    def __init__(self, teeth):
        self.teeth, self.angle, self.meshed = teeth, 0.0, []

    def mesh(self, other):
        self.meshed.append(other)
        return other

    def turn(self, angle):
        self.angle += angle
        for w in self.meshed:
            w.turn(-angle * self.teeth / w.teeth)


@program(0.3, 1.5)
def gear_train(angle, ratio):
    first = Wheel(10.0)
    last = first.mesh(Wheel(10.0 * ratio)).mesh(Wheel(8.0))
    first.turn(angle)
    first.turn(2 * angle)
    return last.angle * first.angle


class Tensor3:
    def __init__(self, data):
        self.data = data

    def __getattr__(self, name):
        if len(name) == 2 and set(name) <= set("xyz"):
            return self.data["xyz".index(name[0])]["xyz".index(name[1])]
        raise AttributeError(name)


@program(0.3, 1.5)
def named_components(a, b):
    t = Tensor3([[a, b, 0.0], [b, a * b, 1.0], [0.0, 1.0, 2.0]])
    return t.xx * t.yy - t.xy * t.yx


class Memory:
    def __init__(self, size):
        self.buffer, self.size, self.at = [], size, 0

    def push(self, item):
        if len(self.buffer) < self.size:
            self.buffer.append(item)
        else:
            self.buffer[self.at] = item
        self.at = (self.at + 1) % self.size


class Transition:
    __slots__ = ("state", "reward")

    def __init__(self, state, reward):
        self.state, self.reward = state, reward


@program(0.9, 0.5)
def replay_memory(gamma, x):
    memory = Memory(3)
    for k in range(5):
        x = gamma * x + 0.1
        memory.push(Transition(x, x * k))
    return sum(t.state * t.reward for t in memory.buffer)


class Bandit:
    def __init__(self, means):
        self.means, self.counts, self.values = means, [0] * len(means), [0.0] * len(means)

    def pull(self, arm):
        self.counts[arm] += 1
        self.values[arm] += (self.means[arm] - self.values[arm]) / self.counts[arm]
        return self.means[arm]

    def best(self):
        return max(range(len(self.values)), key=lambda k: self.values[k] + 1.0 / (1 + self.counts[k]))


@program(np.array([0.3, 0.9, 0.5]))
def bandit(means):
    b = Bandit(means)
    total = 0.0
    for _ in range(6):
        total += b.pull(b.best()) ** 2
    return total + sum(b.values)


class Wave:
    def __init__(self, n, c):
        self.u, self.v, self.c = np.zeros(n), np.zeros(n), c
        self.probes = []

    def poke(self, k, amount):
        self.u[k] += amount
        return self

    def step(self, dt):
        lap = np.zeros_like(self.u)
        lap[1:-1] = self.u[2:] - 2 * self.u[1:-1] + self.u[:-2]
        self.v += dt * self.c ** 2 * lap
        self.u += dt * self.v

    def probe(self, k):
        self.probes.append(self.u[k])


@program(0.8, 1.2)
def wave_equation(c, amount):
    w = Wave(8, c).poke(3, amount)
    for _ in range(5):
        w.step(0.2)
        w.probe(5)
    return sum(p * (k + 1) for k, p in enumerate(w.probes)) + np.sum(w.u ** 2)


@program(0.8, given=lambda: [Wave(8, 0.9)])
def wave_passed(amount, w):
    w.poke(3, amount)
    w.step(0.2)
    w.step(0.2)
    return np.sum(w.u ** 2)


class Visitor:
    def visit(self, node):
        return getattr(self, "visit_" + type(node).__name__.lower())(node)


class Num:
    def __init__(self, v):
        self.v = v


class Neg:
    def __init__(self, arg):
        self.arg = arg


class Pow:
    def __init__(self, base, n):
        self.base, self.n = base, n


class Evaluate(Visitor):
    def visit_num(self, node):
        return node.v

    def visit_neg(self, node):
        return -self.visit(node.arg)

    def visit_pow(self, node):
        return self.visit(node.base) ** node.n


@program(1.3)
def visitor(x):
    tree = Neg(Pow(Neg(Num(x)), 3))
    return Evaluate().visit(tree)


class Observable:
    def __init__(self, value):
        self._value, self._observers = value, []

    def subscribe(self, f):
        self._observers.append(f)

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, v):
        old, self._value = self._value, v
        for f in self._observers:
            f(old, v)


@program(1.3, 0.4)
def observers(x, y):
    cell, log = Observable(x), []
    cell.subscribe(lambda old, new: log.append(new - old))
    cell.subscribe(lambda old, new: log.append(old * new))
    cell.value = y
    cell.value *= x
    return sum(v * (k + 1) for k, v in enumerate(log))


class Pipeline:
    def __init__(self):
        self.steps: list[Any] = []

    def __or__(self, f):
        self.steps.append(f)
        return self

    def __call__(self, x):
        for f in self.steps:
            x = f(x)
        return x


@program(0.7)
def pipeline_of_functions(x):
    return (Pipeline() | math.sin | (lambda v: v * x) | math.exp)(x)


class Budget:
    def __init__(self, limit):
        self.limit, self.spent = limit, 0.0

    def __enter__(self):
        self.start = self.spent
        return self

    def __exit__(self, *exc):
        self.limit -= self.spent - self.start
        return False

    def spend(self, amount):
        if amount > self.limit - self.spent:
            raise OverflowError("over budget")
        self.spent += amount


@program(0.7, 4.0)
def budget(amount, limit):
    b = Budget(limit)
    with b:
        b.spend(amount)
        b.spend(0.5 * amount)
    try:
        b.spend(10.0)
    except OverflowError:
        b.spend(0.1 * amount)
    return b.limit * b.spent


class Polynomial(list):
    def __call__(self, x):
        return sum(c * x ** k for k, c in enumerate(self))

    def derivative(self):
        return Polynomial([k * c for k, c in enumerate(self)][1:])


@program(0.7, -1.1)
def polynomial_list(x, a):
    p = Polynomial([1.0, a, a * a, 0.5])
    return p(x) * p.derivative()(x) + len(p)


class Cache(dict):
    def __init__(self, make):
        super().__init__()
        self.make, self.misses = make, 0

    def __missing__(self, key):
        self.misses += 1
        value = self[key] = self.make(key)
        return value


@program(0.7)
def cache_of_values(x):
    cache = Cache(lambda k: math.sin(k * x))
    total = 0.0
    for k in (1, 2, 1, 3, 2):
        total += cache[k]
    return total * cache.misses
