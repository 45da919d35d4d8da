"""The functions that one ``def`` or ``lambda`` makes: they have the same code, and share variants.

The first function is compiled as any other: the contents of its closure cells are constants of the generated code, under guards. If
another function has other numbers or arrays in some of its cells, it is compiled again, and the new code reads these cells when it runs.
From then on, functions with contents of the same types run that code; loading it takes some microseconds.
"""
from __future__ import annotations

import os
import types
import weakref
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from ...errors import TransgradError
from ...ir.observed import Observed, current, observations
from ...passes.switches import is_on, off, switched_off
from ..cache.variant import StoredVariant
from ..variants import Variant
from .layout import Layout, layout_of
from .template import NotShareable, Template

if TYPE_CHECKING:
    from ..derivative import Derivative

__all__ = ["Family", "clear", "compiled", "family_of", "find", "is_made_by_call", "models_of"]

_CODES = 256        # that are known at the same time
_LAYOUTS = 4        # of one family
_TEMPLATES = 8      # for one combination of argument types
_NUMBERS = (float, int, complex, np.float64)
class _Record:
    """Facts about the functions of one layout."""

    def __init__(self, layout: Layout):
        self.shape = layout.shape
        #: The contents of the cells of the function that was compiled last, by their places; arrays by weak references.
        self.seen: dict[int, Any] = {}
        #: The cells whose contents differ.
        self.varying: set[int] = set()
        #: The cells that have to be constants, because code for any contents was refused.
        self.constant: set[int] = set()
        self.templates: dict[Hashable, list[Template]] = {}

    def compare(self, layout: Layout) -> None:
        """Compare the contents of the cells with those of the function before."""
        for place, cell in enumerate(layout.objects):
            if type(cell) is not types.CellType:
                continue
            held = cell.cell_contents
            kind = type(held)
            if kind in _NUMBERS:
                now: Any = kind, held
                same = self.seen.get(place, now) == now
            elif kind is np.ndarray and held.dtype.kind in "fciub":
                before = self.seen.get(place)
                same, now = not isinstance(before, weakref.ref) or before() is held, weakref.ref(held)
            else:
                continue
            if not same:
                self.varying.add(place)
            self.seen[place] = now

    def free(self, layout: Layout) -> list[list[int]]:
        """The cells to read at run time: all that vary; if that is refused, those that do not hold integers."""
        varying = sorted(k for k in self.varying - self.constant if isinstance(layout.objects[k].cell_contents, (*_NUMBERS, np.ndarray)))
        others = [k for k in varying if type(layout.objects[k].cell_contents) is not int]
        return [tried for n, tried in enumerate((varying, others)) if tried and (not n or tried != varying)]


class Family:
    """The functions with one code, under one transformation with the same options."""

    def __init__(self) -> None:
        self.records: list[_Record] = []

    def record(self, layout: Layout) -> _Record | None:
        """The record of functions of this layout; None if none has been compiled yet."""
        for record in self.records:
            if record.shape == layout.shape:
                return record
        return None


class _Functions:
    """Facts about the functions with one code."""

    def __init__(self, code: types.CodeType):
        number = id(code)
        self.code = weakref.ref(code, lambda _: _known.pop(number, None))
        #: By transformation, options, and the optimizations that are off.
        self.families: dict[Hashable, Family] = {}
        #: Attributes of derivatives by transformation and options (see `transgrad.transforms.memoized`).
        self.models: dict[Any, dict[str, Any]] = {}


#: by the id of the code
_known: OrderedDict[int, _Functions] = OrderedDict()


def _functions_of(code: types.CodeType) -> _Functions:
    found = _known.get(id(code))
    if found is None or found.code() is not code:
        while len(_known) >= _CODES:
            _known.popitem(last=False)
        found = _known[id(code)] = _Functions(code)
    return found


def clear() -> None:
    """Forget all variants that functions share."""
    _known.clear()


def is_made_by_call(f: Any) -> TypeGuard[types.FunctionType]:
    """Whether something is a Python function that is no function of a module, so that others with the same code are to be expected."""
    return type(f) is types.FunctionType and "<" in f.__qualname__


