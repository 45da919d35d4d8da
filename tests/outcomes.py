"""What became of a trial: right, wrong, refused or crashed, with the cause on one line; a trial that takes too long has crashed."""
from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from transgrad.emit.files import is_generated
from transgrad.errors import TransgradError

__all__ = ["Outcome", "TooSlow", "alarm", "outcome_of"]


@dataclass(frozen=True)
class Outcome:
    """What became of a trial; ``cause`` groups failures, ``found`` are the numbers that were computed and compared."""

    kind: str
    cause: str = ""
    detail: str = ""
    found: Any = field(default=None, compare=False)


class TooSlow(BaseException):
    """A trial took longer than it may (no Exception, lest the code it interrupts catches it)."""


def alarm(seconds: int) -> None:
    """Raises `TooSlow` after so many seconds; 0 calls it off."""
    signal.signal(signal.SIGALRM, _too_slow)
    signal.alarm(seconds)


def _too_slow(*_: object) -> None:
    raise TooSlow


def outcome_of(run: Callable[[], Any], seconds: int = 10) -> Outcome:
    """What becomes of a trial that returns what it found, or says itself what became of it; AssertionError is what is wrong."""
    alarm(seconds)
    try:
        found = run()
        return found if isinstance(found, Outcome) else Outcome("right", found=found)
    except TransgradError as exc:
        where = f" [{exc.loc.text}]" if exc.loc else ""
        return Outcome("refused", f"{type(exc).__name__}: {exc.reason}{where}", str(exc))
    except (Exception, TooSlow) as exc:
        return _raised(exc)
    finally:
        alarm(0)


def _raised(exc: BaseException) -> Outcome:
    frames = traceback.extract_tb(exc.__traceback__)
    message, detail = " ".join(str(exc).split()), "".join(traceback.format_exception(exc, limit=-4))
    if isinstance(exc, AssertionError) and "/transgrad/" not in frames[-1].filename:
        return Outcome("wrong", message[:300], detail)
    outside = [f for f in frames if "/tests/" not in f.filename]
    last = outside[-1] if outside else frames[-1]
    emitted = is_generated(last.filename)
    where = "emitted text" if emitted else f"{last.filename.rpartition('/transgrad/')[2][-40:]}:{last.lineno}"
    message = re.sub(r"'saved_\w*'", "'saved_…'", message)
    return Outcome("crashed", f"{where} {type(exc).__name__}: {message[:200]}", detail)
