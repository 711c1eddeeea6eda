"""`homie serve mcp`: serves a robot or a suite over stdio or streamable HTTP, until the client leaves or Ctrl-C."""

from __future__ import annotations

import asyncio
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal

from homie.bench.options import BenchOptions
from homie.bench.play.one_by_one import OpenBench
from homie.integrations.mcp.planner import TOKEN
from homie.integrations.mcp.robot_driver import Driver, FreeDriver
from homie.integrations.mcp.suite import Budget, SuiteDriver
from homie.kernel.errors import BadInput
from homie.kernel.support.packages import missing_part
from homie.kernel.support.page_headers_and_cookies import is_local
from homie.runtime.open_session import open_session

if TYPE_CHECKING:
    from homie.integrations.mcp.server import McpBridge

PATIENCE = 120.0
"""Seconds after which an idle client loses the robot to the next one that calls."""


def serve_mcp(
    suite: str,
    options: Mapping[str, Any],
    *,
    task: str,
    transport: Literal["stdio", "http"],
    host: str,
    port: int,
    armed: bool,
    budget: tuple[int | None, float | None, float],
    ready: Callable[[str, str], None],
) -> None:
    """Serve until the client leaves (stdio) or Ctrl-C.

    Args:
        suite: Suite whose tasks are played; "" for a robot in its scene.
        options: Options of `homie.open`, or of `homie.bench` with a suite.
        task: Instruction for the agent without a suite.
        transport: `stdio` for the client that starts this process, `http` for those of this machine.
        host, port: Address for HTTP; port 0 selects a free port.
        armed: Whether a real robot may be moved, each motion with the approval of the client's user.
        budget: Limits of calls and of robot seconds for a task of a suite, None for no limit, and the idle seconds
            after which the agent counts as gone.
        ready: Called with address and token of HTTP, both "" for stdio.

    Raises:
        BadInput, MissingPart, InfrastructureError: The server cannot start, or fails.
    """
    try:
        from homie.integrations.mcp.server import McpBridge
    except ModuleNotFoundError as error:
        raise missing_part("`homie serve mcp`", "mcp", "mcp") from error
    with closing(_driver(suite, options, task, Budget(*budget))) as driver:
        if not (driver.simulated or armed):
            raise BadInput(
                "This is a real robot: add --arm-robot to let an agent move it. Each motion is then approved by "
                "the agent's user."
            )
        bridge = McpBridge(driver, patience=min(PATIENCE, budget[2]), approve=not driver.simulated)
        if transport == "stdio":
            ready("", "")
            asyncio.run(_over_stdio(bridge))
        else:
            from homie.integrations.mcp.http import serve_http

            serve_http(bridge, host, port, _token(host), ready)


def _driver(suite: str, options: Mapping[str, Any], task: str, budget: Budget) -> Driver:
    if not suite:
        return FreeDriver(open_session(None, False, options), task)
    bench = OpenBench(BenchOptions.build(None, suite=suite, **{"planner": "function:mcp", **options}))
    try:
        return SuiteDriver(bench, budget, {"protocol": "MCP"})
    except BaseException:
        bench.close()
        raise


def _token(host: str) -> str:
    token = os.environ.get(TOKEN, "")
    if not token and not is_local(host):
        raise BadInput(f"Other machines reach {host}: put a token into the environment variable {TOKEN}.")
    return token or secrets.token_urlsafe(24)


async def _over_stdio(bridge: McpBridge) -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (read, write):
        await bridge.server.run(read, write, bridge.server.create_initialization_options())
