"""The scripted expert of the table: solves a task of any family by numeric arm actions. Privileged.

It reads exact object poses from the scene, so it is not a baseline for planners: it shows that tasks are solvable with
cells of 1 cm and steps of 3 degrees. It predicts the pose of an object in the hand after the fingers have closed, and
its position after release, and chooses each cell to minimise the next error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from homie.envs.arm_moves import ArmActions, arm_actions
from homie.envs.mujoco.robots.bodies.panda import HOME
from homie.envs.mujoco.robots.bodies.panda_kinematics import PandaKinematics
from homie.envs.mujoco.table.outlines import HEIGHT, outline
from homie.envs.mujoco.table.table_scene import FAMILIES, FOOT, TABLE_TOP, TableScene, Thing
from homie.envs.mujoco.table.things import AREA, SORTER_HEIGHT, SPONGE, hole_places, plan_of
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.interfaces import Planner, Robot
from homie.kernel.types import END, END_FAILURE, Array, Decision, PlannerInput, Pose, Subtask, planar_rotation
from homie.kernel.world.conditions import serialize_condition
from homie.kernel.world.predicates import In, Is, IsNot, Sorted, Stacked

GRASP, SPONGE_GRASP = 0.035, 0.025
"""Height (m) above the table at which shapes and the sponge are grasped."""
TRAVEL = 0.20
"""Height (m) above the table at which objects are carried."""
DROP = 0.03
"""Height (m) above its resting height at which an object is released into a container."""
PALM_HALF, PALM_THICK, PALM_ABOVE = 0.12, 0.05, 0.03
"""Half length and thickness of the palm, with margin; its height above the tool centre point (m)."""
OVERSHOOT = 0.01
"""Distance (m) that the sponge moves beyond the end of an area."""

_CLOSING: dict[str, tuple[float, ...]] = {
    "cube": (0.0, 90.0),
    "cylinder": tuple(range(0, 180, 15)),
    "cross": (0.0, 90.0),
    "triangular prism": (0.0, 120.0, 240.0),
    "star": (0.0, 72.0, 144.0, 216.0, 288.0),
    "sponge": (0.0,),
}
"""Closing directions of the fingers in the object frame (degrees)."""
_SYMMETRY = {"cube": 90.0, "cylinder": 3.0, "cross": 90.0, "triangular prism": 120.0, "star": 72.0, "sponge": 180.0}
"""Angle of rotational symmetry of an object (degrees)."""
_PAD = 0.0105
"""Half width of a finger (m)."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A held object: grasp position (2,) of the tool; the object's origin (2,) and yaw in the tool frame seen from
    above; the tool's height above the object's underside."""

    item: Thing
    grip: Array
    offset: Array
    yaw: float
    height: float


def plan(scene: TableScene) -> tuple[ArmActions, ...]:
    """Return the actions that solve the task of a scene. Raises BadInput if its objects cannot be reached."""
    return _Expert(scene).plan()


class _Expert:
    """Plans the task while tracking the predicted positions of objects."""

    def __init__(self, scene: TableScene) -> None:
        self.scene = scene
        self.at = {item.name: np.array([item.x, item.y]) for item in scene.things}
        plans = {item.name: plan_of(item.kind, item.colour, item.holes) for item in scene.things}
        self.top = {name: 2 * plan.half[2] for name, plan in plans.items()}
        self.radius = {name: plan.radius for name, plan in plans.items()}
        self.kinematics = PandaKinematics(FOOT[2])
        self.action = arm_actions()
        self.done: list[ArmActions] = []

    def plan(self) -> tuple[ArmActions, ...]:
        for condition in self.scene.conditions:
            match condition:
                case Is(in_state=(str() as area, "wiped")):
                    self._wipe(self.scene.thing(area))
                case In(pair=(str() as name, place)) | Sorted(pair=(str() as name, place)):
                    self._carry(name, place)
                case Stacked(stacked=names):
                    for lower, upper in pairwise(names):
                        self._carry(str(upper), str(lower))
                case IsNot():  # needs no action
                    pass
                case _:
                    raise BadInput(f"The planner table-expert knows no way to {serialize_condition(condition)}.")
        return tuple(self.done)

    # ------------------------------------------------------------ plans by condition

    def _carry(self, name: str, destination: str) -> None:
        """Pick an object and release it in, on or through its destination."""
        item, place = self.scene.thing(name), self.scene.thing(destination)
        point, yaws = self.at[place.name], None
        if place.kind == "container":
            standing_height, release = 0.005, 0.005 + DROP
        elif place.kind != "shape sorter":
            standing_height, release = self.top[place.name], self.top[place.name] + 0.004
        else:
            x, y = hole_places(place.holes)[place.holes.index(item.kind)]
            point = point + planar_rotation(place.yaw) @ np.array([x, y])
            yaws = np.radians(np.arange(0.0, 360.0, _SYMMETRY[item.kind])) + place.yaw
            standing_height, release = 0.005, SORTER_HEIGHT - 0.012
        for closing in self._grasp_yaws(item):
            held = self._predict_held(item, closing, GRASP)
            tool_yaw = self._release_yaw(held, point, yaws, closing)
            if tool_yaw is None:
                continue
            self._grasp(held, closing)
            tool = self._tool_for(held, point, tool_yaw)
            height = release + held.height
            self._move(tool, TRAVEL, tool_yaw, open=False)
            self._move(tool, height, tool_yaw, open=False)
            last = self._move(tool, height, tool_yaw, open=True)
            self._move(tool, TRAVEL, tool_yaw, open=True)
            self.at[item.name] = last.pose.position[:2] + planar_rotation(_yaw_of(last)) @ held.offset
            self.top[item.name] = standing_height + HEIGHT
            return
        raise BadInput(f"The arm does not reach {item.words} or where it belongs.")

    def _wipe(self, area: Thing) -> None:
        """Wipe the whole length of an area with the sponge, its long side across."""
        sponge = next(item for item in self.scene.things if item.kind == "sponge")
        half_stroke = planar_rotation(area.yaw) @ np.array([AREA[0] + OVERSHOOT - SPONGE[0], 0.0])
        middle = self.at[area.name]
        for closing in self._grasp_yaws(sponge):
            held = self._predict_held(sponge, closing, SPONGE_GRASP)
            for first, last in (
                (middle + half_stroke, middle - half_stroke),
                (middle - half_stroke, middle + half_stroke),
            ):
                tool_yaw = self._release_yaw(held, first, np.array([area.yaw, area.yaw + math.pi]), closing)
                if tool_yaw is None or not self._reaches(self._tool_for(held, last, tool_yaw), SPONGE_GRASP, tool_yaw):
                    continue
                self._grasp(held, closing)
                start, end = self._tool_for(held, first, tool_yaw), self._tool_for(held, last, tool_yaw)
                self._move(start, TRAVEL, tool_yaw, open=False)
                self._move(start, held.height, tool_yaw, open=False)
                self._move(end, held.height, tool_yaw, open=False)
                self._move(end, TRAVEL, tool_yaw, open=False)
                return
        raise BadInput(f"The arm does not reach {sponge.words} or {area.words}.")

    # ------------------------------------------------------------ predictions

    def _grasp_yaws(self, item: Thing) -> list[float]:
        """Return the reachable tool yaws for grasping an object: first those with nothing under the palm, then by
        distance to the arm's ready posture."""
        yaws = []
        for degrees in _CLOSING[item.kind]:
            # The fingers close along y of the tool, which points down: at yaw - 90 degrees, or its opposite.
            closing = item.yaw + math.radians(degrees)
            yaws += [_wrap(closing + math.pi / 2), _wrap(closing - math.pi / 2)]
        reachable = [yaw for yaw in yaws if self._reaches(self.at[item.name], GRASP, yaw)]
        yaw_ahead = self._ready_yaw(self.at[item.name])
        return sorted(reachable, key=lambda yaw: (self._under_palm(item, yaw), abs(_wrap(yaw - yaw_ahead))))

    def _under_palm(self, item: Thing, yaw: float) -> bool:
        """Whether the palm would collide with a tall neighbour when grasping an object."""
        palm_axis = planar_rotation(yaw) @ np.array([0.0, 1.0])
        palm = self.at[item.name] + np.linspace(-PALM_HALF, PALM_HALF, 9)[:, None] * palm_axis
        return any(
            self.top[name] > GRASP + PALM_ABOVE
            and float(np.linalg.norm(palm - point, axis=1).min()) < self.radius[name] + PALM_THICK
            for name, point in self.at.items()
            if name != item.name
        )

    def _predict_held(self, item: Thing, tool_yaw: float, height: float) -> _Held:
        """Predict the pose of an object in the hand: flat against the pads and centred between them, else unchanged."""
        relative = _wrap(item.yaw - tool_yaw)
        offset_between_pads = _between_pads(_outline(item) @ planar_rotation(relative).T)
        middle = np.array([0.0, (float(offset_between_pads.max()) + float(offset_between_pads.min())) / 2])
        grip = self.at[item.name] + planar_rotation(tool_yaw) @ middle
        tool = self.action.from_pose(_pose(grip, height, tool_yaw), open=True).pose
        lateral = planar_rotation(tool_yaw).T @ (self.at[item.name] - tool.position[:2])
        offset = np.array([lateral[0], -middle[1]])
        return _Held(item, grip, offset, relative, float(tool.position[2]) - TABLE_TOP)

    def _release_yaw(self, held: _Held, point: Array, yaws: Array | None, closing: float) -> float | None:
        """Return a reachable tool yaw at which the object is released with one of `yaws`; None if there is none."""
        if yaws is None:
            tools = [self._ready_yaw(point), closing, closing + math.pi]
        else:
            tools = [float(yaw) - held.yaw for yaw in yaws]
        tools.sort(key=lambda yaw: abs(_wrap(yaw - self._ready_yaw(point))))
        return next((_wrap(yaw) for yaw in tools if self._reaches(point, held.height, yaw)), None)

    def _tool_for(self, held: _Held, point: Array, tool_yaw: float) -> Array:
        """Return the tool position (2,) that brings the held object to `point` (2,)."""
        return np.asarray(point - planar_rotation(tool_yaw) @ held.offset)

    def _ready_yaw(self, point: Array) -> float:
        """Return the yaw with least wrist rotation: that of the ready posture, turned towards `point`."""
        return math.atan2(point[1] - FOOT[1], point[0] - FOOT[0])

    def _reaches(self, point: Array, height: float, yaw: float) -> bool:
        for tool_height in (height, TRAVEL):
            pose = self.action.from_pose(_pose(point, tool_height, yaw), open=True).gripper
            at = pose.position - np.array([FOOT[0], FOOT[1], 0.0])
            if not self.kinematics.solve(at, pose.rotation, HOME).ok:
                return False
        return True

    # ------------------------------------------------------------ actions

    def _grasp(self, held: _Held, tool_yaw: float) -> None:
        self._move(held.grip, TRAVEL, tool_yaw, open=True)
        self._move(held.grip, held.height, tool_yaw, open=True)
        self._move(held.grip, held.height, tool_yaw, open=False)
        self._move(held.grip, TRAVEL, tool_yaw, open=False)

    def _move(self, point: Array, height: float, yaw: float, *, open: bool) -> ArmActions:
        action = self.action.from_pose(_pose(point, height, yaw), open=open)
        self.done.append(action)
        return action


