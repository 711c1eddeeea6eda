"""Plays instructions of a file such as `said.yaml` with the rule planner and ideal skills, and says how each ended.

    python tests/planners/rule/spoken.py [FILE] [WORDS]

prints a line for each instruction, of those only that have the words.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import yaml

import homie
from homie.kernel.types import Decision
from homie.kernel.world.conditions import parse_condition
from homie.kernel.world.snapshot import WorldSnapshot
from homie.runtime.open_session import Session

SAID = Path(__file__).parent / "said.yaml"
SKILLS = "ideal,ideal-chores,ideal-people"


@dataclass(frozen=True, kw_only=True)
class Spoken:
    """One instruction with what has to be so in the end; the fields are explained at the head of `said.yaml`."""

    house: str
    said: str
    goal: Mapping[str, object] | None = None
    moves: int | Literal["any"] = 1
    changes: Sequence[str] = ()
    answer: str = ""
    order: Sequence[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ending:
    """How an instruction ended. `wrong`: claimed to be done, and is not, or declined with something changed."""

    spoken: Spoken
    verdict: Literal["done", "declined", "failed", "wrong"]
    sentence: str
    subtasks: tuple[str, ...]
    why: str = ""

    def __str__(self) -> str:
        details = f"\n{'':10}{' '.join(self.subtasks)}" if self.verdict in ("wrong", "failed") else ""
        return (
            f"{self.verdict:9} {self.spoken.said}\n{'':10}{self.why}{' ' if self.why else ''}| {self.sentence}{details}"
        )


def read_spoken(path: Path = SAID) -> tuple[Mapping[str, Mapping[str, object]], list[Spoken]]:
    """The houses and the instructions of a file."""
    loaded = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded["houses"], [Spoken(**entry) for entry in loaded["instructions"]]


def endings(path: Path = SAID, words: str = "", house: str = "") -> Iterator[Ending]:
    """How each instruction of a file ends, in its house; of those only that have the words, or are of one house."""
    houses, instructions = read_spoken(path)
    for name, options in houses.items():
        chosen = [
            spoken for spoken in instructions if spoken.house == name and words in spoken.said and house in ("", name)
        ]
        if not chosen:
            continue
        settings = {"planner": "rule", "skills": SKILLS, "picture_size": 64, "rounds": 20, **options}
        with homie.open(**settings) as session:
            for spoken in chosen:
                ending = ending_of(spoken, session)
                yield ending
                if ending.verdict != "declined":
                    session.reset()


def ending_of(spoken: Spoken, session: Session) -> Ending:
    """How one instruction ends in a house as it is."""
    before = session.world_state()
    rounds = list(session.rounds(spoken.said))
    after, decision = session.world_state(), rounds[-1].decision
    subtasks = tuple(
        f"{execution.subtask}{'' if execution.feedback.ok else f'({execution.feedback.code})'}"
        for each in rounds
        for execution in each.executions
    )
    changed = changes(before, after)
    if decision.report == "declined":
        why = "" if not changed and not after.held else f"changed {changed} before declining"
        return Ending(spoken, "wrong" if why else "declined", decision.analysis, subtasks, why)
    if decision.report != "success":
        return Ending(spoken, "failed", decision.analysis, subtasks)
    why = error_message(spoken, before, after, decision, subtasks)
    sentence = f"{decision.analysis} [{decision.answer}]" if decision.answer else decision.analysis
    return Ending(spoken, "wrong" if why else "done", sentence, subtasks, why)


def error_message(
    spoken: Spoken, before: WorldSnapshot, after: WorldSnapshot, decision: Decision, subtasks: Sequence[str]
) -> str:
    """Why a task that is said to be done is not, "" where it is."""
    if spoken.goal is None and not spoken.answer:
        return "nothing should have been claimed"
    if spoken.goal is not None and not parse_condition(spoken.goal).holds(after):
        return f"not so: {spoken.goal}"
    if spoken.answer and spoken.answer.lower() not in decision.answer.lower():
        return f"the answer is {spoken.answer}"
    moved = [name for name, item in after.objects.items() if item.at != before.objects[name].at]
    if spoken.moves != "any" and len(moved) != spoken.moves:
        return f"moved {moved}"
    doors = {
        name
        for name in doors_changed(before, after)
        if f"{name.replace('_', ' ')} is still open" not in decision.analysis
    }
    if doors != set(spoken.changes):
        return f"opened or closed {doors}"
    puts = [words for words in (text.strip("[]").split(", ") for text in subtasks) if words[0] == "Put"]
    if spoken.order and not all(
        name.replace("_", " ") in words[1] or words[1] in name.replace("_", " ")
        for name, words in zip(spoken.order, puts, strict=True)
    ):
        return f"put down in the order {[words[1] for words in puts]}"
    return ""


def changes(before: WorldSnapshot, after: WorldSnapshot) -> list[str]:
    """What is in another place, in another state, or otherwise open."""
    things = [
        name
        for name, item in after.things.items()
        if item.states != before.things[name].states
        or getattr(item, "at", "") != getattr(before.things[name], "at", "")
    ]
    return sorted({*things, *doors_changed(before, after)})


def doors_changed(before: WorldSnapshot, after: WorldSnapshot) -> set[str]:
    """The furniture whose door or drawer is not as it was."""
    return {
        joint.receptacle
        for name, joint in after.joints.items()
        if abs(joint.fraction - before.joints[name].fraction) > 0.05
    }


if __name__ == "__main__":
    counts: dict[str, int] = {}
    for ending in endings(Path(sys.argv[1]) if len(sys.argv) > 1 else SAID, " ".join(sys.argv[2:])):
        print(ending, flush=True)
        counts[ending.verdict] = counts.get(ending.verdict, 0) + 1
    print(counts)
