"""The panels of options in the help of a command, and which options people need first. Only data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Panel:
    """The options of one panel, by the names of their parameters, in the order of the help.

    Attributes:
        first: Options that `--help` shows.
        further: Options that only `--help-all` shows, after the first.
    """

    first: tuple[str, ...]
    further: tuple[str, ...] = ()


PANELS = {
    "Task": Panel(("task", "image", "inventory")),
    "Planner": Panel(
        ("planner", "base_url", "api_key_env"),
        ("planner_settings", "adapter", "template", "budget", "rounds", "attempts", "check_order"),
    ),
    "Robot and house": Panel(
        ("robot", "seed", "scene"),
        (
            "robot_settings",
            "grasp",
            "rooms",
            "objects",
            "catalogue",
            "furniture",
            "start",
            "opened",
            "added",
            "clutter",
            "states",
            "people",
        ),
    ),
    "Perception": Panel(("targets",), ("detector", "detector_settings", "picture_size", "shade", "meshes")),
    "Skills": Panel(("skills",), ("skill_settings", "on_missing_model")),
    "Tasks": Panel(("tasks", "split", "trials"), ("sweep",)),
    "Episodes": Panel(("episodes", "keep", "failures", "label_by"), ("explain", "rename", "license")),
    "Texts": Panel(("form",), ("prompt_settings", "rewriter", "rewriter_settings", "versions", "rewritings")),
    "Training": Panel(
        ("network", "model", "tiny", "small", "epochs", "steps", "batch", "rate", "rank", "device"),
        (
            "at_once",
            "alpha",
            "warmup",
            "dtype",
            "load_in_4bit",
            "longest",
            "held_out",
            "keep_every",
            "patience",
            "threads",
            "whole",
            "beta",
        ),
    ),
    "Machine": Panel(("workers",), ("ray", "timeout", "retries", "memory", "recycle")),
    "Recording": Panel(("record", "cameras"), ("depths", "fps", "speed")),
    "Page": Panel(("port",), ("host", "runs", "stale")),
    "Output": Panel(("out", "video", "png", "save"), ("frames", "again", "mixed", "clean", "json", "rerun", "episode")),
    "Other": Panel(("help", "help_all"), ("config", "quiet", "verbose", "log_file")),
}
"""The panels in the order of the help. Options that are in none, such as those of other packages, come before all
panels and are always shown."""
PANEL_OF = {option: name for name, panel in PANELS.items() for option in (*panel.first, *panel.further)}
"""The panel of an option; its order is that of the help."""
WITHOUT_ROBOT = {"seed": "Other"}
"""Options with another panel in commands without a robot."""
FURTHER = frozenset(option for panel in PANELS.values() for option in panel.further)
"""Options that only `--help-all` shows."""
SHARED = ("help", "help_all", "quiet", "verbose", "log_file")
"""Options that every command has."""
FEW = 12
"""Most options, besides the shared ones, that `--help` shows in full, in one list."""
