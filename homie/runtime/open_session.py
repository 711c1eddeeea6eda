"""Session with a robot in its scene, for notebooks and scripts (`homie.open`).

    with homie.open(seed=7) as session:
        session.call("Pick", "apple")                  one skill, checked like a planner's subtask
        for round in session.rounds("set the table"):  a planner, round by round
            print(round)

Any thread may call a session: calls wait for each other. `stop` does not wait, and ends the running subtask.

World state (`world_state`) is privileged: no planner and no skill ever gets it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from PIL import Image as Picture

from homie.kernel.actions import ActionTable
from homie.kernel.agent import Episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.interfaces import (
    Announcer,
    EpisodeListener,
    Filmable,
    FilmableFromAnywhere,
    Listeners,
    Robot,
    WorldState,
)
from homie.kernel.inventory import apply_effects
from homie.kernel.look_and_detect import Sight
from homie.kernel.options import OpenOptions, RunOptions
from homie.kernel.registry import split
from homie.kernel.support.files import reason_of
from homie.kernel.types import (
    Decision,
    Depth,
    Detection,
    EpisodeResult,
    Execution,
    Feedback,
    HistoryItem,
    Image,
    Observation,
    RoundRecord,
    Subtask,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.kernel.world.snapshot import WorldSnapshot
from homie.runtime import session as sessions
from homie.runtime.announcements import Announcements
from homie.runtime.assembly import ChosenParts, Parts, choose
from homie.runtime.display import ProgressDisplay
from homie.runtime.runstore import RunFolder
from homie.runtime.thread_turns import Turns

FILM_SIZE = (640, 480)
"""Default width and height of a film picture, pixels."""


@dataclass(frozen=True, slots=True)
class Round:
    """One round of a planner: its decision, and the result of each executed subtask."""

    number: int
    decision: Decision
    executions: tuple[Execution, ...]
    feedback: Feedback
    inventory: tuple[str, ...]
    over: bool
    """Whether it was the last round: the planner said End, or the round limit was reached."""

    def __str__(self) -> str:
        executions_text = ", ".join(
            f"{execution.subtask} {'ok' if execution.feedback.ok else execution.feedback.code}"
            for execution in self.executions
            if execution.subtask
        )
        return f"round {self.number}: {executions_text}"


class Session:
    """A robot, its scene, a planner and skills. Created by `homie.open`; `close` stops the robot and releases it.

    World state and inventory persist between calls until `reset`.
    """

    def __init__(self, options: OpenOptions, chosen: ChosenParts, display: ProgressDisplay | None = None) -> None:
        """Raises BadInput, MissingPart. On failure nothing stays open."""
        self.options = options
        self._chosen = chosen
        self._display = display
        self._turns = Turns()
        self._displays = [] if display is None else [display]
        self._listener = Listeners([self._turns], optional=self._displays)
        self._parts: Parts = chosen.on_robot(options)
        self._parts.reset(options.seed)
        self._inventory: tuple[str, ...] = ()
        self._history: tuple[HistoryItem, ...] = ()

    # ------------------------------------------------------------ state

    @property
    def robot(self) -> Robot:
        return self._parts.robot

    @property
    def inventory(self) -> tuple[str, ...]:
        """The held objects according to the agent."""
        return self._inventory

    @property
    def history(self) -> tuple[HistoryItem, ...]:
        """Every subtask since the last reset, with its feedback."""
        return self._history

    @property
    def actions(self) -> tuple[str, ...]:
        """The available actions, and End."""
        return self._parts.executor.actions

    @property
    def action_table(self) -> ActionTable:
        """Arguments, preconditions and effects of the actions, by name."""
        return self._parts.executor.skills.table

    @property
    def models(self) -> tuple[str, ...]:
        """The skill sets that a decision may choose from."""
        return self._parts.executor.skills.models

    # ------------------------------------------------------------ observations

    def observe(self, *cameras: str) -> Observation:
        """Return the robot's current state with RGB-D frames of the cameras (by default the planner's views)."""
        with self._turns.look():
            return self.robot.observe(cameras or self.robot.views)

    def views(self) -> dict[str, Image]:
        """Return copies of the planner's pictures by camera: (H, W, 3) uint8 RGB."""
        return {name: frame.rgb.copy() for name, frame in self.observe().frames.items()}

    def depth(self) -> dict[str, Depth | None]:
        """Return copies of the depth pictures of the same views: (H, W) float32 metres, 0 for no return; None for a
        camera without depth."""
        frames = self.observe().frames
        return {name: None if frame.depth is None else frame.depth.copy() for name, frame in frames.items()}

    def detections(self) -> tuple[Detection, ...]:
        """Run the detector on the planner's current views, and update the locator with the result."""
        with self._turns.look():
            return self._look().detections

    def _look(self) -> Sight:
        """Take new pictures with the planner's cameras: the caller may have changed the world between two calls."""
        senses = self._parts.executor.senses
        senses.forget()
        return senses.look_around()

    def film(
        self,
        position: tuple[float, float, float] | None = None,
        lookat: tuple[float, float, float] | None = None,
        size: tuple[int, int] = FILM_SIZE,
    ) -> Image:
        """Render a third-person picture of the robot and its world, simulators only.

        Args:
            position: Camera position (x, y, z), metres in the world; None for the camera of the videos.
            lookat: Point that the camera looks at, in the same frame; required with `position`.
            size: Width and height, pixels.

        Returns:
            (height, width, 3) uint8.

        Raises:
            BadInput: The robot is not a simulator that can film from there.
        """
        if (position is None) != (lookat is None):
            raise BadInput("film: give position and lookat, or neither.")
        with self._turns.look():
            if position is not None and lookat is not None and isinstance(self.robot, FilmableFromAnywhere):
                return self.robot.film_from(position, lookat, *size)
            if position is None and isinstance(self.robot, Filmable):
                return self.robot.film(*size)
        raise BadInput(f"The robot '{self.options.robot}' cannot be filmed from there: it is not a simulator that can.")

    def save_views(self, folder: str | Path) -> list[Path]:
        """Write the planner's pictures to `FOLDER/<camera>.png`. Raises BadInput if they cannot be written."""
        return [save_picture(image, Path(folder) / f"{name}.png") for name, image in self.views().items()]

    def world_state(self) -> WorldSnapshot:
        """Return the ground-truth state of a simulated world. Raises BadInput for a real robot."""
        if not isinstance(self.robot, WorldState):
            raise BadInput(f"The robot '{self.options.robot}' has no world state: only simulators know their world.")
        with self._turns.look():
            return self.robot.snapshot()

    # ------------------------------------------------------------ actions

    def call(self, action: str, target: str = "", destination: str = "", *, model: str = "") -> Execution:
        """Check and execute one subtask, such as `call("Put", "apple", "bowl")`.

        Args:
            action: An action that the robot and its skills have.
            target: Target in words.
            destination: Destination of a Put in words.
            model: The skill set to use, "" for the first that has the action.

        Returns:
            Checks, attempts and `feedback`, which says what was wrong with the subtask or how it failed. An attempt
            ended by `stop` has the outcome `Outcome.STOPPED`.

        Raises:
            Stopped: `stop` was called before the subtask began.
            InfrastructureError: The robot or the simulator failed.
        """
        decision = Decision((Subtask(action, target, destination),), model=model)
        subtask = decision.subtasks[0]
        with self._turns.move(), self._stopped_by_errors():
            executor = self._parts.executor
            observation = self._look().observation
            self._listener.on(SubtaskStarted(len(self._history) + 1, subtask))
            execution = executor.execute(decision, subtask, self._inventory, observation, self._listener)
            execution, self._inventory = apply_effects(self._inventory, execution, executor)
            self._history += (HistoryItem(len(self._history) + 1, execution.subtask, execution.feedback),)
            stamp = self.robot.observe().stamp
            self._listener.on(
                SubtaskRecorded(
                    RoundRecord(len(self._history), decision, execution, self._inventory, stamp, timings={})
                )
            )
        return execution

    def rounds(self, task: str) -> Generator[Round, None, EpisodeResult]:
        """Run the planner on a task from the current state of the world. No files are written.

        Args:
            task: The instruction.

        Returns:
            Generator of rounds, each run on demand; `over` says whether it was the last. The return value of the
            generator (`yield from`) is the result.

        Raises:
            BadInput: The instruction is empty.
            PlannerError: The planner could not decide.
            Stopped: `stop` was called in the meantime; the last subtask is in `history`.
        """
        if not task.strip():
            raise BadInput("The instruction is empty: say what to do.")
        return self._rounds(task.strip(), self._turns.stops)

    def _rounds(self, task: str, stops: int) -> Generator[Round, None, EpisodeResult]:
        announcers = [Announcements(self.robot)] if isinstance(self.robot, Announcer) else []
        episode = Episode(
            task,
            self._parts.planner,
            self._parts.executor,
            EpisodeRules(rounds=self.options.rounds),
            seed=self.options.seed,
            listener=Listeners([self._listener], optional=announcers),
            inventory=self._inventory,
        )
        previous_history = self._history
        while not episode.over:
            with self._turns.move(stops), self._stopped_by_errors():
                self._parts.executor.senses.forget()
                records = episode.step()
            self._inventory = episode.inventory
            self._history = previous_history + tuple(
                HistoryItem(len(previous_history) + item.number, item.subtask, item.feedback)
                for item in episode.history
            )
            if not records:  # a limit of the planner has ended the episode
                break
            last = records[-1]
            executions = tuple(record.execution for record in records)
            yield Round(last.round, last.decision, executions, last.execution.feedback, last.inventory, episode.over)
        return episode.finish()

    def run(self, task: str, *listeners: EpisodeListener, **options: Any) -> sessions.EpisodeSummary:
        """Run one task from the start of the scene and write its run folder, as `homie.run` does. The session continues
        from the final state.

        Args:
            task: The instruction.
            listeners: Receive every event of the episode.
            options: `out`, `video`, `frames`, `rounds`.

        Returns:
            The result and the path of the run folder.

        Raises:
            HomieError: As `homie.run`.
        """
        values = {**self.options.model_dump(exclude_defaults=True), "task": task, **options}
        run_options = RunOptions.build(**values)
        RunFolder.check(run_options)
        self._inventory, self._history = (), ()
        with self._turns.move(), self._stopped_by_errors():
            summary = sessions.record(run_options, self._parts, [*self._displays, *listeners], required=[self._turns])
        self._inventory, self._history = summary.result.inventory, summary.result.history
        return summary

    def reset(self, seed: int | None = None) -> None:
        """Reset to the start of the scene; with another seed, to the start of the scene with that seed.

        A robot that was given as an object is only reset with the seed. Raises BadInput without changing the session.
        """
        with self._turns.move():
            options = self.options
            if seed is not None and seed != options.seed:
                options = OpenOptions.build(**{**options.model_dump(exclude_defaults=True), "seed": seed})
                if not isinstance(self._chosen.named_robot(options).make, Robot):
                    previous_parts, self._parts = self._parts, self._chosen.on_robot(options)
                    previous_parts.robot.close()
            self._parts.reset(options.seed)
            self.options, self._inventory, self._history = options, (), ()

    def stop(self) -> None:
        """Stop the robot, whichever thread commands it; return once it is at rest.

        The running subtask ends after the current control period (a policy that is computing finishes first), and
        calls that were waiting for their turn raise Stopped. Later calls move the robot again.

        Raises:
            RobotFault: It still moves.
        """
        self._turns.stop()
        with self._turns.look():
            self.robot.stop()

    # ------------------------------------------------------------ shutdown

    def close(self) -> None:
        """Stop the robot and release it and the skills; callable from any thread, like `stop`. Idempotent."""
        self._turns.stop()
        with self._turns.look():
            self._parts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextmanager
    def _stopped_by_errors(self) -> Iterator[None]:
        """Context that stops the robot before any exception, Ctrl-C included, is raised on."""
        try:
            yield
        except BaseException:
            with suppress(RobotFault):  # report the first error
                self.robot.stop()
            if self._display is not None:
                self._display.close()
            raise


def open_session(config: str | Path | None, progress: bool, values: Mapping[str, Any]) -> Session:
    """Implement `homie.open`. Raises HomieError."""
    named, objects = split(values)
    options = OpenOptions.build(None if config is None else Path(config), **named)
    chosen = choose(options, objects)
    try:
        return Session(options, chosen, ProgressDisplay() if progress else None)
    except BaseException:
        chosen.close()
        raise


def run_task(
    task: str,
    listeners: Iterable[EpisodeListener],
    config: str | Path | None,
    progress: bool,
    values: Mapping[str, Any],
) -> sessions.EpisodeSummary:
    """Implement `homie.run`. Raises HomieError."""
    named, objects = split(values)
    options = RunOptions.build(None if config is None else Path(config), task=task, **named)
    with ExitStack() as stack:
        displays = []
        if progress:
            displays.append(ProgressDisplay())
            stack.callback(displays[0].close)
        return sessions.run(options, [*displays, *listeners], objects)


def save_picture(image: Image, path: str | Path) -> Path:
    """Write a picture (H, W, 3) to a file, in the format of its extension. Raises BadInput if that fails."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        Picture.fromarray(image).save(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"Cannot write the picture {path}: {reason_of(error)}.") from error
    return path
