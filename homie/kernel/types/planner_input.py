"""Input of a planner."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

from homie.kernel.actions import ARGUMENTS, WORDS, Ability, Arguments
from homie.kernel.knowledge import Knowledge
from homie.kernel.types.feedback import Feedback, HistoryItem
from homie.kernel.types.geometry import Image
from homie.kernel.types.limits import ROUNDS
from homie.kernel.types.observations import Detection
from homie.kernel.types.quirks import NO_QUIRKS, Quirks
from homie.kernel.types.subtasks import END, END_SUCCESS, Choice, Subtask
from homie.kernel.types.visibility import Visibility


@dataclass(frozen=True, slots=True)
class PlannerInput:
    """Input of a planner in one round: I = {o1..4, s, T, inv, h, f} of equation 4 (the planner itself supplies the
    system information s).

    It has no depth and no world state. A user's planner needs the fields up to `rounds`; the others are for language
    models, suites with their own rules, and skill sets with their own actions.

    Attributes:
        task: The instruction.
        round: Number of the round in the episode, from 1.
        views: Pictures (H, W, 3) uint8 RGB by view (`VIEWS`: front, left, back, right). Must not be changed.
        detections: Detections in these pictures: names, boxes (pixels) and views, including rooms
            (`Detection.is_room`).
        inventory: Names of the held objects.
        history: Earlier subtasks, oldest first, each with its number, subtask and feedback.
        feedback: Result of the last subtask, None in the first round. Its `status` is `success` or `fail`, its `code`
            an ErrorCode with `fail` and None with `success`, its `message` a sentence.
        actions: Names of the available actions, End included.
        models: The available skill sets, for `Decision.model`.
        rounds: Number of the last round.
        listing: Further lines of the suite: for an arm on a table the numbered objects with their positions; the
            detections of the first view are then in its order.
        arguments: Arguments of each action: none, `target`, or `target` and `destination`.
        words: Synonyms of actions, each with its action.
        abilities: The abilities of each model.
        knowledge: Memory of the home: rooms, doorways, objects with their places.
        hand: Picture of the wrist camera for a planner with `uses_wrist_camera`, else None.
        visibility: The policy by which `history` and `feedback` have already been filtered: a suite may hide parts.
        quirks: Deviations of a published evaluator from Homie's rules.
        choices: All available actions if a suite numbers them; every subtask is then one of these.
        ends: Subtasks with which the planner can end the episode.
        explanations: Effects and preconditions of skill sets' own actions, a sentence each.
    """

    task: str
    round: int
    views: Mapping[str, Image]
    detections: tuple[Detection, ...]
    inventory: tuple[str, ...]
    history: tuple[HistoryItem, ...]
    feedback: Feedback | None
    actions: tuple[str, ...]
    models: tuple[str, ...]
    rounds: int = ROUNDS
    listing: tuple[str, ...] = ()
    arguments: Arguments = field(default_factory=lambda: ARGUMENTS)
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)
    abilities: Mapping[str, Ability] = field(default_factory=dict)
    knowledge: Knowledge = field(default_factory=Knowledge)
    hand: Image | None = None
    visibility: Visibility = field(default_factory=Visibility)
    quirks: Quirks = NO_QUIRKS
    choices: tuple[Choice, ...] = ()
    ends: tuple[Subtask, ...] = (END,)
    explanations: Mapping[str, str] = field(default_factory=dict)

    @property
    def telling(self) -> Visibility:
        """`visibility` by its name in version 0.1, for one release."""
        warnings.warn(
            "PlannerInput.telling is called visibility now. The old name works for one release.",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.visibility

    @property
    def reports(self) -> bool:
        """Whether the planner ends the episode with a report that the task is done or not done."""
        return END_SUCCESS in self.ends

    @property
    def inventory_text(self) -> str:
        """The names of held objects joined by spaces, or `None`, as in the paper's prompt (appendix D)."""
        return " ".join(self.inventory) or "None"

    @property
    def history_text(self) -> str:
        return " ".join(str(item) for item in self.history) or "None"
