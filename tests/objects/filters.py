"""Filters, trackers, controllers and signal chains."""
from __future__ import annotations

import collections
import functools
import math

import numpy as np

from .registry import program


class Kalman:
    def __init__(self, dim, q, r):
        self.x = np.zeros(dim)
        self.P = np.eye(dim)
        self.Q = q * np.eye(dim)
        self.R = r
        self.F = np.array([[1.0, 0.1], [0.0, 1.0]])
        self.H = np.array([1.0, 0.0])
        self.log_likelihood = 0.0

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        y = z - self.H @ self.x
        S = self.H @ self.P @ self.H + self.R
        K = self.P @ self.H / S
        self.x = self.x + K * y
        self.P = self.P - np.outer(K, self.H @ self.P)
        self.log_likelihood -= 0.5 * (y * y / S + math.log(S))


@program(0.1, 0.5)
def kalman(q, r):
    kf = Kalman(2, q, r)
    for z in (0.1, 0.25, 0.31, 0.48):
        kf.predict()
        kf.update(z)
    return kf.log_likelihood + kf.x[1]


@program(0.3, given=lambda: [Kalman(2, 0.1, 0.5)])
def kalman_passed(z, kf):
    kf.predict()
    kf.update(z)
    kf.predict()
    kf.update(2 * z)
    return kf.log_likelihood


GLOBAL_FILTER = Kalman(2, 0.1, 0.5)


def _fresh_filter():
    GLOBAL_FILTER.__init__(2, 0.1, 0.5)


@program(0.3, outside=lambda: GLOBAL_FILTER, reset=_fresh_filter)
def kalman_global(z):
    GLOBAL_FILTER.predict()
    GLOBAL_FILTER.update(z)
    return GLOBAL_FILTER.log_likelihood + GLOBAL_FILTER.x[0]


class PID:
    def __init__(self, kp, ki, kd, limits=(None, None)):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.min, self.max = limits
        self._integral = 0.0
        self._last_error = None

    def __call__(self, error, dt=0.1):
        self._integral += error * dt
        derivative = 0.0 if self._last_error is None else (error - self._last_error) / dt
        self._last_error = error
        out = self.kp * error + self.ki * self._integral + self.kd * derivative
        if self.max is not None and out > self.max:
            return self.max
        return out

    @property
    def tunings(self):
        return self.kp, self.ki, self.kd

    @tunings.setter
    def tunings(self, values):
        self.kp, self.ki, self.kd = values


@program(1.5, 0.4, 0.05)
def pid_loop(kp, ki, kd):
    pid = PID(kp, ki, kd, (None, 2.0))
    y, cost = 0.0, 0.0
    for _ in range(10):
        u = pid(1.0 - y)
        y += 0.1 * (u - y)
        cost += (1.0 - y) ** 2
    return cost


@program(1.5, 0.4, 0.05)
def pid_retuned(kp, ki, kd):
    pid = PID(1.0, 0.0, 0.0)
    y = 0.2
    for k in range(6):
        if k == 3:
            pid.tunings = (kp, ki, kd)
        y += 0.1 * (pid(1.0 - y) - y)
    return y + pid.tunings[1]


@program(0.7, given=lambda: [PID(1.0, 0.3, 0.1)])
def pid_passed(target, pid):
    y = 0.1
    for _ in range(5):
        y += 0.1 * (pid(target - y) - y)
    return y


class MovingAverage:
    def __init__(self, n):
        self.window = collections.deque(maxlen=n)

    def push(self, x):
        self.window.append(x)
        return sum(self.window) / len(self.window)


@program(np.array([0.5, 1.0, -0.3, 0.8, 2.0, 0.1]))
def moving_average(signal):
    avg = MovingAverage(3)
    out = [avg.push(s) for s in signal]
    return sum(o ** 2 for o in out)


@program(0.5, 1.0, given=lambda: [MovingAverage(3)])
def moving_average_passed(a, b, avg):
    first = avg.push(a)
    return first * avg.push(b)


class Biquad:
    def __init__(self, b, a):
        self.b0, self.b1, self.b2 = b
        self.a1, self.a2 = a
        self.z1 = self.z2 = 0.0

    def process(self, x):
        y = self.b0 * x + self.z1
        self.z1 = self.b1 * x - self.a1 * y + self.z2
        self.z2 = self.b2 * x - self.a2 * y
        return y


class Chain:
    def __init__(self, *stages):
        self.stages = list(stages)

    def process(self, x):
        for s in self.stages:
            x = s.process(x)
        return x


@program(0.4, np.array([1.0, 0.2, -0.5, 0.7]))
def biquads(gain, signal):
    chain = Chain(Biquad((gain, 0.2, 0.1), (-0.5, 0.2)), Biquad((1.0, gain, 0.0), (0.1, 0.0)))
    return sum(chain.process(s) ** 2 for s in signal)


class Gain:
    def __init__(self, k):
        self.k = k

    def process(self, x):
        return self.k * x


class Clip:
    def __init__(self, limit):
        self.limit = limit

    def process(self, x):
        return min(max(x, -self.limit), self.limit)


class Delay:
    def __init__(self, n):
        self.buffer = [0.0] * n

    def process(self, x):
        self.buffer.append(x)
        return self.buffer.pop(0)


@program(1.7, 0.9, np.array([1.0, 0.2, -0.5, 0.7, 0.3]))
def mixed_chain(k, limit, signal):
    chain = Chain(Gain(k), Clip(limit), Delay(2), Gain(0.5 * k))
    return sum(chain.process(s) * (i + 1) for i, s in enumerate(signal))


