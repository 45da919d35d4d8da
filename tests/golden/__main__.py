"""Record the generated source of the programs: ``python -m tests.golden [NAME ...]``."""
from __future__ import annotations

import os
import pathlib
import sys

os.environ["TRANSGRAD_CACHE"] = "off"
SOURCES = pathlib.Path(__file__).parent / "sources"


def main(names: list[str]) -> int:
    """Write the files, and remove those of programs that are no more."""
    from tests.golden.programs import CASES, source
    for name in names or CASES:
        path, text = SOURCES / f"{name}.py", source(name)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            print(path.name)
    for path in SOURCES.glob("*.py") if not names else ():
        if path.stem not in CASES:
            path.unlink()
            print(path.name, "removed")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
