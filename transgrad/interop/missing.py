"""Import of an optional package, with an error that names the extra."""
from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["require"]


def require(package: str, extra: str, user: str) -> ModuleType:
    """Import a package that ``user`` needs.

    Raises
    ------
    ModuleNotFoundError
        If the package is not installed.

    Examples
    --------
    >>> require("no_such_package", "torch", "transgrad.interop.torch")
    Traceback (most recent call last):
    ModuleNotFoundError: transgrad.interop.torch needs no_such_package, which is not installed. Hint: pip install 'transgrad[torch]'
    """
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise       # a dependency of the package is missing
        raise ModuleNotFoundError(
            f"{user} needs {package}, which is not installed. Hint: pip install 'transgrad[{extra}]'", name=package) from None
