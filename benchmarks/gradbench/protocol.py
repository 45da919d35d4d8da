"""The protocol of GradBench: one JSON message per line, one response per message.

A ``define`` message selects a module, an ``evaluate`` message asks for the value of one of its functions and for the time of each run.
The first call of a function, which compiles it, is a timing of its own, ``prepare``; the timings ``evaluate`` are of the calls after it.
"""
from __future__ import annotations

import importlib
import json
import time
import traceback
from collections.abc import Iterable
from typing import Any, TextIO

from .entry import Entry, chosen_backend

__all__ = ["MODULES", "answer", "functions", "serve"]

#: The modules that are implemented, in alphabetical order.
MODULES = ("ba", "det", "gmm", "hello", "ht", "kmeans", "llsq", "lse", "lstm", "ode", "particle", "saddle")

_defined: dict[tuple[str, str], dict[str, Entry]] = {}


def functions(module: str, backend: str) -> dict[str, Entry]:
    """The functions of a module by name, made once per back end.

    Raises
    ------
    LookupError
        For a module that is not implemented.
    """
    if module not in MODULES:
        raise LookupError(f"module {module!r} is not implemented: there are {', '.join(MODULES)}")
    if (module, backend) not in _defined:
        _defined[module, backend] = importlib.import_module(f"{__package__}.modules.{module}").functions(backend)
    return _defined[module, backend]


def serve(messages: Iterable[str], out: TextIO) -> None:
    """Answer messages until there are no more."""
    backend = chosen_backend()
    for line in messages:
        if line.strip():
            print(json.dumps(answer(json.loads(line), backend)), file=out, flush=True)


def answer(message: dict[str, Any], backend: str) -> dict[str, Any]:
    """The response to one message.

    Parameters
    ----------
    message : dict
        As an eval sends it, with its ``id`` and ``kind``.
    backend : {'numpy', 'numba', 'auto'}
        The back end of the functions.

    Returns
    -------
    dict
        The ``id`` of the message, and the fields that its kind asks for. An exception is reported in ``error``.
    """
    response: dict[str, Any] = {"id": message["id"]}
    try:
        if message["kind"] == "start":
            response |= {"tool": "transgrad", "config": {"backend": backend}}
        elif message["kind"] == "define":
            functions(message["module"], backend)
            response["success"] = True
        elif message["kind"] == "evaluate":
            response |= _evaluated(_found(message, backend), message["input"])
    except Exception as error:
        response |= {"success": False, "error": "".join(traceback.format_exception(error))}
    return response


def _found(message: dict[str, Any], backend: str) -> Entry:
    known = functions(message["module"], backend)
    if message["function"] not in known:
        raise LookupError(f"module {message['module']!r} has no function {message['function']!r}: there are {', '.join(known)}")
    return known[message["function"]]


def _evaluated(entry: Entry, given: Any) -> dict[str, Any]:
    """The output of a function, and the time of each call: at least ``min_runs`` calls, and at least ``min_seconds`` of them."""
    runs, seconds = (given.get("min_runs", 1), given.get("min_seconds", 0.0)) if isinstance(given, dict) else (1, 0.0)
    start = time.perf_counter_ns()
    args = entry.prepare(given)
    result = entry.run(*args)
    timings = [{"name": "prepare", "nanoseconds": time.perf_counter_ns() - start}]
    measured = count = 0
    while count < runs or measured < 1e9 * seconds:
        start = time.perf_counter_ns()
        result = entry.run(*args)
        taken = time.perf_counter_ns() - start
        timings.append({"name": "evaluate", "nanoseconds": taken})
        measured, count = measured + taken, count + 1
    return {"success": True, "output": entry.encode(result), "timings": timings}
