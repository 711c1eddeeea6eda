"""AI2-THOR's own simulator, through the package `ai2thor`, as a `Controller` with timeouts.

```
ThorRobot --step--> Simulator --in a thread, with a time limit--> a Release of the package --pipe or HTTP--> Unity
```

The package waits forever for a Unity program that ends before opening its pipe, and until its own timeout for one that
has crashed. So every call runs in a thread, while the waiting thread polls the program and the clock.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, NoReturn, Protocol, TypeVar

from homie.envs.thor.controller import Event
from homie.envs.thor.settings import ThorSettings
from homie.kernel.errors import HomieError, RobotFault
from homie.kernel.support.packages import installed_version, missing_part

POLL = 0.2
"""Polling interval (s) of the program."""
END_SECONDS = 5.0
"""Timeout (s) for the package to stop the program."""

Result = TypeVar("Result")


class Release(Protocol):
    """The controller of a version of `ai2thor`, with the arguments and units of version 5."""

    @property
    def last_event(self) -> Event: ...

    @property
    def launched(self) -> bool:
        """Whether the program is being started, after any download of its build."""

    @property
    def log(self) -> str:
        """Path of the program's log file, "" for none."""

    def start(self) -> None:
        """Start the program and load the scene. Raises BadInput for a scene that its build lacks."""

    def reset(self, scene: str) -> Event: ...

    def step(self, action: str, **arguments: Any) -> Event:
        """Execute an action. Raises ValueError for an action that the build does not know."""

    def ending(self) -> str:
        """Return how the program has ended, as a clause; "" while it runs."""

    def kill(self) -> None:
        """Kill the program immediately."""

    def stop(self) -> None: ...


def open_ai2thor(settings: ThorSettings) -> Simulator:
    """Start AI2-THOR's own simulator.

    Raises:
        BadInput: Its build has no such scene.
        MissingPart: The package ai2thor is not installed.
        RobotFault: The simulator does not start: no build, no display, no network to fetch the build from.
    """
    version = installed_version("ai2thor")
    if version is None:
        raise missing_part("The robot 'thor'", "ai2thor", "thor")
    if version.startswith("2."):
        from homie.envs.thor.ai2thor_2 import Ai2Thor2

        return Simulator(Ai2Thor2(settings), settings)
    from homie.envs.thor.ai2thor_5 import Ai2Thor5

    return Simulator(Ai2Thor5(settings), settings)


class Simulator:
    """A running simulator. Once it is lost, every method raises RobotFault immediately."""

    def __init__(self, release: Release, settings: ThorSettings) -> None:
        self._release, self._settings = release, settings
        self._lost_message = ""
        try:
            self._call_with_deadline(settings.start_seconds, "the start", release.start)
        except BaseException as error:  # its own code, Unity and the download of its build raise various errors
            self._kill()
            if isinstance(error, HomieError) or not isinstance(error, Exception):
                raise
            reason = " ".join(str(error).split())
            raise RobotFault(
                f"AI2-THOR does not start ({type(error).__name__}: {reason}): it needs its build, a display and a "
                "graphics card; `--robot thor:fake` needs none of them."
            ) from error

    @property
    def last_event(self) -> Event:
        return self._release.last_event

    def reset(self, scene: str) -> Event:
        return self._call_named(self._settings.start_seconds, "Reset", lambda: self._release.reset(scene))

    def step(self, action: str, **arguments: Any) -> Event:
        return self._call_named(self._settings.reply_seconds, action, lambda: self._release.step(action, **arguments))

    def stop(self) -> None:
        """Stop the program in any state. Idempotent."""
        if not self._lost_message:
            self._lost_message = "AI2-THOR has been stopped."
            with contextlib.suppress(Exception):
                wait([_in_thread(self._release.stop)], END_SECONDS)
        self._kill()

    def _call_named(self, seconds: float, operation: str, call: Callable[[], Event]) -> Event:
        try:
            return self._call_with_deadline(seconds, f"'{operation}'", call)
        except HomieError:
            raise
        except ValueError as error:
            raise RobotFault(f"This build of AI2-THOR does not take '{operation}': {error}") from error
        except Exception as error:  # the package raises RuntimeError, TimeoutError, or what its pipes raise
            time.sleep(POLL)  # a program closes its pipes before it has ended
            reason = self._release.ending() or f"{type(error).__name__}: {error}"
            self._lose(f"AI2-THOR was lost at '{operation}': {reason}", error)

    def _call_with_deadline(self, seconds: float, operation: str, call: Callable[[], Result]) -> Result:
        """Return the result of a call or raise its error. Raises RobotFault if the program has ended, or on timeout."""
        if self._lost_message:
            raise RobotFault(self._lost_message)
        future, deadline = _in_thread(call), None
        while not wait([future], POLL).done:
            now = time.monotonic()
            if self._release.launched and deadline is None:
                deadline = now + seconds - POLL
            if (ending := self._release.ending()) and not wait([future], POLL).done:
                self._lose(f"AI2-THOR was lost at {operation}: {ending}")
            if deadline is not None and now >= deadline:
                self._lose(f"AI2-THOR has not answered in {seconds:g} s at {operation}")
        return future.result()

    def _lose(self, sentence: str, cause: Exception | None = None) -> NoReturn:
        log = f" (its log: {self._release.log})" if self._release.log else ""
        self._lost_message = f"{sentence.rstrip('.')}{log}."
        self._kill()
        raise RobotFault(self._lost_message) from cause

    def _kill(self) -> None:
        with contextlib.suppress(Exception):  # the controller may be partially initialised
            self._release.kill()


def _in_thread(call: Callable[[], Result]) -> Future[Result]:
    """Start a call in a daemon thread."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="ai2thor").start()
    return future
