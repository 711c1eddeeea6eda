"""The human planner: a person at the terminal picks the next subtask. Prompts go to stderr, answers come from stdin."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace

from homie.kernel.errors import BadInput, did_you_mean
from homie.kernel.interfaces import Planner
from homie.kernel.support.text import printable
from homie.kernel.types import (
    BY_PERSON,
    END,
    ENDED_BY_PERSON,
    INPUT_ENDED,
    VIEWS,
    Decision,
    PlannerInput,
    Report,
    Subtask,
    in_sight,
)
from perception.names import vocabulary
from planners.common_sense import CONTAINERS, LARGE, ROOMS, SMALL, SURFACES, means
from planners.parse_subtask import parse_subtask

_HELP = """Write one subtask, for example:
  go to fridge          open fridge          pick apple
  put apple on table    close fridge         end
or as in the paper: [Put, apple, table]. These end the task and say how:
  answer no, it is not there      end success      end failure      decline
Ctrl-D ends it without a word.
"""
_PATTERNS = (
    ("Go to", re.compile(r"(?:go|walk|drive) ?to(?: the)? (?P<target>.+)$|go (?P<target2>.+)$")),
    ("Pick", re.compile(r"(?:pick up|pick|take|grab)(?: the)? (?P<target>.+)$")),
    (
        "Put",
        re.compile(
            r"(?:put|place)(?: the)? (?P<target>.+?) (?:on|onto|in|into|inside|to|at)(?: the)? (?P<destination>.+)$"
        ),
    ),
    ("Open", re.compile(r"open(?: the)? (?P<target>.+)$")),
    ("Close", re.compile(r"(?:close|shut)(?: the)? (?P<target>.+)$")),
    ("End", re.compile(r"(?:end|done|quit|exit|stop)(?:(?: with)? (?P<target>success|failure))?$")),
)

_OTHER_FIRST_WORDS = ("answer", "decline", "help", "end success", "end failure")


class HumanPlanner(Planner):
    """A person at the terminal, who is shown the task, the feedback, the inventory and the names in sight.

    A line that is not understood is asked for again, and so is a line with a name that resembles a known one, which is
    accepted when repeated. The end of the input (Ctrl-D) means End.
    """

    name = "human"

    def reset(self, task: str, *, seed: int) -> None:
        """Do nothing: the planner has no state."""

    def decide(self, planner_input: PlannerInput) -> Decision:
        _tell(describe(planner_input))
        doubted_line = ""
        while True:
            _tell(f"subtask {planner_input.round}> ")
            line = sys.stdin.readline()
            if not line:
                _tell("\n")
                return Decision((END,), INPUT_ENDED)
            line = line.strip()
            if line.lower() in ("help", "?"):
                _tell(_HELP + f"Actions: {', '.join(planner_input.actions)}.\n")
                continue
            try:
                decision = replace(read_ending(line) or _step(line, planner_input.actions), raw=line)
            except BadInput as error:
                _tell(f"{error}\n")
                continue
            doubt = spelling_hint(decision.subtasks[0], planner_input)
            if not doubt or line == doubted_line:
                return decision
            doubted_line = line
            _tell(f"{doubt} Write the same line again if it is meant so.\n")


def describe(planner_input: PlannerInput) -> str:
    """Describe the planner's input to the person, as lines of text."""
    lines = [f"Round {planner_input.round}. Task: {planner_input.task}", f"In the hand: {planner_input.inventory_text}"]
    if planner_input.feedback is not None:
        code = f" ({planner_input.feedback.code})" if planner_input.feedback.code else ""
        lines.append(f"Last subtask: {planner_input.feedback.status}{code}: {planner_input.feedback.message}")
    for view in VIEWS:
        names = dict.fromkeys(
            detection.name for detection in in_sight(planner_input.detections) if detection.view == view
        )
        lines.append(f"  {view}: {', '.join(names) or 'nothing known'}")
    return "\n".join(lines) + "\n"


def spelling_hint(subtask: Subtask, planner_input: PlannerInput) -> str:
    """Return a sentence about an unknown name in a subtask that resembles a known one, "" if there is none.

    Known names are those that the planner sees or remembers, and the vocabulary.
    """
    in_sight = (*(seen.name for seen in planner_input.detections), *planner_input.listing, *planner_input.inventory)
    remembered = (thing.name for thing in planner_input.knowledge.remembered)
    known_names = dict.fromkeys(
        (*in_sight, *remembered, *ROOMS, *CONTAINERS, *SURFACES, *LARGE, *SMALL, *vocabulary().kinds)
    )
    for words in (subtask.target, subtask.destination):
        if words and not any(means(words, name) for name in known_names):
            hint = did_you_mean(words, known_names)
            if hint:
                return f"No '{words}' is known{hint}"
    return ""


def read_ending(line: str) -> Decision | None:
    """Parse a line as the decision to end the task with an answer or a report; None if it is another line."""
    word, _, remainder = " ".join(line.split()).partition(" ")
    if word.lower().rstrip(":") == "answer" and remainder:
        return Decision((END,), ENDED_BY_PERSON["success"], report="success", answer=remainder)
    declined = word.lower() == "decline" and not remainder
    return Decision((END,), ENDED_BY_PERSON["declined"], report="declined") if declined else None


def _step(line: str, actions: tuple[str, ...]) -> Decision:
    subtask = read_line(line, actions, _OTHER_FIRST_WORDS)
    reports: dict[str, Report] = {report: report for report in ENDED_BY_PERSON}
    is_end = subtask.action == END.action
    return Decision((subtask,), ENDED_BY_PERSON[reports.get(subtask.target.lower(), "")] if is_end else BY_PERSON)


def read_line(line: str, actions: tuple[str, ...], others: Sequence[str] = ()) -> Subtask:
    """Parse a typed subtask: in words (`put apple on table`) or as in the paper (`[Put, apple, table]`).

    Args:
        line: The typed line.
        actions: Those of the robot.
        others: First words of lines that are not subtasks, for suggestions.

    Raises:
        BadInput: It is neither.
    """
    normalised = " ".join(line.split())
    if normalised.startswith("[") or "," in normalised:
        return parse_subtask(normalised)
    for action, pattern in _PATTERNS:
        match = pattern.match(normalised.lower())
        if match:
            words = match.groupdict()
            return Subtask(action, words.get("target") or words.get("target2") or "", words.get("destination") or "")
    verbs = {action for action, _ in _PATTERNS}
    for action in (text for text in actions if text not in verbs):
        if f"{normalised.lower()} ".startswith(f"{action.lower()} "):
            return Subtask(action, normalised[len(action) :].strip())
    hint = _first_words_hint(normalised, (*(action.lower() for action in (*verbs, *actions)), *others))
    raise BadInput(
        f"'{line}' is not understood{hint or '.'} Write for example: go to fridge, pick apple, put apple on table, end."
    )


def _first_words_hint(line: str, known_names: Sequence[str]) -> str:
    """Return ": did you mean ...?" for first words that resemble known ones, "" otherwise."""
    words = line.split()
    for count in (1, 2):
        begins = " ".join(words[:count])
        candidates = [name for name in known_names if len(name.split()) == count and name != begins.lower()]
        if len(words) >= count and (hint := did_you_mean(begins, candidates)):
            return hint
    return ""


def _tell(text: str) -> None:
    sys.stderr.write(printable(text))
    sys.stderr.flush()
