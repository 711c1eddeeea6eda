"""Whether a candidate is an episode of its family: how it begins, and that the expert solves it."""

from __future__ import annotations

import numpy as np

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import HomieError
from suites.published.vigil_episode import Family
from suites.vigil.expert import Expert
from suites.vigil.frozen import FrozenEpisode, Setup
from suites.vigil.play import play
from suites.vigil.stage import REACH, SEEN, Stage

SIZES = {"small": (250, 1000), "medium": (1000, 6000), "large": (6000, 100_000)}
"""Pixels of the 307,200 of a frame that a target has, of pixel grounding."""
RIVALS = 3
"""Other things in the frame, of which a click may be."""
FAR = 2.5
"""Metres from which a thing is far."""
HIDDEN = 10
"""Pixels of a thing up to which nobody sees it."""
TELLS = 0.006
"""Share of the frame by which two states differ, and the smallest difference of a colour (0..255) that counts."""
COLOUR = 25
LARGE = 1500
"""Pixels of a thing of which the state is asked."""
OBSTACLE = SEEN
"""Pixels of an obstacle in the first frame."""


def problem(home: MujocoHome, episode: FrozenEpisode) -> str:
    """Why a candidate is not an episode; "" where it is."""
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
    """Whether the obstacle, which is in view, is why it cannot be opened."""
    (obstacle,) = stage.episode.setup.floor
    with stage.native.rehearsal():
        refused = stage.native.set_doors(name, is_open=True)
    return obstacle.replace("_", " ") in refused and stage.pixels()[obstacle] >= OBSTACLE


def _alike(home: MujocoHome, episode: FrozenEpisode, stage: Stage) -> str:
    """Whether the two states look the same in the first frame."""
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
