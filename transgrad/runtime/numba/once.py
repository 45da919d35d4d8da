"""Compiles the functions of a text once: those that only other machine code calls are optimised with the function that Python calls.

Numba optimises a function and makes machine code of it, and does both again in each function that calls it, directly or not.  Of what is
called from machine code alone, only the last of these times is of use.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from numba import njit
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

__all__ = ["InnerCompiler", "njit_inner", "njit_outer"]


class _Inner(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that other functions take over as it is; no machine code is made of it."""

    def __init__(self, codegen: Any, name: str):
        super().__init__(codegen, name)
        #: what the code refers to by name, such as the exceptions that it raises
        self.environments: list[tuple[str, Any]] = []

    @property
    def codegen(self) -> Any:
        return _Environments(self)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0


class _Environments:
    """Keeps the environment of a function until there is machine code that reads it."""

    def __init__(self, library: _Inner):
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library._codegen, name)

    def set_env(self, name: str, env: Any) -> None:
        self._library.environments.append((name, env))


class _Outer(JITCodeLibrary):  # type: ignore[misc]
    """The code of a function that Python calls, with that of the functions it calls."""

    def _finalize_final_module(self) -> None:
        super()._finalize_final_module()
        known = {v.name for v in self._final_module.global_variables}
        for library in _inner_libraries(self, set()):
            for name, env in library.environments:
                if name in known:
                    self._codegen.set_env(name, env)


def _inner_libraries(library: Any, seen: set[int]) -> Iterator[_Inner]:
    """Those that are linked into a library, directly or not."""
    for linked in library._linking_libraries:
        if id(linked) not in seen:
            seen.add(id(linked))
            if isinstance(linked, _Inner):
                yield linked
            yield from _inner_libraries(linked, seen)


class _Compiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, which puts the code into a library of ours."""

    library: Any = None

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        if self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()
        return super().compile_extra(func)


class InnerCompiler(_Compiler):
    """For functions that only machine code calls."""

    library = _Inner


class _OuterCompiler(_Compiler):
    library = _Outer


def njit_inner(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` for a function that only functions call which are compiled by `njit_inner` or `njit_outer`."""
    decorator: Callable[[Callable[..., Any]], Any] = njit(
        pipeline_class=InnerCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True, **settings)
    return decorator


def njit_outer(**settings: Any) -> Callable[[Callable[..., Any]], Any]:
    """``numba.njit`` for a function that Python calls, and which calls functions compiled by `njit_inner`."""
    decorator: Callable[[Callable[..., Any]], Any] = njit(pipeline_class=_OuterCompiler, **settings)
    return decorator
