"""Runs a case in a mode of differentiation and compares with the oracles."""
from __future__ import annotations

import copy
import linecache
import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

import transgrad as tg
from tests import oracles

from .registry import Case

__all__ = ["MODES", "MORE", "check", "compare"]


@lru_cache(maxsize=None)
def _expected(case: Case) -> tuple[oracles.Problem, np.ndarray, float, np.ndarray]:
    """The problem, its gradient, the error of that, and a direction."""
    problem = oracles.Problem(case.twin or case.f, case.args, case.wrt, case.kwargs)
    v = np.cos(1.0 + np.arange(len(problem.x)))
    if case.grad is not None:
        return problem, oracles.flatten(case.grad), 0.0, v
    g, error = oracles.gradient(problem, problem.x, case.step)
    return problem, g, error, v


@lru_cache(maxsize=None)
def _curvature(case: Case) -> tuple[np.ndarray, float]:
    problem, _, _, v = _expected(case)
    return oracles.hessian_vector(problem, problem.x, v, 2 * case.step)


def _arguments(case: Case) -> tuple[Any, ...]:
    return copy.deepcopy(case.args)


def _written(case: Case, body: str, params: list[int], **names: Any) -> Callable[..., Any]:
    """A function of the arguments ``params`` with the given body, in which ``call(f)`` stands for f of all arguments."""
    args = ", ".join(f"a{k}" for k in range(len(case.args))) + "".join(f", {k}=option_{k}" for k in case.kwargs)
    name = f"{case.name}_{abs(hash((body, case.row)))}".encode("ascii", "ignore").decode().replace("<lambda>", "f")
    source = f"def wrapped({', '.join(f'a{k}' for k in params)}):\n" + body.replace("(*args)", f"({args})")
    filename = f"<corpus {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space = {"np": np, **{f"a{k}": a for k, a in enumerate(_arguments(case))}, **{f"option_{k}": v for k, v in case.kwargs.items()}, **names}
    exec(compile(source, filename, "exec"), space)
    return space["wrapped"]  # type: ignore[no-any-return]


def _place(path: tuple[Any, ...], x: Any) -> str:
    """How a leaf of a gradient is written: ``[0]['w'].x``."""
    text = ""
    for key in path:
        parts = oracles.children(x)
        by_item = isinstance(x, dict) or isinstance(key, int)
        text += f"[{key!r}]" if by_item else f".{key}"
        x = dict(parts or ())[key]
    return text


def _grad(case: Case) -> Callable[..., Any]:
    return tg.grad(case.f, argnums=case.wrt, fallback="error")  # type: ignore[no-any-return]


def primal(case: Case) -> Any:
    """The value beside the gradient is Python's, and the arguments are left as the function leaves them."""
    want_args, got_args = _arguments(case), _arguments(case)
    with np.errstate(all="ignore"):
        want = case.f(*want_args, **copy.deepcopy(case.kwargs))
        got, _ = tg.value_and_grad(case.f, argnums=case.wrt, fallback="error")(*got_args, **copy.deepcopy(case.kwargs))
    oracles.assert_same(got, want)
    if case.name not in ("attribute_of_passed_object", "generator_passed_in"):
        oracles.assert_same(got_args, want_args, "arguments")
    return got


def compare(case: Case, got: Any) -> None:
    """Compares a gradient of the case with the oracle."""
    problem, want, error, _ = _expected(case)
    oracles.assert_close(got, want, problem.point, rtol=case.rtol, error=error)


def reverse(case: Case) -> Any:
    """The gradient."""
    with np.errstate(all="ignore"):
        got = _grad(case)(*_arguments(case), **copy.deepcopy(case.kwargs))
    compare(case, got)
    return got


def pullback(case: Case) -> Any:
    """The gradient, in two halves."""
    problem, want, error, _ = _expected(case)
    f = _written(case, "    return f(*args)\n", list(case.wrt), f=case.f)
    with np.errstate(all="ignore"):
        value, pull = tg.vjp(f, *(_arguments(case)[k] for k in case.wrt), fallback="error")
        got = pull(type(value)(1.0))
    oracles.assert_close(got, want, problem.point, rtol=case.rtol, error=error)
    return got


def _tangents(case: Case) -> tuple[Any, ...]:
    problem, _, _, v = _expected(case)
    return oracles.rebuild_like(tuple(case.args[k] for k in case.wrt), v, exact=True)  # type: ignore[no-any-return]


