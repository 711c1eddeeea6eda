"""Interface of robots."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Literal, final

import numpy as np
from pydantic import BaseModel

from homie.kernel.actions import Action
from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.interfaces.kinematics import Kinematics
from homie.kernel.interfaces.locator import Locator
from homie.kernel.robot.body import RobotSpec, is_at_rest
from homie.kernel.robot.safety import OverLimit, SafetyGate, refusal
from homie.kernel.types import (
    VIEWS,
    Command,
    Observation,
    Proprioception,
    SentCommand,
)


class Robot(ABC):
    """Robot in a simulator or in hardware. Used as a context manager.

    `reset`, `act` and `stop` are final, so that no subclass can bypass its safety gate:

    ```
    act(command) --> measured --> effector pose to joints --> SafetyGate --> _send --> SentCommand
    stop()       --> _halt --> measured, until nothing moves
    reset(seed)  --> _restart
    ```

    It is constructed as `cls(argument)` from `--robot NAME:ARGUMENT`; with `Settings`, as `cls(argument, settings)`. A
    robot whose scene is an option of the run is registered as a `homie.kernel.robot_factory.Opening`.

    A subclass implements `measured`, `observe`, `_send`, `_halt`, `_restart` and `close`, and describes its body in
    `spec`. Shutdown order everywhere: stop, hold or park, disconnect, then flush data; `close` does the first three.
    """

    Settings: ClassVar[type[BaseModel] | None] = None
    """Pydantic model of its settings (`--robot-option NAME=VALUE`), or None if it has none."""
    spec: RobotSpec
    kinematics: Kinematics
    over_limit: OverLimit = "clamp"
    """Handling of values over a limit by the safety gate."""
    lead: float = 3.0
    """Control periods by which a joint target may run ahead of the measured joint; larger for delayed measurements."""
    stop_seconds: float = 3.0
    """Seconds within which it must be at rest after a stop, by its own measurements."""
    views: tuple[str, ...] = VIEWS
    """Cameras whose pictures the planner gets."""
    hand: str = ""
    """Wrist camera, "" if there is none."""
    eye: str = "head"
    """Camera whose picture a video shows beside the third-person view."""
    turns: bool = False
    """Whether it turns in place to take its views one after the other. That moves the robot and takes time, so views
    are taken once per round and not while a skill runs."""
    waits: bool = False
    """Whether time pauses between two calls of `act`, as in a simulation. A robot for which it does not is stopped
    while a policy computes a decision."""
    actions: tuple[str, ...] = ()
    """Actions that a planner may choose if some skill has them, End included; EMMOE's other actions are excluded. Empty
    for all of EMMOE's."""
    own_actions: tuple[Action, ...] = ()
    """Properties of its own actions that are not in the action table, as a skill set declares them. An undeclared
    action takes a target and has no preconditions."""
    scenes: ClassVar[type[Any] | None] = None
    """Its scenes (`homie.Scenes`), from which suites choose, for a robot named as MODULE:CLASS; a registered robot
    registers its scenes."""
    inventory_by: Literal["feedback", "hand"] = "feedback"
    """Source of the inventory: the feedback of Pick and Put (EMMOE, appendix D), or the object that the locator finds
    in the hand, for robots with their own actions that open and close it."""
    picture_size: tuple[int, int] | None = None
    """Width and height of its pictures in pixels, if set by the option `picture_size`."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        hooks = {"act": "_send", "stop": "_halt", "reset": "_restart", "gate": "over_limit"}
        for name, hook in hooks.items():
            if name in cls.__dict__:
                raise BadInput(
                    f"The robot {cls.__name__} overrides '{name}', which keeps every command within its limits: "
                    f"write '{hook}' instead (docs/robots.md)."
                )

    @cached_property
    def gate(self) -> SafetyGate:
        """Safety gate that every command passes."""
        return SafetyGate(self.spec, self.over_limit, self.lead)

    @final
    def reset(self, *, seed: int) -> None:
        """Reset robot and simulated world to the start of an episode.

        Args:
            seed: Seed of everything that is sampled in the world.

        Raises:
            RobotFault: The start state cannot be reached.
        """
        self.gate.reset()
        self._restart(seed=seed)
        self.gate.reset()

    @final
    def act(self, command: Command) -> SentCommand:
        """Send one command for one control period.

        Args:
            command: Targets by group, or a pose of the effector. A group without a target holds its position.

        Returns:
            The command as requested and as sent by the safety gate.

        Raises:
            CommandRefused: It is malformed, or exceeds a limit of a robot with `over_limit` "refuse"; nothing was sent.
            RobotFault: The robot cannot continue safely, and has stopped.
        """
        body = self.measured()
        sent_command = self.gate.check(self._resolve_pose(command, body), body)
        self._send(sent_command.sent)
        return replace(sent_command, requested=command)

    @final
    def stop(self) -> None:
        """Stop all motion now and hold; return once the measurements show no motion.

        Raises:
            RobotFault: It still moves after `stop_seconds`.
        """
        self.gate.reset()
        self._halt()
        previous = None
        for _ in range(math.ceil(self.stop_seconds / self.spec.period)):
            body = self.measured()
            if is_at_rest(body, previous, self.spec.period):
                return
            previous = body
            self._wait()
        raise RobotFault(
            f"The {self.spec.name} still moves {self.stop_seconds:g} s after it "
            "was told to stop: use its own stop."  # codespell:ignore
        )

    def begin(self, subtask: str) -> None:
        """Announce the subtask that the next commands belong to. Raises CommandRefused if a person has to approve it
        and does not."""
        return

    @abstractmethod
    def measured(self) -> Proprioception:
        """Return the current state of the body, without pictures."""

    @abstractmethod
    def observe(self, cameras: Collection[str] = ()) -> Observation:
        """Return the current measurements, with pictures of the named cameras.

        Args:
            cameras: Names from its `views`, its `eye`, `wrist` if it has one; none for measurements alone.

        Returns:
            Joint positions and base pose (SI), and a frame per camera: `rgb` (H, W, 3) uint8, `depth` (H, W) float32 in
            metres (0 = no return) or None.
        """

    @abstractmethod
    def _send(self, command: Command) -> None:
        """Send a command that has passed the safety gate, and return after one control period. Raises RobotFault.

        The command has a velocity for every base, and targets only for those other groups that are to move.
        """

    @abstractmethod
    def _halt(self) -> None:
        """Command all groups to stop and hold; need not wait until they are at rest."""

    def _wait(self) -> None:
        """Wait for one control period without sending a command."""
        time.sleep(self.spec.period)

    @abstractmethod
    def _restart(self, *, seed: int) -> None:
        """Reset robot (and simulated world) to the start of an episode."""

    @abstractmethod
    def close(self) -> None:
        """Stop, hold or park, disconnect. Idempotent."""

    def _resolve_pose(self, command: Command, body: Proprioception) -> Command:
        """Replace a command's effector pose, if any, by joint targets. Raises CommandRefused for a pose that is not
        finite, and for a robot without an arm."""
        pose, chain = command.effector, self.spec.chain
        if pose is None:
            return command
        if not chain.groups:
            raise refusal(f"{self.spec.name} has no arm, so no effector to bring to a pose.")
        if not (np.isfinite(pose.position).all() and np.isfinite(pose.rotation).all()):
            raise refusal("effector holds a value that is not finite.")
        if overlapping := [group.name for group in chain.groups if command.get(group.name) is not None]:
            raise refusal(f"effector and {overlapping[0]} are told at once.")  # codespell:ignore
        solution = self.kinematics.solve(pose.position, pose.rotation, chain.measured(body))
        return Command({**command.targets, **chain.targets(solution.q)})

    def describe(self) -> Mapping[str, object]:
        """Return the settings that determine its behaviour besides code (firmware, an address), JSON-serializable; see
        `Planner.describe`."""
        return {}

    def background(self) -> Locator:
        """Return the locator that reads a simulator's world state. Raises BadInput for a robot without world state."""
        raise BadInput("Background targets need a simulator that knows its world: use --targets sensors.")

    def __enter__(self) -> Robot:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def background(robot: Robot) -> Locator:
    """The setting in which targets are located from world state (EMMOE, section 4.3)."""
    return robot.background()
