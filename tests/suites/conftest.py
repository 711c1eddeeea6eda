"""What these tests share with those of the core: runs of a bench, and an endpoint that speaks as a model's server."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in ("", "bench", "cli", "docs", "planners"):
    sys.path.insert(0, str(Path(__file__).parents[1] / folder))
