"""Take the pictures of the viewer for the documentation, in headless Chromium: ``python docs/screenshots.py``."""
from __future__ import annotations

import os
import pathlib
import shutil
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
FIGURES = ROOT / "docs" / "how-to" / "figures"
#: Name, width, height and color scheme of each picture.
PICTURES = (("viewer", 1280, 940, "light"), ("viewer-dark", 1280, 940, "dark"), ("viewer-phone", 390, 760, "light"))


def heat(u0, c, steps):
    """Energy after some steps of the heat equation."""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u ** 2)


def main() -> None:
    """Write the pictures."""
    from playwright.sync_api import sync_playwright

    import transgrad as tg
    from transgrad.view import view
    page_file = pathlib.Path(tempfile.mkdtemp()) / "heat.html"
    view(tg.grad(heat, argnums=(0, 1)), {"u0": np.linspace(0.0, 1.0, 30) ** 2, "c": 0.2, "steps": 25}, profile=True).save(page_file)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, width, height, scheme in PICTURES:
            page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True).new_page()
            page.goto(page_file.as_uri())
            page.click("#function .line:has-text('u[1:-1] +=')")
            page.screenshot(path=str(FIGURES / f"{name}.png"))
        browser.close()


if __name__ == "__main__":
    main()