def _pose(point: Array, height: float, yaw: float) -> Pose:
    """Return the tool pose above `point` (2,), `height` m above the table, pointing down, turned by `yaw`."""
    c, s = math.cos(yaw), math.sin(yaw)
    return Pose(
        np.array([point[0], point[1], TABLE_TOP + height]), np.array([[c, s, 0.0], [s, -c, 0.0], [0.0, 0.0, -1.0]])
    )


def _yaw_of(action: ArmActions) -> float:
    x = action.pose.rotation[:, 0]
    return math.atan2(x[1], x[0])


def _outline(item: Thing) -> Array:
    if item.kind == "sponge":
        x, y, _ = SPONGE
        return np.array([[x, -y], [x, y], [-x, y], [-x, -y]])
    return outline(item.kind)


def _between_pads(points: Array) -> Array:
    """Return the y coordinates of the outline's corners and edges that are between the pads."""
    crossings = [float(y) for x, y in points if abs(x) <= _PAD]
    for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        for x in np.linspace(-_PAD, _PAD, 9):
            if min(start[0], end[0]) <= x <= max(start[0], end[0]) and abs(end[0] - start[0]) > 1e-9:
                crossings.append(start[1] + (end[1] - start[1]) * (x - start[0]) / (end[0] - start[0]))
    return np.array(crossings)


