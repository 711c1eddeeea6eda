"""What a planner decides: subtasks, numbered actions, and the answer that they were read from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Subtask:
    """`{action, target[, destination]}`, equation 5 of the EMMOE paper plus the place of a Put."""

    action: str
    target: str = ""
    destination: str = ""

    def __str__(self) -> str:
        return "[" + ", ".join(part for part in (self.action, self.target, self.destination) if part) + "]"


END = Subtask("End")
END_SUCCESS, END_FAILURE = Subtask("End", "success"), Subtask("End", "failure")
"""How an episode ends where the planner reports on its task: it says that the task is done, or that it is not."""
Report: TypeAlias = Literal["", "success", "failure", "declined"]
"""What a planner says of its task when it ends it: it is done, it is not done, or the instruction was not understood
and nothing was begun. "": it says nothing."""
REPORTS: Mapping[Report, str] = {
    "": "none",
    "success": "the {who} says that the task is done",
    "failure": "the {who} says that the task is not done",
    "declined": "the {who} declined the task: nothing was begun",
}
"""Reports in words; `who` is a `Who`."""
Who: TypeAlias = Literal["planner", "person", "end of the input"]
"""Who decides: a planner, a person in its place, or the end of what that person typed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of a language model, as it came, with what it took.

    Attributes:
        problem: Why it could not be read as a decision, "" where it could.
        leniencies: The rules by which an answer was read that does not follow the protocol to the letter
            (docs/prompts.md).
        cost: US dollars, 0 where the price is not known.
        cached: It came from the response cache and took nothing.
        seconds: Wall clock.
        cache_read_tokens: Those of the input that the provider had in a cache of its own.
        asked: The form in which it was asked for, such as `json_schema`.
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
"""The analysis of a decision of a person who gave no reason: nothing that a model should learn to say."""
ENDED_BY_PERSON: Mapping[Report, str] = {
    "": "The person ended the task.",
    "success": "The person ended the task as done.",
    "failure": "The person gave the task up.",
    "declined": "The person declined the task.",
}
"""The same of a decision that ends the task, by what it reports."""
INPUT_ENDED = "The input ended before the person had ended the task."
"""The same where nobody is there any more."""
WITHOUT_REASON = frozenset((BY_PERSON, INPUT_ENDED, *ENDED_BY_PERSON.values()))
"""All such analyses."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One planner output: analysis, one or more subtasks, the chosen model, and the raw text it came from.

    `model` is the low-level model that the planner chose for the subtasks; "" leaves the choice to the executor.
    `problem` says, in words for the planner, why its output could not be read; there are no subtasks then, and the
    episode goes on with that as F1 feedback. `answers` are all answers on the way here, unreadable ones included.
    `report` and `answer` belong to End: what the planner says of the task, and its answer to a question ("no", "in the
    fridge"), "" for none.
    `system` and `question` are the system message and the text of the round's question as a language model was sent
    them; a run folder has the SHA-256 of `system`, and the text once, under that name. `advice` says to the user what
    to set so that output like this can be read, "" where nothing is known.
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
        """Who has decided; a person who gives a reason of his own for a subtask counts as a planner."""
        if self.analysis == INPUT_ENDED:
            return "end of the input"
        return "person" if self.analysis in WITHOUT_REASON else "planner"

    @property
    def report_in_words(self) -> str:
        """What it reports of the task, `none` for nothing."""
        return REPORTS[self.report].format(who=self.who)


def model_key(name: str) -> str:
    """What two spellings of a model's name have in common: `RT-1-X` and `rt1x` are the same model."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


SentTo: TypeAlias = Literal["things", "furniture", "points"]
"""What a robot can be sent to by number: `things`, everything; `furniture`, only what holds things, so that a planner
has to know or to look where a thing is; `points`, those of a navigation graph, move by move
(`homie.kernel.robot.graph_moves`)."""
HELD = "object in hand"
"""The target of a numbered action that is done with the held object, whatever that is."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One action of the list; its number is its place there, counted from 0.

    Attributes:
        name: As a planner sees it, `pick up the mug 2`.
        subtask: What is carried out, by the names of the scene (`[Pick, mug_2]`); its target may be `HELD`.
    """

    name: str
    subtask: Subtask


def is_interaction(subtask: Subtask) -> bool:
    """Whether a subtask of a list is done to a thing, and is neither a way nor an end.

    Examples:
        >>> listed = (Subtask("Pick", "mug"), Subtask("Go to", "mug"), Subtask("Turn left"), END)
        >>> [is_interaction(subtask) for subtask in listed]
        [True, False, False, False]
    """
    return bool(subtask.target) and subtask.action not in (END.action, "Go to")


def with_held(subtask: Subtask, inventory: Sequence[str]) -> Subtask:
    """A subtask with the held object as its target, where it is done with that. With an empty hand it stays.

    >>> str(with_held(Subtask("Put", HELD, "fridge"), ["apple"]))
    '[Put, apple, fridge]'
    """
    return replace(subtask, target=inventory[-1]) if subtask.target == HELD and inventory else subtask
