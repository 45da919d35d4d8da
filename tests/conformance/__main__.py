"""Records what PyTorch shows, compares the tape with it, and writes the page of the documentation.

python -m tests.conformance record [WORD…]    run the cases whose names have the words on PyTorch, and store what they show
python -m tests.conformance compare [WORD…]   run them on transgrad and print the differences; --write stores the expected failures
python -m tests.conformance page              print the page of PyTorch compatibility
python -m tests.conformance names             store which public names PyTorch has
python -m tests.conformance absent            print the page of omitted names
"""
from __future__ import annotations

import argparse
import importlib
import json
import signal
import sys
from typing import Any

from .collect import FAILURES, RECORDED, Case, cases_of, modules, recorded, reference
from .compare import differences, missing_words
from .observe import observe


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("record", "compare", "page", "names", "absent"))
    parser.add_argument("words", nargs="*", help="only cases whose names have one of these")
    parser.add_argument("--write", action="store_true", help="store the list of expected failures")
    parser.add_argument("--short", action="store_true", help="one line for each difference")
    options = parser.parse_intermixed_args()
    if options.command == "page":
        from .page import page

        print(page(), end="")
        return 0
    if options.command == "names":
        from .public import write

        write()
        return 0
    if options.command == "absent":
        from .absent_page import page as absent_page

        print(absent_page(), end="")
        return 0
    chosen = {m: [c for c in cases_of(m) if not options.words or any(w in c.id for w in options.words)] for m in modules()}
    chosen = {m: cases for m, cases in chosen.items() if cases}
    return record(chosen) if options.command == "record" else compare(chosen, options.write, options.short)


def record(chosen: dict[str, list[Case]]) -> int:
    """Store what PyTorch shows; a case that PyTorch does not run as its author thought is named and not stored."""
    torch = importlib.import_module("torch")
    assert torch.__version__.startswith("2.13."), f"PyTorch 2.13 is the reference, this is {torch.__version__}"
    bad = total = 0
    for module, cases in chosen.items():
        cases = [case for case in cases if not case.ours]
        wanted = {case.name for case in cases_of(module)}
        known = {name: seen for name, seen in recorded(module).items() if name in wanted}
        for case in cases:
            seen = observe(case.run, torch)
            total += 1
            wrong = missing_words(seen) or differences(seen, observe(case.run, torch))
            for line in wrong[:3]:
                print(f"{case.id}: {line}")
            bad += bool(wrong)
            if not wrong:
                known[case.name] = seen
        lines = [f"{json.dumps(name)}: {json.dumps(known[name], ensure_ascii=False)}" for name in sorted(known)]
        RECORDED.mkdir(exist_ok=True)
        (RECORDED / f"{module}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{total} cases recorded, {bad} not as written")
    return 1 if bad else 0


def compare(chosen: dict[str, list[Case]], write: bool, brief: bool) -> int:
    torch = importlib.import_module("transgrad")
    failing = []
    for module, cases in chosen.items():
        for case in cases:
            seen = within(10, case, torch)
            found = differences(reference(case, seen), seen)
            if found:
                failing.append(case.id)
                print(case.id, *found[: 1 if brief else 6], sep="\n    ")
    total = sum(map(len, chosen.values()))
    print(f"{total} cases, {total - len(failing)} the same, {len(failing)} differ")
    if write:
        FAILURES.write_text(
            "# Cases that differ from PyTorch for now; each must really differ.\n" + "".join(f"{f}\n" for f in failing), encoding="utf-8"
        )
    return 1 if failing else 0


def within(seconds: int, case: Case, torch: Any) -> Any:
    """What the case shows, or that it did not end in time."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"no end after {seconds} s")

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        return observe(case.run, torch)
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    sys.exit(main())
