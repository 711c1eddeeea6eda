"""`--skills inspect-robots:NAME`: a policy of inspect-robots performs Pick and Put, as with the embodiment
`homie-table`.

    homie run --robot franka:pick --skills inspect-robots:agent --skill-option 'inspect-robots.args={model: ...}'

An action is the absolute target of every joint for some control periods (`homie.integrations.inspect_robots`). The
package checks the declarations of policy and robot for compatibility before the first command. Needs the extra
`inspect-robots`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from inspect_robots.compat import check_compatibility
from inspect_robots.registry import registered, resolve
from inspect_robots.scene import Scene
from inspect_robots.spaces import CameraSpec
from inspect_robots.types import Action
from inspect_robots.types import Observation as Seen
from PIL import Image, ImageOps
from pydantic import BaseModel, ConfigDict, Field

from homie.integrations.inspect_robots import POSITIONS, embodiment_info
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.action_vector import ActionVector
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Failure, FailureReason, Goal, Observation, Outcome, Subtask
from homie.kernel.types import Image as Picture

HELD_SECONDS = 1.0
"""Time for which the hand must hold an object after Pick, or none after Put, for the action to be finished."""
WORDS = {
    "Pick": "pick up the {target}",
    "Put": "put the {target} in the {destination}",
    "Open": "open the {target}",
    "Close": "close the {target}",
}


class InspectRobotsSettings(BaseModel):
    """Settings of the skill set `inspect-robots`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    args: dict[str, Any] = Field(default={}, description="Arguments of the policy, as {NAME: VALUE}.")
    words: dict[str, str] = Field(default={}, description="How an action is said, as {Pick: 'pick up the {target}'}.")
    cameras: tuple[str, ...] = Field(default=(), description="The robot's cameras; none: head or front, and wrist.")
    picture_size: int = Field(
        default=224, ge=1, le=2048, description="Pixels of a side of pictures, shrunk onto black."
    )
    periods: int = Field(default=5, ge=1, le=1000, description="Control periods for which an action is repeated.")
    steps: int = Field(default=300, ge=1, le=10_000, description="The most actions of one attempt.")


class InspectRobotsSkill(Skill):
    """Pick, Put, Open or Close by a policy of inspect-robots. The robot stands still while the policy decides.

    Args:
        policy: Policy of the package.
        spec: Specification of the robot.
        action: Action of the skill.
        settings: Settings of the skill set.
        cameras: Cameras that the policy uses.
    """

    deliberates = True

    def __init__(
        self, policy: Any, spec: RobotSpec, action: str, settings: InspectRobotsSettings, cameras: tuple[str, ...]
    ) -> None:
        self._policy, self._spec, self._settings = policy, spec, settings
        self.name, self.actions, self.cameras = f"inspect-robots/{action.lower()}", (action,), cameras
        self.max_seconds = settings.steps * settings.periods * spec.period + 10.0
        self._vector = ActionVector(spec)
        self._outcome, self._reason = Outcome.RUNNING, ""

    @property
    def outcome(self) -> Outcome:
        return self._outcome

    @property
    def reason(self) -> str:
        return self._reason

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._outcome, self._reason = Outcome.RUNNING, ""
        words = {**WORDS, **self._settings.words}[subtask.action]
        self._text = words.replace("{target}", subtask.target).replace("{destination}", subtask.destination)
        self._holds = {"Pick": True, "Put": False}.get(subtask.action)
        if self._holds is observation.body.holding:
            self._holds = None
        self._hand_since: float | None = None
        self._chunk: list[Action] = []
        self._command, self._periods_left, self._count = Command(), 0, 0
        self._call_policy(self._policy.reset, Scene(id=subtask.action, instruction=self._text))

    def required_cameras(self) -> tuple[str, ...]:
        return () if self._periods_left or self._chunk else self.cameras

    def act(self, observation: Observation) -> Command:
        self._check_hand(observation)
        if self._outcome is Outcome.RUNNING and not self._periods_left:
            self._next_action(observation)
        if self._outcome is not Outcome.RUNNING:
            return Command()
        self._periods_left -= 1
        return self._command

    def _check_hand(self, observation: Observation) -> None:
        """Finish when the hand has held an object, or has been empty, for long enough."""
        if self._holds is None or observation.body.holding is not self._holds:
            self._hand_since = None
        elif self._hand_since is None:
            self._hand_since = observation.stamp
        elif observation.stamp - self._hand_since >= HELD_SECONDS:
            self._finish(Outcome.SUCCEEDED, "the hand holds something" if self._holds else "the hand has let go")

    def _next_action(self, observation: Observation) -> None:
        """Take the next action, after querying the policy if none is left."""
        if self._count >= self._settings.steps:
            self._finish(Outcome.TIMED_OUT, Failure(FailureReason.MOTIONS_RAN_OUT, count=self._count, more=""))
            return
        if not self._chunk:
            self._chunk = self._call_policy(self._query_policy, self._policy_observation(observation)) or []
            if not self._chunk:
                return
        action = self._chunk.pop(0)
        if action.meta.get("request_stop"):
            self._finish(Outcome.SUCCEEDED, f"the policy stops: {action.meta.get('stop_reason', 'done')}")
            return
        try:
            self._command = self._vector.command(np.ravel(action.data))
        except (BadInput, ValueError) as error:  # an array of unequal rows
            self._finish(Outcome.FAILED, Failure(FailureReason.MODEL_CANNOT_GO_ON, why=error))
        self._periods_left, self._count = self._settings.periods, self._count + 1

    def _policy_observation(self, observation: Observation) -> Seen:
        size = self._settings.picture_size
        return Seen(
            images={name: shrunk(observation.frames[name].rgb, size) for name in self.cameras},
            state={POSITIONS: self._vector.measured(observation.body)},
            instruction=self._text,
            image_times=dict.fromkeys(self.cameras, observation.stamp),
            state_time=observation.stamp,
            extra={"env_step": self._count, "approvals": []},
        )

    def _query_policy(self, seen: Seen) -> list[Action]:
        actions: list[Action] = list(self._policy.act(seen).actions)
        if not actions:
            raise ValueError("its chunk has no action")
        return actions

    def _call_policy(self, method: Any, argument: object) -> Any:
        """Call a method of the policy; None and a failed outcome if it raises."""
        try:
            return method(argument)
        except Exception as error:  # of another package
            self._finish(
                Outcome.FAILED, Failure(FailureReason.MODEL_CANNOT_GO_ON, why=f"{type(error).__name__}: {error}")
            )
            return None

    def _finish(self, outcome: Outcome, reason: str) -> None:
        self._outcome, self._reason = outcome, reason


