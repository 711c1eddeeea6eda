"""The suite homie-states: 72 tasks whose experts use every verb, and what it is made from."""

from __future__ import annotations

import re

import pytest

import homie
from homie.bench.suite.suite import find_suite, read_subtask
from homie.kernel.world.household_verbs import PERSON_VERBS, VERBS
from suites.authoring.make_homie_states import MEETINGS, TASKS, task

SUITE = find_suite("homie-states")
SKILLS = "ideal,ideal-chores,ideal-people"

OF_VERSION_2 = {"Turn on", "Turn off", "Slice", "Wipe", "Pour", "Wash", "Fill", "Heat", "Cool"}
OF_VERSION_2 |= {"Hand over", "Show", "Follow"}
"""The verbs that the suite is about; every other one is played by tests/kernel/world/test_every_verb.py."""


def test_every_verb_is_used_and_people_come_last() -> None:
    assert [task.id for task in SUITE.tasks] == [*TASKS, *MEETINGS]
    assert (len(TASKS), len(MEETINGS), SUITE.version) == (60, 12, 2)
    used = [read_subtask(step).action for task in SUITE.tasks for step in task.expert or ()]
    assert {*used} & {*VERBS, *PERSON_VERBS} >= OF_VERSION_2


@pytest.mark.parametrize("name", ["tv-off", "bread-sliced", "mug-to-desk"])
def test_the_file_is_what_its_maker_writes(name: str) -> None:
    assert (
        SUITE.by_id[name].model_dump(mode="json", exclude_defaults=True)["expert"] == task(name, TASKS[name])["expert"]
    )
    assert SUITE.by_id[name].scene.seed == task(name, TASKS[name])["scene"]["seed"]


@pytest.mark.parametrize("name", MEETINGS)
def test_a_task_about_people_is_what_its_maker_writes(name: str) -> None:
    meeting = MEETINGS[name]
    written = task(name, meeting.pattern, meeting.people)
    assert SUITE.by_id[name].model_dump(mode="json", exclude_defaults=True)["expert"] == written["expert"]
    assert SUITE.by_id[name].scene.settings["people"] == meeting.people == written["scene"]["people"]


@pytest.mark.parametrize("name", ["desk-wiped", "mug-into-bowl", "apple-sliced-cold", "apple-after-walk"])
def test_an_expert_reaches_a_goal_that_is_false_before(name: str) -> None:
    task = SUITE.by_id[name]
    assert task.goal is not None
    options = {"seed": task.scene.seed, **task.scene.settings, "skills": SKILLS, "rounds": 30}
    with homie.open(**options, picture_size=16, shade=False) as session:
        assert not task.goal.holds(session.world_state())
        for text in task.expert or ():
            subtask = read_subtask(re.sub(r"\s+", " ", text))
            if subtask.action != "End":
                execution = session.call(subtask.action, subtask.target, subtask.destination)
                assert execution.feedback.ok, f"{text}: {execution.feedback.message}"
        assert task.goal.holds(session.world_state())
