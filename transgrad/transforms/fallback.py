"""The fallback to the tape: unsupported code, and Tensor arguments."""
from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from .. import tree
from ..errors import FormChanged, InternalError, NonFiniteError, TapeFallbackWarning, TransgradError, UnsupportedCall, warn
from ..ir.attributes import Guard
from ..ir.keys import fields_key
from ..runtime.fields import holds_record
from ..services import detect_anomaly, observe_calls, tape_run, tape_split
from .arguments import bind, name_of
from .conformity import check_pullback, check_result, models
from .guards import Guards
from .labelled import is_stripped
from .pullbacks import OnTape

if TYPE_CHECKING:
    from ..ir.observed import Observed, Taped
    from .derivative import Derivative

__all__ = ["TapedVariant", "changed", "holds_tensors", "on_tape", "runs_inside", "statement_apart", "take_over", "taped_calls"]

_announced: set[tuple[Any, ...]] = set()


def _let_frames_go(error: BaseException | None) -> None:
    """Take from an error that is kept the frames it came through: they hold the arguments of the call, however large these are."""
    if error is not None:
        error.__traceback__ = None
        _let_frames_go(error.__cause__)
        _let_frames_go(error.__context__)


class TapedVariant:
    """A derivative that runs on the tape, for one combination of argument types.

    Attributes
    ----------
    reason : TransgradError or None
        Why the compiler refused; None if the arguments are Tensors.
    """

    backward = primal = None
    on_floats = False

    def __init__(self, derivative: Derivative, types: Mapping[str, str], reason: TransgradError | None, observed: Observed | None = None,
                 fields: Iterable[Guard] = ()):
        self.derivative, self.types, self.reason = derivative, dict(types), reason
        #: The classes and fields of instances among the differentiated arguments, which have been checked.
        self.guards = Guards(fields, {})
        self._holds = self.guards.bind({name: f"args[{k}]" for k, name in enumerate(self.types)})
        _let_frames_go(reason)
        self._observed = observed if observed is not None and observed.refused else None
        self._why = ""

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether the instances among the differentiated arguments have the same fields."""
        return self._holds is None or self._holds([values.get(name) for name in self.types], {})

    @property
    def runs_as_a_whole(self) -> bool:
        """Whether the function runs on the tape at every call, and not only at the first one, which is observed."""
        return self._observed is None

    def _learning(self) -> Any:
        """A context in which the calls that the function makes are observed, if that can be of use."""
        if self._observed is None:
            return contextlib.nullcontext()
        return observe_calls(self._observed)

    @contextlib.contextmanager
    def _checking(self) -> Iterator[None]:
        """A context in which NaN in the backward pass is an error, with ``nan="raise"``."""
        if self.derivative.options.nan != "raise":
            yield
            return
        try:
            with detect_anomaly(True):
                yield
        except RuntimeError as error:
            if "returned nan values" not in str(error):
                raise
            raise NonFiniteError(f"{self.derivative.__name__}: {error}") from error

    def _learn(self, values: Mapping[str, Any]) -> None:
        """Compile the function around the unsupported calls, once the types of their results are known."""
        observed = self._observed
        if observed is None:
            return
        self._observed = None
        refused = len(observed.refused)
        refusal = self.derivative.compile_around(self, values, observed)
        if refusal is None:
            return
        if len(observed.refused) > refused or not observed.refused.keys() <= observed.calls.keys():
            self._observed = observed       # another call was refused, or one did not return: they are yet to be watched
        elif statement_apart(self.derivative.primal, refusal):
            self._observed = observed       # the statement with the call, perhaps
        elif self.reason is not None:
            site = next((site for site in observed.refused if site in observed.reasons), None)
            self._why = f"; {site.code.co_name}() cannot run there alone: {observed.reasons[site]}" if site is not None else ""
            _announce(self.reason, name_of(self.derivative.primal), self.derivative.primal)

    def function(self, /, *args: Any, **kwargs: Any) -> Any:
        d = self.derivative
        return self.call_with(bind(d.primal, d.__signature__, args, kwargs))

    def call_with(self, values: Mapping[str, Any]) -> Any:
        like = models(self.derivative, values)
        with self._learning(), self._checking():
            found = tape_run(self.derivative, values, self.reason)
        self._learn(values)
        if self.reason is not None:
            check_result(self.derivative, like, found)
        if self.derivative.options.nan == "raise":
            from .nan_check import check_finite
            check_finite(self.derivative.__name__, None, values, found)
        return found

    def split_with(self, values: Mapping[str, Any]) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
        """The value and the pullback."""
        like = models(self.derivative, values)
        with self._learning():
            out, pull = tape_split(self.derivative, values, self.reason)
        self._learn(values)
        name = name_of(self.derivative.primal)
        if self.reason is None:
            return out, OnTape(name, pull)

        def pullback(cotangent: Any) -> tuple[Any, ...]:
            """The cotangents of the arguments, from one of the value."""
            found: tuple[Any, ...] = pull(cotangent)
            check_pullback(self.derivative, like, found)
            return found

        return out, OnTape(name, pullback)

    def described(self) -> str:
        """What runs on the tape, and why."""
        name = name_of(self.derivative.primal)
        if self.reason is None:
            return f"{name}, called with Tensors"
        return f"{name}{f' ({self.reason.loc})' if self.reason.loc is not None else ''}: {self.reason.reason}{self._why}"

    @property
    def source(self) -> str:
        name = name_of(self.derivative.primal)
        why = f": {self.reason.reason}" if self.reason is not None else ""
        return f"# {self.derivative.__name__} runs {name} on the tape{why}".splitlines()[0] + "\n"

    @property
    def source_map(self) -> dict[int, Any]:
        """Nothing was generated."""
        return {}

    @property
    def ir(self) -> NoReturn:
        raise self.reason or UnsupportedCall("what runs on the tape has no intermediate representation", None, "call it with arrays")

    module = ir

    def __repr__(self) -> str:
        return f"<{self.derivative.__name__} on the tape>"


def runs_inside(f: Any) -> bool:
    """Return whether a function is made of arrays of a function that runs on the tape."""
    lift = sys.modules.get("transgrad.bridge.lift")
    return lift is not None and bool(lift.is_inside(f))


def holds_tensors(f: Any, values: Any) -> bool:
    """Return whether there are Tensors, or arrays of a function that runs on the tape, among arguments or in the function."""
    if runs_inside(f):
        return True
    tape = sys.modules.get("transgrad.bridge.array") or sys.modules.get("transgrad.autograd.tensor")
    if tape is None:
        return False
    kinds = (tape.Tensor, tape.TapedArray) if hasattr(tape, "TapedArray") else tape.Tensor
    return any(isinstance(leaf, kinds) for leaf in tree.flatten(values)[0])


def on_tape(derivative: Derivative, values: Mapping[str, Any]) -> TapedVariant:
    """The variant for Tensors."""
    return TapedVariant(derivative, {name: type(v).__name__ for name, v in values.items()}, None)


def take_over(derivative: Derivative, values: Mapping[str, Any], refusal: TransgradError, observed: Observed | None = None) -> TapedVariant:
    """The variant for a function that the compiler refused: it runs on the tape, which is said once for each site.

    Raises
    ------
    TransgradError
        The refusal, if an argument is labeled: on the tape its class is not that of pandas or xarray.
    """
    if any(map(is_stripped, values.values())):
        raise refusal
    from ..frontend.statements.statement_outlining import is_statement
    name = name_of(derivative.primal)
    refused = list(observed.refused) if observed is not None else []
    if refused:
        code = refused[0].code
        part = f"a statement of {name}" if is_statement(code) else f"{code.co_name}(), which {name} calls,"
        _announce(refusal, part, derivative.primal, f" ({name} as a whole in its first call)")
    else:
        _announce(refusal, name, derivative.primal)
    fields = [Guard("fields", slot.name, None, fields_key(values[slot.name])) for slot in derivative.target.slots
              if holds_record(values.get(slot.name))]
    return TapedVariant(derivative, {name: tree.describe(v) for name, v in values.items()}, refusal, observed, fields)


def statement_apart(primal: Any, refusal: TransgradError) -> bool:
    """Has the refused statement of a function be a function of its own; whether that can be."""
    from ..frontend.statements.statement_outlining import set_apart  # variants from the cache need no front end
    return set_apart(primal, refusal)


def _site(f: Any) -> tuple[str, int]:
    """The file and line of a function."""
    code = getattr(getattr(f, "__func__", f), "__code__", None)
    return ("", 0) if code is None else (code.co_filename, code.co_firstlineno)


def _announce(refusal: TransgradError, what: str, primal: Any, how: str = "") -> None:
    """Warn once for each site that something runs on the tape; many lambdas have one name."""
    key = (what, str(refusal), *(() if refusal.loc is not None else _site(primal)))
    if key not in _announced:
        _announced.add(key)
        where = f" at {refusal.loc}" if refusal.loc is not None else ""
        how += refusal.advice if isinstance(refusal, InternalError) else ""
        warn(TapeFallbackWarning(f"{what} runs on the tape{where}: {refusal.reason}{how}"))


def changed(f: Any, variant: Any, change: FormChanged) -> UnsupportedCall:
    """The error for a call on the tape that did something else than when it was observed."""
    name, reason = change.args
    site = next((taped for taped in taped_calls(variant) if taped.name.rpartition(".")[2] == name), None)
    return UnsupportedCall(f"{name}() runs on the tape, and the code around it was compiled for its earlier behavior: now {reason}",
                           site.loc if site is not None else None,
                           f"call {name_of(f)} again: from now on it runs on the tape as a whole")


def taped_calls(variant: Any) -> list[Taped]:
    """The calls of a compiled variant that run on the tape."""
    return list(variant.primal.attrs.taped) if variant.primal is not None else []
