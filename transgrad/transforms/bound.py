"""A derivative that is bound to an instance, as a method is."""
from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .derivative import Derivative

__all__ = ["BoundDerivative"]


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
