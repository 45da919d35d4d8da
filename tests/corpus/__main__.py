"""Runs the corpus and prints what is right, wrong, refused or broken, grouped by cause: ``python -m tests.corpus``."""
from __future__ import annotations

import argparse
import re
import resource
import signal
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from transgrad.errors import TransgradError
from transgrad.passes.switches import NAMES, switched_off

from .modes import MODES, check
from .registry import load


class TooSlow(BaseException):
    """A case took longer than it may (no Exception, lest the code it interrupts catches it)."""


def _alarm(*_: object) -> None:
    raise TooSlow


def outcome(run: Callable[[], Any], seconds: int = 10) -> tuple[str, str]:
    """'right', 'wrong', 'refused' or 'crashed', and the cause on one line."""
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(seconds)
    try:
        run()
        return "right", ""
    except TransgradError as exc:
        where = f" [{exc.loc.text}]" if exc.loc else ""
        return "refused", f"{type(exc).__name__}: {exc.reason}{where}"
    except AssertionError as exc:
        last = traceback.extract_tb(exc.__traceback__)[-1]
        if "/transgrad/" not in last.filename:
            return "wrong", " ".join(str(exc).split())[:300]
        return "crashed", f"{last.filename.rpartition('/transgrad/')[2]}:{last.lineno} {type(exc).__name__}: {' '.join(str(exc).split())[:200]}"
    except (Exception, TooSlow) as exc:
        frames = [f for f in traceback.extract_tb(exc.__traceback__) if "/tests/" not in f.filename]
        last = frames[-1] if frames else traceback.extract_tb(exc.__traceback__)[-1]
        emitted = last.filename.startswith("<transgrad")
        where = "emitted text" if emitted else f"{last.filename.rpartition('/transgrad/')[2][-40:]}:{last.lineno}"
        message = re.sub(r"'saved_\w*'", "'saved_…'", re.sub(r"<transgrad \w+ \w+>", "<…>", " ".join(str(exc).split())))
        return "crashed", f"{where} {type(exc).__name__}: {message[:200]}"
    finally:
        signal.alarm(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("match", nargs="*", help="parts of row-name to run")
    parser.add_argument("--mode", choices=list(MODES), action="append")
    parser.add_argument("--trace", action="store_true", help="print the traceback of each failure")
    parser.add_argument("--verbose", action="store_true", help="print each case before it is run")
    parser.add_argument("--without", action="append", default=[], choices=[*NAMES, "all"], help="an optimisation to switch off")
    options = parser.parse_args()
    with switched_off(*options.without):
        run(options)


def run(options: argparse.Namespace) -> None:
    """Runs the cases that are asked for, and prints what came out."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    causes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for case in load():
        name = f"{case.row}-{case.name}"
        if options.match and not any(m in name for m in options.match):
            continue
        for mode in options.mode or MODES:
            if options.verbose:
                print(name, mode, flush=True)
            if options.trace:
                try:
                    check(case, mode)
                    counts[mode]["right"] += 1
                except Exception:
                    print(f"==== {name} {mode}")
                    traceback.print_exc()
                continue
            kind, cause = outcome(lambda case=case, mode=mode: check(case, mode))  # type: ignore[misc]
            counts[mode][kind] += 1
            if kind != "right":
                causes[kind, cause].append(f"{name}:{mode}")
    for (kind, cause), names in sorted(causes.items(), key=lambda item: (item[0][0] != "wrong", -len(item[1]))):
        print(f"{kind:8s} {len(names):4d}  {cause}\n               {' '.join(names[:6])}{' …' if len(names) > 6 else ''}")
    for mode, count in counts.items():
        print(f"{mode:22s}", dict(count))


if __name__ == "__main__":
    main()
