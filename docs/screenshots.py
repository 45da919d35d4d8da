"""Take pictures in headless Chromium: ``python docs/screenshots.py`` writes those of the viewer that the documentation shows.

``python docs/screenshots.py --site docs/_build/html -o FOLDER`` takes pictures of pages of the built site, to be looked at.
"""
from __future__ import annotations

import argparse
import itertools
import pathlib
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
FIGURES = ROOT / "docs" / "how-to" / "figures"
SIZES = {"desktop": (1280, 940), "phone": (390, 760)}
SCHEMES = ("light", "dark")
#: Name, size and color scheme of each picture of the viewer.
PICTURES = (("viewer", "desktop", "light"), ("viewer-dark", "desktop", "dark"), ("viewer-phone", "phone", "light"))
#: Pages of the site, by the name of their pictures.
PAGES = {"landing": "index.html", "tutorial": "tutorials/first-derivative.html", "reference": "reference/transformations.html",
         "how-to": "how-to/view-a-derivative.html", "names": "reference/generated/tape-torch-1.html",
         "explanation": "explanation/comparison.html"}


def heat(u0, c, steps):
    """Energy after some steps of the heat equation."""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def viewer_page() -> pathlib.Path:
    """Write the page of the viewer for the heat equation, and return its path."""
    import transgrad as tg
    from transgrad.view import view
    path = pathlib.Path(tempfile.mkdtemp()) / "heat.html"
    view(tg.grad(heat, argnums=(0, 1)), {"u0": np.linspace(0.0, 1.0, 30) ** 2, "c": 0.2, "steps": 25}, profile=True).save(path)
    return path


def take(browser: Any, page_file: pathlib.Path, picture: pathlib.Path, size: str, scheme: str, select: str | None = None) -> int:
    """Take the picture of a page, after a click on ``select``; return by how many pixels the page is wider than the window."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.goto(page_file.resolve().as_uri())
    if select:
        page.click(select)
    page.screenshot(path=str(picture))
    overflow: int = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    context.close()
    return overflow


def main(argv: Sequence[str] | None = None) -> None:
    """Write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=pathlib.Path, help="the folder of the built site (default: pictures of the viewer for the docs)")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=FIGURES, help="the folder for the pictures")
    options = parser.parse_args(argv)
    from playwright.sync_api import sync_playwright

    from tests.view.chromium import MISSING, find_chromium
    options.output.mkdir(parents=True, exist_ok=True)
    line = "#function .line:has-text('u[1:-1] +=')"
    with sync_playwright() as p:
        path = find_chromium(p)
        if path is None:
            sys.exit(MISSING)
        browser = p.chromium.launch(executable_path=path, args=["--no-sandbox"])
        if options.site is None:
            page_file = viewer_page()
            for name, size, scheme in PICTURES:
                take(browser, page_file, options.output / f"{name}.png", size, scheme, line)
        else:
            pages = {**{name: (options.site / page, None) for name, page in PAGES.items()}, "viewer": (viewer_page(), line)}
            for (name, (page_file, select)), size, scheme in itertools.product(pages.items(), SIZES, SCHEMES):
                overflow = take(browser, page_file, options.output / f"{name}-{size}-{scheme}.png", size, scheme, select)
                print(f"{name}-{size}-{scheme}.png" + (f": the page is {overflow} pixels wider than the window" if overflow > 0 else ""))
        browser.close()


if __name__ == "__main__":
    main()
