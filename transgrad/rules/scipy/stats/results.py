"""The classes of results with several parts."""
from __future__ import annotations

from typing import Any, NamedTuple

from ...installed import installed

__all__ = ["TEST", "result_class"]

#: the fields of the result of a hypothesis test
TEST = ("statistic", "pvalue")


def result_class(path: str, *fields: str) -> Any:
    """Return SciPy's class of a result, which its fields alone construct, or a named tuple that stands in for it.

    A stand-in is a class of transgrad: a function that returns one as a whole is refused (see `transgrad.rules.stand_ins`).

    Parameters
    ----------
    path : str
        The name of the class within ``scipy.stats``.
    *fields : str
        The items of the tuple.

    Examples
    --------
    >>> result_class("_stats_py.SignificanceResult", "statistic", "pvalue")(2.0, 0.1).pvalue
    0.1
    >>> result_class("_stats_py.TtestResult", "statistic", "pvalue").__module__       # SciPy's has further attributes
    'transgrad.rules.scipy.stats.results'
    """
    cls = installed(f"scipy.stats.{path}")
    if isinstance(cls, type) and getattr(cls, "_fields", None) == fields and not getattr(cls, "_extra_fields", ()):
        try:
            if type(cls(*fields)) is cls:
                return cls
        except TypeError:       # it has further attributes
            pass
    made: Any = NamedTuple(path.rpartition(".")[2], [(name, Any) for name in fields])       # type: ignore[misc]
    made.__module__ = __name__
    return made
