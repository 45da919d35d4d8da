"""Errors for users: what, where (file and line, with a caret), why, and a hint."""
from __future__ import annotations

import linecache
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ir.ops import Loc

__all__ = [
    "BatchLoopWarning", "CacheWarning", "InternalError", "NoDerivative", "NoSourceError", "NonFiniteError", "TapeFallbackWarning",
    "TransgradError",
    "UnsupportedByNumba",
    "UnsupportedCall", "UnsupportedSyntax",
]


def __dir__() -> list[str]:
    return sorted(__all__)


def is_strict() -> bool:
    """Return whether internal errors are raised (``TRANSGRAD_STRICT=1``) instead of falling back to the tape."""
    return os.environ.get("TRANSGRAD_STRICT", "0") not in ("", "0")


class TransgradError(Exception):
    """Base class of errors about a function that transgrad transforms.

    Parameters
    ----------
    reason : str
        The unsupported operation and the reason.
    loc : Loc, optional
        The location in the user's source.
    remedy : str, optional
        The hint.

    Attributes
    ----------
    reason, remedy : str
        The reason and the hint.
    filename : str or None
        The file of the statement.
    lineno, offset : int or None
        The line and the column, counted from 1 as in `SyntaxError`.

    Examples
    --------
    >>> import transgrad as tg
    >>> def f(x):
    ...     return eval("x + 1")
    >>> try:
    ...     tg.grad(f, fallback="error")(1.0)
    ... except tg.TransgradError as error:
    ...     print(type(error).__name__, error.lineno)
    UnsupportedCall 2
    """

    #: The transformed function and the location of its statement; the error itself may be in a function that it calls.
    within: tuple[Any, Loc] | None = None
    #: Whether the tape may run the refused code: it cannot track a number through a string either.
    for_tape = True

    def __init__(self, reason: str, loc: Loc | None = None, remedy: str = ""):
        self.reason, self.remedy = reason, remedy
        self.in_library = loc is not None and loc.caller is not None
        self._place(loc.caller or loc if loc else None)

    def __reduce__(self) -> Any:
        # the transformed function of `within` may be one that only this process has
        return _restored, (type(self), self.args, {name: value for name, value in self.__dict__.items() if name != "within"})

    def _place(self, loc: Loc | None) -> None:
        self.loc = loc
        self.filename = loc.file if loc else None
        self.lineno = loc.line if loc else None
        self.offset = loc.col if loc else None
        super().__init__(self._message())

    def moved(self, loc: Loc | None) -> "TransgradError":
        """Move the error to the user's own call if it occurred in the source of a library."""
        if self.in_library and loc is not None:
            self.in_library = loc.caller is not None
            self._place(loc.caller or loc)
        return self

    def __str__(self) -> str:
        return self._message()      # instead of the message of OSError

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
            lines.append(f"Hint: {self.remedy}")
        return "\n".join(lines)


def _restored(cls: type[TransgradError], args: tuple[Any, ...], state: dict[str, Any]) -> TransgradError:
    error: TransgradError = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error


class UnsupportedSyntax(TransgradError, NotImplementedError):
    """The function contains a construct of Python that the compiler does not support.

    Examples
    --------
    >>> import transgrad as tg
    >>> async def f(x):
    ...     return x
    >>> try:
    ...     tg.grad(f, fallback="error")(1.0)
    ... except tg.UnsupportedSyntax as error:
    ...     print("not compiled")
    not compiled
    """


class InternalError(UnsupportedSyntax):
    """An unexpected exception in the compiler: a bug in transgrad, not in the function.

    Attributes
    ----------
    command : str
        The command that shows a report of it, without the values of arguments.

    Examples
    --------
    >>> import transgrad as tg
    >>> issubclass(tg.InternalError, tg.TransgradError)
    True
    """

    command = ""

    @property
    def advice(self) -> str:
        """The addition to the reason in a warning."""
        shown = f"; `{self.command}` shows a report that contains none of your data" if self.command else ""
        return f" (this is a defect of transgrad{shown})"


