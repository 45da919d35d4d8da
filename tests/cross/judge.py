"""What became of a trial, and the script that shows it."""
from __future__ import annotations

import dis
import re
import traceback
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.outcomes import TooSlow, alarm
from transgrad.errors import TransgradError

from .modes import MODES, NotForMode, Trial
from .operands import NotForThis
from .oracle import NoOracle, along
from .program import Choice, Program, make
from .trees import Differs, leaves

__all__ = ["FAILURES", "Outcome", "Result", "script", "trials"]

FAILURES = ("wrong value", "wrong structure", "wrong shape", "wrong dtype", "state", "memory", "internal error", "too slow")
_GENERATED = re.compile(r"^<transgrad|/source/\w+_[0-9a-f]{12}\.py$")
_RAISE = dis.opmap["RAISE_VARARGS"]


@dataclass(frozen=True)
class Outcome:
    """``right``, ``taped`` (right, on the tape), ``refused``, ``no oracle``, or one of `FAILURES`."""

    kind: str
    cause: str = ""
    detail: str = ""


@dataclass
class Result:
    """A trial: its place in the sequence, its choice, its transformation, and its outcome."""

    index: int
    choice: Choice
    mode: str
    outcome: Outcome
    script: str = ""

    @property
    def failed(self) -> bool:
        """Whether it is a defect."""
        return self.outcome.kind in FAILURES


def _explicit(exc: BaseException, of_tensors: bool) -> bool:
    """Whether an exception was raised by a ``raise`` statement of transgrad's, as an answer to the caller."""
    tb = exc.__traceback__
    while tb is not None and tb.tb_next is not None:
        tb = tb.tb_next
    if tb is None or isinstance(exc, (AssertionError, NotImplementedError)):
        return False
    code = tb.tb_frame.f_code
    kinds = (TypeError, ValueError, RuntimeError) if of_tensors else (TypeError, ValueError)
    if of_tensors and "/transgrad/" not in code.co_filename:
        return True     # a function that does not ask for NumPy's protocols
    return "/transgrad/" in code.co_filename and code.co_code[tb.tb_lasti] == _RAISE and isinstance(exc, kinds)


def _where(exc: BaseException) -> str:
    frames = traceback.extract_tb(exc.__traceback__)
    last = next((f for f in reversed(frames) if "/transgrad/" in f.filename or _GENERATED.search(f.filename)), frames[-1])
    if _GENERATED.search(last.filename):
        return "generated code"
    path = last.filename.rpartition("/site-packages/" if "/site-packages/" in last.filename else "/transgrad/")[2]
    return f"{path}:{last.name}"


def _normal(text: str) -> str:
    text = re.sub(r"<(cross|transgrad)[^>]*>", "<…>", " ".join(text.split()))
    text = re.sub(r"cross_\d+\.?", "", text)
    text = re.sub(r"^(\w+( of gradients)?)(\[[^]]*\]|\.[a-z]\b)+", r"\1…", text)
    text = re.sub(r"-?\d+\.\d+(e[+-]?\d+)?", "#", text)
    return re.sub(r"\b(saved|a|C|W)_?\w*\d+\b", r"\1…", text)[:220]


def _outcome(run: Any, seconds: int, of_tensors: bool = False) -> Outcome:
    from transgrad.errors import TapeFallbackWarning
    from transgrad.transforms import fallback
    fallback._announced.clear()
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        alarm(seconds)
        try:
            run()
            found = Outcome("right")
        except NoOracle as exc:
            found = Outcome("no oracle", str(exc))
        except Differs as exc:
            names = {"state": "state", "memory": "memory"}
            found = Outcome(names.get(exc.kind, f"wrong {exc.kind}"), _normal(str(exc)), str(exc))
        except TransgradError as exc:
            found = Outcome("refused", _normal(f"{type(exc).__name__}: {exc.reason}"), str(exc))
        except (Exception, TooSlow) as exc:
            if isinstance(exc, TooSlow):
                found = Outcome("too slow", "", "")
            elif _explicit(exc, of_tensors):
                found = Outcome("refused", _normal(f"{type(exc).__name__}: {exc}"), str(exc))
            else:
                found = Outcome("internal error", _normal(f"{_where(exc)}: {type(exc).__name__}: {exc}"),
                                "".join(traceback.format_exception(exc, limit=-6)))
        finally:
            alarm(0)
    taped = [str(w.message) for w in caught if issubclass(w.category, TapeFallbackWarning)]
    if taped:
        reason = _normal(taped[0])
        return Outcome("taped", reason) if found.kind == "right" else Outcome(found.kind, f"{found.cause} [on the tape]", f"{found.detail}\n{reason}")
    return found


def trials(index: int, choice: Choice, seed: Sequence[int], modes: Sequence[str], seconds: int = 60) -> Iterator[Result]:
    """The results of a choice, one for each transformation that applies; `NotForThis` where it makes no program."""
    try:
        alarm(seconds)
        program = make(choice, seed)
    except TooSlow:
        raise NotForThis("the function itself takes too long") from None
    finally:
        alarm(0)
    for mode in modes:
        if choice.state or choice.before:
            program.forget()
            program = make(choice, seed)
        rng = np.random.default_rng([*seed, 2, len(mode)])
        try:
            trial = Trial(program, rng)
        except NotForMode:
            break
        applies = True

        def run(trial: Trial = trial, mode: str = mode) -> None:
            nonlocal applies
            try:
                MODES[mode][0](trial)
            except NotForMode:
                applies = False
        outcome = _outcome(run, seconds * (6 if mode == "numba" else 1), mode == "tensors")
        if applies:
            result = Result(index, choice, mode, outcome)
            if result.failed:
                result.script = script(program, trial, outcome)
            yield result
    program.forget()


def script(program: Program, trial: Trial, outcome: Outcome) -> str:
    """A stand-alone script of a failure."""
    lines = [program.text]
    if program.before or program.change:
        lines.append("# first:")
        lines.append(trial.snippet.replace(program.call, program.before or program.call))
        lines.append(f"# then:\n{program.change}")
    lines += [trial.snippet, "print('transgrad:', got)"]
    try:
        lines.append(_differences(program, trial))
    except Exception as error:
        lines.append(f"# no differences: {error}")
    return "\n".join(lines) + f"\n# {outcome.kind}: {outcome.detail or outcome.cause}".replace("\n", "\n# ") + "\n"


def _differences(program: Program, trial: Trial) -> str:
    """The partial derivatives of the loss by differences, as a comment."""
    out = []
    units = leaves(trial.inputs)
    for k, (path, leaf) in enumerate(units):
        grad = np.zeros(np.shape(leaf), complex if np.iscomplexobj(leaf) else float)
        for place in np.ndindex(np.shape(leaf)):
            for unit in (1.0, 1j) if np.iscomplexobj(leaf) else (1.0,):
                v = [np.zeros(np.shape(other), complex if np.iscomplexobj(other) else float) for _, other in units]
                v[k][place] = unit
                grad[place] += unit * np.real(along(trial.run("loss"), trial.inputs, v)[0][0])
        out.append(f"# by differences, d loss / d inputs{path} = {np.array2string(grad, precision=6)}".replace("\n", ""))
    return "\n".join(out)
