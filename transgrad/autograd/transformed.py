"""Transformed functions of Tensors that can be pickled."""
from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, cast

from ..pickling import Rebuilt

__all__ = ["picklable"]

P = ParamSpec("P")


class Transformed(Rebuilt):
    """A transformed function. It pickles as the transformation, the function and the options."""

    def __init__(self, transformation: Callable[..., Any], fun: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]):
        functools.update_wrapper(self, fun)
        self.transformation, self.fun, self.args, self.kwargs = transformation, fun, args, kwargs
        self.run = transformation.__wrapped__(fun, *args, **kwargs)     # type: ignore[attr-defined]

    def _recipe(self) -> tuple[Any, ...]:
        return self.transformation, self.fun, self.args, self.kwargs

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.run(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<{self.transformation.__name__} of {self.fun!r}>"


def picklable(transformation: Callable[P, Callable[..., Any]]) -> Callable[P, Callable[..., Any]]:
    """Make the functions that a transformation returns picklable."""
    @functools.wraps(transformation)
    def transformed(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Transformed:
        return Transformed(transformed, func, args, kwargs)
    return cast(Callable[P, Callable[..., Any]], transformed)
