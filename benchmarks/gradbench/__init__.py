"""transgrad as a tool of GradBench, the public benchmark of automatic differentiation across languages.

``python -m benchmarks.gradbench`` reads messages from standard input, one JSON object per line, and answers each on standard output, as
the protocol of GradBench asks.  ``TRANSGRAD_BACKEND`` (``numpy``, the default, ``numba`` or ``auto``) selects the back end.
``python -m benchmarks.gradbench.ratios`` prints the time of each derivative over its primal.
"""
