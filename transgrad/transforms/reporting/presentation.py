"""Source, line map, explanations, viewer and exported modules of a derivative."""
from __future__ import annotations

import inspect
import pathlib
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, cast

from ...emit.text import Origin
from ...errors import UnsupportedCall, UnsupportedSyntax
from ...ir.ops import Function
from ...services import compact_html, view_page
from .. import compiling
from ..argument_likeness import made_like
from ..arguments import bind
from ..variants import Variant
from .explain import Explanation, explain, explain_call

if TYPE_CHECKING:
    from ...view import View
    from ..derivative import Derivative

__all__ = ["Shown"]


class Shown:
    """The attributes and methods of a `Derivative` that show it."""

    __name__: str
    __signature__: inspect.Signature
    primal: Callable[..., Any]
    _last: Variant | None
    _variants: dict[Any, list[Variant]]
    _on_arrays: Any

    def variant(self, values: Mapping[str, Any]) -> Any:
        """The variant for these arguments, compiled if it is new."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        found: str = compact_html(self)
        return found

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @property
    def source(self) -> str:
        return self._current().source

    @property
    def ir(self) -> Function:
        return self._current().ir

    @property
    def file(self) -> str:
        """The file of the source that ran last, where a debugger can set a breakpoint."""
        return str(inspect.unwrap(self._current().function).__code__.co_filename)

    @property
    def source_map(self) -> dict[int, Origin]:
        """The statement of the function behind each line of `source` that has one.

        Examples
        --------
        >>> import math
        >>> import transgrad as tg
        >>> def f(x):
        ...     y = math.sin(x)
        ...     return y
        >>> g = tg.grad(f)
        >>> g(0.0)
        1.0
        >>> [(origin.text, origin.part) for origin in g.source_map.values()]
        [('def f(x):', 'primal'), ('y = math.sin(x)', 'adjoint')]
        """
        return self._current().source_map

    @property
    def variants(self) -> list[Variant]:
        return [variant for found in self._variants.values() for variant in found]

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        """The loaded text, so that `inspect.getsource` finds it; there is none before something was compiled."""
        if self._last is None:
            raise AttributeError("__wrapped__")
        return self._last.function

    def _current(self) -> Variant:
        if self._last is None:
            values = compiling.example_arguments(self.__signature__)
            try:
                self._last = self.variant(values)
            except (UnsupportedSyntax, UnsupportedCall) as refusal:
                missing = ", ".join(compiling.unknown(values))
                if not missing:
                    raise
                raise type(refusal)(f"the source depends on the types of {missing}, which are not known yet ({refusal.reason})",
                                    refusal.loc, f"call {self.__name__} first, or use {self.__name__}.source_for(…)") from None
        return self._last

    def source_for(self, /, *args: Any, **kwargs: Any) -> str:
        """Return the generated source for arguments like these, without running it.

        Parameters
        ----------
        *args, **kwargs
            Arguments as for a call.

        Returns
        -------
        str
            Python source.
        """
        source: str = self.variant_for(args, kwargs).source
        return source

    def variant_for(self, args: Iterable[Any], kwargs: Mapping[str, Any]) -> Any:
        """The variant a call with these arguments would run."""
        return self.variant(bind(self.primal, self.__signature__, tuple(args), kwargs))

    def prepare(self, /, *args: Any, **kwargs: Any) -> Self:
        """Compile a variant for arguments like these, without running it, and return the derivative.

        `source`, `ir` and the other attributes then refer to this variant.
        """
        self._last = self.variant_for(args, kwargs)
        return self

    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Report the compiled and the taped functions, and the active and the saved values.

        Parameters
        ----------
        *args, **kwargs
            Arguments as for a call, or none. With arguments, the forward sweep runs once, and the report includes the number
            of bytes that are stored for them.

        Returns
        -------
        str
            A few lines for each variant.
        """
        if not args and not kwargs:
            self._current()
            return Explanation(explain(cast("Derivative", self)))
        return Explanation(explain_call(cast("Derivative", self), bind(self.primal, self.__signature__, args, kwargs)))

    def view(self, /, *args: Any, **kwargs: Any) -> View:
        """Return an HTML page that shows the function and its derivative side by side.

        Parameters
        ----------
        *args, **kwargs
            Arguments as for a call, or none. With arguments, both functions run once, and the page shows the values of each
            line and the bytes that are saved for the reverse sweep.

        Returns
        -------
        View
            It displays itself in a notebook; ``.save("page.html")`` writes it to a file, and ``.show()`` opens a browser.
        """
        page: View = view_page(self, bind(self.primal, self.__signature__, args, kwargs) if args or kwargs else None)
        return page

    def export(self, path: str | pathlib.Path, standalone: bool = True) -> pathlib.Path:
        """Write the source of the variant that ran last as a module that does not need transgrad.

        Parameters
        ----------
        path : str or Path
            The file.
        standalone : bool, default True
            Whether helper functions of the user are copied into the module. Otherwise the module imports them.

        Returns
        -------
        Path
            The file.
        """
        path = pathlib.Path(path)
        path.write_text(self.exported(standalone), encoding="utf-8")
        return path

    def exported(self, standalone: bool = True) -> str:
        """The source that `export` writes."""
        from ..export import module_text
        variant = self._current()
        on_arrays = self._on_arrays.variant(made_like(variant.like)) if variant.on_floats and variant.like is not None else None
        return module_text(variant, standalone, on_arrays)
