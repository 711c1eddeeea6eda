"""Servers that policies of others are asked on, and a policy that knows where a thing is.

Those of openpi, vla-eval and XPolicyLab are written with packages: openpi-client, vla-eval, and the codec of
inspect-robots-xpolicylab, since XPolicyLab itself is in no package index. GR00T's is in none either (nvidia-gr00t-sdk
0.1.0 is an older one that unpickles): its server is written with pyzmq and msgpack by a description of the messages.
"""

from __future__ import annotations

import asyncio
import io
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import anyio
import msgpack
import numpy as np
import zmq
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from tests import other_packages

other_packages.use("openpi_client", "openpi-client==0.1.2", dependencies=False)
other_packages.use("vla_eval", "vla-eval==0.8.0", dependencies=False)
other_packages.use("msgpack_numpy", "msgpack-numpy==0.4.8", dependencies=False)
other_packages.use("inspect_robots", "inspect-robots>=0.60")
other_packages.use("inspect_robots_xpolicylab", "inspect-robots-xpolicylab==0.1.0", dependencies=False)
from inspect_robots_xpolicylab import _protocol as xpolicylab_protocol  # noqa: E402
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

    def __init__(
        self, policy: Knowing, metadata: Mapping[str, Any], delay: float = 0.0, behavior: bool = False
    ) -> None:
        self.policy, self.metadata, self.delay, self.behavior = policy, dict(metadata), delay, behavior
        self.sessions = self.resets = 0

    def infer(self, obs: dict[str, Any]) -> dict[str, Any]:
        self.policy.seen.append(obs)
        time.sleep(self.delay)
        actions = self.policy.chunk(obs["prompt"], obs["observation/state"])
        if not self.behavior:
            return {"actions": actions}
        count = obs.get("__action_chunk_size__")
        return {"action": actions[0], **({"action_chunk": actions[:count]} if count else {})}

    def session(self, socket: ServerConnection) -> None:
        self.sessions += 1
        packer = msgpack_numpy.Packer()
        socket.send(packer.pack(self.metadata))
        with suppress(ConnectionClosed):
            while True:
                obs = msgpack_numpy.unpackb(socket.recv())
                if self.behavior and "reset" in obs:
                    self.resets += 1
                    continue
                try:
                    socket.send(packer.pack({**self.infer(obs), "server_timing": {"infer_ms": 1.0}}))
                except KeyError as error:
                    socket.send(f"Traceback (most recent call last):\n  in infer\nKeyError: {error}\n")
                    socket.close(1011)


@contextmanager
def _listening(session: Callable[[ServerConnection], None]) -> Iterator[str]:
    """The address of a websocket server."""
    with serve(session, "127.0.0.1", 0, compression=None, max_size=None) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def openpi(policy: Knowing, metadata: Mapping[str, Any] | None = None, **more: Any) -> Iterator[tuple[str, Any]]:
    """The address of a running server, and the server."""
    server = OpenPiServer(policy, metadata or {}, **more)
    with _listening(server.session) as url:
        yield url, server


class XPolicyLabServer:
    """A server as XPolicyLab has it, whose actions are poses."""

    def __init__(self, policy: Knowing, welcome: Mapping[str, Any], delay: float = 0.0) -> None:
        self.policy, self.welcome, self.delay = policy, dict(welcome), delay
        self.kinds: list[str] = []
        self.actions: Any = None

    def answer(self, frame: Any) -> tuple[str, dict[str, Any]]:
        match frame.message_type.value:
            case "hello":
                return "hello_ack", {"ok": True, "server": "demo_policy_server", **self.welcome}
            case "infer":
                time.sleep(self.delay)
                self.policy.seen.append(frame.payload["observation"])
                try:
                    actions = self.poses(self.policy.seen[-1]) if self.actions is None else self.actions
                except KeyError as error:
                    return "error", {"code": "infer_failed", "message": f"KeyError: {error}", "details": {}}
                return "infer_result", {"actions": actions, "latency_ms": 1.0}
            case "reset":
                self.start = None
        return {"reset": "reset_result"}.get(frame.message_type.value, f"{frame.message_type.value}_ack"), {"ok": True}

    def poses(self, observation: Any) -> list[dict[str, Any]]:
        pose = observation["state"]["ee_pose"]
        self.start = pose[3:] if self.start is None else self.start
        moves = self.policy.chunk(observation["instruction"], pose)
        places = pose[:3] + np.cumsum(moves[:, :3] * STEP, axis=0)
        return [
            {"ee_pose": np.concatenate([place, self.start]), "ee_joint_state": np.array([(1.0 - move[-1]) / 2])}
            for place, move in zip(places, moves, strict=True)
        ]

    def session(self, socket: ServerConnection) -> None:
        with suppress(ConnectionClosed):
            while True:
                frame = xpolicylab_protocol.decode_frame(socket.recv())
                self.kinds.append(frame.message_type.value)
                if self.kinds[-1] == "close":
                    return
                kind, payload = self.answer(frame)
                reply = {**frame.to_wire(), "message_type": kind, "payload": payload}
                socket.send(xpolicylab_protocol.encode_frame(reply))


