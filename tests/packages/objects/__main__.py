"""Print the table; ``--write`` puts it into ``tests/packages/reports/objects.md``; an argument selects programs by a part of their names."""
import sys
from pathlib import Path

from .run import table

only = next((arg for arg in sys.argv[1:] if not arg.startswith("-")), "")
text = table(only)
if "--write" in sys.argv:
    Path(__file__).parents[1].joinpath("reports", "objects.md").write_text(text, encoding="utf-8")
