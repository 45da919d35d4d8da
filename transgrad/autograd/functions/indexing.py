"""The read of elements at places and where masks are set."""
from __future__ import annotations

from typing import Any

from ...rules.registry import rule
from ...rules.static import lifted
from ...runtime import scatter
from ..facts import shows, sizes

__all__ = ["index"]

back: Any = lifted(scatter)


def index(self: Any, indices: tuple[Any, ...]) -> Any:
    """``self[indices]``, row-major."""
    try:
        found = self[indices]
    except IndexError as error:
        raise IndexError(str(error).replace("for axis", "for dimension")) from None
    return found if found.flags.c_contiguous else found.copy()


@rule(index, kind="linear")
def _(g, y, self, indices):
    return back(self, indices, g)


shows(index, self_sym_sizes=sizes)
