"""The run folder of one episode: created, or resumed if it belongs to the same run."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.support.checksums import mark
from homie.kernel.support.files import slug, to_json, write_atomically, writing
from homie.runtime.provenance import PartsFile, differences, keep, read_parts, versions
from homie.runtime.runstore.checksummed_json import contents, kind_of, write_model
from homie.runtime.runstore.file_models import RunFile, read_run
from homie.runtime.runstore.folders import LockedFolder, check_writable, episode_folders, lock_folder, new_episode


@runtime_checkable
class Staged(Protocol):
    """Simulator whose scene can be serialized and reused with `--scene`."""

    @property
    def scene(self) -> BaseModel:
        """The scene spec."""


def scene_file(robot: object) -> bytes | None:
    """Return the content of `scene.json` for a robot that has a scene, else None."""
    return to_json(robot.scene.model_dump(mode="json")) if isinstance(robot, Staged) else None


class RunFolder(LockedFolder):
    """The run folder of one episode."""

    @classmethod
    def check(cls, options: RunOptions) -> None:
        """Raise BadInput if `options.out` cannot be used for this run. Writes nothing."""
        if options.out is None:
            return
        with writing(options.out, "the run folder"):  # for missing permission, or a name that is too long
            _check_existing(options.out, options)

    @classmethod
    def open(cls, options: RunOptions, robot: object, parts: PartsFile, texts: Mapping[str, str]) -> RunFolder:
        """Create the run folder, or resume an unfinished one with the same configuration and parts. Raises BadInput.

        Args:
            robot: The robot; its scene is stored if it is `Staged`.
            texts: Texts that the parts refer to by SHA-256 (`Planner.texts`).
        """
        scene = scene_file(robot)
        path, lock = lock_folder(options.out, options.task)
        try:
            _check_existing(path, options)
            if (path / "run.json").exists():
                if scene is not None and scene != contents(path / "scene.json"):
                    raise BadInput(f"The run folder {path} was made in another scene: choose another --out.")
                _check_parts(path, parts)
                check_writable(path)
            else:
                with writing(path, "into the run folder"):
                    if scene is not None:
                        write_atomically(path / "scene.json", scene)
                    keep(path, parts, texts, mixed=True)
                    write_model(path / "run.json", _run_file(path, options, parts))
        except BaseException:
            os.close(lock)
            raise
        return cls(path, lock)

    def episode(self, name: str, trial: int) -> Path:
        """Create an empty episode folder. The folder of an interrupted episode is set aside as `...-partial-N`."""
        path = self.path / "episodes" / f"{slug(name)}-{trial}"
        if (path / "episode.json").exists():
            raise BadInput(f"The episode {path} is finished already.")
        return new_episode(path)


def _run_file(path: Path, options: RunOptions, parts: PartsFile) -> RunFile:
    return RunFile(
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        seed=options.seed,
        options=options,
        versions=versions(),
        platform=platform.platform(),
        parts=parts.digest,
        files={"scene.json": mark(path / "scene.json")} if (path / "scene.json").exists() else {},
    )


def _check_parts(path: Path, parts: PartsFile) -> None:
    """Raise BadInput if a run was begun with other parts."""
    recorded = read_run(path).parts
    if recorded and recorded != parts.digest:
        changes = "; ".join(differences(read_parts(path, recorded), parts))
        raise BadInput(f"The run folder {path} was made with other parts (different: {changes}): choose another --out.")


def _check_existing(path: Path, options: RunOptions) -> None:
    """Raise BadInput unless the path is new, an empty folder, or an unfinished run of the same configuration."""
    if not path.exists():
        return
    if not path.is_dir():
        raise BadInput(f"The run folder {path} is a file: choose another --out.")
    if not (path / "run.json").exists():
        own_files = (".run.json.tmp", "scene.json", ".scene.json.tmp", "parts", "texts")
        if any(entry.name not in own_files for entry in path.iterdir()):
            raise BadInput(f"The folder {path} is not empty and not a run folder: choose another --out.")
        return
    if kind_of(path) == "bench":
        raise BadInput(f"The folder {path} holds a run of `homie bench`: choose another --out.")
    recorded = read_run(path).options
    compared = [name for name in RunOptions.model_fields if name != "out"]
    changes = [name for name in compared if getattr(recorded, name) != getattr(options, name)]
    if changes:
        raise BadInput(
            f"The run folder {path} belongs to another run (different: {', '.join(changes)}): choose another --out."
        )
    folders = episode_folders(path)
    if folders and all((folder / "episode.json").exists() for folder in folders):
        raise BadInput(f"The run folder {path} holds a finished run: choose another --out.")
