"""The tests that cover a file: by name and import first, then recorded line by line with coverage contexts."""
from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys

__all__ = ["ROOT", "candidates", "recorded"]

ROOT = pathlib.Path(__file__).parents[2]
#: Tests that go through the whole compiler, for any file of a package.
GENERAL = {
    "rules": ["tests/rules/test_rules.py", "tests/rules/test_on_ir.py", "tests/rules/test_kinks.py"],
    "passes": ["tests/emit/test_derivatives.py", "tests/emit/test_statements.py", "tests/golden", "tests/api/test_structures.py"],
    "frontend": ["tests/everyday", "tests/frontend/test_facts.py", "tests/api/test_guards.py"],
    "ir": ["tests/ir", "tests/emit/test_derivatives.py"],
    "emit": ["tests/emit", "tests/golden"],
    "transforms": ["tests/api/test_structures.py", "tests/api/test_guards.py", "tests/comparison"],
    "runtime": ["tests/api/test_structures.py", "tests/everyday"],
}
ALWAYS = ["tests/cross/test_cross.py"]


def candidates(file: str, most: int = 12) -> list[str]:
    """Test files that may cover a file of transgrad: those that name its module or what it defines, then general ones."""
    path = pathlib.PurePath(file)
    module = ".".join(path.with_suffix("").parts)
    text = (ROOT / file).read_text()
    names = re.findall(r"^(?:def|class) (\w{5,})", text, re.M)
    scores: dict[str, int] = {}
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        said = test.read_text()
        relative = str(test.relative_to(ROOT))
        score = 5 * (module in said) + 4 * (test.stem == f"test_{path.stem}") + 2 * (path.stem in test.stem and len(path.stem) > 4)
        score += sum(bool(re.search(rf"\b{name}\b", said)) for name in names)
        score += 3 * (len(path.parts) > 2 and f"/{path.parts[1]}/" in relative and path.stem in said)
        if score > 1:
            scores[relative] = score
    found = sorted(scores, key=lambda t: -scores[t])[:most]
    return list(dict.fromkeys([*found, *GENERAL.get(path.parts[1], []), *ALWAYS]))


def _of_rules(file: str) -> list[str]:
    """For a file of rules, the selection of the tests that name one of its functions: all rules have thousands."""
    if not file.startswith("transgrad/rules/"):
        return []
    names = re.findall(r"(?:np|scipy|special|linalg|stats|signal|ndimage|fft|math|operator)\.([a-z_0-9]{3,})", (ROOT / file).read_text())
    chosen = sorted(set(names), key=lambda n: (-names.count(n), n))[:40]
    return ["-k", " or ".join([*chosen, "sample"])] if chosen else []


def recorded(file: str, cache: pathlib.Path, timeout: int) -> tuple[dict[int, list[str]], list[str]]:
    """For each line of a file the tests that execute it, and the tests that fail without any mutant (which are left out)."""
    kept = cache / (file.replace("/", "_") + ".json")
    if kept.exists():
        lines, failing = json.loads(kept.read_text())
        return {int(k): v for k, v in lines.items()}, failing
    data = cache / (file.replace("/", "_") + ".coverage")
    config = cache / "coveragerc"
    config.write_text(f"[run]\ndata_file = {data}\ninclude = {ROOT / file}\ndynamic_context = none\n")
    tests = [t for t in candidates(file) if (ROOT / t).exists()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *_of_rules(file), "-q", "-p", "no:cacheprovider", "--no-header", "-rf", f"--cov={ROOT / 'transgrad'}", f"--cov-config={config}",
         "--cov-context=test", "--cov-report=", *tests], cwd=ROOT, capture_output=True, text=True, timeout=timeout)
    failing = re.findall(r"^FAILED (\S+)", done.stdout, re.M)
    import coverage
    read = coverage.CoverageData(str(data))
    read.read()
    lines: dict[int, list[str]] = {}
    for measured in read.measured_files():
        if measured.endswith(file):
            for line, contexts in read.contexts_by_lineno(measured).items():
                found = [c.partition("|")[0] for c in contexts if c and c.partition("|")[0] not in failing]
                lines[line] = sorted(set(found))
    kept.write_text(json.dumps([lines, failing]))
    return lines, failing
