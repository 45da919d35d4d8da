"""`primitive`: a function that is never read, with derivatives that run on numbers."""
from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

from ...services import record_primitive
from ..function import Custom, is_recorded
from .convert import apart
from .specs import Form, declared_form

__all__ = ["Primitive", "opaque_function", "primitive", "tangent_of"]

_OWN = "transgrad.custom."
P = ParamSpec("P")
R = TypeVar("R")


class Primitive(Custom):
    """A function that is never read, with its derivatives; `primitive` makes it.

    Attributes
    ----------
    fun : callable
        The function.
    vjp, jvp : callable or None
        Its derivatives.
    batch : callable, 'vectorized' or None
        What runs under `vmap`.
    made_in : str or None
        The name of the module that made it.
    """

    fwd: Callable[..., Any] | None = None
    bwd: Callable[..., Any] | None = None
    _example_form: Form | None = None
    of_batches: dict[Any, Primitive]
    #: of the primitive behind ``batch=``: the one for a single example
    single: Primitive | None = None

    def __init__(self, fun: Callable[..., Any], vjp: Callable[..., Any] | None = None, jvp: Callable[..., Any] | None = None,
                 result: Any = None, example: Sequence[Any] | None = None, nondiff_argnums: Sequence[int] = (),
                 linear: bool = False, batch: Any = None):
        if not callable(fun):
            raise TypeError(f"primitive takes a function, not {type(fun).__name__}")
        for name, given in (("vjp", vjp), ("jvp", jvp)):
            if given is not None and not callable(given):
                raise TypeError(f"{name}= of primitive takes a function, not {type(given).__name__}")
        if result is not None and example is not None:
            raise TypeError("primitive takes result= or example=, not both")
        if example is not None and not isinstance(example, (tuple, list)):
            raise TypeError(f"example= of primitive takes a tuple of arguments, not {type(example).__name__}")
        if batch is not None and batch != "vectorized" and not callable(batch):
            raise TypeError(f"batch= of primitive is {batch!r}: expected 'vectorized', a function of all examples, or None")
        super().__init__(fun, nondiff_argnums, self)
        if not isinstance(getattr(self, "__name__", None), str):
            self.__name__ = type(fun).__name__
        self.fun, self.vjp, self.linear = fun, vjp, linear
        self.jvp = self._of_tangents if linear and jvp is None else jvp
        self.result, self.example = result, None if example is None else tuple(example)
        self.batch, self.of_batches = batch, {}
        self.made_in = _calling_module()
        #: the declared result types that compiled code depends on: questions and answers
        self.asked: dict[str, Any] = {}

    def __repr__(self) -> str:
        return f"<primitive {self.__name__}>"

    def bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of a call by position, with defaults, and those that can be passed by keyword only."""
        if self.signature is None:
            return list(args), dict(kwargs)
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return list(bound.args), dict(bound.kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_recorded((*args, *kwargs.values())):
            return record_primitive(self, *self.bound(args, kwargs))
        return apart(self.fun(*args, **kwargs))

    def declared(self, describe: Callable[[Any], Any]) -> Any:
        """See `Rebuilt.declared`."""
        from .stored import declared  # only where code is stored
        return declared(self, describe)

    def is_declared(self, known: Any, resolve: Callable[[Any], Any]) -> bool:
        """See `Rebuilt.is_declared`."""
        from .stored import is_declared
        return is_declared(self, known, resolve)

    def _of_tangents(self, tangents: Sequence[Any], y: Any, *args: Any, **kwargs: Any) -> Any:
        """The forward derivative of a linear function: the function of the tangents."""
        return self.fun(*self.joined(self.rest(args), list(tangents)), **kwargs)

    def rest(self, args: Sequence[Any]) -> list[Any]:
        """Return the arguments that are not differentiated."""
        return [x for k, x in enumerate(args) if k in self.nondiff_argnums]

    def form(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Form | None:
        """Return the form of the result for arguments with these descriptions; None if it is not declared."""
        if self.example is not None:
            if self._example_form is None:
                self._example_form = declared_form(self.fun(*self.example), (), {}, self.__name__)
            return self._example_form
        if self.result is None:
            return None
        return declared_form(self.result, args, kwargs, self.__name__)


def _calling_module() -> str | None:
    """Return the name of the module that makes a primitive, in which its name may be found."""
    frame: Any = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith(_OWN):
        frame = frame.f_back
    name = None if frame is None else frame.f_globals.get("__name__")
    return name if isinstance(name, str) else None


def opaque_function(fun: Callable[..., Any], nondiff_argnums: Sequence[int], opaque: bool | None, result: Any,
                    example: Sequence[Any] | None) -> Primitive | None:
    """Return the primitive behind a function of `custom_vjp` or `custom_jvp`; None if the function is compiled."""
    if opaque is None:
        opaque = result is not None or example is not None or callable(fun) and not _is_readable(fun)
    return Primitive(fun, result=result, example=example, nondiff_argnums=nondiff_argnums) if opaque else None


def _is_readable(fun: Callable[..., Any]) -> bool:
    """Return whether a function has Python source or a derivative rule."""
    from ...rules import definition_of, lookup
    inner: Any = inspect.unwrap(fun)
    while isinstance(inner, functools.partial):
        inner = inspect.unwrap(inner.func)
    own = getattr(inner, "__func__", inner)
    call = vars(type(own)).get("__call__")
    return hasattr(own, "__code__") or hasattr(call, "__code__") or lookup(own) is not None or definition_of(own) is not None


def tangent_of(jvp: Callable[..., Any], nondiff_argnums: Sequence[int]) -> Callable[..., Any]:
    """Return a rule ``jvp(*nondiff, primals, tangents)`` as a derivative of a primitive."""
    if not nondiff_argnums:
        def tangent(tangents: Any, y: Any, *args: Any) -> Any:
            return jvp(args, tangents)[1]
        return tangent

    def tangent_of_some(tangents: Any, y: Any, *args: Any) -> Any:
        rest = [args[k] for k in nondiff_argnums]
        primals = tuple(args[k] for k in range(len(args)) if k not in nondiff_argnums)
        return jvp(*rest, primals, tangents)[1]
    return tangent_of_some


@overload
def primitive(f: Callable[P, R], *, vjp: Callable[..., Any] | None = None, jvp: Callable[..., Any] | None = None, result: Any = None,
              example: Sequence[Any] | None = None, nondiff_argnums: Sequence[int] = (), linear: bool = False,
              batch: Any = None) -> Callable[P, R]: ...


@overload
def primitive(f: None = None, *, vjp: Callable[..., Any] | None = None, jvp: Callable[..., Any] | None = None, result: Any = None,
              example: Sequence[Any] | None = None, nondiff_argnums: Sequence[int] = (),
              linear: bool = False, batch: Any = None) -> Callable[[Callable[P, R]], Callable[P, R]]: ...


def primitive(f: Callable[..., Any] | None = None, *, vjp: Callable[..., Any] | None = None, jvp: Callable[..., Any] | None = None,
              result: Any = None, example: Sequence[Any] | None = None, nondiff_argnums: Sequence[int] = (),
              linear: bool = False, batch: Callable[..., Any] | Literal["vectorized"] | None = None) -> Any:
    """Give a function that cannot be read a derivative: a function in C, a solver object, a subprocess.

    The compiler never reads the function. Generated code calls it and its derivatives at run time, on numbers and arrays.

    Parameters
    ----------
    f : callable, optional
        The function, of numbers and arrays in tuples, lists, dicts and dataclasses, and of other objects that are not
        differentiated. It computes its result from its arguments and does not write to them. Without it, `primitive` returns a
        decorator.
    vjp : callable, optional
        ``vjp(g, y, *args)`` returns the cotangents of the arguments: a tuple with one entry for each differentiated argument, or
        the entry itself if there is one. ``g`` is the cotangent of the result ``y`` and has its structure. An entry has the
        structure and shapes of its argument; None is zero.
    jvp : callable, optional
        ``jvp(tangents, y, *args)`` returns the tangent of the result. ``tangents`` is a tuple with one entry for each
        differentiated argument.
    result : optional
        The type of the result: ``float`` and the like for Python numbers, ``ShapeDtypeStruct(shape, dtype)`` or an example for
        arrays, containers of these, or a function that returns this from descriptions of the arguments.
    example : tuple, optional
        Arguments. The function is called once with them, and its results have the same structure, dtypes and numbers of axes.
    nondiff_argnums : sequence of int
        Positions of arguments that are not differentiated. They have no entry in ``vjp`` and ``jvp``.
    linear : bool, default False
        Whether the function is linear in all its differentiated arguments together, as the solution of a linear system with a fixed
        matrix is. Its derivatives do not depend on them then, and ``jvp`` is the function itself.
    batch : 'vectorized', callable, or None, optional
        What `vmap` calls. By default, the function is called for one example after the other. With ``'vectorized'``, the function and its
        derivatives are called once: numbers and arrays have an axis of examples, which comes first, and so have the results. This
        includes all differentiated arguments; others have that axis only if they differ between the examples. A function is called
        in this way in place of the function, and the derivatives for one example after the other.

    Returns
    -------
    callable
        The function with its derivatives.

    Raises
    ------
    UnsupportedCall
        When a derivative is compiled: if neither ``result`` nor ``example`` is given (with ``fallback="tape"`` the calling function
        then runs on the tape), if an argument in ``nondiff_argnums`` depends on a differentiated value, or if the derivative
        that is needed is not defined.
    TypeError, ValueError
        At run time: if the function or a derivative returns another structure, dtype or shape than declared.

    See Also
    --------
    custom_vjp, custom_jvp : The interface of JAX, for functions that are compiled, or with ``opaque=True`` are not.
    rule : For derivatives that are inserted into the generated code.

    Notes
    -----
    Without ``jvp``, forward mode uses the transpose of ``vjp``, and without ``vjp``, reverse mode the transpose of ``jvp``. Second
    derivatives differentiate ``vjp`` and ``jvp``. Both need a derivative that the compiler can read, or that is a `primitive`
    itself; nothing of this is needed with ``linear``. Under `vmap`, second derivatives that read ``vjp`` or ``jvp`` run for one example
    after the other.

    Results have memory of their own: what the function returns is copied if it is an argument, a view of one, or a buffer that the
    function keeps. The function and its derivatives may be called more or less often than the program says.

    Examples
    --------
    >>> import ctypes, ctypes.util, math
    >>> import transgrad as tg
    >>> libm = ctypes.CDLL(ctypes.util.find_library("m"))
    >>> libm.cbrt.restype, libm.cbrt.argtypes = ctypes.c_double, [ctypes.c_double]
    >>> cbrt = tg.primitive(libm.cbrt, vjp=lambda g, y, x: g / (3.0 * y * y), result=float)
    >>> def f(x):
    ...     return cbrt(x) * x
    >>> round(tg.grad(f)(8.0), 12)
    2.666666666667
    >>> print(tg.grad(f).source_for(8.0))
    def grad_f(x):
        \"\"\"Gradient of f with respect to x.\"\"\"
        s = cbrt(x)
    <BLANKLINE>
        # return cbrt(x) * x
        x_bar = s + cbrt_vjp(x, s, x)
        return x_bar
    <BLANKLINE>
    """
    def make(fun: Callable[..., Any]) -> Primitive:
        return Primitive(fun, vjp=vjp, jvp=jvp, result=result, example=example, nondiff_argnums=nondiff_argnums,
                         linear=linear, batch=batch)
    return make if f is None else make(f)
