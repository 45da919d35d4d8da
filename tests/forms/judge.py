"""What becomes of a form: each mode is right, refused, raises what the function raises, or fails."""
from __future__ import annotations

import importlib.util
import pathlib
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import transgrad as tg
from tests.cross.oracle import NoOracle, along, direction, like, paired, second, settled
from tests.cross.trees import Differs, compare, leaves, rebuild, single
from tests.outcomes import TooSlow, alarm
from tests.rules.cases import Case

from .operands import NotForThis, operands

__all__ = ["MODES", "Outcome", "outcomes"]


@dataclass(frozen=True)
class Outcome:
    """The mode; ``right``, ``refused``, ``raises``, ``no oracle`` or a kind of failure; and what differs."""

    mode: str
    kind: str
    cause: str = ""

    @property
    def failed(self) -> bool:
        return self.kind not in ("right", "refused", "raises", "no oracle")


class Form:
    """A call in one kind of operands, with its value by NumPy."""

    def __init__(self, case: Case, kind: str, seed: int):
        self.inputs, self.names, self.call = operands(case, kind)
        self.rng = np.random.default_rng(seed)
        self.value = self.call(*rebuild(self.inputs, copied))
        self.picked = [k for k, (path, _) in enumerate(leaves(self.value)) if not any(
            path.startswith(f"[{n}]") for n in case.kwargs.get("without", ()))]
        if not self.picked:
            raise NotForThis
        self.weights = [self.rng.normal(size=np.shape(leaf)) * (1.0 - 0.5j if np.iscomplexobj(leaf) else 1.0) for _, leaf in leaves(self.value)]
        self.moves = direction(self.inputs, self.rng)
        self.rtol = 3e-3 if single(self.inputs) or single(self.value) else 1e-5
        self.args = ", ".join(self.names)
        self.loss = self._loss()

    def _loss(self) -> Callable[..., Any]:
        from .operands import written
        paths = [path for path, _ in leaves(self.value)]
        terms = [f"np.sum(np.real(w{k} * y{paths[k]}))" for k in self.picked]
        space = {"np": np, "call": self.call, **{f"w{k}": w for k, w in enumerate(self.weights)}}
        return written(f"(lambda y: {' + '.join(terms)})(call({self.args}))", self.names, space, "loss")

    def differences(self) -> tuple[list[np.ndarray], list[float]]:
        return along(lambda x: self.loss(*x), self.inputs, self.moves)


