"""The calls of a primitive and of its derivatives in generated code, with the static types that they were compiled for."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.opaque import OpaqueCall, filled
from ...ir.ops import Lit, Tree
from ...ir.types import Obj, Type, is_differentiable
from ..function import Custom
from .convert import as_argument, as_cotangent, as_result, flattened, take
from .specs import Form, check_arguments

if TYPE_CHECKING:
    from .primitive import Primitive

__all__ = ["RESIDUALS", "Arguments", "CotangentCall", "TangentCall", "ValueCall", "cotangent_tree", "indices", "shifted"]

#: The type of residuals: objects that are passed on as they are.
RESIDUALS = Obj(object)


class Arguments:
    """The arguments of a call: their structure over flat operands and the types of these.

    Attributes
    ----------
    inputs, keywords
        As in `OpaqueCall`.
    types : tuple of Type
        The types of the operands.
    differentiated : tuple of int
        The positions of the differentiated arguments.
    """

    def __init__(self, inputs: Sequence[Tree], keywords: Mapping[str, Tree], statics: Sequence[Lit], types: Sequence[Type],
                 differentiated: Sequence[int]):
        self.inputs, self.keywords, self.statics = tuple(inputs), dict(keywords), tuple(statics)
        self.types, self.differentiated = tuple(types), tuple(differentiated)
        #: the operands that have a cotangent
        self.leaves = tuple(k for n in self.differentiated for k in indices(self.inputs[n]) if is_differentiable(self.types[k]))

    def shifted(self, by: int) -> tuple[list[Tree], dict[str, Tree]]:
        """The structures over operands that follow ``by`` others."""
        return [shifted(t, by) for t in self.inputs], {name: shifted(t, by) for name, t in self.keywords.items()}


def indices(t: Tree) -> list[int]:
    """The operands in a structure, in order."""
    return [t.index] if t.kind == "leaf" else [k for item in t.items for k in indices(item)]


def shifted(t: Tree, by: int) -> Tree:
    """A structure over operands that follow ``by`` others."""
    return Tree(t.kind, [shifted(item, by) for item in t.items], t.index + by if t.kind == "leaf" else t.index, t.keys, t.value, t.cls)


def cotangent_tree(t: Tree, types: Sequence[Type], places: dict[int, int]) -> Tree:
    """The structure of the cotangents of a result: None in place of integers. ``places`` has the operands of the others."""
    if t.kind == "leaf":
        if not is_differentiable(types[t.index]):
            return Tree("lit", value=None)
        return Tree("leaf", index=places.setdefault(t.index, len(places)))
    return Tree(t.kind, [cotangent_tree(item, types, places) for item in t.items], t.index, t.keys, t.value, t.cls)


class _Call(OpaqueCall):
    """Converts the arguments to their static types, and checks once that the function does not write to them."""

    def __init__(self, name: str, of: Primitive, args: Arguments, form: Form, inputs: Sequence[Tree], keywords: Mapping[str, Tree],
                 types: Sequence[Type]):
        super().__init__(name, inputs, keywords, args.statics)
        self.of, self.args, self.form, self.types = of, args, form, tuple(types)
        self._checked = False
        #: whether each argument is one operand, in their order
        self._is_flat = not keywords and [t.index if t.kind == "leaf" else -1 for t in inputs] == list(range(len(self.types)))
        self.derived: dict[Any, OpaqueCall] = {}

    def batched(self, differs: Sequence[bool]) -> tuple[OpaqueCall, list[bool]] | None:
        """See `OpaqueCall.batched`."""
        if self.of.batch is None:
            return None
        from .batching import batched
        return batched(self, differs)

    def recipe(self) -> tuple[Any, Any, list[Any], str]:
        """See `OpaqueCall.recipe`."""
        from .stored import recipe  # only where code is stored or pickled
        return recipe(self)

    def _given(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The operands, converted."""
        if self._is_flat:
            return list(map(as_argument, args, self.types))
        leaves: list[Any] = [None] * len(self.types)
        for t, x in (*zip(self.inputs, args), *((t, kwargs[name]) for name, t in self.keywords.items())):
            found: list[Any] = []
            flattened(t, x, f"an argument of {self.__name__}", found)
            for k, leaf in zip(indices(t), found):
                leaves[k] = as_argument(leaf, self.types[k])
        return leaves

    def _structured(self, leaves: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments in their structure."""
        if self._is_flat:
            return list(leaves), {}
        def make(t: Tree) -> Any:
            return filled(t, leaves.__getitem__, lambda k: self.statics[k].value)
        return [make(t) for t in self.inputs], {name: make(t) for name, t in self.keywords.items()}

    def _run(self, function: Any, leaves: Sequence[Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call the user's function. The first call checks that it leaves its arguments as they are."""
        if self._checked:
            return function(*args, **kwargs)
        check_arguments(function, f"{self.__name__}()", args, dict(kwargs))
        arrays = [x for x in leaves if isinstance(x, np.ndarray)]
        before = [x.tobytes() for x in arrays]
        found = function(*args, **kwargs)
        if any(x.tobytes() != b for x, b in zip(arrays, before)):
            raise ValueError(f"{self.__name__} writes to an argument, which the generated code may read again. "
                             "Hint: let the function work on a copy")
        self._checked = True
        return found


def _one_or_all(found: list[Any]) -> Any:
    return found[0] if len(found) == 1 else tuple(found)


class ValueCall(_Call):
    """A call of the function, or of its ``fwd``, which returns residuals as well."""

    def __init__(self, name: str, of: Primitive, args: Arguments, form: Form, residuals: bool):
        own = getattr(of.fwd, "__name__", "")
        shown = name if not residuals else own if own.isidentifier() else f"{name}_fwd"
        super().__init__(shown, of, args, form, args.inputs, args.keywords, args.types)
        self.name, self.residuals = name, residuals
        reverse, forward = of.vjp is not None or of.bwd is not None, of.jvp is not None
        self.in_reverse_twice = of.jvp is None and isinstance(of.vjp, Custom) and getattr(of.vjp, "jvp", None) is None
        self.mode = None if reverse is forward else "reverse" if reverse else "forward"
        #: the results that have a cotangent
        self.active_results = [k for k, t in enumerate(form.types) if is_differentiable(t)]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = self._given(args, kwargs)
        given, named = self._structured(leaves)
        what, residuals = f"the result of {self.of.__name__}", None
        found: list[Any] = []
        if self.residuals:
            pair = self._run(self.of.fwd, leaves, given, named)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TypeError(f"the forward function of {self.of.__name__} has to return a pair: the result and the residuals")
            flattened(self.form.tree, pair[0], what, found)
            residuals = pair[1]
            del pair
        else:
            flattened(self.form.tree, self._run(self.of.fun, leaves, given, named), what, found)
        results = [as_result(take(found, k), t, leaves, what) for k, t in enumerate(self.form.types)]
        return _one_or_all([*results, residuals] if self.residuals else results)


class CotangentCall(_Call):
    """A call of the reverse derivative: ``vjp(g, y, *args)``, or ``bwd(residuals, g)`` after the nondifferentiable arguments.

    ``wanted`` are the operands whose cotangents it returns.
    """

    def __init__(self, name: str, of: Primitive, args: Arguments, form: Form, residuals: bool, wanted: Sequence[int]):
        self.residuals, self.wanted = residuals, tuple(wanted)
        places: dict[int, int] = {}
        g = cotangent_tree(form.tree, form.types, places)
        bars = [form.types[k] for k in places]
        self.bars = len(bars)
        if residuals:
            inner, keywords = args.shifted(self.bars + 1)
            inputs, types = [Tree("leaf", index=self.bars), g, *inner], [*bars, RESIDUALS, *args.types]
        else:
            inner, keywords = args.shifted(self.bars + len(form.types))
            inputs, types = [g, shifted(form.tree, self.bars), *inner], [*bars, *form.types, *args.types]
        super().__init__(name, of, args, form, inputs, keywords, types)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves = self._given(args, kwargs)
        for k in range(self.bars):      # vjp may use its cotangent up
            if isinstance(leaves[k], np.ndarray):
                leaves[k] = leaves[k].copy()
        given, named = self._structured(leaves)
        if self.residuals:
            function, given, named = self.of.bwd, [*self.of.rest(given[2:]), *given[:2]], {}
        else:
            function = self.of.vjp
        return self.entries(self._run(function, leaves[self.bars:], given, named), leaves[-len(self.args.types):])

    def entries(self, found: Any, leaves: Sequence[Any]) -> Any:
        """The requested cotangents among the results of a derivative."""
        places = self.args.differentiated
        what = f"the cotangent that the derivative of {self.of.__name__} returns"
        if not isinstance(found, tuple) and len(places) == 1:
            found = (found,)
        if not isinstance(found, (tuple, list)) or len(found) != len(places):
            raise TypeError(f"the derivative of {self.of.__name__} has to return a tuple of {len(places)}: a cotangent for each "
                            "differentiated argument, or None for zero")
        entries: dict[int, Any] = {}
        flat: list[Any] = []
        entry = None
        for n, entry in zip(places, found):
            if self.args.inputs[n].kind == "leaf":
                entries[self.args.inputs[n].index] = entry
                continue
            flat = []
            flattened(self.args.inputs[n], entry, f"{what} for argument {n}", flat)
            entries.update(zip(indices(self.args.inputs[n]), flat))
        del found, flat, entry
        out = []
        for k in self.wanted:
            out.append(as_cotangent(entries.pop(k), leaves[k], self.args.types[k], what))
        return _one_or_all(out)


class TangentCall(_Call):
    """A call of the forward derivative: ``jvp(tangents, y, *args)``."""

    def __init__(self, name: str, of: Primitive, args: Arguments, form: Form):
        places = {k: n for n, k in enumerate(args.leaves)}
        dots = [cotangent_tree(args.inputs[n], args.types, places) for n in args.differentiated]
        first = len(places)
        inner, keywords = args.shifted(first + len(form.types))
        super().__init__(name, of, args, form, [Tree("tuple", dots), shifted(form.tree, first), *inner], keywords,
                         [*(args.types[k] for k in args.leaves), *form.types, *args.types])
        self.dots = first

    def __call__(self, tangents: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        leaves = self._given((tangents, y, *args), kwargs)
        (tangents, y, *rest), named = self._structured(leaves)
        found: list[Any] = []
        what = f"the tangent that the jvp of {self.of.__name__} returns"
        flattened(self.form.tree, self._run(self.of.jvp, leaves, (tangents, y, *rest), named), what, found)
        values = leaves[self.dots:]
        tangents = enumerate(self.form.types)
        return _one_or_all([as_cotangent(take(found, k), values[k], t, what) for k, t in tangents if is_differentiable(t)])