def _wrap(angle: float) -> float:
    return math.remainder(angle, math.tau)


class TableExpert(Planner):
    """Planner that executes the expert's plan for its robot's table, ignoring the instruction. Raises BadInput for an
    unknown family.

    Args:
        argument: A family; tables of other families are refused.
    """

    name = "table-expert"

    def __init__(self, argument: str = "") -> None:
        if argument not in ("", *FAMILIES):
            hint = suggestion(argument, FAMILIES, "it plans for the scene of its robot and takes at most a family.")
            raise BadInput(f"There is no family of tasks '{argument}' for the planner table-expert: {hint}")
        self._family = argument
        self._plan: Sequence[ArmActions] = ()
        self._has_decided = False

    def bind(self, robot: Robot) -> None:
        scene = getattr(robot, "scene", None)
        if not isinstance(scene, TableScene):
            raise BadInput("The planner table-expert knows tables only: give `--robot franka:FAMILY`.")
        if self._family not in ("", scene.family):
            raise BadInput(
                f"The planner table-expert:{self._family} was given a table of the family '{scene.family}': leave the"
                " family out, it plans for the scene of its robot."
            )
        self._plan = plan(scene)

    def reset(self, task: str, *, seed: int) -> None:
        self._has_decided = False

    def decide(self, planner_input: PlannerInput) -> Decision:
        if self._has_decided:
            has_failed = planner_input.feedback is not None and not planner_input.feedback.ok
            end = END_FAILURE if has_failed and planner_input.reports else END
            return Decision((end,), "The plan did not work out." if has_failed else "The plan is through.")
        self._has_decided = True
        moves = tuple(Subtask("Move", str(action)) for action in self._plan)
        return Decision(moves, f"The expert knows the scene; {len(moves)} actions do the task.")
