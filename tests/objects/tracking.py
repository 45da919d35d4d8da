"""Filters, controllers, trackers, estimators and backtests."""
from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from .registry import program


class Ekf:
    def __init__(self, x, P, Q, R):
        self.x, self.P, self.Q, self.R = x, P, Q, R
        self.innovations = []

    def predict(self, u, dt):
        px, py, th = self.x
        v, w = u
        self.x = np.array([px + v * math.cos(th) * dt, py + v * math.sin(th) * dt, th + w * dt])
        F = np.eye(3)
        F[0, 2] = -v * math.sin(th) * dt
        F[1, 2] = v * math.cos(th) * dt
        self.P = F @ self.P @ F.T + self.Q

    def update(self, z, landmark):
        d = landmark - self.x[:2]
        r = np.hypot(d[0], d[1])
        H = np.array([[-d[0] / r, -d[1] / r, 0.0]])
        S = H @ self.P @ H.T + self.R
        K = self.P @ H.T / S[0, 0]
        y = z - r
        self.innovations.append(y)
        self.x = self.x + K[:, 0] * y
        self.P = (np.eye(3) - K @ H) @ self.P


@program(np.array([1.0, 0.2]), 0.1)
def robot_ekf(u, noise):
    ekf = Ekf(np.zeros(3), 0.1 * np.eye(3), noise * np.eye(3), 0.2)
    for k, z in enumerate((4.1, 3.9, 3.6)):
        ekf.predict(u, 0.2)
        ekf.update(z, np.array([4.0, 1.0 + k]))
    return ekf.x @ ekf.x + sum(y * y for y in ekf.innovations)


class AntiWindup:
    def __init__(self, kp, ki, limit):
        self.kp, self.ki, self.limit = kp, ki, limit
        self.integral, self.saturated = 0.0, 0

    def __call__(self, error, dt):
        raw = self.kp * error + self.ki * self.integral
        u = max(-self.limit, min(self.limit, raw))
        if raw == u or raw * error < 0:
            self.integral += error * dt
        else:
            self.saturated += 1
        return u


class Motor:
    def __init__(self, tau):
        self.tau, self.speed, self.angle = tau, 0.0, 0.0

    def advance(self, u, dt):
        self.speed += dt * (u - self.speed) / self.tau
        self.angle += dt * self.speed


class Cascade:
    def __init__(self, outer, inner, plant):
        self.outer, self.inner, self.plant = outer, inner, plant

    def run(self, target, steps, dt=0.1):
        cost = 0.0
        for _ in range(steps):
            reference = self.outer(target - self.plant.angle, dt)
            self.plant.advance(self.inner(reference - self.plant.speed, dt), dt)
            cost += (target - self.plant.angle) ** 2 * dt
        return cost


@program(2.0, 0.5, 0.7)
def cascade(kp, ki, tau):
    loop = Cascade(AntiWindup(kp, 0.0, 1.5), AntiWindup(3.0, ki, 2.0), Motor(tau))
    return loop.run(1.0, 12) + loop.inner.saturated * 0.1


class Association:
    """Assigns detections to the nearest track; starts new tracks and drops old ones."""

    def __init__(self, gate, gain):
        self.gate, self.gain = gate, gain
        self.tracks, self.next_id = {}, 0

    def update(self, detections):
        free = list(range(len(detections)))
        for ident in list(self.tracks):
            track = self.tracks[ident]
            best = min(free, key=lambda k: abs(detections[k] - track["x"]), default=None)
            if best is not None and abs(detections[best] - track["x"]) < self.gate:
                free.remove(best)
                r = detections[best] - track["x"]
                track["x"] += self.gain * r + track["v"]
                track["v"] += 0.1 * r
                track["missed"] = 0
            else:
                track["missed"] += 1
                if track["missed"] > 1:
                    del self.tracks[ident]
        for k in free:
            self.tracks[self.next_id] = {"x": detections[k], "v": 0.0, "missed": 0}
            self.next_id += 1


@program(np.array([0.1, 5.0]), 0.6)
def associated_tracks(starts, gain):
    tracker = Association(1.0, gain)
    for scan in ([starts[0], starts[1]], [starts[0] + 0.3, 5.4], [0.7 * gain], [1.0, 9.0 + starts[1]]):
        tracker.update(scan)
    return sum(t["x"] * (1 + i) + t["v"] for i, t in tracker.tracks.items())


class AlphaBeta:
    def __init__(self, alpha, beta, x0=0.0):
        self.alpha, self.beta, self.x, self.v = alpha, beta, x0, 0.0

    def __call__(self, z, dt=1.0):
        predicted = self.x + dt * self.v
        r = z - predicted
        self.x, self.v = predicted + self.alpha * r, self.v + self.beta / dt * r
        return self.x


@program(0.5, 0.1, given=lambda: [AlphaBeta(0.5, 0.1), [0.5, 1.2, 1.9, 3.1]])
def alpha_beta_passed(alpha, beta, filt, zs):
    filt.alpha, filt.beta = alpha, beta
    errors = [filt(z) - z for z in zs]
    return sum(e * e for e in errors) + filt.v


@dataclass
class Trade:
    day: int
    size: float
    price: float

    @property
    def cost(self):
        return self.size * self.price * (1.001 if self.size > 0 else 0.999)


