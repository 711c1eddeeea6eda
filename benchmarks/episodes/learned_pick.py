"""A learned Pick for the Panda on its table: ACT of LeRobot, trained on recorded picks of the skill `classical`.

    python -m benchmarks.episodes.learned_pick build/pick --lerobot build/lerobot/bin/python

On each of several tables `homie teleop` has `classical` pick every shape once, after the hand was moved at random.
`homie data lerobot --action Pick` exports the picks, `lerobot-train` trains ACT without pictures: it gets the pose of
the hand and the box of the target. On tables that it never saw the policy then picks every shape once, from the start
of the scene; so does `classical`. Success is the executor's verdict at the first attempt. The same command resumes a
stopped run, the training too. The Python of LeRobot needs Homie as well (docs/testing.md).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.episodes.skill_cloning import DONE, homie, prepare_recording
from homie.bench.intervals_and_tests import wilson
from homie.envs.mujoco.table.sampled_tables import scene_of

ROBOT = "franka:pick"
FIRST_TRAINED, FIRST_TEST = 20_000, 80_000
"""First seeds of the tables for training and for the test."""
FPS = 10
MOVES = ("left", "right", "forward", "back", "up", "down")
PUSHED_SECONDS = 1.2
"""Longest random motion of the hand before a pick: about 15 cm."""
CHUNK, EXECUTED = 20, 5
"""Poses that a decision predicts, and those of them that are carried out, 10 a second."""
CHECKPOINT = Path("checkpoints/last/pretrained_model")
EVALUATION = """
import json, sys
import homie
skills, seeds, out = sys.argv[1], range(int(sys.argv[2]), int(sys.argv[3])), sys.argv[4]
rows = []
with homie.open(robot="franka:pick", seed=seeds.start, skills=skills, attempts=1, on_missing_model="fail") as session:
    for seed in seeds:
        for name in json.loads(sys.argv[5])[str(seed)]:
            session.reset(seed)
            execution = session.call("Pick", name)
            attempt = execution.attempts[-1] if execution.attempts else None
            rows.append({
                "seed": seed, "object": name, "ok": execution.feedback.ok, "message": execution.feedback.message,
                "reason": attempt and str(attempt.reason), "seconds": attempt and attempt.robot_seconds,
            })
            print(rows[-1], flush=True)
open(out, "w").write(json.dumps(rows))
"""
"""Program that picks every shape of some tables. LeRobot's Python runs it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--lerobot", type=Path, required=True, help="Python that has lerobot and homie")
    parser.add_argument("--tables", type=int, default=176, help="to learn on")
    parser.add_argument("--tests", type=int, default=50, help="tables to be tested on")
    parser.add_argument("--steps", type=int, default=3000, help="of the training")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--workers", type=int, default=2, help="processes that record")
    arguments = parser.parse_args()
    out: Path = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(arguments.workers) as threads:
        seeds = range(FIRST_TRAINED, FIRST_TRAINED + arguments.tables)
        recorded = list(threads.map(lambda seed: record(out / "tables" / str(seed), seed), seeds))
    data = export(out / "data", recorded)
    weights = train(out / "training", data, arguments.lerobot, arguments.steps, arguments.batch)
    for skills in (f"lerobot:{weights}", "classical"):
        evaluate(out / f"{skills.partition(':')[0]}.json", skills, arguments.tests, arguments.lerobot)


def shapes(seed: int) -> list[str]:
    """Return the names of the objects of a table that can be picked."""
    return [thing.name for thing in scene_of("pick", seed).things if thing.kind != "container"]


def record(folder: Path, seed: int) -> Path:
    """Record picks of all shapes of a table, each from the start of the scene, unless already done."""
    if not prepare_recording(folder):
        return folder
    rng = random.Random(seed)
    lines = []
    for name in shapes(seed):
        pushes = [f"hand {rng.choice(MOVES)} {rng.uniform(0.1, PUSHED_SECONDS):.1f}" for _ in range(rng.randint(0, 2))]
        lines += [f"begin pick {name}", *pushes, f"pick {name}", "end"]
    homie(
        *("teleop", "--robot", ROBOT, "--seed", seed, "--skills", "classical", "--record", folder, "--speed", 0),
        *("--cameras", "front", "--picture-size", 32, "--fps", FPS),
        lines="\n".join(lines),
    )
    (folder / DONE).touch()
    return folder


def export(out: Path, folders: Sequence[Path]) -> Path:
    """Export all recorded picks to a LeRobot data set, unless already done."""
    runs = sorted(run for folder in folders for run in folder.iterdir() if run.is_dir())
    if not (out.with_suffix(".done")).exists():
        homie("data", "lerobot", *runs, "--action", "Pick", "--cameras", "none", "--language", "strings", "--out", out)
        out.with_suffix(".done").touch()
    return out


def train(out: Path, data: Path, python: Path, steps: int, batch: int) -> Path:
    """Train ACT on one core, or resume its training, unless already done. Returns the checkpoint."""
    if not out.with_suffix(".done").exists():
        script = [python, "-m", "lerobot.scripts.lerobot_train"]
        last = out / CHECKPOINT / "train_config.json"
        options = (
            (f"--config_path={last}", "--resume=true")
            if last.exists()
            else (
                *(f"--dataset.repo_id=homie/{data.name}", f"--dataset.root={data}", "--policy.type=act"),
                *("--policy.device=cpu", "--policy.push_to_hub=false", "--policy.dim_model=128", "--policy.n_heads=4"),
                *("--policy.dim_feedforward=512", "--policy.n_encoder_layers=3", "--policy.n_vae_encoder_layers=2"),
                *(f"--policy.chunk_size={CHUNK}", f"--policy.n_action_steps={EXECUTED}", "--policy.optimizer_lr=3e-4"),
                *("--policy.optimizer_weight_decay=1e-4", "--policy.dropout=0.0", f"--output_dir={out}"),
                *(f"--steps={steps}", f"--batch_size={batch}", "--num_workers=1", "--save_freq=1000", "--eval_freq=0"),
                *("--log_freq=200", "--wandb.enable=false", "--seed=1"),
            )
        )
        if out.exists() and not last.exists():
            shutil.rmtree(out)
        run([*script, *options])
        out.with_suffix(".done").touch()
    return out / CHECKPOINT


def evaluate(out: Path, skills: str, tables: int, python: Path) -> None:
    """Print how many shapes are picked from unseen tables, played unless already done."""
    seeds = range(FIRST_TEST, FIRST_TEST + tables)
    if not out.exists():
        names = json.dumps({seed: shapes(seed) for seed in seeds})
        run([python, "-c", EVALUATION, skills, seeds.start, seeds.stop, out, names])
    rows = json.loads(out.read_text())
    for what, chosen in (("shapes", rows), ("tables, first shape", first_of_each(rows))):
        picked = sum(row["ok"] for row in chosen)
        low, high = wilson(picked, len(chosen))
        print(f"{out.stem:<10} {what:<20} {picked} of {len(chosen)} [{100 * low:.1f}, {100 * high:.1f}]")


def first_of_each(rows: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """Return the first row of each table."""
    return list({row["seed"]: row for row in reversed(rows)}.values())


def run(command: Sequence[object]) -> None:
    """Run a command. Exits if it fails."""
    # Two threads of torch on two cores wait for each other whenever anything else runs: ten times slower.
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ran = subprocess.run([str(word) for word in command], check=False, env=environment)
    if ran.returncode:
        sys.exit(ran.returncode)


if __name__ == "__main__":
    main()
