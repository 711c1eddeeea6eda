"""Homie's table and homes for LeRobot: importing this registers `--env.type=homie`; `make_env` is that of EnvHub."""

from lerobot_env_homie.config import HomieEnvConfig
from lerobot_env_homie.env import HomieEnv, make_env

__all__ = ["HomieEnv", "HomieEnvConfig", "make_env"]
