"""The robot `thor`: AI2-THOR's agent as a world without physics, whose actions AI2-THOR carries out whole.

subtask --perform--> controller.step(action=...) --> event --snapshot_of--> WorldSnapshot
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from homie.envs.symbolic_locator import SymbolicLocator
from homie.envs.symbolic_robot import SymbolicRobot
from homie.envs.thor.actions import DROP, FIND, NAMES, ON_OBJECTS, OWN, PICK_UP, PUT_DOWN, STEPS
from homie.envs.thor.controller import Controller, Event
from homie.envs.thor.numbered_actions import numbered
from homie.envs.thor.settings import ThorSettings
from homie.envs.thor.simulator import open_ai2thor
from homie.envs.thor.snapshot import Names, snapshot_of
from homie.kernel import registry
from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.interfaces import Locator
from homie.kernel.robot_factory import Opening
from homie.kernel.types import CameraFrame, Choice, Image, Intrinsics, Observation, Pose, Subtask
from homie.kernel.world.snapshot import WorldSnapshot

FAKE = ("fake", "stand-in")  # codespell:ignore
"""Arguments for a fake AI2-THOR: `--robot thor:fake`, and its name in version 0.1."""
CAMERA_UP = 0.675
"""Metres of the camera above the agent's position, where the metadata do not say where it is."""
NEAREST = 20
"""Reachable positions next to a thing that are tried in turn, as in EB-ALFRED."""
HOUSEHOLD = {
    "Pick": PICK_UP,
    "Open": "OpenObject",
    "Close": "CloseObject",
    "Turn on": "ToggleObjectOn",
    "Turn off": "ToggleObjectOff",
}
"""Homie's names of AI2-THOR's actions on an object."""


class ThorLocator(SymbolicLocator):
    """Knows that what is put into a sink or a bathtub is in its basin."""

    def __init__(self, robot: ThorRobot) -> None:
        super().__init__(robot)
        self._thor = robot

    def placed(self, thing: str | None, entity: str, observation: Observation) -> bool | None:
        return super().placed(thing, self._thor.receiving(entity), observation)


