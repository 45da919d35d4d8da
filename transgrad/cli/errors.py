"""Errors of the command line."""
__all__ = ["TargetError"]


class TargetError(Exception):
    """A target, its arguments or an option is wrong."""
