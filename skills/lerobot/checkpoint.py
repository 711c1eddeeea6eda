"""Checkpoints of LeRobot (`pretrained_model`): reading what they say of themselves, without lerobot."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field

from homie.kernel.errors import BadInput
from homie.kernel.robot.hand_numbers import ACTION_LABELS, GOAL_LABELS, STATE_LABELS
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from skills.checkpoints.checkpoint_folders import HUB_FILE
from skills.checkpoints.formats import CheckpointFormat

CONFIG, WEIGHTS, TRAINING = "config.json", HUB_FILE, "train_config.json"
INFO = Path("meta/info.json")
"""Description of a data set; a copy of it in the folder of a checkpoint tells the rate where the data set is gone."""
STATE, GOAL, ACTION, PICTURES = "observation.state", "observation.environment_state", "action", "observation.images."

CHECKPOINT = CheckpointFormat(
    policy="lerobot",
    prefixes=("model.encoder.", "model.action_head."),
    layouts={},
    writers={},
    use="--skills lerobot:{path}",
)
"""ACT is recognised by its tensors. lerobot checks them when it loads them."""


class _Feature(BaseModel):
    shape: tuple[int, ...]


class _Config(BaseModel):
    type: str
    input_features: dict[str, _Feature]
    output_features: dict[str, _Feature]


class _DataSet(BaseModel):
    root: str | None = None


class _Training(BaseModel):
    dataset: _DataSet | None = None


class _Info(BaseModel):
    fps: float = Field(gt=0.0)


@dataclass(frozen=True, slots=True)
class Description:
    """What a policy takes.

    Attributes:
        kind: Its class in LeRobot, such as `act`.
        cameras: Height and width of its pictures by the robot's camera.
        takes_goal: Whether it takes the box of the target.
        rate: Frames per second of its data set, None if nothing says so.
    """

    kind: str
    cameras: dict[str, tuple[int, int]]
    takes_goal: bool
    rate: float | None


def read_description(folder: Path) -> Description:
    """Read the description of a checkpoint. Raises BadInput for another folder, and for a policy that takes other
    numbers than those of `homie.kernel.robot.hand_numbers`."""
    path = folder / CONFIG
    if not path.is_file() or not (folder / WEIGHTS).is_file():
        raise BadInput(
            f"{folder} is not a checkpoint of LeRobot, which has {CONFIG} and {WEIGHTS}: give the folder "
            "pretrained_model."
        )
    with reading(path):
        config = _Config.model_validate(load_json(path))
    inputs = config.input_features
    expected = [(STATE, inputs, STATE_LABELS), (ACTION, config.output_features, ACTION_LABELS)]
    for name, features, labels in [*expected, *([(GOAL, inputs, GOAL_LABELS)] if GOAL in inputs else [])]:
        shape = features[name].shape if name in features else ()
        if shape != (len(labels),):
            count = " x ".join(map(str, shape)) or "no"
            raise BadInput(
                f"The policy in {folder} has {count} numbers as {name}, and {len(labels)} are needed: train it on the "
                "motions of a hand (homie data lerobot --action)."
            )
    if others := sorted(name for name in inputs if name not in (STATE, GOAL) and not name.startswith(PICTURES)):
        raise BadInput(f"The policy in {folder} takes {', '.join(others)}, which no robot of Homie has.")
    cameras = {name.removeprefix(PICTURES): inputs[name].shape for name in inputs if name.startswith(PICTURES)}
    if wrong := sorted(name for name, shape in cameras.items() if len(shape) != 3 or shape[0] != 3):
        raise BadInput(
            f"The policy in {folder} takes pictures of the camera '{wrong[0]}' that are not (3, height, width)."
        )
    return Description(
        kind=config.type,
        cameras={name: (shape[1], shape[2]) for name, shape in cameras.items()},
        takes_goal=GOAL in inputs,
        rate=_rate(folder),
    )


def _rate(folder: Path) -> float | None:
    """Return the rate in a copy of the data set's `info.json`, or in the data set that the policy was trained on."""
    places = [folder / INFO.name]
    if (folder / TRAINING).is_file():
        with reading(folder / TRAINING):
            dataset = _Training.model_validate(load_json(folder / TRAINING)).dataset
        places += [Path(dataset.root) / INFO] if dataset is not None and dataset.root else []
    for place in places:
        if place.is_file():
            with reading(place):
                return _Info.model_validate(load_json(place)).fps
    return None
