"""Transformations that are called inside a function that is being compiled."""
