"""`homie serve emmoe-planner`: serve a planner as the model server to which the released executor of EMMOE connects."""

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
from homie.kernel.support.text import format_count
from homie.kernel.types import Detection, Image, PlannerInput
from planners.emmoe.link import Link, PeerGone, require_local
from planners.emmoe.sent_pictures import PictureFolder, Place, by_view, place_of
from planners.emmoe.trial import Trial
from planners.emmoe.wire import (
    ACKNOWLEDGED,
    LARGEST,
    LIMIT,
    MalformedMessage,
    Wire,
    is_whole_list,
    read_feedback,
    read_pictures,
)

CONVERSATION = "conversation.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerConfig:
    """Configuration of the server.

    Attributes:
        planner: The served planner.
        start: Its input before the first round of a trial, without the task.
        tasks: Instructions by the names of their folders, in the executor's order; `""` if a person gives one task.
        trials: Number of trials of each task.
        seed: Seed of the first trial of a task; incremented for each further trial.
        models: EMMOE's names of models, by Homie's.
        code_of: Returns the error code of a feedback sentence.
        detect: Returns the detections in pictures by view.
        pictures: Folder of the executor's pictures; files elsewhere are not opened.
        start_folder: Working directory of the executor.
        out: Folder for `TASK/TRIAL/conversation.json`, None for none.
        idle_seconds: Timeout for messages of the executor.
        wire: Variant of the protocol.
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
    served: ServerConfig,
    *,
    host: str,
    port: int,
    without_token: bool,
    ready: Callable[[str, int], None],
    tell: Callable[[str], None],
) -> None:
    """Serve one executor after another until Ctrl-C; with `strict` a single one, until all trials are over.

    Args:
        served: The configuration.
        host, port: Address to listen at; port 0 chooses a free port.
        without_token: Whether other machines may connect.
        ready: Called with host and port once the server listens.
        tell: Called with progress messages.

    Raises:
        BadInput: The address is not this machine's, or other machines can reach it without `without_token`.
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
    with closing(_listen(host, port)) as listener:
        ready(host, listener.getsockname()[1])
        while True:
            connection, address = listener.accept()
            executor = f"The executor at {address[0]}:{address[1]}"
            tell(f"{executor} has connected.")
            try:
                with closing(Link(connection, LIMIT if served.wire == "strict" else LARGEST)) as link:
                    session.serve(link)
                tell(f"{executor} has left; trials played: {session.finished}.")
            except (MalformedMessage, PeerGone) as fault:
                sentence = f"{executor} {fault}{session.where}."
                if served.wire == "strict":
                    raise InfrastructureError(
                        f"{sentence} Both sides count the trials for themselves: start both again."
                    ) from None
                tell(f"{sentence} The connection is closed; another can come.")
            if served.wire == "strict":
                return


class _Session:
    """The trials of all executors."""

    def __init__(self, served: ServerConfig, tell: Callable[[str], None]) -> None:
        self._served, self._tell = served, tell
        self._pictures = PictureFolder(served.pictures, served.start_folder)
        self._trial: Trial | None = None
        self.finished = 0
        self._pending_trials = iter(self._trial_order())
        self._task_folder = ""
        """The executor's name of the current task's folder."""

    @property
    def where(self) -> str:
        """Round, task and trial of the last executor, as the end of a sentence; "" between trials."""
        trial = self._trial
        if trial is None or trial.over:
            return ""
        name = f"task {trial.task}, " if trial.task else ""
        return f" in round {trial.round} of {name}trial {trial.number}"

    def serve(self, link: Link) -> None:
        """Serve one executor until it leaves between two trials; with `strict` until the last trial is over.

        Raises MalformedMessage, PeerGone, PlannerError.
        """
        served = self._served
        if self._trial is not None and not self._trial.over:
            self._trial = None  # the previous executor left it unfinished
        while served.wire == "repaired" or not self._all_finished:
            data = link.receive(is_whole_list, served.idle_seconds)
            if not data:
                if self._trial is not None and not self._trial.over:
                    raise PeerGone("has left")
                return
            paths = read_pictures(data)
            place = place_of(paths) if served.wire == "repaired" else None
            trial = self._trial = self._trial_at(place)
            path_by_view = by_view(paths, named=served.wire == "repaired")
            views = {view: self._pictures.read(path) for view, path in path_by_view.items()}
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
                self._tell(f"Trial {trial.number}{task}: {format_count(trial.round, 'round')}.")

    @property
    def _all_finished(self) -> bool:
        """Whether all trials are over."""
        trial = self._trial
        return trial is not None and trial.over and self.finished >= len(self._served.tasks) * self._served.trials

    def _trial_order(self) -> Iterator[tuple[str, int]]:
        return ((task, number) for task in self._served.tasks for number in range(1, self._served.trials + 1))

    def _trial_at(self, place: Place | None) -> Trial:
        """Return the trial of the next round: the current one or a new one. Raises Malformed.

        Args:
            place: Progress of the executor by the names of its pictures, None if unknown.
        """
        trial = self._trial
        if (
            trial is not None
            and not trial.over
            and place
            in (
                None,
                Place(self._task_folder, trial.number, trial.round + 1),
            )
        ):
            return trial
        if place is not None:
            if place.round != 1:
                raise MalformedMessage(
                    f"sent round {place.round} of task {place.task}, trial {place.trial}, out of turn"
                )
            task = self._task_of_folder(place.task)
            self._task_folder = place.task
            return self._new_trial(task, place.trial)
        try:
            task, number = next(self._pending_trials)
        except StopIteration:
            raise MalformedMessage("goes on after the last trial: give it more tasks or --trials") from None
        return self._new_trial(task, number)

    def _task_of_folder(self, name: str) -> str:
        """Return the task after which a folder of pictures is named. Raises Malformed."""
        tasks = self._served.tasks
        if "" in tasks and self._task_folder in ("", name):
            return ""
        named = next((task for task, text in tasks.items() if task and name in (task, slug(text))), None)
        if named is None:
            raise MalformedMessage(
                f"plays the task {name!r}, which is not served here: give the folder of its tasks as --tasks"
            )
        return named

    def _new_trial(self, task: str, number: int) -> Trial:
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


def _listen(host: str, port: int) -> socket.socket:
    """Return a listening socket. Raises BadInput, InfrastructureError."""
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
