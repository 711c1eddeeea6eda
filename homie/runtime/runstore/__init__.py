"""The run folder: all files of a run. A kill at any instant loses only the current episode.

    RUN/run.json                      configuration, versions, seed; written once, atomically, first
    RUN/scene.json                    the scene spec
    RUN/parts/<sha256>.json           the parts of episodes, and in texts/ their prompts: `provenance`
    RUN/episodes/<task>-<trial>/
        steps.jsonl                   one `homie.kernel.types.RoundRecord` a line, append-only, synced line by line
        inputs.jsonl                  the planner's input, one line per round, see `homie.runtime.planner_inputs`
        commands.jsonl                every command, requested and sent, see `homie.runtime.runstore.command_log`
        goals.jsonl                   benches: whether the goal holds after every subtask, `homie.bench.goal_lines`
        frames/                       round-NN-<view>.png, the planner's pictures
        video.mp4                     see `homie.runtime.video`
        final_state.json              simulators: `WorldState.snapshot()`
        episode.json                  an `EpisodeFile`; written once, atomically, last: marks a finished episode

docs/run-folder.md describes the fields. `file_models` defines the content of files, `checksummed_json` detects damage,
`folders` has the paths, `run_folder` creates a run folder, `episode_folder` writes an episode folder.
"""

from homie.runtime.runstore.checksummed_json import contents, kind_of, read_model, write_model
from homie.runtime.runstore.episode_folder import EpisodeStore, disk_failure, recording
from homie.runtime.runstore.file_models import (
    EpisodeFile,
    RunFile,
    Usage,
    read_episode,
    read_run,
    read_steps,
    write_ending,
)
from homie.runtime.runstore.folders import (
    FRAMES,
    LockedFolder,
    check_writable,
    episode_folders,
    frame,
    lock_folder,
    new_episode,
    runs_folder,
    tries,
)
from homie.runtime.runstore.run_folder import RunFolder, Staged, scene_file

__all__ = [
    "FRAMES",
    "EpisodeFile",
    "EpisodeStore",
    "LockedFolder",
    "RunFile",
    "RunFolder",
    "Staged",
    "Usage",
    "check_writable",
    "contents",
    "disk_failure",
    "episode_folders",
    "frame",
    "kind_of",
    "lock_folder",
    "new_episode",
    "read_episode",
    "read_model",
    "read_run",
    "read_steps",
    "recording",
    "runs_folder",
    "scene_file",
    "tries",
    "write_ending",
    "write_model",
]
