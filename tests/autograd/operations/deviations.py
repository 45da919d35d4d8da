"""Where an operation differs from PyTorch's, and why."""
from __future__ import annotations

NAMES: dict[str, str | None] = {}
VIEWS: set[str] = set()
NO_GRADIENT: set[str] = set()
NO_SECOND: set[str] = set()
