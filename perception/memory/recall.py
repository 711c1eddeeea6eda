"""Memory of an episode's observations, and the planner's view of it; the same in both settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from homie.kernel.errors import did_you_mean
from homie.kernel.interfaces import Robot
from homie.kernel.interfaces.recall import Landmark, Recall
from homie.kernel.knowledge import CONTRARY, Doorway, Knowledge, RememberedThing
from homie.kernel.support.text import the
from homie.kernel.types import FLOOR, Array, CameraFrame, Detection, ErrorCode, NamedThing, Observation, Pose2
from perception.memory.arm import OwnArm
from perception.memory.doorways import Doorways, Passage
from perception.memory.memory import SAME_PLACE, Things, kind_of
from perception.memory.numbered_names import Names
from perception.memory.object_states import States
from perception.memory.seen_furniture import Furniture
from perception.memory.seen_object import LooseObject
from perception.memory.whereabouts import Whereabouts, resolve_contradictions, whereabouts
from perception.names import canonical, spelt_matches, vocabulary
from perception.scan import Scan

AT_DOOR = 0.5
"""Distance (m) in front of a doorway of the floor that belongs to the room on that side."""
WELL_INSIDE = 0.15
"""Distance (m) from the edge of a room's floor from which a point is certainly in that room."""
AROUND_ROBOT = 0.7
"""Radius (m) around the robot in which it cannot see the floor."""
AT_HAND = 0.25
"""Distance (m) from the gripper within which it may have moved a door or a drawer, or hides the object that it reaches
for."""
IN_FINGERS = 0.2
"""Largest distance (m) between the gripper and the last seen position of a just grasped object; else it has moved."""
JUST_SEEN = 0.001
"""Smallest share of a picture that a room fills."""
DOORWAY = "doorway"
"""Name of all doorways; their entities have a number after a blank, unlike those of objects and furniture."""
NAMED_BY = ("", "door", "drawer", FLOOR)
"""Parts from which an entity gets its name; a handle alone does not identify it."""


