"""One trial of EMMOE's model server: the planner's input of each round, and what its decision becomes on the wire."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import replace

from homie.kernel.actions import canonical_action
from homie.kernel.error_codes import ErrorCode
from homie.kernel.interfaces import Planner
from homie.kernel.interfaces.planner import decided
from homie.kernel.types import END, SUCCESS, Decision, Detection, Feedback, HistoryItem, Image, PlannerInput, Subtask
from planners.emmoe.wire import BAR, LIMIT, ROUNDS, Wire, ends_trial, subtask_message
from planners.llm.reading.emmoe_official_parser import official_parts

ASKED = 3
"""How often a planner is asked in a round whose decision cannot be sent, then the trial ends."""
NOW = "Now, please output Analysis, Subtask and Model, according to the instruction above."


class Trial:
    """What a model server knows of a trial.

    Attributes:
        task, number: The name of its task, and which of its trials it is, counted from 1.
        messages: The rounds as EMMOE's `conversation.json` has them.
        over: Whether it has come to its end.
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
            start: What the planner knows before the first round.
            planner: Decides; it has been reset.
            wire: How its decisions are sent.
            models: EMMOE's names of models, by Homie's.
        """
        self.task, self.number = task, number
        self.messages: list[str] = []
        self.over = False
        self.round = 0
        self._input, self._planner, self._wire, self._models = start, planner, wire, models
        self._inventory: tuple[str, ...] = ()
        self._history: tuple[HistoryItem, ...] = ()
        self._written = ""
        """The history with its subtasks as they were sent."""
        self._feedback: Feedback | None = None
        self._sent = self._model = ""
        """Subtask and model of the round as they were sent."""
        self._meant = END
        """The subtask of the round as the planner has decided it."""
        self._plan: deque[Decision] = deque()
        """The rest of a decision of several subtasks."""

    def decide(self, views: Mapping[str, Image], detections: tuple[Detection, ...]) -> str:
        """The message of the next round: `subtask|model|inventory`, or a bare End where the planner has no decision
        that can be sent. Raises PlannerError.

        Args:
            views: Pictures by view.
            detections: What was detected in them.
        """
        self.round += 1
        known = replace(
            self._input,
            round=self.round,
            views=views,
            detections=detections,
            inventory=self._inventory,
            history=self._history,
            feedback=self._feedback,
        )
        for _ in range(ASKED):
            decision = self._plan.popleft() if self._plan else self._asked(known)
            problem = decision.problem or self._send(decision)
            if not problem:
                return subtask_message(self._sent, self._model, self._sent_inventory)
            self._plan.clear()
            known = replace(known, feedback=Feedback("fail", ErrorCode.F1, problem))
        self._sent, self._meant = END.action, END
        return END.action

    def take(self, sentence: str, ok: bool, code: ErrorCode) -> None:
        """Take note of the result of the round.

        Args:
            sentence: The feedback.
            ok: Whether its signal is a success.
            code: Its error code, where it is none.
        """
        message = sentence if sentence.startswith("None") else SUCCESS.message
        feedback = Feedback("success", None, message) if ok else Feedback("fail", code, sentence)
        if not ok:
            self._plan.clear()
        self._inventory = held_after(self._inventory, self._sent, self._meant, sentence, ok, self._wire)
        self._history = (*self._history, HistoryItem(len(self._history) + 1, self._meant, feedback))
        self._written += f"({self.round}) {self._sent}({feedback.status}) "
        self._feedback = feedback
        self.over = self.round >= ROUNDS or self._ends

    def _asked(self, known: PlannerInput) -> Decision:
        """The first subtask of a decision; the others are kept for the next rounds, as long as all goes well."""
        decision = decided(self._planner, known)
        self._plan.extend(replace(decision, subtasks=(subtask,), raw="") for subtask in decision.subtasks[1:])
        return replace(decision, subtasks=decision.subtasks[:1])

    def _send(self, decision: Decision) -> str:
        """Prepare the message of a decision. Returns the problem that keeps it from being sent, "" for none."""
        (subtask,) = decision.subtasks
        inside = str(subtask)[1:-1]
        model = self._models.get(decision.model, decision.model) or "None"
        parts = official_parts(decision.raw)
        if self._wire == "strict":
            _, self._sent, self._model = parts or ("", inside, model)
        else:
            self._sent = inside.replace(BAR, " ")
            self._model = model if decision.model in self._models else "None"
            if problem := self._problem(subtask):
                return problem
        self._meant = subtask
        text = f"Analysis: {decision.analysis or 'None'}\nSubtask: [{inside}]\nModel: {model}"
        text = decision.raw if parts else text
        self.messages.append(f"USER:\n{self._question()}ASSISTANT:\n{text}\n")
        return ""

    def _problem(self, subtask: Subtask) -> str:
        """Why the released executor would not understand a subtask, "" if it does."""
        ending = canonical_action(subtask.action, self._input.actions) == END.action
        message = subtask_message(self._sent, self._model, self._sent_inventory)
        if ends_trial(message) and not ending:
            return f"{subtask} cannot be sent, because the letters of 'end' in it end the task: use another name."
        if len(message.encode()) > LIMIT:
            return f"The subtask is too long to be sent ({len(message.encode())} bytes): use shorter names."
        return ""

    @property
    def _ends(self) -> bool:
        """Whether the planner's side takes the round for the last: an End anywhere in the subtask, if strict."""
        if self._wire == "strict":
            return ends_trial(self._sent)
        return canonical_action(self._meant.action, self._input.actions) == END.action

    @property
    def _sent_inventory(self) -> tuple[str, ...]:
        """The held objects as they are sent: a name that would end the trial is left unsaid."""
        if self._wire == "strict":
            return self._inventory
        return tuple("object" if ends_trial(name) or BAR in name else name for name in self._inventory)

    def _question(self) -> str:
        feedback = "None" if self._feedback is None else self._feedback.message
        return (
            f"Task: {self._input.task}\nInventory: {' '.join(self._inventory) or 'None'}\n"
            f"Historical Execution: {self._written or 'None'}\nFeedback: {feedback}\n{NOW}\n"
        )


def held_after(
    inventory: tuple[str, ...], sent: str, subtask: Subtask, sentence: str, ok: bool, wire: Wire
) -> tuple[str, ...]:
    """The held objects after a subtask, by its feedback.

    `strict` goes by letters as the released code does (`Go to, pickle jar` is a pick), but where that code would stop
    with an error nothing changes; otherwise Pick takes and Put gives.

    Args:
        inventory: Before it.
        sent: The subtask as it was sent.
        subtask: The subtask.
        sentence, ok: The feedback and whether it is a success.
        wire: By which rule.
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
