"""Lowering of expressions."""
