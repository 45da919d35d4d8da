"""Pass declarations and the pass manager.

A pass rewrites the IR of a function in place and is declared with `optimization`. A pipeline is a tuple of passes and of the
combinators `With`, `IfChanged` and `Each`; the pipelines are listed in `pipelines`. `run` executes a pipeline. After each pass it
verifies the IR if verification is on (``TRANSGRAD_VERIFY=1``; always on in the tests), invalidates cached analyses unless the pass
reports that it changed nothing, and notifies observers, which measure time or print differences.
"""
from __future__ import annotations

import enum
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..ir.ops import Function, functions_of
from ..ir.verify import VerificationError, verify
from .switches import is_on

__all__ = ["Each", "IfChanged", "Pass", "Pipeline", "Property", "Stage", "Step", "With", "analysis", "declared", "invalidate", "observed",
           "optimization", "provide", "run", "run_named", "simplify", "verified"]

T = TypeVar("T")


class Stage(enum.Enum):
    """The part of the compilation that a pass belongs to."""

    NORMALIZE = "normalize"
    CANONICALIZE = "canonicalize"
    DIFFERENTIATE = "differentiate"
    SIMPLIFY = "simplify"
    LOWER_NUMPY = "lower to NumPy source"
    LOWER_NUMBA = "lower to Numba"


class Property(enum.Enum):
    """A fact about a function that holds when a pipeline starts and that passes rely on."""

    FINAL = "final"
    """The function is not differentiated or batched again."""


@dataclass(frozen=True, eq=False)
class Pass:
    """A declared pass. Calling it runs it without verification.

    Attributes
    ----------
    function : callable
        Rewrites a `Function` in place. It returns False if it changed nothing.
    stage : Stage
        The part of the compilation that it belongs to.
    switch : str or None
        The optimization switch that disables it, or None if it always runs.
    requires : frozenset of Property
        Properties without which running it is an internal error.
    analyses : tuple of callables
        The analyses that it asks for (see `analysis`); to ask for another one is an internal error.
    preserves : tuple of callables
        Analyses whose results stay valid when it changes the function.
    """

    function: Callable[..., Any]
    stage: Stage
    switch: str | None
    requires: frozenset[Property]
    analyses: tuple[Callable[..., Any], ...] = ()
    preserves: tuple[Callable[..., Any], ...] = ()

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def summary(self) -> str:
        """The first paragraph of the documentation of the module that defines the pass."""
        text = sys.modules[self.function.__module__].__doc__ or ""
        return " ".join(text.split("\n\n")[0].split())

    def __call__(self, fn: Function, *args: Any, **options: Any) -> Any:
        invalidate(fn)      # the caller may have changed it
        token = _running.set((self, fn))
        try:
            return self.function(fn, *args, **options)
        finally:
            _running.reset(token)
            invalidate(fn)


@dataclass(frozen=True)
class With:
    """Run a pass with options."""

    step: Pass
    options: dict[str, Any]


@dataclass(frozen=True)
class IfChanged:
    """Run a pass, with options, and if it changed the function, a pipeline after it."""

    step: Pass
    then: Pipeline
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Each:
    """Run a pipeline on the function and on each function that it invokes."""

    steps: Pipeline


Step = Pass | With | IfChanged | Each
Pipeline = tuple[Step, ...]
Observer = Callable[[Pass, Function], None]

_DECLARED: dict[str, Pass] = {}
_PROVIDED: dict[str, Pipeline] = {}
_observers: ContextVar[tuple[Observer, ...]] = ContextVar("observers", default=())
_running: ContextVar[tuple[Pass, Function] | None] = ContextVar("running", default=None)
_verifying: ContextVar[bool] = ContextVar("verifying", default=os.environ.get("TRANSGRAD_VERIFY", "") not in ("", "0", "off"))


def optimization(stage: Stage, switch: str | None = None, *, requires: tuple[Property, ...] = (),
                 analyses: tuple[Callable[..., Any], ...] = (), preserves: tuple[Callable[..., Any], ...] = ()
                 ) -> Callable[[Callable[..., Any]], Pass]:
    """Declare the decorated function as a pass; see `Pass` for the parameters."""
    def declare(function: Callable[..., Any]) -> Pass:
        made = Pass(function, stage, switch, frozenset(requires), analyses, preserves)
        if made.name in _DECLARED:
            raise ValueError(f"two passes are called {made.name}")
        _DECLARED[made.name] = made
        made.__dict__.update(__doc__=function.__doc__, __name__=function.__name__, __module__=function.__module__)
        return made
    return declare


