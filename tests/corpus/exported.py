"""Runs exported modules in an interpreter that has no transgrad, and compares their results: ``python exported.py FOLDER``.

It imports nothing of the tests, which need transgrad; see `tests.corpus.exports`.
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
        if np.asarray(b).dtype.kind not in "fc":
            return np.array_equal(a, b)
        return np.allclose(a, b, rtol=1e-12, atol=1e-14, equal_nan=True)
    if hasattr(b, "__dict__"):
        return type(a).__name__ == type(b).__name__ and same(vars(a), vars(b))
    return a is b or a == b


def is_number(x):
    """Whether a leaf holds floats."""
    return isinstance(x, (float, complex, np.floating, np.complexfloating)) or type(x) is np.ndarray and x.dtype.kind in "fc"


def mapped(change, x):
    """Apply a function to the numbers in a structure of tuples, lists and dicts."""
    if is_number(x):
        return change(x)
    if isinstance(x, tuple):
        items = [mapped(change, item) for item in x]
        return type(x)(*items) if hasattr(x, "_fields") else tuple(items)
    if type(x) is list:
        return [mapped(change, item) for item in x]
    return {k: mapped(change, v) for k, v in x.items()} if type(x) is dict else x


def has_numbers(x):
    """Whether a structure holds floats."""
    found = []
    mapped(found.append, x)
    return bool(found)


def stacked(x):
    """Three examples, along a new first axis."""
    return mapped(lambda a: np.stack([a, 1.03 * np.asarray(a), 0.98 * np.asarray(a)]), x)


def unchanged(x):
    return x


def scaled(x):
    return x * type(x)(1.03) if not isinstance(x, np.ndarray) else (x * 1.03).astype(x.dtype)


def negated(x):
    return -x


def in_single_precision(x):
    return x.astype(np.float32 if x.dtype.kind == "f" else np.complex64) if isinstance(x, np.ndarray) else x


def twice_as_long(x):
    return np.concatenate([x, x]) if isinstance(x, np.ndarray) and x.ndim else x


def run(function, args, kwargs):
    """Calls a function with copies, with the same random numbers and without warnings."""
    random.seed(0)
    np.random.seed(0)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*copy.deepcopy(args), **copy.deepcopy(kwargs))


def compared(function, calls):
    """The differences between a function and the expected outcomes of calls, one line each."""
    problems = []
    for args, kwargs, kind, expected in calls:
        try:
            found = run(function, args, kwargs)
        except Exception as error:
            allowed = kind == "raises" or kind == "other variant" and isinstance(error, AssertionError) and str(error)
            if not allowed:
                problems.append(f"{kind}: {type(error).__name__}: {error}")
            continue
        if kind == "raises":
            problems.append("no error where the derivative raises one")
        elif not same(found, expected):
            problems.append(f"{kind}: {found!r} is not {expected!r}")
    return [" ".join(problem.split()) for problem in problems]


def main(folder):
    """Print one line for each module that differs: its name and the first difference."""
    failed = 0
    sys.path.insert(0, str(folder))
    for name, entry, calls in pickle.loads((folder / "calls.pickle").read_bytes()):
        try:
            problems = compared(getattr(importlib.import_module(name), entry), calls)
        except Exception as error:
            problems = [f"{type(error).__name__}: {error}"]
        if problems:
            failed += 1
            print(f"{name}: {problems[0]}")
    return failed


if __name__ == "__main__":
    sys.modules["transgrad"] = None     # as if it were not installed
    sys.exit(bool(main(pathlib.Path(sys.argv[1]))))
