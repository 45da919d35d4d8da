"""Render the model as one HTML page with embedded style and script."""
from __future__ import annotations

import html
import importlib.resources
import json
import pathlib
import tempfile
import webbrowser
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .highlight import highlighted
from .model import Model, Pane, model_of

if TYPE_CHECKING:
    from ..transforms.derivative import Derivative

__all__ = ["View", "rendered", "view"]


class View:
    """A page that shows a function beside its derivative.

    Notebooks display it. `save` and `show` write it to a file that needs no network.

    Attributes
    ----------
    html : str
        The page.
    """

    def __init__(self, model: Model):
        self.model = model
        self.html = rendered(model)

    def save(self, path: str | pathlib.Path) -> pathlib.Path:
        """Write the page to a file and return its path."""
        path = pathlib.Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def show(self) -> pathlib.Path:
        """Open the page in a browser and return the path of its file."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", delete=False, encoding="utf-8") as file:
            file.write(self.html)
        webbrowser.open(pathlib.Path(file.name).as_uri())
        return pathlib.Path(file.name)

    def _repr_html_(self) -> str:
        page = html.escape(self.html, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:640px;border:1px solid #8884;border-radius:8px" ' \
               f'title="{html.escape(self.model.title)}"></iframe>'

    def __repr__(self) -> str:
        return f"<view of {self.model.title}>"


def view(derivative: Derivative, values: Mapping[str, Any] | None = None, profile: bool = False) -> View:
    """Return the page of a derivative.

    Parameters
    ----------
    derivative : Derivative
    values : mapping, optional
        Arguments by name. If given, both functions run once, and the page shows values and the sizes of saved values.
    profile : bool
        Whether to measure the time and memory of each line.
    """
    return View(model_of(derivative, values, profile))


def rendered(model: Model) -> str:
    """Return the page of a model."""
    folder = importlib.resources.files(__package__)
    style, script = (folder.joinpath(name).read_text(encoding="utf-8") for name in ("view.css", "view.js"))
    keys = _keys(model)
    panes = "".join(_pane(model, pane, f"p{k}", keys) for k, pane in enumerate(model.panes))
    generated = _pane(model, model.derivative, "d", keys)
    data = json.dumps(_data(model, keys)).replace("</", "<\\/")
    title = html.escape(model.title)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header>
<h1><code>{title}</code></h1>
<p class="summary">{html.escape(model.summary)}</p>
<div class="types" aria-label="Types of the arguments">{_types(model)}</div>
{f'<p class="note">{html.escape(model.note)}</p>' if model.note else ''}
<nav class="tools">
<span class="tabs" role="tablist"><button role="tab" data-tab="function" aria-selected="true">Function</button>\
<button role="tab" data-tab="derivative" aria-selected="false">Derivative</button></span>
{_paths(model)}
<button id="theme" title="Light or dark (t)">Theme</button><button id="help" title="Keys (?)" aria-expanded="false">Keys</button>
</nav>
<p id="keys" hidden><kbd>↑</kbd> <kbd>↓</kbd> lines · <kbd>←</kbd> <kbd>→</kbd> to the other side · <kbd>Enter</kbd> keep a selection · \
<kbd>p</kbd> next path · <kbd>t</kbd> theme · <kbd>Esc</kbd> clear</p>
</header>
<main data-show="function">
<section class="side" id="function" aria-label="Function">{panes}</section>
<section class="side" id="derivative" aria-label="Derivative">{generated}</section>
</main>
<aside id="inspector" aria-live="polite"><p class="hint">Point at a line, tap it, or move with the arrow keys.</p></aside>
{_saved(model)}
{_ir(model)}
<script type="application/json" id="data">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


def _keys(model: Model) -> dict[tuple[str, int], str]:
    """Return an identifier for each line on the side of the function."""
    return {(pane.file, line): f"p{k}-{line}" for k, pane in enumerate(model.panes) for line in pane.lines}


def _types(model: Model) -> str:
    active = {*model.active_names, *model.paths}
    chips = [f'<span class="chip{" active" if name in active else ""}"><b>{html.escape(name)}</b> {html.escape(t)}</span>'
             for name, t in model.types.items()]
    return "".join(chips)


def _paths(model: Model) -> str:
    if not model.paths:
        return ""
    buttons = "".join(f'<button data-path="{html.escape(name)}" aria-pressed="false">{html.escape(name)}</button>' for name in model.paths)
    return f'<span class="paths"><span class="label">Path from</span>{buttons}<span class="label">to the output</span></span>'


def _pane(model: Model, pane: Pane, name: str, keys: Mapping[tuple[str, int], str]) -> str:
    rows = []
    most = max((fact.seconds for fact in pane.facts.values()), default=0.0)
    parts = {line: part for line, (_, _, part) in model.origins.items()}
    for number, line in zip(pane.lines, highlighted(pane.source)):
        classes = ["line"]
        if name == "d":
            if number in model.origins:
                classes.append(parts[number])
        elif (pane.file, number) in model.active:
            classes.append("active")
        cost = ""
        if model.profiled:
            fact = pane.facts.get(number)
            share = fact.seconds / most if fact is not None and most else 0.0
            text = f"{_time(fact.seconds)}" if fact is not None else ""
            memory = f" {_size(fact.memory)}" if fact is not None and fact.memory > 1024 else ""
            cost = f'<span class="cost" style="--share:{share:.3f}">{text}<small>{memory}</small></span>'
        key = f"d-{number}" if name == "d" else keys[pane.file, number]
        rows.append(f'<div class="{" ".join(classes)}" id="{key}" tabindex="-1"><span class="no">{number}</span>'
                    f'<code>{line or " "}</code>{cost}</div>')
    place = f"{pathlib.Path(pane.file).name}:{pane.first}" if name != "d" else pathlib.Path(pane.file).name
    total = f' · {_time(sum(f.seconds for f in pane.facts.values()))}' if model.profiled else ""
    return f'<article><h2>{html.escape(pane.title)} <small title="{html.escape(pane.file)}">{html.escape(place)}{total}</small></h2>' \
           f'<div class="code" role="list">{"".join(rows)}</div></article>'


def _saved(model: Model) -> str:
    if not model.observed or not model.derivative.facts:
        return ""
    total = sum(s.bytes for s in model.saved)
    rows = "".join(f'<tr data-line="d-{s.line}"><td><code>{html.escape(s.name)}</code></td><td>{html.escape(s.description)}</td>'
                   f'<td class="number">{_size(s.bytes)}</td></tr>' for s in model.saved)
    table = f"<table><thead><tr><th>Value</th><th>Type</th><th>Bytes</th></tr></thead><tbody>{rows}</tbody></table>" if rows else \
        "<p>Nothing.</p>"
    return f'<details class="saved" open><summary>Saved for the reverse sweep: {_size(total)}</summary>{table}</details>'


def _ir(model: Model) -> str:
    return "".join(f"<details><summary>{html.escape(title)}</summary><pre>{html.escape(text)}</pre></details>" for title, text in model.ir)


def _data(model: Model, keys: Mapping[tuple[str, int], str]) -> dict[str, Any]:
    """Return the data for the script: corresponding lines, paths, and the values of each line."""
    pairs = [[f"d-{line}", keys[file, own], part] for line, (file, own, part) in model.origins.items() if (file, own) in keys]
    values: dict[str, Any] = {}
    for pane in (*model.panes, model.derivative):
        for line, fact in pane.facts.items():
            key = f"d-{line}" if pane is model.derivative else keys.get((pane.file, line))
            if key is not None:
                values[key] = {"count": fact.count, "values": fact.values,
                               **({"time": _time(fact.seconds), "memory": _size(fact.memory)} if model.profiled else {})}
    return {"pairs": pairs, "values": values, "paths": {name: sorted(keys[p] for p in places if p in keys) for name, places in
                                                         model.paths.items()}}


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def _size(count: int) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
