"""Controller of a fake AI2-THOR: the actions of AI2-THOR with their names, preconditions and messages, in a room
without physics.

```
step(action="PickupObject", objectId=...) --> method with that name --> Refused: errorMessage, or success --> Reply
```

Limitations: everything fits into every receptacle; nothing falls, breaks or obstructs the hand; an object is visible if
it is near, inside the picture and not in a closed container (no occlusion); and pictures show boxes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from homie.envs.thor.kinds import CONTAINERS, OPENABLE, RECEPTACLES, SLICEABLE, TOGGLEABLE
from homie.envs.thor.settings import Point, ThorSettings
from homie.kernel.support.deprecated_imports import renamed
from homie.kernel.types import Image
from homie.testing.thor_picture import Box, Camera, Picture, draw
from homie.testing.thor_room import AGENT, EYE_LEVEL, Thing, room_of

CAMERA_UP = 0.675
"""Height of the camera above the agent's position in m, as in AI2-THOR."""
UP, DOWN = -30.0, 60.0
"""Limits of the camera's horizon in degrees, as in AI2-THOR."""
SLICES = 3
"""Number of slices of an object that is cut."""
CLEAR = 0.05
"""Step along a move in m at which collisions are checked."""


class Refused(Exception):
    """Raised if an action cannot be carried out; the message is AI2-THOR's where it is known."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Result of an action: the part of `ai2thor.server.Event` that Homie reads."""

    metadata: dict[str, Any]
    picture: Picture

    @property
    def frame(self) -> Image:
        return self.picture.frame

    @property
    def depth_frame(self) -> NDArray[np.float32]:
        return self.picture.depth

    @property
    def instance_masks(self) -> Mapping[str, NDArray[np.bool_]]:
        return self.picture.masks


