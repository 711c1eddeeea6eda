"""Print, for each prompt template, all texts of an episode as a model would see them.

    python -m benchmarks.prompt_episodes --only emmoe-json
    python -m benchmarks.prompt_episodes build/prompts

With a folder each episode is written to a page in it. The episodes (prompt_episodes.yaml) are really played: the
prompts contain what was seen, remembered and done. The answers are scripted, in the format of the template. Pictures
are omitted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from benchmarks.prompt_playing import play_episode
from homie.bench.authoring.numbered_actions import numbered_actions
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.interfaces import Planner
from homie.kernel.options import RunOptions
from homie.kernel.types import Choice, Decision, Image, PlannerInput, Subtask, Visibility
from planners.llm.prompting.examples import Example
from planners.llm.prompting.prompt_builder import Prompt
from planners.llm.prompting.settings import PromptSettings

_HEAD = """\
Version {version} of the template with default settings, round by round as a model is asked, without the pictures.
It was really played ({where}). The answers were written by hand."""
EPISODES = Path(__file__).with_name("prompt_episodes.yaml")


class ScriptedPlanner(Planner):
    """Planner with scripted answers that is prompted like a model, and keeps prompts and answers."""

    name = "written"

    def __init__(self, template: str, task: str, answers: list[Mapping[str, Any]]) -> None:
        self._prompt = Prompt(PromptSettings.model_validate({"template": template}))
        self._examples = [Example.model_validate({"task": task, "views": {}, **answer}) for answer in answers]
        self.system = ""
        self.rounds: list[tuple[str, str]] = []

    def reset(self, task: str, *, seed: int) -> None:
        self.rounds.clear()

    def decide(self, planner_input: PlannerInput) -> Decision:
        request, _ = self._prompt.request(planner_input)
        example = self._examples[len(self.rounds)]
        if planner_input.choices:  # numbers select no model: any that supports the action is used
            model, text = "", _by_number(example, planner_input.choices)
        else:
            model = planner_input.models[0]
            text = example.answer(self._prompt.template.answer, planner_input.models, planner_input.abilities)
        self.system = _text_of(request.messages[0].parts)
        self.rounds.append((_text_of(request.messages[-1].parts), text))
        return Decision(tuple(example.steps()), example.analysis, model, raw=text)

    def page(self, options: Mapping[str, object]) -> str:
        """Format the episode as Markdown."""
        head = self._prompt.template.head
        where = ", ".join(f"{name} {value}" for name, value in options.items())
        parts = [
            f"# An episode with {head.name}",
            _HEAD.format(version=head.version, where=where),
            "## System message",
            f"````text\n{self.system}\n````",
        ]
        for number, (question, answer) in enumerate(self.rounds, 1):
            parts += [f"## Round {number}", f"````text\n{question}\n````", f"Answer:\n\n````text\n{answer}\n````"]
        return "\n\n".join(parts) + "\n"


def _text_of(parts: tuple[str | Image, ...]) -> str:
    return "\n".join(part if isinstance(part, str) else "(picture)" for part in parts)


def _by_number(example: Example, choices: tuple[Choice, ...]) -> str:
    """Return the answer with the numbers of the list of choices."""
    numbers: dict[Subtask, int] = {choice.subtask: number for number, choice in enumerate(choices)}
    steps = [{"action_id": numbers[step], "action_name": choices[numbers[step]].name} for step in example.steps()]
    return json.dumps(
        {
            "visual_state_description": example.seen,
            "reasoning_and_reflection": example.analysis,
            "language_plan": example.plan,
            "executable_plan": steps,
        },
        ensure_ascii=False,
    )


def play(episode: Mapping[str, Any]) -> str:
    """Play one episode and return its page."""
    options = RunOptions.build(task=episode["task"], **episode["options"])
    planner = ScriptedPlanner(episode["template"], episode["task"], episode["answers"])
    rules = EpisodeRules(
        rounds=options.rounds,
        visibility=Visibility(**episode.get("visibility", {})),
        action_list=numbered_actions if episode.get("numbered") else None,
    )
    with play_episode(options, planner, rules) as (result, _):
        print(f"{episode['template']}: {result.ended_by} after {result.rounds} rounds", file=sys.stderr)
    return planner.page(episode["options"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="write pages here instead of printing them")
    parser.add_argument("--only", help="the episode of this template alone")
    options = parser.parse_args()
    episodes = yaml.safe_load(EPISODES.read_text(encoding="utf-8"))
    names = [episode["template"] for episode in episodes]
    if options.only not in (None, *names):
        parser.error(f"--only takes one of {', '.join(names)}")
    for episode in episodes:
        if options.only not in (None, episode["template"]):
            continue
        page = play(episode)
        if options.folder is None:
            print(page)
        else:
            options.folder.mkdir(parents=True, exist_ok=True)
            (options.folder / f"{episode['template']}.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
