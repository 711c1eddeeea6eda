"""A robot of Homie as LeRobot drives it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lerobot.robots import Robot, RobotConfig

from homie.data.recording.topics import command_labels, command_of, command_targets, measured
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Robot as Body
from homie.kernel.options import OpenOptions
from homie.runtime.assembly import open_robot
from lerobot_robot_homie.adapter import Adapter, read_adapter


@RobotConfig.register_subclass("homie")
@dataclass(kw_only=True)
class HomieConfig(RobotConfig):
    """Which robot in which scene; README.md has the options."""

    robot: str = "mujoco"
    seed: int = 0
    views: list[str] = field(default_factory=list)
    picture_size: str | None = None
    fps: float = 25.0
    adapter: Path | None = None


class Homie(Robot):
    """A robot of Homie, simulated or real. It is opened when somebody asks for its features, or connects."""

    config_class = HomieConfig
    name = "homie"

    def __init__(self, config: HomieConfig) -> None:
        super().__init__(config)
        self.config = config
        self.cameras: dict[str, Any] = {}  # LeRobot counts them to choose its threads
        self._adapter: Adapter | None = read_adapter(config.adapter) if config.adapter is not None else None
        self._body: Body | None = None
        self._connected = False

    @property
    def body(self) -> Body:
        """The robot, opened. Raises BadInput, MissingPart."""
        if self._body is None:
            config = self.config
            self._body = open_robot(
                OpenOptions.build(robot=config.robot, seed=config.seed, picture_size=config.picture_size)
            )
        return self._body

    @property
    def observation_features(self) -> dict[str, Any]:
        seen = self.body.observe(self._views)
        felt: dict[str, Any] = dict.fromkeys(measured(seen.body), float)
        return {**felt, **{view: seen.frames[view].rgb.shape for view in self._views}}

    @property
    def action_features(self) -> dict[str, Any]:
        if self._adapter is not None:
            return dict.fromkeys(self._adapter.names, float)
        return {label: float for labels in command_labels(self.body.spec).values() for label in labels}

    @property
    def is_connected(self) -> bool:
        return self._connected

    def connect(self, calibrate: bool = True) -> None:
        """To the start of the scene. Raises BadInput for cameras and joints that the robot has not."""
        self.body.reset(seed=self.config.seed)
        if self._adapter is not None:
            labels = {label for names in command_labels(self.body.spec).values() for label in names}
            if unknown := sorted(set(self._adapter.sources) - labels):
                raise BadInput(f"{self.config.adapter}: the robot has no {', '.join(unknown)}: {', '.join(labels)}.")
        self._connected = True

    @property
    def is_calibrated(self) -> bool:
        return True

    def calibrate(self) -> None:
        """Nothing: Homie's robots say radians and metres by themselves."""

    def configure(self) -> None:
        """Nothing."""

    def get_observation(self) -> dict[str, Any]:
        seen = self.body.observe(self._views)
        return {**measured(seen.body), **{view: seen.frames[view].rgb for view in self._views}}

    def send_action(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a command, in a simulation for as long as a frame lasts; what the safety gate sent comes back.

        Raises BadInput for numbers that the robot cannot take.
        """
        values = {name: float(value) for name, value in action.items()}
        try:
            command = command_of(self._adapter.adapted(values) if self._adapter else values, self.body.spec)
        except ValueError as error:
            raise BadInput(f"The action cannot be carried out: {error}.") from error
        for _ in range(self._periods):
            sent = self.body.act(command)
        return dict(action) if self._adapter else command_targets(sent.sent, self.body.spec)

    def disconnect(self) -> None:
        """Stop and let go. Idempotent."""
        self._connected = False
        body, self._body = self._body, None
        if body is not None:
            body.close()

    @property
    def _views(self) -> tuple[str, ...]:
        return tuple(self.config.views or self.body.views)

    @property
    def _periods(self) -> int:
        """Control periods of a frame: a simulation stands still between commands, hardware does not."""
        return max(1, round(1.0 / (self.config.fps * self.body.spec.period))) if self.body.waits else 1
