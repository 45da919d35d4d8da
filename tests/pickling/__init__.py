"""Derivatives that travel between processes: every transformation of 40 functions by every transport.

``python -m tests.pickling`` runs the whole product; the tests run a fixed sample.
"""
