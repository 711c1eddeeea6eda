"""Plays a task of LIBERO over MCP and with Inspect AI, in the environment of its package; prints what came of it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import homie
from tests import other_packages
from tests.integrations.test_inspect_ai import INSPECT, answers

other_packages.use("mcp", "mcp>=2.3,<3")
other_packages.use(*INSPECT)
from inspect_ai import eval as evaluate  # noqa: E402
from inspect_ai.model import ModelOutput, get_model  # noqa: E402
from mcp import Client  # noqa: E402

from homie.integrations.inspect_ai import suite  # noqa: E402
from homie.integrations.mcp.robot_driver import FreeDriver  # noqa: E402
from homie.integrations.mcp.server import McpBridge  # noqa: E402

STEPS = (("pick", {"target": "bowl"}), ("put", {"target": "bowl", "destination": "plate"}))


async def over_mcp() -> dict[str, Any]:
    driver = FreeDriver(homie.open(robot="libero:libero_goal/8", skills="classical", picture_size="128x128"), "")
    async with Client(McpBridge(driver).server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        views = [block.type for block in (await client.call_tool("observe")).content]
        refused = await client.call_tool("pick", {"target": "stove"})
        results = [(await client.call_tool(name, arguments)).structured_content for name, arguments in STEPS]
    success = driver._session.world_state().success
    driver.close()
    return {
        "tools": names,
        "views": views,
        "refused": (refused.structured_content or {}).get("code"),
        "done": [step and step["ok"] for step in results],
        "success": success,
    }


def with_inspect(folder: Path) -> dict[str, Any]:
    replies = answers("Pick, bowl", "Put, bowl, plate", "End")
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in replies]
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    task = suite(
        name="libero-goal",
        tasks="8-put-the-bowl-on-the-plate-00",
        out=str(folder / "run"),
        picture_size="128x128",
    )
    (log,) = evaluate(task, model=model, log_dir=str(folder / "logs"), display="none")
    (sample,) = log.samples or [None]
    assert sample is not None
    scores = homie.load_run(folder / "run").results.scores
    return {
        "status": log.status,
        "error": str(sample.error),
        "SR": {score.name: score.metrics["mean"].value for score in (log.results.scores if log.results else [])}.get(
            "SR"
        ),
        "questions": sum(event.event == "model" for event in sample.events),
        "success": [score.success for score in scores],
    }


def main() -> None:
    results = {"mcp": asyncio.run(asyncio.wait_for(over_mcp(), 300)), "inspect": with_inspect(Path(sys.argv[1]))}
    print(json.dumps(results))


if __name__ == "__main__":
    main()
