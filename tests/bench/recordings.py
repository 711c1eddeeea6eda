"""Recordings for the Rerun viewer, read with Rerun's own reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rerun.chunk import RrdReader


class Recording:
    """The rows of every entity of a recording: `rows[entity]` is a list of mappings from column to value."""

    def __init__(self, path: Path) -> None:
        self._reader = reader = RrdReader(path)
        (self.store,) = reader.recordings()
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.timelines: set[str] = set()
        for chunk in reader.stream().to_chunks():
            if chunk.entity_path == "/__properties":
                continue  # when it was made, to the nanosecond, which Python cannot hold
            self.rows.setdefault(chunk.entity_path.lstrip("/"), []).extend(chunk.to_record_batch().to_pylist())
            self.timelines |= set(chunk.timeline_names)
        (self._blueprint,) = reader.blueprints()

    def of(self, entity: str, component: str) -> list[dict[str, Any]]:
        """Rows that have a component, in time."""
        rows = [row for row in self.rows.get(entity, []) if row.get(component) is not None]
        return sorted(rows, key=lambda row: seconds(row) if "robot_seconds" in row else -1.0)

    def layout(self) -> dict[str, list[dict[str, Any]]]:
        """What the viewer is to show, as rows by entity."""
        shown: dict[str, list[dict[str, Any]]] = {}
        for chunk in self._reader.stream(store=self._blueprint).to_chunks():
            batch = chunk.to_record_batch()
            times = [field.name for field in batch.schema if str(field.type).startswith("timestamp")]
            shown.setdefault(chunk.entity_path.lstrip("/"), []).extend(batch.drop_columns(times).to_pylist())
        return shown


def seconds(row: dict[str, Any]) -> float:
    """The robot time of a row."""
    return float(row["robot_seconds"].total_seconds())
