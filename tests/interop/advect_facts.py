"""Facts about the wrappers of transgrad and of advect, each found by trying it.

``python -m tests.interop.advect_facts`` prints them for PyTorch and JAX, where advect (0.3, Python 3.12) is installed.
"""
from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import transgrad as tg

__all__ = ["facts"]

Fact = tuple[str, Callable[[Callable[..., Any], Any], bool]]


def _torch_facts() -> Iterator[Fact]:
    import torch

    def tensor(requires_grad: bool = False) -> Any:
        return torch.tensor([0.3, -1.2, 0.7], dtype=torch.float64, requires_grad=requires_grad)

    def total(wrap: Any, np_: Any) -> Any:
        return wrap(lambda x: np_.sum(np_.sin(x) ** 3))

    def same(x: Any) -> Any:
        return (torch.sin(x) ** 3).sum()

    def shares_arguments(wrap: Any, np_: Any) -> bool:
        seen: list[int] = []
        x = tensor()
        wrap(lambda a: (seen.append(a.ctypes.data), np_.sum(a))[1])(x)
        return seen[-1] == x.data_ptr()

    def shares_results(wrap: Any, np_: Any) -> bool:
        seen: list[int] = []

        def f(a: Any) -> Any:
            made = np_.sin(a)
            seen.append(made.ctypes.data)
            return made
        return wrap(f)(tensor()).data_ptr() == seen[-1]

    def first_order(wrap: Any, np_: Any) -> bool:
        x = tensor(True)
        return torch.allclose(torch.autograd.grad(total(wrap, np_)(x), x)[0], torch.autograd.grad(same(x), x)[0])

    def second_order(wrap: Any, np_: Any) -> bool:
        return torch.autograd.gradgradcheck(total(wrap, np_), (tensor(True),))

    def forward_mode(wrap: Any, np_: Any) -> bool:
        x = tensor()
        return torch.allclose(torch.func.jvp(total(wrap, np_), (x,), (x,))[1], torch.func.jvp(same, (x,), (x,))[1])

    def func_grad(wrap: Any, np_: Any) -> bool:
        return torch.allclose(torch.func.grad(total(wrap, np_))(tensor()), torch.func.grad(same)(tensor()))

    def vmap(wrap: Any, np_: Any) -> bool:
        xs = torch.stack([tensor(), 2.0 * tensor()])
        return torch.allclose(torch.func.vmap(total(wrap, np_))(xs), torch.func.vmap(same)(xs))

    def constants(wrap: Any, np_: Any) -> bool:
        x = tensor(True)
        return torch.allclose(torch.autograd.grad(wrap(lambda a, n: np_.sum(a ** n))(x, 3), x)[0], 3.0 * x ** 2)

    yield "shares memory with arguments", shares_arguments
    yield "shares memory with results", shares_results
    yield "reverse mode", first_order
    yield "second order (gradgradcheck)", second_order
    yield "forward mode (torch.func.jvp)", forward_mode
    yield "torch.func.grad", func_grad
    yield "torch.func.vmap", vmap
    yield "Python numbers as arguments", constants


def _jax_facts() -> Iterator[Fact]:
    import jax
    jax.config.update("jax_enable_x64", True)
    x = jax.numpy.array([0.3, -1.2, 0.7])

    def total(wrap: Any, np_: Any) -> Any:
        return wrap(lambda a: np_.sum(np_.sin(a) ** 3))

    def same(a: Any) -> Any:
        return jax.numpy.sum(jax.numpy.sin(a) ** 3)

    def agrees(make: Callable[[Any], Any]) -> Callable[[Any, Any], bool]:
        return lambda wrap, np_: bool(np.allclose(make(total(wrap, np_)), make(same)))

    yield "reverse mode", agrees(lambda f: jax.grad(f)(x))
    yield "jit", agrees(lambda f: jax.jit(f)(x))
    yield "jit of the gradient", agrees(lambda f: jax.jit(jax.grad(f))(x))
    yield "forward mode (jvp)", agrees(lambda f: jax.jvp(f, (x,), (x,))[1])
    yield "second order (hessian)", agrees(lambda f: jax.hessian(f)(x))
    yield "vmap", agrees(lambda f: jax.vmap(f)(jax.numpy.stack([x, 2.0 * x])))
    yield "vmap of the gradient", agrees(lambda f: jax.vmap(jax.grad(f))(jax.numpy.stack([x, 2.0 * x])))


def _holds(fact: Callable[[Any, Any], bool], wrap: Any, np_: Any) -> bool:
    try:
        return bool(fact(wrap, np_))
    except Exception:
        return False


def facts(framework: str) -> list[tuple[str, bool, bool | None]]:
    """Return what holds for the wrappers for a framework: of transgrad, and of advect (None if it is not installed)."""
    ours = getattr(tg.interop, framework).wrap
    try:
        theirs, np_ = importlib.import_module(f"advect.interop.{framework}").wrap, importlib.import_module("advect.numpy")
    except ImportError:
        theirs = np_ = None
    pairs = {"torch": _torch_facts, "jax": _jax_facts}[framework]()
    return [(name, _holds(fact, ours, np), None if theirs is None else _holds(fact, theirs, np_)) for name, fact in pairs]


def main() -> int:
    """Print the facts; return 1 if one does not hold for transgrad."""
    complete = True
    for framework in ("torch", "jax"):
        if importlib.util.find_spec(framework) is None:
            print(f"{framework} is not installed")
            continue
        print(f"{framework:36s} transgrad   advect")
        for name, ours, theirs in facts(framework):
            complete &= ours
            print(f"  {name:34s} {'yes' if ours else 'no':11s} {'not installed' if theirs is None else 'yes' if theirs else 'no'}")
    return 0 if complete else 1


if __name__ == "__main__":
    raise SystemExit(main())