def forward(case: Case) -> Any:
    """The derivative along a direction."""
    _, g, error, v = _expected(case)
    f = _written(case, "    return f(*args)\n", list(case.wrt), f=case.f)
    with np.errstate(all="ignore"):
        _, got = tg.jvp(f, tuple(_arguments(case)[k] for k in case.wrt), _tangents(case), fallback="error")
    want = float(g @ v)
    assert abs(got - want) <= case.rtol * max(1.0, float(np.abs(g) @ np.abs(v))) + 10 * error * len(v), (got, want)
    return got


def reverse_over_reverse(case: Case) -> Any:
    """The gradient of <gradient, direction>."""
    problem, _, _, _ = _expected(case)
    want, error = _curvature(case)
    tangents = _tangents(case)
    terms, names = [], {}
    for k, (path, v) in enumerate(oracles.leaves(tangents)):
        place = "g" + _place(path, tangents)
        names[f"v{k}"] = v
        terms.append(f"np.sum({place} * v{k})" if np.result_type(v).kind == "f" else f"np.sum(np.real(np.conj({place}) * v{k}))")
    body = "    g = df(*args)\n    return " + " + ".join(terms) + "\n"
    along = _written(case, body, list(range(len(case.args))), df=_grad(case), **names)
    with np.errstate(all="ignore"):
        got = tg.grad(along, argnums=case.wrt, fallback="error")(*_arguments(case))
    oracles.assert_close(got, want, problem.point, rtol=max(case.rtol, 1e-5), error=error, what="Hessian times vector")
    return got


def forward_over_reverse(case: Case) -> Any:
    """The derivative of the gradient along a direction."""
    problem, _, _, _ = _expected(case)
    want, error = _curvature(case)
    df = _written(case, "    return df(*args)\n", list(case.wrt), df=_grad(case))
    with np.errstate(all="ignore"):
        _, got = tg.jvp(df, tuple(_arguments(case)[k] for k in case.wrt), _tangents(case), fallback="error")
    oracles.assert_close(got, want, problem.point, rtol=max(case.rtol, 1e-5), error=error, what="Hessian times vector")
    return got


def _is_of_arrays(case: Case) -> bool:
    """Whether there is a Jacobian without options: real arrays and numbers alone are differentiated."""
    return all(isinstance(case.args[k], float) or isinstance(case.args[k], np.ndarray) and case.args[k].dtype.kind == "f" for k in case.wrt)


def jacobian(case: Case) -> Any:
    """The gradient, by forward sweeps and by reverse ones."""
    if not _is_of_arrays(case):
        return None
    problem, want, error, _ = _expected(case)
    found = []
    for transform in (tg.jacfwd, tg.jacrev):
        with np.errstate(all="ignore"):
            got = transform(case.f, argnums=case.wrt, fallback="error")(*_arguments(case), **copy.deepcopy(case.kwargs))
        oracles.assert_close(got, want, problem.point, rtol=case.rtol, error=error)
        found.append(got)
    return found


def hessian(case: Case) -> Any:
    """The second derivatives, all of them."""
    if not _is_of_arrays(case):
        return None
    problem, _, _, v = _expected(case)
    want, error = _curvature(case)
    with np.errstate(all="ignore"):
        got = tg.hessian(case.f, argnums=case.wrt, fallback="error")(*_arguments(case), **copy.deepcopy(case.kwargs))
    sizes = [np.size(p) for p in problem.point]
    whole = np.block([[np.reshape(part, (n, m)) for part, m in zip(row, sizes)] for row, n in zip(got, sizes)])
    np.testing.assert_allclose(whole @ v, want, rtol=1e-5, atol=max(1e-5 * max(1.0, np.max(np.abs(want), initial=0.0)), 10 * error))
    return got


MODES: dict[str, Callable[[Case], Any]] = {
    "primal": primal, "reverse": reverse, "forward": forward, "reverse_over_reverse": reverse_over_reverse,
    "forward_over_reverse": forward_over_reverse,
}


#: further ones, which say less of the functions than of what becomes of them
MORE: dict[str, Callable[[Case], Any]] = {"pullback": pullback, "jacobian": jacobian, "hessian": hessian}


def check(case: Case, mode: str) -> Any:
    """What the derivative is; raises AssertionError where it is wrong, and what transgrad raises where it refuses."""
    if case.order < 2 and (mode.endswith("over_reverse") or mode == "hessian"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return {**MODES, **MORE}[mode](case)
