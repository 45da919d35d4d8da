"""The tables of what was measured, and which rows are over their limits."""
from __future__ import annotations

import importlib.metadata
import os
import pathlib
import platform
from collections.abc import Iterator, Sequence

from .growth import exponents
from .measure import PEERS, Row
from .workload import load

__all__ = ["best", "insert", "machine", "markdown", "over"]

LIMITS = {"loop": 4.0, "dense": 2.2, "in-place": 3.3}
HAND, NUMBA_HAND, NUMBA_PRIMAL, ADBENCH, JAX, EXPONENT = 1.1, 1.2, 3.0, 1.5, 1.2, 0.05
OF_ADBENCH = ("gmm", "bundle_adjustment", "lstm")
NAMES = {"jax": "JAX, jitted", "torch": "PyTorch", "autograd": "HIPS autograd", "mygrad": "MyGrad", "casadi": "CasADi"}
_PAGE = pathlib.Path(__file__).parent.parent / "docs" / "explanation" / "performance.md"
_MARKS = "<!-- measured: begin -->", "<!-- measured: end -->"


def machine() -> dict[str, str]:
    """What it was measured on and with."""
    model = platform.processor() or platform.machine()
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists():
        model = next((line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")), model)
    versions = {}
    for name in ("numpy", "numba", *PEERS):
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            versions[name] = "absent"
    processor = f"{model}, {os.cpu_count()} logical processors of which one is used"
    return {"processor": processor, "python": platform.python_version(), **versions}


def best(row: Row) -> str:
    """The faster of our two back ends."""
    return min((t for t in ("ours", "numba ours") if t in row.seconds), key=lambda t: row.seconds[t])


def _by_text(row: Row, text: str, call: str) -> str:
    """The ratio of the emitted text alone, where one call runs one text."""
    return text if text in row.ratios else call


def _checks(row: Row) -> Iterator[tuple[str, float, float]]:
    """What is limited: its name, the ratio, the limit."""
    def limited(what: str, ratio: str, limit: float | None) -> Iterator[tuple[str, float, float]]:
        if limit is not None and ratio in row.ratios:
            yield what, row.ratios[ratio], limit
    yield from limited("by hand", _by_text(row, "text / hand", "ours / hand"), HAND)
    yield from limited("primal", "ours / primal", LIMITS.get(row.limit or ""))
    yield from limited("by hand, Numba", _by_text(row, "numba text / numba hand", "numba ours / numba hand"), NUMBA_HAND)
    if row.limit:
        yield from limited("primal, Numba", "numba ours / numba primal", NUMBA_PRIMAL)
    for peer in PEERS:
        if f"{peer} / best" in row.ratios and (peer not in row.rewritten or peer == "jax"):
            yield NAMES[peer], 1.0 / row.ratios[f"{peer} / best"], JAX if peer in row.rewritten else 1.0
    if row.workload in OF_ADBENCH and "numba hand / best" in row.ratios:
        yield "ADBench", 1.0 / row.ratios["numba hand / best"], ADBENCH


def over(rows: Sequence[Row]) -> list[tuple[Row, str, float, float]]:
    """The rows that are over a limit: which, what, the ratio, the limit."""
    found = [(row, what, ratio, limit) for row in rows for what, ratio, limit in _checks(row) if ratio > limit]
    for name, (ours, primal) in exponents(rows).items():
        if ours - primal > EXPONENT:
            found.append((next(r for r in rows if r.workload == name), "growth", ours - primal, EXPONENT))
    return found


def seconds(value: float) -> str:
    """A time with three digits."""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale or unit == "µs":
            return f"{value / scale:.3g} {unit}"
    raise AssertionError


def title(row: Row) -> str:
    return f"{row.workload.replace('_', ' ')}, {row.size}"


def _time(row: Row, tool: str) -> str:
    return seconds(row.seconds[tool]) if tool in row.seconds else "–"


def _verdict(value: float, limit: float) -> str:
    return "ok" if value <= limit else "**OVER**"


def _ratio(row: Row, name: str, limit: float | None = None) -> str:
    if name not in row.ratios:
        return "–"
    value = row.ratios[name]
    text = f"{value:.2f}" if value < 10 else f"{value:,.0f}" if value >= 100 else f"{value:.1f}"
    return text if limit is None else f"{text} {_verdict(value, limit)}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|", *("| " + " | ".join(r) + " |" for r in rows), ""]


def markdown(rows: Sequence[Row], machine: dict[str, str]) -> str:
    """All tables."""
    described = "; ".join(f"{NAMES.get(k, k).split(',')[0]} {v}" if k != "processor" else v for k, v in machine.items())
    out = [f"Measured with `python -m benchmarks.gradients --write` on: {described}.", ""]

    out += ["### NumPy back end", "", *_table(
        ["workload", "function", "hand-written", "transgrad", f"code / hand-written (≤ {HAND})", "call / hand-written",
         "hand-written / function", "transgrad / function", "limit"],
        [[title(r), _time(r, "primal"), _time(r, "hand"), _time(r, "ours"), _ratio(r, _by_text(r, "text / hand", "ours / hand"), HAND),
          _ratio(r, "ours / hand"), _ratio(r, "hand / primal"), _ratio(r, "ours / primal", LIMITS.get(r.limit or "")),
          f"{LIMITS[r.limit]} ({r.limit})" if r.limit else "–"] for r in rows])]

    out += ["### Numba back end", "", *_table(
        ["workload", "function", "hand-written", "transgrad", f"code / hand-written (≤ {NUMBA_HAND})", "call / hand-written",
         f"transgrad / function (≤ {NUMBA_PRIMAL:.0f})"],
        [[title(r), _time(r, "numba primal"), _time(r, "numba hand"), _time(r, "numba ours"),
          _ratio(r, _by_text(r, "numba text / numba hand", "numba ours / numba hand"), NUMBA_HAND),
          _ratio(r, "numba ours / numba hand"), _ratio(r, "numba ours / numba primal", NUMBA_PRIMAL if r.limit else None)] for r in rows])]
    refused = sorted({(r.workload, r.left["numba ours"]) for r in rows if "numba ours" in r.left})
    if refused:
        out += ["Not supported by `backend=\"numba\"`:", "", *(f"- {name.replace('_', ' ')}: {reason}" for name, reason in refused), ""]

    out += ["### Comparison with other tools", "",
            "Time of each tool in units of the faster of transgrad's two back ends. A value below 1 means that the tool is faster. A star",
            "means that the function was rewritten for the tool; without a star, only the module named `np` differs.", "",
            *_table(["workload", "transgrad", "back end", *(NAMES[p] for p in PEERS), "hand-written, Numba"],
                    [[title(r), _time(r, best(r)), "Numba" if best(r) == "numba ours" else "NumPy",
                      *(_ratio(r, f"{p} / best") + ("*" if p in r.rewritten and p in r.seconds else "") for p in PEERS),
                      _ratio(r, "numba hand / best")] for r in rows])]
    why = sorted({(p, r.left[p], r.workload) for r in rows for p in PEERS if p in r.left})
    if why:
        out += ["Omitted:", ""]
        for peer in PEERS:
            for reason in dict.fromkeys(text for p, text, _ in why if p == peer):
                where = ", ".join(dict.fromkeys(w.replace("_", " ") for p, text, w in why if (p, text) == (peer, reason)))
                out.append(f"- {NAMES[peer].split(',')[0]}: {reason} ({where})")
        out.append("")

    smallest = list({r.workload: r for r in reversed(rows)}.values())[::-1]
    out += ["### The first call", "",
            "Processor time to import, compile and run, with an empty cache.", "",
            *_table(["workload", "transgrad", "transgrad, Numba", "hand-written, Numba", "JAX"],
                    [[title(r), *(seconds(r.first[t]) if t in r.first else "–" for t in ("ours", "numba ours", "numba hand", "jax"))]
                     for r in smallest])]

    grown = [[name.replace("_", " "), f"{primal:.2f}", f"{ours:.2f}", f"{ours - primal:+.2f} {_verdict(ours - primal, EXPONENT)}"]
             for name, (ours, primal) in exponents(rows).items()]
    if grown:
        out += ["### Growth", "", "Exponent of the time as a function of the size, fitted over the measured sizes.", "",
                *_table(["workload", "function", "gradient", f"difference (≤ {EXPONENT})"], grown)]

    found = over(rows)
    out += ["### Over the limits", ""]
    out += ["None."] if not found else [
        f"- {title(row)}: {what} {ratio:.2f} (limit {limit}). {load(row.workload).reasons.get(what, '')}".rstrip()
        for row, what, ratio, limit in found]
    return "\n".join([*out, ""])


def insert(rows: Sequence[Row], machine: dict[str, str]) -> None:
    """Puts the tables into the documentation, between the marks that are there for them."""
    text = _PAGE.read_text()
    before, rest = text.split(_MARKS[0])
    after = rest.split(_MARKS[1])[1]
    _PAGE.write_text(f"{before}{_MARKS[0]}\n\n{markdown(rows, machine)}\n{_MARKS[1]}{after}")
