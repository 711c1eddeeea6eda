"""A policy of LeRobot without a robot: numbers and pictures in, one motion of the hand out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import torch
from lerobot.configs.policies import PreTrainedConfig
from lerobot.policies.factory import get_policy_class, make_pre_post_processors

from homie.kernel.errors import BadInput
from homie.kernel.robot.hand_numbers import ACTION_LABELS, GOAL_LABELS, STATE_LABELS, pose_of
from homie.kernel.support.files import reason_of
from homie.kernel.types import Array, Image
from skills.checkpoints.device import choose_device
from skills.lerobot.checkpoint import GOAL, PICTURES, STATE, Description
from skills.policies.motions import Motion, rotation_vector
from skills.policies.policy import Named, cannot_go_on, input_numbers


@dataclass(frozen=True, slots=True)
class LoadedPolicy:
    """Network and processors of a checkpoint."""

    network: Any
    before: Any
    after: Any
    device: torch.device


def load(folder: Path, description: Description, device: str) -> LoadedPolicy:
    """Load a checkpoint. Raises BadInput."""
    place = choose_device(device)
    try:
        config = PreTrainedConfig.from_pretrained(folder)
        config.device = str(place)
        if hasattr(config, "pretrained_backbone_weights"):
            config.pretrained_backbone_weights = None  # the checkpoint has them, and nothing is to be downloaded
        network = get_policy_class(description.kind).from_pretrained(folder, config=config)
        device_override = {"device_processor": {"device": str(place)}}
        before, after = make_pre_post_processors(
            config, pretrained_path=str(folder), preprocessor_overrides=device_override
        )
    except Exception as error:  # of lerobot, draccus, safetensors, huggingface_hub
        raise BadInput(f"lerobot cannot load the policy in {folder}: {reason_of(error)}.") from error
    return LoadedPolicy(network.eval(), before, after, place)


class LeRobotPolicy:
    """See `skills.policies.policy.Policy`.

    reset: takes `text`.
    step: takes `state` (11,) and `goal` (8,) of `homie.kernel.robot.hand_numbers`, `begin` (9,), the pose that the
    motion is added to, and pictures (h, w, 3) uint8 by camera. Returns the fields of `skills.policies.motions.Motion`,
    and `action` (10,), the numbers that the policy predicted.
    """

    def __init__(self, loaded: LoadedPolicy, description: Description, facts: Named) -> None:
        self._loaded = loaded
        self._description = description
        self._facts = facts
        self._text = ""

    @property
    def facts(self) -> Named:
        return self._facts

    def reset(self, goal: Named) -> None:
        self._text = str(goal["text"])
        for part in (self._loaded.network, self._loaded.before, self._loaded.after):
            part.reset()

    def step(self, inputs: Named) -> Named:
        loaded, goal = self._loaded, _numbers(inputs, "goal", len(GOAL_LABELS))
        begin = pose_of(_numbers(inputs, "begin", 9), goal)
        with torch.inference_mode():
            batch = loaded.before({**self._tensors(inputs), "task": [self._text]})
            action = loaded.after(loaded.network.select_action(batch))[0].float().cpu().numpy().astype(float)
        if action.shape != (len(ACTION_LABELS),):
            raise cannot_go_on(f"its action has the shape {action.shape}")
        try:
            target = pose_of(action[:9], goal)
        except ValueError as error:
            raise cannot_go_on(f"its action cannot be a pose: {error}") from error
        motion = Motion(
            translation=target.position - begin.position,
            rotation=rotation_vector(target.rotation @ begin.rotation.T),
            opening=float(np.clip(action[9], 0.0, 1.0)),
            base=np.zeros(3),
        )
        return {**motion.to_dict(), "action": action}

    def _tensors(self, inputs: Named) -> dict[str, torch.Tensor]:
        """Return the observation as a batch of one."""
        numbers = {STATE: _numbers(inputs, "state", len(STATE_LABELS))}
        if self._description.takes_goal:
            numbers[GOAL] = _numbers(inputs, "goal", len(GOAL_LABELS))
        tensors = {name: torch.from_numpy(values.astype(np.float32))[None] for name, values in numbers.items()}
        for camera, (height, width) in self._description.cameras.items():
            picture = cv2.resize(cast(Image, inputs[camera]), (width, height), interpolation=cv2.INTER_AREA)
            tensors[PICTURES + camera] = torch.from_numpy(picture.transpose(2, 0, 1).copy())[None].float() / 255.0
        return {name: tensor.to(self._loaded.device) for name, tensor in tensors.items()}


def _numbers(inputs: Named, name: str, length: int) -> Array:
    return input_numbers("LeRobot", inputs, name, length, np.float64)
