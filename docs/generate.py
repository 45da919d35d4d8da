"""Generate the pages of the reference that are made from the code and its tests; the build calls this first."""
from __future__ import annotations

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
if str(HERE.parent) not in sys.path:
    sys.path.insert(0, str(HERE.parent))
OUT = HERE / "reference" / "generated"
#: Files at the top of the repository that are pages of the documentation, too.
ABOUT = {"CHANGELOG": "changelog", "CONTRIBUTING": "contributing", "CODE_OF_CONDUCT": "code-of-conduct", "SECURITY": "security"}


def optimizations() -> str:
    """The table of optimizations."""
    from transgrad.passes.switches import NAMES
    rows = "\n".join(f"| `{name}` | {text} |" for name, text in NAMES.items())
    return ("# Optimizations\n\nThese names are the keys of `optimize=`. For example, "
            "`tg.grad(f, optimize={\"scalars\": False})` disables one. "
            "[Optimization](../../explanation/optimization.md) explains the main ones; [Passes](passes.md) lists all passes.\n\n"
            f"| name | optimization |\n|---|---|\n{rows}\n")


def passes() -> str:
    """The page of the passes in their order, from their declarations."""
    from transgrad.cli.passes import markdown
    return markdown()


def pages() -> dict[str, str]:
    """The generated pages, by file name without extension."""
    import rule_pages
    import tape_pages

    from tests.conformance import absent_page, page
    from transgrad.frontend import limitations_markdown
    return {
        **rule_pages.pages(), "limitations": limitations_markdown(), "torch-compatibility": page.page(),
        "torch-absent": absent_page.page(), "optimizations": optimizations(),
        "passes": passes(), **tape_pages.pages(),
    }


def about() -> dict[str, str]:
    """The pages made from files at the top of the repository, with their links adapted."""
    out = {}
    for file, name in ABOUT.items():
        text = (HERE.parent / f"{file}.md").read_text(encoding="utf-8").replace("](docs/", "](../")
        for other, page in ABOUT.items():
            text = text.replace(f"]({other}.md)", f"]({page}.md)")
        out[name] = text
    return out


def _write(folder: pathlib.Path, found: dict[str, str]) -> None:
    """Write the pages of a folder that have changed, and delete those that are gone."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.md"):
        if old.stem not in found:
            old.unlink()
    for name, text in found.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def main() -> None:
    """Write all generated pages."""
    _write(OUT, pages())
    _write(HERE / "about", about())


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    main()
