"""Elements that a loop reads again, in this turn or the next, are carried in numbers: ``places`` says which element an operation
touches, ``plan`` which of them are worth carrying, ``rewrite`` has the loop carry them."""
from .rewrite import carry_elements

__all__ = ["carry_elements"]
