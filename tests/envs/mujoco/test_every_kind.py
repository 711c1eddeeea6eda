"""Every kind of furniture and of object is played with from its rows alone: another row has its test already."""

from __future__ import annotations

from pathlib import Path

import pytest
from homes import one_room

import homie
from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS, blueprint
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.world.furniture import FURNITURE as USES

TABLE = {"name": "start", "kind": "table", "colour": "wood", "x": 0.6, "y": 2.0, "yaw": 0.0}
APPLE = {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "start", "surface": "top", "x": 0.1, "y": 0.0}
HOLDING = [use.kind for use in USES if use.kind in FURNITURE and use.keeps]
IN_A_ROW, APART = 10, 0.9


def open_session(folder: Path, scene: SceneSpec) -> homie.Session:
    (folder / "scene.json").write_text(scene.dump())
    return homie.open(scene=folder / "scene.json", skills="ideal", picture_size=16, shade=False)


@pytest.mark.parametrize("kind", HOLDING)
def test_what_is_kept_in_a_kind_of_furniture_can_be_put_there(kind: str, tmp_path: Path) -> None:
    colour = FURNITURE[kind].colours[0]
    piece = {"name": "piece", "kind": kind, "colour": colour, "x": 3.4, "y": 2.0, "yaw": 3.1416}
    with open_session(tmp_path, one_room([TABLE, piece], [APPLE])) as session:
        steps = [("Go to", "apple"), ("Pick", "apple"), ("Go to", "piece"), ("Put", "apple", "piece")]
        if blueprint(kind, colour).articulations:
            steps = [("Go to", "piece"), ("Open", "piece"), *steps]
        for step in steps:
            feedback = session.call(*step).feedback
            assert feedback.ok, f"{step}: {feedback.message}"
        assert session.world_state().objects["apple"].at == "piece"


@pytest.mark.slow
def test_every_kind_of_object_can_be_taken(tmp_path: Path) -> None:
    places = {kind: (1.5 + APART * (k % IN_A_ROW), 1.5 + APART * (k // IN_A_ROW)) for k, kind in enumerate(OBJECTS)}
    objects = [
        {"name": kind, "kind": kind, "colour": OBJECTS[kind].colours[0], "x": x, "y": y}
        for kind, (x, y) in places.items()
    ]
    side = 3.0 + APART * max(IN_A_ROW, len(OBJECTS) / IN_A_ROW)
    with open_session(tmp_path, one_room([], objects, (0.6, 0.6, 0.0), (side, side))) as session:
        for kind in OBJECTS:
            session.reset()
            for step in (("Go to", kind), ("Pick", kind)):
                feedback = session.call(*step).feedback
                assert feedback.ok, f"{step}: {feedback.message}"
            assert session.world_state().held == kind
