"""Runs the whole product: ``python -m tests.pickling [--functions a,b] [--transformations a,b] [--transports a,b]``."""
from __future__ import annotations

import argparse
import os
import tempfile

from .functions import FUNCTIONS
from .run import compared
from .transformations import TRANSFORMATIONS
from .transports import TRANSPORTS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    parser.add_argument("--transformations", default=";".join(TRANSFORMATIONS), help="separated by semicolons")
    parser.add_argument("--transports", default=",".join(TRANSPORTS))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRANSGRAD_CACHE"] = folder
        total, failed, wrong = compared(given.functions.split(","), given.transformations.split(";"), given.transports.split(","))
    print("\n".join(wrong))
    print(f"{len(FUNCTIONS)} functions, {len(TRANSFORMATIONS)} transformations, {len(TRANSPORTS)} transports: {total} results compared, "
          f"{failed} of them the same exception here and there, {len(wrong)} differ")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
