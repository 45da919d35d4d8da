"""From a function and its arguments to a variant: the one place that calls the front end and the emitter."""
from __future__ import annotations

import contextlib
import contextvars
import functools
import gc
import inspect
import operator
import os
import types
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import emit
from ..errors import InternalError, TransgradError, UnsupportedSyntax, is_strict
from ..ir.attributes import Guard
from ..ir.effects import VIEWS, is_mutable, writes
from ..ir.infer import type_of
from ..ir.libraries import Library, target
from ..ir.ops import Block, Build, Call, Function, Invoke, Lit, Tree, Value, blocks_of, functions_of, walk
from ..ir.types import Arr, Num, Obj, OptT, RecordT, TupleT, Type
from ..ir.verify import VerificationError
from ..passes.analysis.alias import summarize
from ..passes.canonicalize.inline import TooLarge, inline_calls
from ..passes.canonicalize.numpy_arithmetic import with_numpy_arithmetic
from ..passes.memory.in_place_accumulation import makes_own
from ..passes.pipelines import finish, lower_to_library, lower_to_numpy, normalize
from ..passes.rewriting.substitute import substitute
from ..runtime import check_broadcast, check_product, one_number
from ..services import install_calls
from .arguments import name_of
from .error_state import raises_errors
from .foreign_constants import check_constants
from .options import Numba, Options
from .sharing import REMEDY, may_be_written, share, share_inside
from .structure import shift, tree_leaves
from .variants import Variant

if TYPE_CHECKING:
    from .derivative import Derivative
    from .transformations import Kind

__all__ = ["PYTHON_NUMBERS", "SHAPES", "check_output", "check_result", "compile_ir", "example_arguments", "functions_read", "lower",
           "or_with_numpy", "refusing_defects", "unknown", "without_collection"]

#: how many operations a function of arrays of another library may have whose calls are written out
_LARGE = 20_000
#: the optimizations that compute with Python numbers where the function computes with NumPy's
PYTHON_NUMBERS = ("scalars", "lists", "numbers")
#: for so many shapes of small arrays machine code of its own is made
SHAPES = 4


