"""The public transformations: `grad` and its relatives, with the names and conventions of JAX and torch.func."""
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from .transforms import pairs
from .transforms.batched import Vmapped, is_of_tensors, of_tensors
from .transforms.derivative import Derivative
from .transforms.jacobians import Hessian, Jacobian
from .transforms.kinds import Kind, Primal, Reverse
from .transforms.options import Numba, Optimize, Options

__all__ = [
    "compile", "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "linearize", "value_and_grad", "vjp", "vmap",
]

ArgNums = int | Sequence[int]
ArgNames = str | Sequence[str] | None


@functools.lru_cache(maxsize=256)
def _remembered(kind: Kind, f: Callable[..., Any], argnums: Any, argnames: Any, options: Options) -> Derivative:
    return Derivative(kind, f, argnums, argnames, options)


def derive(kind: Kind, f: Callable[..., Any], argnums: Any, argnames: Any, options: Options) -> Derivative:
    """The derivative of ``f``.  The same one for the same question, so that a transformation inside a loop compiles once."""
    argnums = tuple(argnums) if isinstance(argnums, (list, range)) else argnums
    argnames = tuple(argnames) if isinstance(argnames, (list, set)) else argnames
    try:
        return _remembered(kind, f, argnums, argnames, options)
    except TypeError:
        return Derivative(kind, f, argnums, argnames, options)


def _transform(kind: Kind, f: Callable[..., Any] | None, argnums: ArgNums, argnames: ArgNames, fallback: str, backend: str | Numba,
               optimize: Optimize, checkpoint: bool | int = False, nan: str = "ignore") -> Any:
    options = Options(fallback, backend, optimize, checkpoint, nan)
    if f is None:
        return lambda f: derive(kind, f, argnums, argnames, options)
    return derive(kind, f, argnums, argnames, options)