class SightRecall(Recall):
    """Objects, doorways and names of one episode. Of the robot it keeps the constants and the arm's kinematics."""

    def __init__(self, robot: Robot) -> None:
        self.arm = OwnArm(robot)
        self._views = frozenset(robot.views)
        self._explores = robot.spec.first("base") is not None and len(robot.views) > 1
        self.forget()

    def forget(self) -> None:
        self.things = Things()
        self.held: str | None = None
        self._names = Names()
        self._states = States()
        self._doorways = Doorways()
        self._visited: set[str] = set()
        self._aim: str | None = None
        self._grasp_offset: Array = np.zeros(3)
        """Centre of the held object, in the gripper frame."""
        self._base = Pose2(0.0, 0.0, 0.0)
        self._stamp = -np.inf
        self._rounds: dict[int, float] = {}
        self._whereabouts: dict[str, tuple[float, Whereabouts]] = {}
        self._pickup_places: dict[str, Whereabouts] = {}
        """Last places from which objects were picked, in the order of the picks."""
        self._depth_views: frozenset[str] = frozenset()

    # ------------------------------------------------------------ update

    def update(self, observation: Observation, detections: Sequence[Detection]) -> None:
        self.update_from_scans(observation, scans_of(observation.frames), detections)

    def update_from_scans(
        self, observation: Observation, scans: Mapping[str, Scan], detections: Sequence[Detection]
    ) -> None:
        """Update with the current observation.

        Args:
            scans: Scans of the frames that have depth.
        """
        self.update_hand(observation)
        previous_stamp, self._stamp = self._stamp, observation.stamp
        self._base = observation.body.base
        self._depth_views = frozenset(scans) | (self._depth_views if previous_stamp == self._stamp else frozenset())
        if not scans:
            return
        rough = any(detection.mask is None or not detection.instance for detection in detections)
        visible_scans = (
            {name: self.arm.without(scan, observation.body) for name, scan in scans.items()} if rough else scans
        )
        self.things.update(visible_scans, detections, observation.stamp, self.held or self._at_hand(observation))
        for piece, merged_entity in self.things.same.items():
            self._names.merge(piece, merged_entity)
        for entity, room in self.things.rooms.items():
            if entity not in self._names:
                self._names.note(entity, room.identity.kind, JUST_SEEN)
        self._note_names(observation.frames, detections)
        for entity, seen in self.things.shown.items():
            self._states.see(entity, seen)
        if self._explores and scans.keys() >= self._views:
            self._doorways.update([scans[view] for view in self._views], observation.body.base)
            self._visited.update(self._rooms_at(self._base.xy, AROUND_ROBOT))
            for number, _ in enumerate(self._doorways.all, 1):
                self._names.note(f"{DOORWAY} {number}", DOORWAY, 1.0)
            for later_doorway, earlier_doorway in self._doorways.same.items():
                self._names.merge(f"{DOORWAY} {later_doorway + 1}", f"{DOORWAY} {earlier_doorway + 1}")

    def _note_names(self, frames: Mapping[str, CameraFrame], detections: Sequence[Detection]) -> None:
        """Record the name of each entity in the view that shows most of it."""
        called: dict[str, tuple[float, str]] = {}
        for detection in detections:
            entity = self.entity_of(detection)
            if not entity or detection.part not in NAMED_BY or detection.view not in frames:
                continue
            x0, y0, x1, y1 = detection.box
            pixels = (x1 - x0) * (y1 - y0) if detection.mask is None else np.count_nonzero(detection.mask)
            share = 3 * float(pixels) / frames[detection.view].rgb.size
            if share > called.get(entity, (0.0, ""))[0]:
                called[entity] = share, detection.name
        for entity, (share, name) in called.items():
            self._names.note(entity, name, share)

    def entity_of(self, detection: Detection) -> str:
        """Return the entity associated with a detection of the last update, "" if unknown."""
        entities = (
            entity
            for entity, detections in self.things.shown.items()
            if any(other is detection for other in detections)
        )
        return next(entities, detection.instance)

    # ------------------------------------------------------------ the hand

    def aim(self, entity: str, kind: str, center: Array) -> None:
        if entity and self.things.rough:  # without instances, the memory's entities differ from the given one
            entity = self._object_near(center, NamedThing(entity, kind))
        self._aim = entity or None

    def _object_near(self, center: Array, aimed: NamedThing) -> str:
        """Return the remembered object near a point (3,) whose kind matches the aimed object, "" for none."""
        same_kind = (item for item in self.things.objects.values() if spelt_matches(item.identity.kind, [aimed]))
        distances = {item.identity.entity: float(np.linalg.norm(item.box.center - center)) for item in same_kind}
        return min(
            (name for name in distances if distances[name] < SAME_PLACE), key=lambda name: distances[name], default=""
        )

    def handles(self, entity: str) -> None:
        for piece in self.things.furniture.values():
            piece.handled = piece.identity.entity == entity

    def _at_hand(self, observation: Observation) -> str | None:
        """Return the aimed object if the hand is there: outlines by a network then take in the fingers."""
        item = self.things.objects.get(self._aim or "")
        if item is None or not self.things.rough:
            return None
        gripper = self.arm.gripper(observation.body).position
        return self._aim if float(np.linalg.norm(item.box.center - gripper)) < AT_HAND else None

    def brought_about(self, entity: str, state: str) -> None:
        if state not in CONTRARY:
            return
        if self.held is not None and self.held != entity:
            self._states.forget(self.held)  # its contents were poured out
        self._states.record(entity, state)

    def in_hand(self, observation: Observation) -> str | None:
        if not observation.body.holding:
            return None
        return self._aim if self.held is None else self.held

    def update_hand(self, observation: Observation) -> None:
        """Update the held object: the target of Pick at the moment when the gripper began to hold something."""
        objects = self.things.objects
        hand = self.arm.gripper(observation.body)
        for piece in self.things.furniture.values():
            piece.handled |= piece.near_door(hand.position, AT_HAND)
        if not observation.body.holding:
            if self.held in objects:
                self.things.settle(objects[self.held], observation.stamp)
            self.held = None
        elif self.held is None and self._aim is not None:
            if self._aim in objects:
                self._pickup_places.pop(self._aim, None)
                self._pickup_places[self._aim] = self._place_of(objects[self._aim])
            self.held, self._grasp_offset = self._aim, self._position_in_hand(self._aim, observation)
        if self.held in objects:
            objects[self.held].move(hand.position + hand.rotation @ self._grasp_offset, observation.stamp)

    def _position_in_hand(self, entity: str, observation: Observation) -> Array:
        """Return the centre (3,) of a just grasped object, in the gripper frame."""
        if entity not in self.things.objects:
            return np.zeros(3)
        hand = self.arm.gripper(observation.body)
        offset = self.things.objects[entity].box.center - hand.position
        return hand.rotation.T @ offset if np.linalg.norm(offset) < IN_FINGERS else np.zeros(3)

    # ------------------------------------------------------------ names

    def arranged(self, detections: Sequence[Detection]) -> tuple[Detection, ...]:
        self._assign_names(map(self.entity_of, detections))
        named = []
        for detection in detections:
            entity = self.entity_of(detection)
            if entity in self._names:
                named.append(replace(detection, name=self._names.name(entity), number=self._names.number(entity)))
            elif detection.view not in self._depth_views:
                named.append(detection)  # without depth nothing is remembered
        return tuple(named)

    def called(self, entity: str, kind: str) -> str:
        self._names.note(entity, kind, 0.0)
        return self._names.called(entity)

    def name_all(self, kinds: Mapping[str, str]) -> None:
        for entity, kind in kinds.items():
            self._names.note(entity, kind, 0.0)
        self._names.tell(kinds)

    def recognise(self, words: str, base: Pose2) -> tuple[Landmark, ...]:
        self._assign_names()
        bearers, has_number = self._names.bearers(words)
        doorways = [entity for entity in bearers if entity.startswith(f"{DOORWAY} ")]
        if doorways:
            return (self._doorway(doorways, base),)
        return tuple(self._landmark(entity, has_number) for entity in bearers)

    def _landmark(self, entity: str, has_number: bool) -> Landmark:
        item = self.things.furniture.get(entity) or self.things.objects.get(entity)
        kind = kind_of(self._names.name(entity))
        return Landmark(entity, kind, None if item is None else item.box.center, has_number)

    def _doorway(self, entities: Sequence[str], base: Pose2) -> Landmark:
        """Choose one of several doorways: the nearest unexplored one, if any."""
        explored = {doorway: self._doorway_numbered(int(doorway.rpartition(" ")[2])).explored for doorway in entities}
        entity = min(entities, key=lambda doorway: (explored[doorway], self._metres(doorway, base)))
        x0, y0, x1, y1 = self._passage(entity).square(base)
        return Landmark(entity, DOORWAY, np.array([(x0 + x1) / 2, (y0 + y1) / 2, 0.0]))

    def is_passage(self, entity: str) -> bool:
        kind, _, number = entity.rpartition(" ")
        return kind == DOORWAY and number.isdecimal() and 1 <= int(number) <= len(self._doorways.all)

    def passage(self, entity: str, base: Pose2) -> tuple[float, float, float, float] | None:
        return self._passage(entity).square(base) if self.is_passage(entity) else None

    def _passage(self, entity: str) -> Passage:
        return self._doorways.all[int(entity.rpartition(" ")[2]) - 1]

    def _metres(self, entity: str, base: Pose2) -> float:
        return float(np.linalg.norm(self._passage(entity).best.middle - base.xy))

    def objection(self, words: str) -> str:
        noun = _noun(words)
        same_noun = [item for item in self.things if noun and _noun(item.identity.kind) == noun]
        if not same_noun:
            return self._spelling_hint(words)
        names = [self._names.called(item.identity.entity) for item in same_noun]
        rooms = [self.things.room_with(item) for item in same_noun]
        known = [f"{n} in the {self._names.called(r)}" if r else n for n, r in zip(names, rooms, strict=True)]
        return f"No {words.strip()} is known; what is known of that kind: {', '.join(known)}."

    def _spelling_hint(self, words: str) -> str:
        """Return the message of F2 with the similar name that was seen; "" if there is none."""
        seen = dict.fromkeys(item.identity.kind for item in self.things)
        hint = did_you_mean(words.strip(), seen, "; ")
        return f"{ErrorCode.F2.filled(item=words.strip())}{hint}" if hint else ""

    def unseen_room(self, words: str) -> str:
        """Return a message for the name of a room not seen yet, with the unexplored doorways; "" for other words."""
        if not vocabulary().rooms.issuperset(canonical(words).split()):
            return ""
        rooms = [self._names.called(entity) for entity in self.things.rooms]
        doors = self._reported_doorways()
        unexplored = [door.name for door in doors if not door.explored]
        known = f"; rooms known: {', '.join(rooms)}" if rooms else ""
        suffix = f"; not explored: {', '.join(unexplored)}" if unexplored else ""
        return f"No {words.strip()} has been seen yet{known}{suffix}."

    # ------------------------------------------------------------ planner input

    def knowledge(self, round_number: int) -> Knowledge:
        self._assign_names()
        self._rounds.setdefault(round_number, self._stamp)
        current_room = self._room(self._base.xy, AROUND_ROBOT)
        rooms = [self._names.called(entity) for entity in self.things.rooms]
        things = [item for item in self.things if item.identity.entity != self.held]
        places = resolve_contradictions(
            {item.identity.entity: self._place_of(item) for item in things}, self.things.furniture
        )
        return Knowledge(
            room=current_room,
            rooms=tuple(sorted(rooms, key=lambda room: room != current_room)),
            doorways=tuple(self._reported_doorways()),
            remembered=tuple(self._remembered(item, places[item.identity.entity]) for item in things),
            taken=tuple(
                RememberedThing(self._names.called(entity), self._room_phrase(place), self._place_phrase(place))
                for entity, place in self._pickup_places.items()
                if entity in self._names and place != Whereabouts()
            ),
        )

    def _assign_names(self, further_entities: Iterable[str] = ()) -> None:
        """Name all entities seen since the last planner input: those of one kind are numbered together.

        Args:
            further_entities: Entities that may not be in memory, such as those too far away for depth.
        """
        doorways = (f"{DOORWAY} {number}" for number in self._doorway_numbers())
        things = (item.identity.entity for item in self.things)
        seen = [
            entity for entity in (*self.things.rooms, *doorways, *things, *further_entities) if entity in self._names
        ]
        self._names.tell(seen)

    def _doorway_numbers(self) -> list[int]:
        """Return the numbers of the doorways' entities, without duplicates."""
        return [place + 1 for place, _ in enumerate(self._doorways.all) if place not in self._doorways.same]

    def _reported_doorways(self) -> list[Doorway]:
        """Return the doorways for a planner, without gaps between furniture in the middle of one room."""
        return [self._doorway_numbered(number) for number in self._doorway_numbers() if not self._within_a_room(number)]

    def _within_a_room(self, number: int) -> bool:
        """Whether the floor on both sides of a gap is well inside one room."""
        passage = self._doorways.all[number - 1]
        sides = np.array([passage.before(side, AT_DOOR) for side in (1, -1)])
        rects = [room.rect for room in self.things.rooms.values()]
        return any(((sides - rect[:2] > WELL_INSIDE) & (rect[2:] - sides > WELL_INSIDE)).all() for rect in rects)

    def _doorway_numbered(self, number: int) -> Doorway:
        entity, passage = f"{DOORWAY} {number}", self._doorways.all[number - 1]
        side = passage.side(passage.near) or 1
        point_before, point_behind = passage.before(side, AT_DOOR), passage.before(-side, AT_DOOR)
        near_rooms, far_rooms = self._rooms_at(point_before), self._rooms_at(point_behind)
        if near_rooms == far_rooms:  # floor at the edge of one room; the room on the other side is unknown
            far_rooms = ()
        # If both rooms have been visited, by any route, there is nothing to explore behind it.
        rooms = {*near_rooms, *far_rooms}
        visited = len(rooms) == 2 and rooms <= self._visited
        return Doorway(
            name=self._names.called(entity),
            room=next(map(self._names.called, near_rooms), ""),
            beyond=next(map(self._names.called, far_rooms), ""),
            explored=passage.explored or visited,
        )

    def _remembered(self, item: Furniture | LooseObject, place: Whereabouts) -> RememberedThing:
        return RememberedThing(
            name=self._names.called(item.identity.entity),
            room=self._room_phrase(place),
            place=self._place_phrase(place),
            seen=max((r for r, stamp in self._rounds.items() if stamp <= item.seen), default=min(self._rounds)),
            state=item.state if isinstance(item, Furniture) else "",
            states=self._states.of(item.identity.entity),
        )

    def _room(self, point: Array, margin: float = 0.1) -> str:
        """Return the planner's name of the room that contains a point; "" if unknown."""
        return next((self._names.called(entity) for entity in self._rooms_at(point, margin)), "")

    def _rooms_at(self, point: Array, margin: float = 0.1) -> tuple[str, ...]:
        """Return the entity of the room that contains a point, () if unknown."""
        room = self.things.room_at(point, margin)
        return () if room is None else (room.identity.entity,)

    def _place_of(self, item: Furniture | LooseObject) -> Whereabouts:
        """Return the place of an entity; recomputed only after a new look at it."""
        entity = item.identity.entity
        stamp, place = self._whereabouts.get(entity, (-np.inf, Whereabouts()))
        if item.seen > stamp:
            place = whereabouts(item, self.things, self.held)
            self._whereabouts[entity] = item.seen, place
        return place

    def holder(self, item: LooseObject) -> str:
        """Return the entity that an object is in or on, "" if unknown and for the floor."""
        return self._place_of(item).holder

    def place(self, item: LooseObject) -> str:
        """Describe where an object is: `in the fridge`, "" if unknown."""
        return self._place_phrase(self._place_of(item))

    def _room_phrase(self, place: Whereabouts) -> str:
        return self._names.called(place.room) if place.room else ""

    def _place_phrase(self, place: Whereabouts) -> str:
        """Describe a place: `in the fridge`, `on kitchen counter 2`."""
        if place.holder not in self._names:
            return "" if place.holder else place.word
        return f"{place.word} {the(self._names.called(place.holder))}"


def _noun(words: str) -> str:
    """Return the last word of a name, ignoring its number."""
    return next((word for word in reversed(canonical(words).split()) if not word.isdigit()), "")


def scans_of(frames: Mapping[str, CameraFrame]) -> dict[str, Scan]:
    """Return the scans of the frames that have depth."""
    return {name: scan for name, frame in frames.items() if (scan := Scan.of(frame)) is not None}
