"""Run the cross product in slices and accumulate their results in a report: ``python -m tests.cross --seed 7 --slice 3/100``.

A seed has `CHECKS` checks. Each slice of it is run once; ``tests/reports/cross.json`` keeps the counts, and ``cross.md`` beside it
shows them.
"""
from __future__ import annotations

import collections
import json
import pathlib
import re
from dataclasses import replace
from typing import Any

from .judge import FAILURES
from .run import Settings, Summary, run

__all__ = ["CHECKS", "run_slice"]

#: how many checks a seed stands for, and how many a program has on average
CHECKS, _PER_PROGRAM = 120_000, 3.5
_FOLDER = pathlib.Path(__file__).resolve().parent.parent / "reports"
_OUTCOMES = ("right", "taped", "refused", "no oracle", *FAILURES)


def run_slice(settings: Settings, part: int, parts: int, folder: pathlib.Path = _FOLDER) -> Summary:
    """Run a slice of a seed that has not been run, and add it to the report."""
    data = folder / "cross.json"
    slices: list[dict[str, Any]] = json.loads(data.read_text()) if data.exists() else []
    if any((s["seed"], s["slice"]) == (settings.seed, f"{part}/{parts}") for s in slices):
        raise SystemExit(f"slice {part}/{parts} of seed {settings.seed} is in {data}")
    programs = round(CHECKS / _PER_PROGRAM)
    start, end = (k * programs // parts for k in (part, part + 1))
    summary = run(replace(settings, start=start, count=end - start))
    causes = {f"{kind}: {cause}": [len(found), found[0].index, found[0].mode] for (kind, cause), found in summary.causes.items()}
    slices.append({"seed": settings.seed, "slice": f"{part}/{parts}", "programs": summary.programs, "counts": dict(summary.counts),
                   "reasons": dict(_grouped(summary.reasons)), "failures": causes})
    folder.mkdir(exist_ok=True)
    data.write_text(json.dumps(slices, indent=1) + "\n")
    (folder / "cross.md").write_text(rendered(slices))
    return summary


def _grouped(reasons: collections.Counter[str]) -> collections.Counter[str]:
    """Reasons without the names and numbers of a program."""
    found: collections.Counter[str] = collections.Counter()
    for reason, n in reasons.items():
        kind, _, text = reason.partition(": ")
        if kind != "no oracle":
            text = re.sub(r"^.*? runs on the tape( at [^:]*:\d+)?: ", "", text)
            text = re.sub(r"\b(argument|of) [\w.\[\]']+(?= of| is)", r"\1 …", re.sub(r" of (f|loss|part|step)\b", " of …", text))
            found[f"{kind}: {re.sub(r'[0-9]+', '#', text)[:110]}"] += n
    return found


def rendered(slices: list[dict[str, Any]]) -> str:
    """The report."""
    counts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    for s in slices:
        counts.update(s["counts"])
        reasons.update(s["reasons"])
    lines = ["# Cross product", "", f"{sum(counts.values()):,} checks of {sum(s['programs'] for s in slices):,} programs.", "",
             "Written by `python -m tests.cross --seed SEED --slice I/N`; do not edit.", "",
             "| outcome | checks |", "|---|---|", *(f"| {kind} | {counts[kind]:,} |" for kind in _OUTCOMES if counts[kind]), "",
             "## Slices", "", "| seed | slice | programs | checks | failures |", "|---|---|---|---|---|"]
    lines += [f"| {s['seed']} | {s['slice']} | {s['programs']} | {sum(s['counts'].values())} | "
              f"{sum(s['counts'].get(k, 0) for k in FAILURES)} |" for s in slices]
    lines += ["", "## Failures", "", "Rerun one with `python -m tests.cross --seed SEED --case INDEX --modes 0`.", "",
              "| seed | case | transformation | failure |", "|---|---|---|---|"]
    lines += [f"| {s['seed']} | {index} | {mode} | {n} × {_cell(cause)} |"
              for s in slices for cause, (n, index, mode) in s["failures"].items()]
    lines += ["", "## Refusals and falls back to the tape, by reason", "", "| checks | reason |", "|---|---|"]
    lines += [f"| {n} | {_cell(reason)} |" for reason, n in reasons.most_common()]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")[:160]
