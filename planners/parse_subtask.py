"""Subtasks as text: `[Pick, apple]`, `Put, apple, brown table`, `End`."""

from __future__ import annotations

from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask

MAX_PARTS = 3


def parse_subtask(text: str) -> Subtask:
    """Parse a subtask written as in the paper: action, target and destination separated by commas, in brackets or not.

    Case is kept, runs of blanks become one, and the action is not looked up, which the executor does (F1). Raises
    BadInput for text without an action, with an empty part, more than three parts, or an unmatched bracket.
    """
    inside = text = " ".join(text.split())
    if inside.startswith("[") != inside.endswith("]"):
        raise BadInput(f"'{text}' has only one of its two brackets: write [action, target].")
    if inside.startswith("["):
        inside = inside[1:-1]
    return make_subtask(inside.split(","))


def make_subtask(parts: list[str]) -> Subtask:
    """Make a subtask from its one to three parts. Raises BadInput as `parse_subtask`."""
    stripped = [" ".join(part.split()) for part in parts]
    if not 1 <= len(stripped) <= MAX_PARTS or not all(stripped):
        raise BadInput(
            f"'{', '.join(stripped)}' is no subtask: "  # codespell:ignore
            "write [End], [action, target] or [Put, object, place], "
            "for example [Pick, apple]."
        )
    return Subtask(*stripped)
