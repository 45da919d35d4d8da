"""Layers, optimizers, models and estimators as classes."""
from __future__ import annotations

import abc
import math
from collections import OrderedDict

import numpy as np

from .registry import program


class Module2:
    def __init__(self):
        object.__setattr__(self, "_parameters", OrderedDict())
        object.__setattr__(self, "_modules", OrderedDict())

    def __setattr__(self, name, value):
        if isinstance(value, Module2):
            self._modules[name] = value
        elif isinstance(value, np.ndarray):
            self._parameters[name] = value
        object.__setattr__(self, name, value)

    def parameters(self):
        yield from self._parameters.values()
        for m in self._modules.values():
            yield from m.parameters()

    def __call__(self, x):
        return self.forward(x)


class Affine(Module2):
    def __init__(self, w, b):
        super().__init__()
        self.w, self.b = w, b

    def forward(self, x):
        return self.w @ x + self.b


class TwoLayers(Module2):
    def __init__(self, w1, w2):
        super().__init__()
        self.first = Affine(w1, np.zeros(2))
        self.second = Affine(w2, np.ones(1))

    def forward(self, x):
        return self.second(np.tanh(self.first(x)))


@program(np.array([[0.5, -0.3], [0.2, 0.8]]), np.array([[1.0, -1.0]]))
def modules_registered(w1, w2):
    net = TwoLayers(w1, w2)
    loss = sum((net(x)[0] - t) ** 2 for x, t in ((np.array([1.0, 2.0]), 0.5), (np.array([-1.0, 0.5]), 0.1)))
    return loss + 0.01 * sum(np.sum(p ** 2) for p in net.parameters())


class Optimizer(abc.ABC):
    def __init__(self, params, lr):
        self.params, self.lr = params, lr
        self.state = {}
        self.t = 0

    def step(self, grads):
        self.t += 1
        for key, g in grads.items():
            self.params[key] = self.params[key] + self.update(key, g)

    @abc.abstractmethod
    def update(self, key, g): ...


class Momentum2(Optimizer):
    def __init__(self, params, lr, beta=0.9):
        super().__init__(params, lr)
        self.beta = beta

    def update(self, key, g):
        v = self.beta * self.state.get(key, 0.0) - self.lr * g
        self.state[key] = v
        return v


class RmsProp(Optimizer):
    def update(self, key, g):
        s = self.state.setdefault(key, 0.0) * 0.9 + 0.1 * g * g
        self.state[key] = s
        return -self.lr * g / math.sqrt(s + 1e-6)


@program(0.1, 2.0)
def trained_by(lr, start):
    total = 0.0
    for kind in (Momentum2, RmsProp):
        params = {"a": start, "b": -1.0}
        opt = kind(params, lr)
        for _ in range(4):
            a, b = params["a"], params["b"]
            opt.step({"a": 2 * a + b, "b": a + 4 * b ** 3})
        total += params["a"] ** 2 + params["b"] * opt.t
    return total


class Value:
    """A scalar that records its own derivative."""

    def __init__(self, data, children=(), backward=lambda: None):
        self.data, self.grad = data, 0.0
        self._children, self._backward = children, backward

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def backward():
            self.grad += out.grad
            other.grad += out.grad
        out._backward = backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = backward
        return out

    def tanh(self):
        t = math.tanh(self.data)
        out = Value(t, (self,))

        def backward():
            self.grad += (1 - t * t) * out.grad
        out._backward = backward
        return out

    def backward(self):
        order, seen = [], set()

        def visit(v):
            if v not in seen:
                seen.add(v)
                for c in v._children:
                    visit(c)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v._backward()


@program(0.5, -1.2)
def micrograd(a, b):
    x, y = Value(a), Value(b)
    out = (x * y + x).tanh() * 2.0 + y * y
    out.backward()
    return x.grad * y.grad + out.data


class Standardize:
    def fit(self, x):
        self.mean_, self.scale_ = x.mean(axis=0), x.std(axis=0)
        return self

    def transform(self, x):
        return (x - self.mean_) / self.scale_

    def fit_transform(self, x):
        return self.fit(x).transform(x)


class Ridge:
    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, x, y):
        xb = np.column_stack([np.ones(len(x)), x])
        penalty = self.alpha * np.eye(xb.shape[1])
        penalty[0, 0] = 0.0
        coef = np.linalg.solve(xb.T @ xb + penalty, xb.T @ y)
        self.intercept_, self.coef_ = coef[0], coef[1:]
        return self

    def predict(self, x):
        return x @ self.coef_ + self.intercept_

    def score(self, x, y):
        r = y - self.predict(x)
        return 1.0 - (r @ r) / np.sum((y - y.mean()) ** 2)


class Pipe:
    def __init__(self, steps):
        self.steps = steps

    def fit(self, x, y):
        for name, step in self.steps[:-1]:
            x = step.fit_transform(x)
        self.steps[-1][1].fit(x, y)
        return self

    def score(self, x, y):
        for _, step in self.steps[:-1]:
            x = step.transform(x)
        return self.steps[-1][1].score(x, y)

    @property
    def named_steps(self):
        return dict(self.steps)


@program(0.5, np.array([[0.1, 1.0], [0.7, -0.4], [1.5, 0.3], [2.0, 2.2], [0.4, 0.9]]))
def pipeline_scores(alpha, x):
    y = np.array([1.0, 0.5, 2.0, 3.5, 1.2])
    pipe = Pipe([("scale", Standardize()), ("ridge", Ridge(alpha))]).fit(x, y)
    return pipe.score(x, y) + np.sum(pipe.named_steps["ridge"].coef_ ** 2)


