"""Write the examples of the template `embodiedbench-arm`: inputs and pictures of tabletop episodes really played.

    python -m benchmarks.prompt_tables planners/llm/prompt_templates/examples

Tasks and answers are in prompt_tables.yaml. The list of objects, the history, the feedback, the picture and the boxes
in it come from the episode, as for a planner of `homie-eb-table`. Every episode has a goal, to verify that the answers
are correct: the command fails if it does not hold at the end.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import yaml

from benchmarks.prompt_playing import play_episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import HomieError
from homie.kernel.interfaces import Planner, WorldState
from homie.kernel.options import RunOptions
from homie.kernel.types import Decision, Image, PlannerInput, Subtask, Visibility, in_sight
from homie.kernel.world.conditions import parse_condition
from planners.llm.prompting.examples import Example

ROUNDS = Path(__file__).with_name("prompt_tables.yaml")
HEAD = """\
# Plans of poses with objects that have numbers alone. Written for Homie and played:
# benchmarks/prompt_tables.py writes this file.
"""
VIEW = "front"
VISIBILITY = Visibility(feedback="text", last=4, things="numbered")
"""Settings of `homie-eb-table`, but with the last poses of a long history, on which the next answer depends."""
QUALITY = 90
"""JPEG quality (per cent): edges stay clear, and a picture of 500 x 500 pixels is under 40 kB."""


class ScriptedPlanner(Planner):
    """Planner with scripted answers that keeps its inputs and pictures."""

    name = "shown"

    def __init__(self, rounds: list[dict[str, Any]]) -> None:
        self._rounds = rounds
        self.kept: list[tuple[dict[str, Any], Image]] = []
        self._next = 0

    def reset(self, task: str, *, seed: int) -> None:
        self._next = 0

    def decide(self, planner_input: PlannerInput) -> Decision:
        written = dict(self._rounds[self._next])
        self._next += 1
        if written.pop("shown", True):
            self.kept.append((_example(written, planner_input), planner_input.views[VIEW]))
        return Decision(tuple(_steps(written)))


def _steps(written: Mapping[str, Any]) -> list[Subtask]:
    return Example(task="t", analysis="a", subtasks=written["subtasks"]).steps()


def _example(written: Mapping[str, Any], planner_input: PlannerInput) -> dict[str, Any]:
    """Build an example from an answer and the preceding input."""
    feedback = planner_input.feedback
    boxes = [thing.box for thing in in_sight(planner_input.detections) if thing.view == VIEW and not thing.is_room]
    assert len(boxes) == len(planner_input.listing), "what is in the list is in the picture"
    fields = {
        "task": planner_input.task,
        "listing": [str(line) for line in planner_input.listing],
        "history": planner_input.history_text,
        "feedback": "None" if feedback is None else feedback.message,
        "boxes": [list(box) for box in boxes],
        **{name: written[name] for name in ("seen", "analysis", "plan")},
        "subtasks": written["subtasks"],
    }
    return {name: value for name, value in fields.items() if value != "None"}


def examples_of(episode: Mapping[str, Any]) -> list[tuple[dict[str, Any], Image]]:
    """Play an episode and return its examples with pictures. Raises HomieError if its goal does not hold at the end."""
    options = RunOptions.build(task=episode["task"], rounds=len(episode["rounds"]), **episode["options"])
    planner = ScriptedPlanner(episode["rounds"])
    rules = EpisodeRules(rounds=options.rounds, visibility=VISIBILITY)
    with play_episode(options, planner, rules) as (_, robot):
        assert isinstance(robot, WorldState), "tables are simulated"
        world = robot.snapshot()
    if not parse_condition(episode["goal"]).holds(world):
        raise HomieError(f"The example '{episode['task']}' does not do what it says: {episode['goal']} does not hold.")
    return planner.kept


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    examples = []
    for episode in yaml.safe_load(ROUNDS.read_text(encoding="utf-8")):
        for example, picture in examples_of(episode):
            example["picture"] = f"tables-{len(examples) + 1}.jpg"
            cv2.imwrite(str(folder / example["picture"]), picture[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
            examples.append(example)
    text = yaml.safe_dump(examples, sort_keys=False, allow_unicode=True, width=10_000, default_flow_style=None)
    (folder / "tables.yaml").write_text(HEAD + text, encoding="utf-8")


if __name__ == "__main__":
    main()
