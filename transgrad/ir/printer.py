"""Prints IR as text, for people and for tests of passes."""
from __future__ import annotations

import operator
from typing import Any

from .ops import (
    Block,
    Build,
    Call,
    CallValue,
    For,
    Function,
    GetAttr,
    If,
    Invoke,
    Lit,
    Op,
    Raise,
    SetAttr,
    Star,
    Try,
    Value,
    While,
    With,
)

__all__ = ["print_function"]


class _Printer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[Value, str] = {}
        self.count = 0

    def name(self, x: Any) -> str:
        if isinstance(x, Star):
            return "*" + self.name(x.value)
        if isinstance(x, Lit):
            value = x.value
            return x.text or (getattr(value, "__qualname__", None) or repr(value))
        if x not in self.names:
            self.names[x] = f"%{self.count}" + (f".{x.name}" if x.name else "")
            self.count += 1
        return self.names[x]

    def typed(self, v: Value) -> str:
        return f"{self.name(v)}: {v.type}"

    def list(self, xs: Any) -> str:
        return ", ".join(map(self.name, xs))

    def block(self, block: Block, depth: int, end: str = "yield") -> None:
        for op in block.ops:
            self.op(op, depth)
        if block.yields or end == "return":
            self.put(depth, f"{end} {self.list(block.yields)}".rstrip())

    def put(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)

    def op(self, op: Op, depth: int) -> None:
        head = ", ".join(map(self.typed, op.results))
        head = head + " = " if head else ""
        match op:
            case Call():
                args = [*map(self.name, op.args), *(f"{k}={self.name(v)}" for k, v in op.kwargs.items())]
                self.put(depth, f"{head}{_fn_name(op.fn)}({', '.join(args)})")
            case Invoke():
                self.put(depth, f"{head}invoke {op.func.name}({self.list(op.args)})")
            case CallValue():
                args = [*map(self.name, op.args), *(f"{k}={self.name(v)}" for k, v in op.kwargs.items())]
                method = f".{op.method}" if op.method else ""
                self.put(depth, f"{head}call {self.name(op.callee)}{method}({', '.join(args)})")
            case Build():
                self.put(depth, f"{head}{op.cls.__name__ if op.cls else op.kind}({self.list(op.items)})")
            case GetAttr():
                self.put(depth, f"{head}{self.name(op.obj)}.{op.name}")
            case SetAttr():
                self.put(depth, f"{self.name(op.obj)}.{op.name} = {self.name(op.value)}")
            case If():
                self.put(depth, f"{head}if {self.name(op.cond)}")
                self.block(op.then, depth + 1)
                self.put(depth, "else")
                self.block(op.orelse, depth + 1)
            case For():
                sources = ", ".join(("reversed " if s.reverse else "") + f"{s.kind}({self.list(s.operands)})" for s in op.sources)
                n = len(op.body.params) - len(op.inits)
                carried = ", ".join(f"{self.typed(p)} = {self.name(i)}" for p, i in zip(op.body.params[n:], op.inits))
                stops = " stops" if op.stops else ""
                self.put(depth, f"{head}for {self.list(op.body.params[:n])} in {sources} carry ({carried}){stops}")
                self.block(op.body, depth + 1)
            case While():
                carried = ", ".join(f"{self.typed(p)} = {self.name(i)}" for p, i in zip(op.body.params, op.inits))
                self.put(depth, f"{head}while carry ({carried})" + (" stops" if op.stops else ""))
                self.put(depth + 1, f"cond({self.list(op.cond.params)})")
                self.block(op.cond, depth + 2)
                self.put(depth + 1, "body")
                self.block(op.body, depth + 2)
            case Try():
                self.put(depth, f"{head}try")
                self.block(op.body, depth + 1)
                for h in op.handlers:
                    self.put(depth, f"except {self.name(h.classes) if h.classes is not None else ''}({self.list(h.body.params)})")
                    self.block(h.body, depth + 1)
                if op.final:
                    self.put(depth, "finally")
                    self.block(op.final, depth + 1)
            case With():
                self.put(depth, f"{head}with {self.name(op.ctx)} as ({self.list(op.body.params)})")
                self.block(op.body, depth + 1)
            case Raise():
                self.put(depth, f"raise {self.name(op.exc) if op.exc is not None else ''}")


def _fn_name(fn: Any) -> str:
    if getattr(fn, "__module__", None) in ("_operator", "operator") or getattr(operator, getattr(fn, "__name__", ""), None) is fn:
        return str(fn.__name__)
    return str(getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or repr(fn))


def print_function(fn: Function) -> str:
    """Print the IR of a function."""
    p = _Printer()
    p.put(0, f"func {fn.name}({', '.join(map(p.typed, fn.params))})")
    p.block(fn.body, 1, end="return")
    return "\n".join(p.lines)
