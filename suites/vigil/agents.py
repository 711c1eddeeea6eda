"""Agents: the interface, and the agents that use no pictures."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from homie.kernel.interfaces.prompts import VerbatimAnswer
from homie.kernel.types import Image
from suites.published.vigil_episode import LABELS, Status
from suites.vigil.actions import HEIGHT, WIDTH, format_action
from suites.vigil.frozen import FrozenEpisode

HISTORY = 20
"""Number of its own last answers that an agent gets, as published."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The input of an agent in one step.

    Attributes:
        number: Number of the step, from 1.
        instruction: Text of the task.
        look: Function that renders the current frame (480, 640, 3).
        history: Its own last answers, word for word, oldest first.
        too_far, path_blocked: Result of the last action, None if the agent does not get it.
    """

    number: int
    instruction: str
    look: Callable[[], Image]
    history: tuple[str, ...]
    too_far: bool | None = None
    path_blocked: bool | None = None


class Agent(ABC):
    """Interface of an agent that plays one episode."""

    @abstractmethod
    def answer(self, turn: Turn) -> VerbatimAnswer:
        """The next action, as one JSON object. Raises PlannerError if the agent has no answer."""


class RandomAgent(Agent):
    """Acts at random without pictures. Deterministic for an episode and a seed."""

    shares: ClassVar[Mapping[str, float]] = {"navigate": 0.5, "look": 0.1, "interact_pixel": 0.35, "report": 0.05}
    """Probability of each skill."""

    def __init__(self, episode: FrozenEpisode, seed: int) -> None:
        self._lot = random.Random(f"{seed}/{episode.id}")
        pair = next((pair for pair in (LABELS[:2], LABELS[2:]) if episode.label in pair), None)
        self._words = pair or (Status.SUCCESS, Status.FAIL)

    def answer(self, turn: Turn) -> VerbatimAnswer:
        return VerbatimAnswer(self._act(self._lot.choices(list(self.shares), list(self.shares.values()))[0]))

    def _act(self, skill: str) -> str:
        lot = self._lot
        match skill:
            case "navigate":
                mode = lot.choice(("forward", "forward", "backward", "turn_left", "turn_right"))
                size = lot.randint(15, 90) if mode.startswith("turn") else lot.randint(1, 6)
                return format_action(skill, mode=mode, magnitude=size)
            case "look":
                return format_action(skill, direction=lot.choice(("up", "down")), magnitude=lot.randint(10, 40))
            case "interact_pixel":
                intent = lot.choice(("ground", "pick", "place", "activate", "deactivate", "open_access"))
                return format_action(skill, intent=intent, x=lot.randrange(WIDTH), y=lot.randrange(HEIGHT))
            case _:
                return format_action("report", status=lot.choice(self._words), summary="at random")


class WalkingAgent(RandomAgent):
    """Acts at random without reports; with `reports`, it reports success in the last step."""

    shares: ClassVar[Mapping[str, float]] = {
        name: share for name, share in RandomAgent.shares.items() if name != "report"
    }

    def __init__(self, episode: FrozenEpisode, seed: int, *, reports: bool) -> None:
        super().__init__(episode, seed)
        self._last = episode.family.budget if reports else None

    def answer(self, turn: Turn) -> VerbatimAnswer:
        if turn.number == self._last:
            return VerbatimAnswer(format_action("report", status=Status.SUCCESS.value, summary="always"))
        return super().answer(turn)


def blind(name: str, episode: FrozenEpisode, seed: int) -> Agent:
    """Create one of the agents of `BLIND`."""
    if name == "random":
        return RandomAgent(episode, seed)
    return WalkingAgent(episode, seed, reports=name == "always")


BLIND = ("random", "always", "never")
"""Agents without pictures: at random; at random, then always success; at random without any report."""
