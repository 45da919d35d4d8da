"""Values and derivatives of losses that are sums over data."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..transforms.arguments import bind, pick, signature_of
from ..transforms.derivative import Derivative
from ..transforms.memoized import derive
from ..transforms.options import Options
from ..transforms.seeds import fit
from ..transforms.transformations import Forward, Kind, Product, Reverse
from .chunks import aligned
from .engine import Nothing, Task, called, collect, reduced, require, shared

__all__ = ["SumOverData", "grad", "hvp", "jvp", "value_and_grad"]


class _OnChunk:
    """The derivative for one chunk; ``tangents`` are those of the differentiated arguments."""

    def __init__(self, derivative: Derivative):
        self.derivative = derivative
        self.__name__ = derivative.__name__

    def __call__(self, shared: Mapping[str, Any], names: Sequence[str], tangents: Any, *chunks: Any) -> Any:
        d = self.derivative
        values = bind(d.primal, d.primal_signature, (), {**shared, **dict(zip(names, chunks))})
        if tangents is None:
            return d.call_with(values)
        given = (tangents,) if d.target.single else tuple(tangents)
        if len(given) != len(d.target.slots):
            raise TypeError(f"{self.__name__} got {len(given)} tangents for {len(d.target.slots)} arguments")
        dots = {f"{slot.name}_dot": fit(t, pick(values, slot), f"the tangent of {slot}") for slot, t in zip(d.target.slots, given)}
        return d.call_with({**values, **dots})


class SumOverData:
    """A derivative of a loss that is a sum over data. Call it with the arguments of the loss; `delayed` builds the graph only.

    Parameters
    ----------
    kind : Kind
        The transformation.
    loss : callable
        The loss.
    over : str or sequence of str
        The arguments that are data.
    argnums, argnames, options
        As for `transgrad.grad`.
    client : Client, optional
        Where it runs.
    split_every : int
        How many results one task adds.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import transgrad as tg
    >>> gradient = tg.distributed.grad(lambda w, x: np.sum((x @ w) ** 2), over="x")
    >>> isinstance(gradient, SumOverData)
    True
    >>> gradient.delayed(np.ones(2), da.ones((4, 2), chunks=(2, 2))).compute()
    array([16., 16.])
    """

    def __init__(self, kind: Kind, loss: Callable[..., Any], over: str | Sequence[str], argnums: Any, argnames: Any, options: Options,
                 client: Any, split_every: int):
        if split_every < 2:
            raise ValueError(f"split_every is the number of results that one task adds, at least 2, not {split_every}")
        self.over = (over,) if isinstance(over, str) else tuple(over)
        self.derivative = derive(kind, loss, argnums, argnames, options)
        self.client, self.split_every = client, split_every
        self.signature = signature_of(self.derivative.primal)
        for p in self.signature.parameters.values():
            if p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
                raise TypeError(f"{loss.__name__}{self.signature}: losses over data take arguments with names, not {p}")
        for name in self.over:
            if name not in self.signature.parameters:
                raise TypeError(f"over={name!r} is not an argument of {loss.__name__}{self.signature}")
            if isinstance(kind, Forward) and "tangents" in self.signature.parameters:
                raise TypeError(f"{loss.__name__} has an argument named tangents, which is the name of the direction: rename it")
            if name in self.derivative.target.names:
                raise TypeError(f"{name!r} is data, and is differentiated: choose other arguments with argnums or argnames")
        if not self.over:
            raise TypeError("over names no argument: name those that are data")
        require("dask")
        self.__name__ = f"distributed_{self.derivative.__name__}"
        self.__doc__ = self.derivative.__doc__

    def __repr__(self) -> str:
        return f"<{self.__name__}{self.signature} over {', '.join(self.over)}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = collect(self.delayed(*args, **kwargs), self.client)
        if isinstance(found, Nothing):
            raise ValueError(f"{', '.join(self.over)}: all chunks are empty")
        return found

    def delayed(self, *args: Any, **kwargs: Any) -> Any:
        """Return the graph of the result as a `dask.delayed.Delayed`, for `Client.compute`, progress bars and graphs around it.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the loss, and ``tangents`` for `jvp` and `hvp`.
        """
        takes = isinstance(self.derivative.kind, Forward)
        tangents = kwargs.pop("tangents", None) if takes else None
        if takes and tangents is None:
            raise TypeError(f"{self.__name__} needs tangents=, one for each differentiated argument")
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        chunks = aligned([values.pop(name) for name in self.over], self.over)
        # pickled at each call: a function that is pickled by value takes along the globals that it reads
        task = shared(Task(_OnChunk(self.derivative)), "derivative")
        rest = shared(values, "arguments")
        directions = None if tangents is None else shared(tangents, "tangents")
        parts = [called(task, self.derivative.__name__, rest, self.over, directions, *chunk) for chunk in chunks]
        return reduced(parts, self.derivative.__name__, self.split_every)


def value_and_grad(loss: Callable[..., Any], over: str | Sequence[str], *, argnums: int | Sequence[int] = 0,
                   argnames: str | Sequence[str] | None = None, client: Any = None, split_every: int = 8, **options: Any) -> SumOverData:
    """Return a function that computes the value and the gradient of a loss that is a sum over data.

    Parameters
    ----------
    loss : callable
        ``loss(params, data, ...)`` returns the sum of a loss over the rows of ``data``. A mean, or a penalty on the parameters,
        belongs outside of it: it would be added once for each chunk.
    over : str or sequence of str
        The names of the arguments that are data. Each is a Dask array, of which ``loss`` receives blocks of rows as NumPy arrays; a
        Dask DataFrame, of which it receives dicts of columns; a Dask bag, of which it receives items stacked to arrays; or a list
        of chunks, which may be delayed.
    argnums, argnames
        The differentiated arguments, as for `transgrad.grad`: numbers, arrays, and containers of these.
    client : distributed.Client, optional
        The cluster. By default, the current client, or else Dask's scheduler for one machine.
    split_every : int, default 8
        How many results one task of the tree reduction adds.
    **options
        ``fallback``, ``backend``, ``optimize``, ``checkpoint`` and ``nan``, as for `transgrad.grad`.

    Returns
    -------
    SumOverData
        A function with the arguments of ``loss`` that returns ``(value, gradient)``. Its method ``delayed`` returns the Dask graph
        instead.

    Raises
    ------
    TypeError
        If ``over`` does not name arguments of ``loss``, or names a differentiated one.
    ValueError
        At a call, if the data have different numbers of chunks, or none.
    ModuleNotFoundError
        If Dask is not installed: ``pip install 'transgrad[distributed]'``.

    Notes
    -----
    The result equals that for all data at once up to the order of summation, which is fixed: it does not depend on the workers.

    Examples
    --------
    >>> import numpy as np
    >>> from dask import delayed
    >>> import transgrad as tg
    >>> def loss(params, x, y):
    ...     return np.sum((x @ params["w"] + params["b"] - y) ** 2)
    >>> x, y = np.ones((6, 2)), np.arange(6.0)
    >>> f = tg.distributed.value_and_grad(loss, over=("x", "y"))
    >>> f({"w": np.zeros(2), "b": 0.0}, [delayed(x[:4]), delayed(x[4:])], [y[:4], y[4:]])
    (np.float64(55.0), {'w': array([-30., -30.]), 'b': np.float64(-30.0)})
    """
    return SumOverData(Reverse(True), loss, over, argnums, argnames, Options(**options), client, split_every)


def grad(loss: Callable[..., Any], over: str | Sequence[str], *, argnums: int | Sequence[int] = 0,
         argnames: str | Sequence[str] | None = None, client: Any = None, split_every: int = 8, **options: Any) -> SumOverData:
    """Return a function that computes the gradient of a loss that is a sum over data.

    Parameters
    ----------
    loss, over, argnums, argnames, client, split_every, **options
        As for `value_and_grad`.

    Returns
    -------
    SumOverData
        A function with the arguments of ``loss`` that returns the gradient.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import transgrad as tg
    >>> tg.distributed.grad(lambda w, x: np.sum(w * x), over="x")(2.0, da.arange(5.0, chunks=2))
    np.float64(10.0)
    """
    return SumOverData(Reverse(False), loss, over, argnums, argnames, Options(**options), client, split_every)


def jvp(loss: Callable[..., Any], over: str | Sequence[str], *, argnums: int | Sequence[int] = 0,
        argnames: str | Sequence[str] | None = None, client: Any = None, split_every: int = 8, **options: Any) -> SumOverData:
    """Return a function that computes the value and the directional derivative of a sum over data.

    Parameters
    ----------
    loss, over, argnums, argnames, client, split_every, **options
        As for `value_and_grad`; ``loss`` may return arrays and containers of them, which are added.

    Returns
    -------
    SumOverData
        A function with the arguments of ``loss`` and ``tangents``, the direction in the structure of the differentiated argument
        (a tuple for several). It returns ``(value, derivative)``.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> import transgrad as tg
    >>> f = tg.distributed.jvp(lambda w, x: np.sum(w * w * x), over="x")
    >>> f(2.0, da.arange(5.0, chunks=2), tangents=1.0)
    (np.float64(40.0), np.float64(40.0))
    """
    return SumOverData(Forward(False), loss, over, argnums, argnames, Options(**options), client, split_every)


def hvp(loss: Callable[..., Any], over: str | Sequence[str], *, argnums: int | Sequence[int] = 0,
        argnames: str | Sequence[str] | None = None, client: Any = None, split_every: int = 8, **options: Any) -> SumOverData:
    """Return a function that computes the product of the Hessian of a sum over data and a vector.

    Parameters
    ----------
    loss, over, argnums, argnames, client, split_every, **options
        As for `value_and_grad`.

    Returns
    -------
    SumOverData
        A function with the arguments of ``loss`` and ``tangents``, the vector in the structure of the differentiated argument (a
        tuple for several). It returns the product in the same structure.

    Examples
    --------
    With the gradient, it is what Newton-CG needs:

    >>> import dask.array as da
    >>> import numpy as np
    >>> from scipy.optimize import minimize
    >>> import transgrad as tg
    >>> def loss(w, x):
    ...     return np.sum(np.log(np.cosh(w - x)))
    >>> x = da.arange(9.0, chunks=4).reshape((9, 1))
    >>> value_and_grad, hvp = tg.distributed.value_and_grad(loss, over="x"), tg.distributed.hvp(loss, over="x")
    >>> found = minimize(value_and_grad, np.zeros(1), (x,), jac=True, hessp=lambda w, v, x: hvp(w, x, tangents=v), method="Newton-CG")
    >>> np.round(found.x, 4)
    array([4.])
    """
    return SumOverData(Product(), loss, over, argnums, argnames, Options(**options), client, split_every)
