"""Lowering of lists, dicts, sets, iterables and iterators."""
