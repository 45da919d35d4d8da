"""The grammar of the command line."""
from __future__ import annotations

import argparse
import pathlib

from .. import __version__
from .completion import SHELLS
from .derivatives import TRANSFORMS

__all__ = ["EPILOG", "parser"]

EPILOG = "exit codes: 0 success, 1 the check failed or doctor found a problem, 2 wrong target or arguments, 3 refused by the compiler"
_COMMANDS = (("show", "print the source of a derivative"), ("export", "write a derivative as a module"),
             ("explain", "report the compiled functions, and the active and saved values"),
             ("view", "show a function and its derivative in a browser"),
             ("check", "compare with finite differences"))


def parser() -> argparse.ArgumentParser:
    """Build the parser of ``transgrad``."""
    top = argparse.ArgumentParser(prog="transgrad", description="Derivatives of Python functions, as Python source.", epilog=EPILOG)
    top.add_argument("--version", action="version", version=f"transgrad {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, what in _COMMANDS:
        sub = commands.add_parser(name, help=what, description=what.capitalize() + ".", epilog=EPILOG)
        _target(sub, name == "check")
        _options(sub, name)
    listing = commands.add_parser("passes", help="list the compiler's passes, or show what each changes",
                                 description="List the pipelines; with a target, show what each pass changes in the IR of its derivative.")
    listing.add_argument("target", metavar="TARGET", nargs="?", help="file.py:function or package.module:function")
    listing.add_argument("--wrt", metavar="A,B", help="arguments to differentiate with respect to (default: the first)")
    listing.add_argument("--args", metavar="EXPR", help="arguments, for their types")
    listing.set_defaults(mode="reverse", value=False, transform=None, backend="numpy", fallback="error", optimize="on", json=False)
    defect = commands.add_parser("report", help="show the report of an internal error",
                                 description="Show the report of an internal error. It contains no values of arguments.")
    defect.add_argument("name", metavar="NAME", nargs="?", help="the name in the warning (default: the newest)")
    defect.add_argument("-o", "--output", metavar="FILE", type=pathlib.Path, help="write it to a file")
    table = commands.add_parser("rules", help="list the table of derivatives", description="List the table of derivatives.")
    table.add_argument("name", metavar="NAME", nargs="?", help="one function: svd, np.linalg.svd or numpy.linalg.svd")
    table.add_argument("--coverage", action="store_true", help="count the names by namespace and class")
    doctor = commands.add_parser("doctor", help="report whether the installation works", epilog=EPILOG,
                                 description="Report the packages, the back ends that work, the cache, and conflicts.")
    doctor.add_argument("--json", action="store_true", help="as JSON")
    stored = commands.add_parser("cache", help="show or empty the disk cache", epilog=EPILOG,
                                 description="Show where the disk cache is and how large, or delete its files.")
    stored.add_argument("action", choices=("info", "clear"), nargs="?", default="info", help="what to do (default: info)")
    stored.add_argument("--json", action="store_true", help="as JSON")
    shell = commands.add_parser("completion", help="print a completion script for a shell",
                                description="Print a completion script: eval \"$(transgrad completion bash)\".")
    shell.add_argument("shell", choices=SHELLS)
    return top


def _target(sub: argparse.ArgumentParser, checks: bool) -> None:
    sub.add_argument("target", metavar="TARGET", help="file.py:function or package.module:function (or Class.method)")
    default = "all that hold floats" if checks else "the first"
    sub.add_argument("--wrt", metavar="A,B", help=f"arguments to differentiate with respect to (default: {default})")
    sub.add_argument("--args", metavar="EXPR", help="arguments, for their types: 'np.ones(3), 2.0, mode=\"a\"' "
                     "(default: from defaults and annotations)")


def _options(sub: argparse.ArgumentParser, name: str) -> None:
    sub.add_argument("--transform", choices=TRANSFORMS, metavar="NAME", help=f"the transformation: {', '.join(TRANSFORMS)} (default: grad)")
    for axes, what in (("--in-axes", "arguments"), ("--out-axes", "results")):
        sub.add_argument(axes, metavar="AXES", default="0", help=f"the axes of the examples in the {what} of vmap: 0 (default) or 0,None")
    sub.add_argument("--backend", choices=("numpy", "numba", "auto"), default="numpy", help="the back end (default: numpy)")
    sub.add_argument("--fallback", choices=("error", "tape"), default="error", help="for unsupported code (default: error)")
    sub.add_argument("--optimize", metavar="WHAT", default="on", help="on, off, or single optimizations: scalars=off,lists=off")
    if name in ("show", "explain", "check"):
        sub.add_argument("--json", action="store_true", help="as JSON")
    if name == "check":
        sub.add_argument("--tolerance", type=float, default=1e-5, help="largest relative error (default: 1e-5)")
        sub.add_argument("--step", type=float, help="first step of the differences; it decreases until they converge")
        return
    sub.add_argument("--mode", choices=("reverse", "forward"), default="reverse")
    sub.add_argument("--value", action="store_true", help="include the value, in reverse mode")
    if name in ("export", "view"):
        sub.add_argument("-o", "--output", metavar="FILE", required=name == "export", help="the file to write; - is standard output")
    if name == "export":
        sub.add_argument("--import-helpers", action="store_true", help="import helper functions instead of copying them")
    if name == "view":
        sub.add_argument("--profile", action="store_true", help="measure the time and memory of each line")
