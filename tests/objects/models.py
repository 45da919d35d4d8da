"""Layers, optimizers, circuits, ray tracers, units, quaternions, backtests and solvers as classes."""
from __future__ import annotations

import dataclasses
import functools
import math
from collections import OrderedDict, deque

import numpy as np

from .registry import program


class Module:
    def __init__(self):
        self._parameters = OrderedDict()
        self._modules = OrderedDict()
        self.training = True

    def add(self, name, module):
        self._modules[name] = module
        return module

    def __call__(self, *args):
        return self.forward(*args)

    def parameters(self):
        for p in self._parameters.values():
            yield p
        for m in self._modules.values():
            yield from m.parameters()


class Dense(Module):
    def __init__(self, w, b):
        super().__init__()
        self._parameters["w"] = w
        self._parameters["b"] = b

    def forward(self, x):
        return self._parameters["w"] @ x + self._parameters["b"]


class Tanh(Module):
    def forward(self, x):
        return np.tanh(x)


class Sequential(Module):
    def __init__(self, *layers):
        super().__init__()
        for k, layer in enumerate(layers):
            self.add(str(k), layer)

    def forward(self, x):
        for layer in self._modules.values():
            x = layer(x)
        return x


@program(np.array([[0.1, 0.2], [0.3, -0.4]]), np.array([0.5, -0.1]))
def torch_like(w, x):
    net = Sequential(Dense(w, np.zeros(2)), Tanh(), Dense(w.T, np.ones(2)))
    out = net(x)
    return np.sum(out ** 2) + 0.1 * sum(np.sum(p ** 2) for p in net.parameters())


class SGD:
    def __init__(self, params, lr, momentum=0.9):
        self.params, self.lr, self.momentum = params, lr, momentum
        self.velocity = [np.zeros_like(p) for p in params]

    def step(self, grads):
        for k, g in enumerate(grads):
            self.velocity[k] = self.momentum * self.velocity[k] - self.lr * g
            self.params[k] = self.params[k] + self.velocity[k]


@program(0.1, 0.9, np.array([1.0, -2.0]))
def sgd(lr, momentum, x0):
    opt = SGD([x0, 2.0 * x0], lr, momentum)
    for _ in range(4):
        opt.step([2.0 * p for p in opt.params])
    return sum(np.sum(p ** 2) for p in opt.params)


class Adam:
    def __init__(self, lr, b1=0.9, b2=0.99, eps=1e-8):
        self.lr, self.b1, self.b2, self.eps = lr, b1, b2, eps
        self.state = {}

    def update(self, name, p, g):
        if name not in self.state:
            self.state[name] = {"t": 0, "m": np.zeros_like(p), "v": np.zeros_like(p)}
        s = self.state[name]
        s["t"] += 1
        s["m"] = self.b1 * s["m"] + (1 - self.b1) * g
        s["v"] = self.b2 * s["v"] + (1 - self.b2) * g ** 2
        m = s["m"] / (1 - self.b1 ** s["t"])
        v = s["v"] / (1 - self.b2 ** s["t"])
        return p - self.lr * m / (np.sqrt(v) + self.eps)


@program(0.1, np.array([1.0, -2.0]))
def adam(lr, x0):
    opt = Adam(lr)
    x, y = x0, 0.5 * x0
    for _ in range(3):
        x = opt.update("x", x, 2 * x)
        y = opt.update("y", y, np.cos(y))
    return np.sum(x ** 2) + np.sum(y)


