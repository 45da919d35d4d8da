"""Answer the messages of GradBench: ``python -m benchmarks.gradbench``."""
from __future__ import annotations

import sys

from .protocol import serve

serve(sys.stdin, sys.stdout)
