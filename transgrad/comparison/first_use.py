"""``TRANSGRAD_CHECK=1``: the comparison of each derivative with finite differences when it is first compiled."""
from __future__ import annotations

import contextvars
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .. import tree
from ..errors import warn
from ..transforms.arguments import name_of, pick
from ..transforms.derivative import Derivative
from ..transforms.jacobian.jacobians import Hessian, Jacobian
from ..transforms.seeds import is_active
from ..transforms.transformations import Forward, Product, Reverse
from .differences import Estimate
from .numbers import differs, draw, entries_of, like, named_numbers, numbers, paired, private
from .probe import Probe
from .report import DerivativeWarning, Row

__all__ = ["compare_first"]

_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("inside a comparison", default=False)


def compare_first(derivative: Derivative, values: Mapping[str, Any]) -> None:
    """Compare a derivative with finite differences and with the other mode, and warn of each leaf that differs."""
    if _inside.get() or getattr(derivative.kind, "holomorphic", False):
        return
    token = _inside.set(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            message = _compared(derivative, values)
    except Exception:       # the function or the derivative fails at these arguments; its own call reports that
        return
    finally:
        _inside.reset(token)
    if message:
        warn(DerivativeWarning(message))


def _compared(derivative: Derivative, values: Mapping[str, Any]) -> str:
    """Return the defects of a derivative at these arguments."""
    kind = derivative.kind
    if not derivative.target.slots or any(slot.key is not None for slot in derivative.target.slots):
        return ""
    own = {name: values[name] for name in kind.primal_names(tuple(values), derivative.target)}
    aux = bool(getattr(kind, "has_aux", False))
    probe = Probe(derivative.primal, derivative.primal_signature, own, derivative.target.names, derivative.options, 1e-5, has_aux=aux)
    if not probe.weights or not named_numbers(probe.inputs):
        return ""
    if not aux:
        probe.run()
    with probe.same_draws():
        _result(derivative, values, probe)
    return probe.report.message() if probe.report.wrong else ""


def _result(derivative: Derivative, values: Mapping[str, Any], probe: Probe) -> None:
    """Compare the result of the derivative itself."""
    kind, report = derivative.kind, probe.report
    direction = draw(probe.inputs, probe.rng)
    if isinstance(kind, Reverse):
        found = derivative.call_with(private(dict(values)))
        found = found[1] if kind.with_value else found[0] if kind.has_aux else found
        entries = [found] if derivative.target.single else list(found)
        for slot, entry in zip(derivative.target.slots, entries):
            wrong = differs(entry, pick(values, slot), str(slot), "gradient")
            if wrong:
                report.rows.append(Row("reverse", str(slot), np.inf, 1e-5, wrong))
                return
        by_name = dict(zip(derivative.target.names, entries))
        gradient = [g for name in sorted(by_name) for g in entries_of(by_name[name], probe.inputs[name])]
        _row(report.rows, derivative, [np.asarray(paired(gradient, direction))], probe.differences(direction))
    elif isinstance(kind, Product):
        gradient_of = Derivative(Reverse(), derivative.primal, (), None, derivative.options)
        gradient_of.target = derivative.target
        gradient_of._describe()
        probe.use(lambda inputs: gradient_of.call_with({**private(probe.values), **private(dict(inputs))}))
        dots = {f"{name}_dot": v for name, v in like(probe.inputs, direction).items()}
        _row(report.rows, derivative, numbers(derivative.call_with({**private(probe.values), **dots})), probe.differences(direction))
    elif isinstance(kind, Forward):
        dots = {f"{name}_dot": v for name, v in like(probe.inputs, direction).items()}
        found = derivative.call_with({**private(probe.values), **dots})[1]
        _row(report.rows, derivative, numbers(found), probe.differences(numbers(like(probe.inputs, direction))))
    elif isinstance(kind, Jacobian) and not isinstance(kind, Hessian) and len(derivative.target.slots) == 1:
        found = derivative.call_with(private(dict(values)))
        _row(report.rows, derivative, _contracted(found[0] if kind.has_aux else found, probe.out, direction), probe.differences(direction))


def _contracted(jacobian: Any, out: Any, direction: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the Jacobian times a direction; its blocks have the structure of the output and, inside it, of the argument."""
    blocks = iter(numbers(jacobian))
    rows = []
    for leaf in tree.flatten(out)[0]:
        if is_active(leaf):
            row: Any = np.zeros(np.shape(leaf))
            for d in direction:
                row = row + np.tensordot(next(blocks), d, axes=d.ndim)
            rows.append(np.asarray(row))
    return rows


def _row(rows: list[Row], derivative: Derivative, got: Sequence[np.ndarray], want: Sequence[Estimate]) -> None:
    """Add a row for each result that differs."""
    for g, e in zip(got, want):
        error = float(np.max(np.abs(g - e.value), initial=0.0)) / e.scale if g.shape == e.value.shape else np.inf
        single = 1e-3 if g.dtype.itemsize < 8 else 1e-5
        if e.is_reliable and not error <= single + 10 * e.error / e.scale:
            rows.append(Row("reverse" if isinstance(derivative.kind, Reverse) else "forward", derivative.__name__, error, single,
                            f"{name_of(derivative)} differs from finite differences by {error:.2g} (relative)"))