def grad(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
         holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
         checkpoint: bool | int = False, nan: str = "ignore") -> Any:
    """The gradient of a function that returns one number.

    Parameters
    ----------
    f : callable
        The function.  Left out, ``grad`` is a decorator that takes the other arguments: ``@grad(argnums=1)``.
    argnums : int or tuple of ints
        The positional arguments to differentiate with respect to.  With a tuple the gradient is a tuple.
    argnames : str or tuple of str, optional
        Names of arguments, instead of ``argnums``.
    has_aux : bool
        Whether ``f`` returns a pair: what is differentiated, and something that is handed on.  The result is then
        ``(gradient, aux)``.
    holomorphic : bool
        Whether ``f`` is a holomorphic function of complex arguments; the result is then its complex derivative.
    fallback : {'tape', 'error'}
        What happens to what cannot be compiled.
    backend : {'numpy', 'numba'} or Numba
        What the text is written for: the interpreter and NumPy, or Numba's compiler.
    optimize : bool or dict
        Whether the text is optimised; a dict switches single optimisations off by name, ``{"scalars": False}``.
    checkpoint : bool or int
        Whether the loops of ``f`` keep only some of their states for the reverse sweep and compute the others again, as with
        `checkpointed`; a number says how many states each keeps at once.
    nan : {'ignore', 'raise'}
        With ``'raise'``, the first NaN or infinity that the derivative computes raises `NonFiniteError`, which names the line of ``f``
        and the line of the generated code.  This is for debugging: every operation is checked, on the NumPy back end.

    Returns
    -------
    Derivative
        A function with the signature of ``f``.  The gradient has the structure of the argument, and its dtypes.  Where the
        arguments differentiated are arrays it also takes ``out=``: an array like the argument (a tuple of them where there are several
        ``argnums``), which the gradient is written into.

    Raises
    ------
    TypeError
        When it is called with an integer to be differentiated, or ``f`` does not return one number.
    UnsupportedSyntax, UnsupportedCall
        When ``f`` does what the compiler does not take.

    Examples
    --------
    >>> import transgrad as tg
    >>> def cube(x):
    ...     return x ** 3
    >>> tg.grad(cube)(2.0)
    12.0
    """
    return _transform(Reverse(False, has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, checkpoint, nan)


def value_and_grad(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
                   holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
                   checkpoint: bool | int = False, nan: str = "ignore") -> Any:
    """The value of a function together with its gradient, in one run.

    Parameters
    ----------
    f, argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, checkpoint, nan
        As for `grad`.

    Returns
    -------
    Derivative
        A function that returns ``(value, gradient)``; with ``has_aux``, ``((value, aux), gradient)``.
    """
    return _transform(Reverse(True, has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, checkpoint, nan)


def jacrev(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
           holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
           nan: str = "ignore") -> Any:
    """The Jacobian of a function, a reverse sweep for each entry of its output: for few outputs of many inputs.

    Parameters
    ----------
    f, argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan
        As for `grad`.

    Returns
    -------
    Derivative
        A function that returns an array of shape ``output.shape + argument.shape``, in the structure of the output and,
        inside of it, of the argument.
    """
    return _transform(Jacobian("reverse", has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, nan=nan)


def jacfwd(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
           holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
           nan: str = "ignore") -> Any:
    """The Jacobian of a function, a forward sweep for each entry of its argument: for many outputs of few inputs.

    Parameters
    ----------
    f, argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan
        As for `grad`.

    Returns
    -------
    Derivative
        As for `jacrev`.
    """
    return _transform(Jacobian("forward", has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, nan=nan)


def jacobian(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
             holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
             nan: str = "ignore") -> Any:
    """The Jacobian of a function: `jacfwd` where the arguments of the call it is compiled for have no more numbers than the output
    (or no more than eight, where the arguments do not tell how many that has), and `jacrev` otherwise, and by complex numbers.

    Parameters
    ----------
    f, argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan
        As for `grad`.

    Returns
    -------
    Derivative
        As for `jacrev`.
    """
    return _transform(Jacobian("either", has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, nan=nan)


def hessian(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
            holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
            nan: str = "ignore") -> Any:
    """The matrix of second derivatives: `jacfwd` of `jacrev`.

    Parameters
    ----------
    f, argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan
        As for `grad`.

    Returns
    -------
    Derivative
        A function that returns an array of shape ``output.shape + argument.shape + argument.shape``.
    """
    return _transform(Hessian(has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, nan=nan)


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False, **options: Any) -> Any:
    """The value of a function, and the function that pulls cotangents of it back to its arguments.

    Parameters
    ----------
    f : callable
        The function.
    *primals
        Its arguments; all of them are differentiated.
    has_aux : bool
        Whether ``f`` returns a pair of which the second part is only handed on.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    out
        What ``f`` returns.
    pullback : callable
        Takes a cotangent in the structure of ``out``, and returns a tuple with one entry for each primal.  What it needs of the primals is
        kept as it was; arrays that ``f`` reads from outside of it (globals, closures) have to stay as they are until it is called.
    aux
        With ``has_aux``, the second part.
    """
    return pairs.vjp(f, primals, has_aux, Options(**options))


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False, **options: Any) -> Any:
    """The value of a function, and its derivative along tangents.

    Parameters
    ----------
    f : callable
        The function.
    primals, tangents : tuple
        Its arguments, and the direction: one tangent for each, of the same structure and shapes.
    has_aux : bool
        Whether ``f`` returns a pair of which the second part is only handed on.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    out, out_dot
        The value and the derivative; with ``has_aux``, ``out, out_dot, aux``.
    """
    return pairs.jvp(f, primals, tangents, has_aux, options)


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **options: Any) -> Any:
    """The Hessian of a function that returns one number, times a vector, without the Hessian: forward over reverse.

    Parameters
    ----------
    f : callable
        The function.
    primals, tangents : tuple
        Its arguments, and the vector: one tangent for each, of the same structure and shapes.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    tuple
        The product, in the structure of ``primals``.
    """
    return pairs.hvp(f, primals, tangents, options)


def linearize(f: Callable[..., Any], *primals: Any, **options: Any) -> Any:
    """The value of a function, and its derivative there as a linear function of tangents.

    Parameters
    ----------
    f : callable
        The function.
    *primals
        Its arguments; all of them are differentiated.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    out
        What ``f`` returns.
    f_dot : callable
        Takes one tangent for each primal, and returns the derivative along them.  Arrays that ``f`` reads from outside of it (globals,
        closures) have to stay as they are until it is called.
    """
    return pairs.linearize(f, primals, Options(**options))


def vmap(f: Callable[..., Any] | None = None, in_axes: Any = 0, out_axes: Any = 0, *, axis_size: int | None = None, **options: Any) -> Any:
    """A function of one example, made a function of a whole batch of them, written with NumPy's own array operations.

    Branches and loops whose conditions differ between the examples run for those concerned.  What has no form for a whole
    batch makes the function loop over the examples, which a `BatchLoopWarning` says, with the reason.

    Parameters
    ----------
    f : callable
        The function of one example; left out, ``vmap`` is a decorator.
    in_axes : int, None or nested
        The axis of examples of each argument; None for what is the same for all of them.  One for all, or a tuple with an
        entry an argument, which may have the argument's structure.  Keyword arguments have it at axis 0.
    out_axes : int, None or nested
        Where the examples stand in the results.
    axis_size : int, optional
        How many examples there are, where no argument tells.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`; or torch's ``in_dims``, ``out_dims``, ``randomness`` and
        ``chunk_size``, for functions of Tensors.

    Returns
    -------
    Derivative
        A function with the signature of ``f``.  Called with Tensors, it runs on the tape.

    Raises
    ------
    ValueError
        When the arguments have different numbers of examples, or an axis does not exist.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def loss(w, x):
    ...     return np.sum((w * x) ** 2)
    >>> tg.vmap(tg.grad(loss), in_axes=(None, 0))(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    array([[2., 0.],
           [0., 4.],
           [2., 4.]])
    """
    if is_of_tensors(f, options):
        return of_tensors(f, in_axes, out_axes, options)
    opts = Options(**options)
    if f is None:
        return lambda f: Vmapped(f, in_axes, out_axes, axis_size, opts)
    return Vmapped(f, in_axes, out_axes, axis_size, opts)


def compile(f: Callable[..., Any] | None = None, **options: Any) -> Any:
    """The function itself, read, simplified and written again: what the derivatives' forward parts are made of.

    Parameters
    ----------
    f : callable
        The function; left out, ``compile`` is a decorator.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    Derivative
        A function with the signature of ``f`` and the attributes of a derivative.
    """
    opts = Options(**options)
    if f is None:
        return lambda f: derive(Primal(), f, (), None, opts)
    return derive(Primal(), f, (), None, opts)
