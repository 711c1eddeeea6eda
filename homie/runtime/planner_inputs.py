"""`inputs.jsonl`: the planner's input in each round, without its pictures and its history.

PlannerInput --RoundInput.of--> a line of RUN/episodes/<task>-<trial>/inputs.jsonl --planner_input--> PlannerInput

With it, and with `frames/` and `steps.jsonl`, the prompt of a round can be recreated verbatim, by any template and for
episodes of any planner: training data are made from it (`homie.data`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from homie.kernel.actions import ARGUMENTS, WORDS, Ability, Arguments
from homie.kernel.knowledge import Knowledge
from homie.kernel.registry import load
from homie.kernel.support.documents import parse_json
from homie.kernel.support.files import reading, to_json
from homie.kernel.types import (
    Choice,
    Detection,
    Feedback,
    FeedbackPolicy,
    HistoryItem,
    HistoryPolicy,
    Image,
    PlannerInput,
    ThingsPolicy,
    Visibility,
)

INPUTS = "inputs.jsonl"
HAND = "hand"
"""Name of the wrist camera's picture."""
_CONVERTED_FIELDS = ("detections", "pictures", "telling")
"""Fields that are converted, not copied from the planner's input."""


class NamedBox(BaseModel):
    """A detection without its mask, and without its states, which are in `Knowledge`.

    The fields are those of `homie.kernel.types.Detection`.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    view: str
    box: tuple[int, int, int, int]
    score: float = 1.0
    instance: str = ""
    part: str = ""
    number: int = 0

    @classmethod
    def of(cls, detection: Detection) -> NamedBox:
        """Convert a detection."""
        return cls.model_validate({name: getattr(detection, name) for name in cls.model_fields})

    def detection(self) -> Detection:
        """Convert back to a detection, without a mask."""
        return Detection(self.name, self.view, self.box, self.score, self.instance, self.part, number=self.number)


class SavedVisibility(BaseModel):
    """A `homie.kernel.types.Visibility` and the name of the quirks."""

    model_config = ConfigDict(frozen=True)

    feedback: FeedbackPolicy = "codes"
    history: HistoryPolicy = "all"
    last: int | None = None
    things: ThingsPolicy = "named"
    faults: str = "none"

    @classmethod
    def of(cls, planner_input: PlannerInput) -> SavedVisibility:
        """Take visibility and quirks from a planner's input."""
        visibility = planner_input.visibility
        return cls(
            feedback=visibility.feedback,
            history=visibility.history,
            last=visibility.last,
            things=visibility.things,
            faults=planner_input.quirks.name,
        )

    @property
    def visibility(self) -> Visibility:
        """The restored visibility."""
        return Visibility(self.feedback, self.history, self.last, self.things)


class RoundInput(BaseModel):
    """One line of `inputs.jsonl`; the fields are those of `homie.kernel.types.PlannerInput`.

    The history is in `steps.jsonl`, the pictures are in `frames/`; `pictures` has the names of their views.
    """

    model_config = ConfigDict(frozen=True)

    task: str
    round: int
    rounds: int
    inventory: tuple[str, ...] = ()
    feedback: Feedback | None = None
    actions: tuple[str, ...]
    models: tuple[str, ...]
    arguments: Arguments = ARGUMENTS
    words: Mapping[str, str] = WORDS
    abilities: dict[str, Ability] = {}
    listing: tuple[str, ...] = ()
    knowledge: Knowledge = Knowledge()
    detections: tuple[NamedBox, ...] = ()
    pictures: tuple[str, ...] = ()
    telling: SavedVisibility = SavedVisibility()
    choices: tuple[Choice, ...] = ()
    explanations: dict[str, str] = {}

    @classmethod
    def of(cls, planner_input: PlannerInput) -> RoundInput:
        """Convert a planner's input."""
        fields = {name: getattr(planner_input, name) for name in cls.model_fields if name not in _CONVERTED_FIELDS}
        pictures = (*planner_input.views, *([HAND] if planner_input.hand is not None else []))
        return cls(
            **fields,
            detections=tuple(map(NamedBox.of, planner_input.detections)),
            pictures=pictures,
            telling=SavedVisibility.of(planner_input),
        )

    def planner_input(
        self, history: tuple[HistoryItem, ...], views: Mapping[str, Image], hand: Image | None = None
    ) -> PlannerInput:
        """Restore the planner's input.

        Args:
            history: The complete earlier subtasks; the stored visibility is applied to them.
            views: Pictures (H, W, 3) by the names of the views.
            hand: Picture of the wrist camera, None if it was not taken.
        """
        fields = {name: getattr(self, name) for name in type(self).model_fields if name not in _CONVERTED_FIELDS}
        boxes = tuple(box.detection() for box in self.detections)
        visibility = self.telling.visibility
        return PlannerInput(
            **fields,
            detections=boxes,
            history=visibility.subtasks(history),
            views=views,
            hand=hand,
            visibility=visibility,
            quirks=load("quirks", self.telling.faults),
        )

    @property
    def line(self) -> bytes:
        """The line of `inputs.jsonl`."""
        return to_json(self.model_dump(mode="json", exclude_defaults=True), indent=None)


def read_inputs(folder: Path) -> tuple[RoundInput, ...]:
    """Read the inputs of an episode folder, by round. A last line truncated by a kill is left out.

    Raises:
        BadInput: The file is missing or cannot be read; the message says which line.
    """
    path = folder / INPUTS
    with reading(path):
        lines = path.read_bytes().split(b"\n")
    lines.pop()  # the part after the last line feed: empty, or a truncated line
    rounds = []
    for number, line in enumerate(lines, 1):
        with reading(f"{path}, line {number}"):
            rounds.append(RoundInput.model_validate(parse_json(line)))
    return tuple(rounds)
