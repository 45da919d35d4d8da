"""A sample of the tests, and the check that no test is skipped for a missing package.

By default a test function with many cases, such as one case for each rule, runs a fixed sample of them, and the tests that ``slow.txt``
lists are left out, but for the quickest of a file that has no others: enough to notice that a layer is broken, in minutes.
``--every-case`` runs all. ``--every-case --record-slow`` writes ``slow.txt`` anew. ``--no-missing-packages`` fails the run if a test was
skipped because a package is not installed.
"""
from __future__ import annotations

import sys
import zlib
from collections import defaultdict
from pathlib import Path

import pytest

#: a test function with at most this many cases runs all of them
FEW = 20
#: of a larger one, about one case in this many runs, and at least FEW
ONE_IN = 8
#: the tests that take longer than SECONDS, the quickest first
SLOW = Path(__file__).parent / "slow.txt"
SECONDS = 0.8


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("transgrad")
    group.addoption("--every-case", action="store_true", help="run every case of large parametrized tests")
    group.addoption("--record-slow", action="store_true", help="write the list of slow tests")
    group.addoption("--no-missing-packages", action="store_true", help="fail if a test is skipped for a missing package")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--every-case") or _names_tests(config):
        return
    groups: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        groups[item.nodeid.partition("[")[0]].append(item)
    left_out = {id(item) for group in groups.values() if len(group) > FEW for item in _left_out(group)} | _slow(items)
    config.hook.pytest_deselected(items=[item for item in items if id(item) in left_out])
    items[:] = [item for item in items if id(item) not in left_out]


def _names_tests(config: pytest.Config) -> bool:
    """Whether the user asked for particular tests: a path below the test folder, a node or an expression."""
    return any("::" in arg or arg.endswith(".py") for arg in config.args) or bool(config.getoption("keyword"))


def _left_out(group: list[pytest.Item]) -> list[pytest.Item]:
    """The cases that are not in the sample; the same in each process and whatever the order."""
    count = max(FEW, len(group) // ONE_IN)
    ranked = sorted(group, key=lambda item: (zlib.crc32(item.nodeid.encode()), item.nodeid))
    return ranked[count:]


def _slow(items: list[pytest.Item]) -> set[int]:
    """The slow tests, without the quickest of each file that has no others."""
    order = {name: k for k, name in enumerate(SLOW.read_text(encoding="utf-8").splitlines())}
    files: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        files[item.nodeid.partition("::")[0]].append(item)
    found: set[int] = set()
    for group in files.values():
        slow = sorted((item for item in group if item.nodeid in order), key=lambda item: order[item.nodeid])
        found.update(map(id, slow if len(slow) < len(group) else slow[1:]))
    return found


#: packages that some versions of Python cannot have, with the first that can
_LATER = {"advect": (3, 12)}
_missing: list[str] = []
_seconds: dict[str, float] = defaultdict(float)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _note(report)
    _seconds[report.nodeid] += report.duration


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _note(report)


def _note(report: pytest.TestReport | pytest.CollectReport) -> None:
    if report.skipped and isinstance(report.longrepr, tuple):
        reason = str(report.longrepr[2])
        if any(package in reason and sys.version_info < version for package, version in _LATER.items()):
            return
        if "could not import" in reason or "is not installed" in reason:
            _missing.append(f"{report.nodeid}: {reason}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.getoption("--no-missing-packages") and _missing:
        terminalreporter.section("skipped for a missing package")
        for line in _missing[:50]:
            terminalreporter.line(line)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if session.config.getoption("--record-slow") and not hasattr(session.config, "workerinput"):
        slow = sorted((seconds, name) for name, seconds in _seconds.items() if seconds > SECONDS)
        SLOW.write_text("".join(f"{name}\n" for _, name in slow), encoding="utf-8")
    if session.config.getoption("--no-missing-packages") and _missing and exitstatus == 0 and not hasattr(session.config, "workerinput"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
