"""Networks and models live as long as their worker, state as long as the episode."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from homes import one_room
from homie_tiny import FilmedTinyRobot, TinyDetector, TinySkills

from homie.bench.play.worker import EXPERT, Job, Report, perform
from homie.bench.play.worker_parts import WorkerParts
from homie.bench.suite.suite import Task
from homie.kernel.errors import BadInput, RobotFault
from homie.kernel.options import OpenOptions, RunOptions
from homie.kernel.types import Detection, Observation

GOAL = {"in": ["ball", "box"]}
LIVES: list[str] = []
"""What was made and closed, in order."""


class Robot(FilmedTinyRobot):
    def __init__(self, seed: int) -> None:
        super().__init__()
        self.number = seed
        LIVES.append(f"robot {seed}")

    def close(self) -> None:
        LIVES.append(f"robot {self.number} closed")
        super().close()


def open_robot(options: OpenOptions) -> Robot:
    return Robot(options.seed)


class Skills(TinySkills):
    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        LIVES.append("skills")

    def close(self) -> None:
        LIVES.append("skills closed")


class Follower(TinyDetector):
    """A detector with a memory: what it has seen before it sees less and less surely."""

    def __init__(self, argument: str = "") -> None:
        super().__init__(argument)
        LIVES.append("detector")
        self.looks = 0

    def reset(self) -> None:
        self.looks = 0

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        self.looks += 1
        detections = super().detect(observation)
        return tuple(
            Detection(detection.name, detection.view, detection.box, score=1 / self.looks) for detection in detections
        )


@pytest.fixture
def parts() -> Iterator[WorkerParts]:
    LIVES.clear()
    with contextlib.closing(WorkerParts()) as parts:
        yield parts


@pytest.fixture
def job(tiny_options: Callable[..., RunOptions], tmp_path: Path) -> Callable[..., Job]:
    """The next job of a bench. expert: the steps of its task. episode: the seed of the episode."""

    def make(expert: list[str] | None = None, *, episode: int = 9, **options: object) -> Job:
        episodes = tmp_path / "bench/episodes"
        folder = episodes / f"put-{len(list(episodes.glob('*')))}"
        folder.mkdir(parents=True)
        own = {"robot": f"{__name__}:open_robot", "skills": f"{__name__}:Skills", "detector": f"{__name__}:Follower"}
        task = Task.model_validate({"id": "put", "text": "put the ball in the box", "goal": GOAL, "expert": expert})
        run_options = tiny_options(**{**own, "out": None, **options})
        return Job(suite="small", task=task, trial=0, seed=episode, folder=folder, options=run_options)

    return make


def record(folder: Path) -> dict[str, Any]:
    """All that an episode left, but times of the wall clock and the checksums of files that hold such times."""
    files: dict[str, Any] = {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
    for name in ("steps.jsonl", "episode.json"):
        lines = files[name].decode().splitlines() if name == "steps.jsonl" else [files[name]]
        contents = [json.loads(line) for line in lines]
        files[name] = [
            {key: line[key] for key in line.keys() - {"timings", "wall_seconds", "files", "checksum"}}
            for line in contents
        ]
    return files


def test_everything_is_made_once_and_closed_once(job, parts) -> None:
    assert [perform(job(), parts) for _ in range(3)] == [Report()] * 3
    assert sorted(LIVES) == ["detector", "robot 0", "skills"]
    parts.close()
    parts.close()
    assert LIVES[3:] == ["robot 0 closed", "skills closed"], "the robot first, nothing twice"


def test_of_another_scene_the_robot_alone_is_made_anew(job, parts) -> None:
    assert perform(job(), parts) == perform(job(seed=4), parts) == Report()
    assert [life for life in LIVES if life.startswith("robot")] == ["robot 0", "robot 0 closed", "robot 4"]
    assert LIVES.count("skills") == LIVES.count("detector") == 1


def test_experts_are_planners_of_one_task_each(job, parts) -> None:
    """Their scripts differ, and nothing else is made anew for that."""
    first, second = job(["[Go to, ball]", "[End]"], planner=EXPERT), job(["[End]"], planner=EXPERT)
    assert perform(first, parts) == perform(second, parts) == Report()
    rounds = [len((job.folder / "steps.jsonl").read_text().splitlines()) for job in (first, second)]
    assert rounds == [2, 1] and sorted(LIVES) == ["detector", "robot 0", "skills"]


def test_after_an_error_nothing_is_kept(job, parts) -> None:
    options = job().options
    with pytest.raises(RobotFault), parts.parts(options):
        raise RobotFault("A motor is hot.")
    assert LIVES[-2:] == ["robot 0 closed", "skills closed"]
    with parts.parts(options):
        pass
    assert LIVES.count("robot 0") == LIVES.count("skills") == 2


def test_parts_that_cannot_be_made_leave_nothing_open(job, parts) -> None:
    options = job(targets="background").options  # the tiny robot does not know its world
    with pytest.raises(BadInput, match="Background targets"), parts.parts(options):
        pass
    assert LIVES[-2:] == ["robot 0 closed", "skills closed"]


def test_an_episode_is_the_same_whatever_the_worker_has_played_before(job, parts) -> None:
    """With a detector that remembers, after an episode in the same scene and one in another."""
    first, same, other, last = job(frames=True), job(episode=3, frames=True), job(seed=4), job(frames=True)
    assert [perform(job, parts) for job in (first, same, other, last)] == [Report()] * 4
    assert record(first.folder) == record(last.folder)
    assert record(first.folder)["inputs.jsonl"].count(b"score") > 0


def test_an_episode_in_a_home_is_the_same_as_first_and_as_third(tmp_path, parts) -> None:
    """A thing was carried off and the robot went elsewhere: with the same robot put back, and with another one after
    an episode in another scene."""
    table = {"name": "table_1", "kind": "table", "colour": "brown", "x": 2.0, "y": 1.0}
    apple = {"name": "red_apple_1", "kind": "apple", "colour": "red", "receptacle": "table_1", "surface": "top"}
    scenes = {}
    for name, x in (("here", 0.0), ("there", 0.2)):
        scene = one_room([table], [{**apple, "x": x, "y": 0.1}], robot=(2.1, 2.0, -1.5708))
        scenes[name] = tmp_path / f"{name}.json"
        scenes[name].write_text(scene.dump())
    jobs = []
    for number, name in enumerate(("here", "here", "there", "here")):
        folder = tmp_path / f"bench/episodes/{number}"
        folder.mkdir(parents=True)
        options = RunOptions.build(
            task="take the apple", scene=scenes[name], planner=EXPERT, picture_size="48", video=False, frames=False
        )
        task = Task.model_validate(
            {"id": "take", "text": options.task, "goal": {"held": "apple"}, "expert": ["[Pick, apple]", "[End]"]}
        )
        jobs.append(Job(suite="small", task=task, trial=0, seed=5, folder=folder, options=options))
    assert [perform(job, parts) for job in jobs] == [Report()] * 4
    first, second, _, fourth = (record(job.folder) for job in jobs)
    assert first["steps.jsonl"][0]["execution"]["feedback"]["status"] == "success"
    assert first == second == fourth