def declared() -> list[Pass]:
    """The passes that have been declared by the modules imported so far."""
    return list(_DECLARED.values())


def run(pipeline: Pipeline, fn: Function, *properties: Property) -> None:
    """Run a pipeline on a function.

    Parameters
    ----------
    pipeline : Pipeline
        The steps, in order.
    fn : Function
        Rewritten in place.
    *properties : Property
        The properties of the function.

    Raises
    ------
    VerificationError
        If verification is on and a pass left ill-formed IR; the message names the pass.
    """
    invalidate(fn)
    _run(pipeline, fn, frozenset(properties))


def _run(pipeline: Pipeline, fn: Function, properties: frozenset[Property]) -> None:
    for step in pipeline:
        if isinstance(step, Pass):
            _apply(step, fn, properties, {})
        elif isinstance(step, With):
            _apply(step.step, fn, properties, step.options)
        elif isinstance(step, IfChanged):
            if _apply(step.step, fn, properties, step.options):
                _run(step.then, fn, properties)
        else:
            for inner in functions_of(fn):
                _run(step.steps, inner, properties)


def _apply(step: Pass, fn: Function, properties: frozenset[Property], options: dict[str, Any]) -> bool:
    """Run one pass; return whether it may have changed the function."""
    missing = step.requires - properties
    if missing:
        raise AssertionError(f"{step.name} requires IR that is {', '.join(p.value for p in missing)}")
    verifying = _verifying.get()
    types = verifying and os.environ.get("TRANSGRAD_VERIFY") == "types"
    before = str(fn) if types else ""
    token = _running.set((step, fn))
    try:
        changed = step.function(fn, **options) is not False
    finally:
        _running.reset(token)
    if not changed:
        if types and str(fn) != before:
            raise VerificationError(fn.name, [f"{step.name} changed it and reported that it did not"])
        return False
    invalidate(fn, step.preserves)
    if verifying:
        try:
            verify(fn, types=types, callees=Property.FINAL in properties)
        except VerificationError as error:
            raise VerificationError(f"{fn.name} after the pass {step.name}", error.violations) from None
    for observe in _observers.get():
        observe(step, fn)
    return True


def provide(**pipelines: Pipeline) -> None:
    """Make pipelines available under names to modules that the list of pipelines imports; called by the module with that list."""
    _PROVIDED.update(pipelines)


def run_named(name: str, fn: Function) -> None:
    """Run a pipeline that `pipelines` lists, for passes that generate functions."""
    run(_PROVIDED[name], fn)


def simplify(fn: Function) -> None:
    """Run the simplification pipeline, for passes that generate functions."""
    if is_on("simplify"):
        run_named("simplify", fn)


def analysis(compute: Callable[[Function], T], fn: Function) -> T:
    """The result of an analysis of a function, cached until a pass changes the function.

    Only the pass that runs on the function is answered from the cache.

    Parameters
    ----------
    compute : callable
        The analysis: a function, or a class whose instances are results.
    fn : Function
        The function.
    """
    running = _running.get()
    declared = running is not None and compute in running[0].analyses
    if running is None or running[1] is not fn or not declared:
        if not declared and running is not None and running[1] is fn and _verifying.get():
            raise AssertionError(f"{running[0].name} does not declare the analysis {compute.__name__}")
        return compute(fn)      # the writer of an analysis knows which changes invalidate it
    if compute not in fn.analyses:
        fn.analyses[compute] = compute(fn)
    found: T = fn.analyses[compute]
    return found


def invalidate(fn: Function, preserved: tuple[Callable[..., Any], ...] = ()) -> None:
    """Drop the cached analyses of a function that was changed, except for those that are ``preserved``."""
    fn.attrs.pure = False
    if preserved:
        fn.analyses = {compute: found for compute, found in fn.analyses.items() if compute in preserved}
    else:
        fn.analyses.clear()


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Call ``observer(pass, function)`` after each pass that may have changed the function."""
    token = _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def verified(on: bool = True) -> Iterator[None]:
    """Switch verification after each pass on or off for a while."""
    token = _verifying.set(on)
    try:
        yield
    finally:
        _verifying.reset(token)
