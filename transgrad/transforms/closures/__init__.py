"""Share variants among functions with the same code: closures and lambdas that are made at each call of the function around them."""
from .family import Family, clear, compiled, family_of, find, is_made_by_call, models_of
from .template import SharedVariant

__all__ = ["Family", "SharedVariant", "clear", "compiled", "family_of", "find", "is_made_by_call", "models_of"]
