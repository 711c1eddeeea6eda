"""Audit the physical plausibility of contacts: penetration depths over many episodes.

    python benchmarks/episodes/contact_audit.py --seeds 100 --jobs 2 --out docs/data/contact_audit.json

Plays one episode of `put_success.py` per seed, each in its own process, and measures at every physics step the
penetration of held object and fingers, of robot and furniture, of the robot and itself, and of falling objects and
their support; also counts doors that move without contact. The verdict of `put_success.py` is stored too. Writes JSON
and, beside it, a Markdown report. Episodes already in the JSON are skipped, so the same command resumes a stopped run.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.episodes.put_tasks import task_of
from benchmarks.episodes.put_verdicts import verdict_of
from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.generate.requested_changes import Variation
from homie.envs.mujoco.home.home import MujocoHome
from homie.envs.mujoco.robots.bodies.fetch_kinematics import FETCH
from homie.kernel.options import RunOptions
from homie.kernel.support.files import to_json, write_atomically
from homie.runtime.assembly import assemble
from homie.runtime.session import record

LIMITS_MM = {
    "held thing in a finger": 2.0,
    "held thing in furniture or a wall": 5.0,
    "held thing in the robot": 5.0,
    "robot in furniture or a wall": 5.0,
    "robot in a thing that it does not hold": 5.0,
    "robot in itself": 5.0,
    "loose thing in what it meets": 5.0,
}
"""Kinds of contact and their penetration limits (mm), from the issue that requested the audit."""

DOORS = "doors that move by themselves"

AT_REST = 5e-4
"""Joint limit violation (rad or m) above which a door has hit its stop; a closed door may rest at less."""


@dataclass
class Depth:
    """Deepest contact of a kind (mm), its two geoms, its time (robot seconds), and the duration over the limit (s)."""

    deepest: float = 0.0
    what: str = ""
    when: float = 0.0
    seconds_over: float = 0.0


@dataclass
class Audit:
    """Measurements of one episode, whether its final state satisfies the task, and the cause if not."""

    seed: int = 0
    task: str = ""
    depths: dict[str, Depth] = field(default_factory=lambda: {kind: Depth() for kind in LIMITS_MM})
    doors_alone: int = 0
    warnings: int = 0
    robot_seconds: float = 0.0
    physics_steps: int = 0
    as_asked: bool = False
    cause: str = ""


class ContactWatch:
    """Context manager that measures contacts at every physics step of a home."""

    def __init__(self, home: MujocoHome) -> None:
        self.home, self.audit = home, Audit()
        model = home.model
        names = [model.geom(i).name for i in range(model.ngeom)]
        self._robot = np.array([name.startswith("robot/") for name in names])
        self._fingers = np.isin(np.arange(model.ngeom), [model.geom(f"robot/{pad}").id for pad in FETCH.hand.pads])
        self._object = np.isin(model.geom_bodyid, [item.body for item in home.home.index.objects])
        self._doors = [(item.body, item.joint) for r in home.home.index.receptacles for item in r.articulations]
        self._previous_speeds = np.zeros(len(self._doors))
        self._previous_contacts: set[int] = set()
        self._previous_at_stop: set[int] = set()
        self._previous_time = 0.0

    def __enter__(self) -> ContactWatch:
        self.home.after_step = self._after_step
        return self

    def __exit__(self, *exc: object) -> None:
        self.home.after_step = None
        data = self.home.data
        self.audit.robot_seconds = round(float(data.time), 2)
        self.audit.warnings = int(sum(data.warning.number))

    def _after_step(self) -> None:
        data = self.home.data
        self.audit.physics_steps += 1
        now = float(data.time)
        elapsed, self._previous_time = max(0.0, now - self._previous_time), now
        count = data.ncon
        depth = -data.contact.dist[:count]
        pairs = data.contact.geom[:count]
        held = self._held_body()
        for k in np.flatnonzero(depth > 1e-4):
            self._record_depth(self._contact_kind(pairs[k], held), 1e3 * float(depth[k]), pairs[k], now, elapsed)
        self._check_doors(pairs, held)

    def _held_body(self) -> int:
        name = self.home.grasping.held_object
        return -1 if name is None else int(self.home.model.body(name).id)

    def _contact_kind(self, pair: Any, held: int) -> str:
        first, other = (pair[0], pair[1]) if self._robot[pair[0]] or not self._robot[pair[1]] else (pair[1], pair[0])
        body = self.home.model.geom_bodyid
        if self._robot[first]:
            if self._robot[other]:
                return "robot in itself"
            if body[other] == held:
                return "held thing in a finger" if self._fingers[first] else "held thing in the robot"
            return "robot in a thing that it does not hold" if self._object[other] else "robot in furniture or a wall"
        if held in (body[first], body[other]) and not (self._object[first] and self._object[other]):
            return "held thing in furniture or a wall"
        return "loose thing in what it meets"

    def _record_depth(self, kind: str, mm: float, pair: Iterable[int], now: float, elapsed: float) -> None:
        depth = self.audit.depths[kind]
        if mm > LIMITS_MM[kind]:
            depth.seconds_over = round(depth.seconds_over + elapsed, 3)
        if mm > depth.deepest:
            what = " / ".join(self.home.model.geom(int(g)).name for g in pair)
            depth.deepest, depth.what, depth.when = round(mm, 2), what, round(now, 2)

    def _check_doors(self, pairs: Any, held: int) -> None:
        """Count doors that start to move or accelerate without a contact and without a rebound from their stop."""
        model, data = self.home.model, self.home.data
        speeds = np.array([abs(float(data.qvel[model.jnt_dofadr[joint]])) for _, joint in self._doors])
        touched = {int(body) for body in np.unique(model.geom_bodyid[pairs])} if len(pairs) else set()
        constrained = {int(model.eq_obj2id[k]) for k in range(model.neq) if data.eq_active[k]}
        at_stop = {body for body, joint in self._doors if self._at_stop(joint)}
        may_move = touched | self._previous_contacts | constrained | at_stop | self._previous_at_stop
        for (body, _), previous_speed, speed in zip(self._doors, self._previous_speeds, speeds, strict=True):
            if speed > 0.01 and speed > previous_speed + 1e-3 and body not in may_move:
                self.audit.doors_alone += 1
        self._previous_speeds, self._previous_contacts, self._previous_at_stop = speeds, touched, at_stop

    def _at_stop(self, joint: int) -> bool:
        """Whether a door has hit its stop at either end: the simulated joint briefly exceeds its range."""
        low, high = self.home.model.jnt_range[joint]
        at = float(self.home.data.qpos[self.home.model.jnt_qposadr[joint]])
        return not low - AT_REST < at < high + AT_REST


def watch_one(seed: int, grasp: str, clutter: str = "tidy") -> Audit:
    """Play the episode of a seed in this process and audit its contacts."""
    with tempfile.TemporaryDirectory() as scratch:
        task, out = task_of(seed, generate(seed, variation=Variation(clutter=clutter))), Path(scratch) / "run"
        values = {"task": task.text, "seed": seed, "grasp": grasp, "clutter": clutter}
        options = RunOptions.build(**values, video=False, frames=False, out=out)
        with assemble(options) as parts:
            assert isinstance(parts.robot, MujocoHome)
            with ContactWatch(parts.robot) as watch:
                record(options, parts, [])
        verdict = verdict_of(task, out, wall=0.0)
    audit = watch.audit
    audit.seed, audit.task, audit.as_asked, audit.cause = seed, task.text, verdict.success, verdict.cause
    return audit


def _watch_in_subprocess(seed: int, grasp: str, clutter: str) -> dict[str, Any]:
    command = [sys.executable, __file__, "--only", str(seed), "--grasp", grasp, "--clutter", clutter]
    completed = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    if completed.returncode != 0:
        return {"seed": seed, "error": (completed.stderr.strip().splitlines() or ["?"])[-1]}
    audit: dict[str, Any] = json.loads(completed.stdout.splitlines()[-1])
    return audit


def page(audits: list[dict[str, Any]], grasp: str) -> str:
    """Format the results as Markdown."""
    valid = [audit for audit in audits if "error" not in audit]
    hours = sum(audit["robot_seconds"] for audit in valid) / 3600
    steps = sum(audit["physics_steps"] for audit in valid)
    lines = [
        f"## Contact audit, grasp by {grasp}",
        "",
        f"{len(valid)} episodes of put X on/in Y, {hours:.1f} hours of robot time, {steps:,} physics steps looked at.",
        "",
        f"{sum(audit['as_asked'] for audit in valid)} of {len(valid)} ended with the world as asked.",
        "",
        "| what is in what | limit, mm | deepest, mm | median episode, mm | 95 % of episodes, mm | over | s over |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, limit in LIMITS_MM.items():
        deepest = np.array([audit["depths"][kind]["deepest"] for audit in valid] or [0.0])
        total_over = sum(audit["depths"][kind]["seconds_over"] for audit in valid)
        lines.append(
            f"| {kind} | {limit:g} | {deepest.max():.1f} | {np.median(deepest):.1f} | {np.percentile(deepest, 95):.1f} "
            f"| {int((deepest > limit).sum())} | {total_over:.1f} |"
        )
    alone = sum(audit["doors_alone"] for audit in valid)
    lines += ["", f"{DOORS.capitalize()}: {alone} steps. Warnings of MuJoCo: {sum(a['warnings'] for a in valid)}."]
    worst = [(kind, *_worst(kind, valid)) for kind in LIMITS_MM]
    worst = [row for row in worst if row[1] > LIMITS_MM[row[0]]]
    if worst:
        lines += ["", "| the deepest | mm | seed | second | what |", "|---|---:|---:|---:|---|"]
        lines += [f"| {kind} | {mm:.1f} | {seed} | {when:.1f} | {what} |" for kind, mm, seed, when, what in worst]
    not_as_asked = [audit for audit in valid if not audit["as_asked"]]
    if not_as_asked:
        lines += ["", "| not as asked | task | cause |", "|---:|---|---|"]
        lines += [f"| {audit['seed']} | {audit['task']} | {audit['cause']} |" for audit in not_as_asked]
    failed = [audit for audit in audits if "error" in audit]
    lines += [f"\nSeed {audit['seed']} did not run: {audit['error']}" for audit in failed]
    return "\n".join(lines) + "\n"


def _worst(kind: str, audits: list[dict[str, Any]]) -> tuple[float, int, float, str]:
    if not audits:
        return 0.0, 0, 0.0, ""
    worst = max(audits, key=lambda audit: audit["depths"][kind]["deepest"])
    depth = worst["depths"][kind]
    return depth["deepest"], worst["seed"], depth["when"], depth["what"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=10000)
    parser.add_argument("--grasp", choices=("weld", "friction"), default="weld")
    parser.add_argument("--clutter", choices=("tidy", "messy"), default="tidy")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--out", type=Path, default=Path("contact_audit.json"))
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only is not None:
        print(json.dumps(asdict(watch_one(arguments.only, arguments.grasp, arguments.clutter))))
        return
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    audits: list[dict[str, Any]] = json.loads(arguments.out.read_text()) if arguments.out.exists() else []
    audits = [audit for audit in audits if "error" not in audit]
    finished_seeds = {audit["seed"] for audit in audits}
    seeds = [seed for seed in range(arguments.first, arguments.first + arguments.seeds) if seed not in finished_seeds]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for audit in pool.map(lambda seed: _watch_in_subprocess(seed, arguments.grasp, arguments.clutter), seeds):
            audits.append(audit)
            deep = {kind: depth["deepest"] for kind, depth in audit.get("depths", {}).items() if depth["deepest"] > 1}
            print(audit["seed"], audit.get("task") or audit["error"], deep, flush=True)
            write_atomically(arguments.out, to_json(audits, indent=1))
    page_of = arguments.out.with_suffix(".md")
    page_of.write_text(page(audits, arguments.grasp), encoding="utf-8")
    print(page_of.read_text())


if __name__ == "__main__":
    main()
