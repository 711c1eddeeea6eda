"""Writer of an episode folder."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PIL import Image as Picture

from homie.kernel.errors import InfrastructureError
from homie.kernel.interfaces import EpisodeListener, WorldState
from homie.kernel.support.files import reason_of, sync_folder, to_json, write_atomically
from homie.kernel.types import (
    CommandSent,
    Decision,
    EpisodeEnded,
    EpisodeResult,
    Event,
    PlannerAnswered,
    PlannerAsked,
    PlannerInput,
    RoundRecord,
    SubtaskRecorded,
)
from homie.runtime.planner_inputs import HAND, INPUTS, RoundInput
from homie.runtime.provenance import keep_text
from homie.runtime.runstore.command_log import CommandLog
from homie.runtime.runstore.file_models import RECORD, EpisodeFile, Usage, write_ending
from homie.runtime.runstore.folders import FRAMES, frame


class EpisodeStore(EpisodeListener):
    """Listener that writes one episode folder during the episode. Disk failures raise InfrastructureError.

    Args:
        robot: The robot; its final world state is stored if it has one (`WorldState`).
    """

    def __init__(self, folder: Path, robot: object, *, seed: int, trial: int, frames: bool, parts: str = "") -> None:
        self.folder = folder
        self._parts = parts
        self._robot = robot
        self.seed = seed
        self._trial = trial
        self._began = time.perf_counter()
        self._usage = Usage()
        self._systems: dict[str, str] = {}  # SHA-256 of the system messages sent to the model, by text
        self._steps = (folder / "steps.jsonl").open("ab")
        self._inputs = (folder / INPUTS).open("ab")
        self._commands = CommandLog(folder / "commands.jsonl")
        self._frames = frames
        if frames:
            (folder / FRAMES).mkdir()
        sync_folder(folder)

    def on(self, event: Event) -> None:
        match event:
            case PlannerAsked(planner_input):
                self._keep_input(planner_input)
            case PlannerAnswered(_, decision):
                self._keep_usage(decision)
            case CommandSent(observation, sent):
                with recording(self.folder):
                    self._commands.write(observation, sent)
            case SubtaskRecorded(record):
                self._keep_record(record)
            case EpisodeEnded(result):
                self._keep_ending(result)

    def _keep_input(self, planner_input: PlannerInput) -> None:
        views = dict(planner_input.views)
        if planner_input.hand is not None:
            views[HAND] = planner_input.hand
        with recording(self.folder):
            self._inputs.write(RoundInput.of(planner_input).line)
            self._inputs.flush()
            for view, image in views.items() if self._frames else ():
                Picture.fromarray(image).save(frame(self.folder, planner_input.round, view), compress_level=1)

    def _keep_usage(self, decision: Decision) -> None:
        if decision.system and decision.system not in self._systems:
            with recording(self.folder):
                self._systems[decision.system] = keep_text(self.folder.parent.parent, decision.system)
        self._usage = self._usage.plus(decision.answers)

    def _keep_record(self, record: RoundRecord) -> None:
        # Wall times are only stored in the timings, so that records of equal episodes are equal without them.
        decision = replace(record.decision, system=self._systems.get(record.decision.system, ""))
        record = replace(record, decision=decision)
        line = to_json(RECORD.dump_python(record, mode="json", exclude={"execution": {"skill_seconds"}}), indent=None)
        with recording(self.folder):
            self._commands.flush()
            self._steps.write(line)
            self._steps.flush()
            os.fsync(self._steps.fileno())
            os.fsync(self._inputs.fileno())

    def _keep_ending(self, result: EpisodeResult) -> None:
        ending = EpisodeFile(
            task=result.task,
            trial=self._trial,
            seed=self.seed,
            ended_by=result.ended_by,
            rounds=result.rounds,
            history=result.history,
            inventory=result.inventory,
            robot_seconds=result.robot_seconds,
            report=result.report,
            answer=result.answer,
            wall_seconds=round(time.perf_counter() - self._began, 3),
            usage=self._usage,
            parts=self._parts,
        )
        with recording(self.folder):
            self._commands.flush()  # its mark is computed from the file on disk
            if isinstance(self._robot, WorldState):
                write_atomically(self.folder / "final_state.json", to_json(self._robot.snapshot().to_json()))
            write_ending(self.folder, ending)

    def close(self) -> None:
        """Release the files. Idempotent."""
        try:
            self._commands.close()
        finally:
            self._inputs.close()
            self._steps.close()


def disk_failure(folder: Path, error: OSError) -> InfrastructureError:
    """Create the error for a file of an episode folder that cannot be written."""
    return InfrastructureError(
        f"Cannot write into {folder}: {reason_of(error)}. Make room there and give the same command again with --out: "
        "it runs this episode again."
    )


@contextmanager
def recording(folder: Path) -> Iterator[None]:
    """Context that converts an OSError to the InfrastructureError of a disk failure."""
    try:
        yield
    except OSError as error:
        raise disk_failure(folder, error) from error
