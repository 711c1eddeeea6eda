"""Worker process, which plays one episode after the other into its folder.

runner --Job (JSON)--> worker --Report (JSON)--> runner
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import os
import resource
import signal
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from homie.bench.authoring.numbered_actions import REPORTS, endings, numbered_actions
from homie.bench.episode import OWN_CODE, UNREADABLE, Cause
from homie.bench.goal_lines import GOALS
from homie.bench.play.goal_log import GoalLog
from homie.bench.play.scene_names_check import check_words
from homie.bench.play.worker_parts import WorkerParts
from homie.bench.suite.protocol import Protocol
from homie.bench.suite.suite import Task, read_subtask
from homie.kernel.episode_rules import ActionList, EpisodeRules
from homie.kernel.errors import (
    BadInput,
    HomieError,
    Interrupted,
    MissingPart,
    PartError,
    PlannerError,
    RobotFault,
    Unanswered,
)
from homie.kernel.interfaces import EpisodeListener, Planner, Robot, WorldState
from homie.kernel.options import RunOptions
from homie.kernel.scenes import scenes_of
from homie.kernel.support.files import DISK, reason_of, to_json, write_atomically
from homie.kernel.support.own_code import unexpected_error
from homie.kernel.types import Choice
from homie.runtime import session
from homie.runtime.assembly import Parts
from homie.runtime.orphans import die_with_parent
from homie.runtime.provenance import OtherParts, PartsFile, keep
from homie.runtime.runstore import EpisodeStore, scene_file

EXPERT = "expert"
"""Planner that plays the expert's subtasks from the suite file, else the environment's own expert."""
ERRING = "erring"
"""Planner that plays them if the expert has settings (`--set mistakes=0.2`): with mistakes and recoveries."""


class Job(BaseModel):
    """An episode to play. `options.seed` selects the scene, `seed` is that of the episode.

    Attributes:
        suite: Name of the suite.
        names: Additional words of the suite for objects in key paths.
        mixed: Whether earlier episodes of the run may have been made with other parts.
        protocol: Protocol of the suite, with the limits of the task.
        rounds: Rounds of this episode, if different from those of the options: parts depend on the latter, and are the
            same for all episodes of a run.
    """

    model_config = ConfigDict(frozen=True)

    suite: str
    task: Task
    trial: int
    seed: int
    folder: Path
    options: RunOptions
    names: dict[str, str] = {}
    mixed: bool = False
    protocol: Protocol = Protocol()
    rounds: int | None = None


class Report(BaseModel):
    """Result of a job.

    Attributes:
        cause: Why infrastructure ended the episode, None if it is finished.
        fatal: Whether every other episode would fail too.
        final: Whether every other try of this episode would fail too.
        exit_code: Exit code of a fatal error.
    """

    model_config = ConfigDict(frozen=True)

    cause: Cause | None = None
    message: str = ""
    fatal: bool = False
    final: bool = False
    exit_code: int = 4


BEGUN = b"begun"
"""Message of a worker that starts a job: the job's time begins here, not while the process starts."""


