"""Grasp detection, and how a grasped object is held: by a weld constraint (as in Habitat), or by friction alone."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import carriers
from homie.envs.mujoco.house.contacts import WELD_SOLIMP, WELD_SOLREF, weld_here
from homie.envs.mujoco.house.index import SceneIndex
from homie.kernel.types import Array

Pressed = dict[int, list[tuple[int, Array]]]
"""Contacts of a pad by body: the geom in contact, and the contact point (3,) in the world."""

OPENING = 0.075
"""Commanded opening speed (m/s), over one control period, above which the grasp is released: below the speed limit of
the fingers."""

SQUEEZE = 0.003
"""Minimum amount (m) by which the commanded width is below the measured one: fingers that only rest on an object do not
hold it."""

THINNEST = 0.006
"""Width (m) below which there is nothing between the fingers."""

ALONG = 0.7
"""Minimum cosine of the angle between contact normal and closing direction for a contact to count as pressing."""

STOPPED = 0.0125
"""Opening speed (m/s) below which the fingers have stopped on an object: free fingers close at eight times that, and
fingers that still turn the object also move faster."""

STEADY = 0.08
"""Minimum time (s) for which the fingers must have stopped."""

SLOPE = 2.0
"""Maximum lateral offset between the contacts of both fingers, as a multiple of the thickness between them: the pads'
friction. Beyond it the line between the two leaves the friction cones, and the object turns out of the hand."""

LOST = 0.2
"""Time (s) without contact after which an object is no longer held."""

HANDLE = "handle"
"""The part of a door or drawer that can be grasped; of its panel the fingers could only pinch an edge."""

WELD, BALL = "robot/grasp_weld", "robot/grasp_ball"
"""Equality constraints of the model: a weld for objects, a ball joint for handles, about which the hand may turn."""


@dataclass(frozen=True, slots=True)
class Hand:
    """Names of the parts of a parallel gripper in a model, without the prefix `robot/`.

    Attributes:
        body: The body that carries the fingers.
        base: The robot's root body.
        pads: Right and left geom that touch the grasped object.
        fingers: The finger joints, whose positions add up to the opening. The site `gripper` is between the pads, with
            y along the direction in which they close.
    """

    body: str
    base: str
    pads: tuple[str, str]
    fingers: tuple[str, str]


def add_grasp_constraints(spec: mujoco.MjSpec, hand: Hand) -> None:
    """Add both grasp constraints to a world with the robot, inactive and not yet bound to an object."""
    weld, _ball = (
        spec.add_equality(
            name=name,
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=f"robot/{hand.body}",
            name2=f"robot/{hand.base}",
            active=False,
        )
        for name, kind in ((WELD, mujoco.mjtEq.mjEQ_WELD), (BALL, mujoco.mjtEq.mjEQ_CONNECT))
    )
    weld.solref, weld.solimp = WELD_SOLREF, WELD_SOLIMP


class Grasping:
    """Grasp state: a grasp begins once both pads press on an object from opposite sides and have stopped closing.

    With `friction` only the force of the fingers holds the object; otherwise it is welded to the gripper at its current
    pose (a handle only at a point, so that the hand can turn about the bar), until the fingers are commanded to open. A
    door or drawer is held by its handle only.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        data: mujoco.MjData,
        index: SceneIndex,
        hand: Hand,
        period: float,
        *,
        friction: bool = False,
    ) -> None:
        """Start with an empty gripper.

        Args:
            period: Control period, s.
        """
        self.model, self.data, self.friction = model, data, friction
        self._period = period
        self._gripper = model.body(f"robot/{hand.body}").id
        self._pads = {model.geom(f"robot/{name}").id: side for side, name in enumerate(hand.pads)}
        self._pad_geoms = np.array(list(self._pads))
        self._robot_bodies = {body for body in range(model.nbody) if model.body(body).name.startswith("robot/")}
        joints = [model.joint(f"robot/{name}") for name in hand.fingers]
        self._fingers = [int(joint.qposadr[0]) for joint in joints]
        self._objects = {item.body: item.name for item in index.objects}
        movable = {a.body for item in index.receptacles for a in item.articulations}
        handles = (geom for geom, info in index.geoms.items() if info.part == HANDLE)
        self._carrier = carriers(model)
        self._handles = {geom for geom in handles if int(self._carrier[model.geom_bodyid[geom]]) in movable}
        self._weld, self._ball = model.equality(WELD).id, model.equality(BALL).id
        self.reset()

    def reset(self) -> None:
        self._body = -1
        self._is_kinematic = False
        self._commanded_width = 0.0
        self._lost_periods = self._steady_periods = 0
        self._last_width = 0.0
        self._touch: tuple[bool, bool] = (False, False)
        self.data.eq_active[self._weld] = self.data.eq_active[self._ball] = 0

    @property
    def contact(self) -> tuple[bool, bool]:
        """Whether the right and the left pad touch anything other than the robot."""
        return self._touch

    @property
    def holding(self) -> bool:
        """Whether an object or a handle is held."""
        return self._body >= 0

    @property
    def held_object(self) -> str | None:
        """Name of the held loose object, None if there is none."""
        return self._objects.get(self._body)

    @property
    def held_body(self) -> int:
        """The held body, of a loose object or a door; -1 for none."""
        return self._body

    @property
    def finger_bodies(self) -> set[int]:
        """The bodies of the pads."""
        return {int(self.model.geom_bodyid[pad]) for pad in self._pads}

    def give(self, body: int) -> None:
        """Hold a body at its current pose until the fingers open: for code that sets the world state directly. It is
        welded to the hand even with `friction`, because the fingers need not touch it."""
        self._is_kinematic = True
        self._body, self._lost_periods = body, 0
        self._bind(body)

    def commanded(self, width: float) -> None:
        """Set the target width of the fingers."""
        self._commanded_width = width
        if self._body >= 0 and width > self._width() + OPENING * self._period:
            self.let_go()

    def update(self) -> None:
        """Update the grasp from the contacts after a control period."""
        width, pressed = self._width(), self._pressing_contacts()
        self._steady_periods = self._steady_periods + 1 if abs(width - self._last_width) < STOPPED * self._period else 0
        self._last_width = width
        self._touch = (bool(pressed[0]), bool(pressed[1]))
        if self._body >= 0 and not self._is_kinematic:
            touching = [self._body in side for side in pressed]
            # A welded object cannot leave the hand, but an obstacle may have pushed the fingers off it.
            is_held = all(touching) if self.friction else any(touching)
            self._lost_periods = 0 if is_held else self._lost_periods + 1
            if self._lost_periods >= self._periods(LOST):
                self.let_go()
        elif self._body < 0 and self._has_closed(width):
            for body in sorted(pressed[0].keys() & pressed[1].keys()):
                if self._is_graspable(pressed, body):
                    self._take(body)
                    return

    def _periods(self, seconds: float) -> int:
        """Convert a duration to control periods, at least one."""
        return max(1, round(seconds / self._period))

    def _width(self) -> float:
        return float(self.data.qpos[self._fingers].sum())

    def _has_closed(self, width: float) -> bool:
        """Whether the fingers were closing and have been stopped by an object."""
        return (
            self._commanded_width <= width - SQUEEZE
            and width >= THINNEST
            and self._steady_periods >= self._periods(STEADY)
        )

    def _pressing_contacts(self) -> tuple[Pressed, Pressed]:
        """Return the contacts, by body, that each pad presses on with its inner face, towards the other pad."""
        pressed: tuple[Pressed, Pressed] = ({}, {})
        contacts = self.data.contact
        pairs = contacts.geom
        rows = np.flatnonzero((pairs[:, :, None] == self._pad_geoms).any(axis=(1, 2)))
        if not len(rows):
            return pressed
        closing = self.data.site("robot/gripper").xmat.reshape(3, 3)[:, 1]
        right, left = (float(self.data.geom_xpos[pad] @ closing) for pad in self._pad_geoms)
        inward = (1.0 if left > right else -1.0, 1.0 if right > left else -1.0)
        for row in rows:
            normal, place = float(contacts.frame[row, :3] @ closing), contacts.pos[row]
            first, second = int(pairs[row, 0]), int(pairs[row, 1])
            for pad, other, outward in ((first, second, normal), (second, first, -normal)):  # normal points to second
                body = int(self._carrier[self.model.geom_bodyid[other]])
                if pad in self._pads and body not in self._robot_bodies and outward * inward[self._pads[pad]] > ALONG:
                    pressed[self._pads[pad]].setdefault(body, []).append((other, place))
        return pressed

    def _is_graspable(self, pressed: tuple[Pressed, Pressed], body: int) -> bool:
        """Whether a body between the pads is a loose object or a handle, and the pads press opposite one another."""
        if body not in self._objects and not all(geom in self._handles for side in pressed for geom, _ in side[body]):
            return False
        right, left = (np.mean([place for _, place in side[body]], axis=0) for side in pressed)
        closing = self.data.site("robot/gripper").xmat.reshape(3, 3)[:, 1]
        pad_offset = right - left
        closing_distance = float(pad_offset @ closing)
        return bool(
            np.linalg.norm(pad_offset - closing_distance * closing) <= SLOPE * max(abs(closing_distance), THINNEST)
        )

    def _take(self, body: int) -> None:
        self._body, self._lost_periods = body, 0
        if not self.friction:
            self._bind(body)

    def _bind(self, body: int) -> None:
        """Weld a loose object to the hand at its current pose, or connect a handle to it at a point."""
        if body in self._objects:
            weld_here(self.model, self.data, self._weld, self._gripper, body)
            return
        site = self.data.site("robot/gripper").xpos
        turn = self.data.xmat[body].reshape(3, 3)
        eq = self._ball
        hand = self.data.xmat[self._gripper].reshape(3, 3)
        self.model.eq_obj1id[eq], self.model.eq_obj2id[eq] = self._gripper, body
        anchor_in_hand = hand.T @ (site - self.data.xpos[self._gripper])
        anchor_in_body = turn.T @ (site - self.data.xpos[body])
        self.model.eq_data[eq, :6] = [*anchor_in_hand, *anchor_in_body]
        self.data.eq_active[eq] = 1

    def let_go(self) -> None:
        """Release the grasp."""
        self._body, self._lost_periods, self._is_kinematic = -1, 0, False
        self.data.eq_active[self._weld] = self.data.eq_active[self._ball] = 0