class FakeThor:
    """Replaces `ai2thor.controller.Controller`, in the room of some settings.

    >>> thor = FakeThor(ThorSettings(kinds=("Mug", "Fridge")))
    >>> thor.step(action="MoveAhead").metadata["lastActionSuccess"]
    True
    >>> thor.step(action="DropHandObject").metadata["errorMessage"]
    'Nothing in hand to drop!'
    """

    last_event: Reply

    def __init__(self, settings: ThorSettings) -> None:
        self._settings = settings
        self.reset(settings.floor_plan)

    def reset(self, scene: str) -> Reply:
        """Restore the initial room."""
        self._scene = scene
        self._room = room_of(self._settings)
        self._things = self._room.things
        x, y, z, self._rotation, self._horizon = self._room.pose
        self._at: Point = (x, y, z)
        return self._reply("Reset", "", None)

    def step(self, action: str, **arguments: Any) -> Reply:
        """Carry out an action. Raises ValueError for an unknown one, as AI2-THOR's controller does."""
        method = getattr(self, f"_do_{action}", None)
        if method is None:
            raise ValueError(f"Invalid action: {action}")
        try:
            value, error = method(**arguments), ""
        except Refused as refusal:
            value, error = None, str(refusal)
        return self._reply(action, error, value)

    def stop(self) -> None:
        """Do nothing: there is no process to stop."""

    # ------------------------------------------------------------ the agent

    def _do_Pass(self) -> None:
        """Do nothing."""

    def _do_MoveAhead(self, moveMagnitude: float | None = None) -> None:
        self._move(0.0, moveMagnitude)

    def _do_MoveRight(self, moveMagnitude: float | None = None) -> None:
        self._move(90.0, moveMagnitude)

    def _do_MoveBack(self, moveMagnitude: float | None = None) -> None:
        self._move(180.0, moveMagnitude)

    def _do_MoveLeft(self, moveMagnitude: float | None = None) -> None:
        self._move(270.0, moveMagnitude)

    def _do_RotateRight(self, degrees: float = 90.0) -> None:
        self._rotation = (self._rotation + degrees) % 360.0

    def _do_RotateLeft(self, degrees: float = 90.0) -> None:
        self._rotation = (self._rotation - degrees) % 360.0

    def _do_LookUp(self, degrees: float = 30.0) -> None:
        if self._horizon - degrees < UP - 1e-6:
            raise Refused("can't look up beyond 30 degrees above the forward horizon")
        self._horizon -= degrees

    def _do_LookDown(self, degrees: float = 30.0) -> None:
        if self._horizon + degrees > DOWN + 1e-6:
            raise Refused("can't look down beyond 60 degrees below the forward horizon")
        self._horizon += degrees

    def _do_Teleport(
        self,
        position: Mapping[str, float],
        rotation: Mapping[str, float] | None = None,
        horizon: float | None = None,
        standing: bool = True,
    ) -> None:
        x, z = position["x"], position["z"]
        if blocker := self._room.blocked_by(x, z):
            raise Refused(f"Collided with: {blocker}")
        self._at = (x, EYE_LEVEL, z)
        self._rotation = self._rotation if rotation is None else rotation["y"] % 360.0
        self._horizon = self._horizon if horizon is None else min(max(horizon, UP), DOWN)

    def _do_GetReachablePositions(self) -> list[dict[str, float]]:
        cells = self._room.reachable(self._settings.grid)
        return [{"x": x, "y": EYE_LEVEL, "z": z} for x, z in cells]

    def _move(self, aside: float, magnitude: float | None) -> None:
        metres = self._settings.grid if magnitude is None else magnitude
        direction = math.radians(self._rotation + aside)
        dx, dz = metres * math.sin(direction), metres * math.cos(direction)
        x, y, z = self._at
        for share in np.linspace(0.0, 1.0, max(2, round(metres / CLEAR) + 1))[1:]:
            if blocker := self._room.blocked_by(x + share * dx, z + share * dz):
                raise Refused(f"{blocker} is blocking Agent 0 from moving by ({dx:.4f}, 0.0000, {dz:.4f}).")
        self._at = (x + dx, y, z + dz)

    # ------------------------------------------------------------ objects

    def _do_DisableObject(self, objectId: str) -> None:
        self._find(objectId)
        for thing in (self._things.by_id[objectId], *self._things.contents(self._things.by_id[objectId])):
            del self._things.by_id[thing.object_id]

    def _do_PickupObject(self, objectId: str, forceAction: bool = False) -> None:
        thing = self._find(objectId)
        if self._things.held is not None:
            raise Refused("Agent hand has something in it already! Can't pick up anything else")
        if not thing.pickupable:
            raise Refused(f"{objectId} must have the property CanPickup to be picked up.")
        self._check_sight(thing, forced=forceAction)
        thing.held, thing.parent, thing.place = True, "", self._at

    def _do_PutObject(self, objectId: str, forceAction: bool = False, **_: Any) -> None:
        """Put the held object into a receptacle; as in ai2thor 5, `objectId` is the receptacle."""
        target, held = self._find(objectId), self._things.held
        if held is None:
            raise Refused("Can't place an object if Agent isn't holding anything")
        if target.object_type not in RECEPTACLES or target is held:
            raise Refused(f"{objectId} is not a receptacle")
        self._check_sight(target, forced=False)
        if target.object_type in CONTAINERS and not target.opened:
            raise Refused("Target openable Receptacle is CLOSED, can't place if target is not open!")
        held.held, held.parent, held.place = False, target.object_id, None

    def _do_DropHandObject(self, forceAction: bool = False) -> None:
        held = self._things.held
        if held is None:
            raise Refused("Nothing in hand to drop!")
        direction, (x, _, z) = math.radians(self._rotation), self._at
        distance = AGENT + held.half
        held.held, held.place = (
            False,
            (x + distance * math.sin(direction), held.half, z + distance * math.cos(direction)),
        )

    def _do_OpenObject(self, objectId: str, forceAction: bool = False) -> None:
        thing = self._openable(objectId, forced=forceAction)
        if thing.opened:
            raise Refused(f"can't open object {objectId}, it's already open")
        if thing.on:
            raise Refused("Target is toggled on, can't open it!")
        thing.opened = True

    def _do_CloseObject(self, objectId: str, forceAction: bool = False) -> None:
        thing = self._openable(objectId, forced=forceAction)
        if not thing.opened:
            raise Refused("can't close object if it's already closed")
        thing.opened = False

    def _openable(self, object_id: str, *, forced: bool) -> Thing:
        thing = self._find(object_id)
        if thing.object_type not in OPENABLE:
            raise Refused(f"{object_id} is not an Openable object")
        self._check_sight(thing, forced=forced)
        return thing

    def _do_ToggleObjectOn(self, objectId: str, forceAction: bool = False) -> None:
        thing = self._toggleable(objectId, forced=forceAction)
        if thing.on:
            raise Refused("can't toggle object on if it's already on!")
        if thing.object_type == "Microwave" and thing.opened:
            raise Refused("Target must be closed to Toggle On!")
        thing.on = True

    def _do_ToggleObjectOff(self, objectId: str, forceAction: bool = False) -> None:
        thing = self._toggleable(objectId, forced=forceAction)
        if not thing.on:
            raise Refused("can't toggle object off if it's already off!")
        thing.on = False

    def _toggleable(self, object_id: str, *, forced: bool) -> Thing:
        thing = self._find(object_id)
        if thing.object_type not in TOGGLEABLE:
            raise Refused(f"{object_id} is not a toggleable object")
        self._check_sight(thing, forced=forced)
        return thing

    def _do_SliceObject(self, objectId: str, forceAction: bool = False) -> None:
        """Replace the object by slices. As in AI2-THOR, no knife is needed."""
        thing = self._find(objectId)
        if thing.object_type not in SLICEABLE:
            raise Refused(f"{objectId} Does not have the CanBeSliced property!")
        if thing.held:
            raise Refused("target object cannot be sliced while it is in the hand")
        self._check_sight(thing, forced=forceAction)
        place, parent = thing.place, thing.parent
        del self._things.by_id[objectId]
        sliced = f"{thing.object_type}Sliced"
        for number in range(SLICES):
            self._things.add(Thing(f"{objectId}|{sliced}_{number}", sliced, place, parent))

    def _find(self, object_id: str) -> Thing:
        if object_id not in self._things.by_id:
            raise Refused(f"{object_id} is not the objectId on any object in the scene!")
        return self._things.by_id[object_id]

    def _check_sight(self, thing: Thing, *, forced: bool) -> None:
        if not forced and not self._visible(thing):
            raise Refused("Target object not found within the specified visibility.")

    # ------------------------------------------------------------ metadata

    @property
    def _camera(self) -> Camera:
        (x, y, z), (width, height) = self._at, self._settings.pixels
        field_of_view = self._settings.field_of_view
        return Camera((x, y + CAMERA_UP, z), self._rotation, self._horizon, field_of_view, width, height)

    def _box(self, thing: Thing) -> Box:
        """Return the box to draw for an object; an object inside another one is drawn at its front."""
        outer = [item.half for item in self._things.within(thing)]
        return Box(
            thing.object_id, thing.object_type, self._things.position(thing), thing.half, max(outer, default=0.0)
        )

    def _distance(self, thing: Thing) -> float:
        return math.dist(self._at, self._things.position(thing))

    def _visible(self, thing: Thing) -> bool:
        """Return whether an object is near, in the picture and in no closed container; the held object always is
        visible."""
        if thing.held or self._things.hidden(thing) is not None:
            return thing.held
        place = self._things.position(thing)
        is_near = math.hypot(place[0] - self._at[0], place[2] - self._at[2]) <= self._settings.visibility
        return is_near and self._camera.sees(place)

    def _reply(self, action: str, error: str, value: Any) -> Reply:
        x, y, z = self._at
        held = self._things.held
        if held is not None:
            held.place = self._at
        camera = self._camera
        listed_things = [thing for thing in self._things if not thing.held and self._things.hidden(thing) is None]
        boxes = [self._box(item) for item in listed_things]
        metadata = {
            "sceneName": self._scene,
            "lastAction": action,
            "lastActionSuccess": not error,
            "errorMessage": error,
            "actionReturn": value,
            "agent": {
                "position": {"x": x, "y": y, "z": z},
                "rotation": {"x": 0.0, "y": self._rotation, "z": 0.0},
                "cameraHorizon": self._horizon,
                "isStanding": True,
            },
            "cameraPosition": dict(zip("xyz", camera.position, strict=True)),
            "fov": camera.field_of_view,
            "inventoryObjects": [] if held is None else [_inventory_item(held)],
            "objects": [
                self._things.metadata(item, visible=self._visible(item), distance=self._distance(item))
                for item in self._things
            ],
        }
        self.last_event = Reply(metadata, draw(camera, boxes, self._room.bounds))
        return self.last_event


def _inventory_item(thing: Thing) -> dict[str, str]:
    return {"objectId": thing.object_id, "objectType": thing.object_type}


if not TYPE_CHECKING:
    __getattr__ = renamed(__name__, {"StandIn": "FakeThor"})
