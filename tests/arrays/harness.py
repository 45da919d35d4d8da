"""Runs the cases for a library, and compares results with those for NumPy arrays: values, structure, shapes, dtypes and library."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg
from transgrad.ir.libraries import library_of

LIBRARIES = ("array-api-strict", "torch", "jax", "dask", "cupy", "torch-cuda")
TRANSFORMATIONS = ("grad", "value_and_grad", "jvp", "vjp")


def converter(library: str) -> Callable[[np.ndarray], Any]:
    """What makes an array of a library of a NumPy array."""
    if library == "array-api-strict":
        import array_api_strict
        return array_api_strict.asarray
    if library in ("torch", "torch-cuda"):
        import torch
        device = "cuda" if library == "torch-cuda" else "cpu"
        return lambda a: torch.asarray(a.copy(), device=device)
    if library == "jax":
        import jax
        jax.config.update("jax_enable_x64", True)
        import jax.numpy as jnp
        return jnp.asarray
    if library == "dask":
        import dask.array as da
        return lambda a: da.from_array(a, chunks=tuple(max(1, -(-n // 2)) for n in a.shape))
    if library == "cupy":
        import cupy
        return cupy.asarray
    raise ValueError(f"there is no library {library!r}: there are {', '.join(LIBRARIES)}")


def mapped(fn: Callable[[Any], Any], x: Any) -> Any:
    """A structure with a function applied to its arrays and numbers."""
    if isinstance(x, dict):
        return {k: mapped(fn, v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(mapped(fn, v) for v in x)
    return fn(x)


def to_numpy(x: Any) -> np.ndarray:
    """The elements of an array of any library."""
    if hasattr(x, "detach"):
        x = x.detach().cpu().numpy()
    if hasattr(x, "get") and type(x).__module__.startswith("cupy"):
        x = x.get()
    if hasattr(x, "compute"):
        x = x.compute(scheduler="synchronous")
    return np.asarray(x)


def run(name: str, fn: Callable[..., Any], args: tuple[Any, ...], ones: Callable[[Any], Any]) -> Any:
    """A transformation of a function, at some arguments."""
    if name == "grad":
        return tg.grad(fn)(*args)
    if name == "value_and_grad":
        return tg.value_and_grad(fn)(*args)
    if name == "jvp":
        return tg.jvp(lambda x: fn(x, *args[1:]), (args[0],), (mapped(lambda a: 0.5 * a, args[0]),))
    value, pullback = tg.vjp(lambda x: fn(x, *args[1:]), args[0])
    return value, pullback(2.0 * ones(value))


def compare(found: Any, expected: Any, library: str, path: str = "result") -> None:
    """Raise AssertionError where a result for a library differs from NumPy's."""
    if isinstance(expected, dict):
        assert isinstance(found, dict) and list(found) == list(expected), f"{path}: {type(found)}"
        for k in expected:
            compare(found[k], expected[k], library, f"{path}[{k!r}]")
        return
    if isinstance(expected, (list, tuple)):
        assert type(found) is type(expected) and len(found) == len(expected), f"{path}: {type(found)}"
        for k, (a, b) in enumerate(zip(found, expected)):
            compare(a, b, library, f"{path}[{k}]")
        return
    own = library_of(found)
    assert own is not None and own.name == library.replace("-cuda", ""), f"{path} is a {type(found)}"
    if library == "torch-cuda":
        assert found.device.type == "cuda", f"{path} is on {found.device}"
    array = to_numpy(found)
    assert array.shape == np.shape(expected), f"{path}: shape {array.shape}, not {np.shape(expected)}"
    assert array.dtype == np.asarray(expected).dtype, f"{path}: dtype {array.dtype}, not {np.asarray(expected).dtype}"
    np.testing.assert_allclose(array, expected, rtol=1e-9, atol=1e-11, err_msg=path)


def check(case: Any, library: str, transformation: str) -> None:
    """Compare one transformation of one function with NumPy's result."""
    convert = converter(library)
    expected = run(transformation, case.fn, case.args, np.ones_like)
    args = mapped(convert, case.args)
    found = run(transformation, case.fn, args, lambda v: v * 0.0 + 1.0)
    compare(found, expected, library)
