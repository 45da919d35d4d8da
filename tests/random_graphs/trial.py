"""One random program on both libraries, compared step by step."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .generate import lines
from .judge import beyond_comparison, excused, judged
from .rounding import Rounding
from .run import Run


@dataclass
class Outcome:
    """A program as far as it was compared, its first difference, and why it was cut where neither library is the measure."""

    program: list[str]
    differences: list[str]
    cut: str = ""


class Pair:
    """A program on both libraries."""

    def __init__(self, reference: Any, ours: Any, watched: bool) -> None:
        self.expected, self.actual = Run(reference), Run(ours)
        self.rounding = Rounding(reference, watched)
        self.watched = watched
        self.reference = reference
        self.program: list[str] = []
        self.lines: list[str] = []

    def step(self, line: str) -> tuple[dict[str, Any], Outcome | None]:
        """What the line did in the reference, and the outcome if the comparison ends with it; the empty line is the end of a program.

        Where there are no differences both hold the same bits afterwards: each step starts from the same numbers, so that no rounding of an
        earlier one decides on which side of a jump, of a branch cut or of zero a later one is.
        """
        self.program += [line] * bool(line)
        self.lines.append(line)
        self.rounding.begin(line, self.expected.arrays())
        wanted, seen = (run.observe(line, self.watched or not line) for run in (self.expected, self.actual))
        cut = beyond_comparison(line, self.program, wanted["step"], seen["step"], self.expected)
        if cut:
            return wanted["step"], Outcome(self.program, [], cut)
        found = judged(wanted, seen, self.rounding.samples, line, self.expected, self.wide)
        if found:
            cut = excused(found, self.program, self.expected)
            return wanted["step"], Outcome(self.program, [] if cut else found, cut)
        self.actual.put(self.expected.arrays())
        return wanted["step"], None

    def wide(self) -> dict[str, Any]:
        """What the last line of the program does in the reference with single in place of half precision."""
        run, seen = Run(self.reference), {}
        for line in self.lines:
            seen = run.observe(line.replace("torch.float16", "torch.float32").replace(".half()", ".float()"), self.watched or not line)
        return seen


def trial(seed: int, reference: Any, ours: Any, more: str = "") -> Outcome:
    """The program of a seed up to its first difference, and that difference; half of the programs are looked at only at their end.

    Steps of the kind ``more`` are drawn ten times as often.
    """
    pair = Pair(reference, ours, bool(seed % 2))
    generator = lines(seed, more=more)
    line = next(generator)
    while True:
        did, outcome = pair.step(line)
        if outcome or not line:
            return outcome or Outcome(pair.program, [])
        try:
            line = generator.send(None if "error" in did else (pair.expected.shapes(), pair.expected.discrete()))
        except StopIteration:
            line = ""


def replay(program: list[str], reference: Any, ours: Any, watched: bool) -> list[str]:
    """The first difference of these lines, names that are missing left aside."""
    pair = Pair(reference, ours, watched)
    for line in (*program, ""):
        did, outcome = pair.step(line)
        if did.get("error") == "NameError":
            return []
        if outcome:
            return outcome.differences
    return []


def shrink(program: list[str], reference: Any, ours: Any, watched: bool) -> list[str]:
    """A shorter program that still differs: lines are left out one at a time."""
    at = len(program) - 2
    while at >= 0:
        shorter = program[:at] + program[at + 1 :]
        if replay(shorter, reference, ours, watched):
            program = shorter
        at -= 1
    return program
