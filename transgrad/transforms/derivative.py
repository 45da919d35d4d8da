"""The callable that a transformation returns: it compiles a variant for each combination of argument types, and runs it."""
from __future__ import annotations

import functools
import inspect
import os
import types
from collections.abc import Callable, Collection, Hashable, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .. import progress
from ..errors import FormChanged, InternalError, NoSourceError, TransgradError, UnsupportedByNumba, UnsupportedCall, UnsupportedSyntax
from ..ir.keys import key_of
from ..ir.libraries import Library, libraries_met
from ..ir.observed import Observed, ReadDerivative, observations
from ..ir.ops import Function, functions_of
from ..ir.verify import verifying
from ..passes.ad.residuals.checkpoint import mark_loops
from ..passes.switches import is_on, switched_off
from ..pickling import Rebuilt, reentrant_lock
from ..services import compare_first_use
from . import cache, closures, compiling, foreign_arrays, labelled, registered
from .argument_likeness import likeness
from .arguments import bind, check_leaves, name_of, resolve, signature_of
from .bound import BoundDerivative, ClassMethodPlan, is_class_method
from .conformity import check_result, models, verified
from .error_state import raises_errors
from .fallback import TapedVariant, changed, holds_tensors, on_tape, runs_inside, statement_apart, take_over
from .foreign_constants import ConstantOfLibrary
from .generated import Generated
from .options import Numba, Options, has_numba
from .out_argument import IntoBuffers, call_into, takes_out
from .pullbacks import Pull
from .reporting.presentation import Shown
from .reporting.traceback_notes import annotate
from .tiers import tiered
from .transformations import Forward, Kind, Reverse, Split, Target
from .variants import Plan, Variant

if TYPE_CHECKING:
    pass

__all__ = ["BoundDerivative", "Derivative"]


