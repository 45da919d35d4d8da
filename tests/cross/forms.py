"""Atoms written by hand: operators, methods, builtins, protocols and control flow, as a user writes them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .atoms import Atom

__all__ = ["FORMS", "written"]

#: Kinds of operands: a Python float, a vector, a matrix, a square matrix, positive numbers, lists and tuples of these.
SHAPES: dict[str, tuple[int, ...]] = {"s": (), "v": (3,), "w": (4,), "m": (2, 3), "q": (3, 3), "p": (3,), "c": (2, 2, 3)}


def operand(kind: str, rng: np.random.Generator) -> Any:
    """A value of a kind; ``[v`` is a list of vectors, ``(s`` a tuple of numbers."""
    if kind[0] in "[(":
        items = [operand(kind[1:], rng) for _ in range(3)]
        return items if kind[0] == "[" else tuple(items)
    values = rng.permutation(np.linspace(0.4, 1.9, max(1, int(np.prod(SHAPES[kind]))))).reshape(SHAPES[kind])
    values = np.round(values + rng.uniform(-0.02, 0.02, values.shape), 3)
    if kind not in "ps":
        values = values * rng.choice([-1.0, 1.0], values.shape)
    return float(values) if kind == "s" else values


#: group: lines of "operands | expression or statements"; statements are separated by ";" and nested by "{ }".
FORMS: dict[str, str] = {
    "operator": """
        v v | a0 + a1
        v v | a0 - a1
        v v | a0 * a1
        v p | a0 / a1
        p v | a0 ** a1
        v | a0 ** 2
        v | a0 ** 3
        p | a0 ** -1
        p | 2 ** a0
        p | a0 ** 0.5
        v | -a0
        v | +a0
        v | abs(a0)
        v p | a0 % a1
        v p | a0 // a1 + a0
        v v | a0 @ a1
        q v | a0 @ a1
        m v | a0 @ a1
        q q | a0 @ a1
        m v | a0 + a1
        m v | a0 * a1[0]
        s s | a0 + a1
        s s | a0 * a1
        s s | a0 / a1
        s s | a0 ** a1
        s s | a0 % a1
        s | a0 ** 2
        s | 2 ** a0
        s | 1 / a0
        s v | a0 * a1
        s v | a1 / a0
        s v | a0 - a1
        s v | a0 ** a1 if a0 > 0 else a1
        v v | (a0 > 0) * a1 + a0
        v v | (a0 > 0) & (a1 > 0) if False else a0 * a1
        v v | np.where(a0 > a1, a0, a1 * a0)
        v | a0 * True
        v | a0 * 2 + 1
        v | 1 - a0
        v v | a0 * 2j + a1
        v v | np.real(a0 * 1j * a1)
        v v | y = a0.copy(); y += a1
        v v | y = a0.copy(); y -= a1
        v v | y = a0.copy(); y *= a1
        v p | y = a0.copy(); y /= a1
        p | y = a0.copy(); y **= 2
        s s | y = a0; y += a1
        s s | y = a0; y *= a1; y *= a1
        [s [s | a0 + a1
        [v | a0 * 2
        (v (v | a0 + a1
        (s | a0 * 2
        [v | [*a0, a0[0] * a0[1]]
        [s | a0[::-1]
        (v | a0[1:]
        [v | a0[0] @ a0[-1]
        s s | a0 and a1
        s s | a0 or a1
        s s | (a0 > 0) * a1
        s s | a0 if a0 < a1 else a1 * a0
        s s | y = (a0, a1) if a0 < a1 else (a1, a0)
    """,
    "index": """
        v | a0[0]
        v | a0[-1]
        v | a0[1:]
        v | a0[::-1]
        v | a0[::2]
        v | a0[[0, 2]]
        v | a0[[0, 0, 2]]
        v | a0[np.array([2, 1])]
        v | a0[a0 > 0]
        v | a0[a0 > 99.0]
        v | a0[None]
        v | a0[:, None] * a0
        v | a0[...]
        v | a0[()]
        m | a0[1]
        m | a0[:, 1]
        m | a0[0, 1]
        m | a0[:, ::-1]
        m | a0[..., 0]
        m | a0[[0, 1], [2, 0]]
        m | a0[np.ix_([0, 1], [2, 0])]
        m | a0[a0 > 0]
        m | a0.T[0]
        m | a0.flat[2]
        m | a0.flat[[0, 3]]
        m | a0[:, np.newaxis, :]
        c | a0[0, ..., 1]
        c | a0[:, [1, 0], 1:]
        v v | y = a0.copy(); y[0] = a1[1]
        v v | y = a0.copy(); y[1:] = a1[:2]
        v v | y = a0.copy(); y[a1 > 0] = 0.0
        v v | y = a0.copy(); y[a1 > 0] *= 2.0
        v v | y = a0.copy(); y[[0, 2]] = a1[[1, 1]]
        v v | y = a0.copy(); y[[0, 2]] += a1[:2]
        v v | y = a0.copy(); y[::-1] = a1 * y
        v v | y = np.zeros(3); y[:] = a0; y[1] += a1[0]
        v v | y = np.zeros((2, 3)); y[0] = a0; y[1] = a1 * y[0]
        v s | y = a0.copy(); y[:] = a1
        v s | y = a0.copy(); y[1] = a1 * y[1]
        m v | y = a0.copy(); y[0] = a1; y[:, 1] *= 3.0
        m v | y = a0.copy(); b = y[1]; b += a1; y = y * 2.0
        m v | y = a0.copy(); y.T[:] = a1[:, None]
        m | y = a0.copy(); y[0], y[1] = y[1].copy(), y[0].copy()
        v v | y = a0.copy(); np.add.at(y, [0, 0, 1], a1)
        v v | y = np.empty(3); np.multiply(a0, a1, out=y)
        v v | y = np.empty_like(a0); np.add(a0, a1, out=y)
        v v | y = a0.copy(); np.copyto(y, a1, where=a1 > 0)
        v s | y = a0.copy(); y.fill(a1)
        v | y = a0.copy(); y.sort()
        q s | y = a0.copy(); np.fill_diagonal(y, a1)
        q v | y = a0.copy(); y[np.diag_indices(3)] = a1
        q | y = np.triu(a0) + a0[np.tril_indices(3)].sum()
        [v | y = list(a0); y[0] = y[1] * 2.0
        [s | y = list(a0); y[0] += y[1]
        [v | y = list(a0); y.append(a0[0] * a0[1])
        [v | y = list(a0); y.insert(1, a0[0] * 2); del y[0]
        [v | y = list(a0); y.reverse()
        [v | y = list(a0); y.extend([a0[0] + 1])
        [v | y = list(a0); y = y.pop() * y.pop(0)
        [s | y = sorted(a0)
        [s | y = sorted(a0, key=lambda t: -t)
        [s | y = list(a0); y.sort(reverse=True)
        v v | d = {"u": a0, "v": a1}; y = d["u"] * d["v"]
        v v | d = {"u": a0}; d["u"] = d["u"] * a1; y = d
        v v | d = {}; d.setdefault("u", a0); d.update(v=a1); y = d.pop("u") * d["v"]
        v v | d = dict(u=a0, v=a1); y = [t * 2 for t in d.values()]
        v v | d = dict(u=a0, v=a1); y = {k: t ** 2 for k, t in d.items()}
        v v | d = {0: a0, 1: a1}; y = d.get(0) * d.get(2, a1)
        v v | d = {**{"u": a0}, "u": a1, "w": a0}; y = d
        s s | d = {"u": a0} | {"v": a1}; y = d["u"] * d["v"]
    """,
    "method": """
        m | a0.sum()
        m | a0.sum(axis=1)
        m | a0.mean(0)
        m | a0.max(axis=0)
        m | a0.min()
        m | a0.prod(axis=1)
        m | a0.std()
        m | a0.var(axis=0, ddof=1)
        m | a0.cumsum(axis=1)
        m | a0.T
        m | a0.transpose(1, 0)
        m | a0.reshape(3, 2)
        m | a0.reshape(-1)
        m | a0.reshape((6,))
        m | a0.ravel()
        m | a0.flatten()
        m | a0.swapaxes(0, 1)
        m v | a0.dot(a1)
        q | a0.trace()
        q | a0.diagonal()
        v | a0.repeat(2)
        v | a0.clip(-1.0, 1.0)
        v | a0.take([0, 2])
        v | a0.astype(float)
        v | a0.astype(np.float32)
        v | a0.copy()
        v | a0.tolist()
        v | a0.item(1)
        v | a0.round(1) + a0
        v | a0.conj()
        v | a0.real
        v | a0.imag + a0
        v | a0.ptp() if hasattr(a0, "ptp") else a0
        m | a0.squeeze()
        m | a0 * a0.shape[0] / a0.size
        m | a0.sum(axis=0, keepdims=True)
        m | a0.sum(where=a0 > 0)
        m | a0.max(initial=0.0)
        v | a0.argmax() * a0
        v | a0[a0.argsort()]
        v | a0.view()
        v | a0.__len__() * a0
        v | a0.compress([True, False, True])
        v v | a0.__add__(a1)
        v v | a0.__rsub__(a1)
        m | a0.view(np.ndarray)
        s | a0.real
        s | a0.conjugate()
        s | a0.__mul__(2.0)
        s | float.__add__(a0, 2.0)
        s | a0.is_integer() * 1.0 + a0
    """,
    "builtin": """
        [s | sum(a0)
        [v | sum(a0)
        v | sum(a0)
        m | sum(a0)
        [s | sum(a0, 1.5)
        [s | max(a0)
        [s | min(a0)
        v | max(a0)
        s s | max(a0, a1)
        s s | min(a0, a1, 0.1)
        [v | max(a0, key=lambda t: t[0])
        [s | max(a0, default=1.0)
        s | abs(a0)
        s s | divmod(a0, a1)
        s s | pow(a0, a1)
        s | round(a0, 1) + a0
        s | float(a0)
        s | complex(a0) * 2
        s | complex(a0, 2.0)
        v | float(a0[0])
        v | [float(t) for t in a0]
        s | int(a0) * a0
        s | bool(a0) * a0
        [v | list(map(lambda t: t * 2, a0))
        v v | list(map(lambda t, u: t * u, a0, a1))
        v | list(filter(lambda t: t > 0, a0))
        v v | [t * u for t, u in zip(a0, a1)]
        v | [k * t for k, t in enumerate(a0, 1)]
        v | list(reversed(a0))
        [v | list(reversed(a0))
        [v | tuple(a0)
        v | list(a0)
        v | tuple(a0)
        [s | np.array(a0)
        [s | np.asarray(a0, dtype=float)
        [v | np.array(a0)
        [v | np.stack(a0)
        (v | np.concatenate(a0)
        (v | np.array(a0).sum(axis=0)
        [s | len(a0) * a0[0]
        [s | any(t > 0 for t in a0) * a0[0]
        [s | all(t > 0 for t in a0) * a0[0]
        s s | dict(u=a0, v=a1)
        s s | [*range(2)][1] * a0 * a1
        s s | next(iter([a0, a1])) * 2
        s s | next((t for t in (a0, a1) if t > 99.0), a0)
        s s | sorted([a0, a1])[0]
        s s | sorted({"u": a0, "v": a1}.items())[1][1]
        v | isinstance(a0, np.ndarray) * a0
        s s | getattr(a0, "real") * a1
        s s | eval("a0 * a1", {"a0": a0, "a1": a1})
        s s | float(str(a0)) * a1 + a0
        s s | len(f"{a0:.3f}") * 1.0 + a0 * a1
        [s | [*a0][0] * 2
        [s | math.fsum(a0)
        [s | math.prod(a0)
        [s [s | math.dist(a0, a1)
        s s | math.hypot(a0, a1)
        s s | math.atan2(a0, a1)
        s | math.sqrt(a0) + math.log(a0) * math.exp(a0)
        s | math.floor(a0) * a0
        s | math.modf(a0)
        s | math.frexp(a0)[0]
        s | a0.hex() and a0
        [s | functools.reduce(lambda t, u: t * u, a0)
        [s | functools.reduce(operator.add, a0, 0.0)
        [s | list(itertools.accumulate(a0))
        [s | list(itertools.chain(a0, a0))
        [s | [t * u for t, u in itertools.product(a0, a0)]
        [s | [t * u for t, u in itertools.combinations(a0, 2)]
        [s | [t - u for t, u in itertools.pairwise(a0)]
        [s | list(itertools.islice(a0, 2))
        [s | [t * k for t, k in zip(a0, itertools.count(1))]
        [s | list(itertools.starmap(operator.mul, zip(a0, a0)))
        [s | [t for t in itertools.takewhile(lambda t: t < 99.0, a0)]
        [s | [sum(g) for k, g in itertools.groupby(a0, key=lambda t: t > 0)]
        [s | list(itertools.zip_longest(a0, a0[:2], fillvalue=1.0))[2]
        s s | functools.partial(operator.mul, a0)(a1)
        [s | operator.itemgetter(1)(a0) * 2
        v | operator.attrgetter("real")(a0)
        v | operator.methodcaller("sum")(a0)
        [s | statistics.mean(a0)
        [s | list(collections.deque(a0, maxlen=2))
        s s | collections.OrderedDict(u=a0, v=a1)["v"] * a0
        s s | collections.defaultdict(float, u=a0)["u"] * a1
        s s | y = collections.Counter(); y["u"] += a0; y = y["u"] * a1
        s s | y = collections.ChainMap({"u": a0}, {"v": a1}); y = y["u"] * y["v"]
        v v | np.vectorize(lambda t, u: t * u)(a0, a1)
        v | np.apply_along_axis(lambda t: t ** 2, 0, a0)
        v | np.fromiter((t * 2 for t in a0), float)
        v v | np.piecewise(a0, [a1 < 0, a1 >= 0], [lambda t: t, lambda t: t ** 2])
        v v | np.select([a0 < 0, a0 > 1], [a1, a1 * 2], default=1.0)
        v v | np.r_[a0, a1]
        v v | np.c_[a0, a1]
        v v | np.add.outer(a0, a1)
        v v | np.multiply.reduce(a0) * a1
        v v | np.add.accumulate(a0) * a1
        s s | {a0, a1} and a0 * a1
        s s | sum({a0, a1})
        s s | max({a0, a1})
    """,
    "control": """
        v | y = 0.0; for t in a0: { y = y + t ** 2 }
        v | y = 0.0; for k in range(len(a0)): { y += k * a0[k] }
        v v | y = 0.0; for t, u in zip(a0, a1): { y += t * u }
        v | y = 1.0; for t in a0: { if t < 0: { continue }; y *= t }
        v | y = 0.0; for t in a0: { y += t; if y > 0.5: { break } }
        v | y = 0.0; for t in a0: { if t > 99.0: { break }; y += t } else: { y *= 2.0 }
        s | y = a0; k = 0; while y < 5.0: { y = y * 1.5 + 1.0; k += 1 }
        s | y = a0; while True: { y = y * 1.5; if y > 5.0: { break } }
        s s | y = a0; for _ in range(5): { y = y - (y * y - a1) / (2.0 * y) }
        v | y = np.zeros(3); for k in range(3): { y[k] = a0[k] * a0[k - 1] }
        v | y = a0.copy(); for k in range(1, 3): { y[k] = y[k - 1] * 0.5 + a0[k] }
        v | y = a0.copy(); for k in range(2, 0, -1): { y[k - 1] += y[k] ** 2 }
        m | y = 0.0; for row in a0: { for t in row: { y += t * t } }
        m | y = np.zeros(3); for row in a0: { y += row * row }
        m | y = [row * 2.0 for row in a0]
        m | y = [[t * u for u in row] for row in a0 for t in row[:1]]
        m | y = {k: row.sum() for k, row in enumerate(a0)}
        v | y = []; for t in a0: { y.append(t * 2) }; y = np.array(y)
        v | y = []; for t in a0: { y.append(t * 2) }; y = np.stack(y)
        v | y = sum(t * t for t in a0)
        v | y = sum(t * t for t in a0 if t > 0)
        s s | y = a0 if a1 > 0 else a1
        s s | if a0 > a1: { y = a0 * a1 } else: { y = a0 + a1 }
        s s | if a0 > 99.0: { y = a0 } elif a0 > 0.0: { y = a0 * a1 } else: { y = a1 }
        v s | if np.all(a0 < 99.0): { y = a0 * a1 } else: { y = a0 }
        s s | try: { y = a0 / a1 } except ZeroDivisionError: { y = a0 }
        s s | try: { y = a0 / 0 } except ZeroDivisionError: { y = a0 * a1 }
        s s | try: { raise ValueError(a0) } except ValueError as error: { y = error.args[0] * a1 }
        s s | try: { y = {}["u"] } except KeyError: { y = a0 * a1 } finally: { y = y * 2.0 }
        s s | try: { y = a0 * a1 } except ValueError: { y = 0.0 } else: { y = y * 3.0 }
        v v | try: { y = a0[7] } except IndexError: { y = a0 * a1 }
        v v | try: { y = a0 @ a1.reshape(1, 3, 1)[:, :2] } except ValueError: { y = a0 * a1 }
        s s | match a0 > 0: { case True: { y = a0 * a1 } ; case _: { y = a0 } }
        s s | match (a0, a1): { case (t, u): { y = t * u } }
        s s | match {"u": a0, "v": a1}: { case {"u": t, **rest}: { y = t * rest["v"] } }
        s s | match [a0, a1]: { case [t, *rest]: { y = t * rest[0] } }
        v | t, *rest = a0; y = t * rest[0] + rest[1]
        v | (t, u), z = a0[:2], a0[2]; y = t * u * z
        s s | t = u = a0; t *= a1; y = t + u
        s s | if (t := a0 * a1) > -99.0: { y = t }
        s s | a0, a1 = a1, a0 * a1; y = a0 - a1
        s s | y: float = a0 * a1
        s s | y = (lambda t, u=a1: t * u)(a0)
        s s | y = [lambda t, k=k: t * k for k in (1, 2)][1](a0) * a1
        s s | def g(t): { nonlocal_ = t * a1; return nonlocal_ } ; y = g(a0)
        s s | k = a0; def g(): { nonlocal k; k = k * a1 } ; g(); g(); y = k
        s s | def g(t, *rest, scale=2.0, **more): { return t * rest[0] * scale * more["z"] } ; y = g(a0, a1, z=3.0)
        s s | def g(n): { return a0 if n == 0 else a1 * g(n - 1) } ; y = g(3)
        v | def g(x): { return x[0] if len(x) == 1 else x[0] * g(x[1:]) } ; y = g(a0)
        v | def g(): { for t in a0: { yield t * t } } ; y = sum(g())
        v | def g(): { yield from (t * 2 for t in a0) } ; y = list(g())
        v | def g(): { t = yield a0[0]; yield t * a0[1] } ; it = g(); u = next(it); y = it.send(u * 2)
        v | it = iter(a0); y = next(it) * next(it)
        s s | assert a0 > -99.0, "message"; y = a0 * a1
        s s | y = a0 * a1; del a0
        v v | with np.errstate(all="ignore"): { y = a0 * a1 }
        s s | y = "value: %s" % a0 and a0 * a1
        s s | y = (a0, {"k": a1, "n": 3}, [a0 * a1])
        s s | y = a0, None, "text", a1 * a0
        v v | global_count = 0; y = a0 * a1 + global_count
        v v | y = a0; y = y + a1; y = y * y; y = y.sum() * a0
        v | y = a0; z = y; y = y * 2.0; y = y * z
        v | b = a0.copy(); c = b; c[0] = 0.0; y = b * a0
        v | b = a0.copy(); c = b[1:]; c *= 2.0; y = b
        v | b = a0.copy(); c = b.reshape(3, 1); c[0, 0] = 5.0; y = b * a0
        m | b = a0.copy(); for row in b: { row *= 2.0 } ; y = b
        m | b = [a0, a0 * 2]; b[0] = b[1]; y = b[0] * b[1]
        v | y = a0 * 0.0
        v | y = np.zeros(3)
        s | y = 2.5
        v | y = a0
        [v | y = a0
        s | y = a0
    """,
    "protocol": """
        s s | P = Pair(a0, a1); y = P.u * P.v
        s s | P = Pair(a0, a1); P.u = P.u * P.v; y = P.total()
        s s | y = Pair(a0, a1) + Pair(a1, a0); y = y.u * y.v
        s s | y = Pair(a0, a1) * 2.0; y = y.u + y.v
        s s | y = 2.0 * Pair(a0, a1); y = y.u + y.v
        s s | y = -Pair(a0, a1); y = y.u * y.v
        s s | y = Pair(a0, a1)[0] * 2.0
        s s | y = Pair(a0, a1)(3.0)
        s s | y = sum(t * t for t in Pair(a0, a1))
        s s | t, u = Pair(a0, a1); y = t * u
        s s | y = len(Pair(a0, a1)) * a0
        s s | y = (a0 in Pair(a0, a1)) * a0
        s s | y = Pair(a0, a1).product * 2.0
        s s | y = Pair.made(a0, a1).u * a1
        s s | y = Pair.twice(a0) * a1
        s s | y = Pair(a0, a1) == Pair(a0, a1) and a0 * a1
        s s | y = (Pair(a0, a1) < Pair(a1, a0)) * a0 + a1
        s s | y = float(Number(a0)) * a1
        s s | y = abs(Number(a0)).t * a1
        s s | y = bool(Number(a0)) * a1
        s s | with Manager(a0) as t: { y = t * a1 }
        s s | with Manager(a0) as t, Manager(a1) as u: { y = t * u }
        s s | m = Manager(a0); with m: { m.t = m.t * a1 } ; y = m.t
        s s | with managed(a0) as t: { y = t * a1 }
        s s | y = Child(a0, a1).total()
        s s | y = Child(a0, a1).product
        s s | y = Record(a0, a1).u * a1
        s s | y = dataclasses.replace(Record(a0, a1), u=a1 * 2.0).u * a0
        s s | y = dataclasses.astuple(Record(a0, a1))
        s s | y = dataclasses.asdict(Record(a0, a1))
        s s | y = Point(a0, a1).u * a1
        s s | y = Point(a0, a1)._replace(u=a1 * 2.0)
        s s | y = Point(u=a0, v=a1)._asdict()
        s s | y = Record(a0, a1)
        s s | t = Pair(a0, a1); u = t; u.u = a1 * 2.0; y = t.u * a0
        s s | t = Pair(a0, a1); setattr(t, "u", a1 * 3.0); y = getattr(t, "u") * a0
        s s | t = Pair(a0, a1); t.extra = a0 * a1; y = t.extra
        s s | t = vars(Pair(a0, a1)); y = t["u"] * t["v"]
        s s | t = Slots(a0); t.t *= a1; y = t.t
        s s | t = Pair([a0], {"k": a1}); t.u.append(a1); y = t.u[0] * t.u[1] * t.v["k"]
        s s | t = Lazy(a0); y = t.square * t.square * a1
        s s | y = cached(2) * a0 * a1
        s s | y = decorated(a0, a1)
        s s | t = types.SimpleNamespace(u=a0, v=a1); y = t.u * t.v
        s s | y = isinstance(Child(a0, a1), Pair) * a0 * a1
        s s | y = Color.RED.value * a0 * a1
        s s | y = copy.deepcopy([a0, a1])[0] * a1
        s s | y = copy.copy(Pair(a0, a1)).u * a1
    """,
}

SETUP = '''class Pair:
    count = 2

    def __init__(self, u, v):
        self.u, self.v = u, v

    def total(self):
        return self.u * 2.0 + self.v

    @property
    def product(self):
        return self.u * self.v

    @classmethod
    def made(cls, u, v):
        return cls(u * 2.0, v)

    @staticmethod
    def twice(u):
        return 2.0 * u

    def __add__(self, other):
        return Pair(self.u + other.u, self.v + other.v)

    def __mul__(self, k):
        return Pair(self.u * k, self.v * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Pair(-self.u, -self.v)

    def __getitem__(self, k):
        return (self.u, self.v)[k]

    def __call__(self, k):
        return self.u * k + self.v

    def __iter__(self):
        yield self.u
        yield self.v

    def __len__(self):
        return self.count

    def __contains__(self, t):
        return t == self.u

    def __eq__(self, other):
        return self.u == other.u

    def __lt__(self, other):
        return self.u < other.u


class Child(Pair):
    def total(self):
        return super().total() * 3.0


class Number:
    def __init__(self, t):
        self.t = t

    def __float__(self):
        return self.t * 2.0

    def __abs__(self):
        return Number(abs(self.t))

    def __bool__(self):
        return self.t > 0


class Manager:
    def __init__(self, t):
        self.t = t

    def __enter__(self):
        return self.t * 2.0

    def __exit__(self, *exc):
        return False


@contextlib.contextmanager
def managed(t):
    yield t * 2.0


@dataclasses.dataclass
class Record:
    u: float
    v: float


class Point(typing.NamedTuple):
    u: float
    v: float


class Slots:
    __slots__ = ("t",)

    def __init__(self, t):
        self.t = t


class Lazy:
    def __init__(self, t):
        self.t = t

    @functools.cached_property
    def square(self):
        return self.t ** 2


class Color(enum.Enum):
    RED = 2.0


@functools.lru_cache
def cached(n):
    return n * 1.5


def doubling(g):
    @functools.wraps(g)
    def inner(*args, **kwargs):
        return 2.0 * g(*args, **kwargs)
    return inner


@doubling
def decorated(u, v):
    return u * v
'''


def _lines(text: str, depth: int = 0) -> Iterator[str]:
    """Statements separated by ``;``, their blocks in braces, as lines with indentation."""
    for statement in _split(text):
        head, brace, _ = statement.partition(": { ")
        if not brace:
            yield "    " * depth + statement
            continue
        rest = statement
        while rest:
            head, body, rest = _block(rest)
            yield "    " * depth + head + ":"
            yield from _lines(body, depth + 1)


def _split(text: str) -> list[str]:
    parts, depth, begin, quote = [], 0, 0, ""
    for k, c in enumerate(text):
        if c in "\"'":
            quote = "" if quote == c else quote or c
        elif not quote:
            depth += (c in "{[(") - (c in "}])")
            if c == ";" and not depth:
                parts.append(text[begin:k].strip())
                begin = k + 1
    return [p for p in [*parts, text[begin:].strip()] if p]


def _block(text: str) -> tuple[str, str, str]:
    """The head, the body and the rest of ``head: { body } rest``."""
    begin = text.index(": { ")
    depth = 0
    for k in range(begin + 2, len(text)):
        depth += (text[k] == "{") - (text[k] == "}")
        if not depth:
            return text[:begin], text[begin + 4:k].strip(), text[k + 1:].strip()
    raise ValueError(text)


def written() -> Iterator[Atom]:
    """The atoms of `FORMS`, the same in every process."""
    rng = np.random.default_rng(3)
    for group, text in FORMS.items():
        for line in filter(None, map(str.strip, text.splitlines())):
            kinds, _, code = line.partition(" | ")
            is_statements = code.startswith(("for ", "while ", "if ", "try", "match ", "with ", "def ", "assert ", "P = ", "t = ", "m = "))
            is_statements = is_statements or any(p.startswith(("y = ", "y: ", "y +", "y[")) for p in _split(code))
            lines = tuple(_lines(code)) if is_statements else (f"y = {code}",)
            setup = (SETUP,) if group == "protocol" else ()
            yield Atom(code, group, tuple(operand(k, rng) for k in kinds.split()), lines, setup)