def copied(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


def check_gradient(form: Form, got: Any) -> None:
    grads = [got] if len(form.inputs) == 1 else list(got)
    compare(grads, form.inputs, what="gradient")
    want, errors = form.differences()
    text = settled([paired(grads, form.moves)], [np.real(want[0])], errors, form.rtol)
    if text:
        raise Differs("value", text)


def check_value(form: Form, got: Any) -> None:
    compare(got, form.value, numbers=True, rtol=1e-5 if single(form.inputs) or single(form.value) else 1e-9, what="value")


def places(form: Form) -> tuple[int, ...] | int:
    return tuple(range(len(form.inputs))) if len(form.inputs) > 1 else 0


def gradient(form: Form) -> None:
    check_gradient(form, tg.grad(form.loss, argnums=places(form))(*form.inputs))


def pulled(form: Form) -> None:
    value, back = tg.vjp(form.call, *form.inputs)
    check_value(form, value)
    rest = iter(range(len(form.weights)))

    def cotangent(leaf: Any) -> Any:
        k = next(rest)
        w = np.conj(form.weights[k]) if k in form.picked else np.zeros(np.shape(leaf))
        return np.asarray(w, np.asarray(leaf).dtype) if isinstance(leaf, np.ndarray) else type(leaf)(w)
    got = back(rebuild(value, cotangent))
    check_gradient(form, got[0] if len(form.inputs) == 1 else got)


def pushed(form: Form) -> None:
    value, dots = tg.jvp(form.call, tuple(form.inputs), tuple(like(form.inputs, form.moves)))
    check_value(form, value)
    want, errors = along(lambda x: form.call(*x), form.inputs, form.moves)
    found = [np.asarray(leaf) for _, leaf in leaves(dots)]
    text = settled([found[k] for k in form.picked], [want[k] for k in form.picked], [errors[k] for k in form.picked], form.rtol)
    if text:
        raise Differs("value", text)


def curved(form: Form) -> None:
    if single(form.inputs) or any(np.iscomplexobj(leaf) for _, leaf in leaves(form.inputs)):
        raise NotForThis
    other = direction(form.inputs, form.rng)
    want, errors = second(lambda x: form.loss(*x), form.inputs, form.moves, other)
    got = tg.hvp(form.loss, tuple(form.inputs), tuple(like(form.inputs, form.moves)))
    found = paired(list(got), other)
    text = settled([found], want, errors, 1e-3)
    if text and not np.isnan(found):        # a second derivative may be NaN where there is none
        raise Differs("value", text)


def taped(form: Form) -> None:
    from transgrad.transforms.arguments import bind
    from transgrad.transforms.fallback import TapedVariant
    derivative = tg.grad(form.loss, argnums=places(form))
    check_gradient(form, TapedVariant(derivative, {}, None).call_with(bind(derivative.primal, derivative.__signature__, tuple(form.inputs), {})))


def exported(form: Form) -> None:
    """A module of the derivative returns what the derivative returns."""
    derivative = tg.grad(form.loss, argnums=places(form), fallback="error")
    want = derivative(*form.inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = derivative.export(pathlib.Path(folder) / "exported_form.py")
        spec = importlib.util.spec_from_file_location("exported_form", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    compare(getattr(module, derivative.__name__)(*form.inputs), want, numbers=True, what="exported")


MODES: dict[str, Callable[[Form], None]] = {
    "grad": gradient, "vjp": pulled, "jvp": pushed, "hvp": curved, "tape": taped, "export": exported}


def outcomes(case: Case, kind: str, modes: list[str], seed: int = 0) -> Iterator[Outcome]:
    """The outcome of each mode; `NotForThis` where the case has no operands of this kind."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        form: Any = None
        raised: Exception | None = None
        alarm(20)
        try:
            form = Form(case, kind, seed)
        except (NotForThis, TooSlow):
            raise NotForThis from None
        except Exception as error:
            raised = error
        finally:
            alarm(0)
        if isinstance(raised, TypeError) and "descriptor" in str(raised):      # a method of arrays, given something else
            raise NotForThis
        if raised is not None:
            yield unlike(case, kind, raised)
            return
        for mode in modes:
            yield outcome(form, mode)


def unlike(case: Case, kind: str, raised: Exception) -> Outcome:
    """Where the function raises an exception, its derivative raises it too, or is refused."""
    inputs, _, call = operands(case, kind)
    alarm(40)
    try:
        tg.vjp(call, *inputs)
    except tg.TransgradError:
        return Outcome("error", "refused")
    except (type(raised), TypeError):
        return Outcome("error", "raises")
    except (Exception, TooSlow) as error:
        return Outcome("error", "another error", f"{type(error).__name__}: {error} instead of {type(raised).__name__}: {raised}"[:300])
    finally:
        alarm(0)
    return Outcome("error", "no error", f"{type(raised).__name__}: {raised}"[:200])


def outcome(form: Form, mode: str) -> Outcome:
    alarm(60)
    try:
        MODES[mode](form)
    except NotForThis:
        return Outcome(mode, "no oracle", "not for this form")
    except NoOracle as error:
        return Outcome(mode, "no oracle", str(error))
    except Differs as error:
        return Outcome(mode, f"wrong {error.kind}", str(error))
    except tg.TransgradError as error:
        return Outcome(mode, "refused", error.reason[:200])
    except TooSlow:
        return Outcome(mode, "too slow")
    except Exception as error:
        return Outcome(mode, "internal error", " ".join(f"{type(error).__name__}: {error} @ {where(error)}".split())[:300])
    finally:
        alarm(0)
    return Outcome(mode, "right")


def where(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{last.filename.rpartition('/transgrad/')[2]}:{last.lineno}"
