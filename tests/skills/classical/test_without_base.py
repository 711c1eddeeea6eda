"""An arm without a base picks and puts from where it is mounted."""

from __future__ import annotations

import numpy as np
import pytest

import homie
from homie.envs.mujoco.table.robot import FrankaTable
from homie.envs.mujoco.table.sampled_tables import scene_of
from homie.kernel.types import Box, Pose
from skills.motion.held_object import Hand
from skills.motion.motions import gripper_rotation


@pytest.mark.parametrize("seed", [7001, 7002])
def test_the_panda_on_its_table_picks_by_names(seed: int) -> None:
    with homie.open(robot="franka:pick", skills="classical", seed=seed, picture_size="64x64") as session:
        assert session.actions == ("Pick", "Put", "End")
        world = session.world_state()
        for name, item in world.objects.items():
            session.reset()
            answer = session.call("Pick", f"{item.colour} {item.kind}")
            assert answer.feedback.ok, (name, answer.feedback.message)
            assert session.world_state().held == name


@pytest.mark.parametrize(
    ("family", "seed", "thing", "place", "relation"),
    [("pick", 13, "gray star", "gray container", "in"), ("stack", 8, "black cross", "purple cube", "on")],
)
def test_the_panda_on_its_table_puts_by_names(family: str, seed: int, thing: str, place: str, relation: str) -> None:
    with homie.open(robot=f"franka:{family}", skills="classical", seed=seed, picture_size="64x64") as session:
        answers = [session.call("Pick", thing), session.call("Put", thing, place)]
        assert [answer.feedback.message for answer in answers] == ["None", "None"]
        item = session.world_state().objects[thing.replace(" ", "_")]
        assert (item.relation, item.at) == (relation, place.replace(" ", "_"))


class SeenTable(FrankaTable):
    """A Panda whose targets have names."""

    actions = ()


@pytest.mark.slow
def test_a_fixed_arm_finds_by_its_cameras_what_it_picks_and_puts() -> None:
    table = SeenTable(scene_of("pick", 13, None), (256, 256))
    with homie.open(robot=table, skills="classical", targets="sensors") as session:
        answers = [session.call("Pick", "gray star"), session.call("Put", "gray star", "gray container")]
        assert [answer.feedback.message for answer in answers] == ["None", "None"]
        item = session.world_state().objects["gray_star"]
        assert (item.relation, item.at) == ("in", "gray_container")


def test_a_hand_takes_over_how_the_object_hangs_now() -> None:
    hand = Hand()
    down = gripper_rotation(0.0, np.pi / 2)
    hand.take(
        Box(np.array([0.5, 0.03, 0.05]), np.array([0.05, 0.05, 0.03])), Pose(np.array([0.5, 0.0, 0.06]), down), 1.57
    )
    hand.level, hand.loose = np.zeros(7), True
    slipped = Box(np.array([0.5, 0.03, 0.44]), np.array([0.05, 0.05, 0.03]))
    hand.correct(slipped, Pose(np.array([0.5, 0.0, 0.5]), down))
    assert hand.center == pytest.approx([0.06, 0.03, 0.0], abs=1e-3), "hangs 6 cm below the gripper, along the fingers"
    assert hand.loose and hand.level is not None
    tilted = gripper_rotation(0.0, 0.7)
    hand.correct(Box(np.array([0.9, 0.0, 0.5]), slipped.half), Pose(np.array([0.5, 0.0, 0.5]), tilted))
    assert hand.center == pytest.approx([0.06, 0.03, 0.0], abs=1e-3), "an upright box says little of a tilted hand"
