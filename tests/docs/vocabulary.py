"""Words and phrases that the project does not use in docstrings, comments and pages: ``python -m tests.docs.vocabulary [FOLDER…]``."""
from __future__ import annotations

import ast
import io
import pathlib
import re
import sys
import tokenize
from collections.abc import Iterator

__all__ = ["CHECKED", "ROOT", "UNWANTED", "UNWANTED_IN_SOURCE", "unwanted_in_page", "unwanted_in_source"]

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: The packages whose prose is checked.
CHECKED = ("autograd", "bridge", "cli", "comparison", "custom", "distributed", "emit", "frontend", "interop", "ir", "nn", "optim", "passes", "pickling",
           "rules", "runtime", "signal", "transforms", "utils", "view")
#: A phrase and the term to use.
UNWANTED = {
    r"\b(?:a|each|every|all|the|one|its?|last|first|next) turns?\b(?! (?:into|off|on|out|to)\b)|\bturns of\b|\bturns? (?:back|again)\b": "iteration",
    r"\b(?:emitted|a|the|this|one|its|of) texts?\b(?! (?:file|mode|output|editor))": "source, or generated code",
    r"\b(?:is|are|was|were|be|been) handed\b|\bhanded (?:on|out|over|to)\b|\bhands? (?:on|out|over)\b": "pass, return",
    r"\bway out\b": "Hint:",
    r"\bmend(?:s|ed)?\b": "fix",
    r"\bmeanwhile\b": "temporarily",
    r"\bhad better\b|\bby and by\b|\bof old\b|\bas it stands\b|\bstands? in\b|\bstands? (?:along|there|before|behind)\b": "plain words",
    r"\b(?:is|are) (?:not )?taken (?:out|over|for|care|as)\b": "plain words",
    r"\bonce and for all\b|\bin the place of\b|\bone after the other\b": "in place of, in order",
    r"optimis|behaviour|colour|neighbour|\banaly(?:se|sed|sing)\b|recognis|modell|emitted": "American spelling; generated",
}
#: Phrases that are rare in good documentation, but not always wrong there; in the source they are.
UNWANTED_IN_SOURCE = {
    r"\bwhat (?:is|was|it|they|are|were|be?comes?|became|the \w+|a \w+|follows|goes|comes|has|have|may|can|must|does|do)\b": "a noun",
    r"\bwhatever\b": "any",
    r"\bslopes?\b": "derivative",
    r"\bwhere (?:there|that|it|they|this) (?:is|are|was|were)\b|\bwhere one is\b": "if",
}
_IN_PAGES = re.compile("|".join(f"(?:{p})" for p in UNWANTED), re.IGNORECASE)
_IN_SOURCE = re.compile("|".join(f"(?:{p})" for p in (*UNWANTED, *UNWANTED_IN_SOURCE)), re.IGNORECASE)


def _prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield the docstrings and comments of a source with their lines, without the examples and quoted code."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node, clean=False):
            first = node.body[0]
            shown = re.sub(r"^\s*(?:>>>|\.\.\.).*$", "", ast.get_docstring(node, clean=False) or "", flags=re.MULTILINE)
            for k, line in enumerate(shown.split("\n")):
                yield first.lineno + k, line
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def unwanted_in_source(source: str) -> list[tuple[int, str, str]]:
    """Return the line number, the phrase and the line of each unwanted phrase."""
    found = []
    for number, line in _prose(source):
        plain = re.sub(r"``[^`]*``|`[^`]*`|\"[^\"]*\"", "", line)
        found += [(number, match[0], line.strip()) for match in _IN_SOURCE.finditer(plain)]
    return sorted(found)


def unwanted_in_page(text: str) -> list[tuple[int, str, str]]:
    """Return the same for a page of Markdown, without its code."""
    blank = re.sub(r"^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    return [(k, match[0], line.strip()) for k, line in enumerate(blank.split("\n"), 1)
            for match in _IN_PAGES.finditer(re.sub(r"`[^`]*`", "", line))]


def main() -> int:
    folders = sys.argv[1:] or CHECKED
    total = 0
    for folder in folders:
        for path in sorted((ROOT / "transgrad" / folder).rglob("*.py")):
            for number, _, line in unwanted_in_source(path.read_text(encoding="utf-8")):
                total += 1
                print(f"{path.relative_to(ROOT)}:{number}: {line}")
    print(f"{total} unwanted phrases", file=sys.stderr)
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main())
