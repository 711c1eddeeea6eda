"""The suites to play: each protocol's suites with their own skills and templates, as command lines of Homie."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from homie.bench.suite.suite import find_suite

PLANNERS = ("expert", "rule", "random", "chat")
Kind = Literal["bench", "vigil", "questions"]
SMALL = ("--picture-size", "16", "--no-shade")
"""Options for small pictures: no planner here looks at them, and the endpoint does not read them."""
EPISODES, QUESTIONS = 125, 1500
"""Episodes in each family of homie-vigil; questions in the generated set."""


@dataclass(frozen=True)
class PlayedSuite:
    """A suite of a protocol.

    Attributes:
        skills, template: Options of the command, "" for its default.
        cannot: Why planners cannot play it, by planner.
    """

    protocol: str
    suite: str
    kind: Kind = "bench"
    skills: str = ""
    template: str = ""
    cannot: Mapping[str, str] = field(default_factory=dict)

    def command(self, planner: str, out: Path, share: int, workers: int, url: str, questions: Path) -> list[str]:
        """The command-line arguments after `homie`.

        Args:
            share: One in this many tasks is played.
        """
        endpoint = ["--base-url", url, "--set", "provider=vllm"] if planner == "chat" else []
        place = [*endpoint, "--out", str(out), "--json", "--quiet"]
        count = ["--workers", str(workers)]
        if self.kind == "vigil":
            episodes = ["--episodes", str(max(1, EPISODES // share))]
            return ["vigil", "--planner", _blind(planner, "always"), *episodes, *count, *place]
        if self.kind == "questions":
            who = f"scripted:{questions / TRUTHS}" if planner == "expert" else _blind(planner, "constant:A")
            whole = ["--set", "image_size=4096"] if planner == "chat" else []  # full size, so that pixels identify it
            return ["questions", "ask", str(questions), "--planner", who, *whole, *place]
        options = ["--planner", _blind(planner, planner), "--trials", "1", *count, *SMALL]
        if share > 1:
            options += ["--tasks", ",".join(select_tasks(self.suite, share))]
        if self.skills:
            options += ["--skills", self.skills]
        if planner == "chat" and self.template:
            options += ["--template", self.template]
        return ["bench", self.suite, *options, *place]


def _blind(planner: str, fallback: str) -> str:
    """A planner's name on the command line.

    Args:
        fallback: Planner that replaces `rule`.
    """
    return {"rule": fallback, "chat": "chat:scripted"}.get(planner, planner)


SUITES = (
    PlayedSuite("EMMOE", "homie-100"),
    PlayedSuite("EmbodiedBench", "homie-eb-house", skills="ideal,ideal-chores", template="embodiedbench-ids"),
    PlayedSuite("EmbodiedBench", "homie-eb-rearrange", skills="ideal", template="embodiedbench-ids"),
    PlayedSuite(
        "EmbodiedBench",
        "homie-eb-nav",
        template="embodiedbench-nav",
        cannot={"rule": "rule plans EMMOE's subtasks and knows no small steps"},
    ),
    PlayedSuite(
        "EmbodiedBench",
        "homie-eb-table",
        template="embodiedbench-arm",
        cannot={"rule": "rule plans EMMOE's subtasks and knows no poses of an arm"},
    ),
    PlayedSuite("EmbodiedEval", "homie-menu", skills="ideal,ideal-people", template="embodiedbench-ids"),
    PlayedSuite(
        "EmbodiedEval",
        "homie-menu-graph",
        skills="ideal-graph,ideal,ideal-people",
        template="embodiedbench-ids",
        cannot={"rule": "rule plans EMMOE's subtasks and knows no moves on a graph"},
    ),
    PlayedSuite("Homie's own", "homie-states", skills="ideal,ideal-chores,ideal-people"),
    PlayedSuite("Vigil", "homie-vigil", "vigil"),
    PlayedSuite("RoboBench", "homie-questions", "questions"),
)
TRUTHS = "truths.json"
"""File of the true answers by question id, for the planner `expert`."""


def select_tasks(suite: str, share: int) -> list[str]:
    """Every `share`-th task of each subset: of all tasks in a row, with five subsets, it could be one subset only."""
    groups: dict[str, list[str]] = {}
    for task in find_suite(suite).tasks:
        groups.setdefault(task.attributes[0] if task.attributes else "", []).append(task.id)
    return [name for names in groups.values() for name in names[::share]]


def write_truths(questions: Path) -> None:
    """Write the true answers next to the questions. Raises OSError."""
    lines: Sequence[str] = (questions / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    truths = {entry["id"]: entry["truth"] for entry in map(json.loads, lines)}
    (questions / TRUTHS).write_text(json.dumps(truths), encoding="utf-8")
