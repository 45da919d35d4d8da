"""Tensors of random numbers, and draws into tensors."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dispatch, dtypes, layouts, reinforce
from ..formats import arranged
from ..functions import draws
from ..generator import DEFAULT, Generator
from ..tensor import Tensor, wrap
from ..underived import underived
from .arguments import sizes_of
from .creation import given_out, kind_for, made, maker, size_given
from .table import METHODS, must_be_tensor, op


def uniforms(size: tuple[int, ...], dtype: Any, generator: Generator | None = None) -> Any:
    """Uniform numbers in [0, 1); of a complex dtype, both parts are."""
    return drawn("check_uniform_bounds", (generator or DEFAULT).uniform, size, dtype, 1.0)


def normals(size: tuple[int, ...], dtype: Any, generator: Generator | None = None) -> Any:
    """Standard normal numbers; of a complex dtype, both parts have half of the variance."""
    return drawn("normal_kernel_cpu", (generator or DEFAULT).normal, size, dtype, np.sqrt(0.5))


def uniform_between(units: Any, low: Any, high: Any) -> Any:
    """Numbers between 0 and 1, moved between two others; computed in their own precision, as torch does."""
    kind = units.dtype.type
    return units * (kind(high) - kind(low)) + kind(low)


def drawn(name: str, draw: Callable[[int, Any], Any], size: tuple[int, ...], dtype: np.dtype[Any], scale: float) -> Any:
    """Numbers in a shape, two for each complex one."""
    n = int(np.prod(size, dtype=np.int64))
    if dtypes.category(dtype) < dtypes.FLOATING:
        raise NotImplementedError(f'"{name}" not implemented for \'{dtypes.title(dtype)}\'')
    if dtype.kind != "c":
        return draw(n, dtype).reshape(size)
    part = np.dtype(np.float32 if dtype == np.complex64 else np.float64)
    return (draw(2 * n, part) * part.type(scale)).view(dtype).reshape(size)


def filler(name: str, draw: Callable[..., Any], doc: str) -> None:
    """Put ``rand`` or ``randn``, and its ``_like``, into the table."""
    def function(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, generator: Generator | None = None,
                 layout: Any = None, pin_memory: bool = False, out: Any = None, **named: Any) -> Tensor:
        array = draw(sizes_of(size_given(name, size, named)), kind_for(dtype, out), generator)
        return given_out(array, out, name, requires_grad, device)

    def like(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, generator: Generator | None = None,
             layout: Any = None, memory_format: Any = None) -> Tensor:
        must_be_tensor(name + "_like", (input,))
        array = draw(input._array.shape, input.dtype if dtype is None else dtypes.numpy_dtype(dtype), generator)
        return made(arranged(layouts.like(array, input._array), memory_format), requires_grad, device)
    for fn, fn_name, fn_doc in ((function, name, doc), (like, name + "_like", doc + " in the shape and dtype of a tensor")):
        fn.__name__ = fn.__qualname__ = fn_name
        fn.__doc__ = fn_doc + "."
        maker(fn)


filler("rand", uniforms, "Uniform numbers in [0, 1)")
filler("randn", normals, "Standard normal numbers")


@maker
def randint(low: int, high: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False,
            generator: Generator | None = None) -> Tensor:
    """Integers in [low, high), or in [0, low) where no ``high`` is given."""
    if size is None or isinstance(high, (tuple, list)):
        low, high, size = 0, low, high if size is None else size
    if isinstance(size, (int, float)) or size is None:
        raise TypeError(f"randint(): argument 'size' must be tuple of ints, not {type(size).__name__}")
    for name, bound in (("low", low), ("high", high)):
        if isinstance(bound, float):
            raise TypeError(f"randint(): argument '{name}' must be int, not float")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    shape = sizes_of((size,))
    found = (generator or DEFAULT).integers(low, high, int(np.prod(shape, dtype=np.int64))).reshape(shape)
    return made(found.astype(dtypes.int64 if dtype is None else dtypes.numpy_dtype(dtype)), requires_grad, device)


@maker
def randint_like(input: Tensor, low: int, high: int | None = None, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    """Integers in [low, high), in the shape and dtype of a tensor."""
    span = (0, low) if high is None else (low, high)
    return randint(*span, tuple(input.shape), dtype=input.dtype if dtype is None else dtype,    # type: ignore[no-any-return]
                   requires_grad=requires_grad)


@maker
def randperm(n: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, generator: Generator | None = None) -> Tensor:
    """The integers below ``n``, shuffled."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    return made((generator or DEFAULT).permutation(n).astype(dtypes.int64 if dtype is None else dtypes.numpy_dtype(dtype)), requires_grad)


@maker
def manual_seed(seed: int) -> Generator:
    """Start the stream of random numbers of a seed: the same numbers as torch's on the CPU."""
    return DEFAULT.manual_seed(seed)


@maker
def seed() -> int:
    """Start a stream of random numbers that cannot be foreseen."""
    return DEFAULT.seed()


@maker
def initial_seed() -> int:
    """The seed of the stream of random numbers."""
    return DEFAULT.initial_seed()


@maker
def get_rng_state() -> Any:
    """Where the stream of random numbers is."""
    return DEFAULT.get_state()


@maker
def set_rng_state(new_state: Any) -> None:
    """Goes on from where `get_rng_state` was called."""
    DEFAULT.set_state(new_state)


