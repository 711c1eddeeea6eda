"""The robot `thor`: AI2-THOR's agent as a symbolic world, with whole actions executed by AI2-THOR.

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
from homie.envs.thor.numbered_actions import scene_actions
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
"""Default height (m) of the camera above the agent's position, where the metadata lack it."""
NEAREST = 20
"""Number of reachable positions nearest to an object that are tried in turn, as in EB-ALFRED."""
HOUSEHOLD = {
    "Pick": PICK_UP,
    "Open": "OpenObject",
    "Close": "CloseObject",
    "Turn on": "ToggleObjectOn",
    "Turn off": "ToggleObjectOff",
}
"""AI2-THOR's actions on an object by Homie's names."""


class ThorLocator(SymbolicLocator):
    """Locator that resolves the basin of a sink or a bathtub as the place of objects put into it."""

    def __init__(self, robot: ThorRobot) -> None:
        super().__init__(robot)
        self._thor = robot

    def placed(self, thing: str | None, entity: str, observation: Observation) -> bool | None:
        return super().placed(thing, self._thor.receiving(entity), observation)


class ThorRobot(SymbolicRobot):
    """AI2-THOR's agent. `snapshot` returns its world state, which is judged like that of every Homie world."""

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
        """Create the robot with AI2-THOR itself, or with a fake. Raises BadInput, MissingPart, RobotFault."""
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
        """Reset the scene to the start of its task, reloading it only if an action was executed. The seed has no
        effect: AI2-THOR's scenes are fixed."""
        self._stamp = 0.0
        if self._is_modified:
            self._event = self._controller.reset(self._settings.floor_plan)
            self._begin()

    def _begin(self) -> None:
        """Set a freshly loaded scene to the initial state of its task. Raises RobotFault."""
        settings = self._settings
        self._names = Names()
        self._changes = {state: frozenset[str]() for state in ("heated", "cooled", "clean")}
        self._last_destination = ""
        for object_id in settings.hidden:
            self._event = self._controller.step(action="DisableObject", objectId=object_id)
        if settings.pose is not None:
            x, y, z, rotation, horizon = settings.pose
            if refusal := self._teleport((x, y, z), rotation, horizon):
                raise RobotFault(f"AI2-THOR does not take the start of the scene {settings.floor_plan}: {refusal}")
        self._names.learn(self._event.metadata["objects"])
        self._is_modified = False

    def snapshot(self) -> WorldSnapshot:
        return snapshot_of(self._event.metadata, self._names, self._changes, self._settings.approach)

    def choices(self) -> tuple[Choice, ...]:
        """Return the numbered actions of EB-Navigation or EB-ALFRED; none for `household`, whose choices are generated
        as for other worlds. Raises BadInput if EB-ALFRED's list is missing."""
        settings = self._settings
        if settings.actions == "eb-navigation":
            return tuple(Choice(name, Subtask(name)) for name in STEPS)
        if settings.actions == "household":
            return ()
        if settings.listed is None:
            raise BadInput("EB-ALFRED's numbers are those of its list: --robot-option listed=global_actions.json.")
        return scene_actions(settings.listed, self._event.metadata["objects"], self._names)

    def visible(self) -> list[str]:
        objects = self._event.metadata["objects"]
        return [self._names.of(item["objectId"]) for item in objects if item["visible"] and not item["isPickedUp"]]

    # ------------------------------------------------------------ actions

    def perform(self, subtask: Subtask, entity: str) -> str:
        """Execute an action of `actions`; return AI2-THOR's error message, "" on success."""
        action = subtask.action
        self._is_modified = True
        self._stamp += self.spec.period
        if action in STEPS:
            name, arguments = STEPS[action]
            return self._step(name, **arguments)
        if action in (FIND, "Go to"):
            return self._go_to(entity)
        if action in (PUT_DOWN, "Put"):
            return self._put(self._last_destination if action == PUT_DOWN else entity)
        if action == DROP:
            return self._step(DROP, forceAction=True)
        return self._on_object(HOUSEHOLD.get(action, action), self._names.id_of(entity))

    def _on_object(self, name: str, object_id: str) -> str:
        assert name in (PICK_UP, *ON_OBJECTS), f"{name} does not act on an object"
        return self._step(name, objectId=object_id)

    def _put(self, place: str) -> str:
        """Put the held object down at a place; fail if the place is ""."""
        if not place:
            return "Find a place to put it down first"
        return self._step(PUT_DOWN, objectId=self._names.id_of(self.receiving(place)), forceAction=True)

    def receiving(self, place: str) -> str:
        """Return the name of the receptacle of objects put at a place: for a sink or a bathtub its nearest basin."""
        return self._names.of(self._basin_of(self._names.id_of(place)))

    def background(self) -> Locator:
        return ThorLocator(self)

    def _basin_of(self, object_id: str) -> str:
        """Return the objectId of the nearest basin of a sink or a bathtub; for any other object, its own."""
        objects = {item["objectId"]: item for item in self._event.metadata["objects"]}
        thing = objects.get(object_id)
        basins = [item for item in objects.values() if thing and item["objectType"] == f"{thing['objectType']}Basin"]
        if thing is None or not basins:
            return object_id
        nearest = min(basins, key=lambda item: math.dist(item["position"].values(), thing["position"].values()))
        return str(nearest["objectId"])

    def _go_to(self, entity: str) -> str:
        """Teleport to the nearest reachable position of an object, facing it. For a room, do nothing."""
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
                self._last_destination = entity
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
        """Execute an action of the controller; return its error message, with names for objectIds, "" on success."""
        previous = self._event
        self._event = self._controller.step(action=action, **arguments)
        metadata = self._event.metadata
        self._names.learn(metadata["objects"])
        if metadata["lastActionSuccess"]:
            self._track_state(action, str(arguments.get("objectId", "")), previous)
            return ""
        return self._in_words(metadata["errorMessage"]) or f"{action} failed"

    def _track_state(self, action: str, object_id: str, previous: Event) -> None:
        """Track states that AI2-THOR lacks, by the rules of ALFRED: turning a microwave on heats its contents, closing
        a fridge cools its contents, turning a faucet on cleans the contents of the nearest basin."""
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
        """Replace objectIds in a message of AI2-THOR by names, the longest first."""
        for object_id in sorted(self._names.ids, key=len, reverse=True):
            message = message.replace(object_id, self._names.of(object_id).replace("_", " "))
        return message

    # ------------------------------------------------------------ images

    def _frame(self, camera: str) -> CameraFrame:
        """Return AI2-THOR's camera frame, with depth and instances if it renders them."""
        event = self._event
        assert event.frame is not None, "AI2-THOR renders pictures unless configured otherwise"
        height, width = event.frame.shape[:2]
        metadata = event.metadata
        focal = height / 2.0 / math.tan(math.radians(metadata.get("fov", self._settings.field_of_view)) / 2.0)
        lens = Intrinsics(focal, focal, width / 2.0, height / 2.0, width, height)
        masks = event.instance_masks or {}
        known_ids = {item["objectId"] for item in metadata["objects"]}
        visible_ids = [object_id for object_id in masks if object_id in known_ids]
        instances = np.full((height, width), -1, np.int32)
        for number, object_id in enumerate(visible_ids):
            instances[masks[object_id]] = number
        names = tuple(self._names.of(object_id) for object_id in visible_ids)
        return CameraFrame(camera, event.frame, event.depth_frame, lens, self._eye_pose(), instances, names)

    def _eye_pose(self) -> Pose:
        """Return the pose of the optical frame (x right, y down, z forward) in Homie's world frame."""
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
        """Return the camera image, resampled to a size."""
        frame = self.look(self.eye)
        rows = np.arange(height) * frame.shape[0] // height
        columns = np.arange(width) * frame.shape[1] // width
        return frame[np.ix_(rows, columns)]


open_thor = Opening(ThorSettings, ThorRobot.of, "The agent of AI2-THOR: `thor`, or `thor:fake` in a substitute room.")
