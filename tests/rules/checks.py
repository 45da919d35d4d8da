"""What is checked of a case; each check raises AssertionError where it fails, and `NotForThis` where it does not apply."""
from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import transgrad as tg
from transgrad.bridge import TapedArray, lifted
from transgrad.rules import lookup
from transgrad.rules.advice import name_of
from transgrad.rules.classes import classify
from transgrad.runtime import fit
from transgrad.testing import _close as close
from transgrad.testing import _dot as dot
from transgrad.testing import _leaves as leaves
from transgrad.testing import _leaves_of_entries as leaves_of_entries
from transgrad.testing import _map as map_leaves
from transgrad.testing import _random_like as random_like
from transgrad.testing import check_grad, check_rule

from .cases import Case
from .compiled import scalar_function

__all__ = ["CHECKS", "NotForThis", "REFUSED"]


class NotForThis(Exception):
    """The check says nothing about this case."""


def quiet(check: Callable[[Case], None]) -> Callable[[Case], None]:
    @functools.wraps(check)
    def run(case: Case) -> None:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            check(case)
    return run


@quiet
def differences(case: Case) -> None:
    """Reverse and forward mode against central differences."""
    if case.is_single:
        raise NotForThis
    if case.by_rule:
        check_rule(case.fn, *case.args, **case.kwargs)
    else:
        f, values = scalar_function(case)
        if not values:
            raise NotForThis
        check_grad(f, values)


@quiet
def single_precision(case: Case) -> None:
    """The compiled gradient of the arguments in single precision: single itself, and that of double precision to rounding."""
    if not case.ends_in_single:
        raise NotForThis
    f, values = _real_problem(case) if not case.is_single else scalar_function(case)
    small = [np.asarray(v, dtype=np.float32) if isinstance(v, np.ndarray) else v for v in values]
    if not all(isinstance(v, np.ndarray) and v.ndim for v in values) or not _stays_single(case):    # no dimensions: may be a number
        raise NotForThis
    places = tuple(range(len(values)))
    got = tg.grad(f, argnums=places, fallback="error")(*small)
    want = tg.grad(f, argnums=places, fallback="error")(*[v.astype(float) for v in small])
    for p, q in zip(got, want):
        assert p.dtype == np.float32
        close(p, q, 2e-3, "single precision")


def _stays_single(case: Case) -> bool:
    """Whether the function itself gives numbers in single precision for such arguments, and those that it gives in double precision
    (some of SciPy's do not, or give NaN; LAPACK may choose the other sign of a vector)."""
    if any(isinstance(case.args[k], np.ndarray) for k in case.kwargs.get("fixed", ()) if isinstance(k, int)):
        return False        # what is fixed keeps its precision
    small = [a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype == np.float64 else a for a in case.args]
    if case.fn.__name__ == "obrientransform":       # SciPy refuses single precision
        return False
    results, exact = (leaves([case.fn(*args, **case.options)]) for args in (small, case.args))
    return not name_of(case.fn).startswith("scipy") or all(
        not hasattr(r, "dtype") or r.dtype == np.float32 and bool(np.allclose(r, e, 1e-2, 1e-2)) for r, e in zip(results, exact))


