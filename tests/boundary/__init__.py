"""Containers at the boundary of a derivative: every kind of container, given whole to every function that takes one, under every
transformation; structure, shapes, dtypes and values are compared with finite differences.

``python -m tests.boundary`` runs the whole product with new random numbers; the tests run a fixed sample.
"""
