"""np.poly1d: a polynomial made by a function is represented by its coefficients, highest power first, and differentiated through them."""
from __future__ import annotations

from typing import Any

import numpy as np

from .registry import definition

__all__ = ["Polynomial", "polynomial"]


class Polynomial:
    """A polynomial by its coefficients."""

    def __init__(self, c: Any):
        self.c = self.coef = self.coeffs = self.coefficients = c
        self.order = self.o = c.shape[0] - 1

    def __call__(self, x: Any) -> Any:
        return np.polyval(self.c, x)

    @property
    def r(self) -> Any:
        return np.roots(self.c)

    @property
    def roots(self) -> Any:
        return np.roots(self.c)

    def deriv(self, m: Any = 1) -> Any:
        return Polynomial(np.polyder(self.c, m))

    def integ(self, m: Any = 1, k: Any = 0) -> Any:
        return Polynomial(np.polyint(self.c, m, k))

    def __getitem__(self, power: Any) -> Any:
        return self.c[self.order - power] if 0 <= power <= self.order else 0.0

    def __len__(self) -> int:
        return int(self.order)

    def __neg__(self) -> Any:
        return Polynomial(-self.c)

    def __add__(self, other: Any) -> Any:
        return Polynomial(np.polyadd(self.c, coefficients(other)))

    def __radd__(self, other: Any) -> Any:
        return self + other

    def __sub__(self, other: Any) -> Any:
        return Polynomial(np.polysub(self.c, coefficients(other)))

    def __rsub__(self, other: Any) -> Any:
        return Polynomial(np.polysub(coefficients(other), self.c))

    def __mul__(self, other: Any) -> Any:
        return Polynomial(np.polymul(self.c, coefficients(other)))

    def __rmul__(self, other: Any) -> Any:
        return self * other

    def __truediv__(self, other: Any) -> Any:
        return Polynomial(self.c / other)

    def __pow__(self, count: Any) -> Any:
        found = Polynomial(np.ones(1))
        for _ in range(count):
            found = found * self
        return found


def coefficients(x: Any) -> Any:
    """Those of a polynomial, of a sequence, or of a number."""
    return x.c if isinstance(x, Polynomial) else np.atleast_1d(x)


@definition(np.poly1d)
def polynomial(c_or_r: Any, r: Any = False, variable: Any = None) -> Any:
    """With respect to the coefficients, the first of which is nonzero, or the roots."""
    return Polynomial(np.poly(c_or_r) if r else coefficients(c_or_r))
