"""`homie report --rerun`: one episode as a recording for the Rerun viewer (extra `[rerun]`).

an episode folder --record--> FILE.rrd

    world/       the scene as boxes, objects at their first and last poses, the robot and its path (`rerun_world`)
    cameras/     the views of every round, as shown to the planner
    video        the video of the episode
    log          decisions, checks, attempts and feedback as text; the level of a line is its kind
    instruction  the task, and how it ended

Everything is on the timelines `robot_seconds` and `round`. Files that the episode folder lacks are left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import rerun as rr
import rerun.blueprint as rrb
from PIL import Image as Picture

from homie.bench.report.rerun_world import ROUND, SECONDS, durations, read_world, set_time
from homie.kernel.support.files import write_atomically, writing
from homie.kernel.support.text import format_count
from homie.kernel.types import VIEWS, Array, Check, Outcome, RoundRecord, Subtask
from homie.runtime.runstore import read_episode, read_steps
from homie.runtime.runstore.command_log import read_poses
from homie.runtime.video import frame_stamps

WHITE, GREY = (238, 238, 238), (150, 156, 166)
GOOD, BAD = (96, 211, 120), (255, 110, 98)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Line of the log: kind, robot time (s), round, text and colour (RGB)."""

    kind: str
    stamp: float
    round: int
    text: str
    colour: tuple[int, int, int] = WHITE


def record(folder: Path, out: Path, *, name: str, task: str) -> int:
    """Write the recording of an episode folder.

    Args:
        folder: Episode folder.
        out: `.rrd` file.
        name: Identifies the episode in the viewer.
        task: Instruction, shown by the viewer as the title.

    Returns:
        The size of the recording in bytes.

    Raises:
        BadInput: a file cannot be read or written.
    """
    stream = rr.RecordingStream("homie", recording_id=name)
    memory = stream.memory_recording()
    strict = rr.strict_mode()
    rr.set_strict_mode(True)
    try:
        _send(stream, folder, task)
        data = memory.drain_as_bytes()
    finally:
        rr.set_strict_mode(strict)
        stream.disconnect()
    with writing(out, "the recording to"):
        write_atomically(out, data)
    return len(data)


def _send(stream: rr.RecordingStream, folder: Path, task: str) -> None:
    records = _records(folder)
    poses = read_poses(folder / "commands.jsonl")
    start = min([*poses[:1, 0], *(record.began for record in records[:1])], default=0.0)
    end = records[-1].stamp if records else start
    stream.set_log_time_enabled(False)
    stream.set_log_tick_enabled(False)
    stream.send_recording_name(_plain(task))
    stream.log("instruction", rr.TextDocument(_plain(_summary(folder, task))), static=True)
    _send_pictures(stream, folder, records, start)
    _send_video(stream, folder / "video.mp4", records)
    for line in lines(records):
        set_time(stream, line.stamp, line.round)
        stream.log("log", rr.TextLog(_plain(line.text), level=line.kind, color=line.colour))
    rounds = _rounds(records, [*poses[:, 0], end])
    world = read_world(folder)
    world.send(stream, poses, rounds[:-1], start=(start, 1), end=(end, int(rounds[-1])))
    stream.send_blueprint(_layout(world.eye, video=(folder / "video.mp4").exists()))


def lines(records: Sequence[RoundRecord]) -> Iterator[Line]:
    """Yield the log of an episode in order. A decision has the time at which its first attempt began, an attempt the
    time at which it ended."""
    last_round = 0
    for record in records:
        decision, execution, start = record.decision, record.execution, record.began
        if record.round != last_round:
            subtasks = ", ".join(str(subtask) for subtask in decision.subtasks) or f"unreadable: {decision.problem}"
            model = f"  with {decision.model}" if decision.model else ""
            if decision.analysis:
                yield Line(kind="analysis", stamp=start, round=record.round, text=decision.analysis, colour=GREY)
            yield Line(kind="decision", stamp=start, round=record.round, text=subtasks + model)
        last_round = record.round
        early_checks = [check for check in execution.checks if check.layer != "execution"]
        yield from (_check(check, execution.subtask, start, record.round) for check in early_checks)
        end = start
        for attempt in execution.attempts:
            end += attempt.robot_seconds
            text = f"{execution.subtask}  {attempt.number} with {attempt.skill}: {attempt.outcome} {attempt.reason}"
            yield Line(
                kind="attempt",
                stamp=end,
                round=record.round,
                text=text,
                colour=GOOD if attempt.outcome is Outcome.SUCCEEDED else BAD,
            )
        late_checks = execution.checks[len(early_checks) :]
        yield from (_check(check, execution.subtask, record.stamp, record.round) for check in late_checks)
        feedback = execution.feedback
        text = "success" if feedback.ok else f"{feedback.code}: {feedback.message}"
        yield Line(
            kind="feedback",
            stamp=record.stamp,
            round=record.round,
            text=f"{execution.subtask}  {text}",
            colour=GOOD if feedback.ok else BAD,
        )
        yield Line(
            kind="inventory",
            stamp=record.stamp,
            round=record.round,
            text=" ".join(record.inventory) or "nothing",
            colour=GREY,
        )


