"""`--skills inspect-robots:NAME`: a policy of inspect-robots picks and puts, as on the embodiment `homie-table`.

    homie run --robot franka:pick --skills inspect-robots:agent --skill-option 'inspect-robots.args={model: ...}'

An action is the target of every joint, absolute, for some control periods (`homie.integrations.inspect_robots`). The
package's own check compares what policy and robot declare before the first command. Needs the extra `inspect-robots`.
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

from homie.integrations.inspect_robots import POSITIONS, described
from homie.kernel.errors import BadInput, suggestion
from homie.kernel.interfaces import Kinematics, Skill, SkillSet
from homie.kernel.robot.action_vector import ActionVector
from homie.kernel.robot.body import RobotSpec
from homie.kernel.types import Command, Failure, FailureReason, Goal, Observation, Outcome, Subtask
from homie.kernel.types import Image as Picture

HELD_SECONDS = 1.0
"""So long the hand holds a thing after Pick, or nothing after Put, when the action is done."""
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
    """Pick, Put, Open or Close by a policy of inspect-robots. The robot stands while it decides.

    Args:
        policy: Of the package.
        spec: The body.
        action: What it is for.
        settings: Of the set.
        cameras: Whose pictures it sees.
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
        self._since: float | None = None
        self._chunk: list[Action] = []
        self._command, self._left, self._count = Command(), 0, 0
        self._asked(self._policy.reset, Scene(id=subtask.action, instruction=self._text))

    def required_cameras(self) -> tuple[str, ...]:
        return () if self._left or self._chunk else self.cameras

    def act(self, observation: Observation) -> Command:
        self._judge(observation)
        if self._outcome is Outcome.RUNNING and not self._left:
            self._next(observation)
        if self._outcome is not Outcome.RUNNING:
            return Command()
        self._left -= 1
        return self._command

    def _judge(self, observation: Observation) -> None:
        """Finish when the hand has held, or not held, for long enough."""
        if self._holds is None or observation.body.holding is not self._holds:
            self._since = None
        elif self._since is None:
            self._since = observation.stamp
        elif observation.stamp - self._since >= HELD_SECONDS:
            self._finish(Outcome.SUCCEEDED, "the hand holds something" if self._holds else "the hand has let go")

    def _next(self, observation: Observation) -> None:
        """Take the next action, and ask for more where there is none."""
        if self._count >= self._settings.steps:
            self._finish(Outcome.TIMED_OUT, Failure(FailureReason.MOTIONS_RAN_OUT, count=self._count, more=""))
            return
        if not self._chunk:
            self._chunk = self._asked(self._decided, self._seen(observation)) or []
            if not self._chunk:
                return
        action = self._chunk.pop(0)
        if action.meta.get("request_stop"):
            self._finish(Outcome.SUCCEEDED, f"the policy stops: {action.meta.get('stop_reason', 'done')}")
            return
        try:
            self._command = self._vector.command(np.ravel(action.data))
        except (BadInput, ValueError) as error:  # ragged
            self._finish(Outcome.FAILED, Failure(FailureReason.MODEL_CANNOT_GO_ON, why=error))
        self._left, self._count = self._settings.periods, self._count + 1

    def _seen(self, observation: Observation) -> Seen:
        size = self._settings.picture_size
        return Seen(
            images={name: shrunk(observation.frames[name].rgb, size) for name in self.cameras},
            state={POSITIONS: self._vector.measured(observation.body)},
            instruction=self._text,
            image_times=dict.fromkeys(self.cameras, observation.stamp),
            state_time=observation.stamp,
            extra={"env_step": self._count, "approvals": []},
        )

    def _decided(self, seen: Seen) -> list[Action]:
        actions: list[Action] = list(self._policy.act(seen).actions)
        if not actions:
            raise ValueError("its chunk has no action")
        return actions

    def _asked(self, method: Any, argument: object) -> Any:
        """What the policy returns, None where it fails."""
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
        argument: The name of the policy, as `inspect-robots list policies` has it.
        settings: Its arguments, cameras, control periods.

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
        known = sorted(registered("policy"))
        if argument not in known:
            hint = suggestion(argument, known, f"choose one of {', '.join(known)}.")
            raise BadInput(f"inspect-robots has no policy '{argument}': {hint}")
        try:
            self._policy = resolve("policy", argument, **self._settings.args)
        except Exception as error:  # of another package
            raise BadInput(f"The policy '{argument}' of inspect-robots cannot be made: {error}.") from error

    def skills(self, spec: RobotSpec, kinematics: Kinematics) -> Sequence[Skill]:
        """Raises BadInput for a robot that the policy is not for."""
        settings = self._settings
        cameras = settings.cameras or ("front" if spec.head is None else "head", "wrist")
        size = settings.picture_size
        views = tuple(CameraSpec(name, size, size) for name in cameras)
        info = described(spec, ActionVector(spec), views, settings.periods)
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
    """A picture (size, size, 3) without distortion, onto black."""
    if rgb.shape[:2] == (size, size):
        return rgb.copy()
    return np.asarray(ImageOps.pad(Image.fromarray(rgb), (size, size), Image.Resampling.BILINEAR))
