"""Differentiation: reverse mode, forward mode, and the values that are saved in between."""
