"""A bench that another program plays: `homie.open_bench`."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import homie
from homie import END, BadInput, Decision, PlannerError, Subtask

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}
STEPS = (Subtask("Go to", "ball"), Subtask("Pick", "ball"), Subtask("Go to", "box"), Subtask("Put", "ball", "box"))
SUITE = {
    "format": 1,
    "name": "small",
    "protocol": {"rounds": 8, "trials": 2},
    "tasks": [
        {
            "id": name,
            "text": "put the ball in the box",
            "goal": {"in": ["ball", "box"]},
            "expert": [str(s) for s in STEPS],
        }
        for name in ("first", "second")
    ],
}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SUITE))
    return path


def steps(planner_input: homie.PlannerInput) -> Subtask:
    count = len(planner_input.history)
    return STEPS[count] if count < len(STEPS) else END


def open_bench(suite: Path, out: Path, **options: object) -> homie.OpenBench:
    return homie.open_bench(suite, planner="function:steps", out=out, **TINY, **options)  # type: ignore[arg-type]


def test_episodes_are_played_one_by_one_and_compared_with_others(suite: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with open_bench(suite, run) as bench:
        assert [episode.name for episode in bench.unfinished()] == ["first-0", "second-0", "first-1", "second-1"]
        played = bench.play("second", homie.FunctionPlanner(steps), trial=1)
        assert (played.task, played.trial, played.ended_by, played.rounds) == ("second", 1, "ended", 5)
        assert played.score.success and played.score.verdict and not played.score.lost
        with pytest.raises(BadInput, match="3 of 4 episodes are not played yet, such as first-0"):
            bench.summary()
    with open_bench(suite, run) as bench:  # goes on with what is left
        for episode in bench.unfinished():
            bench.play(episode.task.id, homie.FunctionPlanner(steps), trial=episode.trial)
        assert bench.summary().successes == 4
        again = bench.play("second", homie.FunctionPlanner(lambda planner_input: Decision((END,))), trial=1)
        assert again == played  # finished, so it is not played again
    other = homie.bench(suite, planner="expert", out=tmp_path / "expert", workers=1, **TINY)
    assert other.successes == 4
    table, *_ = homie.compare([run, tmp_path / "expert"])
    assert [row[0] for row in table.rows] == ["function:steps", "expert"]
    agent_steps, expert_steps = (homie.read_steps(place / "episodes/first-0") for place in (run, tmp_path / "expert"))
    assert [step.execution.feedback for step in agent_steps] == [step.execution.feedback for step in expert_steps]
    assert [step.stamp for step in agent_steps] == [step.stamp for step in expert_steps]


def test_several_episodes_at_once(suite: Path, tmp_path: Path) -> None:
    with open_bench(suite, tmp_path / "run") as bench, ThreadPoolExecutor(4) as threads:
        playing = [
            threads.submit(bench.play, episode.task.id, homie.FunctionPlanner(steps), trial=episode.trial)
            for episode in bench.episodes
        ]
        assert [future.result().score.success for future in playing] == [True] * 4
        assert bench.summary().successes == 4


def test_an_episode_whose_planner_fails_is_lost_and_can_be_played_again(suite: Path, tmp_path: Path) -> None:
    def fails(planner_input: homie.PlannerInput) -> Subtask:
        raise PlannerError("The agent has gone.")

    with open_bench(suite, tmp_path / "run") as bench:
        played = bench.play("first", homie.FunctionPlanner(fails))
        assert played.ended_by == "infrastructure" and played.score.lost == "planner: The agent has gone."
        assert not played.score.success and len(bench.unfinished()) == 3
    with open_bench(suite, tmp_path / "run", again=True) as bench:
        assert len(bench.unfinished()) == 4
        assert bench.play("first", homie.FunctionPlanner(steps)).score.success


def test_no_episode_begins_where_it_could_not_be_kept(suite: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    with open_bench(suite, run) as bench:
        bench.play("first", homie.FunctionPlanner(steps))
    (run / "parts").rename(tmp_path / "parts")
    (run / "parts").touch()
    with pytest.raises(BadInput, match=f"Cannot write into {run / 'parts'}: Not a directory"):
        open_bench(suite, run)
    assert [path.name for path in (run / "episodes").iterdir()] == ["first-0"]


def test_what_cannot_be_played_is_said(suite: Path, tmp_path: Path) -> None:
    with open_bench(suite, tmp_path / "run") as bench:
        with pytest.raises(BadInput, match="no task 'fist': did you mean 'first'"):
            bench.play("fist")
        with pytest.raises(BadInput, match="trials 0 to 1 in this bench \\(got 2\\)"):
            bench.play("first", trial=2)
        with pytest.raises(BadInput, match="in use by another running homie"):
            open_bench(suite, tmp_path / "run")

        def meanwhile(planner_input: homie.PlannerInput) -> Subtask:
            with pytest.raises(BadInput, match="first-0 is being played"):
                bench.play("first")
            return END

        assert not bench.play("first", homie.FunctionPlanner(meanwhile)).score.success
    with pytest.raises(BadInput, match="closed"):
        bench.play("second")
    with pytest.raises(BadInput, match=r"give a name, such as planner=\"function:my-agent\""):
        homie.open_bench(suite, planner=homie.FunctionPlanner(steps), **TINY)  # type: ignore[arg-type]


def test_a_run_folder_in_which_nothing_was_played_is_not_left(suite: Path, tmp_path: Path) -> None:
    with open_bench(suite, tmp_path / "run") as bench:
        assert bench.path.is_dir()
    assert not (tmp_path / "run").exists()
