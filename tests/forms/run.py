"""Runs forms and counts what becomes of them."""
from __future__ import annotations

import collections
import dataclasses
import zlib
from collections.abc import Iterator, Sequence

from tests.rules.cases import FAMILIES, Case

from .judge import MODES, Outcome, outcomes
from .operands import KINDS, NotForThis

__all__ = ["Failure", "forms", "run"]


@dataclasses.dataclass(frozen=True)
class Failure:
    """A form that fails: the case, the kind of its operands and the outcome."""

    case: str
    kind: str
    outcome: Outcome

    def __str__(self) -> str:
        return f"{self.outcome.kind}, {self.outcome.mode} of {self.case} as {self.kind}: {self.outcome.cause}"


def forms(families: Sequence[str], kinds: Sequence[str], shard: int, shards: int, seed: int) -> Iterator[tuple[Case, str]]:
    """The forms of a shard; the seed decides which shard a form is in."""
    for family in families:
        for case in FAMILIES[family]():
            for kind in kinds:
                if zlib.crc32(f"{seed} {case} {kind}".encode()) % shards == shard:
                    yield case, kind


def run(families: Sequence[str] = tuple(FAMILIES), kinds: Sequence[str] = tuple(KINDS), modes: Sequence[str] = tuple(MODES), shard: int = 0,
        shards: int = 1, seed: int = 0, only: str = "", show: bool = False) -> tuple[collections.Counter[str], list[Failure]]:
    """Counts of outcomes, and the failures."""
    counts: collections.Counter[str] = collections.Counter()
    failures = []
    for case, kind in forms(families, kinds, shard, shards, seed):
        if only not in str(case):
            continue
        try:
            found = list(outcomes(case, kind, list(modes), seed))
        except NotForThis:
            continue
        for one in found:
            counts[one.kind] += 1
            if one.failed:
                failures.append(Failure(str(case), kind, one))
                if show:
                    print(failures[-1], flush=True)
    return counts, failures
