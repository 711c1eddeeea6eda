"""Export of sources to a LeRobot data set: `homie data lerobot`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from homie.data.episode import SkippedEpisode
from homie.data.lerobot.columns import layout_of
from homie.data.lerobot.info import is_lerobot, read_info
from homie.data.lerobot.writer import LeRobotWriter
from homie.data.options import LeRobotOptions
from homie.data.recording.demonstration import Demonstration
from homie.data.sources.source import Entry, Source, reading_episode
from homie.data.sources.source_kinds import open_sources
from homie.data.training_examples import EpisodeOver, every
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import GO_ON, place_of, writing
from homie.kernel.support.text import split_commas


@dataclass(frozen=True, slots=True)
class LeRobotExport:
    """Result of an export: what it added, and the size of the data set now.

    Attributes:
        dropped: Columns of the sources that were not exported.
    """

    path: Path
    added: int
    episodes: int
    frames: int
    dropped: tuple[str, ...] = ()


def export_lerobot(options: LeRobotOptions, progress: EpisodeOver | None = None) -> LeRobotExport:
    """Add the demonstrations of the sources to a LeRobot data set; those that it already has are left unchanged.

    The layout of an existing data set, else that of the first episode, decides which episodes fit.

    Args:
        options: Sources, format, output folder.
        progress: Called after every episode.

    Raises:
        BadInput: The options, a source or the folder cannot be used, or no episode was recorded.
        InfrastructureError: The disk fails.
    """
    sources = open_sources(options.sources)
    if any(place_of(source.path) == place_of(options.out) for source in sources):
        raise BadInput(f"The data set {options.out} cannot be added to itself: choose another --out.")
    dropped = tuple(dict.fromkeys(column for source in sources for column in source.dropped))
    layout = layout_of(read_info(options.out)[0]) if is_lerobot(options.out) else None
    writer: LeRobotWriter | None = None
    added, last_reason = 0, ""
    with writing(options.out, "into", advice=GO_ON, raises=InfrastructureError), ExitStack() as stack:
        for source, entry in every(sources):
            last_reason = ""
            try:
                with reading_episode(entry):
                    demonstrations = _demonstrations(source, entry, options)
                    for demonstration in demonstrations:
                        if writer is None:
                            writer = LeRobotWriter(
                                options.out, layout or demonstration.layout, options.language, options.license
                            )
                            stack.enter_context(writer)
                        added += _add(writer, demonstration)
            except SkippedEpisode as reason:
                last_reason = str(reason)
            if progress is not None:
                progress(entry, last_reason)
        if writer is None or not writer.episodes:
            raise BadInput(f"No episode can be exported{f' (the last: {last_reason})' if last_reason else ''}.")
        writer.commit()
    return LeRobotExport(options.out, added, writer.episodes, writer.frames, dropped)


def _demonstrations(source: Source, entry: Entry, options: LeRobotOptions) -> Sequence[Demonstration]:
    """Return the demonstrations of an episode that are asked for. Raises SkippedEpisode if there is none."""
    if options.action is not None:
        subtasks = tuple(source.subtasks(entry, options.action, options.fps))
        if not subtasks:
            raise SkippedEpisode(f"it has no {options.action} that succeeded at the first attempt")
        return [_with_cameras(subtask, options.cameras) for subtask in subtasks]
    demonstration = source.demonstration(entry, options.fps)
    if options.keep == "done" and demonstration.success is False:
        raise SkippedEpisode("the task was not done")
    return (_with_cameras(demonstration, options.cameras),)


def _with_cameras(demonstration: Demonstration, cameras: str | None) -> Demonstration:
    """Return a demonstration with the pictures of some of its cameras. Raises SkippedEpisode if it lacks one."""
    if cameras is None:
        return demonstration
    names = () if cameras == "none" else split_commas(cameras)
    if missing := sorted(set(names) - set(demonstration.films)):
        raise SkippedEpisode(f"it has no camera '{missing[0]}' (it has: {', '.join(demonstration.films) or 'none'})")
    layout = replace(demonstration.layout, cameras={name: demonstration.layout.cameras[name] for name in names})
    return replace(demonstration, layout=layout, films={name: demonstration.films[name] for name in names})


def _add(writer: LeRobotWriter, demonstration: Demonstration) -> int:
    """Add an episode unless the data set contains it. Returns the number added.

    Raises SkippedEpisode for an episode that cannot be added, e.g. because of a damaged film, OSError."""
    name = writer.free_name(demonstration)
    if name is None:
        return 0
    try:
        writer.add(replace(demonstration, name=name))
    except BadInput as error:
        raise SkippedEpisode(str(error)) from error
    return 1