def _check(check: Check, subtask: Subtask, stamp: float, number: int) -> Line:
    verdict = f"{check.code}: {check.message}" if check.code else "ok"
    return Line(
        kind="check",
        stamp=stamp,
        round=number,
        text=f"{subtask}  {check.layer}  {verdict}",
        colour=BAD if check.code else GREY,
    )


def _records(folder: Path) -> tuple[RoundRecord, ...]:
    if not (folder / "steps.jsonl").exists():
        return ()
    with warnings.catch_warnings(action="ignore"):  # a line truncated by a kill: complete lines are shown
        return read_steps(folder)


def _summary(folder: Path, task: str) -> str:
    ending = read_episode(folder)
    if ending is None:
        return f"{task}\nunfinished"
    cause = f" ({ending.cause})" if ending.cause else ""
    length = f"{format_count(ending.rounds, 'round')}, {ending.robot_seconds:.1f} s"
    return f"{task}\nended by: {ending.ended_by}{cause}, {length}"


def _plain(text: str) -> str:
    """Replace lone surrogates, which a model's raw text may contain and UTF-8 cannot encode."""
    return text.encode("utf-8", errors="replace").decode()


def _rounds(records: Sequence[RoundRecord], stamps: Sequence[float] | Array) -> Array:
    """Return the round (n,) of each stamp: that of the first record that ended at that time or later."""
    if not records:
        return np.ones(len(stamps), dtype=np.int64)
    index = np.searchsorted([record.stamp for record in records], stamps)
    return np.array([record.round for record in records])[np.minimum(index, len(records) - 1)]


def _send_pictures(stream: rr.RecordingStream, folder: Path, records: Sequence[RoundRecord], start: float) -> None:
    """Send the views of each round at the end of the previous one, because nothing moves before the decision."""
    ends = {record.round: record.stamp for record in records}
    for path in sorted((folder / "frames").glob("round-*.png")):
        number, _, view = path.stem.removeprefix("round-").partition("-")
        if view in VIEWS and number.isdecimal() and (data := _picture(path)):
            set_time(
                stream, max((end for record, end in ends.items() if record < int(number)), default=start), int(number)
            )
            stream.log(f"cameras/{view}", rr.EncodedImage(contents=data, media_type="image/png"))


def _picture(path: Path) -> bytes:
    """Return the content of a picture file, b"" if it was truncated by a kill."""
    try:
        with Picture.open(path) as picture:
            picture.load()
    except OSError:
        return b""
    return path.read_bytes()


def _send_video(stream: rr.RecordingStream, path: Path, records: Sequence[RoundRecord]) -> None:
    """Send the video, with the last frame for each robot time."""
    if not (path.exists() and path.stat().st_size and records):
        return
    video = rr.AssetVideo(path=path)
    try:
        times = np.asarray(video.read_frame_timestamps_nanos())
    except RuntimeError:  # unfinished because of a kill
        return
    stream.log("video", video, static=True)
    stamps = frame_stamps(records, len(times))
    last_frames = np.flatnonzero(np.diff(stamps, append=np.inf))
    stream.send_columns(
        "video",
        indexes=[
            rr.TimeColumn(SECONDS, duration=durations(stamps[last_frames])),
            rr.TimeColumn(ROUND, sequence=_rounds(records, stamps[last_frames])),
        ],
        columns=rr.VideoFrameReference.columns_nanos(times[last_frames]),
    )


def _layout(eye: rrb.EyeControls3D | None, *, video: bool) -> rrb.Blueprint:
    """Return the layout of the viewer: the scene above the log, the views above the video."""
    views = rrb.Grid(*(rrb.Spatial2DView(origin=f"cameras/{view}", name=view) for view in VIEWS), grid_columns=2)
    film = [rrb.Spatial2DView(origin="video", name="video")] if video else []
    scene = rrb.Spatial3DView(origin="world", name="scene", eye_controls=eye)
    log = rrb.TextLogView(origin="log", name="decisions, checks, attempts, feedback")
    instruction = rrb.TextDocumentView(origin="instruction", name="instruction")
    return rrb.Blueprint(
        rrb.Horizontal(
            rrb.Vertical(instruction, scene, log, row_shares=[2, 7, 5]),
            rrb.Vertical(views, *film, row_shares=[3, 2][: 1 + len(film)]),
            column_shares=[3, 2],
        ),
        rrb.TimePanel(timeline=SECONDS, expanded=True),
        auto_views=False,
        collapse_panels=True,
    )
