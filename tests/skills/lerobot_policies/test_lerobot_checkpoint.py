"""Checkpoints of LeRobot: what is no such checkpoint, or was trained on other numbers, is one sentence."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from homie.kernel.errors import BadInput, MissingPart
from skills.lerobot.checkpoint import CONFIG, read_description
from skills.lerobot.skill_set import SHIPPED, LeRobot, LeRobotSettings

INPUTS = {"observation.state": 11, "observation.environment_state": 8}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Callable[..., Path]:
    """Write the files of a checkpoint that say what it takes."""

    def write(inputs: dict[str, Any] = INPUTS, action: int = 10, **training: Any) -> Path:
        def feature(shape: Any) -> dict[str, Any]:
            return {"shape": shape if isinstance(shape, list) else [shape]}

        config = {
            "type": "act",
            "input_features": {name: feature(shape) for name, shape in inputs.items()},
            "output_features": {"action": feature(action)},
        }
        (tmp_path / CONFIG).write_text(json.dumps(config))
        (tmp_path / "model.safetensors").write_bytes(b"")
        (tmp_path / "train_config.json").write_text(json.dumps(training))
        return tmp_path

    return write


def test_a_description_has_cameras_and_goal(checkpoint):
    pictures = {"observation.images.front": [3, 96, 128]}
    description = read_description(checkpoint({**INPUTS, **pictures}))
    assert (description.kind, description.cameras, description.takes_goal) == ("act", {"front": (96, 128)}, True)
    assert not read_description(checkpoint({"observation.state": 11, **pictures})).takes_goal


def test_the_one_that_ships_says_what_it_takes():
    description = read_description(SHIPPED)
    assert (description.kind, description.cameras, description.takes_goal) == ("act", {}, True)
    assert description.rate == 10.0


@pytest.mark.parametrize(
    ("inputs", "action", "message"),
    [
        ({"observation.state": 7}, 10, "has 7 numbers as observation.state, and 11 are needed"),
        ({}, 10, "has no numbers as observation.state"),
        (INPUTS, 7, "has 7 numbers as action, and 10 are needed: train it on the motions of a hand"),
        ({**INPUTS, "observation.environment_state": 2}, 10, "has 2 numbers as observation.environment_state"),
        ({**INPUTS, "observation.force": 6}, 10, "takes observation.force, which no robot of Homie has"),
        ({**INPUTS, "observation.images.front": [1, 96, 96]}, 10, "pictures of the camera 'front'"),
    ],
)
def test_a_policy_of_other_numbers_is_refused(checkpoint, inputs, action, message):
    with pytest.raises(BadInput, match=message):
        LeRobot(str(checkpoint(inputs, action)))


def test_a_folder_without_a_checkpoint_is_refused(tmp_path, checkpoint):
    with pytest.raises(BadInput, match=r"is not a checkpoint of LeRobot.*give the folder pretrained_model"):
        LeRobot(str(tmp_path))
    (checkpoint() / CONFIG).write_text('{"type": 3')
    with pytest.raises(BadInput, match=CONFIG):
        LeRobot(str(tmp_path))


def test_the_rate_is_that_of_the_data_set(checkpoint, tmp_path):
    data = tmp_path / "data"
    (data / "meta").mkdir(parents=True)
    (data / "meta/info.json").write_text('{"fps": 12}')
    folder = checkpoint(dataset={"root": str(data)})
    assert read_description(folder).rate == 12.0
    (folder / "info.json").write_text('{"fps": 30}')  # a copy beside the weights comes first
    assert read_description(folder).rate == 30.0


@pytest.mark.parametrize("training", [{}, {"dataset": None}, {"dataset": {}}, {"dataset": {"root": "gone"}}])
def test_an_unknown_rate_is_asked_for(checkpoint, training):
    with pytest.raises(BadInput, match=r"lerobot\.rate=10"):
        LeRobot(str(checkpoint(**training)))


@pytest.mark.parametrize("info", ['{"fps": 0}', '{"fps": "ten"}', "[]", "{"])
def test_a_damaged_description_of_the_data_set_is_refused(checkpoint, info):
    (checkpoint() / "info.json").write_text(info)
    with pytest.raises(BadInput, match=r"info\.json"):
        LeRobot(str(checkpoint()))


@pytest.mark.skipif(importlib.util.find_spec("lerobot") is not None, reason="lerobot is installed")
def test_without_lerobot_a_sentence_says_how_to_install_it(checkpoint):
    with pytest.raises(
        MissingPart, match=r"'lerobot': install it in an environment of its own, as it asks for an older"
    ):
        LeRobot(str(checkpoint()), LeRobotSettings(rate=10))


@pytest.mark.slow
def test_skill_info_knows_act(tmp_path, homie):
    torch = pytest.importorskip("torch")
    safetensors = pytest.importorskip("safetensors.torch")
    tensors = {"model.encoder.layers.0.linear1.weight": torch.ones(2, 3), "model.action_head.bias": torch.ones(10)}
    safetensors.save_file(tensors, tmp_path / "model.safetensors")
    safetensors.save_file({"action.mean": torch.ones(10)}, tmp_path / "policy_postprocessor.safetensors")
    for path in (".", "model.safetensors"):
        reported = json.loads(homie("skill", "info", path, "--json").stdout)
        assert (reported["policy"], reported["parameters"], reported["problem"]) == ("lerobot", 16, "")
        assert reported["use"] == f"--skills lerobot:{path}"
