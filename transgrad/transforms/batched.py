"""``vmap``: the callable, and how a function of one example is lowered for the arguments of a batch."""
from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import tree
from ..errors import BatchLoopWarning, warn
from ..ir.attributes import Guard
from ..ir.infer import type_of
from ..ir.ops import Function
from ..ir.types import Arr, Dim, RecordT, TupleT, Type
from ..passes.pipelines import finish
from ..passes.switches import is_on, switched_off
from ..progress import tracked
from ..services import tape_vmap
from . import compiling
from .arguments import bind, check_class, name_of
from .bound import is_class_method
from .derivative import Derivative
from .labelled import any_labelled, is_labelled, refuse
from .options import Numba, Options
from .transformations import Kind, Target

__all__ = ["Batched", "Vmapped", "is_of_tensors", "of_tensors"]

_COUNT = itertools.count()
#: torch's names of options
_OF_TENSORS = frozenset(("chunk_size", "in_dims", "out_dims", "randomness"))


def is_of_tensors(f: Any, options: Mapping[str, Any]) -> bool:
    """Return whether the tape is meant: by torch's options, or by one of the tape's own functions."""
    return bool(options.keys() & _OF_TENSORS) or str(getattr(f, "__module__", "")).startswith(f"{__name__.partition('.')[0]}.autograd.")


def of_tensors(f: Callable[..., Any] | None, in_axes: Any, out_axes: Any, options: dict[str, Any]) -> Any:
    """The tape's ``vmap``."""
    options = {"in_dims": in_axes, "out_dims": out_axes, **options}
    return tape_vmap(f, **options) if f is not None else lambda f: tape_vmap(f, **options)


def _has_tensors(arguments: Any) -> bool:
    tape = sys.modules.get(f"{__package__.partition('.')[0]}.autograd.tensor")
    return tape is not None and any(isinstance(leaf, tape.Tensor) for leaf in tree.flatten(arguments)[0])


@dataclass(frozen=True, slots=True)
class Batched(Kind):
    """A function of one example, made one of a batch of examples."""

    @property
    def prefix(self) -> str:
        return "vmap_"

    def doc(self, name: str, wrt: Sequence[str]) -> str:
        return f"{name}, for a batch of examples."

    def transform(self, fn: Function, target: Target) -> Function:
        return fn