class DecisionNode:
    def __init__(self, depth):
        self.depth = depth
        self.left = self.right = None
        self.threshold = self.value = None

    def fit(self, x, y):
        if self.depth == 0 or len(x) < 2:
            self.value = np.mean(y)
            return self
        self.threshold = np.median(x)
        below = x < self.threshold
        self.left = DecisionNode(self.depth - 1).fit(x[below], y[below])
        self.right = DecisionNode(self.depth - 1).fit(x[~below], y[~below])
        return self

    def predict(self, x):
        node = self
        while node.value is None:
            node = node.left if x < node.threshold else node.right
        return node.value


@program(np.array([0.5, 1.5, 0.2, 2.5, 3.0]))
def regression_tree(y):
    x = np.array([0.1, 0.4, 0.5, 0.8, 0.9])
    root = DecisionNode(2).fit(x, y)
    return sum(root.predict(v) ** 2 for v in (0.2, 0.45, 0.85))


class Rnn:
    def __init__(self, params):
        self.__dict__.update(params)
        self.reset()

    def reset(self):
        self.h = np.zeros(self.wh.shape[0])

    def step(self, x):
        self.h = np.tanh(self.wx * x + self.wh @ self.h)
        return self.h

    def run(self, xs):
        self.reset()
        return np.stack([self.step(x) for x in xs])


@program(np.array([0.5, -0.4]), np.array([[0.1, 0.3], [-0.2, 0.4]]))
def recurrent(wx, wh):
    cell = Rnn({"wx": wx, "wh": wh})
    states = cell.run([1.0, 0.5, -0.3])
    return np.sum(states ** 2) + cell.h[0]


class BatchNorm:
    def __init__(self, n, momentum=0.1):
        self.running_mean, self.running_var = np.zeros(n), np.ones(n)
        self.momentum, self.training = momentum, True

    def __call__(self, x):
        if self.training:
            m, v = x.mean(axis=0), x.var(axis=0)
            self.running_mean += self.momentum * (m - self.running_mean)
            self.running_var += self.momentum * (v - self.running_var)
        else:
            m, v = self.running_mean, self.running_var
        return (x - m) / np.sqrt(v + 1e-5)


@program(np.array([[0.5, 1.0], [1.5, -0.5], [0.2, 0.3]]), given=lambda: [BatchNorm(2)])
def batch_norm_passed(x, norm):
    norm.training = True
    y = norm(x)
    norm.training = False
    return np.sum(norm(x * 2.0) * y ** 2)


class Distribution:
    def log_prob(self, x):
        raise NotImplementedError

    def __add__(self, other):
        return Mixture([self, other], [0.5, 0.5])


class Normal(Distribution):
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def log_prob(self, x):
        return -0.5 * ((x - self.loc) / self.scale) ** 2 - math.log(self.scale) - 0.5 * math.log(2 * math.pi)


class Laplace(Distribution):
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def log_prob(self, x):
        return -abs(x - self.loc) / self.scale - math.log(2 * self.scale)


class Mixture(Distribution):
    def __init__(self, parts, weights):
        self.parts, self.weights = parts, weights

    def log_prob(self, x):
        logs = [math.log(w) + p.log_prob(x) for p, w in zip(self.parts, self.weights)]
        top = max(logs)
        return top + math.log(sum(math.exp(v - top) for v in logs))


@program(0.3, 1.2, 0.7)
def mixtures(loc, scale, other):
    model = Normal(loc, scale) + Laplace(other, scale * 0.5)
    nested = model + Normal(0.0, 2.0)
    return sum(nested.log_prob(x) for x in (0.1, 1.0, -0.5)) + model.log_prob(0.2)


class Memoize:
    def __init__(self, f):
        self.f, self.cache, self.hits = f, {}, 0

    def __call__(self, *args):
        if args in self.cache:
            self.hits += 1
        else:
            self.cache[args] = self.f(*args)
        return self.cache[args]


@program(0.6)
def memoized_recursion(x):
    legendre = Memoize(lambda n: 1.0 if n == 0 else x if n == 1 else
                       ((2 * n - 1) * x * legendre(n - 1) - (n - 1) * legendre(n - 2)) / n)
    return sum(legendre(n) ** 2 for n in range(6)) + legendre.hits * x


class Schedule:
    def __init__(self, base):
        self.base, self.milestones = base, {}

    def at(self, step, factor):
        self.milestones[step] = factor
        return self

    def __getitem__(self, step):
        lr = self.base
        for milestone, factor in self.milestones.items():
            if step >= milestone:
                lr *= factor
        return lr

    def __contains__(self, step):
        return step in self.milestones


@program(0.3, 0.5)
def schedules(base, factor):
    s = Schedule(base).at(2, factor).at(4, factor ** 2)
    w = 1.0
    for step in range(6):
        w -= s[step] * 2.0 * w
        if step in s:
            w += 0.1
    return w


class Genome:
    def __init__(self, genes):
        self.genes = genes
        self.fitness = None

    def evaluate(self, f):
        self.fitness = f(self.genes)
        return self

    def __lt__(self, other):
        return self.fitness < other.fitness

    def cross(self, other, point):
        return Genome(np.concatenate([self.genes[:point], other.genes[point:]]))


@program(np.array([0.5, -0.2, 0.9]), np.array([0.1, 0.4, -0.3]))
def genetic(a, b):
    def f(g):
        return np.sum((g - 0.3) ** 2) + g[0] * g[2]
    population = [Genome(a).evaluate(f), Genome(b).evaluate(f)]
    for generation in range(3):
        population.sort()
        child = population[0].cross(population[1], 1 + generation % 2).evaluate(f)
        population = sorted([*population, child])[:2]
    return population[0].fitness + 0.1 * population[-1].fitness
