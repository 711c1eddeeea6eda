"""Scene specs: a house as a JSON file, version 1. docs/scene-spec.md explains every field.

Frames: world x, y on the floor in metres, yaw in radians. The x, y, yaw of an object are in the frame of its surface,
or in the world if it is on a floor.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from pydantic import model_validator

from homie.envs.mujoco.house.spec_checks import check
from homie.envs.mujoco.house.spec_doubts import doubts
from homie.envs.mujoco.house.spec_parts import SceneParts
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading


class SceneSpec(SceneParts):
    """A whole house, whose parts fit together."""

    @model_validator(mode="after")
    def _consistent(self) -> SceneSpec:
        check(self)
        return self

    @classmethod
    def load(cls, path: Path | str) -> SceneSpec:
        """Read a spec file. Warns of rooms that the robot cannot reach (`spec_doubts`).

        Raises:
            BadInput: the file cannot be read or is not a valid scene; one sentence names the first mistake.
        """
        with reading(path, "the scene spec"):
            text = Path(path).read_text(encoding="utf-8")
        scene = cls.parse(text, str(path))
        for sentence in doubts(scene):
            warnings.warn(f"{path}: {sentence}", stacklevel=2)
        return scene

    @classmethod
    def parse(cls, text: str, source: str = "scene spec") -> SceneSpec:
        """Read a spec from JSON text.

        Args:
            text: the JSON text.
            source: how error messages name the text, for example its path.

        Raises:
            BadInput: the text is not a valid scene; one sentence names the first mistake.

        Example:
            >>> room = '{"name": "hall", "kind": "study", "x0": 0, "y0": 0, "x1": 4, "y1": 4}'
            >>> scene = SceneSpec.parse('{"rooms": [' + room + '], "robot": {"x": 2, "y": 2}}')
            >>> scene.rooms[0].floor
            'wood'
        """
        with reading(source):
            loaded = parse_json(text)
            if isinstance(loaded, dict) and "things" in loaded:
                raise BadInput(f"{source} is a scene of the table, not of a house: give --robot franka with it.")
            return cls.model_validate(loaded)

    def dump(self) -> str:
        """JSON text that `parse` reads back to an equal spec."""
        return self.model_dump_json(indent=1, exclude_defaults=False) + "\n"
