"""Analyses: computed on demand, cached by the pass manager, and free of side effects on the function."""
