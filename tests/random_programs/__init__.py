"""Random programs in the subset of Python that must compile, with an oracle: ``python -m tests.random_programs --count 2000``."""
