"""Find an installed Chromium or Chrome for the tests in a browser and the pictures of the documentation."""
from __future__ import annotations

import os
import pathlib
import shutil
from typing import Any

__all__ = ["MISSING", "find_chromium"]

MISSING = "Chromium is not installed. Hint: install chromium or google-chrome, or set CHROMIUM to the path of a browser"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "chrome.exe", "microsoft-edge", "msedge.exe")
_PATHS = ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium",
          "C:/Program Files/Google/Chrome/Application/chrome.exe", "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe")


def find_chromium(playwright: Any = None) -> str | None:
    """Return the path of a browser: ``$CHROMIUM``, one in the search path, one in a usual place, or the one of ``playwright install``."""
    if given := os.environ.get("CHROMIUM"):
        return given
    found = next(filter(None, map(shutil.which, _NAMES)), None) or next((p for p in _PATHS if pathlib.Path(p).exists()), None)
    if found is None and playwright is not None and pathlib.Path(playwright.chromium.executable_path).exists():
        return str(playwright.chromium.executable_path)
    return found
