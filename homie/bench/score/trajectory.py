"""What scoring needs of one episode, whichever program recorded it.

a Homie episode folder ------ from_ending ---------+
EMMOE's conversation.json --- from_conversation ---+--> Trajectory --> a profile --> Score
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from homie.bench.score.errors import code_of
from homie.kernel.actions import canonical_action
from homie.kernel.errors import BadInput
from homie.kernel.types import HistoryItem, Outcome, RoundRecord, Subtask
from homie.runtime.runstore import EpisodeFile

HISTORY_LINE = 3
FEEDBACK_LINE = 4
_SIGNAL = re.compile(r"(\(fail\)|\(success\))\s")
_NUMBER = re.compile(r"\(.*?\)")
"""What the notebooks take for the number of a subtask in the history: the first brackets, `(12)`."""
_SUBTASK = re.compile(r".*Subtask: *(?:\[(.*?)\]|(.*?) *(?:Model:|$))", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Step:
    """One subtask that the planner asked for, and what became of it.

    text: as the planner wrote it, `Put, apple, fridge`; "" also where it is unreadable. success: None where
    the record does not tell. message: the feedback sentence. code: L1..E2, "" for none. action: as listed in
    `homie.kernel.executor.ACTIONS`, or as written. objects, places: all names of what was acted on and where to: the
    planner's words, and the entity that the executor made of them. attempts: whether each real attempt succeeded.
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


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One episode, ready to be scored.

    keypaths: nodes as `[Put, apple, fridge]`. never: paths that spoil the task when they are reached. expert_length:
    subtasks of the expert, End included, 0 where there is none. length: subtasks of this episode, End and unreadable
    outputs included (it may be more than `steps` where the record lacks the last one).
    last_message_has_end: whether `End` stands anywhere in what was last said to the planner or by it (only
    `strict-emmoe` asks). verdict: whether the world is as the task wants it, None where nobody can tell.
    infrastructure: why the episode could not be run, "" if it could. feedback: what EMMOE's record has as the feedback
    of each subtask but the last, which need not be as many as its history has; None where the steps tell.
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
    infrastructure: str = ""
    never: tuple[tuple[str, ...], ...] = ()
    feedback: tuple[str, ...] | None = None

    @property
    def ended(self) -> bool:
        """Whether the planner's last subtask was exactly End."""
        return bool(self.steps) and self.steps[-1].action == "End"


def parts(text: str) -> tuple[str, ...]:
    """Verb, object and place of a subtask as written: `[Put, apple, fridge]` is three parts. There may be more, or one.

    Only brackets around the whole are dropped, as in the official notebooks.
    """
    return tuple(part.strip() for part in text.strip().lstrip("[").rstrip("]").split(","))


def written_step(text: str, success: bool | None, message: str, attempts: tuple[bool, ...] = ()) -> Step:
    """A step of which only the text and the feedback are known."""
    verb, *names = parts(text)
    return Step(
        text,
        success,
        message,
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
    """The trajectory of a finished episode (`homie.runtime.damage.read_finished`)."""
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
    """The trajectory of the rounds of an episode."""
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
    """What each subtask acted on: a Put acts on what the hand holds, whatever the planner calls it."""
    held: tuple[str, ...] = ()
    for index, record in enumerate(records):
        execution, feedback = record.execution, record.execution.feedback
        subtask, entity = execution.subtask, execution.target
        if record.decision.problem:
            yield Step("", False, feedback.message, code=str(feedback.code or ""), unreadable=True)
            continue
        destination = subtask.destination or (subtask.target if subtask.action == "Put" else "")
        if subtask.action == "Put":
            objects, places = held or _names(subtask.target), _names(destination, entity)
        else:
            objects, places = _names(subtask.target, entity), _names(subtask.destination)
        yield Step(
            text=str(_as_written(records, index)).strip("[]"),
            success=feedback.ok,
            message=feedback.message,
            code=str(feedback.code or ""),
            action=subtask.action,
            objects=objects,
            places=places,
            attempts=tuple(attempt.outcome is Outcome.SUCCEEDED for attempt in execution.attempts),
        )
        if subtask.action == "Pick" and feedback.ok:
            held = objects
        elif not record.inventory:
            held = ()


def _names(*names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))


def _as_written(records: Sequence[RoundRecord], index: int) -> Subtask:
    """The subtask before the executor put its action into the form of the list."""
    record = records[index]
    before = 0
    while index - before > 0 and records[index - before - 1].round == record.round:
        before += 1
    written = record.decision.subtasks
    return written[before] if before < len(written) else record.execution.subtask


def _last_message(task: str, records: Sequence[RoundRecord]) -> str:
    """What was last said to the planner and by it, as the dialogue of EMMOE has it."""
    if not records:
        return task
    readable = [record for record in records if not record.decision.problem]
    said = [
        HistoryItem(number, record.execution.subtask, record.execution.feedback)
        for number, record in enumerate(readable[:-1], 1)
    ]
    decision = records[-1].decision
    answer = decision.raw or f"{decision.analysis} {' '.join(str(one) for one in decision.subtasks)}"
    return "\n".join([task, " ".join(str(item) for item in said), answer])


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
    """The trajectory of EMMOE's `conversation.json`: one string per round that could be read.

    As in the official notebooks, the subtasks and their signals are the history line of the last message, and the
    feedback of a subtask is in the message after it: both by the number of the line, so that a line break in a subtask
    hides what comes after it. What became of the last subtask is not in the file.
    """
    steps: list[Step] = []
    feedback = [_feedback(message) for message in messages[1:]]
    if messages:
        texts = _SIGNAL.split(_line(messages[-1], HISTORY_LINE).removeprefix("Historical Execution:"))
        pairs = zip(texts[::2], texts[1::2], strict=False)
        for chunk, signal in pairs:
            told = feedback[len(steps)] if len(steps) < len(feedback) else ""
            steps.append(written_step(_NUMBER.sub("", chunk, count=1).strip(), signal == "(success)", told))
        last = written_step(_asked_for(messages[-1]), None, "")
        steps.append(replace(last, success=True, message="None") if last.action == "End" else last)
    first = messages[0].split("\n") if messages else []
    return Trajectory(
        task_id=task_id,
        trial=trial,
        task=first[1].partition("Task:")[2].strip() if len(first) > 1 else "",
        keypaths=tuple(tuple(path) for path in keypaths),
        expert_length=expert_length,
        steps=tuple(steps),
        length=len(messages),
        last_message_has_end=bool(messages) and "End" in messages[-1],
        feedback=tuple(feedback),
        verdict=verdict,
    )


def read_conversation(path: Path) -> list[str]:
    """The messages of a `conversation.json`. Raises BadInput."""
    try:
        messages = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot read the conversation {path}: {error}.") from error
    if not isinstance(messages, list) or not all(isinstance(message, str) for message in messages):
        raise BadInput(f"The conversation {path} must be a JSON list of strings.")
    return messages


def _feedback(message: str) -> str:
    line = _line(message, FEEDBACK_LINE)
    return line.partition("Feedback:")[2].strip() or line


def _line(message: str, index: int) -> str:
    lines = message.split("\n")
    return lines[index] if index < len(lines) else ""


def _asked_for(message: str) -> str:
    """The subtask in the planner's answer, the last one where there are several."""
    found = _SUBTASK.match(message.partition("ASSISTANT:")[2])
    return (found[1] if found[1] is not None else found[2]).strip() if found else ""
