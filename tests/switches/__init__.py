"""Every suite that compares derivatives, with optimisations switched off: ``python -m tests.switches``."""
