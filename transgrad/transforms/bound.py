"""A derivative that is bound to an instance, as a method is."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from .variants import DelegatingPlan

if TYPE_CHECKING:
    from .derivative import Derivative


__all__ = ["BoundDerivative", "ClassMethodPlan", "is_class_method"]


class BoundDerivative:
    """A derivative in a class, read from an instance: ``argnums`` counts the arguments after the instance."""

    def __init__(self, derivative: Derivative, instance: Any):
        self.__func__ = derivative
        self.__self__ = instance

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        signature = self.__func__.__signature__
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)

    def source_for(self, /, *args: Any, **kwargs: Any) -> str:
        """Return the source for arguments like these."""
        return self.__func__.source_for(self.__self__, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name in ("__func__", "__self__", "__transgrad_lower__"):    # not unpickled yet; and the IR has a parameter for the instance
            raise AttributeError(name)
        return getattr(self.__func__, name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return object.__new__, (type(self),), (self.__func__, self.__self__)

    def __setstate__(self, state: tuple[Derivative, Any]) -> None:
        self.__func__, self.__self__ = state

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *dir(self.__func__)})

    def __repr__(self) -> str:
        return f"<bound {self.__func__.__name__}{self.__signature__} of {self.__self__!r}>"


def is_class_method(derivative: Derivative, cls: Any) -> bool:
    """Whether ``derivative``, or an equal one, is wrapped by a `classmethod` of ``cls``.

    Python 3.13 calls it with the class; earlier versions call ``__get__``.
    """
    if not isinstance(cls, type):
        return False
    wrapped: Iterator[Any] = (member.__func__ for base in cls.__mro__ for member in vars(base).values() if isinstance(member, classmethod))
    return any(f is derivative or type(f) is type(derivative) and f._recipe() == derivative._recipe() for f in wrapped)


class ClassMethodPlan(DelegatingPlan):
    """A call of a derivative that is a class method: ``argnums`` does not count the class, as in `BoundDerivative`."""

    __slots__ = ()

    def run(self, *args: Any, **kwargs: Any) -> Any:
        method = cast("Derivative", self.derivative.__transgrad_method__)
        try:
            return method(*args, **kwargs)
        finally:
            self.derivative._last = method._last
