"""The sensors locator: goals from what the robot has seen, and from nothing else.

detections + depth + odometry --update--> rooms, furniture, loose objects, map --goal--> Goal

The paper's second setting (section 4.3). It holds no reference to a simulator: of the robot it keeps the constants
and the kinematics, which tell where the hand is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from homie.kernel.actions import POWER, Action
from homie.kernel.errors import BadInput, TargetLost
from homie.kernel.interfaces import Locator, Robot, kind_of
from homie.kernel.knowledge import Knowledge
from homie.kernel.types import (
    VIEWS,
    Arrangement,
    Array,
    Box,
    Detection,
    Failure,
    FailureReason,
    Goal,
    Lying,
    Mask,
    Observation,
    OccupancyGrid,
    Pose2,
    Proprioception,
    Surface,
    wrapped_angle,
)
from homie.kernel.world import thresholds
from perception.localise import Points, Scan
from perception.mapping import HIGHEST, Keepout, OccupancyMapper
from perception.memory.articulation import Panel
from perception.memory.clouds import inside
from perception.memory.entity import Furniture
from perception.memory.loose_object import LooseObject
from perception.memory.memory import Things
from perception.memory.places import holds_up, over, standing_on, under
from perception.memory.recall import SightRecall, scans_of
from perception.solids import bar_of, solids_of, walls_of
from perception.walls import belonging, touching

OPENED_ANGLE, OPENED_GAP = 0.9, 0.17
"""Radians and metres from which Open counts as done: half (`thresholds.OPEN`) of what doors and drawers are taken to
open, for the true range of one cannot be seen."""
SHUT_ANGLE, SHUT_GAP = 0.2, 0.045
"""Radians and metres up to which Close counts as done: more than `thresholds.CLOSED` of a range, for an opening is
measured from pixels on a panel, and one too many there is an attempt on a door that is shut."""
PERIOD = 1.0
"""Seconds between looks while a skill runs."""
MOVED, TURNED = 0.1, 0.15
"""Metres and radians of the base from which the views around it are looked at again; the head is in every look."""
AT_HAND = 1.2
"""Metres from the base within which the robot may have moved something."""
ABOVE, BESIDE = 0.035, 0.025
"""Metres up by which the box of a small thing is moved, and by which it is grown, to find the points of furniture that
are of the thing: its lower end stays a centimetre over what it stands on."""
NEAR = 1.2
"""Metres around a target within which solid things matter to the arm."""
ON_FLOOR = 0.15
"""Height (m) of its underside, which is seen least well, up to which a thing is taken to lie on the floor."""


class SensorLocator(Locator):
    """Remembers what was seen where. See the module's docstring."""

    name = "sensors"

    def __init__(self, robot: Robot) -> None:
        """Raises BadInput for a robot that cannot look around itself."""
        if lacking := [view for view in VIEWS if view not in robot.views]:
            raise BadInput(
                f"--targets sensors needs a robot that looks around itself; {robot.spec.name} has no view "
                f"{', '.join(lacking)}: use --targets background."
            )
        self.cameras = (robot.eye,) if robot.turns else (*VIEWS, "head")
        self._spec = robot.spec
        self._recall = SightRecall(robot)
        self._forget_all()

    def reset(self, *, seed: int) -> None:
        self._forget_all()

    def _forget_all(self) -> None:
        self._recall.forget()
        self._mapper = OccupancyMapper()
        self._ahead: dict[str, tuple[float, float, float, float]] = {}
        """The floor at the far side of the doorway that the robot is to go through: far from where it has set out."""
        self._looked = -np.inf
        self._looked_around: Pose2 | None = None

    @property
    def _things(self) -> Things:
        return self._recall.things

    @property
    def _held(self) -> str | None:
        return self._recall.held

    # ------------------------------------------------------------ taking in

    def due(self, observation: Observation) -> tuple[str, ...] | None:
        if observation.stamp - self._looked < PERIOD:
            return None
        here, there = observation.body.base, self._looked_around
        still = there is not None and (
            np.linalg.norm(here.xy - there.xy) < MOVED and abs(wrapped_angle(here.yaw - there.yaw)) < TURNED
        )
        return ("head",) if still else self.cameras

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        self._looked = observation.stamp
        if observation.frames.keys() >= set(VIEWS):
            self._looked_around = observation.body.base
        scans = scans_of(observation.frames)
        self._recall.take_in(observation, scans, detections)
        if scans:
            self._update_map(observation, scans, detections)

    def _update_map(self, observation: Observation, scans: dict[str, Scan], detections: Sequence[Detection]) -> None:
        segmented = any(detection.instance for detection in detections)
        own = {name: self._own_pixels(scan, observation.body, segmented) for name, scan in scans.items()}
        for detection in detections:
            if detection.mask is None or detection.view not in own or not self._held:
                continue
            if self._recall.entity_of(detection) == self._held:
                own[detection.view] = own[detection.view] | detection.mask
        hand = Keepout(self._recall.arm.gripper(observation.body).position, 0.2, 0.25)
        self._mapper.update(
            list(scans.values()), list(own.values()), observation.body.base, self._spec.footprint_radius, [hand]
        )

    def _own_pixels(self, scan: Scan, body: Proprioception, segmented: bool) -> Mask:
        """Where the robot sees itself: by its kinematics, or by the simulated segmentation beside a detector of it,
        which names everything but the robot."""
        instances = scan.frame.instances if segmented else None
        return self._recall.arm.pixels(scan, body) if instances is None else instances < 0

    def aim(self, entity: str, action: Action, observation: Observation) -> None:
        passage = self._recall.passage(entity, observation.body.base)
        self._ahead = {} if passage is None else {entity: passage}
        self._recall.handles(entity if action.target == "opens" else "")
        target = self._things.objects.get(entity) if action.inventory == "takes" else None
        self._recall.aim("" if target is None else entity, np.zeros(3) if target is None else target.box.center)

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
        meant = dict.fromkeys([*self._things.meant(words), *(mark.entity for mark in landmarks)])
        return min(meant, key=lambda entity: self._preference(entity, action, observation), default=None)

    def _may_mean(self, entity: str, action: Action) -> bool:
        """As `fits`, but whatever is not in the hand may be a place: surfaces may not have been seen yet."""
        return entity != self._held if action.target == "place" else self.fits(entity, action)

    def __contains__(self, entity: str) -> bool:
        """Whether it is remembered."""
        things = self._things
        remembered = (things.rooms, things.furniture, things.objects)
        return any(entity in known for known in remembered) or self._recall.is_passage(entity)

    def _preference(self, entity: str, action: Action, observation: Observation) -> float:
        """Metres, with what the action cannot mean put last."""
        metres = self.distance(entity, observation) + (0.0 if self._may_mean(entity, action) else 100.0)
        if self._held is not None and action.hand != "empty" and self.closed_container(entity) is not None:
            metres += 20.0  # with a full hand, the drawer that is open already
        if action.result == "closed" and entity in self._things.furniture and self._things.furniture[entity].closed:
            metres += 10.0
        return metres

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """Those that are remembered: of what is too far away or too thin, depth does not tell where it is."""
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
        goal = self._goal(entity, action, observation.body.base)
        solids = () if goal.room is not None else self._solids(goal.position, entity, action)
        return replace(goal, grid=self._grid(entity), solids=solids, loose=self._loose(entity, goal.position))

    def _loose(self, entity: str, center: Array) -> tuple[Box, ...]:
        """What could be moved out of the way: near a target, and on the floor."""
        return tuple(
            replace(item.box, name=name)
            for name, item in self._things.objects.items()
            if name not in (entity, self._held)
            and (item.box.distance(center) < NEAR or item.box.center[2] - item.box.half[2] < ON_FLOOR)
        )

    def seen(self, entity: str, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        """As the memory took them in: a detector need not tell two things of a kind apart."""
        return tuple(
            detection
            for detection in self._things.shown.get(entity, ())
            if any(detection is other for other in detections)
        )

    def _solids(self, center: Array, entity: str, action: Action) -> tuple[Box, ...]:
        """What the arm keeps out of near a target: see `Goal.solids`."""
        near = [piece for piece in self._things.furniture.values() if piece.box.distance(center) < NEAR]
        # A wall is what is tall and is not furniture: that is known better from its own points.
        walls = self._mapper.walls(center, NEAR)
        boxes = walls_of(walls[~belonging(walls, near)], HIGHEST)
        for piece in near:
            moves = piece.identity.entity == entity and action.target == "opens"
            boxes += solids_of(self._clear(piece.points(panel=False)), center, NEAR)
            if not moves:
                boxes += solids_of(
                    self._clear(piece.moving), center, NEAR, 0.0 if piece.panel is None else piece.panel.yaw
                )
            if not moves and piece.panel is not None:
                boxes.append(bar_of(piece.panel))
        for name, loose in self._things.objects.items():
            if name not in (entity, self._held) and loose.box.distance(center) < NEAR:
                boxes.append(loose.box)
        return tuple(boxes)

    def _clear(self, points: Points) -> Points:
        """Points (n, 3) of furniture without those that are of what stands on it, where outlines are rough."""
        if not self._things.rough:
            return points
        own = np.zeros(len(points), dtype=bool)
        for item in self._things.objects.values():
            center = item.box.center + np.array([0.0, 0.0, ABOVE])
            around = replace(item.box, center=center, half=item.box.half + BESIDE)
            own |= inside(points, around, 0.0)
        return points[~own]

    def _grid(self, entity: str) -> OccupancyGrid:
        """The map, with the furniture that stands on the floor filled in, and the walls around a target."""
        boxes = (piece.box for piece in self._things.furniture.values())
        standing = [box for box in boxes if box.center[2] - box.half[2] < 0.3]
        return self._mapper.grid(standing, self._walls_around(entity), floor_stays=self._things.rough)

    def _walls_around(self, entity: str) -> Points:
        """Points (n, 2) of walls that may be between the robot and what it is to reach; none for a room."""
        item = self._things.furniture.get(entity) or self._things.objects.get(entity)
        if item is None:
            return np.zeros((0, 2), dtype=np.float32)
        reach = thresholds.REACH + float(np.linalg.norm(item.box.half[:2]))
        walls = self._mapper.walls(item.box.center, reach)
        others = [piece for piece in self._things.furniture.values() if piece is not item]
        near = [piece for piece in others if piece.box.distance(item.box.center) < reach]
        walls = walls[~belonging(walls, near)]
        if isinstance(item, Furniture):  # by its points alone: its box may reach into the wall behind it
            walls = walls[~touching(walls, item)]
        return walls

    def _goal(self, entity: str, action: Action, base: Pose2) -> Goal:
        if self.is_spot(entity):
            x0, y0, x1, y1 = self._passage(entity, base) or self._things.rooms[entity].likely_rect.tolist()
            return Goal(entity, "", np.array([(x0 + x1) / 2, (y0 + y1) / 2, 0.0]), room=(x0, y0, x1, y1))
        if entity in self._things.objects:
            item = self._things.objects[entity]
            return self._goal_into(item) if action.target == "place" else self._goal_object(item)
        return self._goal_furniture(self._things.furniture[entity], action)

    def _goal_furniture(self, piece: Furniture, action: Action) -> Goal:
        surfaces = piece.surfaces
        roofed = any(surface.access is not None for surface in surfaces)
        outward = piece.outward
        panel = None if action.result in POWER else piece.panel  # a door is not a switch, and switches are not seen
        return Goal(
            name=piece.identity.entity,
            text="",
            position=piece.box.center,
            box=piece.box,
            surfaces=surfaces,
            obstacles=self._things_at(piece),
            articulations=() if panel is None else (panel.articulation(),),
            front=float(np.arctan2(outward[1], outward[0])) if piece.opens or roofed else None,
        )

    def _goal_object(self, item: LooseObject) -> Goal:
        """A loose object, with the surface it stands on and its neighbours."""
        below = under(item.box, tuple(self._things.furniture.values()))
        box, front = item.box, None
        surfaces: tuple[Surface, ...] = ()
        if below is not None:
            furniture, surface = below
            box, surfaces = standing_on(box, surface), (surface,)
            if surface.access is not None:
                front = float(np.arctan2(surface.access[1], surface.access[0]))
            near = self._things_at(furniture, but=item.identity.entity)
        else:
            near = tuple(
                other.box
                for entity, other in self._things.objects.items()
                if entity not in (item.identity.entity, self._held) and other.box.distance(box.center) < 0.5
            )
        return Goal(item.identity.entity, "", box.center, box=box, surfaces=surfaces, obstacles=near, front=front)

    def _goal_into(self, item: LooseObject) -> Goal:
        """A bowl or another thing as the destination of a Put: its middle if it is hollow, else its top."""
        up = 0.0 if item.hollow else float(item.box.half[2])
        point = Surface(item.box.center + np.array([0.0, 0.0, up]), 0.005, 0.005, item.box.yaw)
        return Goal(item.identity.entity, "", item.box.center, box=item.box, surfaces=(point,))

    def _things_at(self, place: Furniture, but: str = "") -> tuple[Box, ...]:
        """Boxes of what is on or in a piece of furniture, other furniture included, without the held object."""
        boxes = []
        for item in self._things:
            box, entity = item.box, item.identity.entity
            raised = box.center[2] - box.half[2] > 0.3 or isinstance(item, LooseObject)
            if item is not place and raised and entity not in (but, self._held) and over(place, box):
                boxes.append(box)
        return tuple(boxes)

    # ------------------------------------------------------------ questions

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
        infinite for what was forgotten."""
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
        return item is None or not bool(self._grid(entity).walled(observation.body.base.xy[None], item.box).any())

    def _passage(self, entity: str, base: Pose2) -> tuple[float, float, float, float] | None:
        """The floor at the far side of a doorway, None for what is none."""
        return self._ahead.get(entity) or self._recall.passage(entity, base)

    def arrangement(self, observation: Observation) -> Arrangement:
        """What is near enough for the robot to have moved it, as it was seen last."""
        base, things = observation.body.base.xy, self._things
        panels = {
            name: (piece.panel, piece.panel_seen)
            for name, piece in things.furniture.items()
            if piece.panel is not None and piece.box.distance(base) < AT_HAND
        }
        loose = {
            name: item
            for name, item in things.objects.items()
            if name != self._held and item.box.distance(base) < AT_HAND and np.isfinite(item.spacing)
        }
        return Arrangement(
            openings={name: (_fraction(panel),) for name, (panel, _) in panels.items()},
            things={name: Lying(self._recall.holder(item), item.box.center) for name, item in loose.items()},
            seen={
                **{name: stamp for name, (_, stamp) in panels.items()},
                **{name: item.seen for name, item in loose.items()},
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
        if put is None or put.seen < observation.stamp or not np.isfinite(put.spacing):
            return None
        if entity in self._things.objects:
            return holds_up(self._things.objects[entity].box, put.box)
        furniture = self._things.furniture.get(entity)
        return None if furniture is None else over(furniture, put.box)


def _fraction(panel: Panel) -> float:
    """How far a door or drawer is open, of what those are taken to open; 0 for what looks the same as closed."""
    shut, opened = (SHUT_ANGLE, OPENED_ANGLE) if panel.kind == "hinge" else (SHUT_GAP, OPENED_GAP)
    return 0.0 if panel.opening <= shut else thresholds.OPEN * panel.opening / opened
