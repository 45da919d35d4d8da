"""Types of the transformations: see `transgrad.api` for what they do."""
from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

from .transforms.derivative import Derivative
from .transforms.options import Numba, Optimize, Options
from .transforms.transformations import Kind
from .typing import DerivativeOf

__all__ = [
    "compile", "grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "linearize", "value_and_grad", "vjp", "vmap",
]

P = ParamSpec("P")
R = TypeVar("R")
A = TypeVar("A")
ArgNums = int | Sequence[int]
ArgNames = str | Sequence[str] | None
Backend = Literal["numpy", "numba", "auto"] | Numba
Fallback = Literal["tape", "error"]
Nan = Literal["ignore", "raise"]

def derive(kind: Kind, f: Callable[..., Any], argnums: Any, argnames: Any, options: Options) -> Derivative: ...
@overload
def grad(f: Callable[P, tuple[R, A]], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: Literal[True], holomorphic: bool = ...,
         fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., checkpoint: bool | int = ...,
         nan: Nan = ..., progress: bool = ...) -> DerivativeOf[P, tuple[Any, A]]: ...
@overload
def grad(f: Callable[P, Any], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: Literal[False] = ..., holomorphic: bool = ...,
         fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., checkpoint: bool | int = ...,
         nan: Nan = ..., progress: bool = ...) -> DerivativeOf[P, Any]: ...
@overload
def grad(f: None = ..., argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
         fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., checkpoint: bool | int = ...,
         nan: Nan = ..., progress: bool = ...) -> Callable[[Callable[P, Any]], DerivativeOf[P, Any]]: ...
@overload
def value_and_grad(f: Callable[P, tuple[R, A]], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: Literal[True],
                   holomorphic: bool = ..., fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
                   checkpoint: bool | int = ..., nan: Nan = ..., progress: bool = ...) -> DerivativeOf[P, tuple[tuple[R, A], Any]]: ...
@overload
def value_and_grad(f: Callable[P, R], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: Literal[False] = ...,
                   holomorphic: bool = ..., fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
                   checkpoint: bool | int = ..., nan: Nan = ..., progress: bool = ...) -> DerivativeOf[P, tuple[R, Any]]: ...
@overload
def value_and_grad(f: None = ..., argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
                   fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., checkpoint: bool | int = ...,
                   nan: Nan = ..., progress: bool = ...) -> Callable[[Callable[P, R]], DerivativeOf[P, tuple[R, Any]]]: ...
@overload
def jacrev(f: Callable[P, Any], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
           fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ...,
           progress: bool = ...) -> DerivativeOf[P, Any]: ...
@overload
def jacrev(f: None = ..., argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
           fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
           nan: Nan = ..., progress: bool = ...) -> Callable[[Callable[P, Any]], DerivativeOf[P, Any]]: ...
@overload
def jacfwd(f: Callable[P, Any], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
           fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ...,
           progress: bool = ...) -> DerivativeOf[P, Any]: ...
@overload
def jacfwd(f: None = ..., argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
           fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
           nan: Nan = ..., progress: bool = ...) -> Callable[[Callable[P, Any]], DerivativeOf[P, Any]]: ...
@overload
def jacobian(f: Callable[P, Any], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
             fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ...,
             progress: bool = ...) -> DerivativeOf[P, Any]: ...
@overload
def jacobian(f: None = ..., argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
             fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
             nan: Nan = ..., progress: bool = ...) -> Callable[[Callable[P, Any]], DerivativeOf[P, Any]]: ...
@overload
def hessian(f: Callable[P, Any], argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
            fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ...,
            progress: bool = ...) -> DerivativeOf[P, Any]: ...
@overload
def hessian(f: None = ..., argnums: ArgNums = ..., *, argnames: ArgNames = ..., has_aux: bool = ..., holomorphic: bool = ...,
            fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
            nan: Nan = ..., progress: bool = ...) -> Callable[[Callable[P, Any]], DerivativeOf[P, Any]]: ...
@overload
def vjp(f: Callable[..., tuple[R, A]], *primals: Any, has_aux: Literal[True], fallback: Fallback = ..., backend: Backend = ...,
        optimize: Optimize = ..., nan: Nan = ..., progress: bool = ...) -> tuple[R, Callable[[R], tuple[Any, ...]], A]: ...
@overload
def vjp(f: Callable[..., R], *primals: Any, has_aux: Literal[False] = ..., fallback: Fallback = ..., backend: Backend = ...,
        optimize: Optimize = ..., nan: Nan = ..., progress: bool = ...) -> tuple[R, Callable[[R], tuple[Any, ...]]]: ...
@overload
def jvp(f: Callable[..., tuple[R, A]], primals: Sequence[Any], tangents: Sequence[Any], has_aux: Literal[True], *, fallback: Fallback = ...,
        backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ..., progress: bool = ...) -> tuple[R, R, A]: ...
@overload
def jvp(f: Callable[..., R], primals: Sequence[Any], tangents: Sequence[Any], has_aux: Literal[False] = ..., *, fallback: Fallback = ...,
        backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ..., progress: bool = ...) -> tuple[R, R]: ...
def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, fallback: Fallback = ..., backend: Backend = ...,
        optimize: Optimize = ..., nan: Nan = ..., progress: bool = ...) -> tuple[Any, ...]: ...
def linearize(f: Callable[..., R], *primals: Any, fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
              nan: Nan = ..., progress: bool = ...) -> tuple[R, Callable[..., R]]: ...
@overload
def vmap(f: Callable[P, R], in_axes: Any = ..., out_axes: Any = ..., *, axis_size: int | None = ..., fallback: Fallback = ...,
         backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ..., progress: bool = ..., **options: Any) -> DerivativeOf[P, R]: ...
@overload
def vmap(f: None = ..., in_axes: Any = ..., out_axes: Any = ..., *, axis_size: int | None = ..., fallback: Fallback = ...,
         backend: Backend = ..., optimize: Optimize = ..., nan: Nan = ..., progress: bool = ...,
         **options: Any) -> Callable[[Callable[P, R]], DerivativeOf[P, R]]: ...
@overload
def compile(f: Callable[P, R], *, fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
            nan: Nan = ..., progress: bool = ...) -> DerivativeOf[P, R]: ...
@overload
def compile(f: None = ..., *, fallback: Fallback = ..., backend: Backend = ..., optimize: Optimize = ...,
            nan: Nan = ..., progress: bool = ...) -> Callable[[Callable[P, R]], DerivativeOf[P, R]]: ...
