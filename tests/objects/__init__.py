"""Programs that keep state in objects, as people write them: differentiated, and compared with Python and with finite differences."""
from . import (  # noqa: F401  they register their programs
    class_machinery,
    failures,
    filters,
    games,
    iterations,
    learning,
    library,
    models,
    more_simulators,
    physics,
    protocols,
    simulators,
    structures,
    tracking,
)
from .registry import PROGRAMS as ALL

__all__ = ["ALL"]
