"""How often the scripted expert does the tasks of the Panda's table: `python benchmarks/franka_expert.py`.

Every episode goes through the executor with its checks, the skill set `arm`, motion planning and the safety gate,
action by action; no pictures are drawn, since the expert does not look. Writes docs/data/franka-expert.json after each
episode and goes on where it was stopped. One process; `--seeds` and `--families` choose a part.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from homie.bench.statistics import wilson
from homie.envs.mujoco.table.expert import plan
from homie.envs.mujoco.table.families import generate
from homie.envs.mujoco.table.robot import FrankaTable
from homie.envs.mujoco.table.scene import FAMILIES, Family
from homie.kernel import registry
from homie.kernel.agent import EpisodeListener
from homie.kernel.executor import Executor, SkillBook
from homie.kernel.files import to_json, write_atomically
from homie.kernel.senses import Senses
from homie.kernel.types import Decision, Subtask

FILE = Path(__file__).parent.parent / "docs" / "data" / "franka-expert.json"


def play(family: Family, seed: int) -> dict[str, Any]:
    """One episode: whether it succeeded, how many actions and how much robot time it took, what went wrong."""
    began = time.process_time()
    scene = generate(family, seed)
    with FrankaTable(scene) as robot:
        locator = robot.background()
        locator.reset(seed=seed)
        skills = registry.load("skills", "arm")("").skills(robot.spec, robot.kinematics)
        book = SkillBook({"arm": {action: skill for skill in skills for action in skill.actions}})
        executor = Executor(
            Senses(robot, registry.load("detectors", "simulated")(""), locator),
            book,
            registry.load("checks", "paper"),
            registry.load("execution", "emmoe"),
            attempts=1,
            actions=book.actions(robot),
        )
        start, done, wrong = robot.observe().stamp, 0, ""
        for action in plan(scene):
            subtask = Subtask("Move", str(action))
            made = executor.execute(Decision((subtask,)), subtask, (), robot.observe(), EpisodeListener())
            if not made.feedback.ok:
                wrong = made.feedback.message
                break
            done += 1
        return {
            "seed": seed,
            "success": robot.world.success,
            "actions": done,
            "robot_seconds": round(robot.observe().stamp - start, 2),
            "cpu_seconds": round(time.process_time() - began, 2),
            "wrong": wrong,
            "instruction": scene.instruction,
        }


def summary(episodes: list[dict[str, Any]]) -> dict[str, Any]:
    """Of one family."""
    good, count = sum(one["success"] for one in episodes), len(episodes)
    low, high = wilson(good, count)
    return {
        "episodes": count,
        "successes": good,
        "rate": round(good / count, 4),
        "interval_95": [round(low, 4), round(high, 4)],
        "mean_actions": round(sum(one["actions"] for one in episodes) / count, 2),
        "mean_robot_seconds": round(sum(one["robot_seconds"] for one in episodes) / count, 2),
        "failures": [{"seed": one["seed"], "wrong": one["wrong"]} for one in episodes if not one["success"]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=list(FAMILIES))
    parser.add_argument("--out", type=Path, default=FILE)
    given = parser.parse_args()
    kept = json.loads(given.out.read_text()) if given.out.exists() else {}
    episodes: dict[str, list[dict[str, Any]]] = kept.get("episodes", {})
    for seed in range(given.seeds):
        for family in given.families:
            rows = episodes.setdefault(family, [])
            if any(row["seed"] == seed for row in rows):
                continue
            row = play(family, seed)
            rows.append(row)
            print(family, seed, "ok" if row["success"] else f"FAILED {row['wrong']}", flush=True)
            summaries = {name: summary(those) for name, those in episodes.items()}
            write_atomically(given.out, to_json({"families": summaries, "episodes": episodes}))
    for family, those in episodes.items():
        print(family, summary(those)["successes"], "of", len(those))


if __name__ == "__main__":
    main()
