"""The comparison of derivatives with finite differences and of one mode with the other.

One comparison serves ``tg.check``, ``transgrad.testing.check_grad``, ``transgrad check`` and ``TRANSGRAD_CHECK=1``.
"""
from .api import check
from .report import DerivativeError, DerivativeWarning, NothingCompared, Report, Row

__all__ = ["DerivativeError", "DerivativeWarning", "NothingCompared", "Report", "Row", "check"]
