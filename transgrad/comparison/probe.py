"""The comparison itself: a function at one point, its pullback and pushforward, and differences of it."""
from __future__ import annotations

import contextlib
import inspect
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..custom.function import NoForwardDerivative
from ..errors import TransgradError
from ..progress import tracked
from ..transforms.arguments import Slot, name_of
from ..transforms.derivative import Derivative
from ..transforms.options import Options
from ..transforms.transformations import Forward, Kind, Split, Target
from .differences import Estimate, along
from .numbers import differs, draw, entries_of, is_single, like, named_numbers, numbers, paired, private
from .report import Report, Row

__all__ = ["Probe"]


class Probe:
    """A function at one point.

    Parameters
    ----------
    f : callable
        The function.
    values : mapping
        Its arguments by name, from `transgrad.transforms.arguments.bind`.
    wrt : sequence of str
        The differentiated parameters.
    options : Options
        The options of the derivative.
    """

    def __init__(self, f: Callable[..., Any], signature: inspect.Signature, values: Mapping[str, Any], wrt: Sequence[str], options: Options,
                 rtol: float, step: float | None = None, entries: bool = False, has_aux: bool = False,
                 jacobian: Kind | None = None):
        self.f, self.signature, self.values, self.wrt, self.options = f, signature, dict(values), tuple(wrt), options
        self.rtol, self.step, self.entries, self.has_aux, self.jacobian = rtol, step, entries, has_aux, jacobian
        self._run: Callable[[Mapping[str, Any]], Any] = self._primal
        self._draws = random.getstate(), np.random.get_state()
        self.rng = np.random.default_rng(0)
        self.report = Report(name_of(f))
        self.inputs = {name: self.values[name] for name in self.wrt}
        self.out = self.at(self.inputs)
        self.weights = draw(self.out, self.rng)
        if len(self.weights) == 1 and not np.ndim(self.weights[0]) and not np.iscomplexobj(self.weights[0]):
            self.weights = [np.ones(())]        # so that the report describes the gradient
        if is_single((self.inputs, self.out)):
            self.rtol = max(self.rtol, 1e-3)

    def use(self, run: Callable[[Mapping[str, Any]], Any]) -> None:
        """Replace the function whose differences are computed."""
        self._run = run

    @contextlib.contextmanager
    def same_draws(self) -> Iterator[None]:
        """Make NumPy and Python draw the same random numbers each time, and restore their generators."""
        now = random.getstate(), np.random.get_state()
        try:
            random.setstate(self._draws[0])
            np.random.set_state(self._draws[1])
            yield
        finally:
            random.setstate(now[0])
            np.random.set_state(now[1])

    def at(self, inputs: Mapping[str, Any]) -> Any:
        """Run the function on copies of these arguments."""
        with self.same_draws():
            return self._run(inputs)

    def _primal(self, inputs: Mapping[str, Any]) -> Any:
        bound = inspect.BoundArguments(self.signature, {**private(self.values), **private(dict(inputs))})
        out = self.f(*bound.args, **bound.kwargs)
        return out[0] if self.has_aux else out

    def _derivative(self, kind: Kind) -> Derivative:
        """Return a derivative with respect to the chosen parameters, and to each entry of ``*args`` and ``**kwargs``."""
        derivative = Derivative(kind, self.f, (), None, self.options)
        slots: list[Slot] = []
        for name in self.wrt:
            what = self.signature.parameters[name].kind
            keys = range(len(self.values[name])) if what is inspect.Parameter.VAR_POSITIONAL else \
                list(self.values[name]) if what is inspect.Parameter.VAR_KEYWORD else [None]
            slots += [Slot(name, key) for key in keys]
        derivative.target = Target(tuple(slots), False)
        derivative._describe()
        return derivative

    def _assembled(self, slots: Sequence[Slot], entries: Sequence[Any]) -> dict[str, Any]:
        """Return the entries of a gradient by parameter."""
        found: dict[str, Any] = {}
        for slot, entry in zip(slots, entries):
            if slot.key is None:
                found[slot.name] = entry
            elif isinstance(slot.key, int):
                found[slot.name] = (*found.get(slot.name, ()), entry)
            else:
                found[slot.name] = {**found.get(slot.name, {}), slot.key: entry}
        return found

    def differences(self, direction: Sequence[np.ndarray]) -> list[Estimate]:
        """Return the derivative of each output along a direction through all inputs."""
        return along(self.at, self.inputs, direction) if self.step is None else along(self.at, self.inputs, direction, self.step)

    def run(self) -> Report:
        """Compare both modes with differences and with each other."""
        if self.weights and any(np.size(leaf) for _, leaf in named_numbers(self.inputs)):
            direction = draw(self.inputs, self.rng)
            gradient = self.reverse()
            tangent = self.forward(direction)
            if gradient is not None and tangent is not None:
                self.modes(gradient, tangent, direction)
            if self.jacobian is not None:
                self.matrix(self.jacobian, direction)
        return self.report

    def reverse(self) -> list[np.ndarray] | None:
        """Compare the gradient of the weighted outputs leaf by leaf; return the gradient if its structure is right."""
        derivative = self._derivative(Split())
        with self.same_draws():
            _, pullback = derivative.split_with(private(self.values))
            found = self._assembled(derivative.target.slots, pullback(like(self.out, self.weights)))
        for name in self.wrt:
            wrong = differs(found[name], self.inputs[name], name, "gradient")
            if wrong:
                self.report.rows.append(Row("reverse", name, np.inf, self.rtol, wrong))
        if self.report.wrong:
            return None
        gradient, leaves = entries_of(found, self.inputs), self._leaves()
        for k, (path, leaf) in enumerate(leaves):
            row = self._directed(k, path, gradient)
            if row.found or self.entries:
                row = self._entries(k, path, np.asarray(leaf), gradient, row)
            self.report.rows.append(row)
            self.report.compared += np.size(leaf) * row.reliable
        return gradient

    def _leaves(self) -> list[tuple[str, Any]]:
        """Return the differentiated leaves in the order of the flattened inputs, with their names."""
        return [(re.sub(r"^\['(\w+)'\]", r"\1", path), leaf) for path, leaf in named_numbers(self.inputs)]

    def _unit(self, k: int, value: np.ndarray) -> list[np.ndarray]:
        return [value if j == k else np.zeros(np.shape(leaf)) for j, (_, leaf) in enumerate(self._leaves())]

    def _along(self, direction: Sequence[np.ndarray]) -> tuple[float, float, bool]:
        """Return the derivative of the weighted outputs by differences, its error, and whether it is reliable."""
        estimates = self.differences(direction)
        error = float(sum(e.error * np.sum(np.abs(w)) for e, w in zip(estimates, self.weights) if e.value.size))
        value = paired(self.weights, [e.value for e in estimates])
        reliable = all(e.is_reliable or not e.value.size for e in estimates) and np.isfinite(value)
        return value, error, bool(reliable)

    def _directed(self, k: int, path: str, gradient: Sequence[np.ndarray]) -> Row:
        """Compare one leaf along a random direction."""
        draws = draw(self.inputs, self.rng)[k]
        want, error, reliable = self._along(self._unit(k, draws))
        return self._row("reverse", path, paired([gradient[k]], [draws]), want, error, reliable, "along a random direction")

    def _entries(self, k: int, path: str, leaf: np.ndarray, gradient: Sequence[np.ndarray], directed: Row) -> Row:
        """Compare one leaf entry by entry, and report the entry that differs most."""
        rows = []
        for place in tracked(np.ndindex(leaf.shape), f"checking {path}", leaf.size):
            for unit in (1.0, 1j) if leaf.dtype.kind == "c" else (1.0,):
                one = np.zeros(leaf.shape, complex if leaf.dtype.kind == "c" else float)
                one[place] = unit
                want, error, reliable = self._along(self._unit(k, one))
                where = f"at [{', '.join(map(str, place))}]" if place else "there"
                rows.append(self._row("reverse", path, paired([gradient[k]], [one]), want, error, reliable, where))
        wrong = [row for row in rows if row.found]
        if wrong:
            return max(wrong, key=_error_of)
        sound = [row for row in rows if row.reliable]
        if directed.found or not sound:
            return directed
        return max(sound, key=_error_of)

    def forward(self, direction: Sequence[np.ndarray]) -> list[np.ndarray] | None:
        """Compare the derivative along a direction output by output; return the tangents if their structure is right."""
        derivative = self._derivative(Forward())
        along_inputs = like(self.inputs, direction)
        dots = {f"{name}_dot": along_inputs[name] for name in self.wrt}
        with self.same_draws():
            try:
                dot = derivative.call_with({**private(self.values), **dots})[1]
            except TransgradError as refusal:
                if not any(isinstance(e, NoForwardDerivative) for e in (refusal, refusal.__cause__)):
                    raise
                return None
        wrong = differs(dot, self.out, "result", "tangent")
        if wrong:
            found = wrong.replace("result", f"the result of {self.report.name}", 1)
            self.report.rows.append(Row("forward", "result", np.inf, self.rtol, found))
            return None
        tangents = entries_of(dot, self.out)
        self._tangents("forward", tangents, numbers(along_inputs))
        return tangents

    def matrix(self, kind: Kind, direction: Sequence[np.ndarray]) -> None:
        """Compare the product of the Jacobian and a direction with differences, output by output."""
        along_inputs = like(self.inputs, direction)
        leaves = [leaf for name in self.wrt for leaf in numbers(self.inputs[name])]
        steps = [d for name in self.wrt for d in numbers(along_inputs[name])]
        if any(np.iscomplexobj(leaf) for leaf in (*leaves, *numbers(self.out))):
            raise TypeError("check compares Jacobians of real functions")
        with self.same_draws():
            blocks = numbers(self._derivative(kind).call_with(private(self.values)))
        outputs, products = numbers(self.out), []
        if len(blocks) != len(outputs) * len(leaves):
            raise TypeError(f"the Jacobian of {self.report.name} has {len(blocks)} arrays, and it should have {len(outputs) * len(leaves)}")
        for k, out in enumerate(outputs):
            row = zip(blocks[k * len(leaves):], leaves, steps)
            products.append(np.asarray(sum(np.tensordot(block, d, np.ndim(leaf)) for block, leaf, d in row)).reshape(np.shape(out)))
        self._tangents("jacobian", products, numbers(along_inputs))

    def _tangents(self, mode: str, tangents: Sequence[np.ndarray], direction: Sequence[np.ndarray]) -> None:
        """Add a row for each output: its derivative along a direction beside differences."""
        outputs = named_numbers(self.out, "result")
        for (path, leaf), t, e in zip(outputs, tangents, self.differences(direction)):
            error = float(np.max(np.abs(t - e.value), initial=0.0)) / e.scale if t.shape == e.value.shape else np.inf
            bound = self.rtol + 10 * e.error / e.scale
            reliable = e.is_reliable or not t.size
            found = ""
            if reliable and not error <= bound:
                worst = np.unravel_index(int(np.argmax(np.where(np.isnan(t), np.inf, np.abs(t - e.value)))), t.shape)
                found = f"along a random direction it is {t[worst]:.10g}, and finite differences give {e.value[worst]:.10g} ± {e.error:.1g}"
            label = "a direction" if len(outputs) == 1 else path
            self.report.rows.append(Row(mode, label, error, bound, found, reliable))
            self.report.compared += np.size(leaf) * reliable

    def modes(self, gradient: Sequence[np.ndarray], tangents: Sequence[np.ndarray], direction: Sequence[np.ndarray]) -> None:
        """Compare the two modes: ``<gradient, direction>`` equals ``<weights, tangents>`` up to rounding."""
        if self.report.wrong:
            return
        direction = numbers(like(self.inputs, direction))
        left, right = paired(gradient, direction), paired(numbers(like(self.out, self.weights)), tangents)
        size = max(1.0, float(sum(np.sum(np.abs(g * d)) for g, d in zip(gradient, direction))),
                   float(sum(np.sum(np.abs(w * t)) for w, t in zip(self.weights, tangents))))
        error, bound = abs(left - right) / size, 1e-3 if is_single((self.inputs, self.out)) else 1e-6
        if not (np.isfinite(left) or np.isfinite(right)):
            return
        if not error <= bound:
            found = f"forward mode gives {right:.10g} along a random direction, and reverse mode gives {left:.10g}"
            self.report.rows.append(Row("forward", "both modes", error, bound, found))

    def _row(self, mode: str, path: str, got: float, want: float, error: float, reliable: bool, where: str) -> Row:
        scale = max(1.0, abs(want))
        off = abs(got - want) / scale
        bound = self.rtol + 10 * error / scale
        found = ""
        if reliable and not off <= bound:
            found = f"{where} it is {got:.10g}, and finite differences give {want:.10g} ± {error:.1g}"
        return Row(mode, path, off if reliable else 0.0, bound, found, reliable)


def _error_of(row: Row) -> float:
    return row.error
