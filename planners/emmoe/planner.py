"""The planner `emmoe`: EMMOE's model server decides, and Homie is the executor that it expects.

The server names no task and accepts no reset: it goes through its own tasks, and a trial ends for it with its End or
after 20 rounds. So Homie must play the server's tasks in the same order, and stops when the two are out of step.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Never

import cv2
from pydantic import BaseModel, ConfigDict, Field

from homie.kernel.error_codes import ErrorCode
from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.interfaces import Planner
from homie.kernel.support.files import slug, writing
from homie.kernel.types import (
    END,
    SUCCESS,
    UNTOLD,
    VIEWS,
    Decision,
    EpisodeResult,
    Feedback,
    Image,
    PlannerInput,
    Subtask,
)
from planners.emmoe.link import QUIET, Link, PeerGone, connect, require_local
from planners.emmoe.wire import (
    ACKNOWLEDGED,
    LARGEST,
    LIMIT,
    PORT,
    ROUNDS,
    MalformedMessage,
    Wire,
    feedback_message,
    is_whole_subtask,
    pictures_message,
    quote_bytes,
    read_subtask,
)
from planners.llm.prompting.image_scaling import shrink

HOST = "127.0.0.1"
AGAIN = "Start it again with the tasks that are left, then the same command; a bench goes on with --again."


class EmmoeSettings(BaseModel):
    """Settings of the planner `emmoe`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    wire: Wire = Field("repaired", description="`strict`: bytes and reading of the released executor.")
    connect_seconds: float = Field(30.0, gt=0.0, description="How long to wait for the server's port to open.")
    answer_seconds: float = Field(600.0, gt=0.0, description="How long a message of the server may take.")
    pictures: str = Field("", description="Folder for the pictures, on a disk of the server's (default: a new one).")
    picture_size: int = Field(256, ge=16, le=2048, description="Longest side of a picture, in pixels.")
    without_token: bool = Field(
        False, description="Allow a server on another machine: nothing protects the connection."
    )


