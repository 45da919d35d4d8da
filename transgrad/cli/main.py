"""The commands and their exit codes: 0 success, 1 a check failed, 2 wrong target or arguments, 3 refused by the compiler."""
from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Sequence
from typing import Any

from .. import progress
from ..comparison import NothingCompared
from ..errors import TransgradError
from ..transforms.compiling import unknown
from ..transforms.derivative import Derivative
from ..transforms.reporting.explain import as_table, explain_call
from ..transforms.transformations import Forward
from ..view import view
from . import arguments, checking, completion, doctor, passes, report, rules, stored
from .derivatives import checked_function, derivative_of, jacobian_of, options_of, wrt_of
from .errors import TargetError
from .output import print_error, print_source
from .parser import parser
from .target import load

__all__ = ["FAILED", "OK", "REFUSED", "USAGE", "main"]

OK, FAILED, USAGE, REFUSED = 0, 1, 2, 3


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    options = parser().parse_args(argv)
    missing: list[str] = []
    try:
        with progress.shown():      # on a terminal
            return _run(options, missing)
    except TargetError as error:
        return print_error(str(error), USAGE)
    except TransgradError as error:
        # missing types may be the cause, although the error names another one
        hint = f"\nThe types of {', '.join(missing)} are not known. Hint: pass arguments, for example --args 'np.ones(3), 2.0'"
        return print_error(f"{type(error).__name__}: {error}{hint if missing else ''}", REFUSED)
    except (TypeError, ValueError) as error:
        return print_error(f"{type(error).__name__}: {error}", USAGE)
    except BrokenPipeError:
        sys.stderr.close()
    return OK


def _run(options: argparse.Namespace, missing: list[str]) -> int:
    command = options.command
    if command == "rules":
        return rules.show(options.name, options.coverage)
    if command == "report":
        print(report.show(options.name, options.output))
        return OK
    if command == "doctor":
        found = doctor.examined()
        print(json.dumps(found, indent=2) if options.json else doctor.shown(found))
        return FAILED if found["problems"] else OK
    if command == "cache":
        return stored.run(options.action, options.json)
    if command == "completion":
        sys.stdout.write(completion.script(parser(), options.shell))
        return OK
    if command == "passes" and options.target is None:
        print(passes.describe())
        return OK
    f, given = load(options.target, options.args)
    if command == "check":
        return _check(f, given, options)
    derivative = derivative_of(f, options)
    values = arguments.values_of(derivative.primal, derivative.primal_signature, given)
    missing += unknown(values)
    if isinstance(derivative.kind, Forward):        # a tangent has the type of its argument
        values.update({f"{name}_dot": values[name] for name in derivative.target.names})
    if command == "passes":
        print(passes.trace(lambda: derivative.use(values)))
        return OK
    variant = derivative.use(values)
    if command == "show":
        _show(derivative, variant, options)
    elif command == "explain":
        _explain(derivative, values if not missing else None, options)
    elif command == "view":
        page = view(derivative, values if not missing else None, options.profile)
        _write(page.html, options.output, page)
    else:
        _write(derivative.exported(standalone=not options.import_helpers), options.output, None)
    return OK


def _show(derivative: Derivative, variant: Any, options: argparse.Namespace) -> None:
    if not options.json:
        print_source(variant.source)
        return
    lines = {line: origin._asdict() for line, origin in variant.source_map.items()}
    print(json.dumps({"name": derivative.__name__, "types": variant.types, "source": variant.source, "source_map": lines}, indent=2))


def _explain(derivative: Derivative, values: dict[str, Any] | None, options: argparse.Namespace) -> None:
    text = explain_call(derivative, values) if values is not None else str(derivative.explain())
    if not options.json:
        print(text)
        return
    print(json.dumps([{"derivative": title, **dict(rows)} for title, rows in as_table(text)], indent=2))


def _write(text: str, output: str | None, page: Any) -> None:
    """Write to a file and print its path, or write to standard output; a page without a file opens in a browser."""
    if output == "-":
        sys.stdout.write(text)
    elif output is None:
        print(page.show())
    else:
        try:
            pathlib.Path(output).write_text(text, encoding="utf-8")
        except OSError as error:
            raise TargetError(f"{output} cannot be written: {error.strerror or error}") from error
        print(output)


def _check(f: Any, given: arguments.Given, options: argparse.Namespace) -> int:
    found = checking.check(checked_function(f, options), given, wrt_of(options), options_of(options), options.tolerance, options.step,
                           jacobian_of(options))
    if options.json:
        rows = [{"mode": row.mode, "path": row.path, "error": float(row.error), "verdict": row.verdict} for row in found.rows]
        print(json.dumps({"function": found.name, "compared": found.compared, "rows": rows}, indent=2))
    else:
        print(found)
    if found.wrong:
        return print_error(f"the derivative differs from central differences by {found.worst:.1e}\n{found.message()}", FAILED)
    try:
        found.raise_if_wrong()
    except NothingCompared as error:
        return print_error(str(error), FAILED)
    return OK
