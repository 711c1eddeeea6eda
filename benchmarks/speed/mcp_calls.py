"""What a tool call of `homie serve mcp` costs, pictures included: `python -m benchmarks.speed.mcp_calls`.

The real client calls in memory and over stdio: `status`, which does next to nothing, and `observe` with all pictures of
a home that stands still. The difference is what the pictures cost; the aim is 5 ms in memory and 10 ms over stdio.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import homie

SCENE: Mapping[str, Any] = {"seed": 4, "skills": "ideal"}


async def measured(client: Any, calls: int) -> tuple[list[float], list[float]]:
    """Milliseconds of calls of `status`, and of `observe` with all pictures. They take turns."""
    seconds: dict[str, list[float]] = {"status": [], "observe": []}
    for _ in range(calls + 1):
        for name, arguments in (("status", {}), ("observe", {"view": "all"})):
            began = time.perf_counter()
            await client.call_tool(name, arguments)
            seconds[name].append((time.perf_counter() - began) * 1000)
    return seconds["status"][1:], seconds["observe"][1:]


async def measure(calls: int, size: int) -> None:
    from mcp import Client, StdioServerParameters  # of the extra `mcp`

    from homie.integrations.mcp.drivers import FreeDriver
    from homie.integrations.mcp.server import McpBridge

    print(f"ms of {calls} calls, four pictures of {size} x {size}")
    with homie.open(**SCENE, picture_size=size) as session:
        async with Client(McpBridge(FreeDriver(session)).server) as client:
            show("in memory", *await measured(client, calls))
    line = ["-m", "homie", "serve", "mcp", "--seed", "4", "--skills", "ideal", "--picture-size", str(size)]
    async with Client(StdioServerParameters(command=sys.executable, args=line, env=dict(os.environ))) as client:
        show("stdio", *await measured(client, calls))


def show(name: str, status: Sequence[float], observe: Sequence[float]) -> None:
    for word, of in (("median", statistics.median), ("least", min)):
        bare, whole = of(status), of(observe)
        print(f"{name:10} {word:7} status {bare:6.2f}  observe {whole:6.2f}  difference {whole - bare:6.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--size", type=int, default=256, help="of the pictures, pixels of a side")
    arguments = parser.parse_args()
    asyncio.run(measure(arguments.calls, arguments.size))


if __name__ == "__main__":
    main()
