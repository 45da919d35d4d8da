"""Programs that ask for classes: of caught exceptions, of numbers that paths join, of enum members, of classes with metaclasses.

Each program takes an array of two numbers and returns one number.
"""

from __future__ import annotations

import enum
from collections import OrderedDict
from typing import Any

import numpy as np

__all__ = ["PROGRAMS"]

PROGRAMS: dict[str, Any] = {}


def program(f: Any) -> Any:
    PROGRAMS[f.__name__] = f
    return f


@program
def caught_subclass(v: Any) -> Any:
    try:
        if v[0] > 0:
            raise KeyError("k")
    except LookupError as e:
        return v[0] ** 2 if isinstance(e, KeyError) else v[0]
    return v[1]


@program
def caught_type_is(v: Any) -> Any:
    try:
        {}["x"]  # type: ignore[index]
    except Exception as e:
        if type(e) is KeyError:
            return v[0] ** 2
    return v[1]


@program
def caught_match(v: Any) -> Any:
    try:
        {}["x"]  # type: ignore[index]
    except Exception as e:
        match e:
            case ValueError():
                return v[1]
            case KeyError():
                return v[0] ** 2
    return v[0]


class E1(Exception):
    factor = 2.0

    def scale(self) -> Any:
        return self.factor


class E2(E1):
    factor = 3.0


def thrower(x: Any) -> Any:
    raise E2("x")


@program
def caught_attr(v: Any) -> Any:
    try:
        thrower(v[0])
    except E1 as e:
        return v[0] ** 2 * e.factor


@program
def caught_method(v: Any) -> Any:
    try:
        thrower(v[0])
    except E1 as e:
        return v[0] ** 2 * e.scale()


@program
def caught_name(v: Any) -> Any:
    try:
        thrower(v[0])
    except E1 as e:
        return v[0] * len(e.__class__.__name__) + v[1] * len(type(e).__name__) * (2.0 if type(e).__name__ == "E2" else 5.0)


@program
def joined_float(v: Any) -> Any:
    y = float(v[0]) if v[0] > 0 else v[1]
    return 2 * y if isinstance(y, np.floating) else 3 * y


@program
def joined_npfloat(v: Any) -> Any:
    y = float(v[0]) if v[0] < 0 else v[1]
    return 2 * y if isinstance(y, np.floating) else 3 * y


@program
def joined_type(v: Any) -> Any:
    y = float(v[0]) if v[0] > 0 else v[1]
    return 2 * y if type(y) is float else 3 * y


@program
def joined_arith(v: Any) -> Any:
    y = float(v[0]) if v[0] > 0 else v[1]
    z = -(2.0 * y)
    return 2 * z if isinstance(z, np.generic) else 3 * z


@program
def joined_hasattr(v: Any) -> Any:
    y = float(v[0]) if v[0] > 0 else v[1]
    return 2 * y if hasattr(y, "shape") else 3 * y


@program
def joined_getattr(v: Any) -> Any:
    y = float(v[0]) if v[0] > 0 else v[1]
    return 2 * y if getattr(y, "shape", None) is None else 3 * y


@program
def joined_int(v: Any) -> Any:
    y = 2 if v[0] > 0 else v[0]
    return v[1] * y if isinstance(y, int) else v[1] ** 2 * y


@program
def joined_int_float(v: Any) -> Any:
    y = 2 if v[0] > 0 else float(v[0])
    return v[1] * y if isinstance(y, int) else v[1] ** 2 * y


@program
def joined_bool(v: Any) -> Any:
    y = True if v[0] > 0 else 3
    return v[1] * y if isinstance(y, bool) else v[1] ** 2 * y


@program
def joined_in_loop(v: Any) -> Any:
    t = 0.0
    for x in v:
        t = t + x
    a = 0.0
    for x in v[:0]:
        a = a + x
    return (2 * t if isinstance(t, np.floating) else 3 * t) + (v[0] ** 2 if isinstance(a, np.floating) else v[0] ** 3)


