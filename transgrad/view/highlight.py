"""Syntax highlighting: Python source as HTML with token classes."""
from __future__ import annotations

import builtins
import html
import io
import keyword
import tokenize

__all__ = ["highlighted"]

_BUILTINS = frozenset(dir(builtins))


def highlighted(source: str) -> list[str]:
    """Return the lines of a source as HTML, with spans for keywords, strings, numbers, comments and built-in names."""
    lines = source.splitlines()
    marks: dict[int, list[tuple[int, int, str]]] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(source).readline):
            kind = _kind(token)
            if kind:
                for row in range(token.start[0], token.end[0] + 1):
                    start = token.start[1] if row == token.start[0] else 0
                    end = token.end[1] if row == token.end[0] else len(lines[row - 1])
                    marks.setdefault(row, []).append((start, end, kind))
    except (tokenize.TokenError, IndentationError, SyntaxError):
        pass        # an excerpt may be incomplete: highlight the tokens found so far
    return [_marked(line, marks.get(k, [])) for k, line in enumerate(lines, 1)]


def _kind(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.COMMENT:
        return "c"
    if token.type == tokenize.STRING:
        return "s"
    if token.type == tokenize.NUMBER:
        return "n"
    if token.type == tokenize.NAME:
        return "k" if keyword.iskeyword(token.string) else "b" if token.string in _BUILTINS else \
            "a" if token.string.endswith(("_bar", "_dot")) or "_bar_" in token.string else ""
    return ""


def _marked(line: str, marks: list[tuple[int, int, str]]) -> str:
    out, at = "", 0
    for start, end, kind in marks:
        out += html.escape(line[at:start]) + f'<i class="{kind}">{html.escape(line[start:end])}</i>'
        at = end
    return out + html.escape(line[at:])
