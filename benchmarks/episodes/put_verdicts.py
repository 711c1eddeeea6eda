"""Verdicts on episodes from their final state and steps, independent of the planner's claims."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.episodes.put_tasks import PutTask

SHUT, AS_IT_WAS = 0.06, 0.1
"""Fractions of its range up to which a door counts as closed, and by which it may differ from its initial state."""


@dataclass(frozen=True)
class Verdict:
    """Outcome of one episode.

    Attributes:
        placed: Whether an object of the kind is at the destination.
        open: Furniture left open that was not open at the start.
        row: Longest sequence of failed attempts (E1) for one cause.
        cause: Cause of the failure, "" if there is none.
    """

    seed: int
    task: str
    sort: str
    placed: bool
    open: tuple[str, ...]
    row: int
    cause: str
    rounds: int
    robot_seconds: float
    wall_seconds: float
    codes: tuple[str, ...]

    @property
    def success(self) -> bool:
        """Whether the object is placed and doors are as they were or closed."""
        return self.placed and not self.open


def verdict_of(task: PutTask, run: Path, wall: float) -> Verdict:
    """Judge the single episode of a run folder.

    Args:
        wall: Its wall-clock duration (s).
    """
    states, steps = list(run.glob("episodes/*/final_state.json")), steps_of(run)
    if not states or steps is None:
        return Verdict(task.seed, task.text, task.sort, False, (), 0, "the run has no final state", 0, 0.0, wall, ())
    return judge(task, json.loads(states[0].read_text(encoding="utf-8")), steps, wall)


def steps_of(run: Path) -> list[dict[str, Any]] | None:
    """Read the steps of the single episode of a run folder from `steps.jsonl`; None without that file."""
    files = list(run.glob("episodes/*/steps.jsonl"))
    return [json.loads(line) for line in files[0].read_text(encoding="utf-8").splitlines()] if files else None


def judge(task: PutTask, state: Mapping[str, Any], steps: Sequence[Mapping[str, Any]], wall: float) -> Verdict:
    """Judge an episode by `final_state.json` and the lines of `steps.jsonl`."""
    objects: Mapping[str, Any] = state["objects"]
    placed = any(item["kind"] == task.kind and _is_placed(objects, name, task) for name, item in objects.items())
    left_open = tuple(
        sorted(
            {
                joint["receptacle"]
                for joint in state["joints"].values()
                if joint["fraction"] > SHUT and abs(joint["fraction"] - task.doors[joint["receptacle"]]) > AS_IT_WAS
            }
        )
    )
    codes = [step["execution"]["feedback"]["code"] for step in steps]
    cause = (
        ""
        if placed and not left_open
        else _cause(steps)
        if not placed
        else f"left open: {', '.join(map(_kind, left_open))}"
    )
    last = steps[-1] if steps else {"round": 0, "stamp": 0.0}
    return Verdict(
        task.seed,
        task.text,
        task.sort,
        placed,
        left_open,
        longest_row(steps),
        cause,
        int(last["round"]),
        float(last["stamp"]),
        wall,
        tuple(code for code in codes if code),
    )


def _is_placed(objects: Mapping[str, Any], name: str, task: PutTask) -> bool:
    """Whether an object is at a destination, directly or nested: on the plum in the bowl."""
    while name in objects:
        name = objects[name]["at"]
        if name in task.destinations:
            return True
    return False


def longest_row(steps: Sequence[Mapping[str, Any]]) -> int:
    """Count the longest sequence of failures with one cause: the same action on the same object, for the same reason.

    A Go to in between does not end a sequence; a successful action, or one that fails otherwise, does.
    """
    longest, count, before = 0, 0, None
    for step in steps:
        done = step["execution"]
        action = done["subtask"]["action"]
        if done["feedback"]["code"] == "E1":
            for attempt in done["attempts"]:
                cause = (action, done["target"], _without_numbers(attempt["reason"]))
                count = count + 1 if cause == before else 1
                before, longest = cause, max(longest, count)
        elif action != "Go to":
            count, before = 0, None
    return longest


def _cause(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return the last unresolved error with the reason of its last attempt, preceded by a claim of success if any."""
    claimed = steps[-1].get("decision", {}).get("report") == "success" if steps else False
    claim = "claimed as done; " if claimed else ""
    for step in reversed(steps):
        done = step["execution"]
        if done["feedback"]["code"]:
            reasons = [attempt["reason"] for attempt in done["attempts"] if attempt["reason"]]
            why = reasons[-1] if reasons else done["feedback"]["message"]
            return f"{claim}{done['feedback']['code']} {done['subtask']['action']}: {_without_numbers(why)}"
    return f"{claim or 'given up; '}no subtask failed, the object is elsewhere"


def _without_numbers(reason: str) -> str:
    """Strip the numbers from a reason, so that equal causes are counted together."""
    return re.sub(r"\d+(\.\d+)?", "n", reason)


def _kind(name: str) -> str:
    return re.sub(r"_\d+$", "", name)
