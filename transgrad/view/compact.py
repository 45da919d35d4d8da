"""The compact form of the viewer for notebooks: two columns of source, without a script.

Style rules highlight corresponding lines, so it also works in notebooks that do not run scripts.
"""
from __future__ import annotations

import html
import itertools
from typing import TYPE_CHECKING

from ..errors import TransgradError
from .highlight import highlighted
from .model import Model, model_of

if TYPE_CHECKING:
    from ..transforms.derivative import Derivative

__all__ = ["compact"]

_COUNT = itertools.count()
_STYLE = """
.{id}{{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26em),1fr));gap:0 1.2em;font-size:13px;line-height:1.5}}
.{id} pre{{margin:0;padding:.3em 0;overflow-x:auto;background:none}}
.{id} .h{{opacity:.65;margin:.2em 0 0}}
.{id} .l{{display:block;padding:0 .4em;border-left:3px solid transparent;min-width:max-content}}
.{id} .adjoint,.{id} .tangent{{border-left-color:#4a8fd8}}.{id} .active{{border-left-color:#d9822b}}
.{id} i{{font-style:normal}}
.{id} .k{{color:#9b4dca}}.{id} .s{{color:#4c8f4a}}.{id} .n{{color:#b5651d}}.{id} .c{{color:#8a8372;font-style:italic}}
.{id} .b{{color:#2a8c66}}.{id} .a{{color:#3f7fc9}}"""


def compact(derivative: Derivative) -> str:
    """Return the HTML of a derivative: its last source beside the function, or its signature before the first call."""
    try:
        model = model_of(derivative, None)
    except (TransgradError, TypeError):
        return f"<code>{html.escape(repr(derivative))}</code>"
    return _html(model)


def _html(model: Model) -> str:
    name = f"tg{next(_COUNT)}"
    own = model.panes[:1]
    groups: dict[tuple[str, int], int] = {}
    for file, line, _ in model.origins.values():
        groups.setdefault((file, line), len(groups))
    rules = "".join(f".{name}:has(.g{k}:hover) .g{k}{{background:#e8b93155}}" for k in groups.values())
    columns = []
    for pane in own:
        rows = []
        for number, text in zip(pane.lines, highlighted(pane.source)):
            group = groups.get((pane.file, number))
            classes = ["l", *([f"g{group}"] if group is not None else []), *(["active"] if (pane.file, number) in model.active else [])]
            rows.append(f'<span class="{" ".join(classes)}">{text or " "}</span>')
        columns.append((pane.title, rows))
    rows = []
    for number, text in enumerate(highlighted(model.derivative.source), 1):
        origin = model.origins.get(number)
        classes = ["l", *([f"g{groups[origin[0], origin[1]]}", origin[2]] if origin is not None else [])]
        rows.append(f'<span class="{" ".join(classes)}">{text or " "}</span>')
    columns.append((model.derivative.title, rows))
    body = "".join(f'<div><p class="h"><code>{html.escape(title)}</code></p><pre>{"".join(rows)}</pre></div>' for title, rows in columns)
    return f'<style>{_STYLE.format(id=name)}{rules}</style><div class="{name}">{body}</div>'