@quiet
def single_entries(case: Case) -> None:
    """The derivatives for arguments in single precision against those for the same numbers in double precision: the entries of a rule,
    the compiled gradient of a definition."""
    if not case.is_single:
        raise NotForThis
    if not case.by_rule:
        f, values = scalar_function(case)
        gradient = tg.grad(f, argnums=tuple(range(len(values))), fallback="error")
        for p, q in zip(gradient(*values), gradient(*_doubled(values))):
            close(p, q, 2e-3, "single entries")
        return
    rule = lookup(case.fn)
    assert rule is not None
    double = case._replace(args=_doubled(case.args))
    y = double.fn(*double.args, **double.options)
    rng = np.random.default_rng(4)
    g = map_leaves(lambda v: random_like(v, rng), y)
    found = []
    for each, value in ((case, case.fn(*case.args, **case.options)), (double, y)):
        args, options = rule.bind(each.args, each.options)
        wanted = [bool(leaves(a)) and k not in case.kwargs.get("fixed", ()) for k, a in enumerate(args)]
        given = [a if w else None for a, w in zip(args, wanted)]
        entries = rule.pullback(g, value, args, options, wanted)
        found.append([None if e is None else fit(e, np.asarray(a)) for e, a in zip(leaves_of_entries(entries, given), leaves(given))])
    for p, q in zip(*found):
        assert (p is None) == (q is None)
        if p is not None:
            close(p, q, 2e-3, "single entries")


def _doubled(x: Any) -> Any:
    """The same numbers in double precision."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(_doubled, x))
    return x.astype(np.complex128 if x.dtype.kind == "c" else float) if getattr(x, "dtype", None) in (np.float32, np.complex64) else x


def complex_step_gradient(f: Callable[..., Any], values: list[Any]) -> list[Any]:
    """The gradient to full precision of a function that is analytic in each of its operations."""
    out = []
    for k, x in enumerate(values):
        grad = np.zeros(np.shape(x))
        for i in np.ndindex(grad.shape):
            moved = np.array(x, dtype=complex)
            moved[i] += 1e-30j
            grad[i] = np.imag(f(*values[:k], moved if isinstance(x, np.ndarray) else moved[()].item(), *values[k + 1:])) / 1e-30
        out.append(grad)
    return out


@quiet
def complex_step(case: Case) -> None:
    """The compiled gradient against the complex step, where NumPy's function is analytic there."""
    if not (isinstance(case.fn, np.ufunc) and "D" * case.fn.nin + "->D" in case.fn.types) or case.options:
        raise NotForThis
    if not all(isinstance(a, float) or isinstance(a, np.ndarray) and a.dtype == np.float64 for a in case.args) or "fixed" in case.kwargs:
        raise NotForThis
    if case.fn in (np.absolute, np.sign, np.conjugate, np.vecdot, np.vecmat) or case.fn.__name__ == "expi":      # not analytic, or cut
        raise NotForThis
    if case.fn in (np.power, np.float_power) and np.any(np.asarray(case.args[0]) <= 0.0):      # a branch of the logarithm
        raise NotForThis
    rule = lookup(case.fn)
    assert rule is not None
    y = case.fn(*case.args)
    g = random_like(y, np.random.default_rng(1))
    got = rule.pullback(g, y, list(case.args))
    want = complex_step_gradient(lambda *xs: np.sum(g * case.fn(*xs)), list(case.args))
    for p, q, a in zip(got, want, case.args):
        close(fit(np.zeros_like(q) if p is None else p, np.asarray(a)), q, 1e-11, "complex step")


@quiet
def transposed(case: Case) -> None:
    """Reverse against forward mode: one is the transpose of the other."""
    if not case.by_rule or "forward" not in case.kwargs.get("modes", ("forward",)):
        raise NotForThis
    rule = lookup(case.fn)
    assert rule is not None
    fixed, without = case.kwargs.get("fixed", ()), case.kwargs.get("without", ())
    args, options = rule.bind(case.args, case.options)
    wanted = [bool(leaves(a)) and k not in fixed for k, a in enumerate(args)]
    if not any(wanted):
        raise NotForThis
    rng = np.random.default_rng(2)
    y = case.fn(*case.args, **case.options)
    g = map_leaves(lambda v: random_like(v, rng), y)
    if without:
        g = tuple(None if k in without else v for k, v in enumerate(g))
    tangents = [map_leaves(lambda v: random_like(v, rng), a) if w else None for a, w in zip(args, wanted)]
    entries = rule.pullback(g, y, args, options, wanted)
    forward = rule.pushforward(y, args, tangents, options)
    left = 0.0 if forward is None else _paired(g, forward, y)
    given = [a if w else None for a, w in zip(args, wanted)]
    right = sum(dot(fit(e, np.asarray(a)), t) for e, a, t in zip(leaves_of_entries(entries, given), leaves(given), leaves(tangents))
                if e is not None)
    np.testing.assert_allclose(left, right, rtol=1e-3 if case.is_single else 1e-8, atol=1e-4 if case.is_single else 1e-9)


