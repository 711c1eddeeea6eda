"""Main loop in the robot's thread: orders, manual control, rounds of a planner, recordings. One robot, one person.

desk --orders, stick, stop--> Operation --commands--> robot
                                  |
                                  +--> front (a page, a terminal), recording
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from homie.data.recording import notes
from homie.data.recording.mcapfile import check_installed
from homie.data.recording.takes import Take as Recorded
from homie.data.recording.takes import begin_take
from homie.kernel.agent import Episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import BadInput, CommandRefused, HomieError, RobotFault, Stopped
from homie.kernel.interfaces import EpisodeListener, GroundTruthAccess, Listeners, Planner
from homie.kernel.interfaces.planner import call_planner
from homie.kernel.robot.body import is_at_rest
from homie.kernel.support.files import check_folder, writing
from homie.kernel.types import (
    BY_PERSON,
    END,
    ENDED_BY_PERSON,
    INPUT_ENDED,
    CommandSent,
    Decision,
    Failure,
    FailureReason,
    Observation,
    PeriodPassed,
    PlannerInput,
)
from homie.runtime.assembly import ChosenParts, Parts, load_planner
from homie.runtime.clean_stop import ignore_stop_signals
from homie.studio.control_handover import OperatorPlanner, State, Watch
from homie.studio.inspection import find_thing, things_at
from homie.studio.options import TeleopOptions
from homie.studio.orders import Begin, Desk, Do, Finish, Give, Look, Move, Order, Quit, Say, Take, TypedLine
from homie.studio.page_pictures import Pictures
from homie.studio.simulation_pace import Pace
from homie.studio.teleop_commands import Hand, Stick
from homie.studio.typed_orders import read_line

PRACTICE = "practice (not recorded) until a task is begun"
"""Task of the unrecorded episode between those that a person begins."""
STOPPED = Failure(FailureReason.STOPPED_BY_PERSON)
LONGEST_MOVE = 60.0
"""Maximum duration of a `Move`, s of robot time."""


class Front(Protocol):
    """User interface of an operation. Both methods are called in the robot's thread."""

    def tell(self, sentence: str) -> None:
        """Show a message to the person, such as why an order was refused."""

    def refresh(self, operation: Operation) -> None:
        """Update the display; called at least every control period, also while a planner decides."""


