"""Grad modes: whether operations are recorded, on this thread."""
from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ..absent import refusing
from .state import STATE

__all__ = ["enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "is_multithreading_enabled", "no_grad",
           "set_grad_enabled", "set_multithreading_enabled"]


_F = TypeVar("_F", bound=Callable[..., Any])


def is_grad_enabled() -> bool:
    """Return whether operations are recorded.

    Examples
    --------
    >>> import transgrad as torch
    >>> torch.is_grad_enabled()
    True
    """
    return STATE.grad


def is_inference_mode_enabled() -> bool:
    """Return whether inference mode is on.

    Examples
    --------
    >>> import transgrad as torch
    >>> torch.is_inference_mode_enabled()
    False
    """
    return STATE.inference


class _Mode:
    """A context manager that is a decorator too, of functions and of generator functions."""

    def clone(self) -> "_Mode":
        """A manager of the same kind, for one more entry."""
        return type(self)()

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.isclass(fn):
            import warnings
            warnings.warn("Decorating classes is deprecated and will be disabled in future versions. You should only decorate functions or "
                          "methods: decorate __init__ in place of the class.", FutureWarning, stacklevel=2)
            fn.__init__ = self(fn.__init__)     # type: ignore[method-assign]
            return fn
        if inspect.isgeneratorfunction(fn):
            return self._generator(fn)

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self.clone():
                return fn(*args, **kwargs)
        return call

    def _generator(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The mode holds while the generator runs, and not between."""
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            inner = fn(*args, **kwargs)
            step: Callable[[], Any] = functools.partial(next, inner)
            while True:
                try:
                    with self.clone():
                        item = step()
                except StopIteration as stop:
                    return stop.value
                try:
                    sent = yield item
                    step = functools.partial(inner.send, sent)
                except GeneratorExit:
                    with self.clone():
                        inner.close()
                    raise
                except BaseException as error:
                    step = functools.partial(inner.throw, error)
        return call


class _GradMode(_Mode):
    """Sets grad mode, and restores it."""

    mode = True

    def __new__(cls, orig_func: Any = None) -> Any:
        made = super().__new__(cls)
        return made if orig_func is None else made(orig_func)

    def __enter__(self) -> None:
        self._before = STATE.grad
        STATE.grad = self.mode
        STATE.refresh()

    def __exit__(self, *exc: object) -> None:
        STATE.grad = self._before
        STATE.refresh()


def unrecorded(fn: _F) -> _F:
    """A function whose operations are not recorded: ``@no_grad()`` that keeps the type."""
    made: _F = no_grad()(fn)
    return made


class no_grad(_GradMode):
    """Record no operations in the context: ``with no_grad():``, ``@no_grad()`` or ``@no_grad``.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> with torch.no_grad():
    ...     y = 2 * x
    >>> y.requires_grad
    False
    """

    mode = False


class enable_grad(_GradMode):
    """Record operations in the context, also inside `no_grad`.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> with torch.no_grad(), torch.enable_grad():
    ...     y = 2 * x
    >>> y.requires_grad
    True
    """

    mode = True


class set_grad_enabled(_Mode):
    """Set grad mode at once; as a context manager, until the end of the context.

    Examples
    --------
    >>> import transgrad as torch
    >>> x = torch.tensor(1.0, requires_grad=True)
    >>> with torch.set_grad_enabled(False):
    ...     y = 2 * x
    >>> y.requires_grad
    False
    """

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}")
        self.mode = mode
        self._before = STATE.grad
        STATE.grad = bool(mode)
        STATE.refresh()

    def clone(self) -> "_Mode":
        return type(self)(self.mode)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        STATE.grad = self._before
        STATE.refresh()
        return super().__call__(fn)

    def __enter__(self) -> None:
        STATE.grad = bool(self.mode)
        STATE.refresh()

    def __exit__(self, *exc: object) -> None:
        STATE.grad = self._before
        STATE.refresh()


class inference_mode(_Mode):
    """Record no operations in the context, and keep no version counters of tensors that are created in it.

    This is faster than `no_grad`, but these tensors can never be recorded.

    Examples
    --------
    >>> import transgrad as torch
    >>> with torch.inference_mode():
    ...     y = 2 * torch.ones(2)
    >>> y.is_inference()
    True
    """

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if callable(mode):
            made.__init__()     # type: ignore[misc]
            return made(mode)
        return made

    def __init__(self, mode: bool = True):
        self.mode = mode

    def clone(self) -> "_Mode":
        return type(self)(self.mode)

    def __enter__(self) -> None:
        self._before = (STATE.inference, STATE.grad)
        STATE.inference = bool(self.mode)
        STATE.grad = not self.mode
        STATE.refresh()

    def __exit__(self, *exc: object) -> None:
        STATE.inference, STATE.grad = self._before
        STATE.refresh()


_WORKERS = threading.local()


def is_multithreading_enabled() -> bool:
    """Return the value that `set_multithreading_enabled` set on this thread.

    Examples
    --------
    >>> import transgrad as torch
    >>> torch.autograd.is_multithreading_enabled()
    True
    """
    return getattr(_WORKERS, "enabled", True)


class set_multithreading_enabled(_Mode):
    """Set torch's switch for the worker threads of devices, which has no effect.

    The backward pass always runs on the calling thread.

    Examples
    --------
    >>> import transgrad as torch
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.autograd.is_multithreading_enabled()
    False
    """

    def __init__(self, mode: bool):
        self.mode, self.before = bool(mode), is_multithreading_enabled()
        _WORKERS.enabled = self.mode

    def clone(self) -> "_Mode":
        return type(self)(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _WORKERS.enabled = self.before

if not TYPE_CHECKING:
    __getattr__ = refusing(__name__, "torch.autograd.grad_mode")
