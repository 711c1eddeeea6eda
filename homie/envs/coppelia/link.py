"""Calls of CoppeliaSim's `sim` through its official client, each with a time limit and with sentences for failures."""

from __future__ import annotations

from typing import Any

from homie.kernel.errors import InfrastructureError, RobotFault
from homie.kernel.support.packages import missing_part

PACKAGE = "coppeliasim-zmqremoteapi-client"


class Link:
    """A connection to a running CoppeliaSim.

    Args:
        host, port: Of its ZMQ remote API.
        connect_seconds, reply_seconds: Time limits of the first and of every later answer.

    Raises:
        MissingPart: The client is not installed.
        InfrastructureError: Nothing answers there.
    """

    def __init__(self, host: str, port: int, connect_seconds: float, reply_seconds: float) -> None:
        try:
            from coppeliasim_zmqremoteapi_client import RemoteAPIClient
            from zmq.error import Again, ZMQError
        except ImportError as error:
            raise missing_part("The robot 'coppelia'", PACKAGE, "coppelia") from error
        self._where, self._late, self._broken = f"{host}:{port}", Again, ZMQError
        self._client: Any = RemoteAPIClient(host, port)
        self._client.socket.linger = 0  # what nobody has fetched does not keep this process
        self._limit(connect_seconds)
        try:
            self._sim = self._client.require("sim")
        except ZMQError as error:
            raise InfrastructureError(
                f"No CoppeliaSim answers at {self._where} in {connect_seconds:g} s: start it with its ZMQ remote API, "
                "or say where it is with --robot-option port=PORT."
            ) from error
        self._limit(reply_seconds)

    def _limit(self, seconds: float) -> None:
        self._seconds = seconds
        self._client.socket.rcvtimeo = self._client.socket.sndtimeo = round(1000 * seconds)

    def __call__(self, function: str, *arguments: Any) -> Any:
        """The result of `sim.FUNCTION(...)`. Raises RobotFault."""
        try:
            return getattr(self._sim, function)(*arguments)
        except self._late as error:
            reason = f"has not answered in {self._seconds:g} s"
            raise RobotFault(f"CoppeliaSim at {self._where} {reason} at 'sim.{function}'.") from error
        except self._broken as error:
            raise RobotFault(f"CoppeliaSim at {self._where} was lost before 'sim.{function}'.") from error
        except AttributeError as error:
            raise RobotFault(f"This CoppeliaSim has no 'sim.{function}': version 4.5 or later is needed.") from error
        except Exception as error:  # the client raises nothing more special for an error over there
            raise RobotFault(f"CoppeliaSim refuses 'sim.{function}': {' '.join(str(error).split())}") from error

    def constant(self, *names: str) -> Any:
        """`sim.NAME`, by the first name that this CoppeliaSim knows. Raises RobotFault."""
        known = [name for name in names if hasattr(self._sim, name)]
        if not known:
            raise RobotFault(f"This CoppeliaSim has no 'sim.{names[0]}': version 4.5 or later is needed.")
        return getattr(self._sim, known[0])

    def tree(self, root: int, kind: str) -> list[int]:
        """The handles of all objects of a kind (`joint`, `shape`, `visionsensor`) below a root, in their order."""
        kinds = self.constant(f"sceneobject_{kind}", f"object_{kind}_type")  # older ones have the second name
        return list(self("getObjectsInTree", root, kinds, 0))

    def find(self, path: str) -> int | None:
        """The handle of an object by its path, None if there is none."""
        handle = int(self("getObject", path, {"noError": True}))
        return None if handle < 0 else handle

    def number(self, handle: int, name: str) -> float:
        """A parameter of an object, by the name of its constant."""
        return float(self("getObjectFloatParam", handle, self.constant(name)))

    def close(self) -> None:
        self._client.socket.close()
