"""`homie serve emmoe-planner`: a planner is the model server that the released executor of EMMOE connects to."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from homie.kernel.error_codes import ErrorCode
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.interfaces import Planner
from homie.kernel.support.files import reason_of, slug, to_json, write_atomically, writing
from homie.kernel.support.text import counted
from homie.kernel.types import Detection, Image, PlannerInput
from planners.emmoe.link import Link, PeerGone, require_local
from planners.emmoe.sent_pictures import PictureFolder, Place, by_view, place_of
from planners.emmoe.trial import Trial
from planners.emmoe.wire import (
    ACKNOWLEDGED,
    LARGEST,
    LIMIT,
    Malformed,
    Wire,
    is_whole_list,
    read_feedback,
    read_pictures,
)

CONVERSATION = "conversation.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """What is served.

    Attributes:
        planner: Decides.
        start: What it knows before the first round of a trial, without its task.
        tasks: Texts by the names of their folders, in the order of the executor; the one task of a person is `""`.
        trials: Of each task.
        seed: Of the first trial of a task; each further one has the next.
        models: EMMOE's names of models, by Homie's.
        code_of: The error code of a feedback sentence.
        detect: What is detected in pictures by view.
        pictures: The folder that the executor's pictures are in; no others are opened.
        start_folder: The folder that the executor works in.
        out: Folder for `TASK/TRIAL/conversation.json`, None for none.
        idle_seconds: How long an executor may be silent.
    """

    planner: Planner
    start: PlannerInput
    tasks: Mapping[str, str]
    trials: int
    seed: int
    models: Mapping[str, str]
    code_of: Callable[[str], ErrorCode]
    detect: Callable[[Mapping[str, Image]], tuple[Detection, ...]]
    pictures: Path
    start_folder: Path
    out: Path | None
    idle_seconds: float
    wire: Wire


def serve_planner(
    served: Served,
    *,
    host: str,
    port: int,
    without_token: bool,
    ready: Callable[[str, int], None],
    tell: Callable[[str], None],
) -> None:
    """Serve one executor after the other until Ctrl-C; with `strict` one, until all trials are over.

    Args:
        served: What is served.
        host, port: Where it listens; port 0 is a free one.
        without_token: Whether other machines may reach it.
        ready: Gets host and port once it listens.
        tell: Gets a line for what happens.

    Raises:
        BadInput: An address that is not this machine's, or that others reach and was not allowed.
        PlannerError: The planner cannot decide.
        InfrastructureError: The port is taken, or with `strict` the executor has failed.
    """
    require_local(host, without_token, "--without-token")
    if served.out is not None:
        with writing(served.out, "into the folder"):
            served.out.mkdir(parents=True, exist_ok=True)
        if next(served.out.iterdir(), None) is not None:
            raise BadInput(f"The folder {served.out} is not empty: give a new one as --out.")
    session = _Session(served, tell)
    with closing(_listening(host, port)) as listener:
        ready(host, listener.getsockname()[1])
        while True:
            connection, address = listener.accept()
            executor = f"The executor at {address[0]}:{address[1]}"
            tell(f"{executor} has connected.")
            try:
                with closing(Link(connection, LIMIT if served.wire == "strict" else LARGEST)) as link:
                    session.serve(link)
                tell(f"{executor} has left; trials played: {session.finished}.")
            except (Malformed, PeerGone) as fault:
                sentence = f"{executor} {fault}{session.where}."
                if served.wire == "strict":
                    raise InfrastructureError(
                        f"{sentence} Both sides count the trials for themselves: start both again."
                    ) from None
                tell(f"{sentence} The connection is closed; another can come.")
            if served.wire == "strict":
                return


class _Session:
    """The trials of all executors that come."""

    def __init__(self, served: Served, tell: Callable[[str], None]) -> None:
        self._served, self._tell = served, tell
        self._pictures = PictureFolder(served.pictures, served.start_folder)
        self._trial: Trial | None = None
        self.finished = 0
        self._next = iter(self._order())
        self._named = ""
        """The folder of the task under way, as the executor has it."""

    @property
    def where(self) -> str:
        """At what the last executor was, as the end of a sentence."""
        trial = self._trial
        if trial is None or trial.over:
            return ""
        name = f"task {trial.task}, " if trial.task else ""
        return f" in round {trial.round} of {name}trial {trial.number}"

    def serve(self, link: Link) -> None:
        """The rounds of one executor until it leaves between two trials; with `strict` until the last trial is over.

        Raises Malformed, PeerGone, PlannerError.
        """
        served = self._served
        if self._trial is not None and not self._trial.over:
            self._trial = None  # the executor of before has left it
        while served.wire == "repaired" or not self._done:
            data = link.receive(is_whole_list, served.idle_seconds)
            if not data:
                if self._trial is not None and not self._trial.over:
                    raise PeerGone("has left")
                return
            paths = read_pictures(data)
            place = place_of(paths) if served.wire == "repaired" else None
            trial = self._trial = self._continued(place)
            chosen = by_view(paths, named=served.wire == "repaired")
            views = {view: self._pictures.read(path) for view, path in chosen.items()}
            message = trial.decide(views, served.detect(views))
            link.send(message.encode())
            self._save(trial)
            data = link.receive(is_whole_list, served.idle_seconds)
            if not data:
                raise PeerGone("has left")
            sentence, ok = read_feedback(data)
            link.send(ACKNOWLEDGED)
            trial.take(sentence, ok, served.code_of(sentence))
            if trial.over:
                self.finished += 1
                task = trial.task and f" of task {trial.task}"
                self._tell(f"Trial {trial.number}{task}: {counted(trial.round, 'round')}.")

    @property
    def _done(self) -> bool:
        """Whether all trials are over."""
        trial = self._trial
        return trial is not None and trial.over and self.finished >= len(self._served.tasks) * self._served.trials

    def _order(self) -> Iterator[tuple[str, int]]:
        return ((task, number) for task in self._served.tasks for number in range(1, self._served.trials + 1))

    def _continued(self, place: Place | None) -> Trial:
        """The trial that the next round belongs to: the one under way, or a new one. Raises Malformed.

        Args:
            place: Where the executor says that it is, if its pictures are named so.
        """
        trial = self._trial
        if (
            trial is not None
            and not trial.over
            and place
            in (
                None,
                Place(self._named, trial.number, trial.round + 1),
            )
        ):
            return trial
        if place is not None:
            if place.round != 1:
                raise Malformed(f"sent round {place.round} of task {place.task}, trial {place.trial}, out of turn")
            task = self._known(place.task)
            self._named = place.task
            return self._begun(task, place.trial)
        try:
            task, number = next(self._next)
        except StopIteration:
            raise Malformed("goes on after the last trial: give it more tasks or --trials") from None
        return self._begun(task, number)

    def _known(self, name: str) -> str:
        """The task that a folder of pictures is named after. Raises Malformed."""
        tasks = self._served.tasks
        if "" in tasks and self._named in ("", name):
            return ""
        named = next((task for task, text in tasks.items() if task and name in (task, slug(text))), None)
        if named is None:
            raise Malformed(
                f"plays the task {name!r}, which is not served here: give the folder of its tasks as --tasks"
            )
        return named

    def _begun(self, task: str, number: int) -> Trial:
        served = self._served
        text = served.tasks[task]
        served.planner.reset(text, seed=served.seed + number - 1)
        start = replace(served.start, task=text)
        return Trial(task, number, start, served.planner, served.wire, served.models)

    def _save(self, trial: Trial) -> None:
        """Write the conversation of a trial so far."""
        if self._served.out is None:
            return
        folder = self._served.out / (trial.task or "task") / str(trial.number)
        with writing(folder, "into the folder", raises=InfrastructureError):
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / CONVERSATION, to_json(trial.messages, indent=4))


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises BadInput, InfrastructureError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1)
    except OSError as error:
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            raise InfrastructureError(
                f"Cannot listen at {host} port {port}: {reason_of(error)}. Try another --port; the released executor"
                " knows 10010 alone."
            ) from error
        raise BadInput(f"Cannot listen at {host}: {reason_of(error)}. Give an address of this machine.") from error
