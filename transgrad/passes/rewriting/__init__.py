"""Peephole rewriting: patterns over operations, and the engine that applies them until none matches."""
from .engine import Match, Pattern, pattern, rewrite
from .matchers import Add, AnyCall, Apply, Const, Div, Exp, Matcher, Mul, Neg, Number, Pow, Sub, Var, Where

__all__ = ["Add", "AnyCall", "Apply", "Const", "Div", "Exp", "Match", "Matcher", "Mul", "Neg", "Number", "Pattern", "Pow", "Sub", "Var",
           "Where", "pattern", "rewrite"]
