"""Small homes and scripted episodes in them, for tests that need the real robot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import homie.envs.mujoco  # noqa: F401  (before mujoco itself, whatever MUJOCO_GL says)

# isort: split
import mujoco

from homie.envs.mujoco.house.spec import SceneSpec
from homie.envs.mujoco.robots.drive import BASE_JOINTS
from homie.kernel.options import RunOptions
from homie.kernel.types import RoundRecord
from homie.runtime.runstore import read_steps
from homie.runtime.session import run

EXAMPLES = Path(__file__).parents[1] / "examples"
SCENES, PLANS = EXAMPLES / "scenes", EXAMPLES / "plans"

Fields = Mapping[str, object]


def one_room(
    furniture: Sequence[Fields] = (),
    objects: Sequence[Fields] = (),
    robot: tuple[float, float, float] = (2.0, 2.0, 0.0),
    size: tuple[float, float] = (4.0, 4.0),
) -> SceneSpec:
    """A kitchen with its corner at the origin. Furniture: without `room`. Objects: without `surface` on the floor."""
    room = {"name": "kitchen", "kind": "kitchen", "x0": 0, "y0": 0, "x1": size[0], "y1": size[1]}
    floor = {"receptacle": "kitchen", "surface": "floor"}
    return SceneSpec.model_validate(
        {
            "rooms": [room],
            "furniture": [{"room": "kitchen", **piece} for piece in furniture],
            "objects": [{**({} if "surface" in thing else floor), **thing} for thing in objects],
            "robot": dict(zip(("x", "y", "yaw"), robot, strict=True)),
        }
    )


def play(
    folder: Path, scene: SceneSpec | Path, script: Sequence[object] | Path, **options: object
) -> tuple[RoundRecord, ...]:
    """Run scripted decisions through the whole of Homie; the records as `steps.jsonl` has them."""
    if isinstance(scene, SceneSpec):
        (folder / "scene.json").write_text(scene.dump())
        scene = folder / "scene.json"
    if not isinstance(script, Path):
        (folder / "plan.json").write_text(json.dumps(list(script)))
        script = folder / "plan.json"
    settings = {"task": "do as the script says", "video": False, "frames": False, "out": folder / "run"}
    summary = run(RunOptions.build(scene=scene, planner=f"scripted:{script}", **{**settings, **options}))
    return read_steps(summary.episode_folder)


def made_with(run: Path) -> dict[str, Any]:
    """What the parts of a run say of themselves: the only description that its folder keeps."""
    (path,) = (run / "parts").glob("*.json")
    described: dict[str, Any] = json.loads(path.read_text())
    return described


def final_state(folder: Path) -> dict[str, object]:
    """What `final_state.json` of the only episode of `play` says."""
    (path,) = (folder / "run" / "episodes").glob("*/final_state.json")
    state: dict[str, object] = json.loads(path.read_text())
    return state


def lay(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    name: str,
    position: Sequence[float],
    quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
) -> None:
    """Lay an object somewhere, at rest. `position`: of its middle, (3,); `quaternion`: wxyz."""
    at, dof = int(model.joint(name).qposadr[0]), int(model.joint(name).dofadr[0])
    data.qpos[at : at + 7] = [*position, *quaternion]
    data.qvel[dof : dof + 6] = 0.0
    mujoco.mj_forward(model, data)


def stand(model: mujoco.MjModel, data: mujoco.MjData, x: float, y: float, yaw: float) -> None:
    """Put the robot somewhere else (m, rad), at rest; robot time goes on by a second."""
    for name, value in zip(BASE_JOINTS, (x, y, yaw), strict=True):
        data.qpos[int(model.joint(f"robot/{name}").qposadr[0])] = value
    data.qvel[:] = 0.0
    data.time += 1.0
    mujoco.mj_forward(model, data)


def swing(model: mujoco.MjModel, data: mujoco.MjData, receptacle: str, opening: float) -> None:
    """Bring a door (rad) or drawer (m) to an opening."""
    data.qpos[int(model.joint(f"{receptacle}/joint").qposadr[0])] = opening
    mujoco.mj_forward(model, data)
