"""The planner `mcp` of a bench: `homie bench SUITE --planner mcp --workers 1` waits for an agent in every episode.

The agent connects over HTTP, begins each task by `start_task` and ends it by `report`. One server in the worker process
serves all episodes; it starts with the first decision.
"""

from __future__ import annotations

import importlib.util
import os
import threading
from collections.abc import Mapping

from pydantic import BaseModel

from homie.integrations.mcp.handover import EpisodeDriver, Handover, describe_result, report_decision
from homie.integrations.mcp.robot_driver import Result
from homie.integrations.mcp.tools import of_actions, of_robot, of_suite
from homie.kernel.actions import Action
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Planner
from homie.kernel.support.packages import missing_part
from homie.kernel.types import Decision, PlannerInput, Subtask

PORT = 8766
TOKEN = "HOMIE_MCP_TOKEN"
"""Environment variable with the token that clients must send."""
NOT_BEGUN = "No task is under way: call start_task, which waits for the next."


class BenchDriver(EpisodeDriver):
    """Driver for the current episode in this process."""

    def __init__(self) -> None:
        super().__init__()
        self._changed = threading.Condition()
        self._waiting: tuple[str, Handover] | None = None
        self._playing: tuple[str, Handover] | None = None

    def begin(self, task: str, handover: Handover) -> None:
        """Begin an episode and end the previous one."""
        with self._changed:
            for previous in (self._waiting, self._playing):
                if previous is not None:
                    previous[1].finish()
            self._waiting, self._playing = (task, handover), None
            self._changed.notify_all()

    def learn(self, planner_input: PlannerInput) -> None:
        """Create the tools from a planner input."""
        self._views = tuple(planner_input.views)
        default_tools = [*of_robot(self._views), *(tool for tool in of_suite() if tool.name == "start_task")]
        table = {
            name: Action(
                name=name,
                arguments=planner_input.arguments.get(name, ("target",)),
                about=planner_input.explanations.get(name, ""),
            )
            for name in planner_input.actions
        }
        self._tools = (
            *default_tools,
            *of_actions(planner_input.actions, table, planner_input.models, [tool.name for tool in default_tools]),
        )

    def status(self) -> Result:
        current = self._playing
        return {"task": "", "message": NOT_BEGUN} if current is None else {"task": current[0]}

    def start_task(self, task: str) -> Result:
        with self._changed:
            if self._playing is not None:
                raise BadInput(f"A task is under way ({self._playing[0]}): end it with report first.")
            self._changed.wait_for(lambda: self._waiting)
            self._playing, self._waiting = self._waiting, None
        return {"task": self._current()[0], "rounds": self._question().rounds}

    def act(self, subtask: Subtask, model: str) -> Result:
        planner_input, decision = self._question(), Decision((subtask,), model=model)
        handover = self._current()[1]
        if planner_input.round >= planner_input.rounds:
            return self._end_task(handover, decision, "The rounds of this task are used up.")
        question = handover.answer(decision)
        return {"over": True, "subtask": str(subtask)} if question is None else describe_result(question, subtask)

    def stop(self) -> None:
        """Wait until the robot stands between two rounds; a subtask in progress is not interrupted in a bench."""
        current = self._playing
        if current is not None:
            current[1].question()

    def report(self, success: bool, reason: str, answer: str) -> Result:
        planner_input = self._question()
        return self._end_task(
            self._current()[1], report_decision(planner_input, success, reason, answer), "Call start_task for the next."
        )

    def close(self) -> None:
        """Do nothing: the server ends with the process."""

    def _end_task(self, handover: Handover, decision: Decision, message: str) -> Result:
        with self._changed:
            self._playing = None
        handover.hand_over(decision)
        return {"over": True, "subtask": str(decision.subtasks[0]), "message": message}

    def _current(self) -> tuple[str, Handover]:
        current = self._playing
        if current is None:
            raise BadInput(NOT_BEGUN)
        return current

    def _question(self) -> PlannerInput:
        question = self._current()[1].question()
        if question is None:
            raise BadInput("This task has ended: call start_task for the next.")
        return question


_DRIVER = BenchDriver()
"""One per process: planners are created anew, the server persists."""
_SERVED: set[int] = set()


class McpPlanner(Planner):
    """Lets an agent that speaks MCP decide. The argument is the port, the token is in HOMIE_MCP_TOKEN."""

    name = "mcp"

    def __init__(self, argument: str) -> None:
        self._port = _port(argument)
        self._handover = Handover(None, {})

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        _port(argument)
        if importlib.util.find_spec("mcp") is None:
            raise missing_part("The planner 'mcp'", "mcp", "mcp")
        if not os.environ.get(TOKEN):
            raise BadInput(f"Agents of the planner 'mcp' bring a token: put one into the environment variable {TOKEN}.")

    def reset(self, task: str, *, seed: int) -> None:
        self._handover = Handover(None, {})
        _DRIVER.begin(task, self._handover)

    def decide(self, planner_input: PlannerInput) -> Decision:
        if self._port not in _SERVED:
            _DRIVER.learn(planner_input)
            _serve(self._port)
            _SERVED.add(self._port)
        return self._handover.decide(planner_input)

    def describe(self) -> Mapping[str, object]:
        return {"protocol": "MCP"}


def _port(argument: str) -> int:
    if argument and not (argument.isdecimal() and 0 < int(argument) < 65536):
        raise BadInput(f"The argument of the planner 'mcp' is a port, such as mcp:{PORT} (got '{argument}').")
    return int(argument or PORT)


def _serve(port: int) -> None:
    """Serve in a thread that ends with the process. Raises BadInput if the port cannot be used."""
    from homie.integrations.mcp.http import listening, serve_at
    from homie.integrations.mcp.server import McpBridge

    try:
        listener = listening("127.0.0.1", port)
    except BadInput as error:
        raise BadInput(f"{error} One agent plays in one worker: add --workers 1.") from error
    bridge, token = McpBridge(_DRIVER), os.environ.get(TOKEN, "")
    threading.Thread(
        target=serve_at, args=(bridge, listener, "127.0.0.1", token), name="homie-mcp", daemon=True
    ).start()
