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

from homie.kernel.support.files import to_json, write_atomically
from homie.runtime.orphans import worker_pool
from suites.authoring.vigil_checks import problem
from suites.authoring.vigil_drawing import STRATA, Draws, draw
from suites.published.vigil_episode import Family
from suites.vigil.frozen import EPISODES, FILE, FrozenEpisode
from suites.vigil.stage import open_house

EACH = 125
"""Episodes of a family, as published."""
FIRST = 70_000
"""The seed of the first house: no other suite has these."""
MOST = 400
"""Houses after which it is given up."""
HOUSES = 42
"""Houses over which the episodes of a family are spread at least."""
TRIES = 12
"""Candidates for each of them."""
BATCH = 8
"""Houses that are visited for the same strata, so that the number of processes makes no difference."""

Key = tuple[Family, str]


def visit(seed: int, wanted: frozenset[Key]) -> tuple[list[FrozenEpisode], Counter[str]]:
    """The episodes of a house, of the strata that are wanted, and why others are none."""
    home = open_house(seed)
    episodes: list[FrozenEpisode] = []
    refused: Counter[str] = Counter()
    try:
        for family, stratum in sorted(wanted, key=str):
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
    """How many of each stratum."""
    wanted: Counter[Key] = Counter()
    for family, strata in STRATA.items():
        for index in range(EACH):
            wanted[family, strata[index % len(strata)]] += 1
    return wanted


def next_house(kept: Sequence[FrozenEpisode]) -> int:
    """The seed of the first house that was not visited yet: houses are visited in batches."""
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
            wanted = frozenset(key for key, number in left.items() if number > 0)
            if not wanted:
                break
            for episodes, reasons in pool.map(visit, range(first, first + BATCH), [wanted] * BATCH):
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
    """Number them by family and write them, one a line. Strata take turns, so that the first few have all."""
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
