"""Simplification: dead code, common subexpressions, redundant copies, loop-invariant code."""
