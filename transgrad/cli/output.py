"""Output of the commands: colored source in a terminal, plain source elsewhere."""
from __future__ import annotations

import sys

__all__ = ["print_error", "print_source"]


def print_source(text: str) -> None:
    """Print Python source, highlighted in a terminal."""
    if not sys.stdout.isatty():
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        return
    from rich.console import Console
    from rich.syntax import Syntax
    Console().print(Syntax(text.rstrip(), "python", theme="ansi_dark", background_color="default", word_wrap=False), soft_wrap=True)


def print_error(message: str, code: int) -> int:
    """Print a message to the error stream and return the exit code."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.markup import escape
        Console(stderr=True).print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True, highlight=False)
    else:
        print(f"error: {message}", file=sys.stderr)
    return code
