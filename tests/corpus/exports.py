"""Export every program in every transformation and compare the modules with the derivatives: ``python -m tests.corpus.exports``.

Each module runs in an interpreter that cannot import transgrad, with several sets of arguments. Where the derivative uses the exported
variant, the results must agree. Where it uses another variant, the module must raise an AssertionError or return the same result.
"""
from __future__ import annotations

import argparse
import builtins
import copy
import pathlib
import pickle
import pickletools
import re
import subprocess
import sys
import tempfile
import warnings
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from inspect import BoundArguments
from typing import Any

import numpy as np

from tests.everyday import control, methods, models  # noqa: F401  they register their programs
from tests.everyday.registry import PROGRAMS
from tests.outcomes import TooSlow, alarm
from tests.rules.uses import every
from transgrad.errors import TransgradError
from transgrad.transforms.arguments import bind
from transgrad.transforms.batched import Vmapped
from transgrad.transforms.derivative import Derivative
from transgrad.transforms.jacobian.jacobians import Hessian, Jacobian
from transgrad.transforms.transformations import Forward, Kind, Reverse
from transgrad.transforms.options import Options
from transgrad.transforms.variants import Variant

from . import exported
from .registry import ROWS, load

__all__ = ["GROUPS", "TRANSFORMATIONS", "Program", "Trial", "examine", "programs"]

GROUPS = (*ROWS, "everyday", "uses")
TRANSFORMATIONS = ("grad", "jvp", "jacobian", "hessian", "vmap")
_KINDS: dict[str, Kind] = {"grad": Reverse(True), "jvp": Forward(), "jacobian": Jacobian("either", False, False),
                           "hessian": Hessian(False, False)}
#: Programs that read the module in which they are defined; the exported module is another one.
_MODULE_DEPENDENT = {"passing_through-globals_counted"}
#: A call that takes longer is left out: some loops do not end for some arguments.
_SECONDS = 2


@dataclass(frozen=True)
class Program:
    """A function, its arguments, and the positions of the differentiated ones."""

    name: str
    f: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    wrt: tuple[int, ...]


@dataclass
class Trial:
    """One program in one transformation. ``status`` is ok, not compiled, not exported or wrong; ``reason`` says why."""

    program: Program
    transformation: str
    status: str = "ok"
    reason: str = ""
    calls: int = 0
    others: int = 0


def programs(group: str) -> list[Program]:
    """Return the programs of a row of the corpus, the everyday programs, or the uses of rules."""
    if group == "everyday":
        return [Program(f"everyday-{f.__name__}", f, args, {}, tuple(range(len(args)))) for f, args in PROGRAMS]
    if group == "uses":
        return [Program(f"uses-{name}", f, args, {}, tuple(range(len(args)))) for name, (f, args) in every().items()]
    found = [Program(f"{c.row}-{c.name}", c.f, c.args, c.kwargs, c.wrt) for c in load() if c.row == group]
    return [p for p in found if p.name not in _MODULE_DEPENDENT]


def _transformed(program: Program, transformation: str) -> Derivative:
    options = Options("error", "numpy", True)
    if transformation == "vmap":
        axes = tuple(0 if k in program.wrt and exported.has_numbers(a) else None for k, a in enumerate(program.args))
        return Vmapped(program.f, axes, options=options)
    wrt = program.wrt if len(program.wrt) > 1 else program.wrt[0]
    return Derivative(_KINDS[transformation], program.f, wrt, None, options)


def _argument_sets(program: Program) -> Iterator[tuple[Any, ...]]:
    """Yield the program's arguments, other values, then other dtypes and lengths."""
    for change in (exported.unchanged, exported.scaled, exported.negated, exported.in_single_precision, exported.twice_as_long):
        args = copy.deepcopy(program.args)
        yield tuple(exported.mapped(change, a) if k in program.wrt else a for k, a in enumerate(args))


