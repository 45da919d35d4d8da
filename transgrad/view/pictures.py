"""Sparsity patterns as pictures, and explanations as tables."""
from __future__ import annotations

import html
from typing import Any

import numpy as np

from ..transforms.reporting.explain import as_table

__all__ = ["explanation_html", "pattern_svg"]

_MOST = 200


def pattern_svg(matrix: Any) -> str:
    """Return a picture of a sparse matrix: entries are dark; in a large matrix, denser blocks are darker.

    Parameters
    ----------
    matrix : sparse array with two dimensions
    """
    rows, columns = matrix.shape
    found = matrix.tocoo()
    step = max(1, -(-max(rows, columns) // _MOST))
    height, width = -(-rows // step), -(-columns // step)
    counts = np.zeros((height, width))
    np.add.at(counts, (found.row // step, found.col // step), 1.0)
    most = counts.max(initial=1.0)
    cell = max(2.0, min(18.0, 360.0 / max(height, width, 1)))
    gap = 1.0 if cell > 6 else 0.0
    squares = "".join(
        f'<rect x="{c * cell + gap / 2:g}" y="{r * cell + gap / 2:g}" width="{cell - gap:g}" height="{cell - gap:g}" '
        f'opacity="{0.35 + 0.65 * counts[r, c] / most:.2f}"/>' for r, c in zip(*np.nonzero(counts)))
    share = found.nnz / max(rows * columns, 1)
    wide, high = f"{width * cell + 2:g}", f"{height * cell + 24:g}"
    label = f"{rows} × {columns}, {found.nnz} entries ({share:.1%})"
    return (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{wide}" height="{high}" '
            f'viewBox="-1 -1 {wide} {high}"><rect width="{width * cell:g}" height="{height * cell:g}" '
            f'fill="none" stroke="#8888"/><g fill="#c8741f">{squares}</g>'
            f'<text y="{height * cell + 16:g}" font-size="12" font-family="sans-serif" fill="#888">{label}</text></svg>')


def explanation_html(text: str) -> str:
    """Return an explanation as HTML tables."""
    tables = []
    for title, rows in as_table(text):
        body = "".join(f"<tr><th style='text-align:left;vertical-align:top'>{html.escape(heading)}</th>"
                       f"<td style='text-align:left'>{'<br/>'.join(html.escape(said).split('; '))}</td></tr>" for heading, said in rows)
        tables.append(f"<table><caption style='text-align:left'><code>{html.escape(title)}</code></caption><tbody>{body}</tbody></table>")
    return "".join(tables)
