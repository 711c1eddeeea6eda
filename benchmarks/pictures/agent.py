"""The picture of docs/integrations.md: `python -m benchmarks.pictures.agent`.

The client of the package `mcp` puts a can into the fridge by tool calls; after each call the home is filmed.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

import homie

PLACE = Path(__file__).parents[2] / "docs" / "images" / "agent.jpg"
SIZE, TEXT, COLUMNS = (320, 240), 40, 4
CAN, FRIDGE = "tomato soup can", "fridge"
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("go_to", {"target": FRIDGE}),
    ("open", {"target": FRIDGE}),
    ("go_to", {"target": CAN}),
    ("pick", {"target": CAN}),
    ("go_to", {"target": FRIDGE}),
    ("put", {"target": CAN, "destination": FRIDGE}),
    ("close", {"target": FRIDGE}),
    ("report", {"success": True}),
)


async def panels(session: homie.Session, task: str) -> list[Image.Image]:
    """A picture after each call, with the call and its result beneath."""
    from mcp import Client  # of the extra `mcp`

    from homie.integrations.mcp.drivers import FreeDriver
    from homie.integrations.mcp.server import McpBridge

    drawn = []
    async with Client(McpBridge(FreeDriver(session, task)).server) as client:
        for name, arguments in CALLS:
            result = (await client.call_tool(name, arguments)).structured_content or {}
            shown = {key: result[key] for key in ("ok", "code", "robot_seconds", "reported") if key in result}
            words = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
            drawn.append(panel(session.film(size=SIZE), f"{name}({words})", json.dumps(shown)))
    return drawn


def panel(picture: homie.Image, call: str, result: str) -> Image.Image:
    """A picture with two lines of text."""
    sheet = Image.new("RGB", (SIZE[0], SIZE[1] + TEXT), "white")
    sheet.paste(Image.fromarray(picture), (0, 0))
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=11)
    pen.text((4, SIZE[1] + 4), call, "black", font=font)
    pen.text((4, SIZE[1] + 20), result, "#205080", font=font)
    return sheet


def main() -> None:
    with homie.open(seed=4, picture_size=128) as session:
        panels_of_calls = asyncio.run(panels(session, f"put the {CAN} in the {FRIDGE}"))
    rows = -(-len(panels_of_calls) // COLUMNS)
    sheet = Image.new("RGB", (SIZE[0] * COLUMNS, (SIZE[1] + TEXT) * rows), "white")
    for number, each in enumerate(panels_of_calls):
        sheet.paste(each, (number % COLUMNS * SIZE[0], number // COLUMNS * (SIZE[1] + TEXT)))
    sheet.save(PLACE, quality=85)


if __name__ == "__main__":
    main()
