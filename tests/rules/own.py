"""Which rules and definitions are the package's own: tests, examples in docstrings and the tape register others."""
from __future__ import annotations

from pathlib import Path
from types import CodeType

import transgrad

PACKAGE = Path(transgrad.__file__).parent
RULES = PACKAGE / "rules"


def is_from(code: CodeType, folder: Path) -> bool:
    """Whether code was read from a file below a folder; the code of an example in a docstring belongs to no file."""
    return Path(code.co_filename).is_relative_to(folder)
