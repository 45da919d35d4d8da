"""The commands and their exit codes: 0 done, 1 the check failed, 2 a bad target or arguments, 3 refused by the compiler."""
from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

from ..comparison import NothingCompared
from ..errors import TransgradError
from ..transforms.compiling import unknown
from ..transforms.derivative import Derivative
from ..transforms.kinds import Forward, Reverse
from ..transforms.options import Options
from . import arguments, checking, passes, report, rules
from .output import print_error, print_source
from .target import TargetError, load

__all__ = ["FAILED", "OK", "REFUSED", "USAGE", "main"]

OK, FAILED, USAGE, REFUSED = 0, 1, 2, 3


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    top = argparse.ArgumentParser(prog="transgrad", description="Derivatives of Python functions, as Python source.",
                                  epilog="exit codes: 0 done, 1 the check failed, 2 bad target or arguments, 3 refused by the compiler")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in (("show", "print the source of a derivative"), ("export", "write a derivative as a module of its own"),
                       ("explain", "say what is compiled, active and saved"), ("check", "compare with finite differences")):
        sub = commands.add_parser(name, help=what, description=what.capitalize() + ".")
        sub.add_argument("target", metavar="TARGET", help="file.py:function or package.module:function (Class.method too)")
        sub.add_argument("--wrt", metavar="A,B", help="arguments to differentiate with respect to (default: "
                         + ("all that hold floats)" if name == "check" else "the first)"))
        sub.add_argument("--args", metavar="EXPR", help="arguments, for their types: 'np.ones(3), 2.0, mode=\"a\"' "
                         "(default: from defaults and annotations)")
        if name == "check":
            sub.add_argument("--tolerance", type=float, default=1e-5, help="largest relative error (default: 1e-5)")
            sub.add_argument("--step", type=float, help="first step of the differences, which decreases until they converge")
        else:
            sub.add_argument("--mode", choices=("reverse", "forward"), default="reverse")
            sub.add_argument("--value", action="store_true", help="the value too, in reverse mode")
        if name == "export":
            sub.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, required=True)
            sub.add_argument("--import-helpers", action="store_true", help="import the function's helpers instead of copying them")
    listing = commands.add_parser("passes", help="list the compiler's passes, or show what each changes",
                                 description="List the pipelines; with a target, show what each pass changes in its derivative's IR.")
    listing.add_argument("target", metavar="TARGET", nargs="?", help="file.py:function or package.module:function")
    listing.add_argument("--wrt", metavar="A,B", help="arguments to differentiate with respect to (default: the first)")
    listing.add_argument("--args", metavar="EXPR", help="arguments, for their types")
    listing.set_defaults(mode="reverse", value=False)
    defect = commands.add_parser("report", help="show the report of an internal error",
                                 description="Show the report of an internal error, which holds no values of arguments.")
    defect.add_argument("name", metavar="NAME", nargs="?", help="the name that the warning gives (default: the newest)")
    defect.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, help="write it to a file")
    table = commands.add_parser("rules", help="list the table of derivatives", description="List the table of derivatives.")
    table.add_argument("name", metavar="NAME", nargs="?", help="one function: svd, np.linalg.svd or numpy.linalg.svd")
    table.add_argument("--coverage", action="store_true", help="how many names of each namespace are in which class")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code."""
    options = parser().parse_args(argv)
    missing: list[str] = []
    try:
        if options.command == "rules":
            return rules.show(options.name, options.coverage)
        if options.command == "report":
            print(report.show(options.name, options.output))
            return OK
        if options.command == "passes" and options.target is None:
            print(passes.describe())
            return OK
        f, names = load(options.target)
        if options.command == "check":
            return _check(f, names, options)
        derivative = _derivative(f, options)
        values = arguments.values_of(derivative.primal, derivative.primal_signature, options.args, names)
        missing = unknown(values)
        if isinstance(derivative.kind, Forward):        # tangents are like the arguments they belong to
            values.update({f"{name}_dot": values[name] for name in derivative.target.names})
        if options.command == "passes":
            print(passes.trace(lambda: derivative.use(values)))
            return OK
        variant = derivative.use(values)
        if options.command == "show":
            print_source(variant.source)
        elif options.command == "explain":
            print(derivative.explain())
        else:
            derivative.export(options.output, standalone=not options.import_helpers)
            print(options.output)
    except TargetError as error:
        return print_error(str(error), USAGE)
    except TransgradError as error:
        # what is not known may be all that is in the way, and the error is then about something else
        hint = f"\nNothing is known of {', '.join(missing)}: --args 'np.ones(3), 2.0' says what the arguments are like" if missing else ""
        return print_error(f"{type(error).__name__}: {error}{hint}", REFUSED)
    except (TypeError, ValueError) as error:
        return print_error(f"{type(error).__name__}: {error}", USAGE)
    except BrokenPipeError:
        sys.stderr.close()
    return OK


def _derivative(f: Any, options: argparse.Namespace) -> Derivative:
    """The derivative that the options ask for; a target that is one already is taken as it is."""
    if isinstance(f, Derivative) and options.wrt is None:
        return f
    wrt = tuple(name.strip() for name in options.wrt.split(",")) if options.wrt else None
    single = wrt[0] if wrt is not None and len(wrt) == 1 else wrt
    kind = Forward() if options.mode == "forward" else Reverse(options.value)
    return Derivative(kind, f, 0, single, Options(fallback="error"))


def _check(f: Any, names: dict[str, Any], options: argparse.Namespace) -> int:
    wrt = [name.strip() for name in options.wrt.split(",")] if options.wrt else None
    primal = f.primal if isinstance(f, Derivative) else f
    found = checking.check(primal, names, options.args, wrt, options.tolerance, options.step)
    print(found)
    if found.wrong:
        return print_error(f"the derivative differs from central differences by {found.worst:.1e}\n{found.message()}", FAILED)
    try:
        found.raise_if_wrong()
    except NothingCompared as error:
        return print_error(str(error), FAILED)
    return OK
