"""Robots to be started, as suites choose them."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from homie.kernel.errors import BadInput
from homie.kernel.scenes import Scenes


class RemoteChoice(BaseModel):
    """What is started for a task, or where it runs: what stands behind `remote:`, "" for that of `--robot`. `seed`
    beside it is that of its scene."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: str = ""


class HabitatScenes(Scenes):
    """Scenes of the robot `habitat`, which carries out whole actions: the configuration says which."""

    skills = "own"


class RemoteScenes(Scenes):
    """Scenes of the robot `remote`. A suite need not choose one: then `--robot remote:TARGET` does."""

    Choice: ClassVar[type[BaseModel]] = RemoteChoice
    skills = "classical"

    def options(self, robot: str, choice: BaseModel) -> dict[str, Any]:
        assert isinstance(choice, RemoteChoice)
        name, _, argument = robot.partition(":")
        if not choice.target:
            return {}
        if argument:
            raise BadInput(f"scene.target: the suite says what is started: give `--robot {name}` alone.")
        return {"robot": f"{name}:{choice.target}"}
