"""What was known when a derivative was compiled, looked at again while it runs."""
from types import FunctionType
from typing import Any

__all__ = ["unchanged"]

_PLAIN = (bool, int, float, complex, str, bytes)


def unchanged(now: Any, known: Any) -> None:
    """Raise where a setting is no longer what the text around was written for: a function called in between has changed it."""
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
    """What a function does, but for what it holds: a lambda in a function is made anew in each call of it."""
    code = f.__code__
    return f.__module__, code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_freevars
