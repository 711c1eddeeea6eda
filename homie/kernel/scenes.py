"""Scenes of an environment, without constructing its robot: used by suites, reports and runs.

An environment registers a `Scenes` under the name of its robot (`homie.scenes`, docs/extending.md); a robot that is not
registered has it as its attribute `scenes`. For a robot without one, such as another body in the home, a suite chooses
scenes by options of a run (`rooms: 3`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ValidationError

from homie.kernel import registry
from homie.kernel.errors import BadInput, HomieError
from homie.kernel.support.deprecated_imports import renamed_members
from homie.kernel.support.validation_sentences import fault_of, sentence_of, where
from homie.kernel.types import Observation
from homie.kernel.world.snapshot import WorldSnapshot


class Scenes:
    """The scenes of an environment. The default of each method means that the environment does not support it.

    Example:
        ```
        class GridScenes(Scenes):
            class Choice(BaseModel):
                level: Literal["easy", "hard"] = "easy"

            def options(self, robot, choice):
                return {"robot": f"{robot}:{choice.level}"}
        ```
    """

    Choice: ClassVar[type[BaseModel] | None] = None
    """Model of the keys that a suite may have under `scene` besides `seed` and `spec`; None for the names of a run's
    options."""
    skills: ClassVar[str] = ""
    """Default skill sets of its robot (`--skills`); "" for those of Homie."""
    expert: ClassVar[str] = ""
    """Planner that solves every task of these scenes, used by `homie bench --planner expert` if a suite gives no steps;
    "" for none."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        renamed_members(cls, {"outset": "initial_state"})  # codespell:ignore

    def options(self, robot: str, choice: BaseModel) -> Mapping[str, Any]:
        """Return the options of a run (`homie.kernel.options.RunOptions`) that create the chosen scene.

        Args:
            robot: Value of `--robot`.
            choice: An instance of `Choice`.

        Raises:
            BadInput: The argument of the robot already selects another scene.
        """
        return choice.model_dump(exclude_unset=True)

    def instruction(self, argument: str, seed: int, file: Path | None) -> str:
        """Return the instruction of a scene's own task, for runs without an instruction; "" if it has none.

        Args:
            argument: Argument of the robot: `stack` in `franka:stack`.
            seed: Seed of the scene.
            file: The scene spec used instead of the seed, if there is one.

        Raises:
            BadInput: There is no such scene.
        """
        return ""

    def begin(self, seed: int, chosen: Mapping[str, Any]) -> WorldSnapshot | None:
        """Return the initial world state of a scene with a seed, without physics; None if not available.

        Args:
            seed: Seed of the scene.
            chosen: The other keys under `scene`.

        Raises:
            BadInput: There is no such scene.
        """
        return None

    def initial_state(self, content: str) -> WorldSnapshot | None:
        """Return the initial world state of a scene spec, without physics; None if not available.

        Args:
            content: The text of a `scene.json`.

        Raises:
            BadInput: It is not a scene of this environment.
        """
        return None

    def views(
        self, seed: int, chosen: Mapping[str, Any], number: int, picture_size: tuple[int, int], randomise: bool
    ) -> Iterator[Observation]:
        """Yield the robot's views of a scene from random poses, with instance segmentation; none without a simulator
        that can render it.

        Args:
            seed: Seed of the scene and of everything random.
            chosen: The other keys under `scene`.
            number: Number of poses.
            picture_size: Width and height in pixels.
            randomise: Whether light, colours and materials are randomized.

        Raises:
            BadInput: There is no such scene.
        """
        return iter(())


def with_argument(robot: str, argument: str, *, field: str, known: str, shown: bool = True) -> str:
    """Append the scene chosen by a suite to the name of a robot, as its argument: `libero:libero_goal/8`.

    Args:
        robot: Value of `--robot`.
        argument: The argument from the suite.
        field: The key under `scene` that it comes from.
        known: What the suite specifies by it, for the error message: `which task it is`.
        shown: Whether the error message repeats the robot's own argument; a path may be long.

    Raises:
        BadInput: The robot already has an argument.
    """
    name, _, own_argument = robot.partition(":")
    if own_argument:
        replacement = f"without `:{own_argument}`" if shown else "alone"
        raise BadInput(f"scene.{field}: the suite says {known}: give `--robot {name}` {replacement}.")
    return f"{name}:{argument}"


def scenes_of(robot: str) -> Scenes:
    """Return the scenes of a robot by its name on the command line, with or without an argument."""
    return _find_scenes(robot)[0]


def own_instruction(robot: str, seed: int, file: Path | None) -> str:
    """Return the instruction of the own task of a robot's scene; see `Scenes.instruction`. Raises BadInput."""
    scenes, argument = _find_scenes(robot)
    return scenes.instruction(argument, seed, file)


def _find_scenes(robot: str) -> tuple[Scenes, str]:
    """Return the scenes of a robot, and its argument. An unknown robot has no scenes here: constructing it raises."""
    name, _, argument = robot.partition(":")
    if name in registry.names("scenes"):
        return registry.load("scenes", name)(), argument
    if not argument or name in registry.names("robots"):
        return Scenes(), argument
    try:
        factory, argument = registry.find("robots", robot)
    except (ImportError, HomieError):
        return Scenes(), argument
    return (getattr(factory, "scenes", None) or Scenes)(), argument


def scene_options(robot: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a run that create the scene chosen by a suite.

    Args:
        robot: Value of `--robot`.
        chosen: The keys under `scene` other than `seed` and `spec`.

    Raises:
        BadInput: The environment of the robot has no such scenes; the message begins with the field.
    """
    scenes = scenes_of(robot)
    if scenes.Choice is None:
        return dict(chosen)
    try:
        return dict(scenes.options(robot, scenes.Choice.model_validate(dict(chosen))))
    except ValidationError as error:
        fault = fault_of(error)
        raise BadInput(f"{sentence_of(fault, where(('scene', *fault['loc'])), error=error)}.") from error
