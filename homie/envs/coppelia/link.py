"""Calls to CoppeliaSim's `sim` API through its official client, with timeouts and readable error messages."""

from __future__ import annotations

from typing import Any

from homie.kernel.errors import InfrastructureError, RobotFault
from homie.kernel.support.packages import missing_part

PACKAGE = "coppeliasim-zmqremoteapi-client"


class Link:
    """A connection to a running CoppeliaSim.

    Args:
        host, port: Address of its ZMQ remote API.
        connect_seconds, reply_seconds: Timeouts of the first and of every later reply.

    Raises:
        MissingPart: The client is not installed.
        InfrastructureError: No CoppeliaSim answers at the address.
    """

    def __init__(self, host: str, port: int, connect_seconds: float, reply_seconds: float) -> None:
        try:
            from coppeliasim_zmqremoteapi_client import RemoteAPIClient
            from zmq.error import Again, ZMQError
        except ImportError as error:
            raise missing_part("The robot 'coppelia'", PACKAGE, "coppelia") from error
        self._url, self._timeout_error, self._connection_error = f"{host}:{port}", Again, ZMQError
        self._client: Any = RemoteAPIClient(host, port)
        self._client.socket.linger = 0  # unsent messages must not delay process exit
        self._set_timeout(connect_seconds)
        try:
            self._sim = self._client.require("sim")
        except ZMQError as error:
            raise InfrastructureError(
                f"No CoppeliaSim answers at {self._url} in {connect_seconds:g} s: start it with its ZMQ remote API, "
                "or say where it is with --robot-option port=PORT."
            ) from error
        self._set_timeout(reply_seconds)

    def _set_timeout(self, seconds: float) -> None:
        self._seconds = seconds
        self._client.socket.rcvtimeo = self._client.socket.sndtimeo = round(1000 * seconds)

    def __call__(self, function: str, *arguments: Any) -> Any:
        """Call `sim.FUNCTION(...)` and return its result. Raises RobotFault."""
        try:
            return getattr(self._sim, function)(*arguments)
        except self._timeout_error as error:
            reason = f"has not answered in {self._seconds:g} s"
            raise RobotFault(f"CoppeliaSim at {self._url} {reason} at 'sim.{function}'.") from error
        except self._connection_error as error:
            raise RobotFault(f"CoppeliaSim at {self._url} was lost before 'sim.{function}'.") from error
        except AttributeError as error:
            raise RobotFault(f"This CoppeliaSim has no 'sim.{function}': version 4.5 or later is needed.") from error
        except Exception as error:  # the client has no specific class for remote errors
            raise RobotFault(f"CoppeliaSim refuses 'sim.{function}': {' '.join(str(error).split())}") from error

    def constant(self, *names: str) -> Any:
        """Return `sim.NAME` for the first name that this CoppeliaSim version has. Raises RobotFault."""
        existing = [name for name in names if hasattr(self._sim, name)]
        if not existing:
            raise RobotFault(f"This CoppeliaSim has no 'sim.{names[0]}': version 4.5 or later is needed.")
        return getattr(self._sim, existing[0])

    def tree(self, root: int, kind: str) -> list[int]:
        """Return the handles of all objects of a kind (`joint`, `shape`, `visionsensor`) below a root, in order."""
        kinds = self.constant(f"sceneobject_{kind}", f"object_{kind}_type")  # older versions have the second name
        return list(self("getObjectsInTree", root, kinds, 0))

    def find(self, path: str) -> int | None:
        """Return the handle of an object by its path, None if there is none."""
        handle = int(self("getObject", path, {"noError": True}))
        return None if handle < 0 else handle

    def number(self, handle: int, name: str) -> float:
        """Return a float parameter of an object, by the name of its constant."""
        return float(self("getObjectFloatParam", handle, self.constant(name)))

    def close(self) -> None:
        self._client.socket.close()
