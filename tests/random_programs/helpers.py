"""Helper functions that random programs call: pure ones, ones that write into their arguments, recursive ones."""
from __future__ import annotations

__all__ = ["HELPERS"]

#: name -> (kinds of the parameters, kind of the result, source); 'f' is a number, 'a' an array, '-' nothing.
HELPERS: dict[str, tuple[str, str, str]] = {
    "blend": ("ff", "f", """
def blend(u, v):
    w = np.tanh(u)
    return w * v + (1.0 - w) * u
"""),
    "branchy": ("f", "f", """
def branchy(v, scale=1.3):
    if ⟦v⟧ > 0.21:
        return np.sin(scale * v)
    elif ⟦v⟧ < -1.7:
        return scale
    w = v * v
    return w - v
"""),
    "power": ("f", "f", """
def power(v, n=3):
    if n == 0:
        return 1.0
    return 0.5 * v * power(np.tanh(v), n - 1)
"""),
    "energy": ("a", "f", """
def energy(v):
    total = 0.0
    for e in v:
        total += np.cos(e) * e
    return total / len(v)
"""),
    "smooth": ("a", "a", """
def smooth(v):
    out = np.zeros_like(v)
    out[0] = v[0]
    for i in range(1, len(v)):
        out[i] = 0.6 * out[i - 1] + 0.4 * v[i]
    return out
"""),
    "nudge": ("af", "-", """
def nudge(v, c):
    v[0] += c
    v[1:] *= np.cos(c)
"""),
    "touch": ("af", "a", """
def touch(v, c):
    w = v[1:]
    w += c * 0.5
    v[-1] = np.sin(v[0])
    return v
"""),
    "extent": ("a", "ff", """
def extent(v):
    lo, hi = v[0], v[0]
    for e in v[1:]:
        if ⟦e⟧ < ⟦lo⟧:
            lo = e
        if ⟦e⟧ > ⟦hi⟧:
            hi = e
    return lo, hi
"""),
    "search": ("af", "f", """
def search(v, limit):
    k = 0
    while k < len(v):
        if ⟦v[k]⟧ > ⟦limit⟧:
            return v[k] * limit
        k += 1
    return limit
"""),
    "Box": ("", "", """
class Box:
    def __init__(self, w, c):
        self.w = w
        self.c = c

    def shift(self, d):
        self.c = np.tanh(self.c + d)
        self.w[0] += self.c
        self.w *= np.cos(d)
        return self

    def total(self):
        return np.sum(np.sin(self.w)) * self.c
"""),
}