class ThorRobot(SymbolicRobot):
    """AI2-THOR's agent. Its world is asked for by `snapshot`, and judged as every world of Homie."""

    def __init__(self, controller: Controller, settings: ThorSettings, about: str) -> None:
        self._controller, self._settings, self._about = controller, settings, about
        self.actions, self.own_actions = NAMES[settings.actions], OWN[settings.actions]
        self.picture_size = settings.pixels
        self._event = controller.last_event
        try:
            self._begin()
        except BaseException:
            controller.stop()
            raise

    @classmethod
    def of(cls, argument: str, settings: ThorSettings) -> ThorRobot:
        """The robot of an argument: on AI2-THOR itself, or on a fake. Raises BadInput, MissingPart, RobotFault."""
        if argument not in ("", *FAKE):
            raise BadInput(f"The robot 'thor' takes '{FAKE[0]}' or nothing after its name (got '{argument}').")
        controller: Controller = registry.load("controllers", "thor")(settings) if argument else open_ai2thor(settings)
        return cls(controller, settings, FAKE[1] if argument else "ai2thor")  # records have one name for the fake

    def describe(self) -> Mapping[str, object]:
        return {"controller": self._about, "actions": self._settings.actions}

    def close(self) -> None:
        self._controller.stop()

    # ------------------------------------------------------------ the world

    def _restart(self, *, seed: int) -> None:
        """The scene as its task has it, loaded anew unless nothing was done in it. The seed decides nothing: scenes of
        AI2-THOR are as they are."""
        self._stamp = 0.0
        if self._touched:
            self._event = self._controller.reset(self._settings.floor_plan)
            self._begin()

    def _begin(self) -> None:
        """Bring a scene that was just loaded to the start of its task. Raises RobotFault."""
        settings = self._settings
        self._names = Names()
        self._changes = {state: frozenset[str]() for state in ("heated", "cooled", "clean")}
        self._gone_to = ""
        for object_id in settings.hidden:
            self._event = self._controller.step(action="DisableObject", objectId=object_id)
        if settings.pose is not None:
            x, y, z, rotation, horizon = settings.pose
            if refusal := self._teleport((x, y, z), rotation, horizon):
                raise RobotFault(f"AI2-THOR does not take the start of the scene {settings.floor_plan}: {refusal}")
        self._names.learn(self._event.metadata["objects"])
        self._touched = False

    def snapshot(self) -> WorldSnapshot:
        return snapshot_of(self._event.metadata, self._names, self._changes, self._settings.approach)

    def choices(self) -> tuple[Choice, ...]:
        """The numbered actions of EB-Navigation or EB-ALFRED; empty for the household's, which are made as for other
        worlds. Raises BadInput where EB-ALFRED's list is not given."""
        settings = self._settings
        if settings.actions == "eb-navigation":
            return tuple(Choice(name, Subtask(name)) for name in STEPS)
        if settings.actions == "household":
            return ()
        if settings.listed is None:
            raise BadInput("EB-ALFRED's numbers are those of its list: --robot-option listed=global_actions.json.")
        return numbered(settings.listed, self._event.metadata["objects"], self._names)

    def visible(self) -> list[str]:
        objects = self._event.metadata["objects"]
        return [self._names.of(item["objectId"]) for item in objects if item["visible"] and not item["isPickedUp"]]

    # ------------------------------------------------------------ actions

    def perform(self, subtask: Subtask, entity: str) -> str:
        """Carry out an action of `actions`; AI2-THOR's own message where it cannot be done."""
        action = subtask.action
        self._touched = True
        self._stamp += self.spec.period
        if action in STEPS:
            name, arguments = STEPS[action]
            return self._step(name, **arguments)
        if action in (FIND, "Go to"):
            return self._go_to(entity)
        if action in (PUT_DOWN, "Put"):
            return self._put(self._gone_to if action == PUT_DOWN else entity)
        if action == DROP:
            return self._step(DROP, forceAction=True)
        return self._on_object(HOUSEHOLD.get(action, action), self._names.id_of(entity))

    def _on_object(self, name: str, object_id: str) -> str:
        assert name in (PICK_UP, *ON_OBJECTS), f"{name} does not act on an object"
        return self._step(name, objectId=object_id)

    def _put(self, place: str) -> str:
        """Put down where the robot went last, or at a place by its name."""
        if not place:
            return "Find a place to put it down first"
        return self._step(PUT_DOWN, objectId=self._names.id_of(self.receiving(place)), forceAction=True)

    def receiving(self, place: str) -> str:
        """The name of what things are in that are put to a place: of a sink or a bathtub its nearest basin."""
        return self._names.of(self._basin_of(self._names.id_of(place)))

    def background(self) -> Locator:
        return ThorLocator(self)

    def _basin_of(self, object_id: str) -> str:
        """The nearest basin of a sink or a bathtub, into which things are put; of all else the thing itself."""
        objects = {item["objectId"]: item for item in self._event.metadata["objects"]}
        thing = objects.get(object_id)
        basins = [item for item in objects.values() if thing and item["objectType"] == f"{thing['objectType']}Basin"]
        if thing is None or not basins:
            return object_id
        nearest = min(basins, key=lambda item: math.dist(item["position"].values(), thing["position"].values()))
        return str(nearest["objectId"])

    def _go_to(self, entity: str) -> str:
        """Stand at the reachable position that is nearest to a thing, and look at it. A room has no nearer place."""
        if entity in self.snapshot().rooms:
            return ""
        item = next(item for item in self._event.metadata["objects"] if item["objectId"] == self._names.id_of(entity))
        target = item["position"]
        cells = self._controller.step(action="GetReachablePositions").metadata["actionReturn"] or ()
        nearest = sorted(cells, key=lambda at: math.hypot(at["x"] - target["x"], at["z"] - target["z"]))[:NEAREST]
        refusal = f"Cannot move to {entity.replace('_', ' ')}"
        for at in nearest:
            distance = math.hypot(target["x"] - at["x"], target["z"] - at["z"])
            rotation = math.degrees(math.atan2(target["x"] - at["x"], target["z"] - at["z"]))
            horizon = math.degrees(math.atan2(at["y"] + CAMERA_UP - target["y"], distance))
            if not self._teleport((at["x"], at["y"], at["z"]), rotation % 360.0, min(max(horizon, -30.0), 60.0)):
                self._gone_to = entity
                return ""
        return refusal

    def _teleport(self, at: tuple[float, float, float], rotation: float, horizon: float) -> str:
        x, y, z = at
        return self._step(
            "Teleport",
            position={"x": x, "y": y, "z": z},
            rotation={"x": 0.0, "y": rotation, "z": 0.0},
            horizon=horizon,
            standing=True,
        )

    def _step(self, action: str, **arguments: object) -> str:
        """Tell the controller an action; its message if that failed, with names for objectIds."""
        previous = self._event
        self._event = self._controller.step(action=action, **arguments)
        metadata = self._event.metadata
        self._names.learn(metadata["objects"])
        if metadata["lastActionSuccess"]:
            self._note(action, str(arguments.get("objectId", "")), previous)
            return ""
        return self._in_words(metadata["errorMessage"]) or f"{action} failed"

    def _note(self, action: str, object_id: str, previous: Event) -> None:
        """What AI2-THOR does not keep, by the rules of ALFRED: a microwave that is turned on heats what is in it, a
        fridge that is closed cools it, a faucet that is turned on cleans what is in the nearest basin."""
        match action, object_id.split("|")[0]:
            case "ToggleObjectOn", "Microwave":
                self._add("heated", object_id)
            case "CloseObject", "Fridge":
                self._add("cooled", object_id)
            case "ToggleObjectOn", "Faucet":
                objects = {item["objectId"]: item for item in previous.metadata["objects"]}
                faucet = objects[object_id]["position"]
                basins = [item for item in objects.values() if item["objectType"] == "SinkBasin"]
                if basins:
                    nearest = min(basins, key=lambda item: math.dist(item["position"].values(), faucet.values()))
                    self._add("clean", nearest["objectId"])

    def _add(self, state: str, receptacle: str) -> None:
        inside = next(
            item["receptacleObjectIds"] or ()
            for item in self._event.metadata["objects"]
            if item["objectId"] == receptacle
        )
        self._changes[state] |= frozenset(inside)

    def _in_words(self, message: str) -> str:
        """A message of AI2-THOR with the names of things in the place of their ids, the longest first."""
        for object_id in sorted(self._names.ids, key=len, reverse=True):
            message = message.replace(object_id, self._names.of(object_id).replace("_", " "))
        return message

    # ------------------------------------------------------------ pictures

    def _frame(self, camera: str) -> CameraFrame:
        """The picture of AI2-THOR, with depth and instances where it renders them."""
        event = self._event
        assert event.frame is not None, "AI2-THOR renders pictures unless configured otherwise"
        height, width = event.frame.shape[:2]
        metadata = event.metadata
        focal = height / 2.0 / math.tan(math.radians(metadata.get("fov", self._settings.field_of_view)) / 2.0)
        lens = Intrinsics(focal, focal, width / 2.0, height / 2.0, width, height)
        masks = event.instance_masks or {}
        known = {item["objectId"] for item in metadata["objects"]}
        seen = [object_id for object_id in masks if object_id in known]
        instances = np.full((height, width), -1, np.int32)
        for number, object_id in enumerate(seen):
            instances[masks[object_id]] = number
        names = tuple(self._names.of(object_id) for object_id in seen)
        return CameraFrame(camera, event.frame, event.depth_frame, lens, self._eye_pose(), instances, names)

    def _eye_pose(self) -> Pose:
        """The optical frame (x right, y down, z ahead) in Homie's frame."""
        agent = self._event.metadata["agent"]
        at = agent["position"]
        eye = self._event.metadata.get("cameraPosition") or {**at, "y": at["y"] + CAMERA_UP}
        turn, tilt = math.radians(agent["rotation"]["y"]), math.radians(agent["cameraHorizon"])
        forward = np.array([math.sin(turn) * math.cos(tilt), math.cos(turn) * math.cos(tilt), -math.sin(tilt)])
        right = np.array([math.cos(turn), -math.sin(turn), 0.0])
        return Pose(
            np.array([eye["x"], eye["z"], eye["y"]]), np.column_stack([right, np.cross(forward, right), forward])
        )

    def film(self, width: int, height: int, target: str = "") -> Image:
        """The same picture in another size."""
        frame = self.look(self.eye)
        rows = np.arange(height) * frame.shape[0] // height
        columns = np.arange(width) * frame.shape[1] // width
        return frame[np.ix_(rows, columns)]


open_thor = Opening(ThorSettings, ThorRobot.of, "The agent of AI2-THOR: `thor`, or `thor:fake` in a substitute room.")
