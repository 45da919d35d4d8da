"""Generate the pages of the reference that are made from the code and its tests; the build calls this first."""
from __future__ import annotations

import inspect
import pathlib
import re
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


def _signature(value: object) -> str:
    try:
        text = str(inspect.signature(value))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text).removesuffix(" -> Any")     # annotations that are strings
    return text if len(text) < 160 else f"{text[:text.rindex(',', 0, 140)]}, …)"


#: Names on one page of the tape, so that no page is too large.
PAGE_OF_NAMES = 220


def tape_names() -> dict[str, str]:
    """The functions of the tape, by namespace, with their signatures."""
    from tests.conformance.public import names_of_pytorch
    from tests.conformance.public import place as place_of
    from transgrad.absent import CLASSES
    out, index = {}, []
    for place, names in names_of_pytorch().items():
        absent = {name for c in CLASSES for name in c.names.get(place, ())}
        owner = place_of(place, "transgrad")
        rows = []
        for name in sorted(set(names) - absent, key=str.lower):
            value = getattr(owner, name, None)
            if not callable(value):
                continue
            signature = _signature(value).replace("|", "\\|")
            rows.append((name, f"| `{name}` | {f'`{signature}`' if signature else ''} |"))
        for k in range(0, len(rows), PAGE_OF_NAMES):
            part = rows[k:k + PAGE_OF_NAMES]
            page = f"tape-{place.replace('.', '-')}{'' if len(rows) <= PAGE_OF_NAMES else f'-{1 + k // PAGE_OF_NAMES}'}"
            title = place if len(rows) <= PAGE_OF_NAMES else f"{place}: {part[0][0]} to {part[-1][0]}"
            out[page] = "\n".join([f"# {title}", "", "| name | signature |", "|---|---|", *(row for _, row in part), ""])
            index.append(f"| [{title}]({page}.md) | {len(part)} |")
    out["tape-names"] = "\n".join([
        "# Names of the tape", "",
        "`import transgrad as torch` provides these names. They behave as the documentation of PyTorch says, except for the",
        "[differences](torch-compatibility.md#differences). Signatures are transgrad's.", "",
        "| namespace | names |", "|---|--:|", *index, "", "```{toctree}", ":hidden:", "", *(p for p in out), "```", ""])
    return out


def pages() -> dict[str, str]:
    """The generated pages, by file name without extension."""
    import rule_pages

    from tests.conformance import absent_page, page
    from transgrad.frontend import limitations_markdown
    return {
        **rule_pages.pages(), "limitations": limitations_markdown(), "torch-compatibility": page.page(),
        "torch-absent": absent_page.page(), "optimizations": optimizations(),
        "passes": passes(), **tape_names(),
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