def work(connection: Connection, run: Path, number: int, memory: float | None) -> None:
    """Main function of a worker process.

    Args:
        memory: Memory limit in GiB.
    """
    # Ctrl-C and SIGHUP are handled by the runner, which stops its workers.
    for interrupt in (signal.SIGINT, signal.SIGHUP):
        signal.signal(interrupt, signal.SIG_IGN)
    die_with_parent()
    prepare(run, memory)
    log = os.open(run / "workers" / f"worker-{number}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, sys.stdout.fileno())
    os.dup2(log, sys.stderr.fileno())
    faulthandler.enable()
    # The connection ends when the runner has exited.
    with contextlib.suppress(EOFError, BrokenPipeError), contextlib.closing(WorkerParts()) as parts:
        while True:
            job = Job.model_validate_json(connection.recv_bytes())
            connection.send_bytes(BEGUN)
            try:
                report = perform(job, parts)
            except Interrupted:
                return
            connection.send_bytes(report.model_dump_json().encode())
            sys.stdout.write(f"{job.folder.name}: {report.cause or 'finished'}, {_resident_memory():.0f} MiB\n")
            sys.stdout.flush()


def prepare(run: Path, memory: float | None) -> None:
    """Prepare this process for playing episodes: share the lock on the run folder, and limit the memory."""
    lock = os.open(run / "episodes", os.O_RDONLY)  # held as long as this process lives
    fcntl.flock(lock, fcntl.LOCK_SH)
    if memory is not None:
        limit = int(memory * 2**30)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def perform(
    job: Job,
    worker_parts: WorkerParts,
    planner: Planner | None = None,
    listeners: Sequence[EpisodeListener] = (),
    required: Sequence[EpisodeListener] = (),
) -> Report:
    """Play one episode. Raises only Interrupted.

    Args:
        planner: Replaces the planner of the job's options.
        listeners, required: As for `homie.runtime.session.play`.
    """
    try:
        _play(job, worker_parts, planner, listeners, required)
        return Report()
    except Interrupted:
        raise
    except OtherParts as error:
        return Report(message=str(error), fatal=True, exit_code=error.exit_code)
    except (BadInput, MissingPart) as error:
        return Report(
            message=f"The suite '{job.suite}': task '{job.task.id}': {error}", fatal=True, exit_code=error.exit_code
        )
    except MemoryError as error:
        return _memory_report(error)
    except Unanswered as error:
        return Report(cause=UNREADABLE, message=str(error))
    except PlannerError as error:
        return Report(cause="planner", message=str(error))
    except RobotFault as error:
        return Report(cause="robot", message=str(error))
    except PartError as error:
        return Report(cause=OWN_CODE, message=str(error), final=_is_bug(error.__cause__))
    except (HomieError, OSError) as error:
        inner = error if isinstance(error, OSError) else error.__cause__
        if isinstance(inner, MemoryError):
            return _memory_report(inner)
        if isinstance(inner, OSError) and inner.errno in DISK:
            return Report(message=_disk_message(job.folder, inner), fatal=True)
        return Report(cause="error", message=str(error))
    except (Exception, SystemExit) as error:
        with contextlib.suppress(OSError):
            (job.folder / "error.log").write_text("".join(traceback.format_exception(error)), encoding="utf-8")
        failure = unexpected_error(error)
        is_own_code = isinstance(failure, PartError)
        return Report(
            cause=OWN_CODE if is_own_code else "error", message=str(failure), final=is_own_code and _is_bug(error)
        )


def _is_bug(error: BaseException | None) -> bool:
    """Return whether an exception of user code is a bug, which would recur: a built-in one, but not one of a connection
    or library, which may be temporary."""
    return type(error).__module__ == "builtins" and not isinstance(error, OSError | RuntimeError)


def _play(
    job: Job,
    worker_parts: WorkerParts,
    planner: Planner | None,
    listeners: Sequence[EpisodeListener],
    required: Sequence[EpisodeListener],
) -> None:
    """Play the episode of a job."""
    options = job.options
    if options.planner == EXPERT:
        options = options.model_copy(update={"planner": _expert(job)})
    with worker_parts.parts(options, planner) as parts:
        scene = scene_file(parts.robot)
        if scene is not None:
            write_atomically(job.folder / "scene.json", scene)
        check_words(job.task, parts.executor, job.names)
        parts_digest = _keep_parts(job, parts)
        goals = _goal_log(job, parts.robot)
        store = EpisodeStore(
            job.folder, parts.robot, seed=job.seed, trial=job.trial, frames=options.frames, parts=parts_digest
        )
        goal_listeners = (goals,) if goals else ()
        session.play(
            options, parts, store, _rules(job, goals), listeners=listeners, required=(*goal_listeners, *required)
        )


def _rules(job: Job, goals: GoalLog | None) -> EpisodeRules:
    """Return the rules of the episode: those of the protocol, with the goal and the action list of the task."""
    return replace(
        job.protocol.rules(job.rounds or job.options.rounds),
        action_list=_action_list(job),
        goal_check=goals.reached if goals and job.protocol.end == "goal" else None,
        endings=tuple(choice.subtask for choice in _end_choices(job)),
    )


def _action_list(job: Job) -> ActionList | None:
    """Return a function that makes the numbered actions of the episode, None if the protocol has none."""
    if job.protocol.actions != "numbered":
        return None
    options = tuple(read_subtask(option) for option in job.task.options)
    return partial(numbered_actions, ends=_end_choices(job), sent_to=job.protocol.sent_to, options=options)


def _end_choices(job: Job) -> tuple[Choice, ...]:
    """Return the numbered actions with which the planner can end the episode."""
    match job.protocol.end:
        case "goal" if job.protocol.actions == "numbered":
            return ()
        case "report":
            return REPORTS
    return endings(job.task.answers)


def _goal_log(job: Job, robot: Robot) -> GoalLog | None:
    """Return the listener that records the truth of the goal; None for a task without a goal."""
    goal = job.task.goal
    if goal is None or not isinstance(robot, WorldState):
        return None
    return GoalLog(goal, robot, job.folder / GOALS)


def _keep_parts(job: Job, parts: Parts) -> str:
    """Store the description of the episode's parts in the run folder; return its name. Raises OtherParts."""
    description = parts.describe()
    if job.options.planner == EXPERT:  # its scripts come from the suite, one for each task
        description, texts = {**description, "planner": {"name": EXPERT}}, {}
    else:
        texts = dict(parts.planner.texts())
    run = job.folder.parent.parent
    return keep(run, PartsFile.of(description, job.options), texts, mixed=job.mixed)


def _expert(job: Job) -> str:
    """Return the planner that does the task: the suite's steps from a file, or the expert of the environment."""
    if job.task.expert is not None:
        path = job.folder / "expert.json"
        path.write_bytes(to_json(list(job.task.expert)))
        return f"{ERRING}:{path}" if job.options.planner_settings else f"scripted:{path}"
    if expert := scenes_of(job.options.robot).expert:
        return expert
    raise BadInput("the suite gives no expert for it, so the planner 'expert' cannot play it.")


def _resident_memory() -> float:
    """Return the resident memory of this process in MiB (where unavailable, its maximum so far)."""
    statistics = Path("/proc/self/statm")
    if not statistics.exists():
        unit = 2**20 if sys.platform == "darwin" else 2**10  # macOS counts bytes, the others KiB
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return int(statistics.read_text().split()[1]) * resource.getpagesize() / 2**20


def _memory_report(error: MemoryError) -> Report:
    return Report(cause="memory", message=str(error) or "The worker was given no more memory.")


def _disk_message(folder: Path, error: OSError) -> str:
    return (
        f"Cannot write into {folder}: {reason_of(error)}. Make room there and give the same command again with --out."
    )
