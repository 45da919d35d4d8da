"""Derivatives of functions of arrays of other libraries; ``python -m tests.arrays --library NAME`` runs the cases for one library."""
