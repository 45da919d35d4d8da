"""The cases: functions of one parameter ``torch`` in the modules of rows, examples and programs."""
from __future__ import annotations

import ast
import importlib
import inspect
import json
import pathlib
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any

HERE = pathlib.Path(__file__).parent
RECORDED = HERE / "recorded"
FAILURES = HERE / "expected_failures.txt"


@dataclass(frozen=True)
class Case:
    """One case: where it is, what it runs, and the expression it stands for when it comes from a table."""

    module: str
    name: str
    run: Callable[[Any], Any]
    function: Callable[..., Any] = field(repr=False)
    text: str | None = None

    @property
    def ours(self) -> bool:
        """Whether PyTorch 2.13 no longer has what the case shows: then the documents are the reference, and each fact must be true."""
        return getattr(self.function, "ours", False)

    @property
    def id(self) -> str:
        return f"{self.module}::{self.name}"

    @property
    def summary(self) -> str:
        """The fact that the case shows: its docstring, or its name in words."""
        doc = inspect.getdoc(self.function)
        return f"`{self.text}`" if self.text is not None else (doc.splitlines()[0] if doc else self.name.replace("_", " "))

    @cached_property
    def trees(self) -> list[ast.AST]:
        """The text of the case: that of its function, or its expression; of what is no Python, its words."""
        if self.text is None:
            return [_parsed(self.function)]
        try:
            return [ast.parse(self.text)]
        except SyntaxError:
            return [ast.parse(repr(self.text))]

    @cached_property
    def words(self) -> set[str]:
        """The names, attributes and words of strings in the text."""
        found = set()
        for node in (n for tree in self.trees for n in ast.walk(tree)):
            found |= {getattr(node, "id", None), getattr(node, "attr", None), node.name if isinstance(node, ast.FunctionDef) else None}
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found |= set(re.findall(r"\w+", node.value))
        return {word for word in found if word}

    @cached_property
    def keywords(self) -> set[tuple[str, str]]:
        """Which call has which keywords."""
        calls = [n for tree in self.trees for n in ast.walk(tree) if isinstance(n, ast.Call)]
        names = [(_called(call), k.arg) for call in calls for k in call.keywords if k.arg]
        return set(names)


@cache
def _parsed(function: Callable[..., Any]) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(function)))


def _called(call: ast.Call) -> str:
    """The last name of what is called: ``backward`` of ``torch.autograd.backward(…)``, also where it is passed on or subscripted."""
    f = call.func
    if isinstance(f, ast.Subscript) and isinstance(f.slice, ast.Constant):
        return str(f.slice.value)
    return (getattr(f, "attr", None) or getattr(f, "id", "")).lstrip("_")


def each(*texts: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make one case of the decorated function for each of the expressions."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.texts = texts  # type: ignore[attr-defined]
        return function

    return mark


def ours(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a case of what the documents have and PyTorch 2.13 has not: it returns facts, which must be true."""
    function.ours = True  # type: ignore[attr-defined]
    return function


def reference(case: Case, seen: Any) -> Any:
    """What ``case`` must show: what PyTorch shows, or the truth of each fact."""
    if case.ours:
        return {fact: True for fact in seen} or {"a fact": True}
    return recorded(case.module).get(case.name, "not recorded")


def modules() -> list[str]:
    return sorted(
        f"{p.parent.name}.{p.stem}"
        for folder in ("rows", "examples", "programs")
        for p in (HERE / folder).glob("*.py")
        if not p.stem.startswith("_")
    )


def cases_of(module: str) -> list[Case]:
    found = []
    loaded = importlib.import_module(f"tests.conformance.{module}")
    for name, function in vars(loaded).items():
        if name.startswith("_") or not inspect.isfunction(function) or function.__module__ != loaded.__name__:
            continue
        if next(iter(inspect.signature(function).parameters), None) != "torch":
            continue
        texts = getattr(function, "texts", None)
        if texts is None:
            found.append(Case(module, name, function, function))
        else:
            found += [Case(module, f"{name}[{text}]", partial(function, text=text), function, text) for text in texts]
    return found


def all_cases() -> list[Case]:
    return [case for module in modules() for case in cases_of(module)]


@cache
def recorded(module: str) -> dict[str, Any]:
    """What PyTorch showed for the cases of a module when it was last recorded."""
    path = RECORDED / f"{module}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def expected_failures() -> set[str]:
    lines = FAILURES.read_text(encoding="utf-8").splitlines() if FAILURES.exists() else []
    return {line for line in lines if line and not line.startswith("#")}
