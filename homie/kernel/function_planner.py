"""Planners made of functions: `--planner mine:decide`, or a function of a Python program that calls its models itself.

PlannerInput --your function, sync or async--> Decision or Subtask
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import CancelledError, Future
from typing import TypeAlias

from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.interfaces import Planner
from homie.kernel.interfaces.parts import accepts_one_argument
from homie.kernel.interfaces.planner import decision_of
from homie.kernel.types import Decision, PlannerInput, Subtask

Answer: TypeAlias = Decision | Subtask
Decide: TypeAlias = Callable[[PlannerInput], Answer | Awaitable[Answer]]


def decides(function: object) -> bool:
    """Whether a function is a planner itself, rather than a factory of planners: it has one required argument, and
    according to its annotations that is not a `str`, and it does not return a planner."""
    if inspect.isclass(function) or isinstance(function, Planner) or not callable(function):
        return False
    signature = _signature(function)
    if signature is None:
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind in positional and parameter.default is parameter.empty
    ]
    if len(required) != 1 or required[0].annotation in (str, "str"):
        return False
    returns = signature.return_annotation
    if isinstance(returns, str):
        return not returns.endswith("Planner")
    return not (inspect.isclass(returns) and issubclass(returns, Planner))


def _signature(function: Callable[..., object]) -> inspect.Signature | None:
    """Return a function's signature, with evaluated annotations if possible; None if it has no signature."""
    for evaluated in (True, False):
        with contextlib.suppress(Exception):
            return inspect.signature(function, eval_str=evaluated)
    return None


class FunctionPlanner(Planner):
    """Planner that calls a function.

    An async function runs in the event loop in which the planner was created, or in a new one if there was none. To
    keep that loop free, run the episode in another thread: `await asyncio.to_thread(homie.run, ...)`.

    Example:
        >>> import homie
        >>> planner = homie.FunctionPlanner(lambda seen: homie.Subtask("Go to", seen.task.split()[-1]))
    """

    name = "function"

    def __init__(self, decide: Decide, *, about: Mapping[str, object] | None = None) -> None:
        """
        Args:
            decide: Function from the planner input of a round to the next subtask or decision.
            about: What determines its answers, JSON-serializable, for the run folder.

        Raises:
            BadInput: The function does not take one argument.
        """
        self._subject = f"The planner's function {getattr(decide, '__name__', type(decide).__name__)}"
        if not accepts_one_argument(decide):
            raise BadInput(f"{self._subject} has to take one argument, a homie.PlannerInput.")
        self._decide = decide
        self._about = dict(about or {})
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        self._lock = threading.Lock()
        self._pending: Future[Answer] | None = None
        self._cancelled = False

    def reset(self, task: str, *, seed: int) -> None:
        """Do nothing, as there is no state: the function gets the task and the round."""

    @property
    def function(self) -> Decide:
        """The wrapped function."""
        return self._decide

    def decide(self, planner_input: PlannerInput) -> Decision:
        """Call the function. Raises PlannerError if the call was cancelled, and whatever the function raises."""
        answer = self._decide(planner_input)
        if inspect.isawaitable(answer):
            try:
                answer = self._await_answer(answer)
            except CancelledError as error:
                raise PlannerError("The planner's function was given up before it decided.") from error
        return decision_of(answer, self._subject)

    def cancel(self) -> None:
        """Cancel the pending call of an async function, and all later ones; from any thread."""
        with self._lock:
            self._cancelled = True
            if self._pending is not None:
                self._pending.cancel()

    def describe(self) -> Mapping[str, object]:
        return self._about

    def _await_answer(self, answer: Awaitable[Answer]) -> Answer:
        async def result() -> Answer:
            return await answer

        if self._loop is None:
            return asyncio.run(result())
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            loop = None
        if loop is not None:
            if inspect.iscoroutine(answer):
                answer.close()
            raise BadInput(
                "The planner's function is async, and its event loop waits for the episode: play it in another thread, "
                "as in `await asyncio.to_thread(homie.run, ...)`."
            )
        with self._lock:
            future = self._pending = asyncio.run_coroutine_threadsafe(result(), self._loop)
            if self._cancelled:
                future.cancel()
        return future.result()


class AbsentFunction(Planner):
    """A `FunctionPlanner` of a Python program, as the options of a bench name it; it cannot be chosen by name."""

    name = "function"

    def __init__(self, label: str) -> None:
        self._label = label

    def reset(self, task: str, *, seed: int) -> None:
        raise PlannerError(
            f"The planner 'function:{self._label}' is a function of another program, which no command can call: play "
            "the suite by homie.open_bench (docs/python-api.md)."
        )

    def decide(self, planner_input: PlannerInput) -> Decision:
        raise PlannerError(f"The planner 'function:{self._label}' is a function of another program.")
