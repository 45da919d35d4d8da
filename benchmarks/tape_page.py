"""Write the measurements of the tape into the page on performance: ``python -m benchmarks.tape_page``."""
from __future__ import annotations

import importlib
import platform
from pathlib import Path

import numpy as np

from . import tape_networks, tape_operations

PAGE = Path(__file__).parents[1] / "docs/explanation/performance.md"
MARKS = "<!-- tape: begin -->", "<!-- tape: end -->"
#: the operations whose limit is 1.5
LIMITED = ("view", "expand", "permute", "t", "unsqueeze", "flatten", "unbind", "chunk", "split", "max(0)", "clamp", "sigmoid", "dot",
           "outer", "matrix @ vector", "x[3]", "x[2:7]", "z[2:5] = y[2:5]")


def lines() -> list[str]:
    """The section, line by line."""
    version = importlib.import_module("torch").__version__
    rows, operations, programs = tape_networks.report(), tape_operations.report(), tape_networks.report_programs()
    machine = f"PyTorch {version}, NumPy {np.__version__}, Python {platform.python_version()}"
    found = [f"Measured with `python -m benchmarks.tape_page`: {machine}, one thread each, by turns in one process, in processor time.", ""]
    found += ["| row | time on the tape over PyTorch eager | limit |", "|---|--:|--:|"]
    found += [f"| {name} | {ratio:.2f} | {limit:.1f}{' *' * (ratio > limit)} |" for name, (ratio, limit) in rows.items()]
    found += [f"| `{name}`, ten elements | {operations[name]:.2f} | 1.5{' *' * (operations[name] > 1.5)} |" for name in LIMITED]
    mean = float(np.exp(np.mean(np.log(list(operations.values())))))
    found += [f"| geometric mean of {len(operations)} operations on ten elements | {mean:.2f} | |", ""]
    found += ["Complete training programs, seconds for fifty steps:", "", "| program | PyTorch | tape | ratio |", "|---|--:|--:|--:|"]
    found += [f"| {name.replace('_', ' ')} | {theirs:.3f} | {ours:.3f} | {ours / theirs:.2f} |"
              for name, (theirs, ours) in programs.items()]
    return found


def main() -> None:
    """Replace the section."""
    text = PAGE.read_text()
    before, behind = text.split(MARKS[0])[0], text.split(MARKS[1])[1]
    PAGE.write_text("\n".join([before + MARKS[0], "", *lines(), "", MARKS[1] + behind]))


if __name__ == "__main__":
    main()