@maker
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None, dtype: Any = None,
           requires_grad: bool = False, out: Any = None) -> Tensor:
    """Normal numbers with the means and standard deviations given."""
    arrays = [getattr(v, "_array", v) for v in (mean, std)]
    shape = sizes_of((size,)) if size is not None else np.broadcast_shapes(*map(np.shape, arrays))
    kind = next((a.dtype for a in arrays if isinstance(a, np.ndarray)), kind_for(dtype, None))
    if np.any(np.asarray(arrays[1]) < 0):
        raise RuntimeError(f"normal expects std >= 0.0, but found std {float(np.min(arrays[1]))}")
    values = (normals(shape, kind, generator) * arrays[1] + arrays[0]).astype(kind)
    fn = {(True, False): draws.normal_means, (False, True): draws.normal_deviations, (True, True): draws.normal_both}.get(
        (isinstance(mean, Tensor), isinstance(std, Tensor)))
    found = made(values, requires_grad) if fn is None else dispatch.apply(fn, mean, std, values)
    return reinforce.drawn_from(found, reinforce.normal, mean, std)


@op()
def bernoulli(self: Tensor, p: float | None = None, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability in each element (or ``p``), else 0."""
    g = generator or DEFAULT
    chance = self._array if p is None else p
    if np.any(np.asarray(chance) < 0) or np.any(np.asarray(chance) > 1):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    shares = g.uniform(self.numel(), self.dtype if p is None and self.is_floating_point() else np.float64)
    values = (shares.reshape(self._array.shape) < chance).astype(self.dtype)
    return reinforce.drawn_from(dispatch.apply(draws.bernoulli, self, values), reinforce.bernoulli, self if p is None else p)


@op()
def multinomial(self: Tensor, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Tensor:
    """Indices drawn with the weights in each row."""
    g, p = generator or DEFAULT, self._array
    if np.any(p < 0) or not np.all(np.isfinite(p)):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if not replacement and num_samples > p.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if replacement and num_samples > 1:
        sums = np.cumsum(p, axis=-1)
        shares = g.doubles(p.size // p.shape[-1] * num_samples).reshape(-1, num_samples)
        rows = [np.searchsorted(s / s[-1], u, side="right") for s, u in zip(sums.reshape(-1, p.shape[-1]), shares)]
        places = np.stack(rows).reshape(*p.shape[:-1], num_samples)
    else:
        race = p / g.exponential(p.size).reshape(p.shape)
        places = np.argsort(-race, axis=-1, kind="stable")[..., :num_samples]
    return reinforce.drawn_from(wrap(places.astype(np.int64)), reinforce.multinomial, self)


@op(method=False)
def poisson(self: Tensor, generator: Generator | None = None) -> Tensor:
    """A number of the Poisson distribution of each rate."""
    values = (generator or DEFAULT).poisson(self._array).astype(self.dtype)
    return dispatch.apply(draws.poisson, self, values)      # type: ignore[no-any-return]


@op(method=False)
def binomial(self: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """A number of the binomial distribution of each count of trials and probability."""
    if self.dtype != prob.dtype:
        raise RuntimeError(f"Found dtype {dtypes.title(prob.dtype)} but expected {dtypes.title(self.dtype)}")
    counts, chances = np.broadcast_arrays(self._array, prob._array)
    values = (generator or DEFAULT).binomial(counts.astype(np.int64), chances).astype(self.dtype)
    out = wrap(values)
    underived("binomial", (out,), self, prob)
    return out


def writing(name: str, fn: Any, draw: Callable[..., Any], doc: str) -> None:
    """Put a method that draws into the tensor into the table."""
    def method(self: Tensor, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Tensor:
        values = np.asarray(draw(generator or DEFAULT, self, *args, **kwargs)).reshape(self._array.shape).astype(self.dtype)
        return dispatch.inplace(fn, self, values)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = doc + ", in place of the elements."
    METHODS[name] = method


def whole(g: Generator, x: Tensor, low: int | None = None, high: int | None = None) -> Any:
    """Integers in a range, by default all that the dtype can tell apart."""
    if low is not None and high is None:
        low, high = 0, low
    if high is None:
        kind = x.dtype.kind
        low, high = 0, np.iinfo(x.dtype).max if kind in "iu" else 2 if kind == "b" else 2 ** (np.finfo(x.dtype).nmant + 1) + 1
    return g.integers(low or 0, high, x.numel())


writing("normal_", draws.normal, lambda g, x, mean=0.0, std=1.0: normals(x._array.shape, x.dtype, g) * std + mean, "Normal numbers")
writing("uniform_", draws.uniform, lambda g, x, low=0.0, high=1.0, **named: uniform_between(
    uniforms(x._array.shape, x.dtype, g), named.get("from", low), named.get("to", high)), "Uniform numbers")
writing("bernoulli_", draws.bernoulli_filled, lambda g, x, p=0.5: g.doubles(x.numel()).reshape(x._array.shape) < getattr(p, "_array", p),
        "1 with probability ``p``, 0 otherwise")
writing("exponential_", draws.exponential, lambda g, x, lambd=1.0: g.exponential(x.numel()) / lambd,
        "Numbers of the exponential distribution")
writing("cauchy_", draws.cauchy, lambda g, x, median=0.0, sigma=1.0: median + sigma * np.tan(np.pi * (g.doubles(x.numel()) - 0.5)),
        "Numbers of the Cauchy distribution")
writing("log_normal_", draws.log_normal, lambda g, x, mean=1.0, std=2.0: np.exp(g.normals(x.numel()) * std + mean),
        "Numbers whose logarithms are normal")
writing("geometric_", draws.geometric, lambda g, x, p: np.ceil(np.log(g.doubles(x.numel())) / np.log1p(-p)),
        "Numbers of the geometric distribution")
writing("random_", draws.random_, whole, "Integers of a range")
