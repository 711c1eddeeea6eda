"""What Pick, Put, Open and Close share: coming to a standing, raising and tucking the arm, keeping away from edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from homie.interfaces import Kinematics, RobotSpec
from homie.types import Array, Box, Command, Pose, Pose2
from skills.classical.collision import FREE, PLANNED, TOUCH, Solids
from skills.classical.driving import MobileSkill
from skills.classical.hand import Hand
from skills.classical.motion import Motion, wrap
from skills.classical.reaching import Option, Reachable, Standing, first_standing

BACK_OFF = 0.32
"""Metres before a standing where the arm is raised, so that it never swings into what the robot stands at."""


class Manipulation(MobileSkill):
    """A mobile skill with an arm and a memory of what is in the hand (shared by the skills of one set)."""

    max_seconds = 90.0

    def __init__(self, spec: RobotSpec, kinematics: Kinematics, hand: Hand) -> None:
        super().__init__(spec, kinematics)
        self.hand = hand
        self.ready = spec.ready[0]
        """The raised posture from which the arm reaches forward and to which it returns, (n + 1,)."""

    def raise_arm(self) -> Motion:
        """To the raised posture, by way of the carrying one if it is not the first."""
        way = [self.ready] if self.ready is self.spec.ready[0] else [self.spec.carry, self.ready]
        if np.max(np.abs(self._nearest_turn(self.ready, self.q) - self.q)) > 0.05:
            yield from self.follow_joints(way)

    def tuck(self) -> Motion:
        if self.ready is not self.spec.ready[0]:
            if np.max(np.abs(self._nearest_turn(self.ready, self.q) - self.q)) < 0.3:
                yield from self.fold(self.spec.carry)
            self.ready = self.spec.ready[0]
        yield from super().tuck()

    # ------------------------------------------------------------ keeping out of things

    def solids(self, *more: Box | None) -> Solids:
        """What the arm must keep out of, with some boxes more."""
        return Solids([*self.goal.solids, *(box for box in more if box is not None)])

    def clear(self, solids: Solids, base: Pose2, q: Array, margin: float, held: bool = False) -> bool:
        """Whether an arm posture at a base pose keeps `margin` metres (negative: may touch) from solid things."""
        return self.clearance(solids, base, q, held) >= margin

    def clearance(self, solids: Solids, base: Pose2, q: Array, held: bool = False) -> float:
        """Metres between the arm in a posture at a base pose and solid things, negative inside them.

        held: whether what is in the hand counts too.
        """
        points, radii = self.kinematics.link_points(q), self.kinematics.point_radii
        if held:
            gripper = self.kinematics.forward(q)
            balls = gripper.position + self.hand.balls @ gripper.rotation.T
            points = np.vstack([points, balls])
            radii = np.append(radii, np.full(len(balls), self.hand.radius_of_balls))
        c, s = np.cos(base.yaw), np.sin(base.yaw)
        turned = np.stack([c * points[:, 0] - s * points[:, 1], s * points[:, 0] + c * points[:, 1], points[:, 2]], 1)
        placed = turned + np.array([base.x, base.y, 0.0])
        return solids.distance(placed, radii)

    def reachable_standing(
        self,
        options: Sequence[Option],
        accept: Callable[[Standing, float, float], bool],
    ) -> tuple[Standing, Sequence[Pose]] | None:
        """The cheapest option that the arm can do without touching things; if there is none, with a brush of them.

        accept(standing, margin of the way, margin at the poses) has the last word.
        """
        solids = self.solids()
        return first_standing(
            self.kinematics,
            options,
            self.spec.ready,
            (FREE, TOUCH),
            clearance=lambda base, q: self.clearance(solids, base, q),
            accept=lambda standing, margin: accept(standing, PLANNED, margin),
        )

    def way(self, begin: Array, end: Array) -> list[Array]:
        """Postures along the straight way in joint space."""
        end = self._nearest_turn(end, begin)
        steps = max(3, int(np.max(np.abs(end - begin)) / 0.2))
        return [begin + (end - begin) * t for t in np.linspace(0, 1, steps + 1)]

    def clear_way(
        self, solids: Solids, base: Pose2, begin: Array, end: Array, margin: float, held: bool = False
    ) -> bool:
        """Whether the straight way in joint space keeps clear."""
        return all(self.clear(solids, base, q, margin, held) for q in self.way(begin, end))

    # ------------------------------------------------------------ coming and going

    def come_to(self, standing: Standing) -> Motion:
        """Drive to a standing with the arm raised on the last stretch."""
        pose = standing.base
        direction = np.array([np.cos(pose.yaw), np.sin(pose.yaw)])
        before = pose.xy - BACK_OFF * direction
        near = np.linalg.norm(pose.xy - self.base.xy) < 0.04 and abs(wrap(pose.yaw - self.base.yaw)) < 0.05
        if not near:
            yield from self.tuck()
            self.ready = standing.ready
            if Reachable.of(self.costs, self.base)(before):
                yield from self.navigate(before, pose.yaw)
                yield from self.raise_arm()
                yield from self.straight(float((pose.xy - self.base.xy) @ direction))
                yield from self.turn(pose.yaw)
                return
            yield from self.navigate(pose.xy, pose.yaw)
        self.ready = standing.ready
        yield from self.raise_arm()

    def withdraw(self, *poses: Pose) -> Motion:
        """Lead the hand out along straight lines as far as that goes, then raise the arm."""
        for pose in poses:
            path = self.line_joints(self.q, pose)
            if path is None:
                break
            yield from self.along(path, pose)
        yield from self.fold(self.ready)

    def leave(self) -> Motion:
        """From a raised arm: back away from what the robot stands at, then tuck."""
        room = next((d for d in (0.35, 0.25, 0.15) if self._clear_behind(d)), 0.0)
        if room:
            yield from self.straight(-room)
        yield from self.tuck()

    def _clear_behind(self, distance: float) -> bool:
        return self.clearance_ahead(self.base, -distance) >= self.spec.footprint_radius + 0.02

    def release(self) -> Motion:
        """Open the hand and let go."""
        yield from self.gripper(self.spec.gripper_max)
        yield from self.wait(0.2)

    def squeeze(self) -> Motion:
        """Close the hand until it holds something or is shut."""
        for _ in range(int(2.0 / self.spec.period)):
            yield Command(gripper=0.0)
            body = self.seen.body
            if body.holding or body.gripper < 0.004:
                break
        yield from self.wait(0.2)
