"""``nan="raise"``: stop a derivative at the first NaN or infinity that it computes."""
from .check import check_result
from .load import load_checked

__all__ = ["check_result", "load_checked"]