@program
def joined_list(v: Any) -> Any:
    xs = [float(v[0]), v[1]]
    s = 0.0
    for x in xs:
        s = s + (2 * x if isinstance(x, np.floating) else 3 * x)  # type: ignore[assignment]
    return s


def _sc(y: Any) -> Any:
    if isinstance(y, np.floating):
        return 2 * y
    return 3 * y


@program
def joined_helper(v: Any) -> Any:
    y = float(v[0]) if v[0] > 0 else v[1]
    z = v[0] if v[0] > 0 else float(v[1])
    return _sc(y) + 10 * _sc(z)


@program
def joined_match(v: Any) -> Any:
    y = float(v[0]) if v[0] > 0 else v[1]
    match y:
        case np.floating():
            return 2 * y
        case float():
            return 3 * y
    return y


@program
def joined_max(v: Any) -> Any:
    y = max(0.0, v[1])
    return v[0] * 2 if type(y) is float else v[0] ** 3


@program
def sum_start(v: Any) -> Any:
    y = sum([]) + 0.0
    return v[0] * 2 if type(y) is float else v[0] ** 3


@program
def frozen(v: Any) -> Any:
    s = frozenset([1, 2])
    return v[0] * 2 if isinstance(s, frozenset) else v[0] ** 3


@program
def ordered(v: Any) -> Any:
    d = OrderedDict(a=1)
    return v[0] * 2 if isinstance(d, OrderedDict) else v[0] ** 3


class Color(enum.Enum):
    RED = 1.0
    BLUE = 2.0


class W(float, enum.Enum):
    A = 2.0
    B = 3.0


@program
def enum_by_name(v: Any) -> Any:
    return Color["BLUE"].value * v[0]


@program
def enum_by_var_name(v: Any) -> Any:
    s = 0.0
    for n in ("RED", "BLUE"):
        s += Color[n].value * v[0]
    return s


@program
def enum_call(v: Any) -> Any:
    return Color(2.0).value * v[0]


@program
def enum_iter(v: Any) -> Any:
    return sum((c.value for c in Color)) * v[0]


@program
def enum_float(v: Any) -> Any:
    return W["B"] * v[0] + W.A * v[1]


class Meta(type):
    def __getitem__(cls, k: Any) -> Any:
        return cls.table[k]  # type: ignore[attr-defined]

    def __call__(cls, *a: Any) -> Any:
        return super().__call__(*a)

    def __len__(cls) -> Any:
        return 3

    def __iter__(cls) -> Any:
        return iter(cls.table)  # type: ignore[attr-defined]

    def __contains__(cls, k: Any) -> Any:
        return k in cls.table  # type: ignore[attr-defined]


class Reg(metaclass=Meta):
    table = [2.0, 5.0]


class Cg:
    table = [2.0, 7.0]

    def __class_getitem__(cls, k: Any) -> Any:
        return cls.table[k]


@program
def meta_getitem(v: Any) -> Any:
    return Reg[1] * v[0]


@program
def class_getitem(v: Any) -> Any:
    return Cg[1] * v[0]  # type: ignore[misc]


@program
def meta_len(v: Any) -> Any:
    return len(Reg) * v[0]


@program
def meta_iter(v: Any) -> Any:
    return sum(Reg) * v[0]


@program
def meta_in(v: Any) -> Any:
    return v[0] * 2 if 2.0 in Reg else v[0]


class CA:
    k = 1.0


def bump() -> Any:
    CA.k = 2.0


@program
def class_attr_changed(v: Any) -> Any:
    a = CA.k
    bump()
    b = CA.k
    CA.k = 1.0
    return v[0] * a + v[1] * b


def bump2() -> Any:
    setattr(CA, "k", 4.0)


@program
def class_attr_setattr(v: Any) -> Any:
    bump2()
    b = CA.k
    CA.k = 1.0
    return v[0] * b


@program
def class_attr_type(v: Any) -> Any:
    o = CA()
    type(o).k = 3.0
    b = o.k
    CA.k = 1.0
    return v[0] * b


@program
def real_if_close(v: Any) -> Any:
    return np.sum(np.real_if_close(v * (1 + 0j)) ** 2).real * 1.0
