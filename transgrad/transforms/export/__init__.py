"""Write a derivative as a module that can be imported without transgrad."""
from .module import module_text

__all__ = ["module_text"]
