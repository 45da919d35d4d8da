"""The translation of syntax trees is that of gast, node for node and place for place."""
from __future__ import annotations

import ast
from pathlib import Path

import gast
import pytest

from transgrad.frontend.source.syntax import as_gast, nodes_in

FILES = [p for p in sorted(Path(ast.__file__).parent.glob("*.py")) if p.stat().st_size < 60_000][::4]
FORMS = """
def f(a, /, b: int, *args, c=1, d, **kw) -> float:
    global g
    x: int = 1
    with open(a) as h, b: pass
    try:
        y = [i for i in a if i] if a else None
    except (ValueError, TypeError) as e:
        raise e from None
    finally:
        del x[1:2, ..., ::3]
    match a:
        case {"k": [1, *rest], **more} if rest: return lambda *p, q=2: (yield p)
        case C(x=1) | None: ...
    return f"{a!r:>{b}}" "s"
class C(B, metaclass=M):
    @d
    async def m(self): return [await x async for x in self]
"""


def same(tree: ast.AST) -> bool:
    return bool(gast.dump(as_gast(tree), include_attributes=True) == gast.dump(gast.ast_to_gast(tree), include_attributes=True))


def test_all_forms() -> None:
    assert same(ast.parse(FORMS))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_files(path: Path) -> None:
    assert same(ast.parse(path.read_text(encoding="utf8")))


MARKS = (gast.expr_context, gast.operator, gast.boolop, gast.unaryop, gast.cmpop)


@pytest.mark.parametrize("path", FILES[::3], ids=lambda p: p.stem)
def test_nodes(path: Path) -> None:
    tree = as_gast(ast.parse(path.read_text(encoding="utf8")))
    assert list(map(id, nodes_in(tree))) == [id(n) for n in gast.walk(tree) if not isinstance(n, MARKS)]
