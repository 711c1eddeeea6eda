"""Options: one model, three sources, clear complaints."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from homie.errors import BadInput
from homie.options import MAX_SEED, CompareOptions, PlanOptions, RunOptions


def test_defaults_of_the_paper():
    options = RunOptions.build(task="put the apple in the bowl")
    assert (options.rounds, options.attempts, options.targets, options.check_order) == (20, 3, "background", "paper")


def test_the_command_line_wins_over_the_file_and_the_file_over_the_defaults(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("task: from the file\nseed: 7\nrounds: 5\n")
    options = RunOptions.build(config, seed=8, rounds=None)
    assert (options.task, options.seed, options.rounds, options.attempts) == ("from the file", 8, 5, 3)


def test_settings_of_the_planner_are_overridden_one_by_one(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("task: go\nplanner_settings: {base_url: 'http://localhost:8000/v1', examples: 1}\n")
    options = RunOptions.build(config, planner_settings={"examples": 2, "names": True})
    assert options.planner_settings == {"base_url": "http://localhost:8000/v1", "examples": 2, "names": True}
    assert RunOptions.build(config, planner_settings=None).planner_settings["examples"] == 1


def test_too_many_of_a_thing_are_counted():
    with pytest.raises(BadInput, match=r"^image: at most 4 \(got 5\)\.$"):
        PlanOptions.build(task="go", image=[Path("a.png")] * 5)


@pytest.mark.parametrize("task", ["", "  ", "\n\t"])
def test_an_empty_instruction_says_what_to_do(task):
    with pytest.raises(BadInput, match=r"instruction is empty.*homie run"):
        RunOptions.build(task=task)


def test_no_instruction_at_all():
    with pytest.raises(BadInput, match="instruction is empty"):
        RunOptions.build()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", -1),
        ("seed", MAX_SEED + 1),
        ("seed", 1.5),
        ("rooms", 1),
        ("rooms", 7),
        ("objects", 61),
        ("rounds", 0),
        ("attempts", 0),
        ("grasp", "glue"),
        ("picture_size", "8"),
        ("picture_size", "640x"),
    ],
)
def test_a_bad_value_is_named(name, value):
    with pytest.raises(BadInput, match=rf"^{name}: .*got {value!r}"):
        RunOptions.build(task="go", **{name: value})


def test_an_unknown_option_of_the_api_gets_a_suggestion():
    with pytest.raises(BadInput, match="There is no option 'videos': did you mean 'video'"):
        RunOptions.build(task="go", videos=True)
    with pytest.raises(BadInput, match="`homie run --help` lists them"):
        RunOptions.build(task="go", colour="red")


def test_an_instruction_that_is_a_book_is_refused():
    with pytest.raises(BadInput, match=r"task: at most 10,000 characters \(got 126,000\)"):
        RunOptions.build(task="go" * 63_000)


def test_a_config_file_may_be_written_as_the_command_line_and_later_ones_win(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("check-order: code\nseed: 1\nplanner_settings: {style: brief, examples: 2}\n")
    second.write_text("seed: 2\nplanner_settings: {examples: 3}\n")
    options = RunOptions.build([first, second], task="go", beneath={"seed": 7, "robot": "tiny"})
    assert (options.check_order, options.seed, options.robot) == ("code", 2, "tiny")
    assert options.planner_settings == {"style": "brief", "examples": 3}


def test_the_same_run_twice_is_refused(tmp_path):
    with pytest.raises(BadInput, match="is there twice"):
        CompareOptions.build(runs=[tmp_path, tmp_path / "."])
    with pytest.raises(BadInput, match="runs is missing: Run folders of `homie bench`"):
        CompareOptions.build()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("task: [unclosed", "not valid YAML"),
        ("- a\n- list\n", "must hold a mapping"),
        ("", "must hold a mapping"),
        ("task: go\nsed: 7\n", "There is no option 'sed': did you mean 'seed'?"),
        ("tasks: go\n", "did you mean 'task'?"),
        ("1: 2\n", "must hold option names"),
        ("task: go\nseed: 1\nseed: 2\n", "'seed' stands twice in line 3"),
        ("task: go\ncheck-order: code\ncheck_order: code\n", "gives the option 'check_order' twice"),
        ("[" * 100_000, "nested too deeply"),
        ("task: go\nset:\n  examples: 3\n", "write it as the mapping planner_settings"),
        ("task: go\nbase_url: http://here\n", "write it under planner_settings"),
        ("out: 5\ntask: go\n", r"out: It must be a path \(got 5\)"),
        ("seed: 7\n", "The instruction is empty"),
        ("task: 7\n", "task: "),
    ],
)
def test_a_bad_config_file_is_named(tmp_path, text, said):
    config = tmp_path / "run.yaml"
    config.write_text(text)
    with pytest.raises(BadInput, match=said):
        RunOptions.build(config)


def test_a_yaml_error_is_one_line_that_says_where(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("task: go\nrooms: [2, 3\nseed: 7\n")
    with pytest.raises(
        BadInput, match=r"not valid YAML: expected ',' or '\]', but got ':' in line 3, column 5\."
    ) as caught:
        RunOptions.build(config)
    assert "\n" not in str(caught.value)


def test_options_that_would_mean_nothing(tmp_path):
    with pytest.raises(BadInput, match="With --scene, --rooms would mean nothing"):
        RunOptions.build(task="go", scene=tmp_path / "house.json", rooms=3)
    assert RunOptions.build(task="go", scene=tmp_path / "house.json", seed=5).seed == 5, "the episode has a seed too"
    config = tmp_path / "run.yaml"
    config.write_text("task: go\nobjects: 3\n")
    with pytest.raises(BadInput, match="With --scene, --objects would mean nothing"):
        RunOptions.build(config, scene=tmp_path / "house.json")


def test_a_config_file_that_is_no_text(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match=r"run\.yaml is not valid YAML"):
        RunOptions.build(config)


@given(st.integers(0, MAX_SEED), st.text(min_size=1).filter(str.strip), st.booleans())
def test_options_survive_the_run_file(seed, task, video):
    options = RunOptions.build(task=task, seed=seed, video=video, out=Path("x"))
    assert RunOptions.model_validate_json(options.model_dump_json()) == options


def test_every_option_has_a_description():
    assert [name for name, field in RunOptions.model_fields.items() if not field.description] == []