class Vmapped(Derivative):
    """A function that runs another one for every example of a batch; see `transgrad.vmap`."""

    def __init__(self, primal: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, axis_size: int | None = None,
                 options: Options | None = None, skip: int = 0):
        self.in_axes, self.out_axes, self.axis_size = in_axes, out_axes, axis_size
        if not isinstance(in_axes, (int, list, tuple, type(None))) or isinstance(in_axes, bool):
            raise TypeError(f"vmap in_axes is an int, None or a tuple with one entry an argument, not {in_axes!r}")
        super().__init__(Batched(), primal, (), None, options, skip)

    def _recipe(self) -> tuple[Any, ...]:
        return self.primal, self.in_axes, self.out_axes, self.axis_size, self.options, self.skip

    def _with(self, options: Options) -> Derivative:
        return Vmapped(self.primal, self.in_axes, self.out_axes, self.axis_size, options, self.skip)

    @property
    def __transgrad_method__(self) -> Derivative:
        if self._method is None:
            axes = self.in_axes if isinstance(self.in_axes, (list, tuple)) else None
            self._method = Vmapped(self.primal, self.in_axes if axes is None else (None, *axes), self.out_axes, self.axis_size,
                                   self.options, self.skip + 1)
        return self._method

    # -- axes

    def _axes(self, values: Mapping[str, Any]) -> dict[str, list[int | None]]:
        """For each parameter the axis of every leaf; a default that was left alone is the same for all examples."""
        found: dict[str, list[int | None]] = {}
        listed = isinstance(self.in_axes, (list, tuple))
        place = 0
        for p in self.__signature__.parameters.values():
            if p.name not in values:
                continue
            value, given = values[p.name], self.in_axes
            if p.kind is p.VAR_KEYWORD or p.kind is p.KEYWORD_ONLY:
                given = 0
            elif p.kind is p.VAR_POSITIONAL:
                given = tuple(given[place:place + len(value)]) if listed else given
                place += len(value)
            else:
                if listed:
                    given = given[place] if place < len(given) else 0
                elif place < self.skip:
                    given = None        # the instance of a method
                place += 1
            if p.default is not p.empty and value is p.default:
                given = None
            found[p.name] = _spread(given, value, p.name)
        if listed and place < len(self.in_axes):
            raise ValueError(f"vmap in_axes has {len(self.in_axes)} entries, but {name_of(self.primal)} was called with {place} arguments")
        return found

    def _size(self, values: Mapping[str, Any], axes: Mapping[str, Sequence[int | None]]) -> int:
        """How many examples there are; every batched array has to have as many."""
        sizes: dict[str, int] = {} if self.axis_size is None else {"axis_size": self.axis_size}
        for name, spread in axes.items():
            for (path, leaf), axis in zip(tree.leaves_with_paths(values[name], name), spread):
                if axis is None:
                    continue
                check_class(self.primal, path, leaf, "batched")
                shape = np.shape(leaf)
                if not -len(shape) <= axis < len(shape):
                    raise ValueError(f"vmap of {name_of(self.primal)}: {path} has {len(shape)} dimensions, so there is no axis {axis} of "
                                     f"examples along it; pass in_axes=None for arguments that all examples share")
                sizes[path] = shape[axis]
        if not sizes:
            raise ValueError(f"vmap of {name_of(self.primal)} needs an argument with an axis of examples, or axis_size")
        if len(set(sizes.values())) > 1:
            raise ValueError(f"vmap of {name_of(self.primal)} got different numbers of examples: "
                             + ", ".join(f"{n} in {path}" for path, n in sizes.items()))
        return next(iter(sizes.values()))

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if args and is_class_method(self, args[0]):
            return self.__transgrad_method__(*args, **kwargs)
        if _has_tensors((args, kwargs)):
            return of_tensors(self.primal, self.in_axes, self.out_axes, {})(*args, **kwargs)
        if any_labelled((*args, *kwargs.values())):
            refuse(self.__name__, "an argument", [x for x in (*args, *kwargs.values()) if is_labelled(x)])
        if kwargs or self.in_axes != 0 or self.axis_size is not None or not _are_alike(args):
            values = bind(self.primal, self.__signature__, args, kwargs)
            self._size(values, self._axes(values))
        return super().__call__(*args, **kwargs)

    # -- compiling

    def _compile(self, values: Mapping[str, Any]) -> Any:
        with switched_off(*self.options.off):
            fn = self._batch(values, ())
            doc = self.kind.doc(name_of(self.primal), ())
            doc = doc if fn.attrs.looped is None else f"{doc[:-1]}, one after the other."
            variant = compiling.compile_ir(fn, self.__name__, doc, values, self.options)
        variant.primal = fn.attrs.example
        return variant

    def lower(self, values: Mapping[str, Any], wrt: Collection[str]) -> Function:
        """The IR for arguments like these, ready to be differentiated with respect to ``wrt``."""
        with switched_off(*self.options.off):
            fn = self._batch(values, wrt)
        fn.name = self.__name__
        return fn

    __transgrad_lower__ = lower

    def _batch(self, values: Mapping[str, Any], wrt: Collection[str]) -> Function:
        from ..frontend import ANYTHING
        from ..passes.batch.entry import batched
        if any(v is ANYTHING for v in values.values()):
            raise TypeError(f"the text of {self.__name__} depends on the types of its arguments: call it, or ask source_for(arguments)")
        axes = self._axes(values)
        size = self._size(values, axes)
        one = {name: _example(value, axes[name]) for name, value in values.items()}
        differ = {name for name, spread in axes.items() if any(a is not None for a in spread)}
        with switched_off("scalars", "directions", "parts"):       # the examples make the arrays large
            fn = compiling.lower(self.primal, one, {*wrt, *differ})
        if not fn.name.isidentifier():
            fn.name = name_of(self.primal)
        dim = Dim(size == 1, ("<batch>", next(_COUNT)))
        types = {name: _type(values[name], axes[name], ("batched", name)) for name in differ}
        guards: list[Any] = []
        found = None if wrt else self._by_elements(fn, one, axes, types, dim, size, guards)
        if found is not None:
            return found
        out = batched(fn, axes, types, self.out_axes, dim, size if self.axis_size is not None and not differ else None)
        out.attrs.example = fn
        out.attrs.primal = self.primal
        ranks = {name: np.ndim(values[name]) for name in types if isinstance(values[name], np.ndarray)}
        out.attrs.guards = [*(_of_batch(fact, axes, ranks) for fact in out.attrs.guards), *guards]
        if out.attrs.looped is not None:
            warn(BatchLoopWarning(f"vmap of {name_of(self.primal)} loops over the batch: {out.attrs.looped}"))
        return out

    def _by_elements(self, fn: Function, one: Mapping[str, Any], axes: Mapping[str, Sequence[int | None]], types: Mapping[str, Any],
                     dim: Dim, size: int, guards: list[Any]) -> Function | None:
        """Batch small arrays of known lengths: a loop over the examples for Numba, columns for NumPy if these are
        faster; otherwise add to ``guards`` and return None."""
        native = isinstance(self.options.backend, Numba)
        if not is_on("scalars" if native else "columns") or len(self.variants) > compiling.SHAPES:
            return None
        if self.out_axes != 0 or any(not isinstance(types[name], Arr) or axes[name] != [0] for name in types):
            return None
        from ..passes.scalarize.functions import NotSmall, TooFew, by_columns
        finish(fn)
        shapes = {name: np.shape(one[name]) for name in types}
        try:
            if native:
                from ..passes.numba import for_each_example
                out = for_each_example(fn, shapes, types, dim)
            else:
                shared = {name: v.shape for name, v in one.items() if name not in types and isinstance(v, np.ndarray) and v.ndim}
                out = by_columns(fn, shapes, types, dim, size, shared)
        except TooFew as few:
            guards += [few.guard] if few.guard else []
            return None
        except NotSmall:
            return None
        out.attrs.example, out.attrs.primal = fn, self.primal
        return out

    def by_example(self, values: Mapping[str, Any], call: Callable[[Mapping[str, Any]], Any]) -> Any:
        """The results of ``call`` for one example after the other, joined."""
        axes = self._axes(values)
        examples = tracked(range(self._size(values, axes)), f"{self.__name__}: examples")
        found = [call({name: _example(value, axes[name], k) for name, value in values.items()}) for k in examples]
        if not found:
            raise ValueError(f"vmap of {name_of(self.primal)}, which runs for one example after the other, needs one at least")
        leaves, form = zip(*map(tree.flatten, found))
        if any(other != form[0] for other in form):
            raise TypeError(f"vmap of {name_of(self.primal)}: it does not return the same structure for every example")
        spread = _spread(self.out_axes, found[0], "the result")
        joined = [row[0] if a is None else np.stack([_array(x) for x in row], axis=a) for row, a in zip(zip(*leaves), spread)]
        return tree.unflatten(form[0], joined)


