"""Runs every suite that compares derivatives with optimisations switched off, and says what that changes.

Each optimisation is switched off alone, then all are, and then as many subsets as are asked for.  What is found is compared with the oracle
of its suite, and with what is found with everything on.  What no compilation asked for is switched off once, all together:
that has to write the same text.  A run that is ended (``timeout 600 python -m tests.switches``) prints what there is.
"""
from __future__ import annotations

import argparse
import random
import resource
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence

from transgrad.passes.switches import NAMES

from .judge import Found, outcomes
from .suites import MODES, SUITES

KINDS = ("right", "wrong", "refused", "crashed")
#: of those, how many wrote the same text as with everything on; and what was not run, for nothing that is off was asked for
SAME = ("as text", "unasked")
#: how many are off in a subset made at random
_SIZES = (2, 2, 2, 3, 5, 10, 20)


def subsets_of(names: Sequence[str], count: int, seed: int = 0) -> list[tuple[str, ...]]:
    """Some subsets of the optimisations, pairs most often; no two are the same."""
    one = random.Random(seed)
    sizes = [size for size in _SIZES if size < len(names)] or [len(names)]
    drawn = (tuple(sorted(one.sample(names, one.choice(sizes)))) for _ in range(100 * count))
    return list(dict.fromkeys(drawn))[:count]


class Report:
    """Counts what became of the trials, and collects what is worse without an optimisation than with it."""

    def __init__(self, subsets: Sequence[tuple[str, ...]]):
        self.labels = ["none", *("+".join(names) for names in subsets)]
        self.subsets = list(subsets)
        self.counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        #: by what differs and the reason of the refusal, what it is of
        self.refused: dict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, suite: str, name: str, found: Sequence[Found]) -> None:
        """Adds what became of one trial, with everything on and without each subset."""
        base = found[0].outcome
        if base.kind == "unfit":
            return
        if base.kind == "refused":
            self.refused["refused with everything on", base.cause].append(f"{suite} {name}")
        for label, one in zip(self.labels, found):
            outcome, counts = one.outcome, self.counts[suite, label]
            if one.unasked and outcome.kind == base.kind:
                counts["unasked"] += 1
                continue
            counts[outcome.kind] += 1
            counts["as text"] += one.same_texts
            if outcome.kind in ("wrong", "crashed"):
                print(f"{outcome.kind} without {label}: {suite} {name}: {outcome.cause}", flush=True)
            elif outcome.kind != base.kind:
                self.refused[f"{outcome.kind} without {label}, {base.kind} with it", outcome.cause or base.cause].append(f"{suite} {name}")

    def print(self) -> bool:
        """Prints the table; whether nothing is wrong or crashed."""
        for (change, cause), names in sorted(self.refused.items()):
            print(f"{change}: {len(names)}: {', '.join(names[:4])}{' …' if len(names) > 4 else ''}\n    {cause}")
        print(f"{'suite':10s} {'without':28s}" + "".join(f"{kind:>9s}" for kind in (*KINDS, *SAME)))
        for (suite, label), counts in self.counts.items():
            print(f"{suite:10s} {label[:60]:28s}" + "".join(f"{counts[kind]:9d}" for kind in (*KINDS, *SAME)))
        total: Counter[str] = Counter()
        for counts in self.counts.values():
            total.update(counts)
        print(f"{'all':10s} {f'{len(self.subsets)} times':28s}" + "".join(f"{total[kind]:9d}" for kind in (*KINDS, *SAME)))
        return not total["wrong"] and not total["crashed"]


def _shard(text: str) -> slice:
    """``2/5``: the second of five shares of the trials."""
    k, n = map(int, text.split("/"))
    if not 1 <= k <= n:
        raise ValueError(text)
    return slice(k - 1, None, n)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.switches", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="optimisations, or all: every one of them alone, and all, if none is named")
    parser.add_argument("--part", action="append", choices=list(SUITES), help="a suite (all of them)")
    parser.add_argument("--mode", action="append", choices=MODES, help="a mode (all of them)")
    parser.add_argument("--count", type=int, help="how much of each suite (the whole of it, and 50 programs of those made at random)")
    parser.add_argument("--seed", type=int, default=0, help="the first seed of what is made at random")
    parser.add_argument("--random", type=int, default=0, metavar="K", help="K subsets of the optimisations, instead of one by one")
    parser.add_argument("--match", default="", metavar="TEXT", help="what the names of trials contain")
    parser.add_argument("--shard", type=_shard, default=slice(None), metavar="K/N", help="the K-th of N shares of each suite")
    options = parser.parse_args(arguments)
    unknown = set(options.names) - {*NAMES, "all"}
    if unknown:
        parser.error(f"there is no optimization {', '.join(sorted(unknown))}: there are {', '.join(NAMES)}")
    names = options.names or [*NAMES, "all"]
    subsets = subsets_of([n for n in names if n != "all"], options.random, options.seed) if options.random else [(name,) for name in names]
    report = Report(subsets)
    try:
        for suite in options.part or SUITES:
            for mode in options.mode or MODES:
                trials = [t for t in SUITES[suite](mode, options.seed, options.count) if options.match in t.name]
                for trial in trials[options.shard]:
                    report.add(suite, trial.name, list(outcomes(trial, subsets)))
    except KeyboardInterrupt:
        print(f"ended at {suite} {mode} {trial.name}; before that:")
    return 0 if report.print() else 1


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
