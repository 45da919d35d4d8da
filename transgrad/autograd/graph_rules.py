"""Rules that `create_graph` uses in place of the table's, so that derivative graphs have the nodes of torch's.

The table states ``2 * x * g`` for a square, which a further derivative does not follow to an end: torch multiplies by ``x ** 1``, whose
derivative is recorded as well, and ends in zeros that require no grad. Both give the same numbers.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["graph_rule", "rule_on_tensors"]

_RULES: dict[Any, Callable[..., Any]] = {}


def graph_rule(*fns: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Have the nodes of ``fns`` use the decorated rule on Tensors.

    It reads no argument whose value the table's rule does not read.
    """
    def put(vjp: Callable[..., Any]) -> Callable[..., Any]:
        for fn in fns:
            _RULES[fn] = vjp
        return vjp
    return put


def rule_on_tensors(fn: Any) -> Callable[..., Any] | None:
    """The rule that `graph_rule` has set for a function."""
    return _RULES.get(fn)
