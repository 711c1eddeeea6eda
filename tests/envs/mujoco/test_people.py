"""People of the home: in specs, in generated houses, in pictures and maps, in the way, and on their way."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from homie.envs.mujoco.generate.free_floor import unreachable
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.home.floorplan import FloorPlan
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.initial_state import initial_state
from homie.envs.mujoco.scene_map import draw_map
from homie.kernel.errors import BadInput
from homie.kernel.types import Command
from perception.detectors.simulated import SimulatedDetector

ANNA = {"id": "anna", "position": [2.0, 1.0], "facing": 180, "colour": "red"}


def room(*people: dict[str, object], **fields: object) -> str:
    """A room of 5 by 4 m with a table and an apple in it, the robot at (0.8, 1.0), facing +x."""
    return json.dumps(
        {
            "rooms": [{"name": "hall", "kind": "study", "x0": 0, "y0": 0, "x1": 5, "y1": 4}],
            "furniture": [
                {"name": "table", "kind": "table", "colour": "white", "room": "hall", "x": 4.0, "y": 3.0, "yaw": 3.1416}
            ],
            "objects": [
                {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "table", "surface": "top", "x": 0.2,
                 "y": 0.0}
            ],
            "people": people,
            "robot": {"x": 0.8, "y": 1.0, "yaw": 0.0},
            **fields,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"position": [4.0, 3.0]}, "'anna' is in 'table'"),
        ({"position": [0.9, 1.1]}, "the robot starts in 'anna'"),
        ({"position": [5.0, 1.0]}, "'anna' is outside the rooms or in a wall"),
        ({"id": "apple"}, "the name 'apple' is used by more than one thing"),
        ({"gesture": "pointing"}, "'anna' needs both"),
        ({"gesture": "pointing", "points_at": "pear"}, "'anna' points at 'pear', which is not a thing of this scene"),
        ({"posture": "sitting", "path": [[2.0, 3.0]]}, "'anna' sits, so it cannot walk a path"),
        ({"path": [[4.0, 3.0]]}, "'anna' walks in 'table'"),
        ({"colour": "plaid"}, "unknown colour 'plaid'"),
    ],
)
def test_a_person_that_does_not_fit_is_refused_in_a_sentence(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        SceneSpec.parse(room({**ANNA, **change}))


def test_a_spec_with_people_is_read_back_as_it_was_and_one_without_does_not_mention_them() -> None:
    scene = SceneSpec.parse(room({**ANNA, "path": [[2.0, 3.0]]}))
    assert SceneSpec.parse(scene.dump()) == scene
    assert "people" not in SceneSpec.parse(room()).dump()


def test_nobody_stands_where_another_walks() -> None:
    assert len(generate(18, 3, 16, Variation(people=4)).people) == 4


@pytest.mark.parametrize("seed", [3, 7])
def test_people_of_a_generated_house_are_free_and_the_house_is_the_same(seed: int) -> None:
    alone, scene = generate(seed), generate(seed, variation=Variation(people=4))
    assert scene.model_copy(update={"people": ()}) == alone
    assert [(p.posture, p.gesture, bool(p.path)) for p in scene.people] == [
        ("standing", "hand_out", False),
        ("standing", "none", True),
        ("sitting", "hand_out", False),
        ("standing", "pointing", False),
    ]
    assert not unreachable(scene)
    assert generate(seed, variation=Variation(people=4)) == scene


def test_a_person_is_in_pictures_maps_and_the_snapshot() -> None:
    scene = SceneSpec.parse(room({**ANNA, "position": [2.6, 1.0], "gesture": "hand_out"}))
    home = MujocoHome(scene)
    try:
        observation = home.observe(home.views)
        detections = [item for item in SimulatedDetector().detect(observation) if item.instance == "anna"]
        snapshot, before = home.snapshot(), initial_state(scene)
        people = {geom for geom, info in home.home.index.geoms.items() if info.entity == "anna"}
        touching = [
            pair for pair in home.data.contact.geom.tolist()
            if len(people & set(pair)) == 1 and not any(home.home.index.geoms[g].entity.startswith("floor/")
                                                        for g in pair if g in home.home.index.geoms)
        ]  # fmt: skip
    finally:
        home.close()
    assert {(item.name, item.part) for item in detections} == {("person", "")}
    assert "front" in {item.view for item in detections}
    assert snapshot.people["anna"].model_copy(update={"rgb": None}) == before.people["anna"].model_copy(
        update={"rgb": None}
    )
    assert snapshot.people["anna"].room == "hall" and "anna" not in snapshot.fixed
    assert not touching
    with_her, without = np.asarray(draw_map(scene)), np.asarray(draw_map(SceneSpec.parse(room())))
    assert (with_her != without).any()


def test_a_person_is_in_the_way_of_base_and_floor_map() -> None:
    home = MujocoHome(SceneSpec.parse(room({**ANNA, "gesture": "hand_out"})))
    try:
        grid = FloorPlan(home.world).grid()
        row, column = ((np.array([1.0, 2.0]) - grid.origin[::-1]) / grid.resolution).astype(int)
        assert grid.occupied[row, column]
        for _ in range(75):
            home.act(Command({"base": (0.5, 0.0)}))
        x = home.measured().base.x
        assert x < 1.6, "the robot has driven through a person"
        assert np.allclose(home.world.people.place(home.world.people.infos["anna"])[:2], (2.0, 1.0))
    finally:
        home.close()


def test_one_with_a_path_walks_it_while_the_robot_is_near_and_can_be_mirrored() -> None:
    scene = SceneSpec.parse(room({**ANNA, "path": [[2.0, 2.0], [3.0, 2.0]]}))
    near, twin = MujocoHome(scene), MujocoHome(scene)
    far = MujocoHome(SceneSpec.parse(room({**ANNA, "position": [3.5, 1.0], "path": [[3.5, 2.0]]})))
    try:
        for _ in range(100):
            near.act(Command())
            far.act(Command())
        twin.take_state(json.loads(json.dumps(near.state())))
        people = near.world.people
        anna = people.infos["anna"]
        where = people.place(anna)
        for _ in range(100):
            near.act(Command())
        later = people.place(anna)
        assert math.dist(where[:2], (2.0, 1.0)) > 0.3
        assert np.allclose(twin.world.people.place(anna), where, atol=0.005)
        assert np.allclose(far.world.people.place(far.world.people.infos["anna"])[:2], (3.5, 1.0), atol=1e-3)
        assert near.snapshot().people["anna"].followed is False
        assert math.dist(later[:2], (near.measured().base.x, near.measured().base.y)) < 2.3, "she waits for the robot"
    finally:
        for home in (near, twin, far):
            home.close()
