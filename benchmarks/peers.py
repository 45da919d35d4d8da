"""How many functions HIPS autograd, JAX and transgrad differentiate, side by side: ``python -m benchmarks.peers [--list]``.

A function counts where the gradient of at least one of its cases (of ``tests/rules/cases``) is there and agrees with central
differences; a case is the call of the function in a weighed sum, written once and run with each package's NumPy.
"""
from __future__ import annotations

import argparse
import collections
import importlib
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg
from tests.rules.cases import FAMILIES, Case
from tests.rules.compiled import scalar_function
from transgrad.rules.advice import name_of
from transgrad.rules.classes import classify
from transgrad.testing import numeric_grad

Gradient = Callable[[Any, list[Any], str], Any]
_TRIES = 3


def _named(root: Any, path: str) -> Any:
    found = root
    for name in path.split(".")[1:]:
        found = getattr(found, name)
    return found


def _twin(f: Any, numpy: Any, fn: Any) -> Any:
    return types.FunctionType(f.__code__, {**f.__globals__, "np": numpy, "fn": fn}, f.__name__)


def by_transgrad(f: Any, values: list[Any], path: str) -> Any:
    return tg.grad(f, argnums=tuple(range(len(values))), fallback="error")(*values)


def by_jax(f: Any, values: list[Any], path: str) -> Any:
    import jax
    jax.config.update("jax_enable_x64", True)
    root = path.split(".")[0]
    home = {"numpy": jax.numpy, "scipy": importlib.import_module("jax.scipy")}[root]
    for part in range(2, path.count(".") + 1):
        importlib.import_module("jax." + ".".join(path.split(".")[:part]))
    return jax.grad(_twin(f, jax.numpy, _named(home, path)), argnums=tuple(range(len(values))))(*values)


def by_autograd(f: Any, values: list[Any], path: str) -> Any:
    import autograd
    root = path.split(".")[0]
    home = importlib.import_module(f"autograd.{root}")
    for part in range(2, path.count(".") + 1):
        importlib.import_module("autograd." + ".".join(path.split(".")[:part]))
    gradient = autograd.grad(_twin(f, importlib.import_module("autograd.numpy"), _named(home, path)), tuple(range(len(values))))
    return gradient(*values)


PEERS: dict[str, Gradient] = {"HIPS autograd": by_autograd, "JAX": by_jax, "transgrad": by_transgrad}


def agrees(gradient: Gradient, f: Any, values: list[Any], want: list[Any], path: str) -> bool:
    """Whether a package returns the right gradient."""
    try:
        got = gradient(f, values, path)
    except Exception:
        return False
    either = [(q, np.conj(q)) for q in want]        # of the two conventions for complex arguments
    return all(np.shape(p) == np.shape(qs[0]) and any(np.allclose(p, q, rtol=1e-4, atol=1e-4) for q in qs) for p, qs in zip(got, either))


def problems() -> dict[str, list[Case]]:
    """The cases of each public function of NumPy and SciPy."""
    found: dict[str, list[Case]] = collections.defaultdict(list)
    for make in FAMILIES.values():
        for case in make():
            entry = classify(case.fn)
            if entry is not None and entry.kind == "differentiable" and entry.namespace.split(".")[0] in ("numpy", "scipy") \
                    and entry.namespace != "numpy.ndarray":
                found[name_of(case.fn)].append(case)
    return found


def main() -> int:
    """Prints the counts of each namespace."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--list", action="store_true", help="each function, too")
    parser.add_argument("--only", default="", help="names that begin so")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    counts: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for path, cases in sorted(problems().items()):
        if not path.startswith(options.only):
            continue
        with np.errstate(all="ignore"):
            done = tried(cases, path)
        if done is None:
            continue
        space = path.rpartition(".")[0]
        counts[space].update(["functions", *done])
        if options.list:
            print(f"{path:40s} " + " ".join(f"{'yes' if name in done else '-':>14s}" for name in PEERS), flush=True)
    print(f"{'namespace':28s} {'functions':>9s} " + " ".join(f"{name:>14s}" for name in PEERS))
    total: collections.Counter[str] = collections.Counter()
    for space, count in counts.items():
        total.update(count)
        print(f"{space:28s} {count['functions']:9d} " + " ".join(f"{count[name]:14d}" for name in PEERS))
    print(f"{'all':28s} {total['functions']:9d} " + " ".join(f"{total[name]:14d}" for name in PEERS))
    return 0


def tried(cases: list[Case], path: str) -> list[str] | None:
    """The packages that differentiate one of the first few cases; None where none of them has numbers to differentiate."""
    done: list[str] = []
    count = 0
    for case in cases:
        f, values = scalar_function(case)
        if not values or any(isinstance(v, (list, tuple)) for v in values):
            continue
        count += 1
        want = numeric_grad(lambda *xs, f=f: float(f(*xs)), values)
        done += [name for name, gradient in PEERS.items() if name not in done and agrees(gradient, f, values, want, path)]
        if count == _TRIES or len(done) == len(PEERS):
            break
    return done if count else None


if __name__ == "__main__":
    sys.exit(main())
