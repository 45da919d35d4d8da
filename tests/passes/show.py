"""Runs single passes over plain functions, so that a test can show the text before and after."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import transgrad.emit as emit
from transgrad import frontend
from transgrad.ir import interp, verify
from transgrad.ir.clone import clone_function
from transgrad.ir.ops import Function
from transgrad.passes import entry_points


def lowered(f: Callable[..., Any], *args: Any, wrt: str = "x") -> Function:
    """The verified IR of a function."""
    names = list(inspect.signature(f).parameters)
    fn = frontend.lower(f, dict(zip(names, args)), set(wrt.split(",")))
    verify.verify(fn)
    return fn


def text(fn: Function) -> str:
    """The emitted text."""
    return emit.emit(fn).text


def after(rewrite: Callable[[Function], Any], f: Callable[..., Any], *args: Any, wrt: str = "x") -> str:
    """The text of a copy of a function after a pass that rewrites it, which has to leave it well formed and its value as it was."""
    fn = clone_function(lowered(f, *args, wrt=wrt))
    before = interp.call(fn, list(args)) if _plain(args) else None
    rewrite(fn)
    verify.verify(fn)
    if before is not None:
        assert interp.call(fn, list(args)) == before
    return text(fn)


def _plain(args: tuple[Any, ...]) -> bool:
    return all(isinstance(a, (int, float)) for a in args)


def gradient(f: Callable[..., Any], *args: Any, wrt: str = "x") -> str:
    """The text of the gradient, verified."""
    fn = entry_points.reverse(lowered(f, *args, wrt=wrt), wrt.split(","))
    verify.verify(fn)
    return text(fn)
