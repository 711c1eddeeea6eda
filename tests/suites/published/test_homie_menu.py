"""The suite homie-menu: right answers by the scene spec, which its maker does not read, and experts by numbers."""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from rich.console import Console

from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress
from homie.bench.suite.suite import Task, find_suite
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.house.person_bodies import mannequin_of
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.house.spec_parts import PersonSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.world.conditions import Condition
from suites.authoring.make_homie_menu import KINDS, draw

SUITE = find_suite("homie-menu")
SOCIAL = [task for task in SUITE.tasks if task.attributes == ("social",)]
QUESTIONS = [task for task in SUITE.tasks if task.answers and task not in SOCIAL]


@cache
def house(seed: int, opened: tuple[str, ...], people: int = 0) -> SceneSpec:
    return generate(seed, 3, 16, Variation(opened=opened, people=people))


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
    if match := re.fullmatch(r"What colour is the (.*)\?", task.text):
        return named[meant(match[1])].colour
    if match := re.fullmatch(r"Is the (.*) open or shut\?", task.text):
        return "open" if getattr(named[meant(match[1])], "open", 0.0) else "shut"
    if match := re.fullmatch(r"Is the (.*) on or off\?", task.text):
        return "on" if getattr(named[meant(match[1])], "on", False) else "off"
    if match := re.fullmatch(r"In which room is the (.*)\?", task.text):
        piece = next(piece for piece in spec.furniture if piece.name == at[meant(match[1])])
        return next(room.kind for room in spec.rooms if room.name == piece.room)
    if match := re.fullmatch(r"In or on what is the (.*)\?", task.text):
        right = task.keypaths[0][0].removeprefix("[End, ").removesuffix("]")
        return right if meant(right) == at[meant(match[1])] else ""
    match = re.fullmatch(r"What is in the (.*)\?", task.text)
    assert match is not None, task.text
    (inside,) = (name for name, where in at.items() if where == meant(match[1]))
    return named[inside].kind.replace("_", " ")


def company(task: Task) -> SceneSpec:
    return house(task.scene.seed, (), task.scene.settings["people"])


def who(spec: SceneSpec, words: str) -> PersonSpec:
    """The only person of a house that words mean."""
    signs: dict[str, Callable[[PersonSpec, str], bool]] = {
        r"the person in the (\w+) shirt": lambda person, value: person.colour == value,
        r"the person who is (sitting)": lambda person, value: person.posture == value,
        r"the person who (points) at something": lambda person, value: person.gesture == "pointing",
        r"the person who (holds) out a hand": lambda person, value: person.gesture == "hand_out",
        r"the (\w+) person who holds out a hand": lambda person, value: (
            (person.gesture, person.posture) == ("hand_out", value)
        ),
    }
    (meant,) = (
        person
        for sign, fits in signs.items()
        if (match := re.fullmatch(sign, words))
        for person in spec.people
        if fits(person, match[1])
    )
    return meant


def on_the_line(spec: SceneSpec, person: PersonSpec, names: Iterable[str]) -> str:
    """What is nearest to the line of somebody's outstretched finger, by the shape of the arm: of those in the room."""
    (finger,) = (part for part in mannequin_of(spec, person).parts if part.shape == "capsule" and part.size[0] < 0.02)
    c, s = math.cos(person.yaw), math.sin(person.yaw)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    axis = np.zeros(9)
    mujoco.mju_quat2Mat(axis, np.array(finger.quat))
    along = turn @ axis.reshape(3, 3)[:, 2]
    tip = turn @ np.array(finger.pos) + (*person.position, 0.0)
    along *= np.sign((tip[:2] - person.position) @ along[:2])
    things = initial_state(spec).things

    def aside(name: str) -> float:
        way = np.array(things[name].position) - tip
        return float(np.arccos(way @ along / np.linalg.norm(way)))

    here = [name for name in names if things[name].room == spec.room_at(*person.position)]
    return min(here, key=aside)


def thing_named(spec: SceneSpec, words: str) -> str:
    """The only thing that words mean: a kind, or a colour and a kind."""
    (name,) = (
        thing.name
        for thing in (*spec.furniture, *spec.objects)
        if words in (kind := thing.kind.replace("_", " "), f"{thing.colour} {kind}")
    )
    return name


