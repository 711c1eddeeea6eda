"""`lerobot-eval` of the real lerobot on Homie's environments: run by `test_lerobot_env.py` in an environment with it.

with_lerobot_env.py OUT TASK EPISODES FOLDER...      FOLDERs have homie, the distribution and homie's own packages
"""

import json
import sys
from pathlib import Path
from typing import Any

import cpu_torchvision  # noqa: F401  # before lerobot, which imports torchvision
from lerobot.scripts import lerobot_eval

SEED = 22


def main() -> None:
    out, task, episodes, *folders = sys.argv[1:]
    sys.path += folders  # behind those of the environment, whose own packages come first
    sys.argv = [
        "lerobot-eval", "--env.discover_packages_path=lerobot_env_homie", "--env.type=homie", f"--env.task={task}",
        "--env.picture_size=64", "--env.episode_length=3", "--policy.type=act", "--policy.device=cpu",
        "--policy.pretrained_backbone_weights=null", "--policy.dim_model=32", "--policy.n_heads=2",
        "--policy.dim_feedforward=32", "--policy.n_encoder_layers=1", "--policy.n_decoder_layers=1",
        "--policy.n_vae_encoder_layers=1", "--policy.chunk_size=4", "--policy.n_action_steps=4",
        "--policy.push_to_hub=false", f"--eval.n_episodes={episodes}", "--eval.batch_size=2", f"--output_dir={out}",
    ]  # fmt: skip
    if task == "home":
        sys.argv.append("--env.rooms=2")
    lerobot_eval.main()
    overall = json.loads((Path(out) / "eval_info.json").read_text())["overall"]
    print(f"evaluated {overall['n_episodes']} episodes, success {overall['pc_success']}")
    if task == "table":
        print(f"the expert succeeds in {expert(lerobot_eval.rollout):.0f} %")


def expert(rollout: Any) -> float:
    """Percent of tables that Homie's expert solves in the rollout of LeRobot."""
    import torch
    from lerobot.envs.factory import make_env
    from lerobot_env_homie import HomieEnvConfig

    from homie.envs.mujoco.table.expert import plan
    from homie.envs.mujoco.table.sampled_tables import scene_of

    class Policy(torch.nn.Module):
        def reset(self) -> None:
            self.left = [json.loads(str(action)) for action in plan(scene_of("pick", SEED))]

        def select_action(self, observation: dict[str, Any]) -> torch.Tensor:
            assert observation["observation.images.front"].shape == (1, 3, 64, 64) and len(observation["task"][0]) > 10
            return torch.tensor([self.left.pop(0)], dtype=torch.float32)

    def same(value: Any) -> Any:
        return value

    envs = make_env(HomieEnvConfig(picture_size=64), n_envs=1)["homie"][0]
    played = rollout(envs, Policy(), same, same, same, same, seeds=[SEED])
    envs.close()
    return 100.0 * float(played["success"].any(dim=1).float().mean())


main()
