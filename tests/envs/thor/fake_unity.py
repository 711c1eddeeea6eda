"""Plays AI2-THOR's Unity program for the real package `ai2thor`, with the room of Homie's own fake behind it.

It is started by the package, with the options of `unity_of` before Unity's own, and speaks what the package's variables
ask for: pipes (5.0) or HTTP (2.1, with its names of actions and its form of depth).
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import signal
import struct
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from homie.envs.thor.settings import ThorSettings
from homie.testing.thor_fake import FakeThor, Reply

METADATA, ACTION, RGB, DEPTH, IDS, END = 1, 2, 4, 5, 9, 255
FRAME = struct.Struct("!BI")
BOUNDARY = "between-the-parts"
OWN = ("action", "sequenceId", "renderImage")
"""What the package adds to the arguments of an action."""
SCENES = [f"FloorPlan{room + number}_physics" for room in (0, 200, 300, 400) for number in range(1, 31)]
Parts = Mapping[str, bytes]


def unity_of(folder: Path, room: ThorSettings, fault: str = "") -> Path:
    """An executable file that is this program, and beside it a file `actions`, of every action a line.

    Args:
        folder: for both.
        room: what is in it.
        fault: `exit`, `hang` (before the pipe is open), `mute`, `gone` (after it), or `HOW@ACTION`, at which it is
            `kill`ed, `hang`s, or calls the action `unknown` or `blocked`.
    """
    words = [
        sys.executable,
        __file__,
        f"--room={room.model_dump_json()}",
        f"--fault={fault}",
        f"--log={folder}/actions",
    ]
    path = folder / "a build of Unity"
    path.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    path.chmod(0o755)
    return path


def actions_of(folder: Path) -> list[str]:
    """The actions that the programs of `unity_of` got there."""
    return (folder / "actions").read_text().split()


class Pipes:
    """Messages of parts (type, length, bytes), each closed by an empty part."""

    def __init__(self) -> None:
        self._out = Path(os.environ["AI2THOR_FIFO_SERVER_PIPE_PATH"]).open("wb")  # noqa: SIM115

    def send(self, metadata: Mapping[str, Any], pictures: Parts) -> None:
        import msgpack

        kinds = {"image": RGB, "image_depth": DEPTH, "image_ids": IDS}
        parts = [(METADATA, msgpack.packb(metadata)), *((kinds[name], body) for name, body in pictures.items())]
        for kind, body in parts:
            self._out.write(FRAME.pack(kind, len(body)) + body)
        self._out.write(FRAME.pack(END, 0))
        self._out.flush()

    def actions(self) -> Iterator[dict[str, Any]]:
        with Path(os.environ["AI2THOR_FIFO_CLIENT_PIPE_PATH"]).open("rb") as pipe:
            while len(head := pipe.read(FRAME.size)) == FRAME.size:
                kind, length = FRAME.unpack(head)
                body = pipe.read(length)
                if kind == ACTION:
                    yield json.loads(body)


class Http:
    """Every event is a form that is posted; the answer is the next action."""

    def __init__(self) -> None:
        self._url = "http://{AI2THOR_HOST}:{AI2THOR_PORT}/train".format(**os.environ)
        self._next: dict[str, Any] = {}

    def send(self, metadata: Mapping[str, Any], pictures: Parts) -> None:
        text = 'text/plain; charset="utf-8"'
        parts = [
            _part(text, "metadata", json.dumps(metadata).encode()),
            _part(text, "token", os.environ["AI2THOR_CLIENT_TOKEN"].encode()),
            *(_part("application/octet-stream", f'{name}"; filename="{name}', body) for name, body in pictures.items()),
        ]
        body = b"\r\n" + b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
        head = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        with urllib.request.urlopen(urllib.request.Request(self._url, body, head)) as answer:
            self._next = json.loads(answer.read())

    def actions(self) -> Iterator[dict[str, Any]]:
        while "action" in self._next:
            yield self._next


def _part(content: str, name: str, body: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Type: {content}\r\nContent-disposition: form-data; name="{name}"\r\n\r\n'
    return head.encode() + body + b"\r\n"


class Unity:
    """The room, and what goes wrong."""

    def __init__(self, room: ThorSettings, fault: str, log: Path, link: Pipes | Http) -> None:
        self._world = FakeThor(room)
        self._how, _, self._at = fault.partition("@")
        self._log, self._link, self._old = log.open("a"), link, isinstance(link, Http)

    def run(self) -> None:
        self._answer({"action": "Initialize", "sequenceId": 0}, True, None, "", "")
        for action in self._link.actions():
            if "action" not in action:
                return
            print(action["action"], file=self._log, flush=True)
            self._answer(action, *self._done(action))

    def _done(self, action: Mapping[str, Any]) -> tuple[bool, Any, str, str]:
        """Success, result, message and code of an action."""
        name = action["action"]
        if name == self._at and (fault := self._fault()) is not None:
            return fault
        arguments = {key: value for key, value in action.items() if key not in OWN}
        own: dict[str, Callable[[], Any]] = {
            "GetScenesInBuild": lambda: SCENES,
            "Initialize": lambda: {"cameraNearPlane": 0.1, "cameraFarPlane": 20.0},
            "ChangeResolution": lambda: None,  # the program was started with the same
            "Reset": lambda: self._world.reset(action["sceneName"]) and None,
        }
        if name in own:
            return True, own[name](), "", ""
        try:
            reply = self._world.step(**(_of_version_5(name, arguments) if self._old else arguments | {"action": name}))
        except (ValueError, TypeError) as error:
            return False, None, str(error), "InvalidAction"
        metadata = reply.metadata
        return metadata["lastActionSuccess"], metadata["actionReturn"], metadata["errorMessage"], ""

    def _fault(self) -> tuple[bool, Any, str, str] | None:
        match self._how:
            case "kill":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hang":
                time.sleep(60.0)
            case "unknown":
                return False, None, f"Invalid action: {self._at}", "InvalidAction"
            case "blocked":
                return False, None, "Collided with: Chair|1|2|3", ""
        return None

    def _answer(self, action: Mapping[str, Any], ok: bool, value: Any, message: str, code: str) -> None:
        reply = self._world.last_event
        pictures, colors = _pictures(reply, old=self._old)
        height, width = reply.frame.shape[:2]
        view = {
            **reply.metadata,
            "screenWidth": width,
            "screenHeight": height,
            "thirdPartyCameras": [],
            "colors": colors,
            "colorBounds": [{"color": item["color"], "bounds": [0, 0, width, height]} for item in colors],
            "depthFormat": "Meters",
            "lastAction": action["action"],
            "lastActionSuccess": ok,
            "errorMessage": message,
            "errorCode": code,
            "actionReturn": value,
        }
        if self._old:
            view["reachablePositions"] = view.pop("actionReturn")
        agents = {"agents": [view], "thirdPartyCameras": [], "activeAgentId": 0, "sequenceId": action["sequenceId"]}
        self._link.send(json.loads(json.dumps(agents, default=float)), pictures)


def _of_version_5(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """An action of version 2.1 by the names of 5."""
    match name:
        case "TeleportFull":
            position = {axis: arguments[axis] for axis in "xyz"}
            turned = {"rotation": arguments["rotation"], "horizon": arguments["horizon"]}
            return {"action": "Teleport", "position": position, **turned}
        case "PutObject":
            return {"action": name, "objectId": arguments["receptacleObjectId"]}
    return {"action": name, **arguments}


def _pictures(reply: Reply, *, old: bool) -> tuple[Parts, list[dict[str, Any]]]:
    """The bytes of the pictures, lowest row first, and the colours of things in the third."""
    ids, colors = np.zeros_like(reply.frame), []
    for number, (name, mask) in enumerate(reply.instance_masks.items(), 1):
        color = [number, number * 37 % 256, number * 91 % 256]
        ids[mask] = color
        colors.append({"name": name, "color": color})
    depth = np.asarray(reply.depth_frame, np.float32)
    if old:  # of 10 m so many 256ths, and of these twice more
        code = np.round(np.minimum(depth, 9.99) / 10.0 * 2**24).astype(np.uint32)
        depth = np.stack([code >> shift & 255 for shift in (16, 8, 0)], axis=-1).astype(np.uint8)
    pictures = {"image": reply.frame, "image_depth": depth, "image_ids": ids}
    return {name: np.ascontiguousarray(picture[::-1]).tobytes() for name, picture in pictures.items()}, colors


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("--room", "--fault", "--log"):
        parser.add_argument(name, default="")
    own, unitys = parser.parse_known_args()
    if own.fault in ("exit", "hang"):
        time.sleep(60.0 if own.fault == "hang" else 0.0)
        sys.exit(3)
    link = Pipes() if "AI2THOR_FIFO_SERVER_PIPE_PATH" in os.environ else Http()
    if own.fault in ("mute", "gone"):
        time.sleep(60.0 if own.fault == "mute" else 0.0)
        sys.exit(3)
    options = dict(zip(unitys[::2], unitys[1::2], strict=False))
    size = f"{options['-screen-width']}x{options['-screen-height']}"
    room = ThorSettings.model_validate_json(own.room).model_copy(update={"picture_size": size})
    Unity(room, own.fault, Path(own.log), link).run()


if __name__ == "__main__":
    try:
        main()
    except OSError:
        sys.exit("the package has gone")
