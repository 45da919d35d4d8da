"""The version of the package."""

__all__ = ["VERSION"]

VERSION = "0.2.0"
