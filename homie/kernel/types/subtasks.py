"""Decisions of planners: subtasks, numbered actions, and the model answers from which they were parsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Subtask:
    """`{action, target[, destination]}`: equation 5 of the EMMOE paper, plus the destination of a Put."""

    action: str
    target: str = ""
    destination: str = ""

    def __str__(self) -> str:
        return "[" + ", ".join(part for part in (self.action, self.target, self.destination) if part) + "]"


END = Subtask("End")
END_SUCCESS, END_FAILURE = Subtask("End", "success"), Subtask("End", "failure")
"""End of an episode with the planner's report that the task is done, or that it is not."""
Report: TypeAlias = Literal["", "success", "failure", "declined"]
"""A planner's report on the task when it ends it: done, not done, or declined because the instruction was not
understood, without having begun. "": no report."""
REPORTS: Mapping[Report, str] = {
    "": "none",
    "success": "the {who} says that the task is done",
    "failure": "the {who} says that the task is not done",
    "declined": "the {who} declined the task: nothing was begun",
}
"""Reports in words; `who` is a `Who`."""
Who: TypeAlias = Literal["planner", "person", "end of the input"]
"""Who made a decision: a planner, a person in its place, or the end of that person's input."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One verbatim answer of a language model, with its cost.

    Attributes:
        problem: Why it could not be parsed as a decision, "" if it could.
        leniencies: Rules by which an answer was parsed that does not follow the protocol exactly (docs/prompts.md).
        cost: US dollars, 0 if the price is not known.
        cached: Whether it came from the response cache, at no cost.
        seconds: Wall time.
        cache_read_tokens: Input tokens read from the provider's own prompt cache.
        asked: The requested response format, such as `json_schema`.
    """

    text: str
    reasoning: str = ""
    problem: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    cached: bool = False
    seconds: float = 0.0
    cache_read_tokens: int = 0
    leniencies: tuple[str, ...] = ()
    asked: str = ""


BY_PERSON = "Chosen by a person."
"""Analysis of a decision by a person who gave no reason: not to be used as training text for models."""
ENDED_BY_PERSON: Mapping[Report, str] = {
    "": "The person ended the task.",
    "success": "The person ended the task as done.",
    "failure": "The person gave the task up.",
    "declined": "The person declined the task.",
}
"""The same for a decision that ends the task, by report."""
INPUT_ENDED = "The input ended before the person had ended the task."
"""The same if the person's input has ended."""
WITHOUT_REASON = frozenset((BY_PERSON, INPUT_ENDED, *ENDED_BY_PERSON.values()))
"""All analyses of decisions by a person without a reason."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One planner output: analysis, one or more subtasks, the chosen model, and the raw text it came from.

    `model` is the low-level model that the planner chose for the subtasks; "" leaves the choice to the executor.
    `problem` is a message to the planner why its output could not be parsed; there are no subtasks then, and the
    episode continues with it as F1 feedback. `answers` are all model answers of this decision, unreadable ones
    included. `report` and `answer` belong to End: the planner's report on the task, and its answer to a question ("no",
    "in the fridge"), "" for none.
    `system` and `question` are the system message and the text of the round's question as sent to a language model; a
    run folder stores the SHA-256 of `system` in the record, and the text once, in a file of that name. `advice` tells
    the user which setting would make output like this readable, "" if none is known.
    """

    subtasks: tuple[Subtask, ...]
    analysis: str = ""
    model: str = ""
    raw: str = ""
    problem: str = ""
    answers: tuple[Answer, ...] = ()
    system: str = ""
    question: str = ""
    report: Report = ""
    answer: str = ""
    advice: str = ""

    @property
    def who(self) -> Who:
        """Who made the decision; a person who gives a reason for a subtask counts as a planner."""
        if self.analysis == INPUT_ENDED:
            return "end of the input"
        return "person" if self.analysis in WITHOUT_REASON else "planner"

    @property
    def report_in_words(self) -> str:
        """The report on the task in words, `none` without a report."""
        return REPORTS[self.report].format(who=self.who)


def model_key(name: str) -> str:
    """Normalize the name of a model: `RT-1-X` and `rt1x` have the same key."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


SentTo: TypeAlias = Literal["things", "furniture", "points"]
"""Targets of numbered Go to actions: `things`, everything; `furniture`, only what can hold objects, so that a planner
has to know or search where an object is; `points`, those of a navigation graph, move by move
(`homie.kernel.robot.graph_moves`)."""
HELD = "object in hand"
"""Target of a numbered action on the held object, whichever that is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One action of the list; its number is its index there, counted from 0.

    Attributes:
        name: Name in the planner's input, `pick up the mug 2`.
        subtask: The subtask to execute, with names of the scene (`[Pick, mug_2]`); its target may be `HELD`.
    """

    name: str
    subtask: Subtask


def is_interaction(subtask: Subtask) -> bool:
    """Whether a listed subtask manipulates an object: it is neither navigation nor End.

    Examples:
        >>> listed = (Subtask("Pick", "mug"), Subtask("Go to", "mug"), Subtask("Turn left"), END)
        >>> [is_interaction(subtask) for subtask in listed]
        [True, False, False, False]
    """
    return bool(subtask.target) and subtask.action not in (END.action, "Go to")


def with_held(subtask: Subtask, inventory: Sequence[str]) -> Subtask:
    """Replace the target `HELD` of a subtask by the held object. With an empty hand the subtask is unchanged.

    >>> str(with_held(Subtask("Put", HELD, "fridge"), ["apple"]))
    '[Put, apple, fridge]'
    """
    return replace(subtask, target=inventory[-1]) if subtask.target == HELD and inventory else subtask
