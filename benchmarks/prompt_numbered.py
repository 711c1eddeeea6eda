"""Write the examples of the prompt templates with numbered choices: inputs and answers of episodes really played.

    python -m benchmarks.prompt_numbered planners/llm/prompt_templates/examples

Tasks and answers are in prompt_numbered.yaml. `numbers` are for lists of subtasks in a home, `steps` for small steps,
with the picture of the camera `wide`. The numbers of an answer, the history and the feedback come from the episode.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import yaml

from benchmarks.prompt_playing import play_episode
from homie.bench.authoring.numbered_actions import ENDING, numbered_actions
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Planner
from homie.kernel.options import RunOptions
from homie.kernel.types import END, Choice, Decision, PlannerInput, Visibility
from planners.llm.numbered_choices import by_number
from planners.llm.prompting.examples import Example

ROUNDS = Path(__file__).with_name("prompt_numbered.yaml")
HEAD = "# Plans by number. Written for Homie and played: benchmarks/prompt_numbered.py writes this file.\n"
SIDE = 320
"""Side of a picture (pixels): objects are recognisable, and a picture has 20 kB."""


class ScriptedPlanner(Planner):
    """Planner with scripted answers that keeps its inputs.

    Args:
        pictures: Whether to keep the pictures, too.
    """

    name = "shown"

    def __init__(self, rounds: list[dict[str, Any]], pictures: bool) -> None:
        self._rounds, self._pictures = rounds, pictures
        self.kept: list[tuple[dict[str, Any], Any]] = []
        self._next = 0

    def reset(self, task: str, *, seed: int) -> None:
        self._next = 0

    def decide(self, planner_input: PlannerInput) -> Decision:
        if self._next == len(self._rounds):
            return Decision((END,))
        spoken = dict(self._rounds[self._next])
        self._next += 1
        shown = spoken.pop("shown", True)
        steps = Example(task="t", analysis="a", subtasks=spoken.pop("subtasks")).steps()
        if shown:
            self.kept.append((self._example(spoken, steps, planner_input), planner_input.views.get("front")))
        return Decision(tuple(steps))

    def _example(self, spoken: Mapping[str, Any], steps: list[Any], planner_input: PlannerInput) -> dict[str, Any]:
        numbered = by_number(planner_input)
        places = {choice.subtask: number for number, choice in enumerate(planner_input.choices)}
        used = {places[step]: planner_input.choices[places[step]].name for step in steps}
        return {
            "task": planner_input.task,
            "choices": dict(sorted(used.items())),
            "inventory": planner_input.inventory_text,
            "history": numbered.history_text,
            "feedback": "None" if numbered.feedback is None else numbered.feedback.message,
            **spoken,
            "numbers": [places[step] for step in steps],
        }


def examples_of(episode: Mapping[str, Any], steps: bool) -> list[tuple[dict[str, Any], Any]]:
    """Play an episode and return its examples, each with its picture.

    Args:
        steps: Whether it is an episode of small steps, which no planner ends.
    """
    size = {"picture_size": "500"} if steps else {}
    options = RunOptions.build(task=episode["task"], rounds=len(episode["rounds"]), **episode["options"], **size)
    planner = ScriptedPlanner(episode["rounds"], steps)

    def action_list(executor: Executor) -> tuple[Choice, ...]:
        return numbered_actions(executor, () if steps else (ENDING,), episode.get("numbering", "things"))

    rules = EpisodeRules(
        rounds=options.rounds,
        visibility=Visibility(feedback="text"),
        views={"front": "wide"} if steps else {},
        action_list=action_list,
    )
    with play_episode(options, planner, rules):
        return planner.kept


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    for name, episodes in yaml.safe_load(ROUNDS.read_text(encoding="utf-8")).items():
        examples = []
        for episode in episodes:
            for example, picture in examples_of(episode, name == "steps"):
                if name == "steps":
                    example["picture"] = f"{name}-{len(examples) + 1}.jpg"
                    small = cv2.resize(picture[:, :, ::-1], (SIDE, SIDE), interpolation=cv2.INTER_AREA)
                    cv2.imwrite(str(folder / example["picture"]), small)
                examples.append(example)
        text = yaml.safe_dump(examples, sort_keys=False, allow_unicode=True, width=10_000)
        (folder / f"{name}.yaml").write_text(HEAD + text, encoding="utf-8")


if __name__ == "__main__":
    main()
