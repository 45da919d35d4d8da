"""Every rule on IR values: the operations it appends give the numbers that it gives on arrays, and have the types inferred."""
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from transgrad.ir.build import Builder, lift
from transgrad.ir.infer import _REAL_OR_COMPLEX, type_of
from transgrad.ir.interp import run
from transgrad.ir.ops import Block, Call, Function, Lit, Value, operands_of, walk
from transgrad.ir.types import UNKNOWN, Arr, ListT, Num, TupleT, Type, is_differentiable
from transgrad.rules import lookup

from .cases import FAMILIES, Case

CASES = [pytest.param(c, id=f"{family}-{c}") for family, cases in FAMILIES.items() for c in cases() if c.by_rule]


def _is_quantity(x: Any) -> bool:
    return isinstance(x, (float, complex, np.ndarray, np.generic))


class Inputs:
    """Turns quantities into parameters of a function, and remembers them."""

    def __init__(self, prefix: str):
        self.values: list[Value] = []
        self.objects: list[Any] = []

    def of(self, x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            items = [self.of(v) for v in x]
            return type(x)(*items) if hasattr(x, "_fields") else type(x)(items)
        if not _is_quantity(x):
            return x
        return self.whole(x)

    def result(self, x: Any) -> Any:
        """A result of the function: one value where that is a list."""
        return self.whole(x) if isinstance(x, list) else self.of(x)

    def whole(self, x: Any) -> Value:
        v = Value(type_of(x), None, True)
        self.values.append(v)
        self.objects.append(x)
        return v


def flatten(x: Any) -> list[Any]:
    if isinstance(x, (list, tuple)):
        return [leaf for v in x for leaf in flatten(v)]
    return [] if x is None else [x]


def agrees(t: Type, x: Any) -> bool:
    """Whether a run-time object is of a type."""
    if t == UNKNOWN:
        return True
    if isinstance(t, TupleT):
        return isinstance(x, tuple) and len(x) == len(t.elems) and all(map(agrees, t.elems, x))
    if isinstance(t, ListT):
        return isinstance(x, list) and (t.elem is None or all(agrees(t.elem, v) for v in x))
    if isinstance(t, Num):
        return type(x).__name__ == t.kind or t.kind == "int" and isinstance(x, (int, np.integer))
    if isinstance(t, Arr):
        shape = np.shape(x)
        if t.scalar and isinstance(x, (float, complex)):
            return t.dtype == np.dtype(type(x))     # a Python number is as good as a NumPy scalar of its precision
        return (getattr(x, "dtype", None) == np.dtype(t.dtype) and isinstance(x, np.generic) == t.scalar and len(shape) == len(t.dims)
                and all(d.one is None or d.one == (n == 1) for d, n in zip(t.dims, shape)))
    return True


def check_types(fn: Function, objects: list[Any]) -> None:
    """Compares the type of each operation's result with what it is at run time."""
    made = [(op, r) for op in fn.body.ops for r in op.results]
    every = Function(fn.name, Block(fn.body.params, fn.body.ops, [r for _, r in made]))
    for (op, r), x in zip(made, run(every, objects)):
        assert agrees(r.type, x), f"{op} has the inferred type {r.type}, not {type(x)} {getattr(x, 'dtype', '')} {np.shape(x)}"


def compare(entries: Any, want: Any, block: Block, inputs: Inputs) -> None:
    block.yields = [lift(e) for e in flatten(entries)]
    block.params = inputs.values
    fn = Function("rule", block)
    got = flatten(run(fn, inputs.objects))
    expected = flatten(want)
    assert len(got) == len(expected)
    for p, q in zip(got, expected):
        np.testing.assert_allclose(p, q, rtol=1e-12, atol=1e-14)
    check_types(fn, inputs.objects)


@pytest.mark.parametrize("case", CASES)
def test_rule_on_values(case: Case) -> None:
    rule = lookup(case.fn)
    assert rule is not None
    kwargs = case.options
    fixed, without = case.kwargs.get("fixed", ()), case.kwargs.get("without", ())
    with np.errstate(all="ignore"):
        args, options = rule.bind(case.args, kwargs)
        y = case.fn(*case.args, **kwargs)
        g = tuple(None if k in without else v for k, v in enumerate(y)) if without else y
        wanted = [any(getattr(np.asarray(v), "dtype").kind in "fc" for v in flatten(a) if _is_quantity(v)) and k not in fixed
                  for k, a in enumerate(args)]
        want = rule.pullback(g, y, args, options, wanted)
        inputs, block = Inputs("x"), Block()
        with Builder(block):
            given = [a if k in fixed else inputs.of(a) for k, a in enumerate(args)]
            entries = rule.pullback(inputs.result(g), inputs.result(y), given, options, wanted)
        compare(entries, want, block, inputs)

        if "forward" not in case.kwargs.get("modes", ("forward",)):
            return
        tangents = [a if w else None for a, w in zip(args, wanted)]
        want = rule.pushforward(y, args, tangents, options)
        inputs, block = Inputs("x"), Block()
        with Builder(block):
            given = [a if k in fixed else inputs.of(a) for k, a in enumerate(args)]
            out = rule.pushforward(inputs.result(y), given, [inputs.of(t) for t in tangents], options)
        compare(out, want, block, inputs)


def test_no_type_is_unknown() -> None:
    """Of what rules append, (almost) everything has a type, so that un-broadcasts are decided when compiling."""
    unknown, total = set(), 0
    for param in CASES:
        case = param.values[0]
        rule = lookup(case.fn)
        kwargs = case.options
        if rule is None or "without" in case.kwargs or case.fn.__name__ in ("eig", "eigvals", *_REAL_OR_COMPLEX):
            continue        # complex or real by their values, not by their types
        with np.errstate(all="ignore"):
            args, options = rule.bind(case.args, kwargs)
            y = case.fn(*case.args, **kwargs)
            inputs, block = Inputs("x"), Block()
            with Builder(block):
                try:
                    rule.pullback(inputs.result(y), inputs.result(y), [a if k in case.kwargs.get("fixed", ()) else inputs.of(a) for k, a in enumerate(args)], options)
                except TypeError:
                    continue
        for op in walk(block):
            total += 1
            if any(r.type == UNKNOWN for r in op.results):
                unknown.add(f"{getattr(op, 'fn', op)}({', '.join(str(a.type) for a in operands_of(op))})")
    assert not unknown, sorted(unknown)


def test_literals_make_numbers() -> None:
    block = Block()
    with Builder(block):
        x = Value(Num("float"))
        slope = lookup(np.sin).pullback(x, x, [x])[0]  # type: ignore[union-attr]
    assert slope.type == Num("float")
    assert isinstance(lift(2.0), Lit)


def test_derivatives_can_be_differentiated() -> None:
    """Every function that a rule calls has a rule itself."""
    missing = set()
    for param in CASES:
        case = param.values[0]
        rule = lookup(case.fn)
        if rule is None or "without" in case.kwargs:
            continue
        kwargs = case.options
        with np.errstate(all="ignore"):
            args, options = rule.bind(case.args, kwargs)
            y = case.fn(*case.args, **kwargs)
            inputs, block = Inputs("x"), Block()
            with Builder(block):
                given = [a if k in case.kwargs.get("fixed", ()) else inputs.of(a) for k, a in enumerate(args)]
                try:
                    rule.pullback(inputs.result(y), inputs.result(y), given, options)
                    rule.pushforward(inputs.result(y), given, given, options)
                except TypeError:
                    pass
        missing |= {str(op.fn) for op in walk(block) if isinstance(op, Call) and lookup(op.fn) is None and is_differentiable(op.result.type)}
    densities = {f"<bound method rv_continuous.pdf of <scipy.stats._continuous_distns.{name}_gen object" for name in ("ksone", "kstwo")}
    # higher derivatives that are refused
    assert {name.split(" at ")[0] for name in missing} <= {"<function trigamma", *densities}
