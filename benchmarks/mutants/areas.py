"""Parts of the code that are mutated separately, each with its own tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MARKS = "not slow and not experts and not docs"


@dataclass(frozen=True, slots=True)
class Area:
    """files: glob patterns of the mutated files. tests: tests run with coverage to record which test runs which line.
    marks: pytest mark expression that selects among them."""

    files: tuple[str, ...]
    tests: tuple[str, ...]
    marks: str = MARKS

    def scope(self, root: Path, only: Sequence[str] = ()) -> list[str]:
        """Return the mutated files, relative to `root`; with `only` those whose paths begin with one of its items."""
        files = sorted({str(path.relative_to(root)) for pattern in self.files for path in root.glob(pattern)})
        return [file for file in files if not only or any(file.startswith(part) for part in only)]


AREAS: Mapping[str, Area] = {
    "core": Area(
        ("homie/kernel/**/*.py", "homie/runtime/**/*.py", "error_detection/*.py", "homie/bench/**/*.py"), ("tests",)
    ),
    "guard": Area(("ros_bridge/guard/*.py",), ("tests/ros_bridge/guard", "tests/ros_bridge/robot")),
    "data": Area(("homie/data/**/*.py",), ("tests/data", "tests/ros_bridge")),
    "classical": Area(("skills/classical/*.py", "skills/motion/*.py"), ("tests/skills/classical",)),
}