@program(1.7, 0.9, np.array([1.0, 0.2, -0.5, 0.7, 0.3]))
def chain_from_config(k, limit, signal):
    kinds = {"gain": Gain, "clip": Clip, "delay": Delay}
    config = [("gain", k), ("clip", limit), ("delay", 1), ("gain", 2.0)]
    chain = Chain(*[kinds[name](value) for name, value in config])
    total = 0.0
    for s in signal:
        total += chain.process(s) ** 2
    return total


class Track:
    def __init__(self, ident, z):
        self.id, self.z, self.age, self.misses = ident, z, 1, 0

    def update(self, z, alpha):
        self.z += alpha * (z - self.z)
        self.age += 1
        self.misses = 0


class Tracker:
    def __init__(self, alpha, gate):
        self.tracks, self.next_id, self.alpha, self.gate = [], 0, alpha, gate

    def feed(self, detections):
        for z in detections:
            best, distance = None, self.gate
            for t in self.tracks:
                if abs(t.z - z) < distance:
                    best, distance = t, abs(t.z - z)
            if best is None:
                self.tracks.append(Track(self.next_id, z))
                self.next_id += 1
            else:
                best.update(z, self.alpha)


@program(0.4, np.array([0.0, 5.0, 0.3, 5.2, 9.0, 0.1]))
def tracker(alpha, zs):
    tr = Tracker(alpha, 1.0)
    for k in range(0, 6, 2):
        tr.feed(zs[k:k + 2])
    return sum(t.z * t.age for t in tr.tracks)


class Welford:
    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def add(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)
        return self

    @property
    def variance(self):
        return self.m2 / (self.n - 1)

    @functools.cached_property
    def std(self):
        return math.sqrt(self.variance)

    def __add__(self, other):
        out = Welford()
        out.n = self.n + other.n
        d = other.mean - self.mean
        out.mean = self.mean + d * other.n / out.n
        out.m2 = self.m2 + other.m2 + d * d * self.n * other.n / out.n
        return out


@program(np.array([0.5, 1.0, -0.3, 0.8, 2.0, 0.1]))
def welford(xs):
    a, b = Welford(), Welford()
    for x in xs[:3]:
        a.add(x)
    for x in xs[3:]:
        b.add(x)
    both = a + b
    return both.variance * both.std + a.mean


@program(np.array([0.5, 1.0, -0.3, 0.8, 2.0, 0.1]))
def welford_summed(xs):
    parts = []
    for x in xs:
        parts.append(Welford().add(x).add(2 * x))
    total = functools.reduce(lambda a, b: a + b, parts)
    return total.variance


class Ema:
    def __init__(self, alpha):
        self.alpha, self.value = alpha, None

    def __call__(self, x):
        self.value = x if self.value is None else self.alpha * x + (1 - self.alpha) * self.value
        return self.value


@program(0.3, np.array([1.0, 2.0, 0.5, -0.7]))
def ema(alpha, xs):
    e = Ema(alpha)
    return sum(e(x) for x in xs)


@program(0.3, 1.4, given=lambda: [Ema(0.2)])
def ema_passed(x, y, e):
    return e(x) * e(y)


EMAS = {}


@program(0.3, 1.4, outside=lambda: EMAS, reset=EMAS.clear)
def ema_by_name(x, y):
    total = 0.0
    for name, value in (("a", x), ("b", y), ("a", x * y)):
        if name not in EMAS:
            EMAS[name] = Ema(0.3)
        total += EMAS[name](value)
    return total


class Observer:
    def __init__(self, gains):
        self.gains = gains
        self.state = {"pos": 0.0, "vel": 0.0}

    def step(self, z, dt=0.1):
        e = z - self.state["pos"]
        self.state["pos"] += dt * self.state["vel"] + self.gains["pos"] * e
        self.state["vel"] += self.gains["vel"] * e
        return e


@program(0.5, 0.2)
def observer(lp, lv):
    o = Observer({"pos": lp, "vel": lv})
    return sum(o.step(0.3 * k) ** 2 for k in range(6))


class Particles:
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.x = rng.normal(size=n)
        self.w = np.full(n, 1.0 / n)

    def update(self, z, sigma):
        self.w *= np.exp(-0.5 * ((z - self.x) / sigma) ** 2)
        self.w /= self.w.sum()

    def estimate(self):
        return self.w @ self.x


@program(0.4, 0.8)
def particle_filter(z, sigma):
    pf = Particles(20, 1)
    pf.update(z, sigma)
    pf.update(z + 0.1, sigma)
    return pf.estimate()


class Lattice:
    def __init__(self, ks):
        self.ks = ks
        self.bs = np.zeros(len(ks))

    def tick(self, x):
        f = x
        for i, k in enumerate(self.ks):
            b = self.bs[i]
            f, self.bs[i] = f + k * b, b + k * f
        return f


@program(np.array([0.3, -0.2, 0.5]), 0.7)
def lattice(ks, x):
    filt = Lattice(ks)
    return sum(filt.tick(x ** k) for k in range(1, 5))


class ComplementaryFilter:
    def __init__(self, tau):
        self.tau = tau
        self.angle = 0.0
        self.samples = []

    def update(self, gyro, accel, dt):
        a = self.tau / (self.tau + dt)
        self.angle = a * (self.angle + gyro * dt) + (1 - a) * accel
        self.samples.append(self.angle)

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, k):
        return self.samples[k]

    def __iter__(self):
        return iter(self.samples)


@program(0.5, 0.3)
def complementary(tau, rate):
    f = ComplementaryFilter(tau)
    for k in range(5):
        f.update(rate, 0.1 * k, 0.1)
    return f[-1] * len(f) + sum(f) + f[1] * f[2]
