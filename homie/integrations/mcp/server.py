"""The MCP server: converts tool calls to calls of a driver, pictures to images, feedback to structured results.

A failure of the robot is a result (`ok: false` with a code). An invalid call, or one by a client that does not control
the robot, is an error shown to the agent. Neither is a protocol error.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import anyio
import mcp_types as types
from mcp.server import Server
from mcp.shared.exceptions import MCPError

from homie.integrations.mcp.pictures import pictures_result
from homie.integrations.mcp.robot_driver import Driver, Result
from homie.integrations.mcp.seat import Client, Seat
from homie.integrations.mcp.tools import Tool
from homie.kernel.errors import BadInput, HomieError, suggestion
from homie.kernel.support.own_code import unexpected_error
from homie.kernel.support.version import __version__
from homie.kernel.types import Subtask

T = TypeVar("T")
log = logging.getLogger(__name__)
GUIDE = Path(__file__).with_name("guide.md")
"""Instructions for agents on the tools."""
TICK = 0.5
"""Seconds between two progress notifications."""
SESSION = "mcp-session-id"
"""Header that identifies HTTP clients of protocol versions with a handshake."""
NOT_APPROVED = "The user did not approve this motion, or the client could not ask. Nothing was moved."
FREE_FOR_ALL = ("observe", "scene", "status", "stop", "list_tasks")
"""Tools that do not require control of the robot."""


class McpBridge:
    """Server for one robot.

    Args:
        driver: Driver of the robot; closed by its creator.
        patience: Seconds after which an idle client loses the robot to the next.
        approve: Whether the client's user must approve every motion (hardware).
    """

    def __init__(self, driver: Driver, *, patience: float = 120.0, approve: bool = False) -> None:
        self._driver, self._approve = driver, approve
        self.seat = Seat(patience)
        self._tools = {tool.name: tool for tool in driver.tools()}
        self.server: Server[Any] = Server(
            "homie",
            version=__version__,
            title="Homie",
            description="A household robot.",
            instructions=GUIDE.read_text(encoding="utf-8"),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    async def gone(self, key: str) -> None:
        """Handle the loss of a client, maybe during a call: stop the robot if it was controlled by that client."""
        holder = self.seat.holder
        if holder is not None and holder.key == key:
            log.warning("The client %s has gone; the robot is stopped.", holder.name)
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._driver.lost, holder.name)
            self.seat.leave(key)

    async def _list_tools(self, context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_mcp_tool(tool) for tool in self._tools.values()])

    async def _list_prompts(self, context: Any, params: Any) -> types.ListPromptsResult:
        description = "How to drive this robot: what the tools mean, and how to recover."
        return types.ListPromptsResult(prompts=[types.Prompt(name="drive", description=description)])

    async def _get_prompt(self, context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = types.TextContent(type="text", text=GUIDE.read_text(encoding="utf-8"))
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=text)])

    async def _call_tool(
        self, context: Any, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        client = client_of(context)
        try:
            tool = self._tool(params.name)
            arguments = tool.checked(params.arguments or {})
            if tool.name not in FREE_FOR_ALL:
                self._check_seat(client)
            if (
                tool.action
                and self._approve
                and (approval_request := await self._approval(context, params, tool, arguments))
            ):
                return approval_request
            self._driver.counted(tool.name)
            return await self._answer(context, client, tool, arguments)
        except HomieError as error:
            return _error(str(error))
        except Exception as error:
            log.exception("The tool %s failed.", params.name[:60])
            return _error(str(unexpected_error(error)))

    async def _answer(
        self, context: Any, client: Client, tool: Tool, arguments: dict[str, Any]
    ) -> types.CallToolResult:
        driver = self._driver
        if tool.action:
            model = arguments.pop("model", "")
            subtask = Subtask(tool.action, **arguments)
            return _structured_result(await self._run_motion(context, lambda: driver.act(subtask, model)))
        match tool.name:
            case "observe":
                view = arguments["view"] or driver.views[0]
                chosen = driver.views if view == "all" else (view,)
                return await _in_thread(lambda: pictures_result(driver.pictures(chosen)))
            case "stop":
                await _in_thread(driver.stop)
                return _structured_result({"stopped": True})
            case "status":
                return _structured_result(
                    {**await _in_thread(driver.status), "held_by": _client_name(self.seat.holder)}
                )
            case "start_task":
                return _structured_result(await self._run_motion(context, lambda: driver.start_task(arguments["task"])))
            case "report":
                result = await self._run_motion(context, lambda: driver.report(**arguments))
                self.seat.leave(client.key)
                return _structured_result(result)
            case "scene":
                return _structured_result(await _in_thread(driver.scene))
        return _structured_result(await _in_thread(driver.list_tasks))

    async def _run_motion(self, context: Any, work: Callable[[], Result]) -> Result:
        """Run a call that may move the robot: with progress notifications, and stopped if the client cancels."""
        self.seat.begin()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_progress, context)
                outcome = await _result_or_error(work)
                group.cancel_scope.cancel()
            if isinstance(outcome, HomieError):
                raise outcome
            return outcome
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._driver.stop)
            raise
        finally:
            self.seat.end()

    def _tool(self, name: str) -> Tool:
        if name not in self._tools:
            hint = suggestion(name[:60], self._tools, f"choose one of {', '.join(self._tools)}.")
            raise BadInput(f"There is no tool '{name[:60]}': {hint}")
        return self._tools[name]

    def _check_seat(self, client: Client) -> None:
        other = self.seat.take(client)
        if other is not None:
            raise BadInput(
                f"The robot is held by {other.name}: only observe, scene, status and stop are free. It becomes free "
                "when that client reports, leaves, or asks for nothing for a while."
            )

    async def _approval(
        self, context: Any, params: types.CallToolRequestParams, tool: Tool, arguments: dict[str, Any]
    ) -> types.CallToolResult | types.InputRequiredResult | None:
        """Return None if the client's user approves a motion; else the response to send instead."""
        words = " ".join(str(value) for value in arguments.values() if value)
        request = types.ElicitRequestFormParams(
            message=f"The agent wants the robot to do: {tool.action} {words}. Is the way clear?".replace("  ", " "),
            requested_schema={"type": "object", "properties": {}, "required": []},
        )
        answer: Any
        if context.session.can_send_request:
            try:
                answer = await context.session.elicit_form(request.message, request.requested_schema)
            except MCPError as error:
                answer = error  # the client cannot ask its user
        elif (answers := params.input_responses) is None:
            elicitation = types.ElicitRequest(params=request)
            return types.InputRequiredResult(input_requests={"approve": elicitation})
        else:
            answer = answers.get("approve")
        if getattr(answer, "action", "") == "accept":
            return None
        return _structured_result({"ok": False, "code": "not approved", "message": NOT_APPROVED})


