"""Pickling of callables that are made from functions, and locks in forked processes."""
from .by_value import NAMELESS
from .locks import reentrant_lock
from .rebuilt import Rebuilt, is_global, place_of, portable, usable

__all__ = ["NAMELESS", "Rebuilt", "is_global", "place_of", "portable", "reentrant_lock", "usable"]
