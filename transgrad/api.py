"""The public transformations: `grad` and its relatives, with the names and conventions of JAX and torch.func."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .transforms import at_arguments
from .transforms.batched import Vmapped, is_of_tensors, of_tensors
from .transforms.jacobian.jacobians import Hessian, Jacobian
from .transforms.memoized import derive
from .transforms.options import Numba, Optimize, Options
from .transforms.transformations import Kind, Primal, Reverse

__all__ = [
    "compile", "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "linearize", "value_and_grad", "vjp", "vmap",
]

ArgNums = int | Sequence[int]
ArgNames = str | Sequence[str] | None


def _transform(kind: Kind, f: Callable[..., Any] | None, argnums: ArgNums, argnames: ArgNames, fallback: str, backend: str | Numba,
               optimize: Optimize, checkpoint: bool | int = False, nan: str = "ignore", progress: bool = False) -> Any:
    options = Options(fallback, backend, optimize, checkpoint, nan, progress)
    if f is None:
        return lambda f: derive(kind, f, argnums, argnames, options)
    return derive(kind, f, argnums, argnames, options)


def grad(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
         holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
         checkpoint: bool | int = False, nan: str = "ignore", progress: bool = False) -> Any:
    """Return a function that computes the gradient of a scalar function.

    Parameters
    ----------
    f : callable
        The function. It returns one real number. If it is omitted, ``grad`` returns a decorator: ``@grad(argnums=1)``.
    argnums : int or tuple of int, default 0
        Positions of the arguments to differentiate with respect to. With a tuple, the gradient is a tuple.
    argnames : str or tuple of str, optional
        Names of arguments, instead of ``argnums``.
    has_aux : bool, default False
        Whether ``f`` returns a pair ``(value, aux)``, of which only the value is differentiated. The result is then
        ``(gradient, aux)``.
    holomorphic : bool, default False
        Whether ``f`` is a holomorphic function of complex arguments. The result is then the complex derivative.
    fallback : {'tape', 'error'}, default 'tape'
        With ``'tape'``, unsupported code runs on the tape, with a `TapeFallbackWarning`. With ``'error'``, it is refused.
    backend : {'numpy', 'numba', 'auto'} or Numba, default 'numpy'
        The target of the generated code. With 'auto', calls start on NumPy; once they have taken a second with arguments of about one
        size, Numba is tried, and the faster of the two is kept for that size. `explain` shows the choice.
    optimize : bool or dict, default True
        Whether generated code is optimized. A dict disables single optimizations by name: ``{"scalars": False}``.
    checkpoint : bool or int, default False
        Whether loops of ``f`` save only some of their states and recompute the others, as with `checkpointed`. An
        integer limits the number of saved states of each loop.
    nan : {'ignore', 'raise'}, default 'ignore'
        With ``'raise'``, the first NaN or infinity raises `NonFiniteError`, which names the line of ``f`` and the line of
        the generated code. Every operation is checked, so this is for debugging. It needs the NumPy back end.
    progress : bool, default False
        Whether loops, checkpoints and compilation by Numba show their progress in a terminal.

    Returns
    -------
    Derivative
        A function with the signature of ``f``. The gradient has the structure, the shapes and the dtypes of the
        argument. If the differentiated arguments are arrays, it also accepts ``out=``, an array like the argument, or a
        tuple of arrays, into which the gradient is written.

    Raises
    ------
    TypeError
        At a call, if a differentiated argument is an integer, or if ``f`` does not return one number.
    UnsupportedSyntax, UnsupportedCall
        At a call, if ``f`` contains unsupported code that cannot run on the tape, or with ``fallback='error'``.

    See Also
    --------
    value_and_grad : The value together with the gradient.
    jacobian : For functions that return arrays.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def cube(x):
    ...     return x ** 3
    >>> tg.grad(cube)(2.0)
    12.0

    With several arguments, and a nested argument:

    >>> def loss(params, x):
    ...     return np.sum((params["w"] * x + params["b"]) ** 2)
    >>> tg.grad(loss, argnums=(0, 1))({"w": 2.0, "b": 1.0}, np.array([1.0, 3.0]))
    ({'w': np.float64(48.0), 'b': np.float64(20.0)}, array([12., 28.]))
    """
    return _transform(Reverse(False, has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, checkpoint, nan, progress)


def value_and_grad(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
                   holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
                   checkpoint: bool | int = False, nan: str = "ignore", progress: bool = False) -> Any:
    """Return a function that computes the value and the gradient of a scalar function in one run.

    Parameters
    ----------
    f : callable
        The function. If it is omitted, ``value_and_grad`` returns a decorator.
    argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, checkpoint, nan, progress
        As for `grad`.

    Returns
    -------
    Derivative
        A function with the signature of ``f`` that returns ``(value, gradient)``, or ``((value, aux), gradient)`` with
        ``has_aux``.

    Examples
    --------
    >>> import transgrad as tg
    >>> tg.value_and_grad(lambda a, b: (a - 2.0 * b) ** 2, argnums=(0, 1))(3.0, 1.0)
    (1.0, (2.0, -4.0))
    """
    return _transform(Reverse(True, has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize, checkpoint, nan, progress)


def jacrev(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
           holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
           nan: str = "ignore", progress: bool = False) -> Any:
    """Return a function that computes a Jacobian, with one reverse sweep for each entry of the output.

    Use it for functions with few outputs and many inputs.

    Parameters
    ----------
    f : callable
        The function. If it is omitted, ``jacrev`` returns a decorator.
    argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan, progress
        As for `grad`.

    Returns
    -------
    Derivative
        A function with the signature of ``f``. It returns an array of shape ``output.shape + argument.shape``, in the
        structure of the output and, inside it, of the argument.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> tg.jacrev(lambda x: np.array([np.sum(x), np.prod(x)]))(np.array([2.0, 3.0, 5.0]))
    array([[ 1.,  1.,  1.],
           [15., 10.,  6.]])
    """
    return _transform(Jacobian("reverse", has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize,
                      nan=nan, progress=progress)


def jacfwd(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
           holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
           nan: str = "ignore", progress: bool = False) -> Any:
    """Return a function that computes a Jacobian, with one forward sweep for each entry of the argument.

    Use it for functions with many outputs and few inputs.

    Parameters
    ----------
    f : callable
        The function. If it is omitted, ``jacfwd`` returns a decorator.
    argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan, progress
        As for `grad`.

    Returns
    -------
    Derivative
        As for `jacrev`.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> tg.jacfwd(lambda x: np.array([x, x ** 2, x ** 3]))(2.0)
    array([ 1.,  4., 12.])
    """
    return _transform(Jacobian("forward", has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize,
                      nan=nan, progress=progress)


def jacobian(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
             holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
             nan: str = "ignore", progress: bool = False) -> Any:
    """Return a function that computes a Jacobian, in the mode that needs fewer sweeps.

    The mode is chosen for the arguments of the call that is compiled. It is forward (`jacfwd`) if the arguments have no
    more elements than the output, or no more than eight if the size of the output is not known, and reverse (`jacrev`)
    otherwise and for complex arguments.

    Parameters
    ----------
    f : callable
        The function. If it is omitted, ``jacobian`` returns a decorator.
    argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan, progress
        As for `grad`.

    Returns
    -------
    Derivative
        As for `jacrev`.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def polar(z):
    ...     return np.array([np.hypot(z[0], z[1]), np.arctan2(z[1], z[0])])
    >>> tg.jacobian(polar)(np.array([3.0, 4.0]))
    array([[ 0.6 ,  0.8 ],
           [-0.16,  0.12]])
    """
    return _transform(Jacobian("either", has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize,
                      nan=nan, progress=progress)


def hessian(f: Callable[..., Any] | None = None, argnums: ArgNums = 0, *, argnames: ArgNames = None, has_aux: bool = False,
            holomorphic: bool = False, fallback: str = "tape", backend: str | Numba = "numpy", optimize: Optimize = True,
            nan: str = "ignore", progress: bool = False) -> Any:
    """Return a function that computes the matrix of second derivatives, forward over reverse.

    Parameters
    ----------
    f : callable
        The function. If it is omitted, ``hessian`` returns a decorator.
    argnums, argnames, has_aux, holomorphic, fallback, backend, optimize, nan, progress
        As for `grad`.

    Returns
    -------
    Derivative
        A function with the signature of ``f``. It returns an array of shape
        ``output.shape + argument.shape + argument.shape``.

    See Also
    --------
    hvp : The product with a vector, without the matrix.
    sparse_hessian : For matrices that are mostly zero.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> def banana(x):
    ...     return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
    >>> tg.hessian(banana)(np.array([1.0, 1.0]))
    array([[ 802., -400.],
           [-400.,  200.]])
    """
    return _transform(Hessian(has_aux, holomorphic), f, argnums, argnames, fallback, backend, optimize,
                      nan=nan, progress=progress)


def vjp(f: Callable[..., Any], *primals: Any, has_aux: bool = False, **options: Any) -> Any:
    """Compute the value of a function and its pullback.

    Parameters
    ----------
    f : callable
        The function.
    *primals
        Its arguments. All of them are differentiated.
    has_aux : bool, default False
        Whether ``f`` returns a pair ``(value, aux)``, of which only the value is differentiated.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    out
        The value.
    pullback : callable
        A function of a cotangent, which has the structure of ``out``. It returns a tuple with the cotangent of each
        primal, and may be called several times. Arguments that are modified in the meantime are saved. Arrays that
        ``f`` reads from an enclosing scope must not be modified before the pullback is called.
    aux
        The auxiliary result, only with ``has_aux``.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> out, pullback = tg.vjp(lambda x, y: x * y, np.array([1.0, 2.0]), 3.0)
    >>> out
    array([3., 6.])
    >>> pullback(np.array([1.0, 1.0]))
    (array([3., 3.]), np.float64(3.0))
    """
    return at_arguments.vjp(f, primals, has_aux, Options(**options))


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False, **options: Any) -> Any:
    """Compute the value of a function and its directional derivative.

    Parameters
    ----------
    f : callable
        The function.
    primals, tangents : tuple
        The arguments, and the direction: one tangent for each argument, with the same structure and shapes.
    has_aux : bool, default False
        Whether ``f`` returns a pair ``(value, aux)``, of which only the value is differentiated.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    out, out_dot
        The value and the derivative along the direction; with ``has_aux``, ``out, out_dot, aux``.

    Examples
    --------
    >>> import transgrad as tg
    >>> tg.jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 0.0))
    (6.0, 3.0)
    """
    return at_arguments.jvp(f, primals, tangents, has_aux, options)


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], **options: Any) -> Any:
    """Compute the product of the Hessian of a scalar function and a vector, without the Hessian.

    The product is computed forward over reverse. It costs a small multiple of the function.

    Parameters
    ----------
    f : callable
        The function. It returns one real number.
    primals, tangents : tuple
        The arguments, and the vector: one tangent for each argument, with the same structure and shapes.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    tuple
        The product, with one entry for each primal.

    Examples
    --------
    >>> import numpy as np
    >>> import transgrad as tg
    >>> tg.hvp(lambda x: np.sum(x ** 3), (np.array([1.0, 2.0]),), (np.array([1.0, 1.0]),))
    (array([ 6., 12.]),)
    """
    return at_arguments.hvp(f, primals, tangents, options)


def linearize(f: Callable[..., Any], *primals: Any, **options: Any) -> Any:
    """Compute the value of a function and its derivative at that point, as a linear function of tangents.

    Use it instead of `jvp` for several directions at one point: the function is evaluated once.

    Parameters
    ----------
    f : callable
        The function.
    *primals
        Its arguments. All of them are differentiated.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    out
        The value.
    push : callable
        A function of one tangent for each primal. It returns the derivative along them. Arrays that ``f`` reads from
        an enclosing scope must not be modified before it is called.

    Examples
    --------
    >>> import transgrad as tg
    >>> out, push = tg.linearize(lambda x: x ** 3, 2.0)
    >>> out, push(1.0), push(10.0)
    (8.0, 12.0, 120.0)
    """
    return at_arguments.linearize(f, primals, Options(**options))


def vmap(f: Callable[..., Any] | None = None, in_axes: Any = 0, out_axes: Any = 0, *, axis_size: int | None = None, **options: Any) -> Any:
    """Vectorize a function of one example into a function of a batch.

    The generated code consists of array operations. If a branch or a loop depends on the example, each side runs only
    for the examples that take it. A function without an array form is called in a loop, with a `BatchLoopWarning` that
    states the reason.

    Parameters
    ----------
    f : callable
        The function of one example. If it is omitted, ``vmap`` returns a decorator.
    in_axes : int, None or nested, default 0
        The batch axis of each argument, or None for an argument that all examples share. One value applies to all
        arguments; a tuple has one entry for each, which may have the structure of the argument. Keyword arguments are
        batched along axis 0.
    out_axes : int, None or nested, default 0
        The batch axis of the results.
    axis_size : int, optional
        The number of examples, if no argument is batched.
    **options
        ``fallback``, ``backend`` and ``optimize``, as for `grad`; or ``in_dims``, ``out_dims``, ``randomness`` and
        ``chunk_size`` of torch, for functions of Tensors.

    Returns
    -------
    Derivative
        A function with the signature of ``f``. Called with Tensors, it runs on the tape.

    Raises
    ------
    ValueError
        If the arguments have different batch sizes, or an axis does not exist.

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
    """Compile a function without differentiating it.

    The generated code is what the forward sweeps of derivatives use. A compiled function that is called with
    Tensors is one node of the tape.

    Parameters
    ----------
    f : callable
        The function. If it is omitted, ``compile`` returns a decorator.
    **options
        ``fallback``, ``backend``, ``optimize`` and ``nan``, as for `grad`.

    Returns
    -------
    Derivative
        A function with the signature of ``f`` and the attributes of a derivative.

    Examples
    --------
    >>> import transgrad as tg
    >>> @tg.compile
    ... def area(width, height):
    ...     return width * height
    >>> area(2.0, 3.0)
    6.0
    """
    opts = Options(**options)
    if f is None:
        return lambda f: derive(Primal(), f, (), None, opts)
    return derive(Primal(), f, (), None, opts)
