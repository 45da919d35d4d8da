"""Runs exported modules in an interpreter that has no transgrad, and compares their results: ``python exported.py FOLDER``.

It imports nothing of the tests, which need transgrad; see `tests.corpus.test_exported`.
"""
import copy
import importlib
import pathlib
import pickle
import random
import sys
import warnings

import numpy as np


def same(a, b):
    """Whether two results agree: in structure, type, shape, dtype and value."""
    if isinstance(b, (list, tuple)):
        return type(a).__name__ == type(b).__name__ and len(a) == len(b) and all(map(same, a, b))
    if isinstance(b, dict):
        return isinstance(a, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in b)
    if isinstance(b, (np.ndarray, np.generic, float, complex)):
        if type(a) is not type(b) or np.shape(a) != np.shape(b) or np.asarray(a).dtype != np.asarray(b).dtype:
            return False
        return np.allclose(a, b, rtol=1e-12, atol=1e-14, equal_nan=True)
    if hasattr(b, "__dict__"):
        return type(a).__name__ == type(b).__name__ and same(vars(a), vars(b))
    return a is b or a == b


def run(function, args, kwargs):
    """Calls a function with copies, with the same random numbers and without warnings."""
    random.seed(0)
    np.random.seed(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*copy.deepcopy(args), **copy.deepcopy(kwargs))


def main(folder):
    failed = 0
    sys.path.insert(0, str(folder))
    for name, entry, args, kwargs, expected in pickle.loads((folder / "calls.pickle").read_bytes()):
        try:
            found = run(getattr(importlib.import_module(name), entry), args, kwargs)
            problem = None if same(found, expected) else f"{found!r} is not {expected!r}"
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
        if problem is not None:
            failed += 1
            print(f"{name}: {problem}", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.modules["transgrad"] = None     # as if it were not installed
    sys.exit(bool(main(pathlib.Path(sys.argv[1]))))
