"""Programs that keep state in objects, as people write them: differentiated, and compared with Python and with finite differences."""
from . import filters, models, more_simulators, protocols, simulators, structures  # noqa: F401  they register their programs
from .registry import PROGRAMS as ALL

__all__ = ["ALL"]
