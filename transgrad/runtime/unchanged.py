"""Check compile-time assumptions of a derivative again while it runs."""
from types import FunctionType
from typing import Any

__all__ = ["unchanged"]

_PLAIN = (bool, int, float, complex, str, bytes)


def unchanged(now: Any, known: Any) -> None:
    """Raise if a function called in between has changed a setting that the generated code was compiled for."""
    if not _same(now, known):
        raise RuntimeError(
            f"{known!r} was known when the derivative was compiled, and a call in between has made it {now!r}: read it before that call, "
            "or pass it as an argument"
        )


def _same(now: Any, known: Any) -> bool:
    if now is known or isinstance(known, _PLAIN) and type(now) is type(known) and now == known:
        return True
    if not (isinstance(now, FunctionType) and isinstance(known, FunctionType) and _text(now) == _text(known)):
        return False
    inner = [[*(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values(), *(c.cell_contents for c in f.__closure__ or ())]
             for f in (now, known)]
    return len(inner[0]) == len(inner[1]) and all(map(_same, *inner))


def _text(f: FunctionType) -> tuple[Any, ...]:
    """The behavior of a function without its closure values: each call of a function creates its lambdas anew."""
    code = f.__code__
    return f.__module__, code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars
