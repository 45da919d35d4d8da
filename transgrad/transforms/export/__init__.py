"""Write a derivative as a module that can be imported without transgrad."""
from .module import export, module_text

__all__ = ["export", "module_text"]
