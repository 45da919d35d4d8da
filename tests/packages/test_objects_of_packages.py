"""No object-oriented code of a published package is differentiated wrongly; skipped where the package is missing."""
from pathlib import Path

import pytest

from .objects.programs import PROGRAMS
from .objects.run import absent, verdict

REPORT = Path(__file__).parent / "reports" / "objects.md"


def ids(program):
    return f"{program.package}-{program.f.__name__}"


@pytest.mark.parametrize("program", PROGRAMS, ids=ids)
def test_not_wrong(program):
    if absent(program):
        pytest.skip(f"pip install {program.package}")
    reverse, forward, why = verdict(program)
    assert {reverse, forward} <= {"compiled", "taped", "refused"}, why
    row = next(line for line in REPORT.read_text(encoding="utf-8").splitlines() if f"| {program.what} |" in line)
    if "| compiled |" in row.partition(program.what)[2][:15]:
        assert reverse == "compiled", why


def test_the_report_names_every_program():
    text = REPORT.read_text(encoding="utf-8")
    assert all(f"| {program.package} | {program.what} |" in text for program in PROGRAMS)
    assert len(PROGRAMS) >= 30 and len({program.package for program in PROGRAMS}) >= 10