class Derivative(Shown, Rebuilt):
    '''A derivative of a function, compiled when it is called.

    Call it like the function. Each new combination of argument types is compiled once, into a *variant*. A type consists of
    the kind of a number; the dtype, the number of dimensions, and the dimensions of length 1 of an array; and the structure
    of a container.

    Attributes
    ----------
    primal : callable
        The function that is differentiated.
    source : str
        The source of the variant that ran last. Before any call, the source for arguments of unknown types.
    variants : list of Variant
        The variants compiled so far.
    source_map : dict of int to Origin
        The file, line and statement of the function behind each line of ``source``.
    file : str
        The file of the generated source.
    ir : Function
        The intermediate representation of the variant that ran last.

    Notes
    -----
    Derivatives can be called from several threads, copied, and pickled. A pickle consists of the transformation, its options and the
    function; compiled variants stay behind.

    Examples
    --------
    >>> import transgrad as tg
    >>> def cube(x):
    ...     return x ** 3
    >>> derivative = tg.grad(cube)
    >>> derivative(2.0)
    12.0
    >>> print(derivative.source)
    def grad_cube(x):
        """Gradient of cube with respect to x."""
        # return x ** 3
        x_bar = 3 * x ** 2
        return x_bar
    '''

    _own = {"_last": None, "_family": None}
    #: Keeps a derivative alive whose variants cannot be shared (see `transgrad.transforms.memoized`).
    remember: Callable[[Derivative], None] | None = None

    def __init__(self, kind: Kind, primal: Callable[..., Any], argnums: Any = 0, argnames: Any = None, options: Options | None = None,
                 skip: int = 0):
        if not callable(primal):
            raise TypeError(f"{kind.prefix.strip('_')} takes a function, not {type(primal).__name__}")
        self.kind = kind
        self.primal = primal = _of_user(primal)
        self.options = options or Options()
        self.argnums, self.argnames, self.skip = argnums, argnames, skip
        self.primal_signature = signature_of(primal)
        slots, single = resolve(primal, self.primal_signature, argnums, argnames, skip)
        self.target = Target(slots, single)
        self._plans: dict[Hashable, Plan] = {}
        self._variants: dict[Hashable, list[Variant]] = {}
        self._last: Variant | None = None
        self._lock = reentrant_lock()
        self._method: Derivative | None = None
        #: The derivatives of the function of the parts of registered instances.
        self.by_parts: dict[Callable[..., Any], Derivative] = {}
        self._text = _text_of(primal)
        self._family: closures.Family | None = None
        self._describe()

    def _recipe(self) -> tuple[Any, ...]:
        return self.kind, self.primal, self.argnums, self.argnames, self.options, self.skip

    @classmethod
    def _shared(cls, recipe: tuple[Any, ...]) -> Any:
        from .memoized import derive
        *question, skip = recipe
        return derive(*question) if cls is Derivative and not skip else super()._shared(recipe)

    def _describe(self) -> None:
        """Set the attributes every function has."""
        primal, name = self.primal, name_of(self.primal)
        self.__name__ = self.kind.prefix + name
        self.__qualname__ = getattr(primal, "__qualname__", name).rpartition(".")[0]
        self.__qualname__ = f"{self.__qualname__}.{self.__name__}" if self.__qualname__ else self.__name__
        self.__module__ = getattr(primal, "__module__", __name__)
        summary = self.kind.doc(name, [str(slot) for slot in self.target.slots])
        doc = inspect.getdoc(primal) if getattr(primal, "__doc__", None) else None
        self.__doc__ = f"{summary}\n\n{doc}" if doc else summary
        self.__signature__ = self.kind.signature(self.primal_signature, self.target)
        self.__annotations__ = {p.name: p.annotation for p in self.__signature__.parameters.values() if p.annotation is not p.empty}
        if self.__signature__.return_annotation is not inspect.Signature.empty:
            self.__annotations__["return"] = self.__signature__.return_annotation

    def __repr__(self) -> str:
        return f"<{self.__name__}{self.__signature__}>"

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), "__name__", "__wrapped__"} - {"__transgrad_method__"})

    # -- running

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        key: Hashable = tuple(map(key_of, args))
        if kwargs:
            if "out" in kwargs and takes_out(self):
                return call_into(self, args, kwargs)
            key = key, *((name, key_of(value)) for name, value in kwargs.items())
        plan = self._plans.get(key)
        if plan is None or not (plan.holds is None or plan.holds(args, kwargs)):
            plan = self._plan(key, args, kwargs)
        self._last = plan.variant
        if plan.on_floats and raises_errors():
            return self._on_arrays(*args, **kwargs)
        try:
            if kwargs or plan.missing:
                return plan.run(*args, **kwargs, **plan.missing)
            return plan.run(*args)
        except FormChanged as change:
            raise self._widened(plan.variant, change) from None
        except (ArithmeticError, LookupError, ValueError) as error:
            if not plan.on_floats:
                annotate(error)
                raise
        except Exception as error:
            annotate(error)
            raise
        return self._on_arrays(*args, **kwargs)

    def _plan(self, key: Hashable, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plan:
        """Compile the variant for a call, or finds it under another way of calling; it is the first to be tried from then on."""
        self._look_again()
        if self._family is not None and not kwargs:
            plan = self._shared_plan(key, args)
            if plan is not None:
                return plan
        if labelled.any_labelled((*args, *kwargs.values())):
            return labelled.LabelledPlan(self)
        if args and is_class_method(self, args[0]):
            return ClassMethodPlan(self)
        if registered.takes(self.target.slots, lambda: bind(self.primal, self.__signature__, args, kwargs)):
            return self._plans.setdefault(key, registered.RegisteredPlan(self))
        with progress.shown(self.options.progress or progress.asked()):
            variant = self.variant(bind(self.primal, self.__signature__, args, kwargs))
        plan = self._plans[key] = Plan(variant, self.__signature__, args, kwargs)
        if verifying() and not isinstance(variant, foreign_arrays.ForeignVariant):
            plan.run = verified(self, plan.run)
        if self.options.progress:
            plan.run = progress.showing(plan.run)
        return plan

    def _shared_plan(self, key: Hashable, args: tuple[Any, ...]) -> Plan | None:
        """The plan for a variant that another function with the same code has been called with."""
        if key in self._variants or runs_inside(self.primal):
            return None
        variant = closures.find(closures.family_of(self), self, key, args, by_position=True)
        if variant is None:
            return None
        self._variants[key] = [variant]
        plan = self._plans[key] = Plan.by_position(variant)
        if verifying():
            plan.run = verified(self, plan.run)
        return plan

    def _look_again(self) -> None:
        """Take over the signature and the defaults of the function where its code or its defaults were replaced."""
        now = _text_of(self.primal)
        if all(a is b for a, b in zip(now, self._text)):
            return
        self._text, self.primal_signature = now, signature_of(self.primal)
        slots, single = resolve(self.primal, self.primal_signature, self.argnums, self.argnames, self.skip)
        self.target = Target(slots, single)
        self._describe()

    def variant(self, values: Mapping[str, Any]) -> Any:
        """Return the variant for these arguments, given by name; compile it if it is new."""
        if holds_tensors(self.primal, values):
            return on_tape(self, values)
        library = foreign_arrays.library_among(self.primal, values)
        if library is not None:
            return foreign_arrays.variant(self, library, values)
        key = tuple(map(key_of, values.values()))
        variant: Any
        with self._lock:
            for variant in self._variants.get(key, ()):
                if variant.holds(values):
                    return variant
            family = closures.family_of(self)
            variant = closures.find(family, self, key, [*values.values()]) or cache.find(self, key, values)
            if variant is not None:
                self._variants.setdefault(key, []).append(variant)
                return variant
            observed = Observed(changing={fact for old in self._variants.get(key, ()) for fact in old.guards.changed_numbers()})
            held: list[Library] = []
            try:
                with (compiling.without_collection(), observations(observed), compiling.functions_read() as functions,
                      libraries_met() as held):
                    variant = closures.compiled(family, self, key, values)
                cache.store(self, key, variant, functions.values())
            except ConstantOfLibrary as constant:
                return foreign_arrays.variant(self, constant.library, values)
            except (UnsupportedSyntax, UnsupportedCall, NoSourceError) as refusal:
                if held and held[0].mixes:        # there is no tape for the arrays that the function holds
                    return foreign_arrays.variant(self, held[0], values)
                needs_types = compiling.unknown(values) and not isinstance(refusal, NoSourceError)
                if self.options.fallback != "tape" or needs_types or not refusal.for_tape:
                    raise
                from ..frontend.statements.statement_outlining import restore, versions
                kept = versions(self.primal)
                if not observed.refused and statement_apart(self.primal, refusal):
                    variant = self.variant(values)      # now it is a call that is refused
                    if isinstance(variant, TapedVariant) and variant.runs_as_a_whole:
                        restore(kept)
                    return variant
                variant = take_over(self, values, refusal, observed)
            if variant.on_floats:
                variant.like = likeness(values)
            self._variants.setdefault(key, []).append(variant)
        if os.environ.get("TRANSGRAD_CHECK", "0") not in ("", "0"):
            compare_first_use(self, values)
        return variant

    def compile_around(self, old: TapedVariant, values: Mapping[str, Any], observed: Observed) -> TransgradError | None:
        """Compile with the types observed on the tape, for later calls; return the error if that fails."""
        with self._lock:
            try:
                with compiling.without_collection(), observations(observed):
                    variant = self._compile_with_derivatives(values)
            except TransgradError as refusal:
                return refusal
            self._exchange(old, variant)
            return None

    def _exchange(self, old: Any, new: Any) -> None:
        for found in self._variants.values():
            found[:] = [new if variant is old else variant for variant in found]
        self._plans.clear()
        if self._last is old:
            self._last = new

    def _widened(self, variant: Variant, change: FormChanged) -> UnsupportedCall:
        """The error for a taped call whose result has an unexpected form; from then on, the whole function runs on the tape."""
        error = changed(self.primal, variant, change)
        fields = [fact for fact in variant.guards.facts if fact.kind == "fields"]
        with self._lock:
            self._exchange(variant, TapedVariant(self, variant.types, error, None, fields))
        return error

    def _compile_with_derivatives(self, values: Mapping[str, Any]) -> Variant:
        """Compile a variant; again, where the derivative of a primitive turns out to be differentiated."""
        while True:
            try:
                return self._compile(values)
            except ReadDerivative:      # each time another one
                continue

    def _compile(self, values: Mapping[str, Any]) -> Variant:
        check_leaves(self.primal, self.target.slots, values)
        # a variant for each of the first few lengths, then one for all
        several = len(self._variants) and max(map(len, self._variants.values())) >= compiling.SHAPES
        general = (*self.kind.off, *(("parts", "lengths") if several else ()))
        if isinstance(self.options.backend, Numba):
            general = (*general, "unrolled")     # calls of small products cost it more than turns do
        try:
            with switched_off(*self.options.off, *general), compiling.refusing_defects(name_of(self.primal)):
                return self._compiled(values)
        except InternalError as error:
            from .reporting import defects
            raise defects.located(error, self.__name__, self.primal, values) from error.__cause__

    def _compiled(self, values: Mapping[str, Any]) -> Variant:
        doc = self.kind.doc(name_of(self.primal), [str(s) for s in self.target.slots])
        with compiling.implicit_arguments(type(self.kind) in (Reverse, Forward, Split) and not isinstance(self.options.backend, Numba)):
            inner = self._lower_primal(values, ())
        if isinstance(self.kind, Split):
            forward, backward = self.kind.halves(inner, self.target)
            variant = compiling.compile_ir(forward, self.__name__, doc, values, self.options, halves=True)
            name = name_of(self.primal)
            about = f"Pulls cotangents of {name} back to its arguments."
            variant.backward = compiling.compile_ir(backward, f"pullback_{name}", about, {}, self.options, halves=True)
        else:
            kind = self.kind.settled(inner, self.target, values)
            ir = self._on_elements(kind, values)
            if ir is None:
                ir = kind.outermost(inner, self.target, values)
            try:
                variant = compiling.compile_ir(ir, self.__name__, doc, values, self.options)
            except UnsupportedByNumba:
                if not any(f.attrs.spans for f in functions_of(ir)):
                    raise
                with switched_off("spans"):     # one direction at a time asks less of Numba
                    return self._compiled(values)
            if self.options.backend == "auto":
                variant.function = tiered(variant.function, self._on_numba if has_numba() else None)
        variant.primal = inner
        return variant

    def _on_numba(self) -> Derivative:
        """The same derivative on Numba, which ``backend="auto"`` may choose."""
        options = replace(self.options, backend="numba", fallback="error")
        return Derivative(self.kind, self.primal, self.argnums, self.argnames, options, self.skip)

    def _on_elements(self, kind: Kind, values: Mapping[str, Any]) -> Function | None:
        """For machine code: the IR with numbers in place of small arrays, where all arrays are small."""
        if not isinstance(self.options.backend, Numba) or not is_on("scalars") or len(self.variants) > compiling.SHAPES:
            return None
        from ..passes.numba import NotSmall, may_be_small, on_elements
        shapes = {name: v.shape for name, v in values.items() if isinstance(v, np.ndarray) and v.ndim}
        if not may_be_small(shapes) or compiling.unknown(values):
            return None
        with switched_off("scalars", "spans"):      # Python's numbers may raise, where elements do not
            ir = kind.transform(self._lower_primal(values, ()), self.target)
        try:
            return on_elements(ir, shapes)
        except NotSmall:
            return None

    def use(self, values: Mapping[str, Any]) -> Variant:
        """The variant for arguments given by name; it is the one that `source` shows from then on."""
        self._last = self.variant(values)
        return self._last

    def call_with(self, values: Mapping[str, Any]) -> Any:
        """Run the derivative with its arguments given by name."""
        if self.options.progress and not progress.asked():
            with progress.shown():
                return self.call_with(values)
        if registered.takes(self.target.slots, lambda: values):
            return registered.call(self, values, "call_with")
        variant = self.use(values)
        if variant.on_floats and raises_errors():
            return self._on_arrays.call_with(values)
        like = models(self, values) if verifying() and not isinstance(variant, foreign_arrays.ForeignVariant) else None
        try:
            found = variant.call_with(values)
            if like is not None:
                check_result(self, like, found)
            return found
        except FormChanged as change:
            raise self._widened(variant, change) from None
        except (ArithmeticError, LookupError, ValueError) as error:
            if not variant.on_floats:
                annotate(error)
                raise
        except Exception as error:
            annotate(error)
            raise
        return self._on_arrays.call_with(values)

    @functools.cached_property
    def tangents_last(self) -> bool:
        """Whether it takes a tangent for each argument, by position, after all of them."""
        slots = [slot.name for slot in self.target.slots if slot.key is None]
        parameters = self.__signature__.parameters
        return [*parameters] == [*slots, *(f"{name}_dot" for name in slots)] and all(
            p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters.values())

    @functools.cached_property
    def into_buffers(self) -> Derivative:
        """The same gradient, with a further argument ``out`` that it is written into."""
        kind = IntoBuffers(**{f.name: getattr(self.kind, f.name) for f in fields(self.kind)})
        return Derivative(kind, self.primal, self.argnums, self.argnames, replace(self.options, fallback="error"), self.skip)

    @functools.cached_property
    def _on_arrays(self) -> Derivative:
        """The derivative with NumPy's arithmetic alone: where Python raises an exception, NumPy may return an infinity or NaN."""
        return self._with(replace(self.options, optimize=(*self.options.off, *compiling.PYTHON_NUMBERS)))

    def _with(self, options: Options) -> Derivative:
        """The same derivative with other options."""
        return Derivative(self.kind, self.primal, self.argnums, self.argnames, options, self.skip)

    def split_with(self, values: Mapping[str, Any]) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """Run the forward half with arguments given by name; the value, and the pullback."""
        if registered.takes(self.target.slots, lambda: values):
            out, pull = registered.call(self, values, "split_with")
            return out, pull
        variant = self.use(values)
        if isinstance(variant, TapedVariant):
            return variant.split_with(values)
        like = models(self, values) if verifying() and not isinstance(variant, foreign_arrays.ForeignVariant) else None
        try:
            out, residuals = variant.call_with(values)
        except FormChanged as change:
            raise self._widened(variant, change) from None
        except Exception as error:
            annotate(error)
            raise
        assert variant.backward is not None
        pullback = Pull(name_of(self.primal), Generated.of(variant.backward), residuals, variant.returns,
                        values if self.options.nan == "raise" else None)
        if isinstance(variant, foreign_arrays.ForeignVariant):
            pullback.fit = functools.partial(variant.like_arguments, values=values)
        if like is not None:
            pullback.verify(self, like)
        return out, pullback

    def _lower_primal(self, values: Mapping[str, Any], wrt: Collection[str]) -> Function:
        """The IR of the function, with ``wrt`` differentiated as well as what this derivative differentiates."""
        names = self.kind.primal_names(tuple(values), self.target)
        fn = compiling.lower(self.primal, {name: values[name] for name in names}, {*self.target.names, *wrt}.intersection(names))
        if not fn.name.isidentifier():
            fn.name = name_of(self.primal)
        fn.attrs.primal = fn.attrs.primal or self.primal
        kept = self.options.checkpoint
        if kept and not mark_loops(fn, 0 if kept is True else kept):
            raise ValueError("checkpoint is for loops over a range with step 1 that are not left early and carry their state in "
                             f"variables; {name_of(self.primal)} has none")
        compiling.check_output(self, fn, values)
        return fn

    def lower(self, values: Mapping[str, Any], wrt: Collection[str]) -> Function:
        """The IR of this derivative for arguments like these, ready to be differentiated again with respect to ``wrt``."""
        with switched_off(*self.options.off), compiling.implicit_arguments(False):
            fn = self.kind.transform(self._lower_primal(values, wrt), self.target)
        fn.name = self.__name__
        return fn

    __transgrad_lower__ = lower

    # -- methods

    def __get__(self, instance: Any, owner: type | None = None) -> Derivative | BoundDerivative:
        return self if instance is None else BoundDerivative(cast(Derivative, self.__transgrad_method__), instance)

    @property
    def __transgrad_method__(self) -> Derivative:
        """The derivative as a method: ``argnums`` does not count the instance."""
        if self._method is None:
            self._method = Derivative(self.kind, self.primal, self.argnums, self.argnames, self.options, skip=self.skip + 1)
        return self._method


def _of_user(f: Any) -> Any:
    """The user's own function, or bound method, of which ``f`` is a copy that runs on the tape."""
    own = getattr(f, "__transgrad_primal__", f)
    return types.MethodType(own, f.__self__) if own is not f and isinstance(f, types.MethodType) else own


def _text_of(primal: Any) -> tuple[Any, Any]:
    """The code and the defaults of a function, which may be replaced."""
    func = getattr(primal, "__func__", primal)
    return getattr(func, "__code__", None), getattr(func, "__defaults__", None)