class InspectRobots(SkillSet):
    """The skill set of a policy of inspect-robots.

    Args:
        argument: Name of the policy, as in `inspect-robots list policies`.
        settings: Arguments of the policy, cameras, control periods.

    Raises:
        BadInput: There is no such policy, or it takes other arguments.
    """

    name = "inspect-robots"
    about = "does things as a policy of inspect-robots decides"
    actions = tuple(WORDS)
    extra = "inspect-robots"
    Settings = InspectRobotsSettings

    def __init__(self, argument: str = "", settings: InspectRobotsSettings | None = None) -> None:
        self._argument, self._settings = argument, settings or InspectRobotsSettings()
        if unknown := [action for action in self._settings.words if action not in WORDS]:
            raise BadInput(f"There is no action '{unknown[0]}' to be said: choose {', '.join(WORDS)}.")
        policies = sorted(registered("policy"))
        if argument not in policies:
            hint = suggestion(argument, policies, f"choose one of {', '.join(policies)}.")
            raise BadInput(f"inspect-robots has no policy '{argument}': {hint}")
        try:
            self._policy = resolve("policy", argument, **self._settings.args)
        except Exception as error:  # of another package
            raise BadInput(f"The policy '{argument}' of inspect-robots cannot be made: {error}.") from error

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        """Return the skills. Raises BadInput for a robot that the policy does not support."""
        settings = self._settings
        cameras = settings.cameras or ("front" if spec.head is None else "head", "wrist")
        size = settings.picture_size
        views = tuple(CameraSpec(name, size, size) for name in cameras)
        info = embodiment_info(spec, ActionVector(spec), views, settings.periods)
        if hasattr(self._policy, "bind"):
            self._policy.bind(info)
        report = check_compatibility(self._policy, SimpleNamespace(info=info))
        if report.errors:
            reasons = "; ".join(issue.message for issue in report.errors)
            raise BadInput(f"The policy '{self._argument}' of inspect-robots is not for the {spec.name}: {reasons}.")
        return [InspectRobotsSkill(self._policy, spec, action, settings, cameras) for action in self.actions]

    def describe(self) -> Mapping[str, object]:
        info = self._policy.info
        return {"policy": info.name, "checkpoint": info.checkpoint, **self._settings.model_dump(mode="json")}

    def close(self) -> None:
        if hasattr(self._policy, "close"):
            self._policy.close()


def shrunk(rgb: Picture, size: int) -> Picture:
    """Return a picture scaled to (size, size, 3) without distortion, padded with black."""
    if rgb.shape[:2] == (size, size):
        return rgb.copy()
    return np.asarray(ImageOps.pad(Image.fromarray(rgb), (size, size), Image.Resampling.BILINEAR))