def _type(value: Any, axes: Sequence[int | None], place: Any) -> Type:
    """The type of an argument; leaf by leaf unless axis 0 of every leaf is the batch axis."""
    return type_of(value, place) if all(a == 0 for a in axes) else _in_parts(value, place)


def _in_parts(value: Any, place: Any) -> Type:
    if isinstance(value, dict):
        keys = list(tree.flatten({k: k for k in value})[0])     # as the leaves are ordered
        return RecordT(tuple(keys), tuple(_in_parts(value[k], (place, k)) for k in keys))
    if isinstance(value, (list, tuple)):
        cls = list if type(value) is list else type(value) if hasattr(value, "_fields") else None
        return TupleT(tuple(_in_parts(v, (place, k)) for k, v in enumerate(value)), cls)
    if len(tree.flatten(value)[0]) != 1 or tree.flatten(value)[0][0] is not value:
        raise TypeError(f"vmap takes the examples of a {type(value).__name__} along the first axis of all its parts: in_axes=0")
    return type_of(value, place)


def _are_alike(args: tuple[Any, ...]) -> bool:
    """Return whether all arguments are arrays of as many examples, along their first axes."""
    return bool(args) and all(type(a) is np.ndarray and a.ndim for a in args) and len({len(a) for a in args}) == 1


