"""Whole-loop transformations: distribution, scalar promotion, and the vectorization of reverse loops."""
