"""The data of an episode that scoring needs, independent of the program that recorded it.

a Homie episode folder ------ from_ending ---------+
EMMOE's conversation.json --- from_conversation ---+--> Trajectory --> a profile --> Score
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from homie.bench.score.error_code_of_feedback import code_of
from homie.kernel.actions import action_of, canonical_action, entity_words
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import load_json
from homie.kernel.support.files import reading
from homie.kernel.types import END, END_FAILURE, HistoryItem, Outcome, RoundRecord, Subtask
from homie.runtime.runstore import EpisodeFile

HISTORY_LINE = 3
FEEDBACK_LINE = 4
"""Line numbers, from 0, of the history and of the last feedback in a message of EMMOE's `conversation.json`."""
_SIGNAL = re.compile(r"(\(fail\)|\(success\))\s")
_NUMBER = re.compile(r"\(.*?\)")
"""Number of a subtask in the history, as the notebooks search it: the first text in brackets, `(12)`."""
_SUBTASK = re.compile(r".*Subtask: *(?:\[(.*?)\]|(.*?) *(?:Model:|$))", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One subtask of the planner and its outcome.

    Attributes:
        text: As written by the planner, `Put, apple, fridge`; "" if it is unreadable.
        success: None if it is not in the record.
        message: Feedback message.
        code: L1..E2, "" for none.
        action: As listed in `homie.kernel.executor.ACTIONS`, or as written.
        objects, places: All names of the object and of the destination: the planner's words and the entities to which
            the executor resolved them.
        attempts: Success of each attempt.
    """

    text: str
    success: bool | None
    message: str = "None"
    code: str = ""
    action: str = ""
    objects: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    attempts: tuple[bool, ...] = ()
    unreadable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """One episode, ready for scoring.

    Attributes:
        keypaths: Nodes as `[Put, apple, fridge]`.
        never: Paths that violate the task if they are reached.
        expert_length: Number of the expert's subtasks including End, 0 if there is no expert.
        length: Number of subtasks of this episode, including End and unreadable outputs (more than `steps` if the
            record lacks the last one).
        last_message_has_end: Whether `End` occurs anywhere in the last message to the planner or in its answer (used by
            `strict-emmoe` only).
        verdict: Whether the goal holds in the final state of the world; None if unknown.
        progress: Share of the goal's conditions that hold there; None if unknown.
        infrastructure: Why the episode could not be run, "" if it could.
        feedback: Feedback of each subtask but the last in EMMOE's record, whose number may differ from that of its
            history; None if the steps have it.
        reached: Whether the episode ended by itself, because its goal was reached.
        held: Whether the goal held after each subtask, if recorded.
        given: Whether the goal held before the first subtask.
    """

    task_id: str
    trial: int
    task: str
    keypaths: tuple[tuple[str, ...], ...]
    expert_length: int
    steps: tuple[Step, ...]
    length: int
    last_message_has_end: bool
    verdict: bool | None = None
    progress: float | None = None
    infrastructure: str = ""
    never: tuple[tuple[str, ...], ...] = ()
    feedback: tuple[str, ...] | None = None
    reached: bool = False
    held: tuple[bool, ...] = ()
    given: bool = False

    @property
    def claim(self) -> bool | None:
        """Success as reported by the planner with End, None without a report. End without a report claims success."""
        if self.reached or not self.ended:
            return None
        return self.steps[-1].objects != (END_FAILURE.target,)

    @property
    def held_first(self) -> int | None:
        """Number of the first subtask, from 1, after which the goal held, None if there is none."""
        return self.held.index(True) + 1 if True in self.held else None

    @property
    def ended(self) -> bool:
        """Whether the planner's last subtask was exactly End and was not rejected, or reaching the goal ended the
        episode."""
        last_step = self.steps[-1] if self.steps else None
        return self.reached or (
            last_step is not None and last_step.action == END.action and last_step.success is not False
        )


def parts(text: str) -> tuple[str, ...]:
    """Return verb, object and place of a subtask as written; there may be fewer or more parts.

    Only the brackets around the whole subtask are dropped, as in the official notebooks.

    Example:
        >>> parts("[Put, apple, fridge]")
        ('Put', 'apple', 'fridge')
    """
    return tuple(part.strip() for part in text.strip().lstrip("[").rstrip("]").split(","))


def written_step(text: str, success: bool | None, message: str, attempts: tuple[bool, ...] = ()) -> Step:
    """Return a step of which only the text and the feedback are known."""
    verb, *names = parts(text)
    return Step(
        text=text,
        success=success,
        message=message,
        code=code_of(message),
        action=canonical_action(verb) or verb,
        objects=tuple(name for name in names[:1] if name),
        places=tuple(name for name in names[1:2] if name),
        attempts=attempts,
    )


# ---------------------------------------------------------------- Homie's own record


def from_ending(
    ending: EpisodeFile,
    records: Sequence[RoundRecord],
    *,
    task_id: str,
    keypaths: Iterable[Sequence[str]] = (),
    expert_length: int = 0,
    verdict: bool | None = None,
) -> Trajectory:
    """Return the trajectory of a finished episode (`homie.runtime.runstore.damage.read_finished`)."""
    lost = ending.ended_by == "infrastructure"
    return from_records(
        () if lost else records,
        task_id=task_id,
        trial=ending.trial,
        task=ending.task,
        keypaths=keypaths,
        expert_length=expert_length,
        verdict=None if lost else verdict,
        infrastructure=(ending.cause or "no cause given") if lost else "",
    )


def from_records(
    records: Sequence[RoundRecord],
    *,
    task_id: str,
    trial: int,
    task: str,
    keypaths: Iterable[Sequence[str]],
    expert_length: int,
    verdict: bool | None = None,
    infrastructure: str = "",
) -> Trajectory:
    """Return the trajectory of an episode from its round records. The arguments are the fields of `Trajectory`."""
    steps = tuple(_steps(records))
    return Trajectory(
        task_id=task_id,
        trial=trial,
        task=task,
        keypaths=tuple(tuple(path) for path in keypaths),
        expert_length=expert_length,
        steps=steps,
        length=len(steps),
        last_message_has_end="End" in _last_message(task, records),
        verdict=verdict,
        infrastructure=infrastructure,
    )


def _steps(records: Sequence[RoundRecord]) -> Iterable[Step]:
    """Yield the steps of some records. The object of a Put is the held object, whatever the planner calls it."""
    held: tuple[str, ...] = ()
    for index, record in enumerate(records):
        execution, feedback = record.execution, record.execution.feedback
        subtask, entity = execution.subtask, execution.target
        if record.decision.problem:
            yield Step(text="", success=False, message=feedback.message, code=str(feedback.code or ""), unreadable=True)
            continue
        action = action_of(subtask.action)
        if action.inventory == "gives":
            place = entity_words(subtask, action.arguments)
            objects, places = held or _names(subtask.target), _names(place, entity)
        else:
            objects, places = _names(subtask.target, entity), _names(subtask.destination)
        yield Step(
            text=str(_written_subtask(records, index)).strip("[]"),
            success=feedback.ok,
            message=feedback.message,
            code=str(feedback.code or ""),
            action=subtask.action,
            objects=objects,
            places=places,
            attempts=tuple(attempt.outcome is Outcome.SUCCEEDED for attempt in execution.attempts),
        )
        if action.inventory == "takes" and feedback.ok:
            held = objects
        elif not record.inventory:
            held = ()


def _names(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _written_subtask(records: Sequence[RoundRecord], index: int) -> Subtask:
    """Return the subtask as the planner wrote it, before the executor normalised its action."""
    record = records[index]
    offset = 0
    while index - offset > 0 and records[index - offset - 1].round == record.round:
        offset += 1
    subtasks = record.decision.subtasks
    return subtasks[offset] if offset < len(subtasks) else record.execution.subtask


def _last_message(task: str, records: Sequence[RoundRecord]) -> str:
    """Return the last message to the planner and its answer, in the form of EMMOE's dialogue."""
    if not records:
        return task
    readable = [record for record in records if not record.decision.problem]
    history = [
        HistoryItem(number, record.execution.subtask, record.execution.feedback)
        for number, record in enumerate(readable[:-1], 1)
    ]
    decision = records[-1].decision
    answer = decision.raw or f"{decision.analysis} {' '.join(str(subtask) for subtask in decision.subtasks)}"
    return "\n".join([task, " ".join(str(item) for item in history), answer])


# ---------------------------------------------------------------- EMMOE's record


def from_conversation(
    messages: Sequence[str],
    *,
    task_id: str,
    trial: int,
    keypaths: Iterable[Sequence[str]],
    expert_length: int,
    verdict: bool | None = None,
) -> Trajectory:
    """Return the trajectory of an EMMOE `conversation.json`.

    As in the official notebooks, the subtasks and their signals come from the history line of the last message, and the
    feedback of a subtask from the message after it. Both are found by line number, so a line break in a subtask hides
    the lines after it. The outcome of the last subtask is not in the file.

    Args:
        messages: One string per round that could be parsed.
        task_id, trial, keypaths, expert_length, verdict: As in `Trajectory`.
    """
    steps: list[Step] = []
    feedback = [_feedback(message) for message in messages[1:]]
    if messages:
        texts = _SIGNAL.split(_line(messages[-1], HISTORY_LINE).removeprefix("Historical Execution:"))
        pairs = zip(texts[::2], texts[1::2], strict=False)
        for chunk, signal in pairs:
            sentence = feedback[len(steps)] if len(steps) < len(feedback) else ""
            steps.append(written_step(_NUMBER.sub("", chunk, count=1).strip(), signal == "(success)", sentence))
        last_step = written_step(_answered_subtask(messages[-1]), None, "")
        steps.append(replace(last_step, success=True, message="None") if last_step.action == END.action else last_step)
    first_lines = messages[0].split("\n") if messages else []
    return Trajectory(
        task_id=task_id,
        trial=trial,
        task=first_lines[1].partition("Task:")[2].strip() if len(first_lines) > 1 else "",
        keypaths=tuple(tuple(path) for path in keypaths),
        expert_length=expert_length,
        steps=tuple(steps),
        length=len(messages),
        last_message_has_end=bool(messages) and "End" in messages[-1],
        feedback=tuple(feedback),
        verdict=verdict,
    )


def read_conversation(path: Path) -> list[str]:
    """Return the messages of a `conversation.json`. Raises BadInput if it is not a JSON list of strings."""
    with reading(path, "the conversation"):
        messages = load_json(path)
    if not isinstance(messages, list) or not all(isinstance(message, str) for message in messages):
        raise BadInput(f"The conversation {path} must be a JSON list of strings.")
    return messages


def _feedback(message: str) -> str:
    line = _line(message, FEEDBACK_LINE)
    return line.partition("Feedback:")[2].strip() or line


def _line(message: str, index: int) -> str:
    lines = message.split("\n")
    return lines[index] if index < len(lines) else ""


def _answered_subtask(message: str) -> str:
    """Return the subtask in the planner's answer, the last one if there are several."""
    match = _SUBTASK.match(message.partition("ASSISTANT:")[2])
    return (match[1] if match[1] is not None else match[2]).strip() if match else ""
