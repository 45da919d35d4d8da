"""``python -m transgrad`` is the command ``transgrad``."""
from .cli import main

raise SystemExit(main())
