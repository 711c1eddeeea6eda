"""Make the episodes of homie-vigil: `python -m suites.authoring.make_homie_vigil --workers 2`.

House by house, candidates of each family are drawn and tried until every stratum is full; what is kept depends on the
seeds alone. It writes suites/vigil/homie-vigil.json, an episode a line, after every few houses, and goes on from what
is in that file; remove the file to have all drawn anew.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Sequence

import numpy as np

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import HomieError
from homie.kernel.support.files import to_json, write_atomically
from homie.runtime.orphans import worker_pool
from suites.authoring.vigil_drawing import STRATA, Draws, draw
from suites.published.vigil_episode import Family
from suites.vigil.expert import Expert
from suites.vigil.frozen import EPISODES, FILE, FrozenEpisode, Setup
from suites.vigil.play_one_episode import play
from suites.vigil.stage import REACH, SEEN, Stage, open_house

SIZES = {"small": (250, 1000), "medium": (1000, 6000), "large": (6000, 100_000)}
"""Pixels of the target, of the 307,200 of a frame, in pixel grounding."""
RIVALS = 3
"""Least number of other objects in the frame that could be clicked."""
FAR = 2.5
"""Distance (m) from which on an object is far."""
HIDDEN = 10
"""Pixels of an object up to which it is hidden."""
TELLS = 0.006
"""Least fraction of the frame in which two states differ, and the smallest difference of a colour (0..255) that
counts."""
COLOUR = 25
LARGE = 1500
"""Least pixels of an object whose state is asked for."""
OBSTACLE = SEEN
"""Least pixels of an obstacle in the first frame."""


def problem(home: MujocoHome, episode: FrozenEpisode) -> str:
    """Return why a candidate is not an episode; "" if it is."""
    try:
        stage = Stage(home, episode)
    except HomieError as error:
        return f"setup: {str(error).rpartition(': ')[2]}"
    reason = _start(stage, episode) or (_alike(home, episode, stage) if episode.label else "")
    if reason:
        return reason
    stage = Stage(home, episode)
    score = play(stage, Expert(stage)).score()
    return "" if score.benchmark else "the expert does not solve it"


def _start(stage: Stage, episode: FrozenEpisode) -> str:
    family, truth = episode.family, stage.truth()
    if truth.goal is not (family is Family.SV):
        return "the goal holds at the start" if truth.goal else "not in view at the start"
    names, pixels = stage.meant(episode.goal.target), stage.pixels()
    if len(names) != 1:
        return "more than one thing is meant"
    seen, away = pixels[names[0]], stage.distance(names[0])
    match family:
        case Family.PG:
            low, high = SIZES[episode.stratum]
            rivals = sum(number >= SEEN for name, number in pixels.items() if name not in names)
            good = low <= seen < high and away <= REACH and rivals >= RIVALS
        case Family.DA:
            good = seen >= SEEN and away >= FAR
        case Family.VS | Family.SI:
            good = seen <= HIDDEN
        case Family.SV:
            good = seen >= LARGE
        case Family.AI:
            good = seen >= SEEN and away > REACH
        case Family.CR:
            good = seen >= SEEN and _is_blocked(stage, names[0])
        case _:
            good = True
    return "" if good else "not as its family begins"


def _is_blocked(stage: Stage, name: str) -> bool:
    """Return whether the obstacle, which is in view, is why it cannot be opened."""
    (obstacle,) = stage.episode.setup.floor
    with stage.native.rehearsal():
        refused = stage.native.set_doors(name, is_open=True)
    return obstacle.replace("_", " ") in refused and stage.pixels()[obstacle] >= OBSTACLE


def _alike(home: MujocoHome, episode: FrozenEpisode, stage: Stage) -> str:
    """Return why the two states cannot be distinguished in the first frame; "" if they can."""
    first = stage.picture.astype(int)
    setup = episode.setup
    other = Setup(
        doors={name: not state for name, state in setup.doors.items()},
        power={name: not state for name, state in setup.power.items()},
    )
    try:
        second = Stage(home, episode.model_copy(update={"setup": other})).picture.astype(int)
    except HomieError:
        return "setup: the other state"
    differ = float((np.abs(first - second).max(axis=2) > COLOUR).mean())
    return "" if differ >= TELLS else "the two states look alike"


EACH = 125
"""Episodes per family, as published."""
FIRST = 70_000
"""The seed of the first house: no other suite has these."""
MOST = 400
"""Most houses that are visited."""
HOUSES = 42
"""Least number of houses over which the episodes of a family are spread."""
TRIES = 12
"""Candidates per episode of a house."""
BATCH = 8
"""Houses visited for the same strata, so that the number of processes makes no difference."""

Key = tuple[Family, str]


def visit(seed: int, needed: frozenset[Key]) -> tuple[list[FrozenEpisode], Counter[str]]:
    """Return the episodes of a house in the needed strata, and why other candidates were refused."""
    home = open_house(seed)
    episodes: list[FrozenEpisode] = []
    refused: Counter[str] = Counter()
    try:
        for family, stratum in sorted(needed, key=str):
            for number in range(-(-EACH // len(STRATA[family]) // HOUSES)):
                rng = random.Random(f"{seed} {family.name} {stratum} {number}")
                for _ in range(TRIES):
                    home.reset(seed=seed)
                    candidate = draw(Draws(seed, home, rng), family, stratum)
                    reason = "nothing for it" if candidate is None else problem(home, candidate)
                    if candidate is not None and not reason:
                        episodes.append(candidate)
                        break
                    refused[f"{family.name} {stratum}: {reason}"] += 1
    finally:
        home.close()
    return episodes, refused


def quotas() -> Counter[Key]:
    """Return the number of episodes of each stratum."""
    needed: Counter[Key] = Counter()
    for family, strata in STRATA.items():
        for index in range(EACH):
            needed[family, strata[index % len(strata)]] += 1
    return needed


def next_house(kept: Sequence[FrozenEpisode]) -> int:
    """Return the seed of the first house that was not visited yet: houses are visited in batches."""
    last = max((episode.house for episode in kept), default=FIRST - 1)
    return FIRST + -(-(last + 1 - FIRST) // BATCH) * BATCH


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    workers = parser.parse_args().workers
    kept, refused = list(EPISODES.validate_json(FILE.read_bytes()) if FILE.exists() else ()), Counter[str]()
    left = quotas() - Counter((episode.family, episode.stratum) for episode in kept)
    with worker_pool(workers) as pool:
        for first in range(next_house(kept), FIRST + MOST, BATCH):
            needed = frozenset(key for key, number in left.items() if number > 0)
            if not needed:
                break
            for episodes, reasons in pool.map(visit, range(first, first + BATCH), [needed] * BATCH):
                refused += reasons
                for episode in episodes:
                    if left[episode.family, episode.stratum] > 0:
                        left[episode.family, episode.stratum] -= 1
                        kept.append(episode)
            missing = {f"{family.name} {stratum}": number for (family, stratum), number in left.items() if number}
            print(f"{first + BATCH - FIRST} houses: {len(kept)} episodes, missing {missing}", flush=True)
            write(kept)
    print("\n".join(f"{number:5} {reason}" for reason, number in refused.most_common()))


def write(episodes: list[FrozenEpisode]) -> None:
    """Number the episodes by family and write them, one a line. Strata take turns, so that the first few have all."""
    numbered: list[FrozenEpisode] = []
    for family in Family:
        own = [episode for episode in episodes if episode.family is family]
        queues = [[episode for episode in own if episode.stratum == stratum] for stratum in STRATA[family]]
        order = [queue[index] for index in range(EACH) for queue in queues if index < len(queue)]
        numbered += [e.model_copy(update={"id": f"{family.name}-{number:03}"}) for number, e in enumerate(order)]
    lines = [to_json(e.model_dump(mode="json", exclude_defaults=True), indent=None).strip() for e in numbered]
    write_atomically(FILE, b"[\n" + b",\n".join(lines) + b"\n]\n")


if __name__ == "__main__":
    main()