def _array(x: Any) -> Any:
    return x if hasattr(x, "__array_function__") else np.asarray(x)


def _spread(given: Any, value: Any, name: str) -> list[int | None]:
    """One axis a leaf, from axes for a part of the structure each."""
    if given is None or isinstance(given, int):
        return [given] * len(tree.flatten(value)[0])
    if isinstance(value, dict) and isinstance(given, dict):
        leaves, form = tree.flatten(value)
        keys = list(tree.flatten({k: k for k in value})[0])
        return [a for k in keys for a in _spread(given.get(k), value[k], f"{name}[{k!r}]")]
    if isinstance(value, (list, tuple)) and isinstance(given, (list, tuple)):
        if len(value) != len(given):
            raise ValueError(f"vmap in_axes for {name} has {len(given)} entries, the argument has {len(value)}")
        return [a for k, (g, v) in enumerate(zip(given, value)) for a in _spread(g, v, f"{name}[{k}]")]
    raise ValueError(f"vmap in_axes for {name} is {given!r}, which does not have the structure of {tree.describe(value)}")


def _example(value: Any, axes: Sequence[int | None], place: int = 0) -> Any:
    """Extract one example from a value; zeros of the same type if the batch is empty."""
    if all(a is None for a in axes):
        return value
    leaves, form = tree.flatten(value)
    return tree.unflatten(form, [leaf if a is None else _one(_array(leaf), a, place) for leaf, a in zip(leaves, axes)])


def _one(leaf: Any, axis: int, place: int) -> Any:
    if leaf.shape[axis]:
        return leaf[(slice(None),) * (axis % leaf.ndim) + (place,)]
    return np.zeros(np.delete(leaf.shape, axis), leaf.dtype)[()]


def _of_batch(fact: Guard, axes: Mapping[str, Sequence[int | None]], ranks: Mapping[str, int]) -> Guard:
    """A fact about lengths of the arrays of an example, as one about those of the batch, which have an axis more: of ``ranks`` axes."""
    def moved(name: str, axis: int) -> int:
        return axis + (name in ranks and axes[name][0] % ranks[name] <= axis)   # type: ignore[operator]

    def place(of: Any, axis: int) -> int | None:
        """Map an axis of an argument, or of an array inside one, to an axis of the batch; None if that is not known."""
        if isinstance(of, str):
            return moved(of, axis)
        root = of
        while isinstance(root, tuple):
            root = root[0]
        along = set(axes.get(root, ()))
        return axis if along <= {None} else axis + 1 if along == {0} else None

    kind, container, key, expected = fact
    if kind == "times":
        other, axis, times = expected
        here, there = place(container, key), place(other, axis)
        if here is None or there is None:
            return Guard("contains", (), 0, True)      # which is false: the next call compiles its own variant
        return Guard(kind, container, here, (other, there, times))
    if kind == "above" and place(container, 0) != 0:
        return Guard("contains", (), 0, True)      # each example has a number of its own
    if kind in ("many", "narrow"):
        return Guard(kind, container, moved(container, key), expected)
    if kind in ("unlike", "alike"):
        if isinstance(container, str):
            return Guard(kind, container, moved(container, key), expected)
        if kind == "unlike" and any(axis is not None for axis in axes.get(container[0], ())):
            return Guard(kind, container, None, expected)      # whichever axis it is
    if kind == "product":
        return Guard(kind, tuple((name, moved(name, axis)) for name, axis in container), key, expected)
    return fact
