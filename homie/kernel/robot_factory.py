"""Construction of robots from the options of a run, for simulators whose scene is such an option.

OpenOptions --fields of the same name, `robot_settings`--> its Settings --make(argument, settings)--> Robot
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.robot import Robot
from homie.kernel.options import HouseOptions, OpenOptions
from homie.kernel.registry import SettingsT, check_settings

RobotT = TypeVar("RobotT", bound=Robot)

FOR_ROBOTS = ("scene", *HouseOptions.model_fields, "grasp", "picture_size", "shade", "meshes")
"""Options of a run that only apply to robots with a setting of the same name."""


@dataclass(frozen=True, slots=True)
class Opening(Generic[RobotT, SettingsT]):
    """Factory of a robot from the options of a run, registered instead of its class.

    Args:
        Settings: Pydantic model of its settings, all with defaults. A setting with the name of an option (`seed`,
            `scene`, `rooms`, `picture_size`) takes its value; `--robot-option NAME=VALUE` sets any, and has priority.
        make: Constructs the robot from its argument (`franka:ARGUMENT`) and its settings.
        about: One-sentence description for `homie list robots`.

    Example:
        ```
        open_cart = Opening(HomeSettings, CartHome.of, "A cart with an arm in a simulated house.")
        ```
    """

    Settings: type[SettingsT]
    make: Callable[[str, SettingsT], RobotT]
    about: str = ""

    def __call__(self, options: OpenOptions, argument: str = "") -> RobotT:
        """Construct the robot.

        Args:
            options: Options of the run.
            argument: ARGUMENT in `--robot NAME:ARGUMENT`.

        Raises:
            BadInput: A setting is invalid, or an option is given for which this robot has no setting.
        """
        setting_names = self.Settings.model_fields
        unsupported = [name for name in FOR_ROBOTS if name not in setting_names and _is_set(options, name)]
        name = options.robot.removesuffix(f":{argument}")
        if unsupported:
            flags = " and ".join(f"--{name.replace('_', '-')}" for name in unsupported)
            raise BadInput(f"The robot {name} does not support {flags}: leave out {flags}.")
        candidates = {name: getattr(options, name) for name in setting_names if name in OpenOptions.model_fields}
        option_values = {name: value for name, value in candidates.items() if value is not None}
        settings = check_settings(f"robot '{name}'", self.Settings, {**option_values, **options.robot_settings})
        return self.make(argument, settings)


def _is_set(options: OpenOptions, name: str) -> bool:
    default = OpenOptions.model_fields[name].get_default(call_default_factory=True, validated_data={})
    return bool(getattr(options, name) != default)