def client_of(context: Any) -> Client:
    """Identify the client of a call: by the session if there is one, else by its own name."""
    params = context.session.client_params
    name = params.client_info.name if params is not None else "a client"
    version = params.client_info.version if params is not None else ""
    headers = getattr(context.request, "headers", {})
    return Client(headers.get(SESSION) or f"{name} {version}", name)


def _mcp_tool(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.about,
        input_schema=tool.schema,
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=bool(tool.action),
            idempotent_hint=tool.reads or tool.repeatable,
            open_world_hint=False,
        ),
    )


async def _in_thread(work: Callable[[], T]) -> T:
    """Run a blocking call in a thread. If the caller is cancelled, the result is discarded."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


async def _result_or_error(work: Callable[[], Result]) -> Result | HomieError:
    """Run a blocking call; return an error as a value, because a task group would wrap it."""
    try:
        return await _in_thread(work)
    except HomieError as error:
        return error


async def _progress(context: Any) -> None:
    """Notify the client periodically of the elapsed seconds, as long as this runs."""
    start = anyio.current_time()
    while True:
        await anyio.sleep(TICK)
        seconds = anyio.current_time() - start
        with suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            await context.session.report_progress(round(seconds, 1), None, f"at work for {seconds:.1f} s")


def _structured_result(result: Result) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(result, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=result)


def _error(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)


def _client_name(client: Client | None) -> str:
    return "" if client is None else client.name