def _paired(g: Any, t: Any, y: Any) -> float:
    if isinstance(y, (tuple, list)):
        return sum(_paired(p, q, r) for p, q, r in zip(g, t, y) if p is not None and q is not None)
    t = np.real(t) if not np.iscomplexobj(y) else t
    return dot(g, np.broadcast_to(t, np.shape(y)))


def _real_problem(case: Case) -> tuple[Callable[..., Any], list[Any]]:
    f, values = scalar_function(case)
    if not values or not all(isinstance(v, float) or isinstance(v, np.ndarray) and v.dtype == np.float64 for v in values):
        raise NotForThis
    return f, values


@quiet
def compiled(case: Case) -> None:
    """What the compiler makes of the call: the value, and the gradient against central differences."""
    f, values = _real_problem(case)
    value, _ = tg.value_and_grad(f, argnums=tuple(range(len(values))), fallback="error")(*values)
    np.testing.assert_allclose(value, f(*values), rtol=1e-11, atol=1e-12)
    check_grad(f, values)


@quiet
def second_order(case: Case) -> None:
    """The derivative of the gradient along a direction, against differences of the gradient."""
    if classify(case.fn) is None or "forward" not in case.kwargs.get("modes", ("forward",)):      # what only derivatives call, or has no tangent
        raise NotForThis
    f, values = _real_problem(case)
    places = tuple(range(len(values)))
    gradient = tg.grad(f, argnums=places, fallback="error")
    rng = np.random.default_rng(3)
    along = [random_like(v, rng) for v in values]
    try:
        got = tg.hvp(f, tuple(values), tuple(along), fallback="error")
    except (tg.UnsupportedCall, tg.UnsupportedSyntax) as error:
        if name_of(case.fn).startswith("scipy") and "derivative" in str(error):       # refused, which is said out loud
            raise NotForThis from None
        raise
    h = 1e-5
    up, down = (gradient(*[v + s * h * t for v, t in zip(values, along)]) for s in (1, -1))
    for p, a, b in zip(got if isinstance(got, tuple) else (got,), up, down):
        close(p, (np.asarray(a) - np.asarray(b)) / (2 * h), 1e-4, "second order")


@functools.cache
def _of_jax(fn: Any) -> Any:
    """JAX's function of the same name; None where it has none."""
    try:
        import jax
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)
    path = name_of(fn).split(".")
    if path[0] not in ("numpy", "scipy") or path[1] == "ndarray":
        return None
    found: Any = jax.numpy if path[0] == "numpy" else jax.scipy
    for name in path[1:]:
        found = getattr(found, name, None)
    return found if callable(found) else None


#: where JAX means something else: it reads both triangles of symmetric matrices, gives zeros for sets, and partitions in another order
JAX_DIFFERS = frozenset((
    np.linalg.eigh, np.linalg.eigvalsh, np.linalg.cholesky, np.partition, np.unique, np.unique_all, np.unique_counts, np.unique_inverse,
    np.unique_values, np.arange, np.union1d, np.intersect1d, np.setdiff1d, np.setxor1d,
))


