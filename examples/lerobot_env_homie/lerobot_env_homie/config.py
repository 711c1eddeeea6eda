"""`--env.type=homie` of LeRobot's commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from lerobot.configs.types import FeatureType, PolicyFeature
from lerobot.envs.configs import EnvConfig

from lerobot_env_homie.env import CAMERAS, GYM_ID, HomieEnv


@EnvConfig.register_subclass("homie")
@dataclass
class HomieEnvConfig(EnvConfig):
    """Which world; README.md has the options."""

    task: str | None = "table"
    fps: int = 4
    family: str = "pick"
    picture_size: int = 256
    episode_length: int = 0
    rooms: int | None = None
    features: dict[str, PolicyFeature] = field(default_factory=dict)
    features_map: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        env = HomieEnv(**self.gym_kwargs)  # opens no scene
        state, action = env.observation_space["agent_pos"].shape, env.action_space.shape
        self.features = {
            "action": PolicyFeature(type=FeatureType.ACTION, shape=action),
            "agent_pos": PolicyFeature(type=FeatureType.STATE, shape=state),
        }
        self.features_map = {"action": "action", "agent_pos": "observation.state"}
        for camera in CAMERAS[env.task]:
            shape = (self.picture_size, self.picture_size, 3)
            self.features[f"pixels/{camera}"] = PolicyFeature(type=FeatureType.VISUAL, shape=shape)
            self.features_map[f"pixels/{camera}"] = f"observation.images.{camera}"

    @property
    def package_name(self) -> str:
        return "lerobot_env_homie"

    @property
    def gym_id(self) -> str:
        return GYM_ID

    @property
    def gym_kwargs(self) -> dict[str, Any]:
        rooms = {} if self.rooms is None else {"rooms": self.rooms}
        names = ("task", "family", "picture_size", "episode_length")
        return {**{name: getattr(self, name) for name in names}, **rooms}