class Quaternion:
    __slots__ = ("w", "x", "y", "z")

    def __init__(self, w, x, y, z):
        self.w, self.x, self.y, self.z = w, x, y, z

    def __mul__(self, o):
        if isinstance(o, Quaternion):
            return Quaternion(
                self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
                self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
                self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
                self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w)
        return Quaternion(self.w * o, self.x * o, self.y * o, self.z * o)

    __rmul__ = __mul__

    @property
    def conjugate(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def __abs__(self):
        return math.sqrt(self.w ** 2 + self.x ** 2 + self.y ** 2 + self.z ** 2)

    def normalized(self):
        return self * (1.0 / abs(self))

    def rotate(self, v):
        q = self * Quaternion(0.0, *v) * self.conjugate
        return q.x, q.y, q.z


@program(0.3, 0.5)
def quaternions(a, b):
    q = Quaternion(1.0, a, b, 0.0).normalized()
    for k in range(3):
        q = (q * Quaternion(math.cos(a), 0.0, math.sin(b), 0.1 * k)).normalized()
    x, y, z = q.rotate((1.0, a, 0.0))
    return x * y + z


@program(0.3, 0.5)
def quaternion_list(a, b):
    qs = [Quaternion(1.0, 0.0, 0.0, 0.0)]
    while len(qs) < 5 and abs(qs[-1]) < 4.0:
        qs.append(qs[-1] * Quaternion(1.0, a, b * len(qs), 0.2))
    return functools.reduce(lambda p, q: p * q, qs).w


class Quantity:
    def __init__(self, value, unit):
        self.value, self.unit = value, unit

    def __add__(self, o):
        if self.unit != o.unit:
            raise TypeError("units differ")
        return Quantity(self.value + o.value, self.unit)

    def __mul__(self, o):
        if isinstance(o, Quantity):
            return Quantity(self.value * o.value, {k: self.unit.get(k, 0) + o.unit.get(k, 0) for k in {**self.unit, **o.unit}})
        return Quantity(self.value * o, self.unit)

    __rmul__ = __mul__

    def to(self, factor):
        return self.value * factor


@program(2.0, 3.0)
def units(l, t):
    length = Quantity(l, {"m": 1})
    inverse = Quantity(1.0 / t, {"s": -1})
    speed = length * inverse
    total = speed + 2.0 * speed
    try:
        total = total + length
    except TypeError:
        total = total + speed
    return total.to(3.6)


class Element:
    def __init__(self, a, b):
        self.a, self.b = a, b


class Resistor(Element):
    def __init__(self, a, b, r):
        super().__init__(a, b)
        self.r = r

    def stamp(self, G, rhs, v, dt):
        g = 1.0 / self.r
        for i, j, s in ((self.a, self.a, 1), (self.b, self.b, 1), (self.a, self.b, -1), (self.b, self.a, -1)):
            if i > 0 and j > 0:
                G[i - 1, j - 1] += s * g


class Capacitor(Element):
    def __init__(self, a, b, c):
        super().__init__(a, b)
        self.c, self.v = c, 0.0

    def stamp(self, G, rhs, v, dt):
        g = self.c / dt
        if self.a > 0:
            G[self.a - 1, self.a - 1] += g
            rhs[self.a - 1] += g * self.v

    def accept(self, v):
        self.v = v[self.a - 1]


class Source(Element):
    def __init__(self, a, b, i):
        super().__init__(a, b)
        self.i = i

    def stamp(self, G, rhs, v, dt):
        rhs[self.a - 1] += self.i


class Circuit:
    def __init__(self, nodes):
        self.n, self.elements = nodes, []

    def add(self, e):
        self.elements.append(e)
        return self

    def step(self, v, dt):
        G, rhs = np.zeros((self.n, self.n)), np.zeros(self.n)
        for e in self.elements:
            e.stamp(G, rhs, v, dt)
        v = np.linalg.solve(G, rhs)
        for e in self.elements:
            if hasattr(e, "accept"):
                e.accept(v)
        return v


@program(2.0, 0.5)
def rc_circuit(r, c):
    circuit = Circuit(2).add(Source(1, 0, 1.0)).add(Resistor(1, 2, r)).add(Resistor(2, 0, 3.0)).add(Capacitor(2, 0, c))
    circuit.add(Resistor(1, 0, 10.0))
    v = np.zeros(2)
    for _ in range(4):
        v = circuit.step(v, 0.1)
    return v[1] + v[0] ** 2


@program(2.0, 0.5)
def ladder_circuit(r, c):
    n = 4
    circuit = Circuit(n)
    circuit.add(Source(1, 0, 1.0))
    for k in range(1, n):
        circuit.add(Resistor(k, k + 1, r * k))
        circuit.add(Capacitor(k + 1, 0, c))
    circuit.add(Resistor(n, 0, 1.0))
    v = np.zeros(n)
    for _ in range(3):
        v = circuit.step(v, 0.1)
    return v[n - 1]


class Ray:
    def __init__(self, origin, direction):
        self.origin, self.direction = origin, direction / np.linalg.norm(direction)

    def at(self, t):
        return self.origin + t * self.direction


class Sphere:
    def __init__(self, center, radius, color):
        self.center, self.radius, self.color = np.array(center), radius, color

    def hit(self, ray):
        oc = ray.origin - self.center
        b = oc @ ray.direction
        disc = b * b - (oc @ oc - self.radius ** 2)
        if disc < 0:
            return None
        t = -b - math.sqrt(disc)
        return t if t > 0 else None

    def normal(self, p):
        return (p - self.center) / self.radius


class Scene:
    def __init__(self):
        self.objects = []

    def trace(self, ray, depth=0):
        nearest, obj = math.inf, None
        for o in self.objects:
            t = o.hit(ray)
            if t is not None and t < nearest:
                nearest, obj = t, o
        if obj is None:
            return 0.1
        p = ray.at(nearest)
        n = obj.normal(p)
        light = max(n @ np.array([0.6, 0.8, 0.0]), 0.0)
        color = obj.color * light
        if depth < 1:
            d = ray.direction - 2.0 * (ray.direction @ n) * n
            color += 0.3 * self.trace(Ray(p + 1e-3 * n, d), depth + 1)
        return color


@program(1.0, 0.8)
def ray_tracer(radius, color):
    scene = Scene()
    scene.objects.append(Sphere([0.0, 0.0, 5.0], radius, color))
    scene.objects.append(Sphere([0.0, 2.5, 4.0], 1.0, 0.5))
    total = 0.0
    for k in range(3):
        total += scene.trace(Ray(np.zeros(3), np.array([0.1 * k, 0.2, 1.0])))
    return total


class Portfolio:
    def __init__(self, cash):
        self.cash, self.positions, self.trades = cash, {}, []

    def order(self, symbol, amount, price, fee):
        self.positions[symbol] = self.positions.get(symbol, 0.0) + amount
        self.cash -= amount * price + fee * abs(amount * price)
        self.trades.append((symbol, amount, price))

    def value(self, prices):
        return self.cash + sum(n * prices[s] for s, n in self.positions.items())


class Momentum:
    def __init__(self, window, fraction):
        self.window, self.fraction = window, fraction
        self.prices = deque(maxlen=window)

    def on_bar(self, portfolio, price, fee):
        self.prices.append(price)
        if len(self.prices) == self.window:
            mean = sum(self.prices) / self.window
            if price > mean:
                portfolio.order("A", self.fraction * portfolio.cash / price, price, fee)
            elif portfolio.positions.get("A", 0.0) > 0:
                portfolio.order("A", -self.fraction * portfolio.positions["A"], price, fee)


@program(0.3, 0.01)
def backtest(fraction, fee):
    portfolio, strategy = Portfolio(100.0), Momentum(3, fraction)
    price = 10.0
    for k in range(12):
        price = 10.0 + 2.0 * math.sin(k)
        strategy.on_bar(portfolio, price, fee)
    return portfolio.value({"A": price}) + len(portfolio.trades)


class Solver:
    methods = {}

    def __init_subclass__(cls):
        Solver.methods[cls.__name__.lower()] = cls

    def __init__(self, f):
        self.f, self.evaluations = f, 0

    def call(self, t, y):
        self.evaluations += 1
        return self.f(t, y)

    def run(self, y, h, n):
        t = 0.0
        for _ in range(n):
            y = self.step(t, y, h)
            t += h
        return y


class Euler(Solver):
    def step(self, t, y, h):
        return y + h * self.call(t, y)


class RK4(Solver):
    def step(self, t, y, h):
        k1 = self.call(t, y)
        k2 = self.call(t + h / 2, y + h / 2 * k1)
        k3 = self.call(t + h / 2, y + h / 2 * k2)
        k4 = self.call(t + h, y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@program(0.8, np.array([1.0, 0.2]))
def ode_solvers(k, y0):
    total = 0.0
    for name in ("euler", "rk4"):
        solver = Solver.methods[name](lambda t, y: np.array([y[1], -k * y[0]]) + t)
        total += solver.run(y0, 0.1, 4)[0] * solver.evaluations
    return total


class Spline:
    def __init__(self, xs, ys):
        self.xs, self.ys = xs, ys
        self._slopes = None

    @property
    def slopes(self):
        if self._slopes is None:
            self._slopes = np.diff(self.ys) / np.diff(self.xs)
        return self._slopes

    def __call__(self, x):
        k = min(max(int(np.searchsorted(self.xs, x)) - 1, 0), len(self.xs) - 2)
        return self.ys[k] + self.slopes[k] * (x - self.xs[k])


@program(np.array([1.0, 2.0, 0.0, 1.5]), 1.3)
def interpolator(ys, x):
    s = Spline(np.array([0.0, 1.0, 2.0, 3.0]), ys)
    return s(x) * s(2.5) + s(0.2)


@dataclasses.dataclass
class Stage:
    mass: float
    fuel: float
    isp: float
    burnt: bool = False

    def burn(self, dt, rate):
        used = min(rate * dt, self.fuel)
        self.fuel -= used
        if self.fuel <= 0:
            self.burnt = True
        return used * self.isp


class Rocket:
    def __init__(self, stages):
        self.stages, self.v = stages, 0.0

    @property
    def mass(self):
        return sum(s.mass + s.fuel for s in self.stages)

    def step(self, dt, rate):
        if self.stages:
            stage = self.stages[0]
            self.v += dt * (stage.burn(dt, rate) / self.mass - 0.1)
            if stage.burnt:
                self.stages.pop(0)


@program(0.9, 30.0)
def rocket(rate, isp):
    r = Rocket([Stage(1.0, 0.25, isp), Stage(0.5, 0.3, 1.1 * isp)])
    for _ in range(8):
        r.step(0.1, rate)
    return r.v + len(r.stages)


class HMM:
    def __init__(self, stay, noise):
        self.trans = np.array([[stay, 1 - stay], [1 - stay, stay]])
        self.noise = noise
        self.belief = np.array([0.5, 0.5])

    def likelihood(self, z):
        return np.exp(-0.5 * ((z - np.array([0.0, 1.0])) / self.noise) ** 2) / self.noise

    def observe(self, z):
        joint = self.likelihood(z) * (self.trans.T @ self.belief)
        evidence = joint.sum()
        self.belief = joint / evidence
        return math.log(evidence)


@program(0.8, 0.5)
def hidden_markov(stay, noise):
    model = HMM(stay, noise)
    return sum(model.observe(z) for z in (0.1, 0.9, 1.2, 0.2))


class Gp:
    def __init__(self, length):
        self.length, self.x, self.alpha = length, None, None

    def kernel(self, a, b):
        return np.exp(-0.5 * ((a[:, None] - b[None, :]) / self.length) ** 2)

    def fit(self, x, y):
        self.x = x
        self.alpha = np.linalg.solve(self.kernel(x, x) + 0.1 * np.eye(len(x)), y)
        return self

    def predict(self, x):
        if self.alpha is None:
            raise RuntimeError("not fitted")
        return self.kernel(x, self.x) @ self.alpha


@program(0.8, np.array([0.1, 0.5, -0.2]))
def gaussian_process(length, y):
    gp = Gp(length).fit(np.array([0.0, 1.0, 2.0]), y)
    return np.sum(gp.predict(np.array([0.5, 1.5])) ** 2)


@program(0.8, np.array([0.1, 0.5, -0.2]), given=lambda: [Gp(0.7)])
def gaussian_process_passed(length, y, gp):
    gp.length = length
    gp.fit(np.array([0.0, 1.0, 2.0]), y)
    return np.sum(gp.predict(np.array([0.5, 1.5])) ** 2)


class Species:
    def __init__(self, name, amount):
        self.name, self.amount = name, amount


class Reaction:
    def __init__(self, rate, inputs, outputs):
        self.rate, self.inputs, self.outputs = rate, inputs, outputs

    def flux(self):
        out = self.rate
        for s in self.inputs:
            out *= s.amount
        return out

    def apply(self, dt):
        f = self.flux() * dt
        for s in self.inputs:
            s.amount -= f
        for s in self.outputs:
            s.amount += f


@program(0.5, 1.0)
def reactions(rate, start):
    species = {n: Species(n, start if n in "AB" else 0.0) for n in "ABCD"}
    network = [Reaction(rate, [species["A"], species["B"]], [species["C"]]),
               Reaction(2 * rate, [species["C"]], [species["D"], species["A"]])]
    for _ in range(4):
        for r in network:
            r.apply(0.1)
    return species["D"].amount + species["A"].amount ** 2


class Layer2:
    def __init__(self, thickness, index):
        self.thickness, self.index = thickness, index
        self.next = None

    def matrix(self, k):
        d = k * self.index * self.thickness
        return np.array([[np.cos(d), np.sin(d) / self.index], [-self.index * np.sin(d), np.cos(d)]])


@program(0.3, 1.5)
def thin_films(thickness, index):
    first = current = Layer2(thickness, index)
    for k in range(3):
        current.next = Layer2(thickness * (k + 1), index + 0.1 * k)
        current = current.next
    m = np.eye(2)
    layer = first
    while layer:
        m = m @ layer.matrix(2.0)
        layer = layer.next
    return m[0, 0] + m[1, 0] ** 2


class Trajectory:
    def __init__(self):
        self.points = []
        self.meta = {}

    def record(self, t, state, **extra):
        self.points.append((t, state))
        self.meta.update(extra)

    def __getitem__(self, k):
        return self.points[k][1]

    def length(self):
        return sum(abs(b[1] - a[1]) for a, b in zip(self.points, self.points[1:]))


@program(0.5, 2.0)
def trajectory(k, x):
    tr = Trajectory()
    for i in range(5):
        tr.record(0.1 * i, x, last=x)
        x = x - 0.1 * k * x ** 2
    return tr.length() + tr[2] + tr.meta["last"]


class Node3:
    def __init__(self, left, right):
        self.left, self.right = left, right

    @property
    def depth(self):
        return 1 + max(c.depth if isinstance(c, Node3) else 0 for c in (self.left, self.right))

    def fold(self, f):
        return f(*[c.fold(f) if isinstance(c, Node3) else c for c in (self.left, self.right)])


@program(0.5, 2.0)
def nested_nodes(a, b):
    tree = Node3(a, Node3(b, Node3(a * b, 1.0)))
    return tree.fold(lambda x, y: x * y + math.sin(x)) * tree.depth
