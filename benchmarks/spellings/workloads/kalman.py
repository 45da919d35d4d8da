"""The negative log-likelihood of observations under a linear Gaussian state-space model, by the Kalman filter."""
import numpy as np

from ..workload import Spellings


def textbook(a, q, c, r, ys):
    n = len(a)
    x, p = np.zeros(n), np.eye(n)
    loss = 0.0
    for y in ys:
        x = a @ x
        p = a @ p @ a.T + np.diag(q)
        s = c @ p @ c.T + np.diag(r)
        e = y - c @ x
        k = p @ c.T @ np.linalg.inv(s)
        x = x + k @ e
        p = (np.eye(n) - k @ c) @ p
        loss += 0.5 * (e @ np.linalg.inv(s) @ e + np.log(np.linalg.det(s)))
    return loss


def solves(a, q, c, r, ys):
    x = np.zeros(a.shape[0])
    p = np.identity(a.shape[0])
    total = 0.0
    for t in range(len(ys)):
        x = np.dot(a, x)
        p = np.dot(np.dot(a, p), a.T) + q * np.eye(len(q))
        innovation = ys[t] - np.dot(c, x)
        cp = np.dot(c, p)
        s = np.dot(cp, c.T) + r * np.eye(len(r))
        gain = np.linalg.solve(s, cp).T
        total = total + np.dot(innovation, np.linalg.solve(s, innovation)) + np.linalg.slogdet(s)[1]
        x = x + np.dot(gain, innovation)
        p = p - np.dot(gain, cp)
    return total / 2


class Filter:
    def __init__(self, a, q, c, r):
        self.a, self.q, self.c, self.r = a, np.diag(q), c, np.diag(r)
        self.mean, self.covariance = np.zeros(len(a)), np.eye(len(a))

    def predict(self):
        self.mean = self.a @ self.mean
        self.covariance = self.a @ self.covariance @ self.a.T + self.q

    def update(self, y):
        s = self.c @ self.covariance @ self.c.T + self.r
        e = y - self.c @ self.mean
        l = np.linalg.cholesky(s)
        z = np.linalg.solve(l, e)
        w = np.linalg.solve(l, self.c @ self.covariance)
        self.mean = self.mean + w.T @ z
        self.covariance = self.covariance - w.T @ w
        return 0.5 * z @ z + np.sum(np.log(np.diag(l)))


def classes(a, q, c, r, ys):
    model = Filter(a, q, c, r)
    loss = 0.0
    for y in ys:
        model.predict()
        loss += model.update(y)
    return loss


def two_by_two(a, q, c, r, ys):
    x, p, loss = np.zeros(len(a)), np.eye(len(a)), 0.0
    for t in range(ys.shape[0]):
        x, p = a @ x, a @ p @ a.T + np.diag(q)
        pc = p @ c.T
        s = c @ pc
        s00, s01, s11 = s[0, 0] + r[0], s[0, 1], s[1, 1] + r[1]
        det = s00 * s11 - s01 * s01
        e0, e1 = ys[t] - c @ x
        w0, w1 = (s11 * e0 - s01 * e1) / det, (s00 * e1 - s01 * e0) / det
        x = x + pc[:, 0] * w0 + pc[:, 1] * w1
        inverse = np.array([[s11, -s01], [-s01, s00]]) / det
        p = p - pc @ inverse @ pc.T
        loss += 0.5 * (e0 * w0 + e1 * w1 + np.log(det))
    return loss


def step(state, y, model):
    x, p, loss = state
    a, q, c, r = model
    x, p = a.dot(x), np.einsum("ij,jk,lk->il", a, p, a) + np.diag(q)
    s = np.einsum("ij,jk,lk->il", c, p, c) + np.diag(r)
    e = y - c.dot(x)
    k = np.einsum("ij,kj,kl->il", p, c, np.linalg.inv(s))
    return x + k.dot(e), p - np.einsum("ij,jk,lk->il", k, s, k), loss + np.log(np.linalg.det(s)) / 2 + e.dot(np.linalg.solve(s, e)) / 2


def functional(a, q, c, r, ys):
    state = np.zeros(len(a)), np.eye(len(a)), 0.0
    for y in ys:
        state = step(state, y, (a, q, c, r))
    return state[2]


def by_hand(a, q, c, r, ys):
    n, steps = len(a), len(ys)
    x, p = np.zeros(n), np.eye(n)
    saved = []
    for t in range(steps):
        xp = a @ x
        pp = a @ p @ a.T
        pp.ravel()[::n + 1] += q
        cp = c @ pp
        s = cp @ c.T
        s.ravel()[::len(r) + 1] += r
        inverse = np.linalg.inv(s)
        e = ys[t] - c @ xp
        k = cp.T @ inverse
        w = inverse @ e
        saved.append((x, p, pp, cp, inverse, e, k, w))
        x, p = xp + k @ e, pp - k @ cp
    a_bar, q_bar, c_bar, r_bar = np.zeros_like(a), np.zeros_like(q), np.zeros_like(c), np.zeros_like(r)
    x_bar, p_bar = np.zeros(n), np.zeros((n, n))
    for x, p, pp, cp, inverse, e, k, w in reversed(saved):
        # x' = xp + cp.T w, p' = pp - cp.T inverse cp, loss = (e w + log det s) / 2
        cx = cp @ x_bar
        w_bar = 0.5 * e + cx
        e_bar = 0.5 * w + inverse @ w_bar
        symmetric = p_bar + p_bar.T
        cp_bar = np.outer(w, x_bar) - k.T @ symmetric
        inverse_bar = np.outer(w_bar, e) - cp @ p_bar @ cp.T
        s_bar = 0.5 * inverse - inverse @ inverse_bar @ inverse
        r_bar += s_bar.diagonal()
        cp_bar += s_bar @ c
        c_bar += s_bar.T @ cp + cp_bar @ pp
        pp_bar = p_bar + c.T @ cp_bar
        xp_bar = x_bar - c.T @ e_bar
        c_bar -= np.outer(e_bar, a @ x)
        q_bar += pp_bar.diagonal()
        ap = a @ p
        a_bar += (pp_bar + pp_bar.T) @ ap
        a_bar += np.outer(xp_bar, x)
        p_bar = a.T @ pp_bar @ a
        x_bar = a.T @ xp_bar
    return a_bar, q_bar, c_bar, r_bar


def arguments(rng):
    return (0.5 * np.eye(4) + 0.1 * rng.normal(size=(4, 4)), rng.random(4) + 0.5, rng.normal(size=(2, 4)), rng.random(2) + 0.5,
            rng.normal(size=(15, 2)))


WORKLOAD = Spellings(arguments, by_hand, {
    "textbook": textbook, "solves": solves, "classes": classes, "two by two": two_by_two, "functional": functional}, (0, 1, 2, 3))