@quiet
def jax(case: Case) -> None:
    """The gradient that JAX gives, where it has the function."""
    if case.fn in JAX_DIFFERS:
        raise NotForThis
    if not callable(case.fn) or case.args and isinstance(case.args[0], (str, list)) or _of_jax(case.fn) is None:
        raise NotForThis
    if case.fn.__name__ == "map_coordinates" and case.options.get("mode") in ("constant", "wrap"):     # by other formulas at the edges
        raise NotForThis
    of_scipy = name_of(case.fn).startswith("scipy")
    if of_scipy and (case.fn.__name__ in ("cholesky", "cho_factor", "eigh", "eigvalsh") or "assume_a" in case.options):
        raise NotForThis        # JAX reads both triangles
    if case.fn.__name__ == "qr" and case.options.get("pivoting") and case.args[0].shape[0] < case.args[0].shape[1]:
        raise NotForThis        # JAX's derivative is not that of differences
    if case.fn.__name__ in ("boxcox", "boxcox1p") and not np.all(case.args[1]):
        raise NotForThis        # JAX says that the transform does not change with an exponent of 0
    import jax
    f, values = _real_problem(case)
    twin = type(f)(f.__code__, {**f.__globals__, "np": jax.numpy, "fn": _of_jax(case.fn)}, f.__name__)
    gradient = jax.grad(twin, argnums=tuple(range(len(values))))
    for compiled in (jax.jit(gradient), gradient):      # as one program, which is compiled sooner than all of its parts
        try:
            want = compiled(*values)
            break
        except Exception:       # what it does depends on the numbers
            continue
    else:
        raise NotForThis        # not with these arguments or options
    if any(not np.all(np.isfinite(w)) for w in want):
        raise NotForThis
    got = tg.grad(f, argnums=tuple(range(len(values))), fallback="error")(*values)
    for p, q in zip(got, want):
        close(p, q, 1e-7, "against JAX")


#: arguments that NumPy does not ask for its protocol
_UNSEEN = {np.interp: (3,), np.pad: (1,)}
#: functions of numbers, of which they take no arrays without dimensions
_OF_NUMBERS = ("riccati_jn", "riccati_yn", "lmbda", "pbdn_seq", "pbdv_seq", "pbvv_seq")


@quiet
def tape(case: Case) -> None:
    """The tape's gradient, by all arguments and by each alone, is the compiler's: they have the same rules."""
    f, values = _real_problem(case)
    by_protocol = isinstance(case.fn, (np.ufunc, type(np.sum))) and case.fn is not np.full_like
    if not by_protocol and (not name_of(case.fn).startswith("scipy.") or case.fn.__name__ in _OF_NUMBERS):
        raise NotForThis        # takes no Tensors: it does not ask for NumPy's protocols
    want = tg.grad(f, argnums=tuple(range(len(values))), fallback="error")(*values)
    every = tuple(range(len(values)))
    for places in [every, *((k,) for k in every if len(values) > 1 and k not in _UNSEEN.get(case.fn, ()))]:
        tensors = {k: tg.tensor(np.asarray(values[k]), requires_grad=True) for k in places}  # type: ignore[attr-defined]
        args = [values[k] if k not in places else tensors[k] if by_protocol else TapedArray(tensors[k], number=not tensors[k].dim())
                for k in every]
        y = f(*args) if by_protocol else lifted(f)(*args)
        if not by_protocol:
            y = getattr(y, "tensor", None)
        if y is not None and getattr(y, "requires_grad", False):
            y.backward()
        for k, t in tensors.items():
            got = np.zeros(np.shape(want[k])) if t.grad is None else t.grad.numpy()
            np.testing.assert_allclose(got, want[k], rtol=1e-12, atol=1e-13)


#: what is refused out loud, with the error that says so: (check, function)
REFUSED = {
    ("second order", np.linalg.eig), ("second order", np.linalg.eigvals), ("second order", "eig"), ("single", "decimate")}
#: name of a check to the check
CHECKS: dict[str, Callable[[Case], None]] = {
    "differences": differences, "complex step": complex_step, "transposed": transposed, "compiled": compiled, "second order": second_order,
    "single": single_precision, "single entries": single_entries, "JAX": jax, "tape": tape,
}
