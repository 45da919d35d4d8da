"""Run the cases for one library, for machines that have a device: ``python -m tests.arrays --library torch-cuda``."""
from __future__ import annotations

import argparse
import sys
import time
import traceback

import numpy as np

from .cases import CASES
from .harness import LIBRARIES, TRANSFORMATIONS, check, converter


def main() -> int:
    """Return 1 if a case fails, and 2 if the machine has no such arrays."""
    parser = argparse.ArgumentParser(prog="python -m tests.arrays", description=__doc__)
    parser.add_argument("--library", required=True, choices=LIBRARIES)
    parser.add_argument("--only", help="names of functions, separated by commas")
    parser.add_argument("--verbose", action="store_true", help="print tracebacks")
    options = parser.parse_args()
    name = options.library.replace("-cuda", "")
    try:
        converter(options.library)(np.ones(2))
    except Exception as error:      # the package or the device is missing
        print(f"{options.library} arrays cannot be made on this machine: {type(error).__name__}: {error}")
        return 2
    passed, failed, start = 0, [], time.perf_counter()
    for case in CASES:
        if name in case.without or options.only and case.fn.__name__ not in options.only.split(","):
            continue
        for transformation in TRANSFORMATIONS:
            try:
                check(case, options.library, transformation)
                passed += 1
            except Exception as error:
                failed.append(f"{transformation} of {case.fn.__name__}")
                print(f"FAILED {failed[-1]}: {type(error).__name__}: {error}"[:600])
                if options.verbose:
                    traceback.print_exc()
    print(f"{options.library}: {passed} passed, {len(failed)} failed in {time.perf_counter() - start:.1f} s")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
