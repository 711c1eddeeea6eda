"""The suite homie-menu: right answers by the scene spec, which its maker does not read, and experts by numbers."""

from __future__ import annotations

import io
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

from rich.console import Console

from benchmarks.suites.make_homie_menu import KINDS, draw
from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.suite.suite import Task, find_suite
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.variation import Variation
from homie.envs.mujoco.house.spec import SceneSpec

SUITE = find_suite("homie-menu")
QUESTIONS = [task for task in SUITE.tasks if task.answers]


@cache
def house(seed: int, opened: tuple[str, ...]) -> SceneSpec:
    return generate(seed, 3, 16, Variation(opened=opened))


def truth(task: Task) -> str:
    """The right answer, by what the scene spec says."""
    settings = task.scene.settings
    spec = house(task.scene.seed, tuple(settings.get("opened", ())))
    things = [*spec.furniture, *spec.objects]

    def meant(words: str) -> str:
        """The name of the only thing that words mean: a kind, or a colour and a kind."""
        fitting = [
            thing.name for thing in things if words in (kind := thing.kind.replace("_", " "), f"{thing.colour} {kind}")
        ]
        assert len(fitting) == 1, f"{words} means {fitting}"
        return fitting[0]

    named = {thing.name: thing for thing in things}
    at = {item.name: item.receptacle for item in spec.objects}
    if asked := re.fullmatch(r"What colour is the (.*)\?", task.text):
        return named[meant(asked[1])].colour
    if asked := re.fullmatch(r"Is the (.*) open or shut\?", task.text):
        return "open" if getattr(named[meant(asked[1])], "open", 0.0) else "shut"
    if asked := re.fullmatch(r"Is the (.*) on or off\?", task.text):
        return "on" if getattr(named[meant(asked[1])], "on", False) else "off"
    if asked := re.fullmatch(r"In which room is the (.*)\?", task.text):
        piece = next(piece for piece in spec.furniture if piece.name == at[meant(asked[1])])
        return next(room.kind for room in spec.rooms if room.name == piece.room)
    if asked := re.fullmatch(r"In or on what is the (.*)\?", task.text):
        right = task.keypaths[0][0].removeprefix("[End, ").removesuffix("]")
        return right if meant(right) == at[meant(asked[1])] else ""
    asked = re.fullmatch(r"What is in the (.*)\?", task.text)
    assert asked is not None, task.text
    (inside,) = (name for name, where in at.items() if where == meant(asked[1]))
    return named[inside].kind.replace("_", " ")


def test_four_categories_of_twenty_five() -> None:
    counts = Counter(task.attributes for task in SUITE.tasks)
    assert counts == dict.fromkeys(
        [("attribute-question",), ("spatial-question",), ("navigation",), ("object-interaction",)], 25
    )
    assert all(2 <= len(task.answers) <= 8 for task in QUESTIONS) and len(QUESTIONS) == 50


def test_the_right_answers_are_those_of_the_scene_spec() -> None:
    assert {task.id: f"[End, {truth(task)}]" for task in QUESTIONS} == {
        task.id: task.keypaths[0][0] for task in QUESTIONS
    }


def test_a_text_alone_does_not_tell_the_answer() -> None:
    """What is asked of several houses is not answered alike in all of them."""
    right: dict[str, set[str]] = defaultdict(set)
    asked: Counter[str] = Counter(task.text for task in QUESTIONS)
    for task in QUESTIONS:
        right[task.text].add(task.keypaths[0][0])
    often = [text for text, number in asked.items() if number >= 3]
    assert often and all(len(right[text]) > 1 for text in often)
    yes = Counter(task.keypaths[0][0] for task in QUESTIONS if len(task.answers) == 2)
    assert max(yes.values()) - min(yes.values()) <= 1, yes


def test_the_file_is_what_its_maker_writes() -> None:
    kind = next(kind for kind in KINDS if kind[0] == "use")
    written = [task for task in SUITE.tasks if task.id.startswith("use-")]
    assert [(task["text"], task["scene"]["seed"], tuple(task["expert"])) for task in draw(*kind)] == [
        (task.text, task.scene.seed, task.expert) for task in written
    ]


def test_experts_answer_go_and_carry_by_numbers(tmp_path: Path) -> None:
    options = {"suite": "homie-menu", "planner": "expert", "skills": "ideal", "out": tmp_path / "run"}
    options |= {"tasks": "inside-01,use-01,errand-01", "picture_size": 64, "retries": 0}
    progress = Progress(Console(file=io.StringIO(), width=200))
    assert [line.success for line in runner.bench(BenchOptions.build(**options), progress).lines] == [True] * 3
