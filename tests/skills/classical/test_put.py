"""Put: at what angle of the hand a thing is set down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from homes import one_room

from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.actions import action_of
from homie.kernel.types import Box, Outcome, Pose, Subtask
from skills.classical.pick import Pick
from skills.classical.put import Put
from skills.motion.held_object import Hand
from skills.motion.motions import gripper_rotation

SHELF = {"name": "shelf", "kind": "shelf", "colour": "white", "x": 0.25, "y": 2.0}
ON_IT = [
    {"name": kind, "kind": kind, "colour": colour, "receptacle": "shelf", "surface": f"{board} board", "x": 0.0, "y": y}
    for kind, colour, board, y in (
        ("master_chef_can", "blue", "lower", 0.05),
        ("mustard_bottle", "yellow", "lower", 0.27),
        ("tomato_soup_can", "red", "middle", -0.15),
        ("bleach_cleanser", "white", "middle", 0.19),
        ("sugar_box", "yellow", "upper", -0.09),
        ("tuna_fish_can", "green", "upper", 0.15),
    )
]


def test_a_mug_held_from_above_is_laid_between_two_boards() -> None:
    """A hand that points down does not fit between the boards, so the mug is put down with a level one."""
    down = np.pi / 2
    grip = Pose(np.array([0.6, 0.0, 0.9]), gripper_rotation(0.0, down))
    hand = Hand()
    hand.take(Box(grip.position - np.array([0.0, 0.0, 0.016]), np.array([0.054, 0.04, 0.041])), grip, down)
    home = MujocoHome(one_room([SHELF], ON_IT, (1.4, 2.0, np.pi), (6.0, 5.0)))
    with home:
        observation = home.observe()
        locator = home.background()
        locator.reset(seed=0)
        goal = locator.goal("shelf", action_of("Put"), observation)
        grippers = {name: replace(state, holding=True) for name, state in observation.body.grippers.items()}
        holding = replace(observation, body=replace(observation.body, grippers=grippers))
        skill = Put(SPEC, ArmKinematics(), hand)
        skill.start(Subtask("Put", "mug", "shelf"), goal, holding)
        skill.act(holding)
    assert skill.outcome is Outcome.RUNNING, skill.reason


def test_a_thing_is_put_where_a_nearer_look_shows_the_one_below() -> None:
    """From below its upper edge the depth of a box is a guess: the hand corrects it once the head is above."""
    counter = {"name": "kitchen_counter", "kind": "kitchen_counter", "colour": "white", "x": 0.36, "y": 2.0}
    at = {"receptacle": "kitchen_counter", "surface": "top"}
    things = [
        {"name": "cracker_box", "kind": "cracker_box", "colour": "red", "x": 0.05, "y": -0.1, **at},
        {"name": "sugar_box", "kind": "sugar_box", "colour": "yellow", "x": 0.05, "y": 0.15, **at},
    ]
    hand, kinematics = Hand(), ArmKinematics()
    home = MujocoHome(one_room([counter], things, (1.3, 2.0, np.pi)))
    with home:
        locator = home.background()
        locator.reset(seed=0)
        pick_skill, put_skill = Pick(SPEC, kinematics, hand), Put(SPEC, kinematics, hand)
        goal = locator.goal("sugar_box", action_of("Pick"), home.observe())
        pick_skill.start(Subtask("Pick", "sugar box"), goal, home.observe())
        while pick_skill.outcome is Outcome.RUNNING:
            home.act(pick_skill.act(home.observe()))
        goal = locator.goal("cracker_box", action_of("Put"), home.observe())
        place = goal.surfaces[0]
        guess = replace(goal, surfaces=(replace(place, center=place.center + np.array([-0.035, 0.0, 0.0])),))
        before = home.observe().stamp
        put_skill.start(Subtask("Put", "sugar box", "cracker box"), guess, home.observe())
        while put_skill.outcome is Outcome.RUNNING:
            home.act(put_skill.act(home.observe()))
            if home.observe().stamp > before + 3.0:
                put_skill.revise(goal)
        state = home.snapshot().objects["sugar_box"]
    assert (pick_skill.outcome, put_skill.outcome) == (Outcome.SUCCEEDED, Outcome.SUCCEEDED), (
        pick_skill.reason,
        put_skill.reason,
    )
    assert (state.relation, state.at) == ("on", "cracker_box")
