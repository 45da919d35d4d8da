"""Operators and their ufuncs."""
from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Iterator

import numpy as np

from .forms import Case, case, cplx, positive, real


def cases() -> Iterator[Case]:
    pairs = [(0.7, 1.3), (real(3), 0.4), (1.5, real(2, 3)), (real(2, 3), real(3)), (real(2, 1), real(1, 3)), (cplx(3), cplx(3)), (cplx(2, 3), real(3))]
    for fn in (operator.add, operator.sub, operator.mul, operator.truediv, np.add, np.subtract, np.multiply, np.divide):
        yield from (Case(fn, p) for p in pairs)
    for fn in (operator.neg, operator.pos, np.negative, np.positive, np.square, np.reciprocal):
        yield from (case(fn, x) for x in (1.3, positive(2, 3), cplx(3)))
    for fn in (operator.mod, np.mod, np.fmod, math.fmod, math.remainder, divmod, np.divmod):
        yield case(fn, 5.3, 2.1)
        if fn not in (math.fmod, math.remainder):
            yield case(fn, np.array([5.3, -7.3, 0.4]), np.array([2.1, 2.4, 3.0]))
    for fn in (operator.pow, np.power, builtins.pow, np.float_power):
        yield from (case(fn, x, n) for x in (1.3, positive(3), np.array([-1.5, 2.0])) for n in (0, 1, 2, 3, -1, -2, 2.0))
        yield from (case(fn, x, 0.5) for x in (1.3, positive(3)))
        yield from (case(fn, positive(3), n) for n in (1.7, real(3), real(2, 1), np.array([2, 0, 3])))
        yield from (case(fn, cplx(3), n) for n in (2, 3, -1, 0.5, cplx(3)))
        yield case(fn, np.array([0.0, -1.2, 2.0]), np.array([2, 3, 0]))
    yield case(math.pow, 1.3, 2.2)
    yield case(operator.pow, np.array([2, 3]), real(2))
    for fn in (operator.abs, np.absolute, np.fabs, builtins.abs):
        yield from (case(fn, x) for x in (-1.3, real(2, 3)))
        if fn is not np.fabs:
            yield case(fn, cplx(3))
    yield case(math.fabs, -0.3)
    for fn in (np.maximum, np.minimum, np.fmax, np.fmin):
        yield from (case(fn, *p) for p in ((0.7, 1.3), (real(3), 0.4), (real(2, 3), real(3))))
    yield case(np.fmax, np.array([np.nan, 1.0]), np.array([0.5, np.nan]))
    for fn in (np.clip, np.ndarray.clip):
        yield from (case(fn, np.array([-1.5, 0.2, 0.8, 3.0]), *b) for b in ((-0.9, 1.4), (None, 1.4), (-0.9, None), (np.array([-2.0, 0.3, 0.0, 1.0]), 2.5)))
    yield case(np.clip, np.array([-1.5, 0.2]), a_min=0.0, a_max=1.0)
    yield from (case(np.where, np.array([True, False, True]), x, y) for x in (real(3), 0.7) for y in (real(3), real(2, 3), -0.2))
    yield case(np.sign, cplx(3))
    yield case(np.sign, real(3))
    yield case(np.heaviside, np.array([0.0, 1.0, -1.0]), 0.3, fixed=(0,))
    yield case(np.copysign, np.array([1.5, -0.7]), np.array([-2.0, -1.0]))
    yield case(math.copysign, 1.5, -2.0)
    yield case(np.ldexp, real(3), np.array([1, -2, 3]))
    yield case(math.ldexp, 0.7, 3)
    yield case(np.nan_to_num, np.array([1.0, -0.5]))
    yield case(math.modf, 1.7)
    yield case(np.modf, np.array([1.7, -2.3]))
    yield case(np.frexp, np.array([1.7, -5.3]))
    yield case(math.frexp, 5.3)
    for fn in (np.real, np.imag, np.conjugate, np.angle, np.ndarray.conj):
        yield case(fn, cplx(3))
        yield case(fn, real(3))
    yield case(np.angle, cplx(3), deg=True)
    yield from (case(fn, 0.7) for fn in (float, np.float64, float.conjugate))
    yield case(complex, 0.7)
    yield case(complex.conjugate, 0.7 + 0.2j)
    yield case(np.real_if_close, real(3))
    yield case(np.add, real(3), real(3), dtype=np.float64)
    yield case(np.nextafter, real(3), 9.0)
    yield case(np.unwrap, np.array([0.1, 3.0, -3.0, 0.2]))
    yield case(complex, 0.7, -0.3)
