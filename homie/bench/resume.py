"""Resuming a bench: whether it is the same one, which files are damaged, which episodes are left."""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import time
import warnings
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from homie.bench.episode import Episode
from homie.bench.episode_plan import plan
from homie.bench.finished_episodes import COPY, BenchFile, suite_damage, suite_json
from homie.bench.options import BenchOptions
from homie.bench.suite.suite import Suite
from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import mark
from homie.kernel.support.files import check_regular, entries_of, reading, reason_of, write_atomically, writing
from homie.runtime.provenance import OtherParts, description_names, forget, versions
from homie.runtime.runstore import LockedFolder, check_writable, contents, kind_of, lock_folder, read_model, write_model
from homie.runtime.runstore.damage import ENDING

INDECISIVE = (
    *("suite", "out", "workers", "ray", "timeout", "retries", "memory", "recycle", "again", "sweep"),
    *("mixed", "clean"),
)
"""Options that do not affect the result of any episode. (The content of the suite does; its path does not.)"""
PATIENCE = 20.0
"""Seconds to wait for the workers of a killed runner to notice it."""


class BenchFolder(LockedFolder):
    """Run folder of a bench. `is_new`: it was created by this process."""

    is_new = False

    @classmethod
    def open(cls, options: BenchOptions, suite: Suite) -> BenchFolder:
        """Create the run folder, or open one with the same configuration. Raises BadInput."""
        path, lock = lock_folder(options.out, suite.name)
        folder = cls(path, lock)
        try:
            if kind_of(path) == "run":
                raise BadInput(f"The folder {path} holds a run of `homie run`, not a bench: choose another --out.")
            _repair_files(path, suite)
            if (path / "run.json").exists():
                _check_same(path, options, suite)
            else:
                folder.is_new = not any(path.iterdir())
                folder._create(options, suite)
            folder._wait_for_workers()
            _remove_unused_parts(path, plan(path, options, suite))
        except OSError as error:
            folder.close()
            raise BadInput(f"Cannot write into the run folder {path}: {reason_of(error)}.") from error
        except BaseException:
            folder.close()
            raise
        return folder

    def _create(self, options: BenchOptions, suite: Suite) -> None:
        # Folders and suite are written before run.json, whose presence shows that all of them are complete.
        own_names = {"suite.json", ".suite.json.tmp", COPY, f".{COPY}.tmp", ".run.json.tmp", "episodes", "workers"}
        if any(entry.name not in own_names for entry in self.path.iterdir()):
            raise BadInput(f"The folder {self.path} is not empty and not a run folder: choose another --out.")
        (self.path / "episodes").mkdir(exist_ok=True)
        (self.path / "workers").mkdir(exist_ok=True)
        write_atomically(self.path / "suite.json", suite_json(suite))
        file = BenchFile(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            seed=options.seed,
            options=options,
            versions=versions(),
            platform=platform.platform(),
            files={"suite.json": mark(self.path / "suite.json")},
        )
        write_model(self.path / COPY, file)
        write_model(self.path / "run.json", file)

    def check_writable(self) -> None:
        """Raise BadInput if one of the folders cannot be read or written, or a worker's log cannot be appended to."""
        workers = self.path / "workers"
        with writing(workers):
            workers.mkdir(exist_ok=True)
        check_writable(self.path)
        for log in entries_of(workers):
            with writing(log, "the log"):
                check_regular(log)
                log.open("ab").close()

    def discard(self) -> None:
        """Remove a folder created by this process if no episode in it is finished; leave any other as it is."""
        if self.is_new and not any((self.path / "episodes").glob(f"*/{ENDING}")):
            shutil.rmtree(self.path, ignore_errors=True)

    def _wait_for_workers(self) -> None:
        """Wait for workers of a killed runner, which must not write any more: every worker holds a shared lock on
        `episodes`."""
        with reading(self.path / "episodes"):
            descriptor = os.open(self.path / "episodes", os.O_RDONLY)
        end = time.monotonic() + PATIENCE
        try:
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return
                except BlockingIOError:
                    if time.monotonic() > end:
                        raise BadInput(
                            f"Workers of an earlier run still write into {self.path}: end these processes first."
                        ) from None
                    time.sleep(0.05)
        finally:
            os.close(descriptor)


def unfinished_episodes(episodes: Sequence[Episode], *, again: bool = False) -> Iterator[Episode]:
    """Yield the episodes to run, including damaged ones and those with unreadable answers; with `again` also all others
    ended by infrastructure."""
    for episode in episodes:
        finished = episode.finished
        lost = finished is not None and finished.ending.ended_by == "infrastructure"
        if finished is None or finished.damaged or episode.unreadable or (again and lost):
            yield episode


def check_known(episodes: Sequence[Episode]) -> None:
    """Raise OtherParts if the parts of finished episodes are unknown: they could differ from those of new episodes."""
    for episode in episodes:
        ending = episode.ending
        if ending is not None and ending.ended_by != "infrastructure" and not ending.parts:
            raise OtherParts(
                f"What the episode {episode.folder} was made with is not known (Homie 0.1 did not keep it): choose "
                "another --out, or --mixed to go on."
            )


def _repair_files(run: Path, suite: Suite) -> None:
    """Restore a damaged `run.json` from its copy, and a damaged `suite.json` from the given suite if it is the same.
    Without `run.json` and copy the bench has not begun. Files that cannot be repaired are rejected later. Raises
    OSError."""
    try:
        file = read_model(run / "run.json", BenchFile)
    except BadInput:
        try:
            file = read_model(run / COPY, BenchFile)
        except BadInput:
            return
        write_model(run / "run.json", file)
        warnings.warn(f"{run / 'run.json'} was damaged and is put back from its copy.", stacklevel=2)
    recorded, content = file.files.get("suite.json"), suite_json(suite)
    content_matches = recorded is not None and recorded.sha256 == hashlib.sha256(content).hexdigest()
    if content_matches and suite_damage(run, file):
        write_atomically(run / "suite.json", content)
        warnings.warn(f"{run / 'suite.json'} was damaged and is written anew.", stacklevel=2)


def _remove_unused_parts(run: Path, episodes: Sequence[Episode]) -> None:
    """Remove the descriptions of parts that no finished episode refers to, which were left by a killed try.

    Otherwise the bench could not be resumed after the parts were fixed. Raises OSError.
    """
    used_digests = {episode.ending.parts for episode in episodes if episode.ending is not None}
    for digest in description_names(run):
        if digest not in used_digests:
            forget(run, digest)


def _check_same(path: Path, options: BenchOptions, suite: Suite) -> None:
    if not (path / "suite.json").exists() and (path / "episodes").is_dir() and (path / "run.json").exists():
        raise BadInput(f"The run folder {path} is not that of a bench (`homie run` made it?): choose another --out.")
    previous = read_model(path / "run.json", BenchFile).options
    decisive = [name for name in BenchOptions.model_fields if name not in INDECISIVE]
    differences = [name for name in decisive if getattr(previous, name) != getattr(options, name)]
    if contents(path / "suite.json") != suite_json(suite):
        differences.append("the content of the suite")
    if differences:
        raise BadInput(
            f"The run folder {path} belongs to another bench (different: {', '.join(differences)}): "
            "choose another --out."
        )