@contextmanager
def xpolicylab(policy: Knowing, welcome: Mapping[str, Any] | None = None, **more: Any) -> Iterator[tuple[str, Any]]:
    """The address of a running server, and the server."""
    server = XPolicyLabServer(policy, welcome or {}, **more)
    with _listening(server.session) as url:
        yield url, server


LIBERO_NAMES = ["x", "y", "z", "roll", "pitch", "yaw", "gripper"]
MODALITIES: Mapping[str, Mapping[str, Any]] = {
    "video": {"delta_indices": [0], "modality_keys": ["image", "wrist_image"]},
    "state": {"delta_indices": [0], "modality_keys": LIBERO_NAMES},
    "action": {"delta_indices": list(range(CHUNK)), "modality_keys": LIBERO_NAMES, "action_configs": None},
    "language": {"delta_indices": [0], "modality_keys": ["annotation.human.action.task_description"]},
}


class Gr00tServer:
    """A server as Isaac GR00T has it, with LIBERO's robot."""

    def __init__(self, policy: Knowing, modalities: Mapping[str, Any], delay: float = 0.0, token: str = "") -> None:
        self.policy, self.delay, self.token = policy, delay, token
        self.modalities = {name: {**spec, **modalities.get(name, {})} for name, spec in MODALITIES.items()}
        self.endpoints: list[str] = []

    def answer(self, request: Any) -> Any:
        self.endpoints.append(request["endpoint"])
        if self.token and request.get("api_token") != self.token:
            return {"error": "Unauthorized: Invalid API token"}
        match request["endpoint"]:
            case "get_modality_config":
                return {
                    name: {"__ModalityConfig_class__": True, "as_json": spec} for name, spec in self.modalities.items()
                }
            case "reset":
                return {}
        observation = request["data"]["observation"]
        self.policy.seen.append(observation)
        time.sleep(self.delay)
        ((text,),) = observation["language"]["annotation.human.action.task_description"]
        try:
            chunk = self.policy.chunk(text, np.concatenate([observation["state"][name][0, 0] for name in LIBERO_NAMES]))
        except KeyError as error:
            return {"error": f"KeyError: {error}"}
        chunk[:, -1] = (1.0 - chunk[:, -1]) / 2
        return [{name: chunk[None, :, place : place + 1] for place, name in enumerate(LIBERO_NAMES)}, {}]

    @staticmethod
    def written(value: Any) -> Any:
        file = io.BytesIO()
        np.save(file, value, allow_pickle=False)
        return {"__ndarray_class__": True, "as_npy": file.getvalue()}

    @staticmethod
    def read(mapping: Any) -> Any:
        if "__ndarray_class__" in mapping:
            return np.load(io.BytesIO(mapping["as_npy"]), allow_pickle=False)
        return mapping

    def serve(self, socket: Any, ended: threading.Event) -> None:
        while not ended.is_set():
            if socket.poll(50):
                request = msgpack.unpackb(socket.recv(), object_hook=self.read)
                socket.send(msgpack.packb(self.answer(request), default=self.written))
        socket.close(linger=0)


@contextmanager
def gr00t(policy: Knowing, modalities: Mapping[str, Any] | None = None, **more: Any) -> Iterator[tuple[str, Any]]:
    """The address of a running server, and the server."""
    server, ended = Gr00tServer(policy, modalities or {}, **more), threading.Event()
    socket = zmq.Context.instance().socket(zmq.REP)
    port = socket.bind_to_random_port("tcp://127.0.0.1")
    thread = threading.Thread(target=server.serve, args=(socket, ended), daemon=True)
    thread.start()
    try:
        yield f"tcp://127.0.0.1:{port}", server
    finally:
        ended.set()
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
    server = VlaEvalServer(policy, action, **more)
    ports: list[int] = []
    ready, loops = threading.Event(), []

    async def run() -> None:
        loops.append((asyncio.get_running_loop(), asyncio.current_task()))
        async with anyio.create_task_group() as group:
            ports.append(await group.start(serve_async, server, "127.0.0.1", 0))
            ready.set()

    def run_server() -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(run())

    thread = threading.Thread(target=run_server, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield f"ws://127.0.0.1:{ports[0]}", server
    finally:
        loop, task = loops[0]
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