@dataclass
class Backtest:
    fast: float
    slow: float
    cash: float = 100.0
    position: float = 0.0
    trades: list = field(default_factory=list)

    def __post_init__(self):
        self.ema = {"fast": None, "slow": None}

    def signal(self, price):
        for name in self.ema:
            rate = getattr(self, name)
            old = self.ema[name]
            self.ema[name] = price if old is None else old + rate * (price - old)
        return self.ema["fast"] - self.ema["slow"]

    def run(self, prices):
        for day, price in enumerate(prices):
            s = self.signal(price)
            target = 1.0 + s if s > 0 else 0.0
            if abs(target - self.position) > 1e-12:
                trade = Trade(day, target - self.position, price)
                self.trades.append(trade)
                self.cash -= trade.cost
                self.position = target
        return self.cash + self.position * prices[-1]


@program(0.6, 0.2)
def crossover(fast, slow):
    test = Backtest(fast, slow)
    value = test.run([10.0, 10.5, 11.2, 10.9, 10.1, 9.8, 10.4])
    return value + 0.01 * sum(t.cost ** 2 for t in test.trades if t.day % 2 == 0)


class Ukf:
    def __init__(self, f, h, alpha=0.5):
        self.f, self.h = f, h
        self.alpha = alpha

    def sigma_points(self, x, P):
        n = len(x)
        L = np.linalg.cholesky((n * self.alpha) * P)
        return [x] + [x + L[:, k] for k in range(n)] + [x - L[:, k] for k in range(n)]

    def step(self, x, P, z):
        n = len(x)
        w = [1.0 - 1.0 / self.alpha] + [0.5 / (n * self.alpha)] * (2 * n)
        pts = [self.f(p) for p in self.sigma_points(x, P)]
        mean = sum(wi * p for wi, p in zip(w, pts))
        cov = sum(wi * np.outer(p - mean, p - mean) for wi, p in zip(w, pts)) + 0.1 * np.eye(n)
        pts = self.sigma_points(mean, cov)
        zs = [self.h(p) for p in pts]
        zm = sum(wi * v for wi, v in zip(w, zs))
        s = sum(wi * (v - zm) ** 2 for wi, v in zip(w, zs)) + 0.2
        c = sum(wi * (p - mean) * (v - zm) for wi, p, v in zip(w, pts, zs))
        k = c / s
        return mean + k * (z - zm), cov - s * np.outer(k, k)


@program(np.array([0.5, 1.0]), 0.8)
def unscented(x, rate):
    ukf = Ukf(lambda s: np.array([s[0] + 0.1 * s[1], rate * s[1] + 0.1 * np.sin(s[0])]), lambda s: s[0] ** 2 + s[1])
    P = np.eye(2)
    for z in (1.2, 1.5):
        x, P = ukf.step(x, P, z)
    return x[0] + np.trace(P)


class Smoother:
    def __init__(self, window):
        self.window = deque(maxlen=window)
        self.weights = [1.0 / (1 + k) for k in range(window)]

    def add(self, x):
        self.window.appendleft(x)
        recent = list(self.window)
        return sum(w * v for w, v in zip(self.weights, recent)) / sum(self.weights[:len(recent)])


@program(np.array([0.3, 1.5, -0.4, 0.8]))
def weighted_window(x):
    smoother = Smoother(3)
    return sum(smoother.add(v) ** 2 for v in x)


class GainSchedule:
    def __init__(self, table):
        self.table = sorted(table)

    def __call__(self, x):
        for (x0, y0), (x1, y1) in zip(self.table, self.table[1:]):
            if x0 <= x < x1:
                return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
        return self.table[-1][1]


@program(0.5, 1.5, 3.0)
def gain_schedule(low, mid, high):
    schedule = GainSchedule([(2.0, mid), (0.0, low), (5.0, high)])
    x, total = 4.0, 0.0
    for _ in range(8):
        u = -schedule(abs(x)) * x
        x += 0.2 * u
        total += x * x + 0.01 * u * u
    return total


class Barometer:
    """Fuses sensors that are asked by name; a sensor may have no reading."""

    def __init__(self):
        self.sensors, self.estimate, self.variance = {}, 0.0, 10.0

    def register(self, name, read, variance):
        self.sensors[name] = (read, variance)

    def fuse(self, t):
        for name, (read, variance) in self.sensors.items():
            value = read(t)
            if value is None:
                continue
            k = self.variance / (self.variance + variance)
            self.estimate += k * (value - self.estimate)
            self.variance *= 1.0 - k
        self.variance += 0.5


@program(1.5, 0.3)
def fused_sensors(scale, drift):
    b = Barometer()
    b.register("gps", lambda t: scale * t if t % 2 == 0 else None, 2.0)
    b.register("imu", lambda t: scale * t + drift * t * t, 1.0 + drift)
    total = 0.0
    for t in range(5):
        b.fuse(t)
        total += b.estimate * b.variance
    return total


class Mpc:
    def __init__(self, model, horizon, lr):
        self.model, self.horizon, self.lr = model, horizon, lr
        self.plan = [0.0] * horizon

    def cost(self, x, plan):
        total = 0.0
        for u in plan:
            x = self.model(x, u)
            total += x * x + 0.1 * u * u
        return total

    def act(self, x):
        for _ in range(2):
            base = self.cost(x, self.plan)
            slopes = []
            for k in range(self.horizon):
                bumped = list(self.plan)
                bumped[k] += 1e-2
                slopes.append((self.cost(x, bumped) - base) / 1e-2)
            self.plan = [u - self.lr * g for u, g in zip(self.plan, slopes)]
        u, *rest = self.plan
        self.plan = [*rest, 0.0]
        return u


@program(0.9, 0.2)
def predictive_control(decay, lr):
    mpc = Mpc(lambda x, u: decay * x + 0.5 * u, 3, lr)
    x, total = 2.0, 0.0
    for _ in range(3):
        x = mpc.model(x, mpc.act(x))
        total += x * x
    return total + sum(mpc.plan)
