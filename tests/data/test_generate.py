"""Mass production: tasks drawn, played with mistakes, and made into training data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from homie.data.data_set_checks import validate
from homie.data.episode import SkippedEpisode
from homie.data.generate import bench_options, draw_tasks, generate
from homie.data.options import GenerateOptions, TasksOptions, TrainingOptions
from homie.data.read_data_set import read_lines
from homie.data.sources.source_kinds import open_sources
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tasks") / "errands.json"
    draw_tasks(TasksOptions(out=path, number=5, seed=3, test=0.0))
    return path


def test_from_nothing_to_pairs(suite, tmp_path):
    options = GenerateOptions(
        suite=str(suite), out=tmp_path / "run", episodes=1, failures=1.0, picture_size="32", seed=2
    )
    summary = generate(options)
    assert (summary.episodes, summary.successes) == (1, 1)
    (source,) = open_sources([tmp_path / "run"])
    with pytest.raises(SkippedEpisode, match="body and commands were not recorded"):
        source.demonstration(*source.entries(), None)
    data = tmp_path / "dpo"
    make_dataset(TrainingOptions.build(sources=[tmp_path / "run"], out=data), "dpo")
    lines = list(read_lines(data, "train"))
    assert not list(validate(data))
    assert {line["kind"] for line in lines} >= {"replan", "order", "action"}
    assert all("End" not in json.dumps(line["chosen"]) and line["chosen"] != line["rejected"] for line in lines)


def test_episodes_are_rounded_up_to_whole_trials(suite, tmp_path):
    def trials_and_tasks(episodes: int | None) -> tuple[int | None, int]:
        options = bench_options(GenerateOptions(suite=str(suite), out=tmp_path, episodes=episodes))
        return options.trials, 5 if options.tasks is None else len(options.tasks.split(","))

    assert [trials_and_tasks(number) for number in (None, 2, 5, 6, 11)] == [(1, 5), (1, 2), (1, 5), (2, 5), (3, 5)]
    with pytest.raises(BadInput, match="draw more tasks"):
        trials_and_tasks(5001)


def test_the_skills_and_the_mistakes_are_as_asked_for(suite, tmp_path):
    options = bench_options(GenerateOptions(suite=str(suite), out=tmp_path, failures=0.3, skills="ideal:emmoe"))
    assert (options.planner, options.planner_settings) == ("expert", {"mistakes": 0.3})
    assert (options.skills, options.video, options.frames) == ("ideal:emmoe", False, True)


def test_every_option_reaches_the_bench(suite, tmp_path):
    chosen = {
        "suite": str(suite),
        "workers": 3,
        "seed": 9,
        "rounds": 7,
        "frames": False,
        "skills": "ideal:emmoe",
        "targets": "sensors",
        "picture_size": "32x32",
    }
    options = bench_options(GenerateOptions(out=tmp_path, **chosen))
    assert {name: getattr(options, name) for name in chosen} == chosen