def meant_by(task: Task) -> dict[str, Any] | str:
    """The goal of a social task, or the right answer, by its text and the scene spec."""
    spec, text = company(task), task.text
    if match := re.fullmatch(r"Give the (.*) to (the .*person.*)\.", text):
        return {"given": [thing_named(spec, match[1]), who(spec, match[2]).id]}
    if match := re.fullmatch(r"Show the (.*) to (the .*person.*)\.", text):
        return {"shown": [thing_named(spec, match[1]), who(spec, match[2]).id]}
    if match := re.fullmatch(r"Bring what (.*) points at to (.*)\.", text):
        loose = [item.name for item in spec.objects]
        return {"given": [on_the_line(spec, who(spec, match[1]), loose), who(spec, match[2]).id]}
    if match := re.fullmatch(r"Go to (.*)\.", text):
        return {"near": who(spec, match[1]).id}
    if match := re.fullmatch(r"Follow (.*) to the end of the way\.", text):
        return {"followed": who(spec, match[1]).id} if who(spec, match[1]).path else {}
    if match := re.fullmatch(r"Is (.*) sitting or standing\?", text):
        return who(spec, match[1]).posture
    if match := re.fullmatch(r"What colour is the shirt of (.*)\?", text):
        return who(spec, match[1]).colour
    if match := re.fullmatch(r"In which room is (.*)\?", text):
        x, y = who(spec, match[1]).position
        return next(room.kind for room in spec.rooms if room.x0 < x < room.x1 and room.y0 < y < room.y1)
    match = re.fullmatch(r"What does (.*) point at\?", text)
    assert match is not None, text
    answers = {thing_named(spec, answer): answer for answer in task.answers}
    return answers[on_the_line(spec, who(spec, match[1]), answers)]


def test_social_tasks_mean_whom_and_what_their_texts_say() -> None:
    """Whoever is meant is meant alone, and what somebody points at is on the line of the finger."""
    assert len(SOCIAL) == 25
    for task in SOCIAL:
        right = task.keypaths[0][0].removeprefix("[End, ").removesuffix("]") if task.answers else task.goal
        assert meant_by(task) == (right if isinstance(right, str) else as_written(right)), task.id


def as_written(goal: Condition | None) -> dict[str, Any]:
    return json.loads(goal.model_dump_json()) if goal else {}


def test_five_categories_of_twenty_five() -> None:
    counts = Counter(task.attributes for task in SUITE.tasks)
    assert counts == dict.fromkeys(
        [("attribute-question",), ("spatial-question",), ("navigation",), ("object-interaction",), ("social",)], 25
    )
    questions = [task for task in SUITE.tasks if task.answers]
    assert all(2 <= len(task.answers) <= 8 for task in questions)
    assert (len(QUESTIONS), len(questions)) == (50, 59)


def test_the_right_answers_are_those_of_the_scene_spec() -> None:
    assert {task.id: f"[End, {truth(task)}]" for task in QUESTIONS} == {
        task.id: task.keypaths[0][0] for task in QUESTIONS
    }


def test_a_text_alone_does_not_tell_the_answer() -> None:
    """What is asked of several houses is not answered alike in all of them."""
    right: dict[str, set[str]] = defaultdict(set)
    counts: Counter[str] = Counter(task.text for task in QUESTIONS)
    for task in QUESTIONS:
        right[task.text].add(task.keypaths[0][0])
    often = [text for text, number in counts.items() if number >= 3]
    assert often and all(len(right[text]) > 1 for text in often)
    assert {task.keypaths[0][0] for task in SOCIAL if task.text.endswith("sitting or standing?")} == {
        "[End, sitting]",
        "[End, standing]",
    }
    yes = Counter(task.keypaths[0][0] for task in QUESTIONS if len(task.answers) == 2)
    assert max(yes.values()) - min(yes.values()) <= 1, yes


@pytest.mark.slow
@pytest.mark.parametrize("begin", ["use", "give"])
def test_the_file_is_what_its_maker_writes(begin: str) -> None:
    kind = next(kind for kind in KINDS if kind.begin == begin)
    written = [task for task in SUITE.tasks if task.id.startswith(f"{begin}-")]
    assert [(task["text"], task["scene"]["seed"], tuple(task["expert"])) for task in draw(kind)] == [
        (task.text, task.scene.seed, task.expert) for task in written
    ]


@pytest.mark.slow
def test_experts_answer_go_carry_hand_over_and_follow_by_numbers(tmp_path: Path) -> None:
    options = {"suite": "homie-menu", "planner": "expert", "skills": "ideal,ideal-people", "out": tmp_path / "run"}
    options |= {"tasks": "inside-01,use-01,errand-01,bring-01,follow-01,point-01", "picture_size": 64, "retries": 0}
    progress = Progress(Console(file=io.StringIO(), width=200))
    assert [line.success for line in runner.bench(BenchOptions.build(**options), progress).lines] == [True] * 6
