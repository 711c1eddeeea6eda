"""Robots that are made from the options of a run, as simulators are whose scene is one of them.

OpenOptions --fields of the same name, `robot_settings`--> its Settings --make(argument, settings)--> Robot
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.robot import Robot
from homie.kernel.options import HouseOptions, OpenOptions
from homie.kernel.registry import SettingsT, checked_settings

RobotT = TypeVar("RobotT", bound=Robot)

FOR_ROBOTS = ("scene", *HouseOptions.model_fields, "grasp", "picture_size", "shade", "meshes")
"""Options of a run that mean something to robots that have a setting of the same name, and to no other."""


@dataclass(frozen=True, slots=True)
class Opening(Generic[RobotT, SettingsT]):
    """How a robot is made from the options of a run: registered in the place of its class.

    Args:
        Settings: The model of its settings, all with defaults. One that has the name of an option (`seed`, `scene`,
            `rooms`, `picture_size`) is filled by it; `--robot-option NAME=VALUE` fills every one, and wins.
        make: Makes the robot from its argument (`franka:ARGUMENT`) and its settings.
        about: What it is, in a sentence: a line of `homie list robots`.

    Example:
        ```
        open_cart = Opening(HomeSettings, CartHome.of, "A cart with an arm in a simulated house.")
        ```
    """

    Settings: type[SettingsT]
    make: Callable[[str, SettingsT], RobotT]
    about: str = ""

    def __call__(self, options: OpenOptions, argument: str = "") -> RobotT:
        """The robot of the options.

        Args:
            options: Of the run.
            argument: What stands behind its name in `--robot NAME:ARGUMENT`.

        Raises:
            BadInput: A setting is wrong, or an option is given that this robot has no setting for.
        """
        known = self.Settings.model_fields
        unsupported = [name for name in FOR_ROBOTS if name not in known and _is_set(options, name)]
        name = options.robot.removesuffix(f":{argument}")
        if unsupported:
            flags = " and ".join(f"--{name.replace('_', '-')}" for name in unsupported)
            raise BadInput(f"The robot {name} does not support {flags}: leave out {flags}.")
        candidates = {name: getattr(options, name) for name in known if name in OpenOptions.model_fields}
        option_values = {name: value for name, value in candidates.items() if value is not None}
        settings = checked_settings(f"robot '{name}'", self.Settings, {**option_values, **options.robot_settings})
        return self.make(argument, settings)


def _is_set(options: OpenOptions, name: str) -> bool:
    default = OpenOptions.model_fields[name].get_default(call_default_factory=True, validated_data={})
    return bool(getattr(options, name) != default)
