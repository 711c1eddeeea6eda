"""What an environment says of its scenes without a robot in them: suites, reports and runs ask here.

An environment registers a `Scenes` under the name of its robot (`homie.scenes`, docs/extending.md); a robot that is not
registered has them as its attribute `scenes`. For one without, such as another body in the home, a suite chooses scenes
by options of a run (`rooms: 3`).
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
    """The scenes of an environment. What it does not override, the environment does not have.

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
    """Keys that a suite may have under `scene` in addition to `seed` and `spec`; None for the names of a run's
    options."""
    skills: ClassVar[str] = ""
    """The skill sets of its robot where no others are asked for (`--skills`); "" for the usual ones."""
    expert: ClassVar[str] = ""
    """The planner that does every task of these scenes, which `homie bench --planner expert` plays where a suite gives
    no steps; "" where there is none."""

    def __init_subclass__(cls, **arguments: object) -> None:
        super().__init_subclass__(**arguments)
        renamed_members(cls, {"outset": "initial_state"})  # codespell:ignore

    def options(self, robot: str, choice: BaseModel) -> Mapping[str, Any]:
        """The options of a run (`homie.kernel.options.RunOptions`) that make the chosen scene.

        Args:
            robot: As `--robot` names it.
            choice: An instance of `Choice`.

        Raises:
            BadInput: The robot is one of another scene already.
        """
        return choice.model_dump(exclude_unset=True)

    def instruction(self, argument: str, seed: int, file: Path | None) -> str:
        """What a scene asks for by itself, for runs that are given no instruction; "" where scenes set no task.

        Args:
            argument: Of the robot: what stands after the colon in `franka:stack`.
            seed: Of the scene.
            file: The scene spec in its place, if there is one.

        Raises:
            BadInput: There is no such scene.
        """
        return ""

    def begin(self, seed: int, chosen: Mapping[str, Any]) -> WorldSnapshot | None:
        """The world of a scene by its seed before anything has happened, without physics; None where nobody can tell.

        Args:
            seed: Of the scene.
            chosen: The other keys under `scene`.

        Raises:
            BadInput: There is no such scene.
        """
        return None

    def initial_state(self, content: str) -> WorldSnapshot | None:
        """The world of a scene spec before anything has happened, without physics; None where nobody can tell.

        Args:
            content: The text of a `scene.json`.

        Raises:
            BadInput: It is not a scene of this environment.
        """
        return None

    def views(
        self, seed: int, chosen: Mapping[str, Any], number: int, picture_size: tuple[int, int], randomise: bool
    ) -> Iterator[Observation]:
        """What the robot sees of a scene from places at random, with an instance segmentation; none where there is no
        simulator to draw it.

        Args:
            seed: Of the scene and of everything random.
            chosen: The other keys under `scene`.
            number: Places.
            picture_size: Width and height in pixels.
            randomise: Whether light, colours and materials are drawn at random.

        Raises:
            BadInput: There is no such scene.
        """
        return iter(())


def with_argument(robot: str, argument: str, *, field: str, known: str, shown: bool = True) -> str:
    """A robot with what its suite says of the scene behind the colon: `libero:libero_goal/8`.

    Args:
        robot: As `--robot` names it.
        argument: Of the suite.
        field: The key under `scene` that says it.
        known: What the suite says by it, as a sentence has it: `which task it is`.
        shown: Whether the sentence repeats the robot's own argument; a path may be long.

    Raises:
        BadInput: The robot has an argument of its own.
    """
    name, _, own_argument = robot.partition(":")
    if own_argument:
        replacement = f"without `:{own_argument}`" if shown else "alone"
        raise BadInput(f"scene.{field}: the suite says {known}: give `--robot {name}` {replacement}.")
    return f"{name}:{argument}"


def scenes_of(robot: str) -> Scenes:
    """The scenes of a robot by its name on the command line, with an argument or without."""
    return _find_scenes(robot)[0]


def own_instruction(robot: str, seed: int, file: Path | None) -> str:
    """What the scene of a robot asks for by itself; see `Scenes.instruction`. Raises BadInput."""
    scenes, argument = _find_scenes(robot)
    return scenes.instruction(argument, seed, file)


def _find_scenes(robot: str) -> tuple[Scenes, str]:
    """The scenes of a robot, and its argument. One that cannot be found has none: whoever makes it says so."""
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
    """The options of a run that make a scene as a suite chooses it.

    Args:
        robot: As `--robot` names it.
        chosen: The keys under `scene` other than `seed` and `spec`.

    Raises:
        BadInput: The environment of the robot has no such scenes; the sentence begins with the field.
    """
    scenes = scenes_of(robot)
    if scenes.Choice is None:
        return dict(chosen)
    try:
        return dict(scenes.options(robot, scenes.Choice.model_validate(dict(chosen))))
    except ValidationError as error:
        fault = fault_of(error)
        raise BadInput(f"{sentence_of(fault, where(('scene', *fault['loc'])), error=error)}.") from error
