"""Spellings that were written after the optimizer."""
