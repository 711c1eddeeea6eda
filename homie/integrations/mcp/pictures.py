"""Pictures of the robot as MCP images."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import cv2
import mcp_types as types

from homie.kernel.errors import BadInput
from homie.kernel.types import Image

QUALITY = 92
"""JPEG quality. JPEG because PNG takes ten times as long to encode and send."""


def pictures_result(views: Mapping[str, Image]) -> types.CallToolResult:
    """Return pictures (H, W, 3) by camera as the result of a tool call. Raises BadInput if one cannot be encoded."""
    content: list[Any] = []
    for name, picture in views.items():
        blue_first = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)  # a reversed view of the array would be slower to copy
        is_encoded, data = cv2.imencode(".jpg", blue_first, (cv2.IMWRITE_JPEG_QUALITY, QUALITY))
        if not is_encoded:
            raise BadInput(f"The picture of the camera '{name}' could not be encoded.")
        content.append(types.TextContent(type="text", text=name))
        encoded = base64.b64encode(data.data).decode("ascii")
        content.append(types.ImageContent(type="image", data=encoded, mime_type="image/jpeg"))
    return types.CallToolResult(content=content)
