"""The states of things: every verb brings its goal about, rules work as time goes by, and what cannot be is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pytest
from homes import SCENES, one_room

import homie
from homie.envs.mujoco.blueprints.catalog import OBJECTS
from homie.envs.mujoco.blueprints.state_parts import looks_of
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.initial_states import NEEDED
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.kernel.errors import BadInput
from homie.kernel.types import Command, Execution, Image
from homie.kernel.world.conditions import parse_condition
from homie.kernel.world.household_verbs import RULES, states_of
from homie.runtime.open_session import Session

WATER = ("Go to mug", "Pick mug", "Go to sink", "Put mug sink", "Turn on sink")
VERBS = {
    "sliced": (("Go to knife", "Pick knife", "Go to bread"), "Slice bread", {"is": ["bread", "sliced"]}),
    "wiped": (("Go to sponge", "Pick sponge", "Go to table"), "Wipe table", {"is": ["table", "clean"]}),
    "washed": (WATER, "Wash mug", {"is": ["mug", "clean"]}),
    "filled": (WATER, "Fill mug", {"is": ["mug", "filled"]}),
    "poured": (("Go to bowl", "Pick bowl", "Go to mug"), "Pour bowl mug", {"is_not": ["bowl", "filled"]}),
    "heated": (
        ("Open microwave", "Go to potato", "Pick potato", "Go to microwave", "Put potato microwave", "Close microwave",
         "Turn on microwave"),
        "Heat potato",
        {"is": ["potato", "heated"]},
    ),
    "cooled": (
        ("Go to fridge", "Open fridge", "Go to tomato", "Pick tomato", "Go to fridge", "Put tomato fridge",
         "Close fridge"),
        "Cool tomato",
        {"is": ["tomato", "cooled"]},
    ),
}  # fmt: skip
"""What leads to a verb, the verb, and a goal that is false before and true after it."""
TINY = {"picture_size": 64, "shade": False, "skills": "ideal,ideal-chores"}


@pytest.fixture(scope="module")
def home() -> Iterator[Session]:
    with homie.open(scene=SCENES / "household.json", **TINY) as session:
        yield session


def from_above(home: Session, goal: Mapping[str, Sequence[str]]) -> Image:
    """A picture (64, 64, 3) of what a goal is about."""
    ((name, _),) = goal.values()
    position = home.world_state().things[name].position
    assert position is not None
    x, y, z = position
    return home.film((x, y - 0.1, z + 0.8), position, (64, 64))


def do(home: Session, words: str) -> Execution:
    """A subtask in words: `Put mug sink`."""
    action = next(action for action in sorted(home.actions, key=len, reverse=True) if words.startswith(action))
    return home.call(action, *words.removeprefix(action).split())


@pytest.mark.parametrize("state", VERBS)
def test_a_verb_brings_its_goal_about_and_it_shows(home: Session, state: str) -> None:
    before, verb, written = VERBS[state]
    goal = parse_condition(written)
    home.reset()
    for words in (before[0].replace("Open", "Go to"), *before):
        assert do(home, words).feedback.ok, words
    assert not goal.holds(home.world_state())
    picture = from_above(home, written)
    assert do(home, verb).feedback.ok
    assert goal.holds(home.world_state())
    visible = (from_above(home, written) != picture).any()
    assert visible or state in ("heated", "cooled"), "it is to be seen, unless it is behind a door"


def test_what_is_refused_before_a_skill_runs(home: Session) -> None:
    home.reset()
    refused = {}
    for words in ("Go to bread", "Slice bread", "Heat bread", "Cool bread", "Fill bread", "Pour mug bread"):
        refused[words] = do(home, words).feedback
    assert [refused[words].code for words in refused] == [None, "L2", "L4", "L4", "L4", "L2"]
    assert refused["Heat bread"].message == "Can not heat bread, it has to be in a microwave that is shut and on"
    assert refused["Fill bread"].message == "Can not fill bread! Please choose another object"
    do(home, "Go to knife"), do(home, "Pick knife")
    assert do(home, "Wipe desk").feedback.message == "Unable to wipe, there has to be a sponge in the hand"
    assert do(home, "Slice mug").feedback.code == "L4"
    assert do(home, "Slice bread").feedback.code == "D1"


def test_what_is_shut_in_cannot_be_sliced(home: Session) -> None:
    home.reset()
    for words in (*VERBS["cooled"][0], "Go to knife", "Pick knife", "Go to fridge"):
        assert do(home, words).feedback.ok, words
    refusal = do(home, "Slice tomato").feedback
    assert (refusal.code, refusal.about) == ("L3", ("fridge",))


def test_rules_work_as_time_goes_by_and_end_each_other() -> None:
    cold = replace_object(
        SceneSpec.load(SCENES / "household.json"),
        "apple",
        receptacle="microwave",
        surface="floor",
        x=0.0,
        y=0.0,
        states={"cooled": True},
    )
    seconds = next(rule.seconds for rule in RULES if rule.state == "heated")
    with MujocoHome(cold, picture_size=(16, 16)) as robot, MujocoHome(cold, picture_size=(16, 16)) as twin:
        assert robot.snapshot().objects["apple"].states == {"heated": False, "cooled": True, "sliced": False}
        robot.world.appliances.switch({"microwave": True})
        start, now = robot.observe().stamp, robot.observe().stamp
        while now - start < 2 * seconds and not robot.snapshot().objects["apple"].states["heated"]:
            robot.act(Command())
            now = robot.observe().stamp
        assert seconds <= now - start <= seconds + 0.5
        assert robot.snapshot().objects["apple"].states == {"heated": True, "cooled": False, "sliced": False}
        twin.take_state(robot.state())
        assert twin.snapshot().objects["apple"].states == robot.snapshot().objects["apple"].states


@pytest.mark.parametrize("kind", sorted(OBJECTS))
def test_every_state_of_every_kind_has_its_look(kind: str) -> None:
    plan = OBJECTS[kind].plan((0.5, 0.5, 0.5))
    looks = looks_of(kind, plan, states_of(kind))
    parts = {"sliced": "slice", "clean": "dirt", "filled": "filling"}
    assert {*looks} == {parts[state] for state in states_of(kind) if state in parts}
    assert not any(part.solid or part.mass for parts in looks.values() for part in parts)


def test_a_house_without_states_tells_and_takes_none() -> None:
    plain = generate(5, 2, 12)
    assert all(not item.states for item in initial_state(plain).objects.values())
    assert "states" not in plain.dump()
    mug = {"name": "mug", "kind": "mug", "colour": "red", "x": 1.0, "y": 1.0, "states": {"filled": True}}
    with pytest.raises(ValueError, match="this scene has no states"):
        one_room(objects=[mug])


def test_a_thing_has_no_state_that_its_kind_cannot_have() -> None:
    scene = SceneSpec.load(SCENES / "household.json")
    with pytest.raises(BadInput, match=r"'knife' cannot be sliced \(a knife can be: nothing\)"):
        SceneSpec.parse(replace_object(scene, "knife", states={"sliced": True}).dump())


def replace_object(scene: SceneSpec, name: str, **fields: object) -> SceneSpec:
    """A scene with another object of a name."""
    objects = tuple(item.model_copy(update=fields) if item.name == name else item for item in scene.objects)
    return scene.model_copy(update={"objects": objects})


@pytest.mark.parametrize("seed", [1, 5])
def test_a_generated_house_with_states_has_what_its_verbs_need(seed: int) -> None:
    plain, house = generate(seed, 2, 12), generate(seed, 2, 12, Variation(states=True))
    assert {*NEEDED} <= {item.kind for item in house.objects}
    plain_objects = {item.model_copy(update={"name": "", "states": {}}).model_dump_json() for item in house.objects}
    assert {item.model_copy(update={"name": ""}).model_dump_json() for item in plain.objects} <= plain_objects
    assert SceneSpec.parse(house.dump()) == house
    world = initial_state(house)
    assert world.fixed["sink"].states == {"on": False}
    (mug, *_) = (item for item in world.objects.values() if item.kind == "mug")
    assert {*mug.states} == {"clean", "filled", "heated", "cooled"}
