"""Functions that the compiler never reads, with derivatives that run on numbers."""
from .primitive import Primitive, primitive
from .specs import ShapeDtypeStruct

__all__ = ["Primitive", "ShapeDtypeStruct", "primitive"]