@contextlib.contextmanager
def without_collection() -> Iterator[None]:
    """Holds back the cyclic garbage collector: a compilation makes many objects and little garbage, in milliseconds."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def functions_read() -> contextlib.AbstractContextManager[dict[int, types.FunctionType]]:
    """Collect the functions that are compiled."""
    from ..frontend.source.find import functions_read as found
    return found()


def lower(f: Any, values: Mapping[str, Any], wrt: Collection[str]) -> Function:
    """The IR of a function, or of a derivative, for arguments like these."""
    again = getattr(f, "__transgrad_lower__", None)
    if again is not None:
        return again(values, wrt)  # type: ignore[no-any-return]
    fn: Function = _front_end().lower(f, values, wrt)
    if fn.attrs.implicit and not _IMPLICIT.get():
        raise UnsupportedSyntax("an object from outside of the function is assigned a differentiated value", fn.loc,
                                "return the value instead of storing it outside the function")
    values = {**values, **fn.attrs.implicit}
    for inner in functions_of(fn):
        if inner is not fn:
            inner.returns = shift(inner.returns, lambda leaf: Tree("leaf", index=leaf.index))
        for op in walk(inner.body):
            op.written = op.loc is None or not op.loc.file.startswith(_RULES)
    normalize(fn)
    _keep_apart(f, fn, values)
    check_constants(fn)
    if target() is not None:
        _write_out_calls(fn)
    types = {p.name: p.value.type for p in fn.signature}
    fn.attrs.shapes = {place: shape for name, v in values.items() for place, shape in _shapes(name, types.get(name), v)}
    fn.attrs.lengths = {name: len(v) for name, v in values.items() if isinstance(v, np.ndarray) and v.ndim == 1}
    return fn


#: whether objects from outside may be parameters: the function is differentiated once, and its code is generated
_IMPLICIT: contextvars.ContextVar[bool] = contextvars.ContextVar("implicit arguments", default=False)


@contextlib.contextmanager
def implicit_arguments(allowed: bool) -> Iterator[None]:
    """Whether functions lowered here may have objects from outside as parameters."""
    token = _IMPLICIT.set(allowed)
    try:
        yield
    finally:
        _IMPLICIT.reset(token)


def _bind_implicit(ir: Function) -> None:
    """Make the parameters that stand for objects from outside these objects again."""
    if not ir.attrs.implicit:
        return
    mapping: dict[Any, Any] = {}
    for p in ir.params:
        name = next((q.name for q in ir.signature if q.value is p), p.name)
        if name in ir.attrs.implicit:
            ir.names[name] = ir.attrs.implicit[name]
            mapping[p] = Lit(ir.attrs.implicit[name], name)
    ir.signature = [q for q in ir.signature if q.value not in mapping]
    ir.body.params = [p for p in ir.body.params if p not in mapping]
    substitute(ir.body, mapping)


def _write_out_calls(fn: Function) -> None:
    """Write out calls, so that no function writes to an argument of another; those of a large function, and recursive ones, stay."""
    with contextlib.suppress(TooLarge):
        inline_calls(fn, lambda op: True, _LARGE, one_name=False)


def _without_checks(block: Block) -> None:
    """Take checks of shapes out of a block: the library checks them again."""
    block.ops = [op for op in block.ops if not (type(op) is Call and op.fn in (check_broadcast, check_product))]
    for op in block.ops:
        for inner in blocks_of(op):
            _without_checks(inner)


def _shapes(place: Any, t: Any, value: Any) -> Iterator[tuple[Any, tuple[int, ...]]]:
    """The shapes of the arrays in an argument, by the prefix of their dimension symbols: a name, or a container and a key."""
    if isinstance(value, np.ndarray):
        yield place, value.shape
    elif isinstance(t, TupleT):
        for k, (e, item) in enumerate(zip(t.elems, value)):
            yield from _shapes((place, k), e, item)
    elif isinstance(t, RecordT):
        for key, e in zip(t.keys, t.elems):
            yield from _shapes((place, key), e, value[key] if t.cls is dict else getattr(value, str(key)))


def _keep_apart(f: Any, fn: Function, values: Mapping[str, Any]) -> None:
    """Refuse arguments that share memory where the function writes to one of them, now and at later calls."""
    held = {p.value: p.name for p in fn.signature if isinstance(p.value, Value) and p.name in values and _refers(p.value.type)}
    summary = summarize(fn)
    for k in summary.written:
        name = held.get(fn.params[k])
        if name is None:
            continue
        for other in held.values():
            if other != name:
                shared, how = share(values[name], values[other]), f"shares memory with {other!r}"
            elif k in summary.inner:
                shared, how = share_inside(values[name]), "holds the same memory twice"
            else:
                continue
            if shared:
                raise UnsupportedSyntax(f"{name_of(f)} writes to its argument {name!r}, which {how}", fn.loc, REMEDY)
            plain = isinstance(values[name], np.ndarray) and isinstance(values[other], np.ndarray)
            fn.attrs.guards.append(Guard("apart", name, other, plain))
    written = {held[p] for p in (fn.params[k] for k in summary.written) if p in held} if _writes_beyond_own(fn) else set()
    _keep_apart_from_outside(f, fn, values, written, set(held.values()))


def _writes_beyond_own(fn: Function, within: tuple[Function, ...] = ()) -> bool:
    """Whether a function writes to anything but arrays and lists that it has made itself, by their names: the alias class of an array that
    is in a list also has the other items."""
    makers = {r: op for op in walk(fn.body) for r in op.results}

    def is_own(v: Any) -> bool:
        made = makers.get(v)
        while type(made) is Call and (made.fn is operator.getitem and isinstance(made.args[0].type, Arr) or made.fn in VIEWS):
            v = made.args[0]
            made = makers.get(v)
        return makes_own(made, v) or isinstance(made, Build)

    for op in walk(fn.body):
        if op.part != "primal":
            continue
        if isinstance(op, Invoke):
            beyond = op.func in within or _writes_beyond_own(op.func, (*within, fn))
            targets = [op.args[k] for k in summarize(op.func).written] if beyond else []
        else:
            targets = writes(op)
        if not all(map(is_own, targets)):
            return True
    return False


def _refers(t: Type) -> bool:
    """Whether a value of a type is, or a tuple that holds, a reference that may be written through."""
    return any(map(_refers, t.elems)) if isinstance(t, TupleT) and t.cls is not list else is_mutable(t)


def _keep_apart_from_outside(f: Any, fn: Function, values: Mapping[str, Any], written: set[str], held: set[str]) -> None:
    """Refuse arguments that share memory with an object that the function finds outside, in a global or a closure, where the function
    writes to one of the two, now and at later calls."""
    functions = list(functions_of(fn))
    known = {id(o): (name, o) for inner in functions for name, o in inner.names.items()}
    for name, o in fn.attrs.implicit.items():       # a parameter stands for it
        for called, other in known.values():
            if other is o or not (may_be_written(other) or isinstance(other, tuple)):
                continue
            if share(o, other):
                raise UnsupportedSyntax(f"{name_of(f)} writes to {name!r}, which shares memory with {called!r}", fn.loc, REMEDY)
            fn.attrs.guards.append(Guard("apart outside", o, other, called))
    outside = {key: (name, o) for key, (name, o) in known.items() if may_be_written(o)}
    if not outside or not held:
        return
    changed = {id(w.value) for inner in functions for op in walk(inner.body) for w in writes(op) if isinstance(w, Lit)}
    for name in sorted(held - set(fn.attrs.implicit)):
        for called, o in outside.values():
            if name in written or changed and (id(o) in changed or not isinstance(o, np.ndarray)):
                if share(values[name], o):
                    raise UnsupportedSyntax(f"{name_of(f)} uses {called!r}, which shares memory with its argument {name!r}, and writes to "
                                            "one of them", fn.loc, REMEDY)
                fn.attrs.guards.append(Guard("apart from", name, o, called))


@functools.cache
def _front_end() -> Any:
    """The front end, told who lowers calls of transformations inside of functions."""
    from .. import frontend
    install_calls()
    return frontend


def compile_ir(ir: Function, name: str, doc: str, values: Mapping[str, Any], options: Options | None = None,
               halves: bool = False) -> Variant:
    """The variant written from ``ir``, for the back end of the options; ``halves`` says that it is one of two texts."""
    types = {n: str(type_of(v)) for n, v in values.items()}
    _bind_implicit(ir)
    finish(ir)
    if options is not None and isinstance(options.backend, Numba):
        from ..emit import numba
        native = numba.compile(ir, name, doc, values, options.backend)
        return Variant(ir, native.module, native.function, types, native)
    whole = options is not None and not halves
    library = target()
    if library is not None:
        return _compile_for(library, ir, name, doc, types)
    raises = lower_to_numpy(ir, whole=whole)
    module = emit.emit(ir, name=name, docstring=doc)
    if options is not None and options.nan == "raise":
        from .nan_check import load_checked
        return Variant(ir, module, load_checked(module, name, not halves), types)
    if options is not None and options.progress:
        from .reporting.progress import load_watched
        return Variant(ir, module, load_watched(module, name), types)
    function = emit.load(module, filename_hint=name)
    return Variant(ir, module, or_with_numpy(function, lambda: ir, name) if raises and not whole else function, types)


def _compile_for(library: Library, ir: Function, name: str, doc: str, types: Mapping[str, str]) -> Variant:
    """The variant for arrays of a library other than NumPy."""
    _write_out_calls(ir)
    if library.lazy:        # whose lengths may not be known
        for block in [fn.body for fn in functions_of(ir)]:
            _without_checks(block)
    lower_to_library(ir)
    ir.attrs.title = name_of(ir.attrs.primal or ir.origin or ir)
    module = emit.emit(ir, name=name, docstring=doc, library=library)
    return Variant(ir, module, emit.load(module, filename_hint=name), types)


def or_with_numpy(function: Callable[..., Any], ir: Callable[[], Function], name: str) -> Callable[..., Any]:
    """The function, which runs with NumPy's arithmetic once Python's has raised an exception; ``ir`` returns its IR."""
    @functools.cache
    def again() -> Callable[..., Any]:
        return emit.load(emit.emit(with_numpy_arithmetic(ir()), name=name), filename_hint=name)

    @functools.wraps(function)
    def run(*args: Any) -> Any:
        if not raises_errors():
            try:
                return function(*args)
            except (ArithmeticError, ValueError):
                pass
        return again()(*args)

    return run


_RULES = os.path.join(os.path.dirname(os.path.dirname(__file__)), "rules", "")
_OWN = tuple(f"{__package__.rpartition('.')[0]}.{part}." for part in ("passes", "emit", "ir", "rules"))


@contextlib.contextmanager
def refusing_defects(name: str) -> Iterator[None]:
    """Refuse a function that breaks a pass, with the cause, so that it runs on the tape."""
    try:
        yield
    except (TransgradError, VerificationError):
        raise
    except Exception as exc:
        frame = exc.__traceback__
        while frame is not None and frame.tb_next is not None:
            frame = frame.tb_next
        if frame is None or not str(frame.tb_frame.f_globals.get("__name__")).startswith(_OWN) or is_strict():
            raise
        raise InternalError(f"internal error in {name} ({type(exc).__name__}: {exc})", None,
                            "rewrite it, or compute it outside of the differentiated function") from exc


_EXAMPLES: dict[Any, Any] = {float: 1.0, "float": 1.0, complex: 1j, "complex": 1j, int: 1, "int": 1}


def example_arguments(signature: inspect.Signature) -> dict[str, Any]:
    """Arguments of which nothing is known, but for defaults and annotations."""
    from ..frontend import ANYTHING
    values: dict[str, Any] = {}
    for p in signature.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            values[p.name] = ()
        elif p.kind is p.VAR_KEYWORD:
            values[p.name] = {}
        elif p.default is not p.empty:
            values[p.name] = p.default
        else:
            values[p.name] = _EXAMPLES.get(p.annotation, ANYTHING) if isinstance(p.annotation, (type, str)) else ANYTHING
    return values


def unknown(values: Mapping[str, Any]) -> list[str]:
    """The arguments of which nothing is known."""
    from ..frontend import ANYTHING
    return [name for name, value in values.items() if value is ANYTHING]


def check_output(derivative: Derivative, fn: Function, values: Mapping[str, Any]) -> None:
    """Refuse a function whose output the transformation does not take, naming the output's shape."""
    check_result(derivative.kind, name_of(derivative.primal), fn, lambda: _shape_of_output(derivative, values))


