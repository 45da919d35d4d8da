"""Lowering of statements and control flow."""
