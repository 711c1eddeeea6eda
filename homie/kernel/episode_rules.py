"""The rules of an episode: its limits, what its planner gets to see and can choose from, and what ends it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from homie.kernel.executor import Executor
from homie.kernel.look_and_detect import OWN_VIEWS
from homie.kernel.types import END, NO_QUIRKS, Choice, Limits, Quirks, Subtask, Visibility
from homie.kernel.types.limits import ROUNDS

ActionList: TypeAlias = Callable[[Executor], tuple[Choice, ...]]
"""Makes the numbered actions of an episode that begins. Raises BadInput where that is impossible."""
GoalCheck: TypeAlias = Callable[[], bool]
"""Whether the goal of an episode is reached now. Planners cannot see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRules:
    """The rules of an episode; the defaults are EMMOE's (section 5.1).

    Attributes:
        rounds: The number of rounds after which it ends.
        limits: Those beside the rounds.
        visibility: What the planner gets to see of its results and of its history.
        views: The cameras whose pictures the planner gets, by the views as which it gets them; empty for the robot's
            own.
        action_list: Makes the numbered actions, the only ones that are carried out then; None where planners name
            actions.
        goal_check: Called after every subtask where the goal ends the episode by itself, else None.
        endings: The subtasks with which the planner can end it: `END`, or `END_SUCCESS` and `END_FAILURE` where it
            reports.
        quirks: Where the rules of a published evaluator differ from Homie's.
    """

    rounds: int = ROUNDS
    limits: Limits = field(default_factory=Limits)
    visibility: Visibility = field(default_factory=Visibility)
    views: Mapping[str, str] = field(default_factory=lambda: OWN_VIEWS)
    action_list: ActionList | None = None
    goal_check: GoalCheck | None = None
    endings: tuple[Subtask, ...] = (END,)
    quirks: Quirks = NO_QUIRKS


EMMOE_RULES = EpisodeRules()
"""20 rounds, everything visible, the planner ends the episode."""
