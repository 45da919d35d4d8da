"""The read of elements at places and where masks are set."""
from __future__ import annotations

from typing import Any

from ...rules.registry import rule
from ...rules.static import lifted
from ...runtime import scatter
from ..facts import shows, sizes
from ..layouts import OWN, indexed

__all__ = ["index"]

back: Any = lifted(scatter)


def index(self: Any, indices: tuple[Any, ...]) -> Any:
    """``self[indices]``."""
    try:
        found = self[indices]
    except IndexError as error:
        raise IndexError(str(error).replace("for axis", "for dimension")) from None
    return indexed(found, self, indices)


@rule(index, kind="linear")
def _(g, y, self, indices):
    return back(self, indices, g)


OWN.add(index)
shows(index, self_sym_sizes=sizes)
