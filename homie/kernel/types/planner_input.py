"""All that a planner is given to decide by."""

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
    """I = {o1..4, s, T, inv, h, f} of equation 4 (the system information s belongs to the planner).

    It has no depth and no world state. A planner of one's own needs the fields up to `rounds`; the others are for
    language models, suites with rules of their own, and skill sets with actions of their own.

    Attributes:
        task: The instruction.
        round: Of the episode, from 1.
        views: Pictures (H, W, 3) uint8 RGB by view (`VIEWS`: front, left, back, right). Not to be changed.
        detections: What the detector found in these pictures: names, boxes (pixels) and views, rooms among them
            (`Detection.is_room`).
        inventory: The names of the held objects.
        history: The earlier subtasks, oldest first, each with its number, subtask and feedback.
        feedback: The result of the last subtask, None in the first round. Its `status` is `success` or `fail`, its
            `code` an ErrorCode with `fail` and None with `success`, its `message` a sentence.
        actions: The names of the actions to choose from, End included.
        models: The skill sets to choose from, for `Decision.model`.
        rounds: The number of the last round.
        listing: Further lines of the suite: of an arm on a table the things by number with their places; the detections
            of the first view are then in its order.
        arguments: What each action takes: nothing, `target`, or `target` and `destination`.
        words: Other words for actions, each with its action.
        abilities: What each of the models can do.
        knowledge: What is remembered of the home: rooms, doorways, things with their places.
        hand: What the camera at the hand sees, for a planner that `uses_wrist_camera`, else None.
        visibility: The policy by which `history` and `feedback` have been cut already: a suite may show fewer.
        quirks: Where the rules of the episode are those of a published evaluator.
        choices: All actions that there are, where a suite numbers them; every subtask is one of these then.
        ends: The subtasks with which the planner can end the episode.
        explanations: What actions of skill sets do and need, a sentence each.
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
        """`visibility` by the name that it had in version 0.1, for one release."""
        warnings.warn(
            "PlannerInput.telling is called visibility now. The old name works for one release.",
            DeprecationWarning,
            stacklevel=2,
        )
        return self.visibility

    @property
    def reports(self) -> bool:
        """Whether the planner ends the episode with a report: that the task is done, or that it is not."""
        return END_SUCCESS in self.ends

    @property
    def inventory_text(self) -> str:
        """`None` or the held names joined with blanks, as the paper's prompt has it (appendix D)."""
        return " ".join(self.inventory) or "None"

    @property
    def history_text(self) -> str:
        return " ".join(str(item) for item in self.history) or "None"
