"""Servers that are written with the packages openpi-client and vla-eval, and a policy that knows where a thing is."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import anyio
import numpy as np
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from tests import other_packages

other_packages.use("openpi_client", "openpi-client==0.1.2", dependencies=False)
other_packages.use("vla_eval", "vla-eval==0.8.0", dependencies=False)
from openpi_client import msgpack_numpy  # noqa: E402
from openpi_client.base_policy import BasePolicy  # noqa: E402
from vla_eval import specs  # noqa: E402
from vla_eval.model_servers.predict import PredictModelServer  # noqa: E402
from vla_eval.model_servers.serve import serve_async  # noqa: E402

CHUNK = 10
STEP = np.array([0.05] * 3)
"""Metres that 1 of an action is, as in LIBERO."""
UP, OPEN, CLOSED = np.array([0.0, 0.0, 0.15]), -1.0, 1.0


class Knowing:
    """Actions of LIBERO that take a thing, or let go of it, at a place (3,) of the base frame, by the state alone."""

    def __init__(self, places: Mapping[str, Any]) -> None:
        self.places = {words: np.asarray(place, dtype=float) for words, place in places.items()}
        self.texts: list[str] = []
        self.seen: list[Any] = []

    def chunk(self, text: str, state: np.ndarray) -> np.ndarray:
        """Above the place, down, the fingers, up again: by what is seen when it is asked."""
        if not self.texts or self.texts[-1] != text:
            self.texts.append(text)
            self.phase = 0
        place, here, rows = self.places[text], np.asarray(state[:3], dtype=float).copy(), []
        goals = [place + UP, place, place, place + UP]
        if self.phase == 2 or (self.phase < 2 and np.linalg.norm(here - goals[self.phase]) < 0.008):
            self.phase += 1
        take, after = text.startswith("pick"), self.phase >= 2
        for _ in range(CHUNK):
            change = np.clip((goals[self.phase] - here) / STEP, -0.2, 0.2)
            here += change * STEP
            rows.append([*change, 0.0, 0.0, 0.0, CLOSED if take is after else OPEN])
        return np.array(rows, np.float32)


class OpenPiServer(BasePolicy):
    """A server as openpi has it, around the codec of its client."""

    def __init__(self, policy: Knowing, metadata: Mapping[str, Any], delay: float = 0.0) -> None:
        self.policy, self.metadata, self.delay = policy, dict(metadata), delay
        self.sessions = 0

    def infer(self, obs: dict[str, Any]) -> dict[str, Any]:
        self.policy.seen.append(obs)
        time.sleep(self.delay)
        return {"actions": self.policy.chunk(obs["prompt"], obs["observation/state"])}

    def session(self, socket: ServerConnection) -> None:
        self.sessions += 1
        packer = msgpack_numpy.Packer()
        socket.send(packer.pack(self.metadata))
        with suppress(ConnectionClosed):
            while True:
                obs = msgpack_numpy.unpackb(socket.recv())
                try:
                    socket.send(packer.pack({**self.infer(obs), "server_timing": {"infer_ms": 1.0}}))
                except KeyError as error:
                    socket.send(f"Traceback (most recent call last):\n  in infer\nKeyError: {error}\n")
                    socket.close(1011)


@contextmanager
def openpi(policy: Knowing, metadata: Mapping[str, Any] | None = None, **more: Any) -> Iterator[tuple[str, Any]]:
    """The address of a running server, and the server."""
    made = OpenPiServer(policy, metadata or {}, **more)
    with serve(made.session, "127.0.0.1", 0, compression=None, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}", made
        finally:
            server.shutdown()
            thread.join()


class VlaEvalServer(PredictModelServer):
    """A model server of vla-eval."""

    def __init__(self, policy: Knowing, action: Mapping[str, Any] | None, delay: float = 0.0) -> None:
        super().__init__(chunk_size=CHUNK)
        self.policy, self.action, self.delay = policy, action, delay

    def get_action_spec(self) -> dict[str, Any]:
        usual = {"position": specs.POSITION_DELTA, "rotation": specs.ROTATION_AA, "gripper": specs.GRIPPER_CLOSE_POS}
        return dict(usual if self.action is None else self.action)

    def get_observation_spec(self) -> dict[str, Any]:
        return {"image": specs.IMAGE_RGB, "language": specs.LANGUAGE, "state": specs.STATE_EEF_POS_AA_GRIP}

    def predict(self, obs: dict[str, Any], ctx: Any) -> dict[str, Any]:
        self.policy.seen.append(obs)
        time.sleep(self.delay)
        return {"actions": self.policy.chunk(obs["task_description"], obs["states"])}


@contextmanager
def vla_eval(policy: Knowing, action: Mapping[str, Any] | None = None, **more: Any) -> Iterator[tuple[str, Any]]:
    """The address of a running server, and the server."""
    made = VlaEvalServer(policy, action, **more)
    ports: list[int] = []
    ready, loops = threading.Event(), []

    async def run() -> None:
        loops.append((asyncio.get_running_loop(), asyncio.current_task()))
        async with anyio.create_task_group() as group:
            ports.append(await group.start(serve_async, made, "127.0.0.1", 0))
            ready.set()

    def whole() -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(run())

    thread = threading.Thread(target=whole, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield f"ws://127.0.0.1:{ports[0]}", made
    finally:
        loop, task = loops[0]
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
