"""Ideal skills in the home: what is set agrees with what is reported, whatever is done in whatever order."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

import homie
from homie.bench.suite.suite import find_suite
from homie.envs.mujoco.home.ideal_bodies import Bodies
from homie.kernel.actions import ACTION_TABLE
from homie.kernel.errors import BadInput
from homie.kernel.scenes import scene_options
from homie.kernel.types import ErrorCode, Execution, Goal
from homie.kernel.world.snapshot import WorldSnapshot
from homie.runtime.open_session import Session

TINY = {"picture_size": 16, "shade": False}
"""Pictures are looked at, but nothing here depends on what they show."""
STILL = 0.02
"""Metres that a thing may roll or settle in a subtask that is not about it."""


@pytest.fixture(scope="module")
def home() -> Iterator[Session]:
    with homie.open(seed=7, rooms=2, objects=14, skills="ideal", opened=["cabinet"], **TINY) as session:
        yield session


def draw_subtask(world: WorldSnapshot, rng: Random) -> tuple[str, str, str]:
    """A subtask that may be possible: what to do, to what, and where."""
    doors = sorted({joint.receptacle for joint in world.joints.values()})
    bowls = [name for name, thing in world.objects.items() if thing.receives == "in" and name != world.held]
    places = sorted([*bowls, *(name for name, thing in world.fixed.items() if thing.receives)])
    things, loose = sorted([*world.things, *world.rooms]), sorted(world.objects)
    action = rng.choice(["Go to", "Put", "Put"] if world.held else ["Go to", "Pick", "Pick", "Open", "Close"])
    target = {"Go to": things, "Pick": loose, "Put": [world.held or ""], "Open": doors, "Close": doors}[action]
    near = [name for name in target if name in world.objects and world.objects[name].room == world.robot.room]
    return (
        action,
        rng.choice(near if near and action == "Pick" else target),
        rng.choice(places) if action == "Put" else "",
    )


def things_moved(before: WorldSnapshot, after: WorldSnapshot) -> set[str]:
    """What lies elsewhere than before."""
    pairs = ((name, before.objects[name].position, item.position) for name, item in after.objects.items())
    return {name for name, there, here in pairs if np.linalg.norm(np.subtract(here, there)) > STILL}


def taken_along(world: WorldSnapshot, name: str) -> set[str]:
    """A thing, and what is in or on it."""
    return {other for other in world.objects if other == name or name in [place.at for place in world.around(other)]}


def check(before: WorldSnapshot, execution: Execution, session: Session) -> None:
    """That a subtask has done what it says, and nothing else."""
    after, subtask = session.world_state(), execution.subtask
    entity, action = execution.target, subtask.action
    loads = taken_along(before, before.held) if before.held else set()
    assert len(session.inventory) == (after.held is not None)
    if not execution.feedback.ok:
        assert things_moved(before, after) <= loads and after.held == before.held
        return
    joints = {joint.receptacle: joint.fraction for joint in after.joints.values()}
    match action:
        case "Pick":
            assert after.held == entity and after.objects[entity].at == "robot"
            loads |= taken_along(before, entity)
        case "Put":
            assert after.held is None and before.held is not None
            assert entity in [place.at for place in after.around(before.held)]
        case "Open" | "Close":
            assert joints[entity] >= 0.5 if action == "Open" else joints[entity] <= 0.06
            loads |= taken_along(before, entity) | {n for n in before.objects if before.objects[n].at == entity}
    if entity not in after.rooms:
        assert after.robot.room == (before if action == "Pick" else after).things[entity].room
    assert things_moved(before, after) <= loads
    bodies = Bodies(session.robot.world)
    assert bodies.cut(bodies.robot, ignored=[session.robot.grasping.held_body]) == set()


def play_random(session: Session, seed: int, length: int) -> Iterator[tuple[WorldSnapshot, Execution]]:
    """Subtasks at random, most of them where the robot has gone first, each with the world before it."""
    session.reset()
    rng = Random(seed)
    for _ in range(length):
        action, target, destination = draw_subtask(session.world_state(), rng)
        if action != "Go to" and rng.random() < 0.8:
            yield session.world_state(), session.call("Go to", destination or target)
        yield session.world_state(), session.call(action, target, destination)


@pytest.mark.parametrize("seed", range(2))
def test_any_sequence_leaves_a_world_that_agrees_with_what_is_reported(home, seed):
    records = []
    for before, execution in play_random(home, seed, length=10):
        check(before, execution, home)
        records.append(execution)
    codes = {execution.feedback.code for execution in records}
    assert {execution.subtask.action for execution in records if execution.feedback.ok} >= {"Go to", "Pick", "Put"}
    assert codes <= {None, ErrorCode.L3, ErrorCode.L4, ErrorCode.D1, ErrorCode.E1}


def test_equal_seeds_give_equal_worlds(home):
    first, second = ([(before, execution) for before, execution in play_random(home, 5, length=4)] for _ in range(2))
    assert first == second and len(first) > 4


def test_preconditions_are_refused_as_for_other_skills(home):
    subtasks = [
        ("Put", "apple", "table", ErrorCode.L2),
        ("Pick", "table", "", ErrorCode.L4),
        ("Pick", "unicorn", "", ErrorCode.F2),
        ("Fetch", "apple", "", ErrorCode.F1),
        ("Open", "sofa", "", ErrorCode.L4),
    ]
    home.reset()
    before = home.world_state()
    with homie.open(seed=7, rooms=2, objects=14, skills="classical", opened=["cabinet"], **TINY) as other:
        for action, target, destination, code in subtasks:
            ideal, classical = (session.call(action, target, destination) for session in (home, other))
            assert ideal.feedback == classical.feedback and ideal.feedback.code is code
            assert ideal.attempts == ()
    assert things_moved(before, home.world_state()) == set()


def test_the_record_says_that_nothing_moved(home):
    home.reset()
    before = home.robot.observe().stamp
    attempt = home.call("Go to", "sofa").attempts[0]
    assert (attempt.skill, attempt.commands, attempt.robot_seconds) == ("ideal", 0, 0.0)
    assert attempt.reason == "set in the world, without motion"
    assert home.robot.observe().stamp == pytest.approx(before + home.robot.spec.period)


def test_put_wrongly_it_lies_on_the_floor(tmp_path):
    (tmp_path / "clumsy.yaml").write_text("actions: {Put: {success: 0.0, failure: E2}}")
    with homie.open(seed=7, rooms=2, objects=14, skills=f"ideal:{tmp_path / 'clumsy.yaml'}", **TINY) as session:
        for name in ("apple", "cracker_box"):
            for subtask in (("Go to", name), ("Pick", name), ("Go to", "table")):
                assert session.call(*subtask).feedback.ok
            execution = session.call("Put", name, "table")
            world = session.world_state()
            assert execution.feedback.code is ErrorCode.E2 and len(execution.attempts) == 1
            assert "probability of 0" in execution.attempts[0].reason
            assert world.held is None and session.inventory == ()
            assert world.objects[name].at in world.rooms


def test_what_always_fails_is_tried_as_often_as_other_skills(tmp_path):
    (tmp_path / "weak.yaml").write_text("actions: {Go to: {success: 0.0}}")
    with homie.open(seed=7, rooms=2, objects=4, skills=f"ideal:{tmp_path / 'weak.yaml'}", **TINY) as session:
        execution = session.call("Go to", "sofa")
    assert execution.feedback.code is ErrorCode.E1 and len(execution.attempts) == 3


def test_from_sensors_the_same_things_are_meant():
    with homie.open(seed=7, rooms=2, objects=14, skills="ideal", targets="sensors", picture_size=96) as session:
        names = [
            detection.instance
            for detection in session.detections()
            if detection.instance in session.world_state().objects
        ]
        assert session.call("Go to", names[0]).feedback.ok
        assert session.call("Pick", names[0]).feedback.ok
        assert session.world_state().held == names[0]


def test_it_never_stands_behind_the_wall_of_what_it_goes_to(home):
    home.reset()
    world = home.world_state()
    name, thing = next((n, t) for n, t in world.fixed.items() if t.room == world.robot.room and t.receives)
    stands = []
    for target in (next(room for room in world.rooms if room != thing.room), name):
        assert home.call("Go to", target).feedback.ok
        stands.append(home.robot.observe().body.base)
    goal = Goal(name, f"Go to {name}", np.array(thing.position))
    assert home.robot.set_outcome(ACTION_TABLE["Go to"], goal, stands) == ""
    assert home.world_state().robot.room == thing.room
    assert "no free floor" in home.robot.set_outcome(ACTION_TABLE["Go to"], goal, stands[:1])


@pytest.mark.parametrize("robot", ["franka:stack"])
def test_a_robot_whose_world_cannot_be_set_is_refused(robot):
    with pytest.raises(BadInput, match="cannot be set: choose others by --skills"):
        homie.open(robot=robot, skills="ideal", **TINY)


@pytest.mark.parametrize("task", find_suite("homie-100").tasks[::50], ids=lambda task: task.id)
def test_experts_of_homie_100_do_their_tasks(task):
    choice = {name: value for name, value in task.scene if name not in ("spec", "sha256", "seed")}
    extra = {**(task.scene.model_extra or {}), **choice}
    with homie.open(seed=task.scene.seed, skills="ideal", **scene_options("mujoco", extra), **TINY) as session:
        for step in task.expert[:-1]:
            execution = session.call(*[word.strip() for word in step.strip("[]").split(",")])
            assert execution.feedback.ok, f"{step}: {execution.feedback.message}"
        assert task.goal.holds(session.world_state())
