"""Pictures of what was measured: bars beside other tools and hand-written derivatives, and curves of time over size."""
from __future__ import annotations

import math
import pathlib
from collections.abc import Sequence
from typing import Any

from .growth import length
from .measure import PEERS, Row
from .report import NAMES, best, title

__all__ = ["draw"]

# the palette of Okabe and Ito, which people who see few colours can tell apart, and greys
_COLOURS = {"jax": "#E69F00", "torch": "#D55E00", "autograd": "#009E73", "mygrad": "#CC79A7", "casadi": "#7F7F7F",
            "numba hand": "#000000", "hand": "#555555", "ours": "#56B4E9", "numba ours": "#0072B2", "primal": "#BBBBBB"}
_MARKS = {"jax": "s", "torch": "^", "autograd": "D", "mygrad": "v", "casadi": "P", "numba hand": "|", "hand": "x", "ours": "o",
          "numba ours": "o", "primal": "."}
_LABELS = {**NAMES, "numba hand": "hand-written, Numba", "hand": "hand-written, NumPy", "ours": "transgrad, NumPy",
           "numba ours": "transgrad, Numba",
           "primal": "function, NumPy"}


def draw(rows: Sequence[Row], folder: pathlib.Path) -> None:
    """Writes the pictures as PNG files."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    pyplot.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "figure.dpi": 130})
    _beside_others(pyplot, rows, folder / "peers.png")
    _by_hand(pyplot, rows, folder / "by_hand.png")
    for name in ("recurrence", "elementwise"):
        mine = [r for r in rows if r.workload == name]
        if len(mine) > 2:
            _growth(pyplot, mine, folder / f"{name}.png")


def _one_size(rows: Sequence[Row]) -> list[Row]:
    """One row a workload, of a middle size."""
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        by_name.setdefault(row.workload, []).append(row)
    return [sizes[len(sizes) // 2] for sizes in by_name.values()]


def _beside_others(pyplot: Any, rows: Sequence[Row], path: pathlib.Path) -> None:
    """One line a workload: the time of each tool in units of ours."""
    chosen = sorted(_one_size(rows), key=lambda r: r.ratios.get("jax / best", math.inf))
    figure, axes = pyplot.subplots(figsize=(8.5, 0.55 * len(chosen) + 1.8), layout="constrained")
    tools = [*PEERS, "numba hand"]
    height = 0.8 / len(tools)
    for y, row in enumerate(chosen):
        present = [t for t in tools if f"{t} / best" in row.ratios]
        if y % 2:
            axes.axhspan(y - 0.5, y + 0.5, color="#f3f3f3", zorder=0)
        for tool in present:
            x = row.ratios[f"{tool} / best"]
            filled = tool not in row.rewritten
            axes.barh(y + height * (2.5 - tools.index(tool)), x - 1.0, height, left=1.0, edgecolor=_COLOURS[tool], linewidth=1, zorder=3,
                      color=_COLOURS[tool] if filled else "white")
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    found = [r.ratios[f"{t} / best"] for r in chosen for t in tools if f"{t} / best" in r.ratios]
    axes.set_xlim(min(found) / 1.5, max(found) * 1.5)
    axes.set_ylim(-0.6, len(chosen) - 0.4)
    axes.set_yticks(range(len(chosen)), [f"{title(r)}  [{'Numba' if best(r) == 'numba ours' else 'NumPy'}]" for r in chosen])
    axes.set_xlabel("time in units of transgrad's faster back end, which is given in brackets")
    axes.grid(axis="x", which="major", color="#dddddd", zorder=1)
    handles = [pyplot.Rectangle((0, 0), 1, 1, color=_COLOURS[t]) for t in tools]
    figure.legend(handles, [_LABELS[t] for t in tools], loc="outside upper center", ncols=6, frameon=False, columnspacing=1,
                  handlelength=1)
    axes.set_title("bars to the right are slower than transgrad; hollow bars: function rewritten for the tool", fontsize=9)
    figure.savefig(path)
    pyplot.close(figure)


def _by_hand(pyplot: Any, rows: Sequence[Row], path: pathlib.Path) -> None:
    """One pair of bars a workload: the emitted text in units of the derivative written by hand."""
    chosen = sorted(_one_size(rows), key=lambda r: r.ratios.get("text / hand", r.ratios["ours / hand"]))
    figure, axes = pyplot.subplots(figsize=(8.5, 0.32 * len(chosen) + 1.5), layout="constrained")
    for offset, text, call, colour, label, limit in (
            (0.2, "text / hand", "ours / hand", "#56B4E9", "NumPy", 1.1),
            (-0.2, "numba text / numba hand", "numba ours / numba hand", "#0072B2", "Numba", 1.2)):
        values = [r.ratios.get(text, r.ratios.get(call, math.nan)) for r in chosen]
        axes.barh([y + offset for y in range(len(chosen))], [v - 1.0 for v in values], 0.38, left=1.0, color=colour,
                  label=f"{label} (dashed: limit {limit})", zorder=2)
        for y, value in enumerate(values):
            if not math.isnan(value):
                axes.text(max(value, 1.0) * 1.03, y + offset, f"{value:.2f}", va="center", fontsize=7)
        axes.axvline(limit, color=colour, linewidth=1, linestyle="--", zorder=3)
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=1, zorder=3)
    axes.xaxis.set_major_locator(pyplot.matplotlib.ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_yticks(range(len(chosen)), [title(r) for r in chosen])
    axes.set_xlabel("time of the generated code in units of the hand-written derivative for the same back end")
    axes.grid(axis="x", which="major", color="#dddddd", zorder=0)
    axes.legend(loc="lower right", frameon=True)
    figure.savefig(path)
    pyplot.close(figure)


def _growth(pyplot: Any, rows: Sequence[Row], path: pathlib.Path) -> None:
    """Time over size, a curve a tool."""
    figure, axes = pyplot.subplots(figsize=(7, 4.5), layout="constrained")
    for tool in ("primal", "hand", "ours", "numba hand", "numba ours", *PEERS):
        mine = [r for r in rows if tool in r.seconds]
        if mine:
            ours = tool in ("ours", "numba ours")
            axes.plot([length(r) for r in mine], [r.seconds[tool] for r in mine], marker=_MARKS[tool], color=_COLOURS[tool],
                      linestyle="-" if ours else "--" if tool in PEERS else ":", linewidth=2.2 if ours else 1.2, markersize=6,
                      label=_LABELS[tool] + (" (rewritten)" if tool in mine[0].rewritten else ""))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("length of the array")
    axes.set_ylabel("seconds for one gradient")
    axes.set_title(rows[0].workload)
    axes.grid(which="major", color="#dddddd")
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path)
    pyplot.close(figure)