class UnsupportedCall(TransgradError, NotImplementedError):
    """The function passes a differentiated value to a call that has no rule and no readable source.

    Examples
    --------
    >>> import transgrad as tg
    >>> def f(x):
    ...     return eval("x ** 2")
    >>> try:
    ...     tg.grad(f, fallback="error")(2.0)
    ... except tg.UnsupportedCall as error:
    ...     print(error.lineno, error.remedy.split(",")[0])
    2 write the expression out
    """


class NoDerivative(TransgradError, NotImplementedError, TypeError):
    """A call whose options, or whose data, its derivative rule does not support.

    Options known at compile time are refused as `UnsupportedCall`; if it depends on the data, the derivative raises this error.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> try:
    ...     tg.grad(lambda a: np.sum(np.linalg.qr(a)[1]))(np.ones((2, 3)))
    ... except tg.NoDerivative as error:
    ...     print(error.reason)
    np.linalg.qr has no derivative for a matrix with more columns than rows
    """


class UnsupportedByNumba(TransgradError, NotImplementedError):
    """The function can be differentiated, but the derivative cannot be compiled to machine code.

    Without ``backend="numba"`` the same derivative runs on NumPy.

    Examples
    --------
    >>> import transgrad as tg
    >>> issubclass(tg.UnsupportedByNumba, (tg.TransgradError, NotImplementedError))
    True
    """


class NonFiniteError(TransgradError, FloatingPointError):
    """A derivative with ``nan="raise"`` computed NaN or infinity.

    Attributes
    ----------
    generated_file, generated_line : str and int, or None
        The line of generated code that computed it.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def f(x):
    ...     return np.sum(np.sqrt(x))
    >>> try:
    ...     tg.grad(f, nan="raise")(np.array([0.0, 1.0]))
    ... except tg.NonFiniteError as error:
    ...     print(error.lineno)
    2
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
    """A function on the tape returns a value that differs from the one that the generated code was compiled for.

    Users do not see it: the derivative converts it to an `UnsupportedCall`.
    """


class NoSourceError(TransgradError, OSError):
    """The source of a function cannot be found.

    Functions made with ``exec`` from a string have no source.

    Examples
    --------
    >>> import transgrad as tg
    >>> space = {}
    >>> exec("def f(x): return x * x", space)
    >>> try:
    ...     tg.grad(space["f"], fallback="error")(1.0)
    ... except tg.NoSourceError:
    ...     print("no source")
    no source
    """


class TapeFallbackWarning(UserWarning):
    """A function, or a part of one, does not compile and runs on the tape.

    Examples
    --------
    Refuse such code in a test run:

    >>> import warnings
    >>> import transgrad as tg
    >>> warnings.filterwarnings("error", category=tg.TapeFallbackWarning)
    >>> warnings.filterwarnings("default", category=tg.TapeFallbackWarning)
    """


class BatchLoopWarning(UserWarning):
    """A function has no array form, and `vmap` calls it in a loop over the examples.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def positive(x):
    ...     return np.sum(x[x > 0.0])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     out = tg.vmap(positive)(np.array([[1.0, -1.0], [2.0, 3.0]]))
    >>> out
    array([1., 5.])
    >>> caught[-1].category.__name__
    'BatchLoopWarning'
    """


class CacheWarning(UserWarning):
    """A file of the disk cache is not used, because another user may have written it, or its size limit is not understood.

    Examples
    --------
    >>> import warnings
    >>> import transgrad as tg
    >>> warnings.filterwarnings("error", category=tg.CacheWarning)
    >>> warnings.filterwarnings("default", category=tg.CacheWarning)
    """


_PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")


def warn(message: Warning) -> None:
    """Issue a warning at the user's line: that of the first caller outside of transgrad."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)
