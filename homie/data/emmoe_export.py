"""Export of episodes in the format of EMMOE-100: one folder each with `keypath.json`, `info.txt` and four pictures per
subtask."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from homie.bench.suite.emmoe_files import KEYPATHS, ExpertStep, picture_file, write_task
from homie.data.card_parts import OURS, front_matter, license_of, read_card
from homie.data.emmoe_wording import official_name
from homie.data.episode import Episode, SkippedEpisode, Step
from homie.data.examples.analyses import add_analyses
from homie.data.examples.writer import CARD
from homie.data.options import EmmoeOptions
from homie.data.pictures import whole
from homie.data.sources.source import reading_episode
from homie.data.sources.source_kinds import open_sources
from homie.data.split import read_split, side_of
from homie.data.training_examples import EpisodeOver, check_outcome, every
from homie.kernel.errors import BadInput, InfrastructureError
from homie.kernel.support.files import GO_ON, slug, write_atomically, writing
from homie.kernel.support.version import __version__
from homie.kernel.types import VIEWS
from homie.runtime.runstore import LockedFolder, lock_folder

LONGEST = 40
"""Maximum length of a folder name in characters: `homie bench` makes a task id of it, at most 48 including its
prefix."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Result of an export.

    Attributes:
        episodes, subtasks: Numbers of those in the folder now.
        left_out: Reason for each skipped episode, by name.
    """

    path: Path
    episodes: int
    subtasks: int
    left_out: dict[str, str]


def export_emmoe(options: EmmoeOptions, progress: EpisodeOver | None = None) -> Exported:
    """Write episodes in the format of EMMOE-100, as `OUT/data/train/NAME` and `OUT/data/test/NAME`.

    A folder with `keypath.json`, which is written last, is left as it is, so that the same command resumes after a
    kill.

    Raises:
        BadInput: A source or the folder cannot be used, or no episode could be exported.
        InfrastructureError: The disk fails.
    """
    sources = open_sources(options.sources)
    split = read_split(options.split)
    folder = LockedFolder(*lock_folder(options.out, "", "folder"))
    out = folder.path
    left_out: dict[str, str] = {}
    episodes = subtasks = 0
    names: set[str] = set()
    with closing(folder), writing(out, "into", advice=GO_ON, raises=InfrastructureError):
        if any(file.name not in ("data", CARD) for file in out.iterdir()):
            raise BadInput(f"The folder {out} has other files in it: choose another --out.")
        for source, entry in every(sources):
            reason = ""
            try:
                with reading_episode(entry):
                    episode = check_outcome(source.read(entry), options.keep)
                target = out / "data" / side_of(split, episode) / _folder_name(entry.name, names)
                if not (target / KEYPATHS).exists():
                    _write_episode(target, add_analyses(episode) if options.explain else episode)
                episodes, subtasks = episodes + 1, subtasks + len(episode.steps)
            except SkippedEpisode as why:
                reason = left_out[entry.name] = str(why)
            if progress is not None:
                progress(entry, reason)
        existing_card = read_card(out / CARD)
        if episodes and existing_card is not None:
            write_atomically(out / CARD, _card(options.license or license_of(existing_card)).encode())
    if not episodes:
        raise BadInput(f"No episode can be used ({next(iter(left_out.values()), 'there is none')}).")
    return Exported(out, episodes, subtasks, left_out)


def _card(license: str) -> str:
    front = {"license": license, "task_categories": ["robotics"], "tags": ["robotics", "homie", "emmoe"]}
    return (
        front_matter(front)
        + f"""
{OURS}

# Episodes of a household robot as files of EMMOE-100

`data/train` and `data/test` have a folder for each episode: `keypath.json` (ways to do its task), `info.txt` (its
subtasks with analysis, feedback and inventory) and four pictures for each subtask. Written by Homie
{__version__}.
"""
    )


def keypaths_of(episode: Episode) -> Sequence[Sequence[str]]:
    """Return the key paths of the task; if it has none, a single one: the subtasks that changed something, and End.

    EMMOE's key paths are written by people; the single one holds only what this episode did, without alternatives.
    """
    if episode.keypaths:
        return episode.keypaths
    succeeded = [step.subtask for step in episode.steps if step.feedback.ok]
    return ([*(str(subtask) for subtask in succeeded if subtask.action not in ("Go to", "End")), "[End]"],)


def expert_step(step: Step) -> ExpertStep:
    """Convert a step to the form of `info.txt`."""
    return ExpertStep(
        number=step.number,
        subtask=step.subtask,
        model="" if step.ends else official_name(step.model) if step.model else "",
        analysis=step.analysis,
        feedback=step.feedback.message,
        inventory=" ".join(step.inventory) or "None",
    )


def _write_episode(folder: Path, episode: Episode) -> None:
    pictures = [
        (step, view, whole(step.pictures[view])) for step in episode.steps for view in VIEWS if view in step.pictures
    ]
    if folder.exists():
        shutil.rmtree(folder)  # left by a kill
    folder.mkdir(parents=True)
    for step, view, data in pictures:
        picture_file(folder, step.number, view).write_bytes(data)
    write_task(folder, episode.text, keypaths_of(episode), [expert_step(step) for step in episode.steps])


def _folder_name(episode: str, used: set[str]) -> str:
    """Return an unused folder name for an episode: the number of a task of EMMOE-100, or words."""
    leaf = episode.rpartition("/")[2]
    base = leaf if leaf.isdigit() else slug(episode.replace("/", " "), LONGEST)
    name, number = base, 2
    while name in used:
        name, number = f"{base}-{number}", number + 1
    used.add(name)
    return name
