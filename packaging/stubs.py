"""Write ``transgrad/__init__.pyi``: the names at the top of the package, with those of the tape, which are found at run time.

    python packaging/stubs.py
"""
from __future__ import annotations

import ast
import inspect
import keyword
import pathlib
import sys
import types
from typing import Any

ROOT = pathlib.Path(__file__).parents[1]
PATH = ROOT / "transgrad" / "__init__.pyi"


def text() -> str:
    """The stub."""
    sys.path.insert(0, str(ROOT))
    import transgrad
    from transgrad.lazy import names
    source = ast.parse((ROOT / "transgrad" / "__init__.py").read_text())
    imports = [node for node in source.body if isinstance(node, ast.ImportFrom)]
    own = {alias.asname or alias.name for node in imports for alias in node.names} | {"load_ipython_extension"}
    lines = ['"""Types of the names at the top of the package; written by ``packaging/stubs.py``."""',
             "import builtins", "from typing import Any", ""]
    modules = sorted(n for n in names() if isinstance(getattr(transgrad, n), types.ModuleType))
    for node in imports:
        parts = ", ".join(f"{a.name} as {a.asname or a.name}" for a in node.names)
        lines.append(f"from {'.' * node.level}{node.module} import ({parts})")
    lines += [f"from . import {name} as {name}" for name in modules if name != "random"]
    lines += ["from .autograd.dtype_objects import dtype as dtype", "from .autograd.tensor import Tensor as Tensor", "",
              "__version__: builtins.str", "", "def load_ipython_extension(shell: builtins.object) -> None: ..."]
    done = own | set(modules) | {"dtype", "Tensor"}
    others = [name for name in names() if name not in done and name.isidentifier() and not keyword.iskeyword(name) and name[0] != "_"]
    stubs = [_stub(name, getattr(transgrad, name), transgrad) for name in others]
    at = lines.index("__version__: builtins.str") - 1
    lines[at:at] = [line for line in stubs if line.startswith("from ")]
    lines += [line for line in stubs if not line.startswith("from ")]
    return "\n".join(lines) + "\n"


def _stub(name: str, obj: Any, transgrad: Any) -> str:
    if type(obj) is transgrad.dtype:
        return f"{name}: dtype"
    if isinstance(obj, (bool, int, float)):
        return f"{name}: builtins.{type(obj).__name__}"
    if isinstance(obj, type) and getattr(sys.modules.get(obj.__module__), obj.__name__, None) is obj and \
            obj.__module__.startswith("transgrad."):
        return f"from {obj.__module__.removeprefix('transgrad')} import {obj.__name__} as {name}"
    if isinstance(obj, type):
        body = "    def __init__(self, *args: Any, **kwargs: Any) -> None: ...\n    def __getattr__(self, name: str) -> Any: ..."
        return f"class {name}:\n{body}"
    if callable(obj):
        return f"def {name}({_parameters(obj)}) -> Any: ..."
    return f"{name}: Any"


def _parameters(f: Any) -> str:
    """The parameters by name, where they are known and simple."""
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):
        return "*args: Any, **kwargs: Any"
    out, seen_slash, star = [], False, False
    for p in signature.parameters.values():
        if not p.name.isidentifier() or keyword.iskeyword(p.name):
            return "*args: Any, **kwargs: Any"
        if p.kind is p.POSITIONAL_ONLY:
            seen_slash = True
        elif seen_slash:
            out.append("/")
            seen_slash = False
        if p.kind is p.KEYWORD_ONLY and not star:
            out.append("*")
            star = True
        mark = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        star = star or mark == "*"
        out.append(f"{mark}{p.name}: Any" + (" = ..." if p.default is not p.empty else ""))
    return ", ".join([*out, *(["/"] if seen_slash else [])])


if __name__ == "__main__":
    PATH.write_text(text())
