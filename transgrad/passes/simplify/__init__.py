"""Simplifies functions: dead code, equal expressions, needless copies, what a loop computes anew in each turn."""
