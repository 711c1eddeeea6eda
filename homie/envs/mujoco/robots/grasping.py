"""Holding things: what counts as a grasp, and the weld that then holds it (as in Habitat), or friction alone."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.blueprints.extents import carriers
from homie.envs.mujoco.house.contacts import WELD_SOLIMP, WELD_SOLREF, weld_here
from homie.envs.mujoco.house.index import SceneIndex
from homie.kernel.types import Array

Pressed = dict[int, list[tuple[int, Array]]]
"""By body: its geoms that a pad presses on, and where in the world (3,)."""

OPENING = 0.075
"""Metres per second at which the fingers must be commanded to open, over one control period, to let go: less than they
are let open."""

SQUEEZE = 0.003
"""Metres that the commanded width must be below the present one: fingers that only rest on something hold nothing."""

THINNEST = 0.006
"""Width (m) below which there is nothing between the fingers."""

ALONG = 0.7
"""Cosine of the angle between a contact's normal and the closing direction from which the pad presses on the thing."""

STOPPED = 0.0125
"""Metres per second that the opening may change once the fingers have closed on something: otherwise they come at eight
times that, or still turn the thing between them."""

STEADY = 0.08
"""Seconds for which they must have stopped."""

SLOPE = 2.0
"""How far aside one finger may press from where the other does, as a multiple of the thickness between them: the pads'
friction. Beyond it the line between the two leaves the friction cones, and the thing turns out of the hand."""

LOST = 0.2
"""Seconds without a touch after which a thing is no longer held."""

HANDLE = "handle"
"""The part of a door or drawer that can be held; of its panel the fingers have only an edge."""

WELD, BALL = "robot/grasp_weld", "robot/grasp_ball"
"""Equality constraints of the model: a rigid one for objects, a point for handles, around which the hand may turn."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What a parallel gripper is called in a model, all without `robot/`.

    Attributes:
        body: It carries the fingers.
        base: The robot's first body.
        pads: Right and left geom that touch what is grasped.
        fingers: Their joints, whose positions add up to the opening. The site `gripper` is between the pads, with y
            along the direction in which they close.
    """

    body: str
    base: str
    pads: tuple[str, str]
    fingers: tuple[str, str]


def add_grasp_constraints(spec: mujoco.MjSpec, hand: Hand) -> None:
    """Add both constraints to a world with the robot of a hand, inactive and bound to nothing yet."""
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
    """A grip: both finger pads press on the same thing from opposite sides, and have stopped while closing.

    With `friction` nothing but the squeezing fingers holds it; otherwise the thing is welded to the gripper where it is
    (a handle only at a point, so that the hand can turn about the bar), until the fingers are commanded to open. A door
    or drawer is held by its handle only.
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
        """A grip that holds nothing.

        Args:
            period: Of control, s.
        """
        self.model, self.data, self.friction = model, data, friction
        self._period = period
        self._gripper = model.body(f"robot/{hand.body}").id
        self._pads = {model.geom(f"robot/{name}").id: side for side, name in enumerate(hand.pads)}
        self._pad_geoms = np.array(list(self._pads))
        self._own = {body for body in range(model.nbody) if model.body(body).name.startswith("robot/")}
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
        self._given = False
        self._wanted = 0.0
        self._untouched = self._steady = 0
        self._last_width = 0.0
        self._touch: tuple[bool, bool] = (False, False)
        self.data.eq_active[self._weld] = self.data.eq_active[self._ball] = 0

    @property
    def contact(self) -> tuple[bool, bool]:
        """Contact of the right and the left pad with anything that is not the robot."""
        return self._touch

    @property
    def holding(self) -> bool:
        """Whether something is between the fingers and held."""
        return self._body >= 0

    @property
    def held_object(self) -> str | None:
        """The loose object that is held, by name."""
        return self._objects.get(self._body)

    @property
    def held_body(self) -> int:
        """The body that is held, a loose object's or a door's; -1 if none is."""
        return self._body

    @property
    def finger_bodies(self) -> set[int]:
        """The bodies of the pads."""
        return {int(self.model.geom_bodyid[pad]) for pad in self._pads}

    def give(self, body: int) -> None:
        """Have a body held where it is, as nothing but the fingers' opening ends: for what sets the world. It is
        welded to the hand even where friction holds what is grasped, for the fingers need not touch it."""
        self._given = True
        self._body, self._untouched = body, 0
        self._bind(body)

    def commanded(self, width: float) -> None:
        """Set the target width of the fingers."""
        self._wanted = width
        if self._body >= 0 and width > self._width() + OPENING * self._period:
            self.let_go()

    def update(self) -> None:
        """After a control period: look at the contacts, take hold or lose it."""
        width, pressed = self._width(), self._pressed()
        self._steady = self._steady + 1 if abs(width - self._last_width) < STOPPED * self._period else 0
        self._last_width = width
        self._touch = (bool(pressed[0]), bool(pressed[1]))
        if self._body >= 0 and not self._given:
            touching = [self._body in side for side in pressed]
            # Welded, a thing cannot leave the hand, but something may have drawn the fingers off it.
            is_held = all(touching) if self.friction else any(touching)
            self._untouched = 0 if is_held else self._untouched + 1
            if self._untouched >= self._periods(LOST):
                self.let_go()
        elif self._body < 0 and self._closed(width):
            for body in sorted(pressed[0].keys() & pressed[1].keys()):
                if self._graspable(pressed, body):
                    self._take(body)
                    return

    def _periods(self, seconds: float) -> int:
        """Control periods in a time, at least one."""
        return max(1, round(seconds / self._period))

    def _width(self) -> float:
        return float(self.data.qpos[self._fingers].sum())

    def _closed(self, width: float) -> bool:
        """Whether the fingers were closing and something has stopped them."""
        return self._wanted <= width - SQUEEZE and width >= THINNEST and self._steady >= self._periods(STEADY)

    def _pressed(self) -> tuple[Pressed, Pressed]:
        """What each pad presses on with its inner face, towards the other pad: contacts by body."""
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
            for pad, other, outward in ((first, second, normal), (second, first, -normal)):  # it points to the second
                body = int(self._carrier[self.model.geom_bodyid[other]])
                if pad in self._pads and body not in self._own and outward * inward[self._pads[pad]] > ALONG:
                    pressed[self._pads[pad]].setdefault(body, []).append((other, place))
        return pressed

    def _graspable(self, pressed: tuple[Pressed, Pressed], body: int) -> bool:
        """Whether a body between the pads is a loose thing or a handle, and the pads press opposite one another."""
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
        self._body, self._untouched = body, 0
        if not self.friction:
            self._bind(body)

    def _bind(self, body: int) -> None:
        """Weld a loose thing to the hand where it is, or tie a handle to it at a point."""
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
        """Hold nothing."""
        self._body, self._untouched, self._given = -1, 0, False
        self.data.eq_active[self._weld] = self.data.eq_active[self._ball] = 0
