"""The source of an exported module: imports, constants, helpers, the check of the arguments, and the derivative."""
from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import TransgradError
from ...ir.opaque import OpaqueCall
from ...pickling import place_of
from ...runtime import tape
from ..fallback import taped_calls
from ..variants import Variant
from .assertions import assertions
from .places import attributes_read, submodules
from .writer import Writer

__all__ = ["module_text"]


def module_text(variant: Variant, standalone: bool, on_arrays: Variant | None = None) -> str:
    """The source of the module.

    Parameters
    ----------
    variant : Variant
        The variant to export.
    standalone : bool
        Whether helpers of the user are copied; otherwise they are imported.
    on_arrays : Variant, optional
        The same derivative without Python floats, which runs where the first one raises an arithmetic error.
    """
    if standalone and any(held is tape for held in variant.module.names.values()):
        taped = " and ".join(f"{call.name}()" for call in taped_calls(variant))
        raise TransgradError(f"{taped} runs on the tape, so the module needs transgrad", None, "export with standalone=False")
    if standalone and (opaque := list(dict.fromkeys(_primitive_of(held) for held in variant.module.names.values()
                                                    if isinstance(held, OpaqueCall)))):
        one = len(opaque) == 1
        raise TransgradError(f"{' and '.join(opaque)} {'is a tg.primitive' if one else 'are tg.primitives'}, which the compiler does not "
                             f"read, so an exported module has to import {'it' if one else 'them'} and transgrad", None,
                             "export with standalone=False, which writes the imports")
    source, entry = variant.source, variant.module.entry
    own = _defined(source)
    names = dict(variant.module.names)
    rest: list[str] = []
    if on_arrays is not None:
        second = f"{entry}_on_arrays"
        others = {name: _equal_call(obj, names.get(name)) for name, obj in on_arrays.module.names.items()}
        aliases = {name: f"{name}_on_arrays" for name, obj in others.items() if names.get(name, obj) is not obj}
        names.update({aliases.get(name, name): obj for name, obj in others.items()})
        apart = aliases or own & _defined(on_arrays.source) != {entry}      # both use one name for two things
        rest.append(_nested(on_arrays.source, entry, second, aliases) if apart else _renamed(on_arrays.source, entry, second))
    writer = Writer(standalone, {*own, f"{entry}_on_floats", f"{entry}_on_arrays"}, names, getattr(variant, "library", None))
    writer.attributes = attributes_read([source, *rest], names)
    for name, obj in names.items():
        writer.define(name, obj)
    for path in submodules([source, *rest], names):
        writer.add_import(f"import {path}")
    check = writer.unique("_check_arguments")
    tests = assertions(variant, writer)
    checked = _with_check(source, variant, check, tests, bool(rest))
    definitions = [_check(check, variant, tests)] if tests and checked != source else []
    return _joined(_head(variant), writer, [*definitions, *rest, checked])


def _primitive_of(call: OpaqueCall) -> str:
    """The name of the primitive that is called; its derivatives have names of their own."""
    of = call.recipe()[1]
    place = place_of(of)
    return place[1] if place is not None else getattr(of, "__name__", call.__name__)


def _equal_call(obj: Any, known: Any) -> Any:
    """The known object in place of an equal call of a primitive."""
    both = isinstance(obj, OpaqueCall) and isinstance(known, OpaqueCall)
    return known if both and obj.recipe() == known.recipe() else obj


def _joined(head: str, writer: Writer, definitions: Iterable[str]) -> str:
    imports = "\n".join(writer.imports_in_order())
    text = f"{head}\n\n{imports}" if imports else head
    before = None
    for part in (*writer.parts, *definitions):
        is_line = not part.startswith(("def ", "class ", "@"))
        text += ("\n" if before else "\n\n" if before is None else "\n\n\n") * is_line or "\n\n\n"
        text += part.rstrip()
        before = is_line and "\ndef " not in part
    return text.strip() + "\n"


def _head(variant: Variant) -> str:
    types = ", ".join(f"{name}: {t}" for name, t in variant.types.items())
    summary = (inspect.getdoc(variant.function) or variant.module.entry).splitlines()[0]
    return f'"""{summary}\n\nWritten by transgrad for {types or "no arguments"}.\n"""'


def _defined(source: str) -> set[str]:
    """The names of the functions that a source defines at its top level."""
    return {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def _entry(source: str, name: str) -> ast.FunctionDef | None:
    return next((node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == name), None)


def _renamed(source: str, name: str, new: str) -> str:
    """A source whose entry has another name; it does not call itself by name."""
    return source.replace(f"def {name}(", f"def {new}(")


def _nested(source: str, entry: str, new: str, aliases: Mapping[str, str]) -> str:
    """A source whose entry has another name, with names of its own."""
    lines = [f"def make_{new}():", '    """The derivative without Python floats."""']
    lines += [f"    {name} = {alias}" for name, alias in aliases.items()]
    return "\n".join([*lines, textwrap.indent(source.rstrip(), "    "), "", f"    return {entry}", "", "", f"{new} = make_{new}()"])


def _check(name: str, variant: Variant, tests: list[tuple[str, str]]) -> str:
    """The function that checks the arguments."""
    lines = [f"def {name}({', '.join(p for p, _ in variant.parameters)}):", '    """The arguments that this module was written for."""']
    lines += [f"    assert {test}, {message!r}" for test, message in tests]
    return "\n".join(lines)


def _with_check(source: str, variant: Variant, check: str, tests: list[tuple[str, str]], falls_back: bool) -> str:
    """The source with a call of the check at the start of its entry, and of the second function where Python raises an error."""
    entry = variant.module.entry
    node = _entry(source, entry)
    if node is None or node.decorator_list:
        return source
    lines = source.rstrip().split("\n")
    documented = ast.get_docstring(node) is not None
    at = (node.body[0].end_lineno if documented else node.body[0].lineno - 1) or 0
    call = [f"    {check}({', '.join(name for name, _ in variant.parameters)})"] if tests else []
    if not falls_back:
        return "\n".join([*lines[:at], *call, *lines[at:]])
    head = lines[node.lineno - 1:at]
    arguments = _arguments(variant)
    first = _renamed(source, entry, f"{entry}_on_floats")
    return "\n".join([
        first.rstrip(), "", "", *head, *call, "    try:", f"        return {entry}_on_floats({arguments})",
        "    except (ArithmeticError, LookupError, ValueError):      # where NumPy computes nan or infinity",
        f"        return {entry}_on_arrays({arguments})"])


def _arguments(variant: Variant) -> str:
    """The parameters as arguments of a call."""
    out, by_name = [], False
    for name, kind in variant.parameters:
        if kind == "varargs":
            out.append(f"*{name}")
            by_name = True
        elif kind == "varkwargs":
            out.append(f"**{name}")
        else:
            out.append(f"{name}={name}" if kind == "keyword" or by_name else name)
    return ", ".join(out)
