"""The sensors locator: goals from the robot's observations alone.

detections + depth + odometry --update--> rooms, furniture, loose objects, map --goal--> Goal

The paper's second setting (section 4.3). It holds no reference to a simulator: of the robot it keeps the constants
and the kinematics, which give the pose of the gripper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from homie.kernel.actions import Action
from homie.kernel.errors import BadInput, TargetLost
from homie.kernel.interfaces import Locator, Robot, kind_of
from homie.kernel.knowledge import Knowledge
from homie.kernel.types import (
    VIEWS,
    Arrangement,
    Detection,
    Failure,
    FailureReason,
    Goal,
    Lying,
    Mask,
    Observation,
    Pose2,
    Proprioception,
    wrap_angle,
)
from homie.kernel.world import thresholds
from perception.goals import SeenGoals
from perception.mapping import Keepout, OccupancyMapper
from perception.memory.memory import Things
from perception.memory.panel import Panel
from perception.memory.recall import SightRecall, scans_of
from perception.memory.support_relations import holds_up, over
from perception.scan import Scan

OPENED_ANGLE, OPENED_GAP = 0.9, 0.17
"""Opening (rad, m) from which Open counts as done: half (`thresholds.OPEN`) of the assumed range of doors and drawers,
since the true range cannot be seen."""
SHUT_ANGLE, SHUT_GAP = 0.2, 0.045
"""Opening (rad, m) up to which Close counts as done: more than `thresholds.CLOSED` of a range, since openings are
measured from pixels of a panel, and a few wrong pixels would cause another attempt on a shut door."""
PERIOD = 1.0
"""Seconds between looks while a skill runs."""
MOVED, TURNED = 0.1, 0.15
"""Motion of the base (m, rad) after which the views around it are captured again; every look includes the head."""
AT_HAND = 1.2
"""Distance (m) from the base within which the robot may have moved objects, doors and drawers."""


class SensorLocator(Locator):
    """Locator without world state: it remembers detections, depth and odometry. See the module's docstring."""

    name = "sensors"

    def __init__(self, robot: Robot) -> None:
        """Raises BadInput for a mobile robot that cannot look around itself, for a robot without a camera, and for one
        whose actions have no names."""
        self._fixed = robot.spec.first("base") is None and not robot.actions
        self._around = robot.views if self._fixed else VIEWS
        if lacking := [view for view in self._around or VIEWS if view not in robot.views]:
            raise BadInput(
                f"--targets sensors needs a robot that looks around itself, or an arm without a base that has a camera;"
                f" {robot.spec.name} has no view {', '.join(lacking)}: use --targets background."
            )
        self._eye = robot.eye
        self.cameras = (self._eye,) if robot.turns else tuple(dict.fromkeys((*self._around, self._eye)))
        self._spec = robot.spec
        self._recall = SightRecall(robot)
        self._forget_all()

    def reset(self, *, seed: int) -> None:
        self._forget_all()

    def _forget_all(self) -> None:
        self._recall.forget()
        self._mapper = OccupancyMapper()
        self._goals = SeenGoals(self._recall, self._mapper)
        self._passage_rects: dict[str, tuple[float, float, float, float]] = {}
        """Floor beyond the doorway that the robot goes through, on the far side from its start."""
        self._last_look_stamp = -np.inf
        self._last_full_look_base: Pose2 | None = None

    @property
    def _things(self) -> Things:
        return self._recall.things

    @property
    def _held(self) -> str | None:
        return self._recall.held

    # ------------------------------------------------------------ update

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        if observation.stamp - self._last_look_stamp < PERIOD:
            return None
        base, last_look_base = observation.body.base, self._last_full_look_base
        still = last_look_base is not None and (
            np.linalg.norm(base.xy - last_look_base.xy) < MOVED
            and abs(wrap_angle(base.yaw - last_look_base.yaw)) < TURNED
        )
        return (self._eye,) if still and not self._fixed else self.cameras

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        self._last_look_stamp = observation.stamp
        if observation.frames.keys() >= set(self._around):
            self._last_full_look_base = observation.body.base
        scans = scans_of(observation.frames)
        self._recall.update_from_scans(observation, scans, detections)
        if scans:
            self._update_map(observation, scans, detections)

    def _update_map(self, observation: Observation, scans: dict[str, Scan], detections: Sequence[Detection]) -> None:
        segmented = any(detection.instance for detection in detections)
        own_pixels = {name: self._own_pixels(scan, observation.body, segmented) for name, scan in scans.items()}
        for detection in detections:
            if detection.mask is None or detection.view not in own_pixels or not self._held:
                continue
            if self._recall.entity_of(detection) == self._held:
                own_pixels[detection.view] = own_pixels[detection.view] | detection.mask
        hand = Keepout(self._recall.arm.gripper(observation.body).position, 0.2, 0.25)
        self._mapper.update(
            list(scans.values()), list(own_pixels.values()), observation.body.base, self._spec.footprint_radius, [hand]
        )

    def _own_pixels(self, scan: Scan, body: Proprioception, segmented: bool) -> Mask:
        """Mask of the robot's own pixels: from its kinematics, or from the simulated segmentation if the detector
        provides it, which labels everything but the robot."""
        instances = scan.frame.instances if segmented else None
        return self._recall.arm.pixels(scan, body) if instances is None else instances < 0

    def aim(self, entity: str, action: Action, observation: Observation) -> None:
        self._things.target = entity
        passage = self._recall.passage(entity, observation.body.base)
        self._passage_rects = {} if passage is None else {entity: passage}
        self._recall.handles(entity if action.target == "opens" else "")
        target = self._things.objects.get(entity) if action.inventory == "takes" else None
        if target is None:
            self._recall.aim("", "", np.zeros(3))
        else:
            self._recall.aim(entity, target.identity.kind, target.box.center)

    def brought_about(self, entity: str, state: str) -> None:
        self._recall.brought_about(entity, state)

    def held(self, observation: Observation) -> str | None:
        return self._recall.in_hand(observation)

    # ------------------------------------------------------------ names

    def resolve(self, words: str, action: Action, observation: Observation) -> str | None:
        if "_" in words and words in self:
            return words
        landmarks = [mark for mark in self._recall.recognise(words, observation.body.base) if mark.entity in self]
        if len(landmarks) == 1 and (landmarks[0].alone or self._may_mean(landmarks[0].entity, action)):
            return landmarks[0].entity
        candidates = dict.fromkeys([*self._things.find_entities(words), *(mark.entity for mark in landmarks)])
        return min(candidates, key=lambda entity: self._preference(entity, action, observation), default=None)

    def _may_mean(self, entity: str, action: Action) -> bool:
        """As `fits`, but anything except the held object may be a place: its surfaces may not have been seen yet."""
        return entity != self._held if action.target == "place" else self.fits(entity, action)

    def __contains__(self, entity: str) -> bool:
        """Whether the entity is in memory."""
        things = self._things
        remembered = (things.rooms, things.furniture, things.objects)
        return any(entity in known for known in remembered) or self._recall.is_passage(entity)

    def _preference(self, entity: str, action: Action, observation: Observation) -> float:
        """Return the distance (m) plus penalties: entities that the action does not fit come last."""
        metres = self.distance(entity, observation) + (0.0 if self._may_mean(entity, action) else 100.0)
        if self._held is not None and action.hand != "empty" and self.closed_container(entity) is not None:
            metres += 20.0  # with an object held, prefer an open drawer
        if action.result == "closed" and entity in self._things.furniture and self._things.furniture[entity].closed:
            metres += 10.0
        return metres

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Only detections of remembered entities: depth gives no position if they are too far away or too thin."""
        return self._recall.arranged(
            [detection for detection in detections if self._recall.entity_of(detection) in self]
        )

    def called(self, entity: str) -> str:
        return self._recall.called(entity, kind_of(entity)) if entity in self else ""

    def objection(self, words: str, action: Action) -> str:
        return self._recall.unseen_room(words) or self._recall.objection(words)

    def knowledge(self, round_number: int) -> Knowledge:
        return replace(self._recall.knowledge(round_number), setting="sensors")

    # ------------------------------------------------------------ goals

    def goal(self, entity: str, action: Action, observation: Observation) -> Goal:
        if entity not in self:
            raise TargetLost(Failure(FailureReason.TARGET_LOST))
        if not self.is_spot(entity):
            return self._goals.goal(entity, action)
        floor = self._passage(entity, observation.body.base) or self._things.rooms[entity].likely_rect.tolist()
        return self._goals.floor(entity, floor)

    def seen(self, entity: str, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """By the memory's association: a detector need not distinguish two objects of one kind."""
        return tuple(
            detection
            for detection in self._things.shown.get(entity, ())
            if any(detection is other for other in detections)
        )

    # ------------------------------------------------------------ queries

    def opens(self, entity: str) -> bool:
        return entity in self._things.furniture and self._things.furniture[entity].opens

    def closed_container(self, entity: str) -> str | None:
        if entity in self._things.objects:
            entity = self._things.objects[entity].container or ""
        furniture = self._things.furniture.get(entity)
        return entity if furniture is not None and furniture.closed else None

    def pickable(self, entity: str) -> bool:
        return entity in self._things.objects

    def is_spot(self, entity: str) -> bool:
        return entity in self._things.rooms or self._recall.is_passage(entity)

    def distance(self, entity: str, observation: Observation) -> float:
        """3-D from the base's origin on the floor: to an object's centre, to the nearest point of furniture or room;
        infinite for forgotten entities."""
        base = observation.body.base.xy
        if entity in self._things.objects:
            return float(np.linalg.norm(self._things.objects[entity].box.center - np.array([*base, 0.0])))
        if self.is_spot(entity):
            rect = np.array(self._passage(entity, observation.body.base) or self._things.rooms[entity].rect)
            return float(np.linalg.norm(base - np.clip(base, rect[:2], rect[2:])))
        if entity not in self._things.furniture:
            return np.inf
        box = self._things.furniture[entity].box
        return float(np.hypot(box.distance(base), max(0.0, box.center[2] - box.half[2])))

    def within_reach(self, entity: str, observation: Observation) -> bool:
        if not super().within_reach(entity, observation):
            return False
        item = self._things.furniture.get(entity) or self._things.objects.get(entity)
        return item is None or not bool(self._goals.grid(entity).walled(observation.body.base.xy[None], item.box).any())

    def _passage(self, entity: str, base: Pose2) -> tuple[float, float, float, float] | None:
        """Return the floor beyond a doorway, None if the entity is not a doorway."""
        return self._passage_rects.get(entity) or self._recall.passage(entity, base)

    def arrangement(self, observation: Observation) -> Arrangement:
        """Only what the robot is near enough to have moved, in its state when last seen."""
        base, things = observation.body.base.xy, self._things
        panels = {
            name: (piece.panel, piece.panel_seen)
            for name, piece in things.furniture.items()
            if piece.panel is not None and piece.box.distance(base) < AT_HAND
        }
        objects = {
            name: item
            for name, item in things.objects.items()
            if name != self._held and item.box.distance(base) < AT_HAND and np.isfinite(item.spacing)
        }
        return Arrangement(
            openings={name: (_fraction(panel),) for name, (panel, _) in panels.items()},
            things={name: Lying(self._recall.holder(item), item.box.center) for name, item in objects.items()},
            seen={
                **{name: stamp for name, (_, stamp) in panels.items()},
                **{name: item.seen for name, item in objects.items()},
            },
        )

    def whereabouts(self, entity: str, observation: Observation) -> str:
        item = self._things.objects.get(entity)
        if item is None or item.seen < observation.stamp or not np.isfinite(item.spacing):
            return ""
        return self._recall.place(item)

    def has_place(self, entity: str) -> bool:
        furniture = self._things.furniture.get(entity)
        return entity in self._things.objects or (furniture is not None and bool(furniture.surfaces))

    def holds(self, entity: str, observation: Observation) -> bool | None:
        return observation.body.holding

    def state(self, entity: str, state: str, observation: Observation) -> bool | None:
        furniture = self._things.furniture.get(entity)
        if state not in ("open", "closed") or furniture is None or furniture.panel is None:
            return None
        if furniture.panel_seen < observation.stamp:
            return None
        hinge, opening = furniture.panel.kind == "hinge", furniture.panel.opening
        if state == "open":
            return opening >= (OPENED_ANGLE if hinge else OPENED_GAP)
        return opening <= (SHUT_ANGLE if hinge else SHUT_GAP)

    def placed(self, thing: str | None, entity: str, observation: Observation) -> bool | None:
        if observation.body.holding:
            return False
        put = self._things.objects.get(thing or "")
        if put is None and thing in self._things.missing:
            return False
        if put is None or put.seen < observation.stamp or not np.isfinite(put.spacing):
            return None
        if entity in self._things.objects:
            return holds_up(self._things.objects[entity].box, put.box)
        furniture = self._things.furniture.get(entity)
        return None if furniture is None else over(furniture, put.box)


def _fraction(panel: Panel) -> float:
    """Return the opening as a share of the assumed range; 0 if it cannot be distinguished from closed."""
    shut, fully_open = (SHUT_ANGLE, OPENED_ANGLE) if panel.kind == "hinge" else (SHUT_GAP, OPENED_GAP)
    return 0.0 if panel.opening <= shut else thresholds.OPEN * panel.opening / fully_open
