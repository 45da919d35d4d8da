"""Magics for IPython and Jupyter: ``%load_ext transgrad``.

``%%grad [-o NAME] [options]`` runs a cell and differentiates the last function that it defines; ``%tgview f(arguments)``
shows the viewer.
"""
from __future__ import annotations

import argparse
import ast
import shlex
from typing import Any

from .api import grad, value_and_grad
from .transforms.arguments import bind
from .view import view

__all__ = ["Magics", "load"]


class Magics:
    """The magics of one shell."""

    def __init__(self, shell: Any):
        self.shell = shell

    def grad(self, line: str, cell: str) -> Any:
        """Run the cell, and define and show the gradient of the last function that it defines.

        ``%%grad --argnums 0,1 --args 'np.ones(3), 2.0' -o g`` differentiates with respect to two arguments, for these arguments,
        and calls the gradient ``g`` (by default ``grad_`` and the name of the function).
        """
        parser = argparse.ArgumentParser(prog="%%grad", add_help=False)
        parser.add_argument("-o", "--output")
        parser.add_argument("--argnums", default="0")
        parser.add_argument("--args")
        parser.add_argument("--value", action="store_true")
        options = parser.parse_args(shlex.split(line))
        name = _last_function(cell)
        if name is None:
            raise ValueError("%%grad: the cell defines no function")
        result = self.shell.run_cell(cell)
        result.raise_error()
        numbers = tuple(int(k) for k in options.argnums.split(","))
        make = value_and_grad if options.value else grad
        derivative = make(self.shell.user_ns[name], argnums=numbers if len(numbers) > 1 else numbers[0])
        self.shell.user_ns[options.output or derivative.__name__] = derivative
        if options.args is not None:
            self.shell.user_ns["_transgrad_derivative"] = derivative
            try:
                self.shell.ev(f"_transgrad_derivative.prepare({options.args})")
            finally:
                del self.shell.user_ns["_transgrad_derivative"]
        return derivative

    def view(self, line: str) -> Any:
        """Show the viewer: ``%tgview g(x, 2.0)`` for a derivative and its arguments, ``%tgview g`` without, ``-p`` to profile."""
        profile = line.startswith("-p ")
        line = line.removeprefix("-p ").strip()
        call = ast.parse(line, mode="eval").body
        if not isinstance(call, ast.Call):
            return _derivative(self.shell.ev(line)).view()
        derivative = _derivative(self.shell.ev(ast.unparse(call.func)))
        call.func = ast.Name("dict_of_arguments", ast.Load())
        self.shell.user_ns["dict_of_arguments"] = lambda *args, **kwargs: bind(derivative.primal, derivative.__signature__, args, kwargs)
        try:
            values = self.shell.ev(ast.unparse(ast.fix_missing_locations(call)))
        finally:
            del self.shell.user_ns["dict_of_arguments"]
        return view(derivative, values, profile)


def _derivative(f: Any) -> Any:
    """Return a derivative unchanged, or the gradient of a plain function."""
    return f if hasattr(f, "view") else grad(f)


def _last_function(cell: str) -> str | None:
    found = [node.name for node in ast.parse(cell).body if isinstance(node, ast.FunctionDef)]
    return found[-1] if found else None


def load(shell: Any) -> None:
    """Register the magics; ``%load_ext transgrad`` calls this function."""
    magics = Magics(shell)
    shell.register_magic_function(magics.grad, "cell", "grad")
    shell.register_magic_function(magics.view, "line", "tgview")
