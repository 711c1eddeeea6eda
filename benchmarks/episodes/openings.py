"""Success rates of Open, Put, Close and Pick on furniture with more kinds of doors, flaps and lids.

    python -m benchmarks.episodes.openings --seeds 10
    python -m benchmarks.episodes.openings --seeds 10 --kinds chest wardrobe --skills ideal

One room per kind and seed (from 20000): its size, the wall, the position along it (often a corner), a neighbour, the
position of a table with an apple and the start of the robot are sampled. The apple is put in, the furniture is closed
and opened again, the apple is taken out and the furniture closed. All steps are tried even if earlier ones fail, so a
Put into furniture that Open left closed fails too. Failed steps are printed to stderr, one per line.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import homie
from homie.envs.mujoco.blueprints.catalog import FURNITURE, blueprint
from homie.envs.mujoco.generate.free_floor import unreachable
from homie.envs.mujoco.house.spec import SceneSpec

KINDS = ("dishwasher", "wardrobe", "chest", "sideboard", "lower_drawer", "middle_drawer", "upper_drawer")
FIRST = 20_000
STACK = ("lower_drawer", "middle_drawer", "upper_drawer")
GAP = 0.06
"""Distance (m) between furniture and the middle of a wall, which is 0.1 m thick."""
CORNER, NEIGHBOUR = 0.3, 0.5
"""Probabilities that the furniture stands in a corner, and that something stands beside it."""
TRIES = 200
"""Sampled rooms before a seed is given up: most are rejected because objects overlap or the robot is enclosed."""
TINY = {"picture_size": 16, "shade": False}
"""Picture settings: no result here depends on pictures."""


def room(kind: str, seed: int) -> SceneSpec:
    """Sample the room of a seed. Raises ValueError if none is valid."""
    rng = Random(f"{kind} {seed}")
    for _ in range(TRIES):
        try:
            scene = SceneSpec.model_validate(_sample_room(kind, rng))
        except ValueError:
            continue
        if not unreachable(scene):
            return scene
    raise ValueError(f"no room fits {kind} of seed {seed}")


def _sample_room(kind: str, rng: Random) -> dict[str, object]:
    wide, deep = rng.uniform(3.6, 5.2), rng.uniform(3.6, 5.2)
    wall = rng.randrange(4)
    run = wide if wall in (0, 2) else deep
    plan = blueprint(kind, FURNITURE[kind].colours[0])
    aside = max(plan.sweep)  # lateral clearance of doors, as in generated houses
    least, most = GAP + plan.half_y + aside, run - GAP - plan.half_y - aside
    at = rng.choice((least, most)) if rng.random() < CORNER else rng.uniform(least, most)
    first = {"kind": kind, "colour": FURNITURE[kind].colours[0], "hinge": rng.choice(("left", "right"))}
    kinds = STACK if kind in STACK else (kind,)
    furniture = [{**first, "name": name, "kind": name, **_at_wall(wall, at, plan.half_x, wide, deep)} for name in kinds]
    for piece, below in pairwise(reversed(furniture)):
        piece["stands_on"] = below["name"]
    if rng.random() < NEIGHBOUR:
        counter = blueprint("kitchen_counter", "white")
        beside = at + rng.choice((-1, 1)) * (plan.half_y + aside + counter.half_y + 0.01)
        place = _at_wall(wall, beside, counter.half_x, wide, deep)
        furniture.append({"name": "kitchen_counter", "kind": "kitchen_counter", "colour": "white", **place})
    table = blueprint("table", "white")
    along = rng.uniform(GAP + table.half_y, (deep if wall in (0, 2) else wide) - GAP - table.half_y)
    beyond = (wall + rng.choice((1, 2, 3))) % 4
    place = _at_wall(beyond, along, table.half_x, wide, deep)
    furniture.append({"name": "table", "kind": "table", "colour": "white", **place})
    apple = {"name": "apple", "kind": "apple", "colour": "red", "receptacle": "table", "surface": "top"}
    return {
        "rooms": [{"name": "room", "kind": "living room", "x0": 0, "y0": 0, "x1": wide, "y1": deep}],
        "furniture": [{"room": "room", **piece} for piece in furniture],
        "objects": [{**apple, "x": 0.2, "y": rng.uniform(-0.4, 0.4)}],
        "robot": {"x": rng.uniform(0.5, wide - 0.5), "y": rng.uniform(0.5, deep - 0.5), "yaw": rng.uniform(-3, 3)},
    }


def _at_wall(wall: int, at: float, half: float, wide: float, deep: float) -> dict[str, float]:
    """Return the pose of furniture of half depth `half` at `at` (m) along a wall: 0 south, 1 east, 2 north, 3 west."""
    out = GAP + half
    x, y = ((at, out), (wide - out, at), (at, deep - out), (out, at))[wall]
    return {"x": x, "y": y, "yaw": (math.pi / 2, math.pi, -math.pi / 2, 0.0)[wall]}


def steps(kind: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the subtasks for a piece of furniture, each with a name; steps without a name are not counted."""
    name = kind.replace("_", " ")
    yield from (("", ("Go to", name)), ("Open", ("Open", name)), ("", ("Go to", "apple")), ("", ("Pick", "apple")))
    yield from (("", ("Go to", name)), ("Put", ("Put", "apple", name)), ("Close", ("Close", name)))
    yield from (("", ("Go to", name)), ("Open again", ("Open", name)), ("Pick", ("Pick", "apple")))
    yield from (("", ("Go to", "table")), ("", ("Put", "apple", "table")), ("", ("Go to", name)))
    yield "Close again", ("Close", name)


def play(kind: str, seed: int, skills: str) -> dict[str, bool]:
    """Play a seed; return the success of each counted step."""
    outcomes: dict[str, bool] = {}
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "scene.json"
        path.write_text(room(kind, seed).dump())
        with homie.open(scene=path, skills=skills, **TINY) as session:
            for title, call in steps(kind):
                execution = session.call(*call)
                if title:
                    outcomes[title] = execution.feedback.ok
                if not execution.feedback.ok:
                    reasons = [attempt.reason for attempt in execution.attempts]
                    print(kind, seed, execution.subtask, execution.feedback.message, reasons, file=sys.stderr)
    return outcomes


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--skills", default="classical")
    arguments = parser.parse_args()
    titles = [title for title, _ in steps("chest") if title]
    print(f"| kind | {' | '.join(titles)} |\n|---|{'---|' * len(titles)}")
    for kind in arguments.kinds:
        played = [play(kind, seed, arguments.skills) for seed in range(FIRST, FIRST + arguments.seeds)]
        print(
            f"| `{kind}` | {' | '.join(str(sum(outcomes[title] for outcomes in played)) for title in titles)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