class EmmoePlanner(Planner):
    """Asks a model server of EMMOE. The argument is HOST:PORT, 127.0.0.1:10010 by default.

    Raises BadInput for an invalid argument, and for another machine without `without_token`.
    """

    name = "emmoe"
    Settings: ClassVar[type[BaseModel] | None] = EmmoeSettings

    def __init__(self, argument: str = "", settings: EmmoeSettings | None = None) -> None:
        self._settings = settings or EmmoeSettings.model_validate({})
        self._host, self._port = address(argument)
        require_local(self._host, self._settings.without_token, "--set without_token=true")
        self._link: Link | None = None
        self._failure = ""
        """Why the server cannot be used any more."""
        self._round = 0
        """Number of started rounds of the server's trial."""
        self._unreported: Decision | None = None
        """The server's latest decision while its result was not sent yet."""
        self._trials: Counter[str] = Counter()
        self._temporary_folder: tempfile.TemporaryDirectory[str] | None = None
        self._folder = Path()

    @classmethod
    def check(cls, argument: str, settings: BaseModel | None) -> None:
        cls(argument, settings if isinstance(settings, EmmoeSettings) else None)

    def describe(self) -> Mapping[str, object]:
        described_settings = self._settings.model_dump(mode="json", include={"wire", "picture_size"})
        return {"protocol": "EMMOE", **described_settings}

    def reset(self, task: str, *, seed: int) -> None:
        """Raises PlannerError if the server cannot be reached, or is still in a trial that has ended here."""
        if self._failure:
            raise PlannerError(self._failure)
        if self._unreported is not None or self._round:
            self._fail(
                f"is in round {max(self._round, 1)} of a trial that has ended here, and EMMOE's protocol has no message"
                " to leave it",
            )
        label = slug(task)
        self._trials[label] += 1
        self._folder = self._pictures_folder() / label / str(self._trials[label])
        if self._link is None:
            limit = LIMIT if self._settings.wire == "strict" else LARGEST
            try:
                self._link = connect(self._host, self._port, self._settings.connect_seconds, limit)
            except PeerGone as gone:
                raise PlannerError(
                    f"EMMOE's model server at {self._host}:{self._port} {gone}. Start it first: its port opens once its"
                    " model is loaded, and --set connect_seconds=600 waits for that."
                ) from None

    def decide(self, planner_input: PlannerInput) -> Decision:
        """Raises BadInput for a robot or suite that the protocol does not support, PlannerError if the server fails."""
        _check(planner_input)
        if self._unreported is not None:
            self._tell(planner_input.feedback or UNTOLD)
        self._round += 1
        message = pictures_message(self._write(planner_input.views), self._settings.wire)
        data = self._ask(message)
        try:
            text = data.decode()
        except UnicodeDecodeError:
            self._fail(f"sent no text ({quote_bytes(data)})")
        decision = read_subtask(
            text, self._settings.wire, planner_input.inventory, planner_input.actions, planner_input.models
        )
        self._unreported = decision
        if decision.subtasks == (END,):
            self._tell(SUCCESS)
            self._round = 0
        return decision

    def conclude(self, result: EpisodeResult) -> None:
        """Send the result of the last subtask, for which the server waits before it goes on to its next trial."""
        if self._unreported is None:
            return
        problem = self._unreported.problem
        last = Feedback("fail", ErrorCode.F1, problem) if problem else result.history[-1].feedback
        try:
            self._tell(last)
        except PlannerError:
            return  # the next reset raises it
        if self._round >= ROUNDS:
            self._round = 0

    # ------------------------------------------------------------ the two exchanges

    def _ask(self, message: bytes) -> bytes:
        """Send the pictures and return the server's answer."""
        link = self._require_link()
        try:
            link.send(message)
            data = link.receive(is_whole_subtask, self._settings.answer_seconds, quiet=QUIET)
        except (PeerGone, MalformedMessage) as fault:
            silent = isinstance(fault, PeerGone) and self._round == 1
            self._fail(str(fault), "If it answers another client, such as a second worker, add --workers 1." * silent)
        if not data:
            self._fail("closed the connection")
        return data

    def _tell(self, feedback: Feedback) -> None:
        """Send the result of the open subtask and wait for the acknowledgement."""
        link = self._require_link()
        decision, self._unreported = self._unreported, None
        subtask = decision.subtasks[0] if decision is not None and decision.subtasks else Subtask("")
        try:
            link.send(feedback_message(feedback, subtask, self._settings.wire))
            data = link.receive(lambda data: len(data) >= len(ACKNOWLEDGED), self._settings.answer_seconds)
        except (PeerGone, MalformedMessage) as fault:
            self._fail(str(fault))
        if not data:
            self._fail("closed the connection")
        if data != ACKNOWLEDGED:
            self._fail(f"did not acknowledge a result but sent {quote_bytes(data)}")

    def _require_link(self) -> Link:
        if self._link is None:
            raise PlannerError(self._failure or "EMMOE's model server was not asked yet: reset the planner first.")
        return self._link

    def _fail(self, clause: str, hint: str = "") -> Never:
        """Close the connection and raise PlannerError, as the server's current task is unknown from now on."""
        if self._link is not None:
            self._link.close()
        self._link = None
        round_clause = f" in round {self._round}" if self._round and not clause.startswith("is in") else ""
        self._failure = f"EMMOE's model server at {self._host}:{self._port} {clause}{round_clause}. {hint or AGAIN}"
        raise PlannerError(self._failure)

    # ------------------------------------------------------------ pictures

    def _pictures_folder(self) -> Path:
        if self._settings.pictures:
            return Path(self._settings.pictures).expanduser().absolute()
        if self._temporary_folder is None:
            self._temporary_folder = tempfile.TemporaryDirectory(prefix="homie-emmoe-")
        return Path(self._temporary_folder.name)

    def _write(self, views: Mapping[str, Image]) -> dict[str, str]:
        """Write the pictures of a round under the file names of the released executor; return paths by view."""
        paths = {}
        with writing(self._folder, "pictures into"):
            self._folder.mkdir(parents=True, exist_ok=True)
            for view in VIEWS:
                path = self._folder / f"subtask{self._round}_{view}.png"
                picture = shrink(views[view], self._settings.picture_size)
                _, data = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
                path.write_bytes(data.tobytes())
                paths[view] = str(path)
        return paths


def address(argument: str) -> tuple[str, int]:
    """Parse HOST:PORT; "" gives EMMOE's defaults. Raises BadInput.

    Example:
        >>> address(""), address("[::1]:10011")
        (('127.0.0.1', 10010), ('::1', 10011))
    """
    if not argument:
        return HOST, PORT
    host, _, port = argument.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise BadInput(f"The argument of the planner 'emmoe' is HOST:PORT, such as {HOST}:{PORT} (got '{argument}').")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _check(planner_input: PlannerInput) -> None:
    """Raise BadInput for input that the protocol of EMMOE cannot express."""
    if missing := [view for view in VIEWS if view not in planner_input.views]:
        raise BadInput(
            f"EMMOE's model server wants four views, and this robot has no picture {', '.join(missing)}: "
            "use a robot in a home, such as --robot mujoco."
        )
    if planner_input.rounds > ROUNDS:
        raise BadInput(
            f"EMMOE's model server goes on to its next trial after {ROUNDS} rounds (got {planner_input.rounds}): "
            f"use --rounds {ROUNDS} or fewer."
        )
    if planner_input.choices or planner_input.visibility.feedback not in ("codes", "text"):
        raise BadInput(
            "EMMOE's protocol has neither numbered actions nor results that are withheld: play another suite, such as"
            " homie-100."
        )
