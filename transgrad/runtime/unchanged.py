"""What was known when a derivative was compiled, looked at again while it runs."""
from typing import Any

__all__ = ["unchanged"]


def unchanged(now: Any, known: Any) -> None:
    """Raises where a setting is no longer what the text around was written for: a function called in between has changed it."""
    if now is known or isinstance(known, (bool, int, float, complex, str, bytes)) and type(now) is type(known) and now == known:
        return
    raise RuntimeError(
        f"{known!r} was known when the derivative was compiled, and a call in between has made it {now!r}: read it before that call, "
        "pass it as an argument, or differentiate with fallback='tape'"
    )
