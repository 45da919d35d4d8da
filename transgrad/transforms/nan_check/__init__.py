"""``nan="raise"``: stop a derivative at the first NaN or infinity that it computes."""
from .check import check_finite
from .load import load_checked

__all__ = ["check_finite", "load_checked"]
