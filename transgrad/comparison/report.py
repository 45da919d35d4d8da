"""The result of a comparison: a row for each leaf and mode, with its errors and warnings."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["DerivativeError", "DerivativeWarning", "NothingCompared", "Report", "Row"]


class DerivativeError(AssertionError):
    """A derivative differs from finite differences, from the other mode, or from its argument in structure, shape or dtype.

    Examples
    --------
    >>> import transgrad as tg
    >>> def square(x):
    ...     return x * x
    >>> @tg.rule(square)
    ... def _(g, y, x):
    ...     return 3.0 * x * g
    >>> def loss(p):
    ...     return square(p["w"]) + p["b"]
    >>> try:
    ...     tg.check(loss)({"w": 2.0, "b": 1.0})
    ... except tg.DerivativeError as error:
    ...     print(str(error).partition(" ±")[0])
    the derivative of loss is wrong:
      reverse mode, p['w']: there it is 6, and finite differences give 4
    """


class NothingCompared(ValueError):
    """A check compared no number, so it does not pass.

    Examples
    --------
    >>> import transgrad as tg
    >>> try:
    ...     tg.check(lambda x: abs(x))(0.0)
    ... except tg.NothingCompared:
    ...     print("finite differences do not converge at a kink")
    finite differences do not converge at a kink
    """


class DerivativeWarning(UserWarning):
    """``TRANSGRAD_CHECK=1`` found that a derivative differs from finite differences or from the other mode.

    Examples
    --------
    To let the first wrong derivative of a program raise an exception:

    >>> import warnings
    >>> import transgrad as tg
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", tg.DerivativeWarning)
    ...     tg.grad(lambda x: x * x)(3.0)
    6.0
    """


@dataclass(frozen=True)
class Row:
    """The derivative with respect to one leaf, or along one direction.

    Attributes
    ----------
    mode : str
        ``reverse``, ``forward``, or ``jacobian``.
    path : str
        The leaf, as the expression that reads it: ``p['w'][0]``.
    error : float
        The largest difference, relative to the size of the derivative (at least 1).
    bound : float
        The permitted difference: the tolerance plus the estimated error of the finite differences.
    found : str
        A description of the difference; empty if there is none.
    reliable : bool
        Whether the finite differences converged; if not, nothing was compared.
    """

    mode: str
    path: str
    error: float
    bound: float
    found: str = ""
    reliable: bool = True

    @property
    def verdict(self) -> str:
        """``ok``, ``WRONG``, or ``no reference`` where the differences did not converge."""
        if self.found:
            return "WRONG"
        return "ok" if self.reliable else "no reference"


@dataclass
class Report:
    """The rows of a check of one function.

    Attributes
    ----------
    name : str
        The function.
    rows : list of Row
        A row for each leaf in reverse mode, and one for each output in forward mode.
    compared : int
        The number of numbers that were compared.
    """

    name: str
    rows: list[Row] = field(default_factory=list)
    compared: int = 0

    @property
    def wrong(self) -> Sequence[Row]:
        """The rows that differ."""
        return [row for row in self.rows if row.found]

    @property
    def worst(self) -> float:
        """The largest relative error."""
        return max((row.error for row in self.rows if row.reliable or row.found), default=0.0)

    def __str__(self) -> str:
        width = max((len(row.path) for row in self.rows), default=0)
        lines = [f"{row.mode:8s} {row.path:{width}s}  relative error {row.error:8.1e}  {row.verdict}" for row in self.rows]
        return "\n".join(lines)

    def message(self) -> str:
        """Describe the differences leaf by leaf."""
        lines = [f"the derivative of {self.name} is wrong:"]
        lines += [f"  {row.mode} mode, {row.path}: {row.found}" for row in self.wrong]
        return "\n".join(lines)

    def raise_if_wrong(self) -> Report:
        """Raise `DerivativeError` if a row differs, and `NothingCompared` if nothing was compared."""
        if self.wrong:
            raise DerivativeError(self.message())
        if not self.compared:
            missing = [row.path for row in self.rows if not row.reliable]
            why = (f"the finite differences along {' and '.join(missing)} do not converge, as at a non-differentiable point" if missing
                   else "no argument or result holds floats")
            raise NothingCompared(f"the check of {self.name} has compared no numbers: {why}.\n"
                                  "Hint: check it at a smooth point, and name the differentiated arguments with argnums")
        return self
