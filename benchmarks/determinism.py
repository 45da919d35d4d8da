"""The same text from processes with different hash seeds."""
from __future__ import annotations

import hashlib
import os
import subprocess
import sys

__all__ = ["main", "texts"]


def texts() -> str:
    """Every derivative the other benchmarks compile, one after the other."""
    import transgrad as tg

    from . import compile_time, golden_files, ratios
    parts = [emitted.source_for(*args) for _, _, emitted, args in golden_files.cases()]
    parts += [tg.grad(f, wrt, fallback="error").source_for(*args) for _, _, f, args, wrt in ratios.cases()]
    parts.append(tg.grad(compile_time.long_function(), fallback="error").source_for(*compile_time.ARGS))
    return "\n".join(parts)


def main() -> bool:
    """Prints the digest each process found; whether they are the same."""
    print("the text from processes with different hash seeds")
    digests = []
    for seed in ("0", "1", "271828"):
        code = "from benchmarks.determinism import texts; import sys; sys.stdout.write(texts())"
        text = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, check=True, capture_output=True,
                              text=True).stdout
        digests.append(hashlib.sha256(text.encode()).hexdigest()[:16])
        print(f"  PYTHONHASHSEED={seed:8s} {len(text.splitlines())} lines   {digests[-1]}")
    same = len(set(digests)) == 1
    print(f"  {'the same' if same else 'DIFFERENT'}")
    return same


if __name__ == "__main__":
    raise SystemExit(not main())
