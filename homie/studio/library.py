"""Runs and recordings on disk, for a page to list, open and annotate."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from homie.bench.options import ReportOptions
from homie.bench.report import report
from homie.data.recording.notes import Note, add_note
from homie.data.recording.takes import list_takes
from homie.kernel.errors import BadInput
from homie.kernel.support.text import printable
from homie.runtime.runstore import kind_of

NEWEST = 200
"""Maximum number of listed runs."""


class Library:
    """The folders of runs and of recordings. Names are those of folders in them, never paths."""

    def __init__(self, runs: Path, recordings: Path | None) -> None:
        self._runs, self._recordings = runs, recordings

    def runs(self) -> list[dict[str, Any]]:
        """Return the run folders, newest first: `name`, `kind` (run, bench), `recorded`."""
        return [
            {"name": name, "kind": kind_of(path) or "damaged", "recorded": path.parent == self._recordings}
            for name, path in list(self._folders().items())[:NEWEST]
        ]

    def recordings(self) -> list[dict[str, Any]]:
        """Return the recordings, newest first, with their marks and notes."""
        if self._recordings is None:
            return []
        return [
            {
                "name": take.run.name,
                "task": printable(take.task),
                "planner": take.planner,
                "finished": take.finished,
                "rounds": take.rounds,
                "seconds": round(take.robot_seconds, 1),
                "mark": take.mark or "",
                "discarded": take.discarded,
                "notes": [
                    {"kind": note.kind, "text": printable(note.text), "round": note.round} for note in take.notes
                ],
            }
            for take in reversed(list_takes(self._recordings))
        ]

    def export(self) -> str:
        """Return the run folders of finished recordings marked as successes and not discarded, a line each, for
        `homie data`."""
        if self._recordings is None:
            return ""
        successes = [take for take in list_takes(self._recordings) if take.mark == "success" and not take.discarded]
        return "".join(f"{take.run}\n" for take in successes if take.finished)

    def report(self, names: Sequence[str]) -> bytes:
        """Return the HTML page of `homie report` for some runs. Raises BadInput."""
        if not names:
            raise BadInput("Say which runs: report?run=NAME.")
        with tempfile.TemporaryDirectory(prefix="homie-studio-") as folder:
            page = Path(folder) / "report.html"
            report(ReportOptions.build(runs=[self._run(name) for name in dict.fromkeys(names)], out=page))
            return page.read_bytes()

    def add_note(self, name: str, note: Note) -> None:
        """Add a note to a recording. Raises BadInput."""
        run = self._run(name)
        take = next((take for take in list_takes(run.parent) if take.run == run), None)
        if take is None:
            raise BadInput(f"There is no recording '{printable(name)}'.")
        add_note(take.episode, note)

    def _run(self, name: str) -> Path:
        """Return the folder of a run. Raises BadInput for a name that is not listed."""
        path = self._folders().get(name)
        if path is None:
            raise BadInput(f"There is no run '{printable(name)}' here: the list has those that there are.")
        return path

    def _folders(self) -> dict[str, Path]:
        """Return run folders by name, newest first; a recording replaces a run of the same name."""
        places = [place for place in (self._runs, self._recordings) if place is not None and place.is_dir()]
        folders = {file.parent.name: file.parent for place in places for file in place.glob("*/run.json")}
        return dict(sorted(folders.items(), reverse=True))
