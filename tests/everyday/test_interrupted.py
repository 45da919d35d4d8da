"""What a branch that raises has assigned or written is there for the handler, and for what follows the statement."""
from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pytest

import transgrad as tg
from transgrad.errors import TransgradError

from ..oracles import gradient

pytestmark = pytest.mark.filterwarnings("ignore::transgrad.errors.TapeFallbackWarning")


class Holder:
    v: Any


def attribute(x: Any, y: Any) -> Any:
    o = Holder()
    o.v = x
    try:
        if y > 0:
            o.v = x * 0.5
            raise ValueError
    except ValueError:
        pass
    return o.v * y


def in_loop(x: Any, y: Any) -> Any:
    for i in range(3):
        try:
            if y > 0.5:
                x = x * 1.1
                raise KeyError
            x = x * y
        except KeyError:
            x = x + 1
    return x * y


def returned(x: Any, y: Any) -> Any:
    try:
        if y > 0.5:
            x = x * 1.1
            z = np.sqrt(y)
            return x * z
        x = x * 2
    except ValueError:
        pass
    return x * y


def appended(x: Any, y: Any) -> Any:
    a = [x]
    try:
        if y > 0:
            a.append(y)
            raise ValueError
    except ValueError:
        pass
    return sum(a) * y


def of_dict(x: Any, y: Any) -> Any:
    d = {'k': x}
    try:
        if y > 0:
            d['k'] = x * 3
            raise ValueError
    except ValueError:
        d['j'] = 2.0
    return d['k'] * y


def suppressed(x: Any, y: Any) -> Any:
    with contextlib.suppress(ValueError):
        if y > 0:
            x = x * 3
            raise ValueError
        x = x * 5
    return x * y


def finally_(x: Any, y: Any) -> Any:
    try:
        try:
            if y > 0:
                x = x * 3
                raise ValueError
        finally:
            x = x + 1
    except ValueError:
        pass
    return x * y


def handled(x: Any, y: Any) -> Any:
    try:
        if y > 0:
            x = x * 3
            raise ValueError
    except ValueError:
        x = x * 7
    else:
        x = x * 2
    return x * y


def element(x: Any, y: Any) -> Any:
    a = np.array([x, y])
    try:
        if y > 0:
            a[0] = x * 3
            raise ValueError
    except ValueError:
        pass
    return a[0] * a[1]


def refusing(x: Any, y: Any) -> Any:
    if y > 0:
        raise ValueError
    return x


def called(x: Any, y: Any) -> Any:
    try:
        if y > -5:
            x = x * 3
            x = refusing(x, y)
            x = x * 2
            raise KeyError
    except (ValueError, KeyError):
        pass
    return x * y


def from_loop(x: Any, y: Any) -> Any:
    try:
        for k in range(4):
            x = x * 1.5
            if x > y:
                raise ValueError
    except ValueError:
        pass
    return x * y


def from_while(x: Any, y: Any) -> Any:
    try:
        while True:
            x = x * 1.5
            if x > abs(y):
                raise StopIteration
    except StopIteration:
        pass
    return x * y


def nested(x: Any, y: Any) -> Any:
    try:
        if y > 0:
            x = x * 2
            if y > 0.7:
                x = x * 3
                raise ValueError
    except ValueError:
        return x
    return x * y


PROGRAMS = (attribute, in_loop, returned, appended, of_dict, suppressed, finally_, handled, element, called, from_loop, from_while, nested)


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("point", [(1.3, 0.9), (1.3, -0.9), (0.7, 0.6)])
@pytest.mark.parametrize("fallback", ["error", "tape"])
def test_interrupted(f: Any, point: tuple[float, float], fallback: str) -> None:
    try:
        value, (x_bar, y_bar) = tg.value_and_grad(f, argnums=(0, 1), fallback=fallback)(*point)
    except TransgradError:
        assert fallback == "error"
        return
    want, _ = gradient(lambda v: f(*v.tolist()), np.array(point))
    assert value == pytest.approx(f(*point))
    np.testing.assert_allclose([x_bar, y_bar], want, rtol=1e-6)
