"""Programs that see protocols: context managers that look at the exception, cached properties, super(), dataclasses.

Each program takes an array of two numbers and returns one number.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
from typing import Any

__all__ = ["PROGRAMS"]

PROGRAMS: dict[str, Any] = {}


def program(f: Any) -> Any:
    PROGRAMS[f.__name__] = f
    return f


class Supp:
    def __init__(s) -> None:
        s.seen = None

    def __enter__(s) -> Any:
        return s

    def __exit__(s, t: Any, e: Any, tb: Any) -> Any:
        s.seen = t
        return t is KeyError


@program
def exit_swallow(v: Any) -> Any:
    y = v[0]
    with Supp():
        y = y * 2
        raise KeyError("x")
    return y**2


class Note:
    def __init__(s) -> None:
        s.scale = 1.0

    def __enter__(s) -> Any:
        return s

    def __exit__(s, t: Any, e: Any, tb: Any) -> Any:
        if t is not None:
            s.scale = 3.0
        return False


@program
def exit_sees(v: Any) -> Any:
    n = Note()
    try:
        with n:
            raise ValueError("x")
    except ValueError:
        pass
    return v[0] * n.scale


@contextlib.contextmanager
def cm(log: Any) -> Any:
    try:
        yield
    except KeyError:
        log.append(5.0)


@program
def cm_swallow(v: Any) -> Any:
    log: list[Any] = []
    with cm(log):
        raise KeyError("z")
    return v[0] * log[0]


class CP:
    def __init__(s, x: Any) -> None:
        s.x = x
        s.n = 0

    @functools.cached_property
    def sq(s) -> Any:
        s.n += 1
        return s.x**2


@program
def cached_prop(v: Any) -> Any:
    c = CP(v[0])
    a = c.sq
    b = c.sq
    return (a + b) * c.n


@program
def cached_prop_changed(v: Any) -> Any:
    c = CP(v[0])
    a = c.sq
    c.x = v[1]
    b = c.sq
    return a + b


@dataclasses.dataclass(init=False)
class NI:
    x: float
    y: float = 2.0

    def __init__(s, x: Any) -> None:
        s.x = x * 3


@program
def noinit(v: Any) -> Any:
    o = NI(v[0])
    return o.x * o.y


@dataclasses.dataclass
class NI2:
    x: float
    z: float = dataclasses.field(init=False)

    def __post_init__(s) -> None:
        s.z = s.x**2


@program
def noinit_field(v: Any) -> Any:
    return NI2(v[0]).z


class Base:
    a = 2.0

    def m(self) -> Any:
        return 4.0


class Der(Base):
    a = 3.0

    def t(s) -> Any:
        return getattr(super(), "a", 9.0) + getattr(super(), "zz", 7.0)

    def u(s) -> Any:
        return getattr(super(), "m", None)()  # type: ignore[misc]

    def h(s) -> Any:
        return 1.0 if hasattr(super(), "zz") else 6.0


@program
def super_getattr(v: Any) -> Any:
    return Der().t() * v[0]


@program
def super_getattr_method(v: Any) -> Any:
    return Der().u() * v[0]


@program
def super_hasattr(v: Any) -> Any:
    return Der().h() * v[0]


log: list[Any] = []


class Log:
    def __enter__(s) -> Any:
        return s

    def __exit__(s, t: Any, e: Any, tb: Any) -> Any:
        log.append(None if t is None else t.__name__)
        return False


@program
def exit_args(v: Any) -> Any:
    log.clear()
    try:
        with Log():
            if v[0] > 0:
                raise KeyError("k")
    except KeyError:
        pass
    return v[0] * (2.0 if log == ["KeyError"] else 1.0)


@program
def exit_args_none(v: Any) -> Any:
    log.clear()
    with Log():
        y = v[0] ** 2
    return y * (2.0 if log == [None] else 1.0)


class Rb:
    def __init__(s) -> None:
        s.ok = 1.0

    def __enter__(s) -> Any:
        return s

    def __exit__(s, t: Any, e: Any, tb: Any) -> Any:
        s.ok = 5.0 if t is not None and issubclass(t, ArithmeticError) else 2.0
        return t is not None


@program
def exit_swallow_arith(v: Any) -> Any:
    r = Rb()
    y = v[0]
    with r:
        y = 1 / (v[0] - v[0]) if False else y * 2
        raise ZeroDivisionError
    return y * r.ok


@program
def exit_no_raise(v: Any) -> Any:
    r = Rb()
    with r:
        y = v[0] ** 2
    return y * r.ok


class Val:
    def __enter__(s) -> Any:
        return s

    def __exit__(s, t: Any, e: Any, tb: Any) -> Any:
        if e is not None:
            s.got = e.args[0]
        return True


@program
def exit_value(v: Any) -> Any:
    r = Val()
    with r:
        raise ValueError(v[0] ** 2)
    return r.got * v[1]


@program
def exit_nested(v: Any) -> Any:
    a, b = (Rb(), Rb())
    with a:
        with b:
            raise ZeroDivisionError
        y = v[0] ** 2
    return y * a.ok * b.ok


@program
def exit_return(v: Any) -> Any:
    r = Rb()

    def f() -> Any:
        with r:
            return v[0] ** 2

    return f() * r.ok


@program
def exit_in_loop(v: Any) -> Any:
    s = 0.0
    for x in v:
        with Rb() as r:
            if x < 0:
                raise ArithmeticError
            s = s + x
        s = s + x * r.ok
    return s


@program
def suppress(v: Any) -> Any:
    y = v[0]
    with contextlib.suppress(KeyError):
        y = y**2
        raise KeyError
    return y


@contextlib.contextmanager
def scaled(d: Any) -> Any:
    try:
        yield d
    except ValueError as e:
        d["k"] = d["k"] * float(len(e.args))
    finally:
        d["k"] = d["k"] * 2


@program
def cm_handles(v: Any) -> Any:
    d = {"k": v[0]}
    with scaled(d):
        raise ValueError(1, 2, 3)
    return d["k"] * v[1]


@program
def cm_plain(v: Any) -> Any:
    d = {"k": v[0]}
    with scaled(d):
        d["k"] = d["k"] * v[1]
    return d["k"]


@program
def exit_stack(v: Any) -> Any:
    with contextlib.ExitStack() as st:
        st.enter_context(Log())
        y = v[0] ** 2
    return y


class CPA:
    def __init__(s, x: Any) -> None:
        s.x = x
        s.n = 0

    @functools.cached_property
    def sq(s) -> Any:
        s.n += 1
        return s.x**2


GL = CPA(3.0)


@program
def cached_property_of_a_global(v: Any) -> Any:
    GL.__dict__.pop("sq", None)
    GL.n = 0
    return (GL.sq + GL.sq) * v[0] * GL.n


@dataclasses.dataclass
class D3:
    x: float
    w: float = dataclasses.field(init=False, default=2.0)


@program
def dc_replace(v: Any) -> Any:
    a = D3(v[0])
    a.w = v[1]
    b = dataclasses.replace(a, x=v[0] ** 2)
    return b.x * b.w * a.w


@program
def dc_asdict(v: Any) -> Any:
    a = D3(v[0])
    a.w = v[1]
    return sum(dataclasses.asdict(a).values())


class S1:
    @property
    def q(self) -> Any:
        return 3.0


class S2(S1):
    @property
    def q(self) -> Any:
        return getattr(super(), "q", 1.0) * 2

    def nope(self) -> Any:
        return getattr(super(), "nope", 4.0)


@program
def super_prop(v: Any) -> Any:
    return S2().q * v[0]


@program
def super_default(v: Any) -> Any:
    return S2().nope() * v[0]


@program
def super_missing(v: Any) -> Any:

    class A:
        def f(self) -> Any:
            try:
                return super().zzz  # type: ignore[misc]
            except AttributeError:
                return 2.0

    return A().f() * v[0]