class Operation:
    """A robot in its scene that a person drives. `run` returns after a Quit, with the robot stopped."""

    def __init__(
        self,
        options: TeleopOptions,
        chosen: ChosenParts,
        desk: Desk,
        front: Front,
        *,
        listeners: tuple[EpisodeListener, ...],
    ) -> None:
        """Create the robot, in the thread that will run it. Raises BadInput, MissingPart after closing everything.

        Args:
            listeners: Get the events of every episode; their exceptions are logged.
        """
        if options.record is not None:
            check_installed()
            with writing(options.record, "recordings into"):  # now, not when the first of them begins
                options.record.mkdir(parents=True, exist_ok=True)
            check_folder(options.record)
        self.options, self.desk = options, desk
        self._front, self._listeners = front, listeners
        self.parts: Parts = chosen.on_robot(options)
        try:
            self.pictures = Pictures(self.parts.robot)
            self._cameras = tuple(options.cameras or self.parts.robot.views)
            for camera in (*self._cameras, *options.depths):
                self.pictures.of(camera)  # a missing camera is bad input now, not in the first recording
            self.parts.reset(options.seed)
        except BaseException:
            self.parts.close()
            raise
        self._hand = Hand(self.parts.robot)
        self._pace = Pace(options.speed if self.parts.robot.waits else 0.0)
        self._decider = OperatorPlanner(self.parts.planner, self._wait_for_decision)
        self._watch = Watch(self._on_period, self._set_doing)
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="planner")
        self._take: Recorded | None = None
        self._last: Path | None = None
        self._person, self._halted, self._quitting = True, False, False
        self.done = self.refused = 0
        """Numbers of orders that were carried out, and that were refused or whose subtask ended with an error."""
        self._doing = self._hand_message = ""
        self._listener: EpisodeListener = Listeners()
        self._episode = self._new_episode(PRACTICE, ())

    # ------------------------------------------------------------ state

    @property
    def state(self) -> State:
        """The current state for display."""
        executor = self.parts.executor
        return State(
            task="" if self._episode.task == PRACTICE else self._episode.task,
            in_charge="person" if self._person else self.parts.planner.name,
            planner=self.parts.planner.name,
            doing=self._doing,
            round=self._episode.round,
            inventory=self._episode.inventory,
            stamp=self.parts.robot.observe().stamp,
            recording=self.recording,
            last=self._last,
            actions=executor.actions,
            models=executor.skills.models,
        )

    @property
    def _recording_failed(self) -> bool:
        """Whether the current recording can no longer be written."""
        return self._take is not None and self._take.recorder.failed

    @property
    def recording(self) -> Path | None:
        """The run folder of the current recording, None without one."""
        return self._take.run.path if self._take else None

    # ------------------------------------------------------------ the loop

    def run(self) -> None:
        """Carry out orders until Quit. Raises KeyboardInterrupt and unexpected errors after stopping the robot."""
        try:
            if self.options.task:
                self._carry_out(Begin(task=self.options.task, record=self.options.record is not None))
            while not self._quitting:
                if self._person or self._episode.over:
                    self._drive()
                else:
                    self._round()
                    self._take_orders(0.0)
        finally:
            with ignore_stop_signals():
                self.close()

    def close(self) -> None:
        """Stop the robot and close the recording. Idempotent."""
        try:
            self.parts.close()
        finally:
            self._executor.shutdown(wait=False, cancel_futures=True)
            if self._take is not None:
                take, self._take = self._take, None
                take.close()

    def _drive(self) -> None:
        """Run one control period of manual control, or wait as long for an order while the robot stands still."""
        robot = self.parts.robot
        if self.desk.stopped():
            robot.stop()
        stick = self.desk.stick
        observation = robot.observe()
        if not stick.moves and is_at_rest(observation.body, None, robot.spec.period):
            self._pace.rest()
            self._front.refresh(self)
            self._take_orders(robot.spec.period)
            return
        self._push(stick, observation)
        self._take_orders(0.0)

    def _push(self, stick: Stick, observation: Observation) -> None:
        """Send the command of one control period of manual control."""
        try:
            sent_command = self.parts.robot.act(self._hand.command(stick, observation))
        except CommandRefused as error:
            self._front.tell(str(error))
            self.desk.stop()
            return
        if self._hand.message not in ("", self._hand_message):
            self._front.tell(self._hand.message)
        self._hand_message = self._hand.message
        self._listener.on(CommandSent(observation, sent_command))
        self._listener.on(PeriodPassed(self.parts.robot.observe()))

    def _move(self, order: Move) -> None:
        """Hold the stick at constant deflections for some robot time, or until a stop."""
        if not self._person:
            raise BadInput("The planner is in charge: take over first.")
        observation = self.parts.robot.observe()
        end = observation.stamp + min(max(order.seconds, 0.0), LONGEST_MOVE)
        while observation.stamp < end - 1e-9 and not self.desk.stopped():
            self._push(order.stick, observation)
            observation = self.parts.robot.observe()

    def _round(self) -> None:
        """Run one round of the person or planner in charge. After an error of a planner or skill the person is in
        charge."""
        self._halted = False
        self.parts.executor.senses.forget()
        try:
            self._episode.step()
        except Stopped:  # while the planner was deciding: the round does not count
            self._episode.round -= 1
        except RobotFault:
            raise
        except HomieError as error:
            if self._recording_failed:
                raise
            self.refused += self._person
            self._front.tell(str(error))
            self._person = True
        finally:
            self._doing = ""
        if self._halted:
            self._person = True
            self.parts.robot.stop()
        if self._episode.over:
            self._finish(Finish())

    def _on_period(self) -> None:
        """Keep pace and refresh the display after a control period; raise Stopped in a subtask after a stop."""
        self._pace.keep(self.parts.robot.observe().stamp)
        self._front.refresh(self)
        if self._doing and (self._halted or self.desk.stopped()):
            self._halted = True
            raise Stopped(STOPPED)

    def _wait_for_decision(self, planner: Planner, planner_input: PlannerInput) -> Decision:
        """Return the planner's decision, refreshing the display in this thread meanwhile. Raises Stopped."""
        self._doing = "thinks"
        answer: Future[Decision] = self._executor.submit(call_planner, planner, planner_input)
        while not answer.done():
            self._pace.rest()
            self._front.refresh(self)
            if self.desk.stopped():
                self._halted = True
                raise Stopped(STOPPED)
            with suppress(TimeoutError):
                answer.result(self.parts.robot.spec.period)
        return answer.result()

    # ------------------------------------------------------------ orders

    def _take_orders(self, seconds: float) -> None:
        order = self.desk.next(seconds)
        while order is not None and not self._quitting:
            try:
                self._carry_out(order)
                self.done += not isinstance(order, Quit)
            except RobotFault:
                raise
            except HomieError as error:
                if self._recording_failed:  # the disk failed: do not continue unrecorded
                    raise
                self.refused += 1
                self._front.tell(str(error))
            order = self.desk.next()

    def _carry_out(self, order: Order) -> None:
        """Carry out an order. Raises BadInput if the current state does not allow it."""
        match order:
            case Do():
                self._do(order)
            case Begin():
                self._begin(order)
            case Finish():
                if self._episode.task == PRACTICE:
                    raise BadInput("No episode goes on: begin a task first.")
                self._finish(order)
            case Move():
                self._move(order)
            case Take():
                self._person = True
            case Give():
                self._give()
            case Say():
                self._say(order.note)
            case Look():
                inventory = self._episode.inventory
                if order.words:
                    order.answer(find_thing(self.parts, inventory, order.words))
                else:
                    order.answer(things_at(self.parts, inventory, order.camera, order.pixel))
            case TypedLine():
                record = self.options.record is not None
                for typed_order in read_line(order.line, self.parts.executor.actions, self.state.task, record=record):
                    self._carry_out(typed_order)
            case Quit():
                self._quitting = True
                if self._take is not None:
                    self._finish(Finish(), INPUT_ENDED if order.input_ended else ENDED_BY_PERSON[""])

    def _do(self, order: Do) -> None:
        if not self._person:
            raise BadInput("The planner is in charge: take over first.")
        if order.subtask.action == END.action:
            self._finish(Finish())
            return
        if self._episode.over:
            raise BadInput("The episode has no rounds left: end it.")
        self._decider.answer = Decision(
            (order.subtask,), order.analysis or BY_PERSON, order.model, raw=str(order.subtask)
        )
        self._round()

    def _begin(self, order: Begin) -> None:
        task = order.task.strip()
        if not task:
            raise BadInput("The instruction is empty: say what to do.")
        if self._take is not None:
            raise BadInput("An episode is being recorded: end it, or discard it, first.")
        if order.record and self.options.record is None:
            raise BadInput("Nothing can be recorded: start Homie with --record FOLDER.")
        options = self.options
        if order.planner:
            planner = load_planner(order.planner, options.planner_settings)
            if isinstance(planner, GroundTruthAccess):
                planner.bind(self.parts.robot)
            options = options.model_copy(update={"planner": order.planner})
            self.parts = replace(self.parts, planner=planner)
            self._decider.planner = planner
        self.parts.reset(options.seed)
        self._pace.rest()
        self._person = not order.planner
        if order.record and self.options.record is not None:
            self._take = begin_take(
                self.options.record,
                task,
                options,
                self.parts,
                look=self.pictures.of,
                cameras=self._cameras,
                depths={camera: partial(self.pictures.measured, camera) for camera in options.depths},
                fps=options.fps,
            )
            self._last = self._take.episode
        try:
            self._episode = self._new_episode(task, ())
        except BaseException:
            self._drop_take()
            raise
        self._front.refresh(self)

    def _give(self) -> None:
        if self._episode.task == PRACTICE:
            raise BadInput("There is no task that the planner could go on with: begin one.")
        if self.parts.planner.name == "human":
            raise BadInput("No planner was chosen: begin a task with one, or start Homie with --planner NAME.")
        self._person = False

    def _finish(self, order: Finish, analysis: str = ENDED_BY_PERSON[""]) -> None:
        """End the episode; practice continues in the world as it is."""
        episode, take = self._episode, self._take
        try:
            if not episode.over:
                self._decider.answer = Decision((END,), analysis, raw=str(END))
                episode.step()
            episode.finish()
            if take is not None and order.mark:
                notes.add_note(take.episode, notes.note("mark", order.mark))
            if take is not None and order.discard:
                notes.add_note(take.episode, notes.note("discard"))
        finally:
            self._drop_take()
            self._person = True
            self._front.refresh(self)  # report the recording before practice begins
            self._episode = self._new_episode(PRACTICE, episode.inventory)

    def _say(self, note: notes.Note) -> None:
        if self._last is None:
            raise BadInput("Nothing was recorded that a note could be about.")
        if self._take is not None:
            note = note.model_copy(update={"stamp": self.parts.robot.observe().stamp})
        notes.add_note(self._last, note)

    def _drop_take(self) -> None:
        take, self._take = self._take, None
        if take is not None:
            take.close()

    def _new_episode(self, task: str, inventory: tuple[str, ...]) -> Episode:
        recording_listeners = self._take.listeners if self._take is not None else ()
        self._listener = Listeners([*recording_listeners, self._watch], optional=self._listeners)
        return Episode(
            task,
            self._decider,
            self.parts.executor,
            EpisodeRules(rounds=self.options.rounds),
            seed=self.options.seed,
            listener=self._listener,
            inventory=inventory,
        )

    def _set_doing(self, subtask: str) -> None:
        self._doing = subtask
