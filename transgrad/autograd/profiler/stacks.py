"""The user's lines that called an operation."""
from __future__ import annotations

import sys
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[2])


def source_lines() -> list[str]:
    """``file(line): function`` for each frame outside this package, innermost first."""
    frame = sys._getframe(1)
    lines = []
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith((_PACKAGE, "<")):
            lines.append(f"{code.co_filename}({frame.f_lineno}): {code.co_name}")
        frame = frame.f_back  # type: ignore[assignment]
    return lines
