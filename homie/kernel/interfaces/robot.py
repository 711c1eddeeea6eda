"""The contract of robots."""

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
from homie.kernel.robot.body import RobotSpec, stands_still
from homie.kernel.robot.safety import OverLimit, SafetyGate, refused
from homie.kernel.types import (
    VIEWS,
    Command,
    Observation,
    Proprioception,
    SentCommand,
)


class Robot(ABC):
    """A body that observes and obeys: a simulator or hardware. Used as a context manager.

    `reset`, `act` and `stop` are final, so that no robot can forget its safety gate:

    ```
    act(command) --> measured --> effector pose to joints --> SafetyGate --> _send --> SentCommand
    stop()       --> _halt --> measured, until nothing moves
    reset(seed)  --> _restart
    ```

    It is made as `cls(argument)` from `--robot NAME:ARGUMENT`; with `Settings`, as `cls(argument, settings)`. One whose
    scene is an option of the run is registered as a `homie.kernel.robot_factory.Opening`.

    A robot brings `measured`, `observe`, `_send`, `_halt`, `_restart` and `close`, and says what its body is in `spec`.
    Stop order everywhere: stop, hold or park, disconnect, then flush data; `close` does the first three.
    """

    Settings: ClassVar[type[BaseModel] | None] = None
    """The model of its settings (`--robot-option NAME=VALUE`), or None if it has none."""
    spec: RobotSpec
    kinematics: Kinematics
    over_limit: OverLimit = "clamp"
    """What the safety gate does with values over a limit."""
    lead: float = 3.0
    """How many control periods a joint target may run ahead of the measured joint; more where measurements are late."""
    stop_seconds: float = 3.0
    """Seconds in which it must have come to rest after a stop, by its own measurements."""
    views: tuple[str, ...] = VIEWS
    """The cameras whose pictures the planner gets."""
    hand: str = ""
    """The camera at the hand, "" where there is none."""
    eye: str = "head"
    """The camera whose picture a video shows beside the third-person view."""
    turns: bool = False
    """Whether its views are taken one after the other by turning: that moves it and takes a while, so they are looked
    through once a round and not while a skill runs."""
    waits: bool = False
    """Whether time pauses between two calls of `act`, as in a simulation. One that does not is stopped while
    a policy makes a decision."""
    actions: tuple[str, ...] = ()
    """What a planner may tell it, where some skill has it, End included; of EMMOE's actions no others. Empty for all of
    EMMOE's."""
    own_actions: tuple[Action, ...] = ()
    """Properties of its own actions that are not in the table of actions, as a skill set declares them. One that
    nobody declares takes a target and asks for nothing."""
    scenes: ClassVar[type[Any] | None] = None
    """Its scenes (`homie.Scenes`), as suites choose them, where it is named as MODULE:CLASS; a registered one registers
    them."""
    inventory_by: Literal["feedback", "hand"] = "feedback"
    """Where the inventory comes from: the feedback of Pick and Put (EMMOE, appendix D), or what the locator finds in
    the hand, for actions of its own that close and open it."""
    picture_size: tuple[int, int] | None = None
    """Width and height of its pictures in pixels, if it has taken them from the option `picture_size`."""

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
        """What every command passes."""
        return SafetyGate(self.spec, self.over_limit, self.lead)

    @final
    def reset(self, *, seed: int) -> None:
        """Bring robot and simulated world to the start of an episode.

        Args:
            seed: Of everything that is sampled in the world.

        Raises:
            RobotFault: It cannot be brought there.
        """
        self.gate.reset()
        self._restart(seed=seed)
        self.gate.reset()

    @final
    def act(self, command: Command) -> SentCommand:
        """Send one command for one control period.

        Args:
            command: Targets by group, or a pose of the effector. A group that is left out holds.

        Returns:
            The command as it was asked for and as the safety gate has sent it.

        Raises:
            CommandRefused: It is malformed, or over a limit of a robot that refuses; nothing was sent.
            RobotFault: The robot cannot go on safely, and has stopped.
        """
        body = self.measured()
        sent_command = self.gate.check(self._resolve_pose(command, body), body)
        self._send(sent_command.sent)
        return replace(sent_command, requested=command)

    @final
    def stop(self) -> None:
        """Stop all motion now and hold; returns once nothing is measured to move.

        Raises:
            RobotFault: It still moves after `stop_seconds`.
        """
        self.gate.reset()
        self._halt()
        previous = None
        for _ in range(math.ceil(self.stop_seconds / self.spec.period)):
            body = self.measured()
            if stands_still(body, previous, self.spec.period):
                return
            previous = body
            self._wait()
        raise RobotFault(
            f"The {self.spec.name} still moves {self.stop_seconds:g} s after it "
            "was told to stop: use its own stop."  # codespell:ignore
        )

    def begin(self, subtask: str) -> None:
        """The commands to come are for this subtask. Raises CommandRefused where a person has to approve it and does
        not."""
        return

    @abstractmethod
    def measured(self) -> Proprioception:
        """The state of its body now, without pictures."""

    @abstractmethod
    def observe(self, cameras: Collection[str] = ()) -> Observation:
        """What the robot measures now, with pictures of the named cameras.

        Args:
            cameras: Of its `views`, its `eye`, a `wrist` where it has one; none for measurements alone.

        Returns:
            Joint positions and base pose (SI), and a frame per camera: `rgb` (H, W, 3) uint8, `depth` (H, W) float32 in
            metres (0 = no return) or None.
        """

    @abstractmethod
    def _send(self, command: Command) -> None:
        """Send a command that the safety gate has passed, and return after one control period. Raises RobotFault.

        It has targets of every base, and of the other groups that get a target.
        """

    @abstractmethod
    def _halt(self) -> None:
        """Tell everything to stop moving and to hold; no need to wait until it has."""

    def _wait(self) -> None:
        """Let one control period pass, nothing new being sent."""
        time.sleep(self.spec.period)

    @abstractmethod
    def _restart(self, *, seed: int) -> None:
        """Bring robot (and simulated world) to the start of an episode."""

    @abstractmethod
    def close(self) -> None:
        """Stop, hold or park, disconnect. Idempotent."""

    def _resolve_pose(self, command: Command, body: Proprioception) -> Command:
        """A command with its effector pose, if any, as joint targets. Raises CommandRefused for one that is not finite,
        and for a robot without an arm."""
        pose, chain = command.effector, self.spec.chain
        if pose is None:
            return command
        if not chain.groups:
            raise refused(f"{self.spec.name} has no arm, so no effector to bring to a pose.")
        if not (np.isfinite(pose.position).all() and np.isfinite(pose.rotation).all()):
            raise refused("effector holds a value that is not finite.")
        if overlapping := [group.name for group in chain.groups if command.get(group.name) is not None]:
            raise refused(f"effector and {overlapping[0]} are told at once.")  # codespell:ignore
        solution = self.kinematics.solve(pose.position, pose.rotation, chain.measured(body))
        return Command({**command.targets, **chain.targets(solution.q)})

    def describe(self) -> Mapping[str, object]:
        """Settings other than code that decide its behaviour (firmware, an address), JSON-ready; as for planners."""
        return {}

    def background(self) -> Locator:
        """The locator that knows a simulator's world. Raises BadInput for a robot that does not know its own."""
        raise BadInput("Background targets need a simulator that knows its world: use --targets sensors.")

    def __enter__(self) -> Robot:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def background(robot: Robot) -> Locator:
    """The setting in which targets are located from world state (EMMOE, section 4.3)."""
    return robot.background()
