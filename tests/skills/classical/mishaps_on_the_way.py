"""Doors, ways and arms that are stopped or change, as tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import CARRY, READY, REST, SPEC
from homie.kernel.types import Articulation, Box, Pose, Pose2
from skills.classical.goto import GoTo
from skills.classical.openclose import Close, Open
from skills.motion.driving import MobileSkill
from skills.motion.held_object import Hand
from skills.motion.manipulation import Manipulation
from skills.motion.motions import Motion
from tests.skills.classical.journeys import journey
from tests.skills.classical.mishaps import Event, base_stops, goal_seen, happening, joint_stops, joints_go
from tests.skills.classical.obedient import KINEMATICS, ObedientRobot, Routine, empty_floor, floor_round, nowhere
from tests.skills.classical.tables import Make, Rows, table
from tests.skills.classical.test_doors_by_numbers import CABINET, DOORS, World
from tests.skills.classical.test_goto_by_numbers import CORNER, PIECE, to

ELBOW = "elbow_flex_joint"


class Jammed(World):
    """A door that goes no further than a limit, or is let go of when it is open so far."""

    limit = np.inf
    lost_at = np.inf

    def act(self, skill: Open | Close) -> None:
        """One control period."""
        super().act(skill)
        if self.part.opening > self.limit:
            self.part = self.part_at(self.limit)
            skill.revise(self.goal())
        if self.part.opening > self.lost_at:
            self.lost_at = np.inf
            self.robot.drop()
            self.robot.stops_fingers = lambda: 0.0


def _jams(
    name: str,
    opening: float = 0.0,
    *,
    skill_of: type[Open | Close] = Open,
    limit: float = np.inf,
    lost_at: float = np.inf,
) -> Rows:
    world, skill = Jammed(DOORS[name], opening), skill_of(SPEC, KINEMATICS, Hand())
    world.limit, world.lost_at = limit, lost_at
    yield from journey(skill, world.robot, world.goal(), skill.actions[0], lambda: world.act(skill))


def _elsewhere(x: float) -> Rows:
    """A door that is seen elsewhere once the robot stands before it."""
    world, skill = World(DOORS["left"], 0.0), Open(SPEC, KINEMATICS, Hand())

    def shifted(opening: float) -> Articulation:
        part = DOORS["left"](opening)
        shift = np.array([x, 0.0, 0.0])
        assert part.panel is not None
        panel = replace(part.panel, center=part.panel.center + shift)
        return replace(part, handle=part.handle + shift, axis_point=part.axis_point + shift, panel=panel)

    def act() -> None:
        if world.robot.stamp > 4.0 and world.part_at is not shifted:
            world.part_at, world.part = shifted, shifted(world.part.opening)
        world.act(skill)

    yield from journey(skill, world.robot, world.goal(), "Open", act)


@table
def mishaps_of_doors() -> dict[str, Make]:
    """Doors that jam, are lost on the way, or are seen elsewhere on arrival; places full of things."""
    return {
        "jams": lambda: _jams("left", limit=0.4),
        "jams late": lambda: _jams("drawer", limit=0.3),
        "lost": lambda: _jams("right", lost_at=0.7),
        "flap jams": lambda: _jams("flap", skill_of=Close, opening=1.2, limit=1.2),
        "seen 2 cm aside": lambda: _elsewhere(0.02),
        "seen 30 cm aside": lambda: _elsewhere(0.3),
        "handle in the hand": lambda: _in_hand(),
        "narrow": lambda: _narrow(),
    }


def _in_hand() -> Rows:
    world, skill = World(DOORS["drawer"], 0.1), Open(SPEC, KINEMATICS, Hand())
    world.robot = ObedientRobot(Pose2(0.0, -1.1, 1.5), READY, opening=0.02, holding=True)
    world.robot.stops_fingers = lambda: 0.02 if world._at_handle() else 0.0
    yield from journey(skill, world.robot, world.goal(), "Open", lambda: world.act(skill))


def _narrow() -> Rows:
    """A counter before the door leaves little room."""
    world, skill = World(DOORS["right"], 0.0), Open(SPEC, KINEMATICS, Hand())
    things = (
        Box(np.array([0.9, -0.5, 0.45]), np.array([0.3, 0.3, 0.45])),
        Box(np.array([-0.9, -0.9, 0.6]), np.full(3, 0.3)),
    )
    goal = replace(world.goal(), solids=(CABINET, *things), grid=floor_round(CABINET, *things))

    def act() -> None:
        world.act(skill)
        skill.revise(replace(goal, articulations=(world.part,)))

    yield from journey(skill, world.robot, goal, "Open", act)


# ------------------------------------------------------------ driving

POST = Box(np.array([1.2, 0.1, 0.5]), np.array([0.15, 0.15, 0.5]))


def _drives(
    motion: Callable[[MobileSkill], Motion],
    events: Mapping[float, Event],
    *,
    hand: Hand | None = None,
    **changes: object,
) -> Rows:
    robot = ObedientRobot(Pose2(0.0, 0.0, 0.0), CARRY if hand else REST, holding=hand is not None)
    robot.stops_fingers = partial(float, 0.1 if hand else 0.0)
    goal = replace(nowhere(empty_floor()), **changes)  # type: ignore[arg-type]
    yield from happening(Routine(motion, hand), robot, goal, "Go to", events)


@table
def mishaps_of_driving() -> dict[str, Make]:
    """A way that is blocked, a map that changes, a base that is held; walls before what is gone to."""
    target = np.array([2.3, 0.2])
    partition = Box(np.array([1.2, 0.0, 0.5]), np.array([0.1, 3.0, 0.5]))
    there, shut = nowhere(floor_round(POST)), nowhere(floor_round(partition))
    crate = replace(POST, half=np.array([0.15, 3.0, 0.3]), name="crate")
    wall = Box(np.array([0.35, 0.5, 0.5]), np.array([0.05, 3.0, 0.5]))
    at_table = floor_round(Box(np.array([0.42, 0.0, 0.5]), np.array([0.1, 0.4, 0.5])))

    def drive(skill: MobileSkill) -> Motion:
        yield from skill.navigate(target, 0.4)

    def turn(skill: MobileSkill) -> Motion:
        yield from skill.turn(2.0)

    before = base_stops(lambda base: base.x < 1.0)
    return {
        "held": lambda: _drives(drive, {1.0: before}),
        "held for a while": lambda: _drives(
            drive,
            {1.0: before, 7.0: base_stops(lambda base: True)},
        ),
        "map changes": lambda: _drives(drive, {0.7: goal_seen(there)}),
        "shut off": lambda: _drives(drive, {0.7: goal_seen(shut)}),
        "behind a crate": lambda: _drives(drive, {}, grid=floor_round(crate), loose=(crate,)),
        "cannot turn": lambda: _drives(turn, {0.5: base_stops(lambda base: base.yaw < 0.3)}),
        "turns further back": lambda: _drives(
            turn,
            {0.3: base_stops(lambda base: base.yaw < 0.3 or base.x < -0.05)},
            grid=at_table,
        ),
        "behind a wall": lambda: happening(
            GoTo(SPEC, KINEMATICS, Hand()), ObedientRobot(CORNER), to(PIECE, wall), "Go to", {}
        ),
        "wall seen late": lambda: happening(
            GoTo(SPEC, KINEMATICS, Hand()), ObedientRobot(CORNER), to(PIECE), "Go to", {2.5: goal_seen(to(PIECE, wall))}
        ),
    }


class Arm(Manipulation):
    """A skill whose routine the test chooses."""

    behaviour: Callable[[Arm], Motion]

    def routine(self) -> Motion:
        """As it was chosen."""
        yield from self.behaviour(self)


def _arm(
    behaviour: Callable[[Arm], Motion], events: Mapping[float, Event], *solids: Box, begin: np.ndarray = READY
) -> Rows:
    robot = ObedientRobot(Pose2(0.1, 0.2, 0.3), begin)
    skill = Arm(SPEC, KINEMATICS, Hand())
    skill.behaviour = behaviour  # type: ignore[method-assign]
    yield from happening(skill, robot, replace(nowhere(empty_floor()), solids=solids), "Pick", events)


@table
def mishaps_of_arms() -> dict[str, Make]:
    """Arms between things: they leave by another way, back out as they came, or say that they are caught."""
    over, under = (Box(np.array([0.7, 0.4, z]), np.array([0.35, 0.5, 0.02])) for z in (1.25, 0.85))
    cage = [Box(np.array([0.75 + x, 0.4 + y, 1.0]), np.array([0.03, 0.4, 0.5])) for x, y in ((-0.3, 0.0), (0.3, 0.0))]

    def works(skill: Arm) -> Motion:
        pose = skill.gripper_pose()
        yield from skill.line(Pose(pose.position + np.array([0.1, 0.05, -0.1]), pose.rotation))
        yield from skill.leave()

    def caught(skill: Arm) -> Motion:
        yield from skill.follow_joints([READY + 0.2, READY - 0.1])
        yield from skill.fold(skill.rest)

    return {
        "leaves": lambda: _arm(works, {}),
        "leaves from between boards": lambda: _arm(works, {}, over, under),
        "folds in a cage": lambda: _arm(caught, {}, *cage),
        "arm stopped": lambda: _arm(works, {0.5: joint_stops(ELBOW, -0.3), 4.0: joints_go}),
        "stays stopped": lambda: _arm(caught, {0.5: joint_stops(ELBOW, 0.3)}),
    }
