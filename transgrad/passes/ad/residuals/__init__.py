"""Residuals: the forward values that the reverse part reads; each is saved or recomputed."""
