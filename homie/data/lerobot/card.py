"""Card of a LeRobot data set: README.md with the front matter that the Hugging Face Hub reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from homie.data.card_parts import OURS, front_matter, license_of, read_card, table
from homie.data.lerobot.folder import EpisodeNote
from homie.data.lerobot.info import VERSION
from homie.kernel.support.version import __version__

CARD = "README.md"
_MAX_LISTED = 20
"""Maximum number of instructions that a card lists."""
_OUTCOMES = {True: "done", False: "not done", None: "not known"}
_SIMULATED = {True: "simulation", False: "a real robot", None: "not known whether simulated"}


def lerobot_card(
    root: Path,
    info: Mapping[str, Any],
    tasks: Sequence[str],
    lengths: Sequence[int],
    notes: Mapping[int, EpisodeNote],
    license: str | None,
) -> str | None:
    """Return the text of the card of a data set; None if a person maintains the existing card.

    Args:
        root: Folder of the data set.
        info: Contents of its `info.json`.
        tasks: Instructions.
        lengths: Number of frames of each episode.
        notes: Homie's notes by episode index.
        license: Licence of the data; None keeps the licence of the existing card.
    """
    existing = read_card(root / CARD)
    if existing is None:
        return None
    front = {
        "license": license or license_of(existing),
        "task_categories": ["robotics"],
        "tags": ["LeRobot", "robotics", "homie"],
        "configs": [{"config_name": "default", "data_files": "data/*/*.parquet"}],
    }
    episodes = [notes.get(index) for index in range(len(lengths))]
    outcomes = Counter(_OUTCOMES[note.success if note else None] for note in episodes)
    environments = Counter(_SIMULATED[note.simulated if note else None] for note in episodes)
    origins = Counter((note.origin if note else "") or "not known" for note in episodes)
    frames = sum(lengths)
    facts = [
        ("robot", info["robot_type"] or "not named"),
        ("where", _format_counts(environments)),
        ("collected", _format_counts(origins)),
        ("episodes", str(len(lengths))),
        ("frames", f"{frames}, {info['fps']} a second ({frames / info['fps'] / 60:.1f} minutes)"),
        ("tasks", str(len(tasks))),
        ("outcome", _format_counts(outcomes)),
        ("format", f"LeRobotDataset {VERSION}, written by Homie {__version__}"),
    ]
    columns = [
        (f"`{name}`", column["dtype"], " x ".join(map(str, column["shape"])), _names(column))
        for name, column in info["features"].items()
    ]
    listed = [f"- {' '.join(task.split())}" for task in tasks[:_MAX_LISTED]]
    more = [f"- and {len(tasks) - _MAX_LISTED} more, in meta/tasks.parquet"] if len(tasks) > _MAX_LISTED else []
    parts = [
        front_matter(front),
        f"{OURS}\n",
        f"# Demonstrations of {info['robot_type'] or 'a robot'}\n",
        table(("", ""), facts),
        "## Features\n",
        table(("column", "type", "shape", "names"), columns),
        "## Tasks\n",
        "\n".join([*listed, *more, ""]),
        "## Use\n",
        '    LeRobotDataset("NAME", root="THIS FOLDER")\n',
    ]
    return "\n".join(parts)


def _names(column: Mapping[str, Any]) -> str:
    names = column.get("names")
    return ", ".join(map(str, names)) if isinstance(names, list) and column["dtype"] != "video" else ""


def _format_counts(counts: Counter[str]) -> str:
    """Format counts: `done` for a single key, else `8 done; 2 not known`."""
    if len(counts) == 1:
        return next(iter(counts))
    return "; ".join(f"{number} {what}" for what, number in counts.most_common())
