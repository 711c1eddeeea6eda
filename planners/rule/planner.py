"""The rule planner, without learned weights and network. It parses common household instructions, explores, and reacts
to feedback.

It gets the same inputs as every planner (names in four views, inventory, history, feedback), never world state.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from homie.kernel.interfaces import Planner, kind_of
from homie.kernel.types import END, END_FAILURE, Decision, PlannerInput, Report
from perception.names import normalise
from planners.rule.giving_up import TooManyFailures
from planners.rule.memory import Memory
from planners.rule.reading.instruction import NotUnderstood, parse_instruction
from planners.rule.reading.orders import Bring, CloseUp, Fetch, IfThere, OpenUp, Order, Stock, Swap, Use
from planners.rule.running import OrderRunner


class RulePlanner(Planner):
    """Parses household instructions by rules and carries them out, one subtask per round.

    The task becomes orders (`reading/instruction.py`), which are run (`running.py`). It ends when they are done or
    nothing more can be done for them, and reports success only if everything was done as understood. It declines a task
    that it does not understand at once, with the words that it does not understand in the analysis. It ends a question
    with an answer.

    Raises:
        BadInput: an argument was given; it takes none.
    """

    name = "rule"

    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        self._task = ""
        self._course: Generator[Decision, PlannerInput, Decision] | None = None

    def reset(self, task: str, *, seed: int) -> None:
        self._task = task
        self._course = None

    def decide(self, planner_input: PlannerInput) -> Decision:
        try:
            if self._course is None:
                self._course = self._run(planner_input)
                return next(self._course)
            return self._course.send(planner_input)
        except StopIteration as over:
            self._course = _repeat_end(over.value)
            return next(self._course)

    def _run(self, inputs: PlannerInput) -> Generator[Decision, PlannerInput, Decision]:
        try:
            orders = parse_instruction(self._task, initial_names(inputs))
        except NotUnderstood as reason:
            sentence = f"I do not understand the task: I {reason}, so I do nothing rather than something wrong."
            return _end(inputs, sentence, "declined")
        available = {*inputs.actions, *(["Pick"] if inputs.inventory else [])}
        if missing_actions := dict.fromkeys(
            action.lower() for action in required_actions(orders) if action not in available
        ):
            sentence = (
                f"The task needs to {' and to '.join(missing_actions)}, which no skill here can do, so I do nothing."
            )
            return _end(inputs, sentence, "declined")
        memory = Memory()
        memory.take_in(inputs)
        runner = OrderRunner(memory)
        try:
            yield from runner.run(orders)
        except TooManyFailures as reason:
            return _end(inputs, f"I give up: {reason} {runner.report()}", "failure")
        return _end(inputs, runner.report(), runner.outcome, runner.spoken_answer)


def initial_names(inputs: PlannerInput) -> frozenset[str]:
    """Return the names in the first planner input, which may extend the vocabulary in a user's own scene."""
    seen_names = (
        *(detection.name for detection in inputs.detections),
        *(thing.name for thing in inputs.knowledge.remembered),
    )
    return frozenset(normalise(kind_of(name)) for name in (*seen_names, *inputs.listing))


def required_actions(orders: Sequence[Order]) -> Iterator[str]:
    """Yield the actions that the orders require in any case; others may be needed on the way."""
    for order in orders:
        match order:
            case Bring() | Stock() | Swap():
                yield from ("Pick", "Put")
            case Fetch():
                yield "Pick"
            case OpenUp():
                yield "Open"
            case CloseUp():
                yield "Close"
            case Use(action):
                yield action
            case IfThere(_, _, then, otherwise):
                yield from required_actions((*then, *otherwise))


def _end(inputs: PlannerInput, analysis: str, report: Report, answer: str = "") -> Decision:
    """Return End. If End is a report, it reports a failure unless success is certain."""
    end = END_FAILURE if inputs.reports and report != "success" else END
    return Decision((end,), analysis, report=report, answer=answer)


def _repeat_end(end: Decision) -> Generator[Decision, PlannerInput, Decision]:
    """Decide End in this and all later rounds."""
    while True:
        yield end
