"""The sequence of programs of a seed, and the summary of their results."""
from __future__ import annotations

import collections
import functools
import json
import pathlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from .atoms import Atom, of_rules
from .forms import FORMS, written
from .judge import FAILURES, Result, trials
from .modes import MODES
from .operands import NotForThis
from .program import Choice, choose

__all__ = ["MODES", "Settings", "Summary", "atoms", "report", "run"]


@dataclass
class Settings:
    """Which programs are run."""

    seed: int
    start: int = 0
    count: int = 1000
    only: dict[str, str] | None = None
    modes: int = 4
    shard: int = 0
    shards: int = 1
    log: str | None = None
    scripts: str | None = None
    families: tuple[str, ...] | None = None
    seconds: float | None = None


@dataclass
class Summary:
    """Counts of outcomes, and the failures by cause."""

    counts: collections.Counter[str]
    causes: dict[tuple[str, str], list[Result]]
    reasons: collections.Counter[str]
    programs: int = 0
    unfit: int = 0
    seconds: float = 0.0

    @property
    def failures(self) -> list[Result]:
        """The failed trials."""
        return [r for found in self.causes.values() for r in found]


@functools.cache
def atoms(families: tuple[str, ...] | None = None) -> tuple[Atom, ...]:
    """All atoms; those written by hand stand three times, since each is a form of its own."""
    return (*written(), *written(), *written(), *of_rules(families))


def _sequence(settings: Settings) -> Iterator[tuple[int, Choice, list[str]]]:
    only = settings.only or {}
    families = () if only.get("group") and any(only["group"] in g for g in FORMS) else settings.families
    chosen = [a for a in atoms(families) if only.get("atom", "") in a.name and only.get("group", "") in a.group]
    if not chosen:
        raise SystemExit("no atom is called so")
    names = [m for m in MODES if only.get("mode", "") in m]
    weights = np.array([MODES[m][1] for m in names])
    for index in range(settings.start, settings.start + settings.count):
        if index % settings.shards != settings.shard:
            continue
        epoch, place = divmod(index, len(chosen))
        atom = chosen[int(np.random.default_rng([settings.seed, epoch]).permutation(len(chosen))[place])]
        rng = np.random.default_rng([settings.seed, index])
        choice = choose(atom, rng)
        for _ in range(200):
            if all(only[k] in getattr(choice, k) for k in only if k not in ("atom", "group", "mode")):
                break
            choice = choose(atom, rng)
        else:
            continue
        count = len(names) if not settings.modes else min(settings.modes, len(names))
        drawn = [str(m) for m in rng.choice(names, size=count, replace=False, p=weights / weights.sum())]
        yield index, choice, drawn


def _variants(choice: Choice) -> Iterator[Choice]:
    """The choice, and plainer ones where it makes no program."""
    yield choice
    yield replace(choice, before="", state="")
    yield replace(choice, before="", state="", frame="plain")
    yield replace(choice, before="", state="", frame="plain", kind="plain")
    yield replace(choice, before="", state="", frame="plain", kind="plain", arrival="alone")


def run(settings: Settings, verbose: bool = False) -> Summary:
    """Runs programs and counts what becomes of them."""
    summary = Summary(collections.Counter(), {}, collections.Counter())
    done: set[int] = set()
    log = pathlib.Path(settings.log) if settings.log else None
    if log is not None and log.exists():
        for line in log.read_text().splitlines():
            row = json.loads(line)
            done.add(row["index"])
            for kind in row["kinds"]:
                summary.counts[kind] += 1
    begin = time.monotonic()
    for index, choice, modes in _sequence(settings):
        if index in done:
            continue
        if settings.seconds is not None and time.monotonic() - begin > settings.seconds:
            break
        results = _results(index, choice, modes, settings, summary)
        for r in results:
            _note(r, summary, settings, verbose)
        if log is not None:
            with log.open("a") as file:
                print(json.dumps({"index": index, "choice": str(choice), "kinds": [r.outcome.kind for r in results], "modes": [r.mode for r in results],
                                  "causes": [r.outcome.cause for r in results]}), file=file)
    summary.seconds = time.monotonic() - begin
    return summary


def _results(index: int, choice: Choice, modes: Sequence[str], settings: Settings, summary: Summary) -> list[Result]:
    for plainer in _variants(choice):
        try:
            found = list(trials(index, plainer, (settings.seed, index), modes))
        except NotForThis:
            continue
        if found:
            summary.programs += 1
            return found
    summary.unfit += 1
    return []


def _note(r: Result, summary: Summary, settings: Settings, verbose: bool) -> None:
    summary.counts[r.outcome.kind] += 1
    if r.outcome.kind in ("refused", "taped", "no oracle"):
        summary.reasons[f"{r.outcome.kind}: {r.outcome.cause}"] += 1
    if verbose:
        print(f"{r.index} {r.mode}: {r.outcome.kind} {r.outcome.cause}\n    {r.choice}")
        if r.script:
            print(r.script)
    if r.failed:
        summary.causes.setdefault((r.outcome.kind, r.outcome.cause), []).append(r)
        if settings.scripts:
            folder = pathlib.Path(settings.scripts)
            folder.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"\W+", "_", f"{r.outcome.kind}_{settings.seed}_{r.index}_{r.mode}")
            (folder / f"{name}.py").write_text(f"# {r.choice} · {r.mode}\n{r.script}")


def report(summary: Summary, show: int, reasons: bool) -> int:
    """Prints a summary; 1 where there are failures."""
    if reasons:
        for reason, n in summary.reasons.most_common():
            print(f"{n:6d} {reason}")
    for (kind, cause), found in sorted(summary.causes.items(), key=lambda item: -len(item[1]))[:show]:
        first = min(found, key=lambda r: len(r.script))
        print(f"{len(found):5d} {kind}: {cause}\n      {first.index} {first.mode}: {first.choice}")
    total = sum(summary.counts.values())
    rate = total / summary.seconds if summary.seconds else 0.0
    print(f"{summary.programs} programs, {total} checks in {summary.seconds:.0f} s ({rate:.0f}/s); {summary.unfit} choices make no program")
    print(", ".join(f"{n} {kind}" for kind, n in summary.counts.most_common()))
    bad = sum(summary.counts[k] for k in FAILURES)
    print(f"{bad} failures of {len(summary.causes)} causes")
    return 1 if bad else 0
