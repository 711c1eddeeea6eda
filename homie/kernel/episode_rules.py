"""The rules of an episode: limits, the planner's input and choices, and end conditions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from homie.kernel.executor import Executor
from homie.kernel.look_and_detect import OWN_VIEWS
from homie.kernel.types import END, NO_QUIRKS, Choice, Limits, Quirks, Subtask, Visibility
from homie.kernel.types.limits import ROUNDS

ActionList: TypeAlias = Callable[[Executor], tuple[Choice, ...]]
"""Function that makes the numbered actions at the start of an episode. Raises BadInput if that is impossible."""
GoalCheck: TypeAlias = Callable[[], bool]
"""Function that returns whether the goal of an episode is reached now. Not available to planners."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeRules:
    """The rules of an episode; the defaults are EMMOE's (section 5.1).

    Attributes:
        rounds: Maximum number of rounds.
        limits: Limits other than rounds.
        visibility: What the planner gets to see of results and history.
        views: The cameras whose pictures the planner gets, by the name of the view; empty for the robot's own views.
        action_list: Makes the numbered actions, to which the planner is then restricted; None if planners name actions.
        goal_check: Called after every subtask if reaching the goal ends the episode, else None.
        endings: Subtasks with which the planner can end the episode: `END`, or `END_SUCCESS` and `END_FAILURE` if it
            reports.
        quirks: Deviations of a published evaluator from Homie's rules.
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
