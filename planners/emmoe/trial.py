"""One trial of EMMOE's model server: the planner's input in each round, and the conversion of its decisions."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from homie.kernel.actions import canonical_action
from homie.kernel.error_codes import ErrorCode
from homie.kernel.interfaces import Planner
from homie.kernel.interfaces.planner import call_planner
from homie.kernel.types import END, SUCCESS, Decision, Detection, Feedback, HistoryItem, Image, PlannerInput, Subtask
from planners.emmoe.wire import BAR, LIMIT, ROUNDS, Wire, ends_trial, subtask_message
from planners.llm.reading.emmoe_official_parser import official_parts

ASKED = 3
"""Attempts per round to get a decision that can be sent, after which the trial ends."""
NOW = "Now, please output Analysis, Subtask and Model, according to the instruction above."


class Trial:
    """State of a trial in a model server.

    Attributes:
        task, number: Name of the task, and number of this trial of it, from 1.
        messages: The rounds in the form of EMMOE's `conversation.json`.
        over: Whether the trial has ended.
    """

    def __init__(
        self,
        task: str,
        number: int,
        start: PlannerInput,
        planner: Planner,
        wire: Wire,
        models: Mapping[str, str],
    ) -> None:
        """
        Args:
            task, number: See the attributes.
            start: The planner's input before the first round.
            planner: Already reset.
            wire: Variant of the protocol.
            models: EMMOE's names of models, by Homie's.
        """
        self.task, self.number = task, number
        self.messages: list[str] = []
        self.over = False
        self.round = 0
        self._input, self._planner, self._wire, self._models = start, planner, wire, models
        self._inventory: tuple[str, ...] = ()
        self._history: tuple[HistoryItem, ...] = ()
        self._history_text = ""
        """The history as text, with the subtasks as they were sent."""
        self._feedback: Feedback | None = None
        self._sent = self._model = ""
        """Subtask and model of the round as they were sent."""
        self._subtask = END
        """Subtask of the round as decided by the planner."""
        self._plan: deque[Decision] = deque()
        """Remaining subtasks of a decision with several."""

    def decide(self, views: Mapping[str, Image], detections: tuple[Detection, ...]) -> str:
        """Return the message of the next round: `subtask|model|inventory`, or a bare End if the planner gives no
        decision that can be sent. Raises PlannerError.

        Args:
            views: Pictures by view.
            detections: Detections in the pictures.
        """
        self.round += 1
        current_input = replace(
            self._input,
            round=self.round,
            views=views,
            detections=detections,
            inventory=self._inventory,
            history=self._history,
            feedback=self._feedback,
        )
        for _ in range(ASKED):
            decision = self._plan.popleft() if self._plan else self._next_decision(current_input)
            problem = decision.problem or self._send(decision)
            if not problem:
                return subtask_message(self._sent, self._model, self._sent_inventory)
            self._plan.clear()
            current_input = replace(current_input, feedback=Feedback("fail", ErrorCode.F1, problem))
        self._sent, self._subtask = END.action, END
        return END.action

    def take(self, sentence: str, ok: bool, code: ErrorCode) -> None:
        """Record the result of the round.

        Args:
            sentence: The feedback.
            ok: Whether the subtask succeeded.
            code: Error code of a failure.
        """
        message = sentence if sentence.startswith("None") else SUCCESS.message
        feedback = Feedback("success", None, message) if ok else Feedback("fail", code, sentence)
        if not ok:
            self._plan.clear()
        self._inventory = held_after(self._inventory, self._sent, self._subtask, sentence, ok, self._wire)
        self._history = (*self._history, HistoryItem(len(self._history) + 1, self._subtask, feedback))
        self._history_text += f"({self.round}) {self._sent}({feedback.status}) "
        self._feedback = feedback
        self.over = self.round >= ROUNDS or self._is_last_round

    def _next_decision(self, current_input: PlannerInput) -> Decision:
        """Return the first subtask of a new decision; keep the others for the next rounds, as long as all succeed."""
        decision = call_planner(self._planner, current_input)
        self._plan.extend(replace(decision, subtasks=(subtask,), raw="") for subtask in decision.subtasks[1:])
        return replace(decision, subtasks=decision.subtasks[:1])

    def _send(self, decision: Decision) -> str:
        """Prepare the message of a decision. Return the reason why it cannot be sent, "" if it can."""
        (subtask,) = decision.subtasks
        subtask_text = str(subtask)[1:-1]
        model = self._models.get(decision.model, decision.model) or "None"
        parts = official_parts(decision.raw)
        if self._wire == "strict":
            _, self._sent, self._model = parts or ("", subtask_text, model)
        else:
            self._sent = subtask_text.replace(BAR, " ")
            self._model = model if decision.model in self._models else "None"
            if problem := self._problem(subtask):
                return problem
        self._subtask = subtask
        text = f"Analysis: {decision.analysis or 'None'}\nSubtask: [{subtask_text}]\nModel: {model}"
        text = decision.raw if parts else text
        self.messages.append(f"USER:\n{self._question()}ASSISTANT:\n{text}\n")
        return ""

    def _problem(self, subtask: Subtask) -> str:
        """Return why the released executor would misread a subtask, "" if it would not."""
        ending = canonical_action(subtask.action, self._input.actions) == END.action
        message = subtask_message(self._sent, self._model, self._sent_inventory)
        if ends_trial(message) and not ending:
            return f"{subtask} cannot be sent, because the letters of 'end' in it end the task: use another name."
        if len(message.encode()) > LIMIT:
            return f"The subtask is too long to be sent ({len(message.encode())} bytes): use shorter names."
        return ""

    @property
    def _is_last_round(self) -> bool:
        """Whether this side counts the round as the last: with `strict`, `end` anywhere in the subtask."""
        if self._wire == "strict":
            return ends_trial(self._sent)
        return canonical_action(self._subtask.action, self._input.actions) == END.action

    @property
    def _sent_inventory(self) -> tuple[str, ...]:
        """The held objects as sent: `object` replaces a name that would end the trial."""
        if self._wire == "strict":
            return self._inventory
        return tuple("object" if ends_trial(name) or BAR in name else name for name in self._inventory)

    def _question(self) -> str:
        feedback = "None" if self._feedback is None else self._feedback.message
        return (
            f"Task: {self._input.task}\nInventory: {' '.join(self._inventory) or 'None'}\n"
            f"Historical Execution: {self._history_text or 'None'}\nFeedback: {feedback}\n{NOW}\n"
        )


def held_after(
    inventory: tuple[str, ...], sent: str, subtask: Subtask, sentence: str, ok: bool, wire: Wire
) -> tuple[str, ...]:
    """Return the held objects after a subtask, inferred from its feedback.

    `strict` matches substrings as the released code does (`Go to, pickle jar` is a pick), without a change where that
    code would crash; otherwise Pick adds an object and Put removes one.

    Args:
        inventory: Held objects before it.
        sent: The subtask as sent.
        subtask: The subtask.
        sentence, ok: The feedback and whether it is a success.
        wire: Which rule to use.
    """
    is_lost = "the object is missing" in sentence
    if wire == "repaired":
        action = subtask.action.lower()
        if action == "pick" and ok:
            return (*inventory, subtask.target)
        return inventory[:-1] if action == "put" and (ok or is_lost) else inventory
    letters, succeeded = sent.lower(), "None" in sentence
    parts = letters.split("]")[0].split(",")
    if "pick" in letters and succeeded and len(parts) > 1:
        inventory = (*inventory, parts[1].strip())
    return inventory[:-1] if "put" in letters and (succeeded or is_lost) else inventory
