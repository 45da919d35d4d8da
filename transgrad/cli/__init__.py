"""The command line: show, export, explain and check the derivative of a function."""
from .main import main

__all__ = ["main"]
