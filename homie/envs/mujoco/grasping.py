"""Holding things: what counts as a grasp, and the weld that then holds it (as in Habitat), or friction alone."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from homie.envs.mujoco.index import SceneIndex

OPENING = 0.004
"""Metres that the commanded width must exceed the present one to let go."""

SQUEEZE = 0.003
"""Metres that the commanded width must be below the present one: fingers that only rest on something hold nothing."""

THINNEST = 0.006
"""Width (m) below which there is nothing between the fingers."""

ALONG = 0.7
"""Cosine of the angle between a contact's normal and the closing direction from which the pad presses on the thing."""

WELD, BALL = "robot/grasp_weld", "robot/grasp_ball"
"""Equality constraints of the model: a rigid one for objects, a point for handles, around which the hand may turn."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What a parallel gripper is called in a model, all without `robot/`.

    body: it carries the fingers. base: the robot's first body. pads: right and left geom that touch what is grasped.
    fingers: their joints, whose positions add up to the opening. The site `gripper` is between the pads, with y along
    the direction in which they close.
    """

    body: str
    base: str
    pads: tuple[str, str]
    fingers: tuple[str, str]


def add_grasp_constraints(spec: mujoco.MjSpec, hand: Hand) -> None:
    """Add both constraints to a world with the robot of a hand, inactive and bound to nothing yet."""
    for name, kind in ((WELD, mujoco.mjtEq.mjEQ_WELD), (BALL, mujoco.mjtEq.mjEQ_CONNECT)):
        spec.add_equality(
            name=name,
            type=kind,
            objtype=mujoco.mjtObj.mjOBJ_BODY,
            name1=f"robot/{hand.body}",
            name2=f"robot/{hand.base}",
            active=False,
        )
    weld = spec.equality(WELD)  # much stiffer than MuJoCo's default, with which things turn by ten degrees in the hand
    weld.solref, weld.solimp = [0.008, 1.0], [0.99, 0.999, 0.001, 0.5, 2.0]


class Grasping:
    """A grasp needs contact of both finger pads with the same thing while the fingers close on it.

    With `friction` nothing but the squeezing fingers holds it; otherwise the thing is welded to the gripper where it
    is (a handle only at a point, so that the hand can turn about the bar), until the fingers are told to open.
    """

    def __init__(
        self, model: mujoco.MjModel, data: mujoco.MjData, index: SceneIndex, hand: Hand, *, friction: bool = False
    ) -> None:
        self.model, self.data, self.friction = model, data, friction
        self._gripper = model.body(f"robot/{hand.body}").id
        self._pads = {model.geom(f"robot/{name}").id: side for side, name in enumerate(hand.pads)}
        self._fingers = [int(model.joint(f"robot/{name}").qposadr[0]) for name in hand.fingers]
        self._objects = {thing.body: thing.name for thing in index.objects}
        self._movable = {a.body: a.name for thing in index.receptacles for a in thing.articulations}
        self._weld, self._ball = model.equality(WELD).id, model.equality(BALL).id
        self.reset()

    def reset(self) -> None:
        self._body = -1
        self._wanted = 0.0
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

    def commanded(self, width: float) -> None:
        """The fingers are told a width."""
        self._wanted = width
        if self._body >= 0 and width > self._width() + OPENING:
            self._let_go()

    def update(self) -> None:
        """After a control period: look at the contacts, take hold or lose it."""
        touched = self._touched()
        self._touch = (bool(touched[0]), bool(touched[1]))
        both = touched[0] & touched[1]
        if self._body >= 0:
            if self.friction and self._body not in touched[0] | touched[1]:
                self._body = -1
            return
        if self._wanted > self._width() - SQUEEZE or self._width() < THINNEST:
            return
        for body in sorted(both):
            if body in self._objects or body in self._movable:
                self._take(body)
                return

    def _width(self) -> float:
        return float(self.data.qpos[self._fingers].sum())

    def _touched(self) -> tuple[set[int], set[int]]:
        """Bodies that each pad presses with its inner face: contacts whose normal lies along the closing direction."""
        found: tuple[set[int], set[int]] = (set(), set())
        contacts, count = self.data.contact, self.data.ncon
        closing = self.data.site("robot/gripper").xmat.reshape(3, 3)[:, 1]
        across = np.abs(contacts.frame[:count, :3] @ closing) > ALONG
        along = contacts.pos[:count] @ closing
        at = [float(self.data.geom_xpos[pad] @ closing) for pad in self._pads]
        inside = (along - at[0]) * (along - at[1]) < 0.0  # between the middles of the pads
        for one, two, pressing in zip(contacts.geom1[:count], contacts.geom2[:count], across & inside, strict=True):
            for pad, other in ((int(one), int(two)), (int(two), int(one))):
                if pressing and pad in self._pads:
                    found[self._pads[pad]].add(int(self.model.geom_bodyid[other]))
        return found

    def _take(self, body: int) -> None:
        self._body = body
        if self.friction:
            return
        site = self.data.site("robot/gripper").xpos
        turn = self.data.xmat[body].reshape(3, 3)
        if body in self._objects:
            eq, hand = self._weld, self.data.xmat[self._gripper].reshape(3, 3)
            self.model.eq_obj1id[eq], self.model.eq_obj2id[eq] = self._gripper, body
            quat = np.zeros(4)
            mujoco.mju_mat2Quat(quat, (hand.T @ turn).flatten())
            offset = hand.T @ (self.data.xpos[body] - self.data.xpos[self._gripper])
            self.model.eq_data[eq, :11] = [0, 0, 0, *offset, *quat, 1.0]
        else:
            eq = self._ball
            hand = self.data.xmat[self._gripper].reshape(3, 3)
            self.model.eq_obj1id[eq], self.model.eq_obj2id[eq] = self._gripper, body
            here = hand.T @ (site - self.data.xpos[self._gripper])
            there = turn.T @ (site - self.data.xpos[body])
            self.model.eq_data[eq, :6] = [*here, *there]
        self.data.eq_active[eq] = 1

    def _let_go(self) -> None:
        self._body = -1
        self.data.eq_active[self._weld] = self.data.eq_active[self._ball] = 0
