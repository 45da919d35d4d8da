"""Vectorization: several operations on rows, parts or iterations become one operation on an array."""
