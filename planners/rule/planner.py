"""The rule planner: no learned weights and no network. It parses common household instructions, explores, and reacts to
feedback.

It gets the same inputs as every planner (names in four views, inventory, history, feedback), never world state.
"""

from __future__ import annotations

from collections.abc import Generator

from homie.kernel.interfaces import Planner
from homie.kernel.types import END, END_FAILURE, Decision, PlannerInput, Subtask
from planners.rule.errands import Errands, GaveUp
from planners.rule.memory import Memory
from planners.rule.reading.instruction import NotUnderstood, parse_instruction


class RulePlanner(Planner):
    """Parses the task into errands (`reading/instruction.py`) and runs them (`errands.py`), one subtask per round.

    It ends when the errands are done or when nothing more can be done for them; where a planner reports it then says
    failure. If it does not understand the task it
    ends at once and says so in its analysis.

    Raises:
        BadInput: an argument was given; it takes none.
    """

    name = "rule"

    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        self._task = ""
        self._course: Generator[Decision, PlannerInput, str] | None = None
        self._gave_up = False

    def reset(self, task: str, *, seed: int) -> None:
        self._task = task
        self._course, self._gave_up = None, False

    def decide(self, planner_input: PlannerInput) -> Decision:
        try:
            if self._course is None:
                self._course = self._run(planner_input)
                return next(self._course)
            return self._course.send(planner_input)
        except StopIteration as over:
            reports_failure = self._gave_up and planner_input.reports
            self._course = self._over(str(over.value), END_FAILURE if reports_failure else END)
            return next(self._course)

    def _run(self, inputs: PlannerInput) -> Generator[Decision, PlannerInput, str]:
        try:
            errands = parse_instruction(self._task)
        except NotUnderstood as reason:
            self._gave_up = True
            return f"I do not understand the task: I {reason}, so I do nothing rather than something wrong."
        memory = Memory()
        memory.take_in(inputs)
        runner = Errands(memory)
        try:
            yield from runner.run(errands)
        except GaveUp as reason:
            self._gave_up = True
            return f"I give up: {reason} {runner.report()}"
        return runner.report()

    def _over(self, analysis: str, end: Subtask) -> Generator[Decision, PlannerInput, str]:
        """Answer End in this and all later rounds."""
        while True:
            yield Decision((end,), analysis)