def check_result(kind: Kind, name: str, fn: Function, shape: Callable[[], str | None] = lambda: None) -> None:
    """Raise an error that describes the result if it is not a real number."""
    if fn.attrs.raises:
        return      # whoever calls it sees why
    tree = fn.returns
    if getattr(kind, "has_aux", False):
        if tree.kind != "tuple" or len(tree.items) != 2:
            raise TypeError(f"has_aux=True, but {name} does not return a pair (output, aux)")
        tree = tree.items[0]
    if not getattr(kind, "scalar", False):
        _check_complex(kind, name, tree, fn)
        return
    verb = kind.prefix.rstrip("_")
    way = "jacobian differentiates every entry of an output"
    if tree.kind == "lit":
        raise TypeError(f"{verb} takes a function that returns a float, but {name} returns {tree.value!r}")
    if tree.kind != "leaf":
        hint = "; if the rest is only passed through, use has_aux=True" if tree.kind == "tuple" and len(tree.items) == 2 else ""
        raise TypeError(f"{verb} takes a function that returns one number, but {name} returns a {tree.kind} of {len(tree.items)}: "
                        f"{way}{hint}")
    from ..frontend.statements.scalar_augassign import is_real_number
    result = fn.body.yields[tree.index].type
    if isinstance(result, (Obj, OptT)) and not is_real_number(fn, fn.body.yields[tree.index]):
        holomorphic = [Lit(True)] if getattr(kind, "holomorphic", False) else []
        fn.body.ops.append(Call(one_number, [fn.body.yields[tree.index], Lit(verb), Lit(name), *holomorphic],
                                loc=fn.attrs.return_loc or fn.loc))
    if isinstance(result, Arr) and result.dims:
        found = shape() or f"with {len(result.dims)} dimension{'s' * (len(result.dims) > 1)}"
        raise TypeError(f"{verb} takes a function that returns one number, but {name} returns an array of shape {found}: {way}")
    first = result.dtype[0] if isinstance(result, Arr) else result.kind[0] if isinstance(result, Num) else "f"
    if first == "c" and not getattr(kind, "holomorphic", False):
        raise TypeError(f"{verb} takes a function that returns a real number, but {name} returns a complex one: "
                        f"return its real part or absolute value, or set holomorphic=True")
    if first in "biu":
        raise TypeError(f"{verb} takes a function that returns a float, but {name} returns {result}")