def models_of(code: types.CodeType) -> dict[Any, dict[str, Any]]:
    """The attributes that derivatives of functions with this code have in common."""
    return _functions_of(code).models


def family_of(derivative: Derivative) -> Family | None:
    """Return the family of the function of a derivative; None if its variants are not shared."""
    if derivative._family is not None and not off():
        return derivative._family
    f, options = derivative.primal, derivative.options
    if not is_made_by_call(f) or not options.is_plain:
        return None
    with switched_off(*options.off):
        if not is_on("closures"):
            return None
        # everything that the transformation was made of, except the function
        recipe = tuple(part for part in derivative._recipe() if part is not f)
        question = type(derivative), recipe, derivative.kind, derivative.target, tuple(off())
    functions = _functions_of(f.__code__)
    try:
        found = functions.families.setdefault(question, Family())
    except TypeError:       # an option that is not hashable
        return None
    if not off():
        derivative._family = found
        model = functions.models.get((derivative.kind, derivative.argnums, derivative.argnames, options))
        if model is not None:
            model["_family"] = found
    return found


def find(family: Family | None, derivative: Derivative, key: Hashable, values: Sequence[Any], by_position: bool = False) -> Variant | None:
    """Return a variant that was compiled for another function of the family and holds for this one; None if there is none.

    Parameters
    ----------
    family : Family or None
    derivative : Derivative
    key : hashable
        The key of the arguments' types.
    values : sequence
        The arguments, one for each parameter.
    by_position : bool, default False
        Whether the values are the positional arguments of a call, which may be fewer than the parameters.
    """
    if family is None or not family.records or os.environ.get("TRANSGRAD_CHECK", "0") not in ("", "0"):
        return None
    layout = layout_of(derivative.primal)  # type: ignore[arg-type]
    record = None if layout is None else family.record(layout)
    if record is None or layout is None:
        return None
    for template in reversed(record.templates.get(key, ())):
        if not by_position or template.by_position and len(values) == len(template.parameters):
            variant = template.instance(derivative, layout, values)
            if variant is not None:
                return variant
    return None


def compiled(family: Family | None, derivative: Derivative, key: Hashable, values: Mapping[str, Any]) -> Variant:
    """Compile a variant, and keep it for other functions of the family."""
    layout = None if family is None else layout_of(derivative.primal)  # type: ignore[arg-type]
    if family is None or layout is None:
        return _unshared(derivative, derivative._compile_with_derivatives(values))
    record = family.record(layout)
    if record is None:
        record = _Record(layout)
        family.records[:] = [*family.records[1 - _LAYOUTS:], record]
    record.compare(layout)
    variant, free = None, []
    for free in record.free(layout):
        variant = _reading(derivative, layout, free, values)
        if variant is not None:
            break
        record.constant.update(k for k in free if len(free) == len(record.varying) or type(layout.objects[k].cell_contents) is not int)
    if variant is None:
        variant, free = derivative._compile_with_derivatives(values), []
    if type(variant) in (Variant, StoredVariant):
        try:
            template = Template(variant, layout, values, free)
        except NotShareable:
            return _unshared(derivative, variant)
        kept = record.templates.setdefault(key, [])
        kept[:] = [*kept[1 - _TEMPLATES:], template]
        return variant
    return _unshared(derivative, variant)


def _unshared(derivative: Derivative, variant: Variant) -> Variant:
    """A variant of this function alone, for as long as the derivative is remembered."""
    if derivative.remember is not None:
        derivative.remember(derivative)
    return variant


def _reading(derivative: Derivative, layout: Layout, free: list[int], values: Mapping[str, Any]) -> Variant | None:
    """The variant that reads some cells when it runs; None if it is refused, or if calls would run on the tape."""
    from ...frontend.free_variables import reading_at_run_time  # after the first function has been compiled
    cells = [(layout.names[k], layout.objects[k]) for k in free]
    try:
        observed = current()
        with reading_at_run_time(cells), observations(Observed(changing=observed.changing if observed is not None else set())):
            variant = derivative._compile_with_derivatives(values)
    except TransgradError:
        return None
    taped = variant.primal is not None and variant.primal.attrs.taped
    return variant if not taped and variant.holds(values) else None
