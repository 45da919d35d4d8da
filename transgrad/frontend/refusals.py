"""Unsupported constructs: one table of reasons and hints, for errors and for the documentation."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from ..errors import UnsupportedCall, UnsupportedSyntax
from ..ir.ops import Loc
from ..rules import advice
from ..rules.stand_ins import HINT

__all__ = ["REFUSALS", "Refusal", "limitations_markdown", "refuse", "refuse_function"]

TAPE = "compute it outside the differentiated function"


@dataclass(frozen=True)
class Refusal:
    """One limitation: ``reason`` is a template over the details of the place."""

    title: str
    reason: str
    remedy: str
    call: bool = False
    tape: bool = True       # whether the tape may run what is refused


REFUSALS: dict[str, Refusal] = {
    "async": Refusal("Coroutines", "coroutines (async/await) are not compiled", f"use a plain function, or {TAPE}"),
    "generator_send": Refusal(
        "Generators with a yield inside of an expression, a try or a with statement, whose items are taken by next() or send()",
        "this use of a generator or iterator is not supported: {detail}",
        f"collect its items in a list, or {TAPE}",
    ),
    "eval": Refusal("eval and exec", "{detail}() runs source that is not known at compile time",
                    f"write the expression out, or {TAPE}", True),
    "namespace": Refusal(
        "Namespaces of variables", "{detail}() accesses variables by name", f"pass these variables as arguments, or {TAPE}", True,
    ),
    "write_to_none": Refusal(
        "In-place updates of a value that may be None",
        "a value that may be None is updated in place",
        "convert it explicitly, for example with np.asarray(x), or create it where it is updated",
    ),
    "import": Refusal(
        "Imports that cannot be resolved",
        "{detail} is imported inside the function and cannot be resolved at compile time",
        "import it at the top of the module",
    ),
    "except_star": Refusal("Exception groups", "except* is not compiled", f"use a plain except, or {TAPE}"),
    "opaque": Refusal(
        "Calls without a rule",
        "{detail} has no derivative rule",
        f"give it a rule with transgrad.rule, wrap the argument in stop_gradient, or {TAPE}",
        True,
    ),
    "opaque_value": Refusal(
        "Calls of unknown functions",
        "the function that {detail} calls is not known at compile time, and receives a differentiated value",
        f"pass the function as an argument of the differentiated function, or {TAPE}",
        True,
    ),
    "conflict": Refusal(
        "Names with different meanings on different paths", "{detail}", f"use different names, or {TAPE}"
    ),
    "try_variable": Refusal(
        "Variables assigned in an interrupted try clause",
        "'{detail}' was assigned inside the try clause and is read after the exception, when it may not "
        "have been assigned",
        "assign it before the try statement, or in the handler",
    ),
    "finally": Refusal("Results of a finally clause", "{detail} in a finally clause", "move it after the try statement"),
    "stand_in": Refusal("Result objects of SciPy that are returned whole",
                        "{detail} is returned, for which transgrad has a class of its own", HINT, True, tape=False),
    "stand_in_attribute": Refusal("Attributes of SciPy's result objects that are not its items", "{detail} has no derivative rule",
                                  TAPE, True, tape=False),
    "static": Refusal("Values that exist only at compile time", "{detail}", f"use a number, an array, or a list of them, or {TAPE}"),
    "unroll": Refusal(
        "Loops over values of different types", "this loop runs over {detail}", "loop over at most 32 of them, or over values of one type"
    ),
    "recursion": Refusal(
        "Unbounded recursion",
        "inlining {detail} does not terminate",
        f"move the recursive function to the top level of a module, or {TAPE}",
    ),
    "nesting": Refusal(
        "Calls that nest too deeply",
        "the calls that this statement makes nest too deeply to be compiled",
        f"register a derivative with transgrad.custom_vjp, raise the limit with sys.setrecursionlimit, or {TAPE}",
    ),
    "global_write": Refusal(
        "Writes to objects in global tuples, and to other outer objects that cannot be arguments",
        "{detail} is assigned a differentiated value",
        "return the value instead of storing it outside the function",
    ),
    "behind_call": Refusal(
        "Attributes of outer objects before an unknown call",
        "{detail} of an object from outside the function holds a differentiated value, and a call of an unknown function may change it",
        f"move the call, keep the value in a local variable, or {TAPE}",
    ),
    "given_away": Refusal(
        "Parts of arguments given to unknown functions",
        "a call of an unknown function may change the contents of {detail}, a differentiated argument",
        "pass a copy, or pass the changed part as a separate argument",
    ),
    "attribute_write": Refusal(
        "Writes to classes and modules", "an attribute of {detail} is assigned", "return the value, or store it in an instance"
    ),
    "class_body": Refusal("Classes defined in a function", "{detail}", "move the class to the top level of a module"),
    "metaclass": Refusal("Objects with attribute or class hooks", "{detail}", f"avoid the hook for differentiated values, or {TAPE}"),
    "context": Refusal("Context managers", "{detail}", f"do the work of the context manager outside the function, or {TAPE}"),
    "arguments": Refusal("Calls that cannot be matched", "{detail}", "call the function with arguments that fit its signature", True),
    "pattern": Refusal("Patterns", "the pattern {detail} is not compiled", "write the test with if"),
    "delete": Refusal("Deletions", "del {detail} is not compiled", "assign None instead"),
    "untracked": Refusal(
        "Differentiated values in text, sets, keys, bytes, exceptions and arrays of objects",
        "a differentiated value enters {detail} here, where its derivative is lost, and the function returns a number that depends on it",
        "keep the value in a variable, a list, an array of floats or an attribute, or wrap it in transgrad.stop_gradient if it is meant "
        "to be a constant",
    ),
    "array_class": Refusal(
        "Arrays of other classes",
        "a NumPy operator or function receives a differentiated value and a {detail}, whose operators are its own",
        "convert it to an array first: np.asarray(m), s.toarray(), q.value",
    ),
    "budget": Refusal(
        "Calls that lead into too much source",
        "the source of {detail}, is not compiled",
        f"give the function a rule with transgrad.rule or transgrad.custom_vjp, raise TRANSGRAD_MAX_OPERATIONS or "
        f"TRANSGRAD_MAX_SECONDS in the environment, or {TAPE}", True,
    ),
    "labels": Refusal(
        "Operations of pandas and xarray on labels",
        "{detail} depends on labels, or is not compiled for labeled arguments",
        "do it before the differentiated function is called, or compute with to_numpy() or .values", True, False,
    ),
    "library_function": Refusal(
        "Functions and attributes of other array libraries",
        "{detail} has no counterpart in NumPy and no derivative, and its source is not compiled",
        f"use a function that NumPy has under the same name, give it a rule with transgrad.rule, or {TAPE}", True,
    ),
    "ufunc": Refusal("Methods of ufuncs", "{detail} has no derivative rule", f"write it with named NumPy functions, or {TAPE}", True),
    "unpack": Refusal(
        "Unpacking", "the number of items of {detail} is not known at compile time", "unpack a tuple or a list of known length"
    ),
    "internal": Refusal("Internal errors", "internal error ({detail})", f"rewrite the statement, or {TAPE}"),
    "syntax": Refusal("Other syntax", "{detail} is not compiled", f"rewrite the statement, or {TAPE}"),
    "undecided": Refusal("Values of undecided type", "{detail}", f"make the type of the value explicit, or {TAPE}"),
}


def refuse(key: str, loc: Loc | None, detail: str = "") -> NoReturn:
    """Raise the located error for a limitation."""
    entry = REFUSALS[key]
    error = UnsupportedCall if entry.call else UnsupportedSyntax
    refusal = error(entry.reason.format(detail=detail), loc, entry.remedy)
    refusal.for_tape = entry.tape
    raise refusal


def refuse_function(fn: Any, loc: Loc | None, name: str = "") -> NoReturn:
    """Raise the located error for a call of a function that has neither a rule nor source."""
    raise UnsupportedCall(f"{advice.reason(fn, name)}, and it receives a differentiated value", loc, advice.remedy(fn))


def limitations_markdown() -> str:
    """Return the page of limitations."""
    lines = ["# Limitations", "",
             "The compiler supports the rest of Python's grammar. It refuses the constructs below with the file, the line, the reason and",
             "a hint. With `fallback=\"tape\"`, the default, such code runs on the tape instead, and a `TapeFallbackWarning` names it.", "",
             "| construct | reason | hint |", "|---|---|---|"]
    for entry in REFUSALS.values():
        reason = entry.reason.replace("{detail}", "…").replace("|", "\\|")
        lines.append(f"| {entry.title} | {reason} | {entry.remedy} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(limitations_markdown(), end="")