def _call(program: Program, transformation: str, g: Derivative, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of the derivative: with tangents for jvp, with batches of three for vmap."""
    if transformation == "vmap":
        axes = g.in_axes  # type: ignore[attr-defined]
        args = tuple(exported.stacked(a) if axis == 0 else a for a, axis in zip(args, axes))
    values = bind(program.f, g.primal_signature, args, copy.deepcopy(program.kwargs))
    if transformation == "jvp":
        values.update({f"{name}_dot": copy.deepcopy(values[name]) for name in g.target.names})
    call = BoundArguments(g.__signature__, dict(values))  # type: ignore[arg-type]
    return call.args, call.kwargs


def try_export(program: Program, transformation: str, path: pathlib.Path, calls: list[Any]) -> Trial:
    """Export the derivative to ``path`` and compare; calls that can be pickled are appended to ``calls`` for a clean interpreter."""
    trial = Trial(program, transformation)
    try:
        g = _transformed(program, transformation)
        args, kwargs = _call(program, transformation, g, copy.deepcopy(program.args))
        variant = exported.run(g.variant_for, (args, kwargs), {})
    except (TransgradError, TypeError, ValueError) as refusal:
        trial.status, trial.reason = "not compiled", _reason(refusal)
        return trial
    try:
        g.use(bind(program.f, g.__signature__, copy.deepcopy(args), copy.deepcopy(kwargs)))
        path.write_text(g.exported(), encoding="utf-8")      # before a call, which may change the state of the function
    except TransgradError as refusal:
        trial.status, trial.reason = "not exported", _reason(refusal)
        return trial
    entry = variant.module.entry
    expected = list(_expected(program, transformation, g, variant))
    try:
        data = pickle.dumps((path.stem, entry, expected))
    except Exception:
        data = b""
    trial.calls, trial.others = len(expected), sum(kind == "other variant" for _, _, kind, _ in expected)
    if data and _is_plain(data):
        calls.append((path.stem, entry, expected))
        return trial
    module = _run_here(path)
    problems = [str(module)] if isinstance(module, Exception) else exported.compared(module[entry], expected)
    if problems:
        trial.status, trial.reason = "wrong", problems[0]
    return trial


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {getattr(error, 'reason', error)}"


def _expected(program: Program, transformation: str, g: Derivative, variant: Variant) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments and the outcome of each call: its kind ("same", "other variant" or "raises") and its result."""
    for args in _argument_sets(program):
        args, kwargs = _call(program, transformation, g, args)
        alarm(_SECONDS)
        try:
            result = exported.run(g, args, kwargs)
        except (TransgradError, TooSlow):
            continue        # the derivative does not support these arguments, and the module need not notice
        except Exception:
            yield args, kwargs, "raises", None
            continue
        finally:
            alarm(0)
        yield args, kwargs, "same" if g._last is variant else "other variant", result


def _run_here(path: pathlib.Path) -> Any:
    """Return the namespace of the module, which cannot import transgrad, for calls that cannot be pickled."""
    space: dict[str, Any] = {"__name__": path.stem, "__builtins__": {**vars(builtins), "__import__": _without_transgrad}}
    sys.modules[path.stem] = type(sys)(path.stem)       # where dataclasses look for the names of their annotations
    try:
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    except Exception as error:
        return error
    finally:
        del sys.modules[path.stem]
    return space


def _without_transgrad(name: str, *rest: Any) -> Any:
    if name.split(".")[0] == "transgrad":
        raise ImportError(f"an exported module imports {name}")
    return __import__(name, *rest)


def _is_plain(data: bytes) -> bool:
    """Whether a pickle can be read where neither the tests nor transgrad can be imported."""
    words = [arg for _, arg, _ in pickletools.genops(data) if isinstance(arg, str)]
    return not any(word.split(".")[0] in ("tests", "transgrad") and word in sys.modules for word in words)


def run_in_clean_interpreter(folder: pathlib.Path, calls: list[Any], trials: dict[str, Trial]) -> None:
    """Run the calls without transgrad; note problems in ``trials``, which are found by the names of the modules."""
    (folder / "calls.pickle").write_bytes(pickle.dumps(calls))
    done = subprocess.run([sys.executable, exported.__file__, str(folder)], capture_output=True, text=True, cwd=folder)
    for line in done.stdout.splitlines():
        name, _, problem = line.partition(": ")
        trials[name].status, trials[name].reason = "wrong", problem
    if done.returncode and not done.stdout:
        raise RuntimeError(done.stderr)


def examine(chosen: Iterable[tuple[Program, str]], folder: pathlib.Path) -> list[Trial]:
    """Export the chosen programs into ``folder``, run the modules, and return what became of each."""
    trials: dict[str, Trial] = {}
    calls: list[Any] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for k, (program, transformation) in enumerate(chosen):
            name = f"program_{k}"
            trials[name] = try_export(program, transformation, folder / f"{name}.py", calls)
    run_in_clean_interpreter(folder, calls, trials)
    return list(trials.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("match", nargs="*", help="parts of the names of programs")
    parser.add_argument("--transformation", choices=TRANSFORMATIONS, action="append", help="default: all")
    parser.add_argument("--group", choices=GROUPS, action="append", help="default: all")
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="export one program in N")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the modules (default: a temporary one)")
    parser.add_argument("--verbose", action="store_true", help="name every program that fails")
    options = parser.parse_args()
    chosen = [(p, t) for t in options.transformation or TRANSFORMATIONS for group in options.group or GROUPS for p in programs(group)
              if (not options.match or any(m in p.name for m in options.match))
              and zlib.crc32(p.name.encode()) % options.one_in == 0]
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        trials = examine(chosen, folder)
    _report(trials, options.verbose)
    return int(any(t.status in ("not exported", "wrong") for t in trials))


def _report(trials: list[Trial], verbose: bool) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for t in trials:
        counts[t.transformation][t.status] += 1
        counts[t.transformation]["calls compared"] += t.calls
        counts[t.transformation]["of which other variants"] += t.others
        if t.status != "ok":
            reasons[t.status, re.sub(r"0x[0-9a-f]+|\d+\.\d+", "…", t.reason)[:160]].append(f"{t.program.name}:{t.transformation}")
    for (status, reason), names in sorted(reasons.items(), key=lambda item: (item[0][0], -len(item[1]))):
        print(f"{status} {len(names)}: {reason}\n    {' '.join(names if verbose else names[:6])}")
    for transformation, count in counts.items():
        print(f"{transformation:10s}", dict(count))


if __name__ == "__main__":
    sys.exit(main())
