"""Trains ACT for two steps by `lerobot-train`, then picks with it: run by `test_lerobot_policy.py` where lerobot is.

with_lerobot.py OUT DATA PYTHONPATH...      the last ones have homie and its own packages
"""

import json
import sys
from pathlib import Path

DATA_TESTS = Path(__file__).parents[2] / "data"
sys.path.insert(0, str(DATA_TESTS))

import cpu_torchvision  # noqa: E402, F401  # before lerobot, which imports torchvision
from lerobot.scripts import lerobot_train  # noqa: E402

SMALL = ("dim_model=32", "n_heads=2", "dim_feedforward=32", "n_encoder_layers=1", "n_vae_encoder_layers=1")


def main() -> None:
    out, data, *folders = sys.argv[1:]
    sys.path += folders  # behind those of the environment, whose own packages come first
    sys.argv = [
        "lerobot-train", "--dataset.repo_id=homie/picks", f"--dataset.root={data}", "--policy.type=act",
        "--policy.device=cpu", "--policy.push_to_hub=false", "--policy.chunk_size=4", "--policy.n_action_steps=2",
        "--policy.pretrained_backbone_weights=null", *(f"--policy.{setting}" for setting in SMALL), "--steps=2",
        "--batch_size=4", "--num_workers=0", "--save_freq=2", "--wandb.enable=false", f"--output_dir={out}",
    ]  # fmt: skip
    lerobot_train.main()
    print(json.dumps(pick(Path(out) / "checkpoints/last/pretrained_model")))


def pick(checkpoint: Path) -> dict[str, object]:
    """Pick with the checkpoint for a few motions on the Panda's table."""
    import homie

    settings = {"skill_settings": {"lerobot.steps": "4"}, "attempts": 1, "on_missing_model": "fail"}
    with homie.open(robot="franka:pick", seed=3, skills=f"lerobot:{checkpoint}", **settings) as session:
        (attempt,) = session.call("Pick", "pink_star").attempts
        return {"skill": attempt.skill, "reason": attempt.reason, "commands": attempt.commands}


main()
