"""Analyses: they compute what other passes ask of a function, and change nothing."""
