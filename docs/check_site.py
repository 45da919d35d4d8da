"""Check the built site without a network: ``python docs/check_site.py FOLDER``.

Every local link leads to a file and an anchor that exist, no page asks another host for a style, script, font or picture, and no page
exceeds 300 kB.
"""
from __future__ import annotations

import pathlib
import sys
import urllib.parse
from html.parser import HTMLParser

LIMIT = 300_000
_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """The anchors of a page, its links, and the files that it loads."""

    def __init__(self, text: str):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the anchors and links of an element."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and {"stylesheet", "preload", "icon", "shortcut"} & set(found.get("rel", "").split()):
            self.loaded.append(found.get("href", ""))
        elif tag in _LOADED and _LOADED[tag] in found:
            self.loaded.append(found[_LOADED[tag]])


def problems(folder: pathlib.Path) -> list[str]:
    """The defects of a site, one line each."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}
    out = [f"{path.relative_to(folder.resolve())} has {path.stat().st_size // 1000} kB" for path in pages if path.stat().st_size > LIMIT]
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        for link in page.links + page.loaded:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if link in page.loaded:
                    out.append(f"{name} loads {link}")
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                out.append(f"{name} links to {link}, which does not exist")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                out.append(f"{name} links to {link}, which has no such anchor")
    return out


if __name__ == "__main__":
    found = problems(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "all local links lead somewhere")
    sys.exit(bool(found))
