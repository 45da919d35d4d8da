"""Errors for users: what, where (file:line with a caret), why, and the way out."""
from __future__ import annotations

import linecache
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ir.ops import Loc

__all__ = [
    "BatchLoopWarning", "InternalError", "NoSourceError", "NonFiniteError", "TapeFallbackWarning", "TransgradError", "UnsupportedByNumba",
    "UnsupportedCall", "UnsupportedSyntax", "is_strict",
]


def is_strict() -> bool:
    """Whether an internal error is raised as it is (``TRANSGRAD_STRICT=1``), instead of a refusal that falls back to the tape."""
    return os.environ.get("TRANSGRAD_STRICT", "0") not in ("", "0")


class TransgradError(Exception):
    """Base class of the errors transgrad raises about a function it was asked to differentiate.

    Parameters
    ----------
    reason : str
        What cannot be done, and why.
    loc : Loc, optional
        The place in the user's source.
    remedy : str, optional
        What the user can do about it.

    Attributes
    ----------
    reason, remedy : str
    filename : str or None
    lineno, offset : int or None
        1-based, as in `SyntaxError`.
    """

    #: The function that was to be transformed and the place of its statement; the error's own may be in a function it calls.
    within: tuple[Any, Loc] | None = None

    def __init__(self, reason: str, loc: Loc | None = None, remedy: str = ""):
        self.reason, self.remedy = reason, remedy
        self.in_library = loc is not None and loc.caller is not None
        self._place(loc.caller or loc if loc else None)

    def _place(self, loc: Loc | None) -> None:
        self.loc = loc
        self.filename = loc.file if loc else None
        self.lineno = loc.line if loc else None
        self.offset = loc.col if loc else None
        super().__init__(self._message())

    def moved(self, loc: Loc | None) -> "TransgradError":
        """The error at the user's own call, if it was met in the source of a library that another call was compiled for."""
        if self.in_library and loc is not None:
            self.in_library = loc.caller is not None
            self._place(loc.caller or loc)
        return self

    def __str__(self) -> str:
        return self._message()      # not what OSError would make of it

    def _message(self) -> str:
        lines = [self.reason]
        if self.loc is not None:
            lines.append(f'  File "{self.loc.file}", line {self.loc.line}')
            source = linecache.getline(self.loc.file, self.loc.line).rstrip("\n") or self.loc.text
            stripped = source.lstrip()
            if stripped:
                indent = len(source) - len(stripped)
                start = max(self.loc.col - 1 - indent, 0)
                width = max((self.loc.end_col or self.loc.col + 1) - self.loc.col, 1)
                lines.append("    " + stripped)
                lines.append("    " + " " * start + "^" * min(width, max(len(stripped) - start, 1)))
        if self.remedy:
            lines.append(f"Way out: {self.remedy}")
        return "\n".join(lines)


class UnsupportedSyntax(TransgradError, NotImplementedError):
    """A construct of Python that the compiler does not take."""


class InternalError(UnsupportedSyntax):
    """An unexpected exception of the compiler: a defect of transgrad, and not of the function.

    Attributes
    ----------
    command : str
        The command that shows a report of it, without the values of arguments.
    """

    command = ""

    @property
    def advice(self) -> str:
        """What a warning adds to the reason."""
        shown = f"; `{self.command}` shows a report for us, which holds none of your data" if self.command else ""
        return f" (this is a defect of transgrad{shown})"


class UnsupportedCall(TransgradError, NotImplementedError):
    """A call that has no derivative rule and no source the compiler can read."""


class UnsupportedByNumba(TransgradError, NotImplementedError):
    """A function that can be differentiated, and cannot be compiled to machine code."""


class NonFiniteError(TransgradError, FloatingPointError):
    """A derivative with ``nan="raise"`` computed NaN or infinity.

    Attributes
    ----------
    generated_file, generated_line : str and int, or None
        The line of generated code that computed it.
    """

    def __init__(self, reason: str, loc: Loc | None = None, generated_file: str | None = None, generated_line: int | None = None):
        self.generated_file, self.generated_line = generated_file, generated_line
        super().__init__(reason, loc)

    def _message(self) -> str:
        lines = [self.reason]
        for title, file, line in (("", self.filename, self.lineno), ("generated code: ", self.generated_file, self.generated_line)):
            if file is not None and line is not None:
                lines.append(f'  {title}File "{file}", line {line}')
                text = linecache.getline(file, line).strip()
                lines += [f"    {text}"] if text else []
        return "\n".join(lines)


class FormChanged(BaseException):
    """A function on the tape does not return what the text around its call was written for.

    No handler of the user's is meant for it: the derivative that runs the text turns it into an `UnsupportedCall`.
    """


class NoSourceError(TransgradError, OSError):
    """A function whose source cannot be found."""


class TapeFallbackWarning(UserWarning):
    """A function, or a part of one, that the compiler cannot take runs on the tape."""


class BatchLoopWarning(UserWarning):
    """A function has no form for a whole batch, and runs for one example after the other."""
