"""The MCP server itself: tool calls to a driver, pictures as images, feedback as structured results.

What the robot could not do is an answer (`ok: false` with a code). A call that makes no sense, or comes from a client
that does not hold the robot, is an error that the agent reads. Nothing of it is a protocol error.
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
from homie.kernel.support.own_code import unexpected
from homie.kernel.support.version import __version__
from homie.kernel.types import Subtask

T = TypeVar("T")
log = logging.getLogger(__name__)
GUIDE = Path(__file__).with_name("guide.md")
"""What an agent has to know of the tools."""
TICK = 0.5
"""Seconds between two notices of progress."""
SESSION = "mcp-session-id"
"""The header by which HTTP clients of the handshake era are distinguished."""
NOT_APPROVED = "The user did not approve this motion, or the client could not ask. Nothing was moved."
FREE_FOR_ALL = ("observe", "scene", "status", "stop", "list_tasks")
"""Tools that need not hold the robot."""


class McpBridge:
    """One robot behind one server.

    Args:
        driver: Moves it; whoever has made it closes it.
        patience: Seconds after which a client that asks for nothing loses the robot to the next.
        approve: Whether every motion has to be approved by the client's user (hardware).
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
        """A client has gone, perhaps in the middle of a call: the robot stops if it was that client's."""
        holder = self.seat.holder
        if holder is not None and holder.key == key:
            log.warning("The client %s has gone; the robot is stopped.", holder.name)
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._driver.lost, holder.name)
            self.seat.leave(key)

    async def _list_tools(self, context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_declared(tool) for tool in self._tools.values()])

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
            return _error(str(unexpected(error)))

    async def _answer(
        self, context: Any, client: Client, tool: Tool, arguments: dict[str, Any]
    ) -> types.CallToolResult:
        driver = self._driver
        if tool.action:
            model = arguments.pop("model", "")
            subtask = Subtask(tool.action, **arguments)
            return _structured(await self._moving(context, lambda: driver.act(subtask, model)))
        match tool.name:
            case "observe":
                view = arguments["view"] or driver.views[0]
                chosen = driver.views if view == "all" else (view,)
                return await _threaded(lambda: pictures_result(driver.pictures(chosen)))
            case "stop":
                await _threaded(driver.stop)
                return _structured({"stopped": True})
            case "status":
                return _structured({**await _threaded(driver.status), "held_by": _name(self.seat.holder)})
            case "start_task":
                return _structured(await self._moving(context, lambda: driver.start_task(arguments["task"])))
            case "report":
                result = await self._moving(context, lambda: driver.report(**arguments))
                self.seat.leave(client.key)
                return _structured(result)
            case "scene":
                return _structured(await _threaded(driver.scene))
        return _structured(await _threaded(driver.list_tasks))

    async def _moving(self, context: Any, work: Callable[[], Result]) -> Result:
        """What moves the robot: with notices of progress, and stopped when the client cancels."""
        self.seat.begin()
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_progress, context)
                outcome = await _outcome(work)
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
        """None where the client's user approves of a motion; else what to answer instead of it."""
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
                answer = error  # a client that cannot ask its user
        elif (answers := params.input_responses) is None:
            elicitation = types.ElicitRequest(params=request)
            return types.InputRequiredResult(input_requests={"approve": elicitation})
        else:
            answer = answers.get("approve")
        if getattr(answer, "action", "") == "accept":
            return None
        return _structured({"ok": False, "code": "not approved", "message": NOT_APPROVED})


def client_of(context: Any) -> Client:
    """Who calls: by the session where there is one, else by the name that a client gives itself."""
    params = context.session.client_params
    name = params.client_info.name if params is not None else "a client"
    version = params.client_info.version if params is not None else ""
    headers = getattr(context.request, "headers", {})
    return Client(headers.get(SESSION) or f"{name} {version}", name)


def _declared(tool: Tool) -> types.Tool:
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


async def _threaded(work: Callable[[], T]) -> T:
    """The result of what blocks. Where the caller is cancelled nobody waits for it."""
    return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)


async def _outcome(work: Callable[[], Result]) -> Result | HomieError:
    """The same, an error as a value: a task group would wrap it."""
    try:
        return await _threaded(work)
    except HomieError as error:
        return error


async def _progress(context: Any) -> None:
    """Tell the client, as long as this runs, for how many seconds the robot has been at it."""
    start = anyio.current_time()
    while True:
        await anyio.sleep(TICK)
        seconds = anyio.current_time() - start
        with suppress(MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError):
            await context.session.report_progress(round(seconds, 1), None, f"at work for {seconds:.1f} s")


def _structured(result: Result) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(result, ensure_ascii=False))
    return types.CallToolResult(content=[text], structured_content=result)


def _error(sentence: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=sentence)], is_error=True)


def _name(client: Client | None) -> str:
    return "" if client is None else client.name
