"""Pages of the tape's functions: signature, example and result of each name.

``tape_examples.txt`` has the examples; the build runs them. A line is ``NAME: STATEMENT; …; EXPRESSION``. The namespace has ``tg``, ``np``
and ``io``, and the random numbers start from seed 0.
"""
from __future__ import annotations

import inspect
import io
import pathlib
import re
import warnings
from functools import cache

import numpy as np

import transgrad as tg

#: Names on one page, so that no page is too large.
PAGE_OF_NAMES = 180
PATH = pathlib.Path(__file__).with_name("tape_examples.txt")


@cache
def examples() -> dict[str, str]:
    """The code of each example, by name: ``tg.abs``, ``tg.nn.ReLU``."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if not line.startswith("#"))


def result(code: str) -> str:
    """The representation of the value of an example, on one line."""
    *statements, expression = code.split("; ")
    space: dict[str, object] = {"tg": tg, "np": np, "io": io}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tg.manual_seed(0)
        for statement in statements:
            exec(statement, space)
        return " ".join(repr(eval(expression, space)).split())


def _signature(value: object) -> str:
    if not callable(value):
        return ""
    try:
        text = str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).removesuffix(" -> Any")     # annotations that are strings
    return text if len(text) < 160 else f"{text[:text.rindex(',', 0, 140)]}, …)"


def _entry(name: str, value: object, code: str) -> str:
    """An entry of a definition list: the call, and an example with its result or the first sentence of the docstring."""
    if code:
        text = f"`{code}`<br>`{result(code)}`"
    else:
        text = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ") or "As in PyTorch."
    return f"`{name}{_signature(value)}`\n: {text}\n"


def pages() -> dict[str, str]:
    """The pages of all namespaces, and their index."""
    from tests.conformance.public import names_of_pytorch, place
    from transgrad.absent import CLASSES
    out, index = {}, []
    for namespace, names in names_of_pytorch().items():
        own = namespace.replace("torch", "tg", 1)
        absent = {name for c in CLASSES for name in c.names.get(namespace, ())}
        more = {name.rpartition(".")[2] for name in examples() if name.rpartition(".")[0] == own}
        owner = place(namespace, "transgrad")
        rows = []
        for name in sorted((set(names) | more) - absent, key=str.lower):
            value, code = getattr(owner, name, None), examples().get(f"{own}.{name}", "")
            if callable(value) or code:
                rows.append((name, _entry(name, value, code)))
        for k in range(0, len(rows), PAGE_OF_NAMES):
            part = rows[k:k + PAGE_OF_NAMES]
            page = f"tape-{namespace.replace('.', '-')}{'' if len(rows) <= PAGE_OF_NAMES else f'-{1 + k // PAGE_OF_NAMES}'}"
            title = namespace if len(rows) <= PAGE_OF_NAMES else f"{namespace}: {part[0][0]} to {part[-1][0]}"
            out[page] = "\n".join([f"# {title}", "", *(row for _, row in part)])
            index.append(f"| [{title}]({page}.md) | {len(part)} |")
    out["tape-names"] = "\n".join([
        "# Names of the tape", "",
        "`import transgrad as torch` provides these names. They behave as the documentation of PyTorch says, except for the",
        "[differences](torch-compatibility.md#differences). Signatures are transgrad's. The examples ran when this site was built, with",
        "`import transgrad as tg` and after `tg.manual_seed(0)`.", "",
        "| namespace | names |", "|---|--:|", *index, "", "```{toctree}", ":hidden:", "", *(p for p in out), "```", ""])
    return out
