"""Memory of rooms, furniture and loose objects by name, and its update with a new look."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from homie.kernel.types import FLOOR, Array, Detection, Mask
from perception.colours import COLOUR_WORDS
from perception.localise import Patch, object_box, patch_of
from perception.memory.clouds import inside
from perception.memory.evidence import FLOOR_CELL, OWN, Evidence
from perception.memory.forgetting import forget_doubtful, forget_missing, forget_unconfirmed
from perception.memory.seen_furniture import Furniture, is_furniture, open_doors
from perception.memory.seen_object import Identity, LooseObject
from perception.memory.seen_room import Room
from perception.memory.support_relations import contains, settled
from perception.names import best_matches, vocabulary
from perception.scan import Points, Scan

SAME_PLACE = 0.25
"""Distance (m) within which a detection without instance is associated with a remembered entity of its kind."""
PART_NEAR = 0.9
"""Distance (m) from furniture within which a door without instance belongs to it: the width of open doors."""
DRAWER_NEAR = 0.4
"""The same for a drawer, as far as it is pulled out: the next cabinet of drawers is often no further away."""
SAME_FLOOR = 1.0
"""Distance (m) from the known floor of a room within which floor of the same kind belongs to the room."""
NEAR_FURNITURE = 1.5
"""Distance (m) between two pieces of furniture beyond which they are never merged."""
ONE_PLACE, WITHIN = 0.6, 0.05
"""Share of the points of furniture inside another piece, or in its door, from which both are one, and the margin (m) by
which the other piece is expanded."""
IN_DOOR = 0.2
"""Share of such points in the open door or drawer itself."""
LEAST_FURNITURE = 0.2
"""Smallest extent (m) of new furniture without instance: less is the edge of something else."""
UNSEEN_FLOOR = 1.15
"""Distance (m) from the middle of furniture, towards the robot, within which the floor before it begins. Of 8,500 looks
in six houses 6 met floor only at 1.2 or 1.3 m, and 2 of those were looks through a doorway into the room behind it."""


@dataclass(frozen=True, slots=True)
class _Newcomer:
    """Entity seen for the first time in this look: kind, and the corners (3,) of the bounds of its points."""

    kind: str
    low: Points
    high: Points

    def gap(self, low: Points, high: Points) -> float:
        """Return the distance (m) to the bounds given by two corners."""
        return float(np.linalg.norm(np.maximum(np.maximum(self.low - high, low - self.high), 0.0)))

    def extended(self, low: Points, high: Points) -> _Newcomer:
        """Return a copy with extended bounds."""
        return _Newcomer(self.kind, np.minimum(self.low, low), np.maximum(self.high, high))


class Things:
    """The memory of one episode."""

    def __init__(self) -> None:
        self.rooms: dict[str, Room] = {}
        self.furniture: dict[str, Furniture] = {}
        self.objects: dict[str, LooseObject] = {}
        self.missing: set[str] = set()
        """Objects forgotten because their position was seen to be empty; some may have been seen again since."""
        self.shown: dict[str, list[Detection]] = {}
        """Detections of each entity at the last moment with any detections."""
        self._shown_stamp = -np.inf
        self._evidence = Evidence()
        self._support: dict[str, float] = defaultdict(float)
        """Sum of the detection scores of each entity."""
        self.rough = False
        """Whether some outlines are by a network, whose edges include neighbouring surfaces."""
        self.same: dict[str, str] = {}
        """Merged entity -> the entity that it is a piece of."""
        self.target: str | None = None
        """Target of the running subtask: furniture and rooms keep this name and are not forgotten while it runs."""

    def __iter__(self) -> Iterator[Furniture | LooseObject]:
        yield from self.furniture.values()
        yield from self.objects.values()

    def find_entities(self, words: str) -> list[str]:
        """Return the entities that match words equally well: by their best known names, else by any name that a
        detector has used, else by possible colours."""
        for reading in (Identity.best_name, Identity.detector_names, Identity.names_by_colour):
            rooms = [reading(room.identity, "") for room in self.rooms.values()]
            things = [reading(item.identity, self._kind_of_room(item)) for item in self]
            matches = best_matches(words, rooms + things)
            if matches:
                return [item.name for item in matches]
        return []

    def _kind_of_room(self, item: Furniture | LooseObject) -> str:
        room = self.rooms.get(self.room_with(item))
        return "" if room is None else room.identity.kind

    def room_at(self, point: Array, margin: float = 0.1) -> Room | None:
        """Return the room that contains a point (2 or more,), within a margin (m); None if none is known there."""
        nearest = min(self.rooms.values(), key=lambda room: room.distance(point), default=None)
        return None if nearest is None or nearest.distance(point) > margin else nearest

    def room_with(self, item: Furniture | LooseObject) -> str:
        """Return the room of an object or furniture, "" if unknown: the first room on the line from it to its
        viewpoint, since the floor under furniture is not visible."""
        if not self.rooms:
            return ""
        middle = item.box.center[:2]
        offset = item.eye[:2] - middle
        length = float(np.linalg.norm(offset))
        steps = np.arange(0.0, min(length, UNSEEN_FLOOR) + 1e-6, 0.1) / max(length, 0.1)
        way = middle + steps[:, None] * offset
        rects = np.array([room.rect for room in self.rooms.values()])
        gaps = np.maximum(rects[:, :2] - way[:, None], way[:, None] - rects[:, 2:]).max(axis=2)
        points, rooms = np.nonzero(gaps < 0.05)  # by points first
        return list(self.rooms)[int(rooms[0])] if len(points) else ""

    def update(
        self, scans: Mapping[str, Scan], detections: Sequence[Detection], stamp: float, held: str | None
    ) -> None:
        """Update from detections, except of the held or hidden object; forget objects that have disappeared.

        Args:
            stamp: Time (s) of the pictures; those of one moment may come in several updates.
        """
        patches: dict[str, dict[str, list[tuple[Detection, Patch]]]] = defaultdict(lambda: defaultdict(list))
        newcomers: dict[str, _Newcomer] = {}
        assigned: set[tuple[str, str]] = set()
        anonymous = not all(detection.instance for detection in detections)
        if anonymous:
            self.rough = True
            detections = sorted(detections, key=lambda detection: bool(detection.part))  # parts need a known parent
        for detection in detections:
            if detection.view not in scans:
                continue
            patch = patch_of(scans[detection.view], detection)
            if patch is not None and not detection.instance:
                kind = kind_of(detection.name)
                patch = self._evidence.add(kind, detection, patch, kind in vocabulary().objects)
            if patch is not None:
                entity = detection.instance or self._entity_of(detection, patch, newcomers, assigned)
                if not detection.instance and self._is_stray(entity, patch):
                    continue
                assigned.add((entity, detection.view))
                patches[entity][detection.part].append((detection, patch))
        if stamp != self._shown_stamp:
            self.shown, self._shown_stamp = {}, stamp
        for entity, parts in patches.items():
            seen = [detection for detected in parts.values() for detection, _ in detected]
            self.shown[entity] = self.shown.get(entity, []) + seen
        for entity, parts in patches.items():
            if entity in self.furniture and anonymous:
                self._check_body(self.furniture[entity], scans, [detection for detection, _ in parts[""]])
            if entity != held:
                self._add(entity, parts, stamp)
        views, excused = list(scans.values()), {*patches, held}
        self.missing.update(forget_missing(self.objects, self.furniture, views, excused))
        if anonymous:
            self._resolve_conflicts(patches, held)
            forget_unconfirmed(self.objects, views, excused)
            forget_doubtful(self.furniture, self._support, views, {*excused, self.target})

    def _entity_of(
        self, detection: Detection, patch: Patch, newcomers: dict[str, _Newcomer], assigned: set[tuple[str, str]]
    ) -> str:
        """Associate a detection without instance with a remembered entity, one new in this look, or a further new one.

        Args:
            newcomers: Entities that are new in this look.
            assigned: Entities and views already associated; two boxes of one picture are two entities.
        """
        kind = kind_of(detection.name)
        middle = np.median(patch.points.astype(np.float64), axis=0)
        if detection.is_room:
            return self._room_of(kind, middle)
        low, high = patch.points.min(axis=0), patch.points.max(axis=0)
        distances = {}
        for item in self:
            if item.identity.kind == kind:
                height_gap = max(0.0, abs(middle[2] - item.box.center[2]) - 0.5)
                distances[item.identity.entity] = float(np.hypot(item.box.distance(middle), height_gap))
        distances |= {
            entity: newcomer.gap(low, high) for entity, newcomer in newcomers.items() if newcomer.kind == kind
        }
        if detection.part:
            near = DRAWER_NEAR if detection.part == "drawer" else PART_NEAR
            nearby = [name for name, metres in distances.items() if metres < near]
            nearby = [name for name in nearby if self._is_swept(name, patch)] or nearby
        else:
            nearby = [
                name for name in distances if distances[name] < SAME_PLACE and (name, detection.view) not in assigned
            ]
        entity = (
            min(nearby, key=lambda name: distances[name])
            if nearby
            else _new_name(kind, {*self.furniture, *self.objects, *newcomers, *self.same})
        )
        if entity not in self.furniture and entity not in self.objects:
            newcomers[entity] = (
                newcomers[entity].extended(low, high) if entity in newcomers else _Newcomer(kind, low, high)
            )
        return entity

    def _is_stray(self, entity: str, patch: Patch) -> bool:
        """Whether a report is apart from the remembered object that it would move, and likelier to be wrong than that
        place: until the object is missing there, it stays."""
        item = self.objects.get(entity)
        if item is None:
            return False
        middle = np.median(patch.points.astype(np.float64), axis=0)
        return item.box.gap(middle) > OWN and self._evidence.favours(item.identity.kind, item.box.center, middle)

    def _is_swept(self, entity: str, patch: Patch) -> bool:
        """Whether most of a patch lies where the known door or drawer of furniture can be."""
        panel = self.furniture[entity].panel if entity in self.furniture else None
        return panel is not None and panel.sweeps(patch.points)

    def _room_of(self, kind: str, point: Array) -> str:
        """Return the remembered room of a kind with floor at or near a point (3,), or a new name."""
        same_kind = [name for name, room in self.rooms.items() if room.identity.kind == kind]
        nearby = [name for name in same_kind if self.rooms[name].distance(point) < SAME_FLOOR]
        return min(nearby, key=lambda name: self.rooms[name].distance(point)) if nearby else _new_name(kind, self.rooms)

    def _add(self, entity: str, parts: dict[str, list[tuple[Detection, Patch]]], stamp: float) -> None:
        detections = [detection for detected in parts.values() for detection, _ in detected]
        patches = defaultdict(list, {part: [patch for _, patch in detected] for part, detected in parts.items()})
        identity = Identity(entity, kind_of(detections[0].name))
        if FLOOR in parts:
            room = self.rooms.setdefault(entity, Room(identity))
            for floor in patches[FLOOR]:
                room.update(floor)
            return
        if entity not in self.furniture and not (parts.keys() & {"", "door", "drawer"}):
            return  # a handle or a button alone does not locate its furniture
        item: LooseObject | Furniture
        if (entity in self.objects and patches[""]) or self._is_loose(identity, patches):
            item = self._add_object(identity, patches[""], stamp, rough=not detections[0].instance)
        else:
            if entity not in self.furniture and not detections[0].instance and _is_sliver(patches):
                return
            part: Literal["", "door", "drawer"] = "drawer" if "drawer" in parts else "door" if "door" in parts else ""
            body = patches[""] if detections[0].instance else self._without_doors(entity, patches[""])
            known = self.furniture.get(entity)
            if not (body or part) and (known is None or not len(known.points(panel=True))):
                self.furniture.pop(entity, None)  # all its points were contradicted, or are in a door
                return
            item = self.furniture.setdefault(entity, Furniture(identity))
            item.rough = not detections[0].instance
            item.part = part or item.part
            item.update(body, patches[item.part] if item.part else [], patches["handle"], stamp)
        item.identity.called.update(detection.name for detection in detections)

    def _without_doors(self, entity: str, patches: Sequence[Patch]) -> list[Patch]:
        """Remove the points in open doors of other furniture from patches of a body, whose outlines take them in."""
        doors = open_doors(piece for name, piece in self.furniture.items() if name != entity)
        remaining = []
        for patch in patches:
            in_doors = np.zeros(len(patch.points), dtype=bool)
            for door in doors:
                in_doors |= inside(patch.points, door, WITHIN)
            if not in_doors.all():
                remaining.append(replace(patch, points=patch.points[~in_doors], level=patch.level[~in_doors]))
        return remaining

    @staticmethod
    def _check_body(piece: Furniture, scans: Mapping[str, Scan], detections: Sequence[Detection]) -> None:
        """Check the remembered points of furniture against the outlines of one look at it."""
        outlines: dict[str, Mask] = {}
        for detection in detections:
            if detection.mask is not None:
                outlines[detection.view] = detection.mask | outlines.get(detection.view, np.False_)
        for view, outline in outlines.items():
            piece.check(scans[view], outline)

    def _is_loose(self, identity: Identity, patches: dict[str, list[Patch]]) -> bool:
        """Whether a new entity is a loose object: small, and without doors or buttons."""
        if identity.entity in self.furniture or patches.keys() != {""}:
            return False
        nearest = min(patches[""], key=lambda patch: patch.spacing)
        return not is_furniture(identity.kind, object_box(nearest.points, nearest.spacing, nearest.eye))

    def _add_object(self, identity: Identity, patches: list[Patch], stamp: float, *, rough: bool) -> LooseObject:
        best = max(patches, key=lambda patch: len(patch.points))  # cameras are close together: one picture is enough
        item = self.objects.get(identity.entity)
        if item is None:
            item = self.objects[identity.entity] = LooseObject(identity, best, stamp)
        elif rough:
            item.update_roughly(best, stamp)
        else:
            item.update(best, stamp)
        self.place(item)
        return item

    def settle(self, item: LooseObject, stamp: float) -> None:
        """Lower an object that was let go to what is under it, and update its container."""
        others = (other for other in self.objects.values() if other is not item)
        item.move(settled(item.box, self.furniture.values(), others).center, stamp)
        self.place(item)

    def place(self, item: LooseObject) -> None:
        """Update the container of an object from its current position."""
        holders = (f.identity.entity for f in self.furniture.values() if contains(f, item.box))
        item.container = next(holders, None)

    def _resolve_conflicts(
        self, patches: Mapping[str, Mapping[str, list[tuple[Detection, Patch]]]], held: str | None
    ) -> None:
        """After a look by a detector without instances: remove outvoted objects, merge duplicate furniture and update
        the rooms."""
        for entity, parts in patches.items():
            self._support[entity] += sum(seen.score for detected in parts.values() for seen, _ in detected)
        for entity, item in list(self.objects.items()):
            if entity != held and self._evidence.is_outvoted(item.identity.kind, item.box.center):
                del self.objects[entity]
        for entity in [entity for entity in patches if entity in self.furniture]:
            for other in list(self.furniture):
                if other != entity and entity in self.furniture and self._is_duplicate(entity, other):
                    self._merge(entity, other)
        self._rebuild_rooms()

    def _merge(self, entity: str, other: str) -> None:
        """Keep one of two overlapping pieces of furniture: the one whose door was measured, else the one with more
        support. A target keeps its name, and stays if the other is of another kind."""
        pieces = self.furniture
        same_kind = pieces[entity].identity.kind == pieces[other].identity.kind
        weaker, stronger = sorted(
            (entity, other), key=lambda name: (pieces[name].panel is not None, self._support[name])
        )
        if not same_kind:
            if weaker != self.target:
                del pieces[weaker]
            return
        if weaker == self.target:
            pieces[weaker], pieces[stronger] = pieces[stronger], pieces[weaker]
            pieces[weaker].identity.entity = weaker
            weaker, stronger = stronger, weaker
        self._support[stronger] = max(self._support[weaker], self._support[stronger])
        self.same[weaker] = stronger
        del pieces[weaker]
        for item in self.objects.values():
            if item.container == weaker:
                item.container = stronger

    def _is_duplicate(self, entity: str, other: str) -> bool:
        """Whether two pieces of furniture overlap: one inside another of the same kind, nearly all of each inside the
        other, or one in the door or drawer of the other, whose face looks like another piece while it is open."""
        piece, second = self.furniture[entity], self.furniture[other]
        if piece.box.distance(second.box.center) > NEAR_FURNITURE:
            return False
        (share, in_door), (other_share, other_in_door) = _overlap(piece, second), _overlap(second, piece)
        if in_door or other_in_door:
            return True
        same_kind = piece.identity.kind == second.identity.kind
        return (max if same_kind else min)(share, other_share) > ONE_PLACE

    def _rebuild_rooms(self) -> None:
        """Rebuild the rooms from the accepted floor: each keeps the name of the room with the largest overlap."""
        if not (pieces := self._evidence.floors()):
            return
        previous_rooms, self.rooms = self.rooms, {}
        for kind, corners in sorted(pieces, key=lambda piece: -len(piece[1])):
            same_kind = {
                name: room
                for name, room in previous_rooms.items()
                if room.identity.kind == kind and name not in self.rooms
            }
            middles = corners + FLOOR_CELL / 2
            shared = {name: sum(room.distance(middle) == 0.0 for middle in middles) for name, room in same_kind.items()}
            name = max(shared, key=lambda name: shared[name], default="")
            if not name or not shared[name]:
                name = _new_name(kind, {*previous_rooms, *self.rooms})
            room = previous_rooms.get(name) or Room(Identity(name, kind))
            room.rect = np.array([*corners.min(axis=0), *(corners.max(axis=0) + FLOOR_CELL)])
            self.rooms[name] = room
        if self.target in previous_rooms:
            self.rooms.setdefault(self.target, previous_rooms[self.target])


def _is_sliver(patches: Mapping[str, Sequence[Patch]]) -> bool:
    """Whether the visible part of furniture is so small that it may be the edge of something else."""
    spans = (np.ptp(patch.points, axis=0).max() for seen in patches.values() for patch in seen)
    return float(max(spans)) < LEAST_FURNITURE


def _overlap(piece: Furniture, other: Furniture) -> tuple[float, bool]:
    """Return the share of the points of furniture that lie inside other furniture, and whether it is in the place of
    the other and of its door or drawer in its current position."""
    points = piece.points(panel=True)
    if not len(points):
        return 0.0, False
    in_body, panel = inside(points, other.box, WITHIN), other.panel
    share = float(np.mean(in_body))
    if panel is None:
        return share, False
    in_door = inside(points, panel.occupied, WITHIN)
    in_place = in_door if panel.is_closed else in_door | in_body
    return share, float(in_door.mean()) > IN_DOOR and float(in_place.mean()) > ONE_PLACE


def _new_name(kind: str, used_names: Collection[str]) -> str:
    """Return an unused name for an entity of a kind: `table_2`."""
    stem = kind.replace(" ", "_")
    return next(name for number in itertools.count(1) if (name := f"{stem}_{number}") not in used_names)


def kind_of(name: str) -> str:
    """Return the kind in a detector's name: `table` for `brown table`."""
    first, _, noun = name.partition(" ")
    return noun if noun and first in COLOUR_WORDS else name
