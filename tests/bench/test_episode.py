"""An episode of a bench on the disk: finished, damaged, failed, given up, cleaned."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import bench_runs
import pytest
from bench_runs import DONE, write_run

from homie.bench.episode import Episode, FailedTry, Finished
from homie.bench.finished_episodes import read_bench
from homie.runtime.runstore import read_episode, read_model, write_model


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A bench of one task: trial 0 is finished, trial 1 is not."""
    return write_run(tmp_path / "run", {("task-0", 0): DONE}, tasks=bench_runs.suite(1))


def episodes(run: Path) -> tuple[Episode, Episode]:
    first, second = read_bench(run)[2]
    return first, second


def finished_part(episode: Episode) -> Finished:
    read = episode.finished
    assert read is not None
    return read


def edit(path: Path, **values: object) -> None:
    """As somebody leaves it who knows that a file of format 1 needs no checksum."""
    loaded = {name: value for name, value in json.loads(path.read_text()).items() if name not in ("files", "checksum")}
    path.write_text(json.dumps({**loaded, "format": 1, **values}))


def set_aside(episode: Episode, number: int, *names: str) -> Path:
    """A try of an episode that was set aside, with files of these names; `name/` is a folder with a file."""
    path = episode.folder.with_name(f"{episode.name}-partial-{number}")
    path.mkdir(parents=True)
    for name in names:
        if name.endswith("/"):
            (path / name).mkdir()
            (path / name / "inside.png").touch()
        else:
            (path / name).touch()
    return path


def test_what_a_finished_episode_is(run: Path) -> None:
    complete, unfinished = episodes(run)
    read = finished_part(complete)
    assert (read.verdict, read.damaged, len(read.records)) == (True, False, 2)
    assert complete.ending == read.ending == read_episode(complete.folder) and not complete.damaged
    assert unfinished.finished is None and unfinished.ending is None and not unfinished.damaged
    assert unfinished.name == "task-0-1" and unfinished.folder == run / "episodes" / "task-0-1"


def test_only_what_says_it_is_finished_can_be_damaged(run: Path) -> None:
    complete, unfinished = episodes(run)
    unfinished.begin()
    (unfinished.folder / "steps.jsonl").write_text("torn")
    assert not unfinished.damaged
    unfinished.give_up(unfinished.fail("crash", "damaged: not by the disk", 1.0))
    assert not finished_part(unfinished).damaged, "infrastructure ended it, by another cause"
    edit(complete.folder / "episode.json", cause="damaged: so it says")
    assert not finished_part(complete).damaged, "an episode that the planner ended"
    (complete.folder / "final_state.json").unlink()
    assert complete.damaged and finished_part(complete).ending.cause == "damaged: final_state.json (it is missing)"
    assert finished_part(complete).ending.ended_by == "infrastructure" and finished_part(complete).records == ()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"task": "take the pear"}, "its task is 'take the pear', not 'take the apple'"),
        ({"trial": 1}, "its trial is 1, not 0"),
        ({"seed": 5}, "its seed is 5, not "),
    ],
)
def test_an_episode_of_another_task_trial_or_seed(run: Path, values: dict[str, object], message: str) -> None:
    complete, _ = episodes(run)
    edit(complete.folder / "episode.json", **values)
    ending = finished_part(complete).ending
    assert ending.cause.startswith(f"damaged: episode.json (it is of another episode: {message}")
    assert (ending.task, ending.trial, ending.seed) == ("take the apple", 0, complete.seed)
    assert (ending.rounds, ending.history, ending.robot_seconds, ending.wall_seconds) == (0, (), 0.0, 0.0)


def test_steps_that_do_not_fit_the_end(run: Path) -> None:
    complete, _ = episodes(run)
    ending, steps = complete.folder / "episode.json", complete.folder / "steps.jsonl"
    intact = steps.read_bytes()

    def cause(data: bytes, **values: object) -> str:
        edit(ending, **values)
        steps.write_bytes(data)
        return finished_part(complete).ending.cause.removeprefix("damaged: ")

    assert cause(intact) == ""
    assert cause(intact + b"torn") == "steps.jsonl (steps.jsonl: left out a last line that a kill has torn (4 bytes))"
    assert cause(b"{}\n") == "steps.jsonl (steps.jsonl holds a line that is not a round record: round is missing)"
    assert len(cause(b"{}\n")) < 240
    first = intact.splitlines(keepends=True)[0]
    assert cause(first) == "steps.jsonl (its subtasks are not the history in episode.json)"
    assert cause(intact, ended_by="rounds") == "steps.jsonl (its last subtask does not fit 'rounds' in episode.json)"
    history = json.loads(ending.read_text())["history"]
    assert cause(first, ended_by="ended", history=history[:1]) == (
        "steps.jsonl (its last subtask does not fit 'ended' in episode.json)"
    )
    assert cause(b"", ended_by="rounds", history=[]) == "", "nothing was done, and the rounds ran out"
    steps.unlink()
    assert finished_part(complete).ending.cause.startswith("damaged: steps.jsonl (Cannot read ")
    ending.write_text("{")
    assert finished_part(complete).ending.cause.startswith("damaged: episode.json (it is not valid JSON: Expecting")


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (None, "final_state.json (it is missing)"),
        ("{", "final_state.json (the goal cannot be judged: Expecting"),
        ("[" * 100_000, "final_state.json (the goal cannot be judged: it is nested too deeply"),
        ('{"objects": 3}', "final_state.json (the goal cannot be judged: "),
    ],
)
def test_a_world_that_cannot_be_judged(run: Path, state: str | None, message: str) -> None:
    complete, _ = episodes(run)
    edit(complete.folder / "episode.json")
    path = complete.folder / "final_state.json"
    path.unlink() if state is None else path.write_text(state)
    assert finished_part(complete).ending.cause.startswith(f"damaged: {message}")
    assert len(finished_part(complete).ending.cause) < 300