def _check_complex(kind: Kind, name: str, tree: Tree, fn: Function) -> None:
    """Refuse a Jacobian of complex entries by real sweeps, unless the function is said to be holomorphic."""
    if getattr(kind, "holomorphic", True):
        return
    forward = getattr(kind, "mode", "reverse") == "forward"
    found = [p.value.type for p in fn.signature if isinstance(p.value, Value) and p.value.varied] if forward else \
        [fn.body.yields[leaf.index].type for leaf in tree_leaves(tree)]
    if any(isinstance(t, Arr) and t.dtype[0] == "c" or isinstance(t, Num) and t.kind == "complex" for t in found):
        side = "an argument" if forward else "the output"
        raise TypeError(f"{kind.prefix.rstrip('_')} of {name}: {side} is complex; set holomorphic=True if the function is holomorphic, "
                        f"or differentiate the real and imaginary parts separately")


def _shape_of_output(derivative: Derivative, values: Mapping[str, Any]) -> str | None:
    """The shape of the function's output, by running it; None if it is not known."""
    from ..frontend import ANYTHING
    if any(value is ANYTHING for value in values.values()):
        return None
    signature = inspect.signature(derivative.primal)
    given = {name: value for name, value in values.items() if value is not signature.parameters[name].default}
    bound = inspect.BoundArguments(signature, given)
    try:
        out = derivative.primal(*bound.args, **bound.kwargs)
    except Exception:       # the caller reports the number of dimensions instead
        return None
    return str(np.shape(out[0] if getattr(derivative.kind, "has_aux", False) else out))
