"""A case as the text of a scalar function of what is differentiated: what the compiler and the tape are given of it."""
from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from .cases import Case


def is_quantity(x: Any) -> bool:
    """Whether ``x`` is, or is a list of, real or complex numbers."""
    if isinstance(x, (list, tuple)):
        return bool(x) and all(map(is_quantity, x))
    return isinstance(x, (float, complex)) or isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "fc"


#: functions of lists of arrays, whose items are differentiated one by one
_OF_LISTS = (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.linalg.multi_dot)


def _have_one_rank(items: Any) -> bool:
    return all(isinstance(v, np.ndarray) for v in items) and len({v.ndim for v in items}) == 1


def scalar_function(case: Case) -> tuple[Callable[..., Any], list[Any]]:
    """A real function of the differentiated arguments of a case (the weighted sum of its results), and their values."""
    fixed, without = case.kwargs.get("fixed", ()), case.kwargs.get("without", ())
    space: dict[str, Any] = {"np": np, "fn": case.fn}
    names, values, given = [], [], []

    def argument(name: str, x: Any, keep: bool) -> str:
        if case.fn in _OF_LISTS and type(x) in (list, tuple) and _have_one_rank(x):
            items = "".join(f"{argument(f'{name}_{j}', v, False)}, " for j, v in enumerate(x))
            return f"[{items}]" if type(x) is list else f"({items})"
        if is_quantity(x) and not keep:
            names.append(name)
            values.append(x)
            return name
        if isinstance(x, (int, str, type(None), slice)) or isinstance(x, (list, tuple)) and not any(isinstance(v, np.ndarray) for v in x):
            return "..." if x is Ellipsis else repr(x).replace("Ellipsis", "...").replace("inf", "np.inf")
        space[f"c_{name}"] = x
        return f"c_{name}"

    for k, x in enumerate(case.args):
        given.append(argument(f"a{k}", x, k in fixed))
    given += [f"{k}={argument(k, v, k in fixed)}" for k, v in case.options.items()]
    with np.errstate(all="ignore"):
        y = case.fn(*case.args, **case.options)
    rng = np.random.default_rng(len(names))
    terms = []

    def weigh(part: str, r: Any) -> None:
        if isinstance(r, (tuple, list)):
            for k, v in enumerate(r):
                if part != "y" or k not in without:
                    weigh(f"{part}[{k}]", v)
        elif is_quantity(r):
            name = f"w{len(terms)}"
            space[name] = rng.normal(size=np.shape(r)) * (1.0 - 0.5j if np.iscomplexobj(r) else 1.0)
            terms.append(f"np.sum(np.real({name} * {part}))" if np.iscomplexobj(r) else f"np.sum({name} * {part})")

    weigh("y", y)
    text = f"def f({', '.join(names)}):\n    y = fn({', '.join(given)})\n    return {' + '.join(terms)}\n"
    file = f"<case {abs(hash((str(case), text)))}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    exec(compile(text, file, "exec"), space)
    return space["f"], values
