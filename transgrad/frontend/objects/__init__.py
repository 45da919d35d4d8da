"""Lowering of classes and instances."""
