"""Attempts where little room is left, and by joints that lag, as tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from homie.envs.mujoco.robots.bodies.fetch import CARRY, READY, REST, SPEC
from homie.envs.mujoco.robots.bodies.fetch_kinematics import ArmKinematics
from homie.kernel.types import Array, Articulation, Box, Command, Goal, Pose, Pose2, Subtask
from skills.classical.goto import GoTo
from skills.classical.openclose import Close, Open
from skills.motion.driving import MobileSkill
from skills.motion.held_object import Hand
from skills.motion.motions import Motion
from tests.skills.classical.doors import SLIDING_DOOR, level_hinged
from tests.skills.classical.journeys import ASKEW, WeighingPick, WeighingPut, journey, long_in_hand
from tests.skills.classical.obedient import (
    KINEMATICS,
    PERIOD,
    ObedientRobot,
    Routine,
    empty_floor,
    floor_round,
    nowhere,
)
from tests.skills.classical.scenes import block, board
from tests.skills.classical.tables import Make, Rows, row_of, table
from tests.skills.classical.test_boards_and_plates_by_numbers import BOARD, PLATE, SHELF, grips_rim
from tests.skills.classical.test_doors_by_numbers import CABINET, DOORS, World
from tests.skills.classical.test_goto_by_numbers import CORNER, PIECE, to
from tests.skills.classical.test_pick_and_put_by_numbers import (
    CAN,
    TABLE,
    TOP,
    bare_table,
    carrying,
    grips,
    on_table,
)

ASKEW_CAN = replace(CAN, yaw=0.35)


class LaggingRobot(ObedientRobot):
    """Its joints come a fifth of the way to their targets in every control period."""

    def act(self, command: Command) -> None:
        """One control period."""
        before = dict(self.body.joints)
        super().act(command)
        joints = {name: before[name] + 0.2 * (now - before[name]) for name, now in self.body.joints.items()}
        self.body = replace(self.body, joints=joints)


def around(box: Box, away: float, *, but: str = "") -> tuple[Box, ...]:
    """Crates on the floor around a piece of furniture, but for some of its sides."""
    x, y = box.half[:2] + away
    sides = {"left": (-x, 0.0, 0.2, y), "right": (x, 0.0, 0.2, y), "front": (0.0, -y, x, 0.2), "back": (0.0, y, x, 0.2)}
    return tuple(
        Box(np.array([box.center[0] + dx, box.center[1] + dy, 0.2]), np.array([hx, hy, 0.2]), 0.0, f"crate_{name}")
        for name, (dx, dy, hx, hy) in sides.items()
        if name not in but.split()
    )


def _with_crates(goal: Goal, *crates: Box, walls: bool = False) -> Goal:
    """A goal with crates on the floor: loose ones, or walls that nobody moves."""
    solids = (*goal.solids, *crates)
    return replace(goal, solids=solids, grid=floor_round(TABLE, *crates), loose=() if walls else (*goal.loose, *crates))


def _in_sink() -> Goal:
    """A plate between the walls of a sink, of which one is near."""
    sides = ((-0.13, 0.0, 0.01, 0.2), (0.2, 0.0, 0.01, 0.2), (0.0, 0.19, 0.2, 0.01), (0.0, -0.19, 0.2, 0.01))
    walls = [Box(PLATE.center + np.array([x, y, 0.06]), np.array([hx, hy, 0.07])) for x, y, hx, hy in sides]
    return on_table(PLATE, solids=(TABLE, *walls))


def _picks(goal: Goal, robot: ObedientRobot | None = None, grip: Callable[[ObedientRobot, Box], None] = grips) -> Rows:
    robot = robot or ObedientRobot(ASKEW)
    skill = WeighingPick(SPEC, KINEMATICS, Hand())
    assert goal.box is not None
    grip(robot, goal.box)
    skill.weighed = []
    yield from journey(skill, robot, goal, "Pick")
    yield from skill.rows()


@table
def picking_in_a_crowd() -> dict[str, Make]:
    """Crates around the table, jars around the can, things on it and before walls."""
    can = on_table(ASKEW_CAN)
    plum = Box(CAN.center + np.array([0.0, 0.0, 0.085]), np.full(3, 0.025), 0.0, "plum")
    jar = np.array([0.035, 0.035, 0.2])
    ring = tuple(
        Box(CAN.center + 0.075 * np.array([math.cos(a), math.sin(a), 0.0]), jar, 0.0, f"jar_{number}")
        for number, a in enumerate(0.2 + np.arange(8) * math.pi / 4)
    )
    two = (
        replace(ring[0], center=CAN.center + np.array([0.08, 0.0, 0.0])),
        replace(ring[1], center=CAN.center - [0.08, 0.01, 0.0]),
    )
    pot = Box(CAN.center + np.array([0.13, 0.02, 0.0]), np.array([0.05, 0.06, 0.1]), 0.2, "pot")
    wall = Box(np.array([0.6, 0.19, 0.9]), np.array([0.3, 0.02, 0.2]))
    chopping = Box(np.array([0.5, 0.0, 0.75]), np.array([0.2, 0.1, 0.03]), 0.3, "can")
    parts = board(np.array([0.45, 0.0, 0.75]), 0.3)
    over = Box(np.array([0.33, 0.1, 0.73]), np.array([0.07, 0.09, 0.01]), 0.1, "can")
    flat = Box(np.array([0.5, 0.1, 0.735]), np.array([0.03, 0.045, 0.015]), 0.4, "can")
    tall = Box(np.array([0.45, 0.1, 0.84]), np.array([0.036, 0.034, 0.12]), 0.2, "can")
    return {
        "crates all around": lambda: _picks(_with_crates(can, *around(TABLE, 0.35))),
        "from behind": lambda: _picks(_with_crates(can, *around(TABLE, 0.3, but="right"), walls=True)),
        "from the side": lambda: _picks(_with_crates(can, *around(TABLE, 0.3, but="front"), walls=True)),
        "walls all around": lambda: _picks(_with_crates(can, *around(TABLE, 0.3), walls=True)),
        "jars all around": lambda: _picks(on_table(ASKEW_CAN, obstacles=ring, solids=(TABLE, *ring), loose=ring)),
        "two jars": lambda: _picks(on_table(ASKEW_CAN, obstacles=two, solids=(TABLE, *two), loose=two)),
        "pot": lambda: _picks(on_table(ASKEW_CAN, obstacles=(pot,), solids=(TABLE, pot), loose=(pot,))),
        "plum on it": lambda: _picks(on_table(ASKEW_CAN, loose=(plum,), solids=(TABLE, plum))),
        "wall beside": lambda: _picks(on_table(ASKEW_CAN, solids=(TABLE, wall))),
        "known shape": lambda: _picks(on_table(ASKEW_CAN, parts=(block(ASKEW_CAN),))),
        "handle": lambda: _picks(on_table(chopping, parts=parts)),
        "over the edge": lambda: _picks(on_table(over)),
        "flat": lambda: _picks(on_table(flat, parts=(block(flat),))),
        "tall": lambda: _picks(on_table(tall)),
        "plate in a sink": lambda: _picks(_in_sink(), None, grips_rim),
        "lagging": lambda: _picks(can, LaggingRobot(ASKEW)),
    }


def _puts(hand: Hand, goal: Goal, robot: ObedientRobot | None = None) -> Rows:
    robot = robot or ObedientRobot(ASKEW, CARRY, opening=0.066, holding=True)
    robot.stops_fingers = lambda: 0.066
    skill = WeighingPut(SPEC, KINEMATICS, hand)
    skill.weighed = []
    yield from journey(skill, robot, goal, "Put")
    yield from skill.rows()


@table
def putting_in_a_crowd() -> dict[str, Make]:
    """Crates around the table, a table so deep that its middle is far, tall things, shelves with things in them."""
    deep = Box(np.array([1.1, 0.0, 0.36]), np.array([0.8, 0.75, 0.36]))
    top = replace(TOP, center=np.array([1.1, 0.0, 0.72]), half_x=0.8, half_y=0.75)
    far = replace(bare_table(surfaces=(top,), solids=(deep,)), grid=floor_round(deep))
    middle = replace(far, surfaces=(replace(top, half_x=0.05, half_y=0.05),))
    mug = Box(np.array([0.72, 0.1, 0.77]), np.array([0.05, 0.05, 0.05]), 0.0, "mug")
    shelf = replace(bare_table(mug, surfaces=(BOARD,)), solids=(*SHELF, mug), grid=floor_round(SHELF[0]))
    low = replace(TOP, center=np.array([0.6, 0.0, 0.45]))
    bench = Box(np.array([0.6, 0.0, 0.225]), np.array([0.3, 0.5, 0.225]))
    on_bench = replace(bare_table(surfaces=(low,), solids=(bench,)), grid=floor_round(bench))
    rows = [
        Box(np.array([x, y, 0.8]), np.array([0.08, 0.08, 0.08]), 0.0, f"pot_{y}")
        for x in (0.42, 0.6, 0.78)
        for y in (-0.35, -0.1, 0.15, 0.4)
    ]
    return {
        "crates all around": lambda: _puts(carrying(), _with_crates(bare_table(), *around(TABLE, 0.35))),
        "from behind": lambda: _puts(
            carrying(), _with_crates(bare_table(), *around(TABLE, 0.3, but="right"), walls=True)
        ),
        "deep": lambda: _puts(carrying(), far),
        "middle of the deep": lambda: _puts(carrying(), middle),
        "pots": lambda: _puts(carrying(), bare_table(*rows)),
        "three pots": lambda: _puts(
            carrying((0.05, 0.05, 0.05)), bare_table(*rows[:3], surfaces=(replace(TOP, half_y=0.3, half_x=0.16),))
        ),
        "shelf with a mug": lambda: _puts(carrying(), shelf),
        "bench": lambda: _puts(carrying((0.03, 0.06, 0.09)), on_bench),
        "small": lambda: _puts(carrying((0.02, 0.03, 0.025), np.array([0.51, 0.0, 0.89])), bare_table()),
        "lagging": lambda: _puts(carrying(), bare_table(), LaggingRobot(ASKEW, CARRY, opening=0.066, holding=True)),
    }


def _sliding(opening: float) -> Articulation:
    """A sliding door that is open so far."""
    shift = np.array([opening - 0.1, 0.0, 0.0])
    assert SLIDING_DOOR.panel is not None
    panel = replace(SLIDING_DOOR.panel, center=SLIDING_DOOR.panel.center + shift)
    handle = SLIDING_DOOR.handle + shift + np.array([0.0, 0.0, 0.25])
    return replace(SLIDING_DOOR, handle=handle, panel=panel, opening=opening)


MORE: dict[str, Callable[[float], Articulation]] = {
    **DOORS,
    "lid": lambda opening: level_hinged(lid=True, opening=opening),
    "sliding": _sliding,
    "short flap": lambda opening: replace(level_hinged(lid=False, opening=opening), range=0.9),
    "bare": lambda opening: replace(DOORS["left"](opening), panel=None),
}
CHEST = Box(np.array([0.0, 0.25, 0.22]), np.array([0.4, 0.2, 0.2]))


class Asked(ArmKinematics):
    """Keeps which positions of the hand (3,) in the frame of the base it was asked to solve."""

    def __init__(self) -> None:
        super().__init__()
        self.positions: list[Array] = []

    def solve(self, position: Array, rotation: Array, q0: Array, *, locked_torso: bool = False) -> Any:
        """As the arm does."""
        self.positions.append(position)
        return super().solve(position, rotation, q0, locked_torso=locked_torso)


def _tries(name: str, opening: float, skill_of: type[Open | Close], begin: Pose2) -> Rows:
    """Where the hand would be for the ways to stand and to lead a handle that are tried first."""
    world, kinematics = World(MORE[name], opening, True), Asked()
    world.robot.put_at(begin)
    skill = skill_of(SPEC, kinematics, Hand())
    skill.start(Subtask(skill.actions[0], "cabinet"), world.goal(), world.robot.observe())
    for _ in range(50):  # where nothing was chosen yet it only looks
        if not kinematics.positions:
            world.act(skill)
    positions = kinematics.positions
    yield row_of("asked", len(positions))
    yield from map(row_of, positions[:: max(1, len(positions) // 60)])


@table
def tries_at_doors() -> dict[str, Make]:
    """The order in which ways to stand and to lead a handle are tried."""
    begin, aside = Pose2(0.3, -1.5, 1.2), Pose2(-0.7, -1.4, 0.6)
    return {
        **{f"open {name}": partial(_tries, name, 0.0, Open, begin) for name in ("left", "right", "drawer", "flap")},
        "open sliding": lambda: _tries("sliding", 0.05, Open, aside),
        "open left further": lambda: _tries("left", 0.7, Open, aside),
        "open flap further": lambda: _tries("flap", 0.5, Open, aside),
        **{f"close {name}": partial(_tries, name, 0.9, Close, aside) for name in ("left", "right", "flap")},
        "close drawer": lambda: _tries("drawer", 0.3, Close, aside),
    }


def _moves(
    name: str,
    opening: float,
    skill_of: type[Open | Close],
    begin: Pose2 | None = None,
    crates: tuple[Box, ...] = (),
    loose: bool = False,
    lags: bool = False,
) -> Rows:
    world, skill = World(MORE[name], opening, True), skill_of(SPEC, KINEMATICS, Hand())
    if lags:
        world.robot = LaggingRobot(world.robot.base)
        world.robot.stops_fingers = lambda: 0.02 if world._at_handle() else 0.0
    if begin is not None:
        world.robot.put_at(begin)
    piece = CHEST if name == "lid" else CABINET
    grid = floor_round(piece, *crates)

    def goal() -> Goal:
        things = {"solids": (piece, *crates), "loose": crates if loose else (), "grid": grid, "box": piece}
        return replace(world.goal(), **things)  # type: ignore[arg-type]

    def act() -> None:
        world.act(skill)
        skill.revise(goal())

    yield from journey(skill, world.robot, goal(), skill.actions[0], act)
    yield row_of("opening", world.part.opening)


@table
def doors_in_a_crowd() -> dict[str, Make]:
    """Lids and sliding doors, doors in corners and behind crates, from far away, half open, by joints that lag."""
    corner = Box(np.array([0.75, -0.6, 0.9]), np.array([0.05, 0.6, 0.9]))
    crate = Box(np.array([0.2, -0.7, 0.2]), np.array([0.7, 0.35, 0.2]), 0.0, "crate")
    far = Pose2(0.6, -2.6, 2.5)
    return {
        "lid": lambda: _moves("lid", 0.0, Open),
        "close lid": lambda: _moves("lid", 1.3, Close),
        "sliding": lambda: _moves("sliding", 0.05, Open),
        "close sliding": lambda: _moves("sliding", 0.35, Close),
        "short flap": lambda: _moves("short flap", 0.0, Open),
        "without a panel": lambda: _moves("bare", 0.0, Open),
        "in a corner": lambda: _moves("left", 0.0, Open, crates=(corner,)),
        "in the other corner": lambda: _moves("right", 0.0, Open, crates=(corner,)),
        "behind a crate": lambda: _moves("left", 0.0, Open, crates=(crate,), loose=True),
        "close behind a crate": lambda: _moves("drawer", 0.3, Close, crates=(crate,), loose=True),
        "from afar": lambda: _moves("right", 0.0, Open, far),
        "drawer from afar": lambda: _moves("drawer", 0.0, Open, far),
        **{f"open {opening}": partial(_moves, "left", opening, Open) for opening in (1.25, 1.44, 1.5)},
        **{f"drawer {opening}": partial(_moves, "drawer", opening, Open) for opening in (0.29, 0.31)},
        **{f"shut {opening}": partial(_moves, "right", opening, Close) for opening in (0.055, 0.065, 0.5)},
        "lagging": lambda: _moves("drawer", 0.0, Open, lags=True),
    }


def _goes(goal: Goal, begin: Pose2 = CORNER, hand: Hand | None = None) -> Rows:
    robot = ObedientRobot(begin, CARRY if hand else REST, holding=hand is not None)
    robot.stops_fingers = partial(float, 0.1 if hand else 0.0)
    yield from journey(GoTo(SPEC, KINEMATICS, hand or Hand()), robot, goal, "Go to")


def _drives(motion: Callable[[MobileSkill], Motion], goal: Goal, hand: Hand | None = None, lags: bool = False) -> Rows:
    kind = LaggingRobot if lags else ObedientRobot
    robot = kind(Pose2(0.0, 0.0, 0.0), CARRY if hand else REST, holding=hand is not None)
    robot.stops_fingers = partial(float, 0.1 if hand else 0.0)
    yield from journey(Routine(motion, hand), robot, goal, "Go to")


@table
def driving_in_a_crowd() -> dict[str, Make]:
    """Crates before what is gone to, long things in the hand between posts, corners."""
    hedge = around(PIECE, 0.4)
    fenced = to(PIECE, *hedge, loose=hedge, solids=(PIECE, *hedge))
    rooms = replace(nowhere(floor_round(*hedge)), room=(0.2, -0.4, 1.8, 1.4), loose=hedge)
    posts = [Box(np.array([x, y, 0.9]), np.array([0.05, 0.05, 0.9])) for x, y in ((0.75, 0.7), (0.0, -0.9))]
    between = replace(nowhere(floor_round(*posts)), solids=tuple(posts))
    apple = Box(np.array([1.0, 0.5, 0.75]), np.full(3, 0.04))
    wall = Box(np.array([0.75, -0.6, 0.5]), np.array([0.05, 1.2, 0.5]))
    on_piece = replace(to(apple, PIECE, wall), surfaces=(replace(TOP, center=np.array([1.0, 0.5, 0.71]), half_y=0.4),))

    def turn_back(skill: MobileSkill) -> Motion:
        yield from skill.navigate(np.array([-0.9, 0.1]), 2.8)

    def turn_aside(skill: MobileSkill) -> Motion:
        yield from skill.navigate(np.array([0.1, 1.4]), -1.0)

    def reach(skill: MobileSkill) -> Motion:
        yield from skill.reach(READY)
        yield from skill.line(
            Pose(skill.gripper_pose().position + np.array([0.05, 0.1, -0.1]), skill.gripper_pose().rotation)
        )
        yield from skill.posture(READY, speed=0.5)
        yield from skill.fold(skill.rest)
        yield from skill.wait(3.5 * PERIOD)

    return {
        "fenced": lambda: _goes(fenced),
        "a fenced room": lambda: _goes(rooms),
        "behind a wall": lambda: _goes(on_piece),
        "before a wall": lambda: _goes(on_piece, Pose2(1.8, -1.0, 2.0)),
        "with a stick": lambda: _goes(to(PIECE, solids=(PIECE,)), Pose2(-0.6, 0.4, 0.1), long_in_hand()),
        "turn back": lambda: _drives(turn_back, between, long_in_hand()),
        "turn aside": lambda: _drives(turn_aside, between, long_in_hand()),
        "empty turn aside": lambda: _drives(turn_aside, between),
        "reach": lambda: _drives(reach, nowhere(empty_floor())),
        "reach, lagging": lambda: _drives(reach, nowhere(empty_floor()), lags=True),
    }
