"""An epidemic in compartments, by the method of Runge and Kutta, fitted to observed cases."""
import numpy as np

from ..workload import Spellings


def rates(state, p):
    s, e, i, r = state
    infection = p[0] * s * i
    return np.array([-infection, infection - p[1] * e, p[1] * e - p[2] * i, p[2] * i])


def arrays(p, observed, h):
    state = np.array([0.95, 0.03, 0.02, 0.0])
    loss = 0.0
    for t in range(len(observed)):
        k1 = rates(state, p)
        k2 = rates(state + h / 2 * k1, p)
        k3 = rates(state + h / 2 * k2, p)
        k4 = rates(state + h * k3, p)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        loss += (state[2] - observed[t]) ** 2
    return loss


def flow(s, e, i, beta, sigma, gamma):
    return -beta * s * i, beta * s * i - sigma * e, sigma * e - gamma * i


def tuples(p, observed, h):
    beta, sigma, gamma = p
    s, e, i = 0.95, 0.03, 0.02
    loss = 0.0
    for o in observed:
        a1, b1, c1 = flow(s, e, i, beta, sigma, gamma)
        a2, b2, c2 = flow(s + h / 2 * a1, e + h / 2 * b1, i + h / 2 * c1, beta, sigma, gamma)
        a3, b3, c3 = flow(s + h / 2 * a2, e + h / 2 * b2, i + h / 2 * c2, beta, sigma, gamma)
        a4, b4, c4 = flow(s + h * a3, e + h * b3, i + h * c3, beta, sigma, gamma)
        s, e, i = s + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), e + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4), i + h / 6 * (c1 + 2 * c2 + 2 * c3 + c4)
        loss += (i - o) ** 2
    return loss


def history(p, observed, h):
    states = np.zeros((len(observed) + 1, 4))
    states[0] = [0.95, 0.03, 0.02, 0.0]

    def f(x):
        return np.stack([-p[0] * x[0] * x[2], p[0] * x[0] * x[2] - p[1] * x[1], p[1] * x[1] - p[2] * x[2], p[2] * x[2]])
    for t in range(len(observed)):
        x = states[t]
        k1 = f(x)
        k2 = f(x + 0.5 * h * k1)
        k3 = f(x + 0.5 * h * k2)
        k4 = f(x + h * k3)
        states[t + 1] = x + h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
    return np.sum((states[1:, 2] - observed) ** 2)


class Model:
    def __init__(self, p):
        self.beta, self.sigma, self.gamma = p[0], p[1], p[2]

    def __call__(self, x):
        new = self.beta * x[0] * x[2]
        sick = self.sigma * x[1]
        well = self.gamma * x[2]
        return np.array([-new, new - sick, sick - well, well])

    def step(self, x, h):
        total, k = np.zeros(4), np.zeros(4)
        for weight, fraction in ((1, 0.0), (2, 0.5), (2, 0.5), (1, 1.0)):
            k = self(x + fraction * h * k)
            total = total + weight * k
        return x + h / 6 * total


def classes(p, observed, h):
    model, x, loss = Model(p), np.array([0.95, 0.03, 0.02, 0.0]), 0.0
    for o in observed:
        x = model.step(x, h)
        loss += np.square(x[2] - o)
    return loss


def by_hand(p, observed, h):
    beta, sigma, gamma = p.tolist()
    s, e, i = 0.95, 0.03, 0.02
    saved = []
    for o in observed.tolist():
        stages = []
        a = b = c = 0.0
        ta = tb = tc = 0.0
        for w, f in ((1, 0.0), (2, 0.5), (2, 0.5), (1, 1.0)):
            x, y, z = s + f * h * a, e + f * h * b, i + f * h * c
            stages.append((x, y, z))
            n = beta * x * z
            a, b, c = -n, n - sigma * y, sigma * y - gamma * z
            ta, tb, tc = ta + w * a, tb + w * b, tc + w * c
        s, e, i = s + h / 6 * ta, e + h / 6 * tb, i + h / 6 * tc
        saved.append((stages, 2 * (i - o)))
    s_bar = e_bar = i_bar = beta_bar = sigma_bar = gamma_bar = 0.0
    for stages, error in reversed(saved):
        i_bar += error
        ps, pe, pi = s_bar * h / 6, e_bar * h / 6, i_bar * h / 6
        a = b = c = 0.0
        for (x, y, z), w, f in zip(reversed(stages), (1, 2, 2, 1), (1.0, 0.5, 0.5, 0.0)):
            a, b, c = a + w * ps, b + w * pe, c + w * pi
            n, m = b - a, c - b
            beta_bar += n * x * z
            sigma_bar += m * y
            gamma_bar -= c * z
            xb, yb, zb = n * beta * z, m * sigma, n * beta * x - c * gamma
            s_bar, e_bar, i_bar = s_bar + xb, e_bar + yb, i_bar + zb
            a, b, c = f * h * xb, f * h * yb, f * h * zb
    return np.array([beta_bar, sigma_bar, gamma_bar])


def arguments(rng):
    return np.array([0.9, 0.4, 0.2]), rng.random(30), 0.3


WORKLOAD = Spellings(arguments, by_hand, {"arrays": arrays, "tuples": tuples, "history": history, "classes": classes})