def test_tries_are_counted_since_the_episode_was_last_given_up(run: Path) -> None:
    _, unfinished = episodes(run)
    assert len(unfinished.failures) == 0
    unfinished.begin()
    first = unfinished.fail("crash", "exit code 7", 1.23456)
    assert first == FailedTry(cause="crash", message="exit code 7", attempt=1, wall_seconds=1.235)
    assert read_model(unfinished.folder / "failure.json", FailedTry) == first
    unfinished.begin()
    assert unfinished.failures == (first,), "the new try has not failed"
    second = unfinished.fail("deadline", "too long", 2.0)
    assert second.attempt == 2 and unfinished.failures == (first, second)
    unfinished.give_up(second)
    assert unfinished.failures == (first, second), "given up, and nothing begun again"
    unfinished.begin()
    assert len(unfinished.failures) == 0
    assert unfinished.fail("crash", "again", 1.0).attempt == 1


def test_the_record_of_a_try_may_be_damaged(run: Path) -> None:
    _, unfinished = episodes(run)
    path = set_aside(unfinished, 1, "failure.json")
    assert unfinished.failures == (
        FailedTry(cause="damaged", message="failure.json is damaged", attempt=1, wall_seconds=0.0),
    )
    write_model(path / "failure.json", FailedTry(cause="crash", message="x", attempt=1, wall_seconds=0.0))
    set_aside(unfinished, 2, "failure.json")
    assert [failure.attempt for failure in unfinished.failures] == [1, 2]


def test_what_was_done_until_it_was_given_up_counts(run: Path) -> None:
    complete, unfinished = episodes(run)
    unfinished.begin()
    steps = (complete.folder / "steps.jsonl").read_bytes()
    (unfinished.folder / "steps.jsonl").write_bytes(steps + b'{"round": 3')
    with warnings.catch_warnings(action="error"):  # a torn line is what is expected
        unfinished.give_up(FailedTry(cause="killed", message="by hand", attempt=3, wall_seconds=4.5))
    ending = finished_part(unfinished).ending
    assert ending.ended_by == "infrastructure" and ending.cause == "killed: by hand" and ending.wall_seconds == 4.5
    assert (ending.rounds, ending.inventory, ending.robot_seconds) == (2, ("apple",), 2.0)
    assert [str(item.subtask) for item in ending.history] == ["[Pick, apple]", "[End]"]
    assert (ending.task, ending.trial, ending.seed) == ("take the apple", 1, unfinished.seed)
    assert finished_part(unfinished).verdict is None, "nobody looks at its world"


@pytest.mark.parametrize("steps", [None, b"no record\n"])
def test_given_up_without_anything_done(run: Path, steps: bytes | None) -> None:
    _, unfinished = episodes(run)
    unfinished.begin()
    if steps is not None:
        (unfinished.folder / "steps.jsonl").write_bytes(steps)
    unfinished.give_up(FailedTry(cause="crash", message="at once", attempt=1, wall_seconds=0.5))
    ending = finished_part(unfinished).ending
    assert (ending.rounds, ending.history, ending.inventory, ending.robot_seconds) == (0, (), (), 0.0)


def test_of_tries_that_were_set_aside_only_why_they_failed_stays(run: Path) -> None:
    finished, unfinished = episodes(run)
    names = ("failure.json", "error.log", "episode.json", "steps.jsonl", "video.mp4", "frames/")
    first_folder, second_folder = set_aside(finished, 1, *names), set_aside(finished, 2, "steps.jsonl", "frames/")
    other = set_aside(unfinished, 1, "steps.jsonl")
    finished.clean()
    unfinished.clean()
    assert {path.name for path in first_folder.iterdir()} == {"failure.json", "error.log", "episode.json"}
    assert not second_folder.exists(), "nothing was left of it"
    assert (other / "steps.jsonl").exists(), "an unfinished episode may still need it"
    assert (finished.folder / "steps.jsonl").exists()
    again = set_aside(finished, 2, "steps.jsonl")
    (finished.folder / "final_state.json").unlink()
    finished.clean()
    assert (again / "steps.jsonl").exists(), "a damaged episode is run again"
