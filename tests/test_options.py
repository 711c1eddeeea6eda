"""Options: one model, three sources, clear messages."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from homie.bench.options import BenchOptions, CompareOptions, ReportOptions
from homie.kernel.errors import BadInput
from homie.kernel.options import MAX_SEED, OpenOptions, PlanOptions, RunOptions, SceneOptions, explain
from homie.kernel.scenes import scenes_of
from homie.kernel.support.config import read_config


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
    with pytest.raises(BadInput, match=r"^--image takes at most 4 of them \(got 5\)\.$"):
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
    ],
)
def test_a_bad_value_is_named(name, value):
    with pytest.raises(BadInput, match=rf"^--{name.replace('_', '-')} must be .*got {value!r}"):
        RunOptions.build(task="go", **{name: value})


def test_an_unknown_option_of_the_api_gets_a_suggestion():
    with pytest.raises(BadInput, match="There is no option 'videos': did you mean 'video'"):
        RunOptions.build(task="go", videos=True)
    with pytest.raises(BadInput, match="`homie run --help-all` lists them"):
        RunOptions.build(task="go", weather="red")


def test_an_instruction_that_is_a_book_is_refused():
    with pytest.raises(BadInput, match=r"task must have at most 10,000 characters \(got 126,000\)"):
        RunOptions.build(task="go" * 63_000)


def test_a_config_file_may_be_written_as_the_command_line_and_later_ones_win(tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    first.write_text("check-order: code\nseed: 1\nplanner_settings: {style: brief, examples: 2}\n")
    second.write_text("seed: 2\nplanner_settings: {examples: 3}\n")
    options = RunOptions.build([first, second], task="go", defaults={"seed": 7, "robot": "tiny"})
    assert (options.check_order, options.seed, options.robot) == ("code", 2, "tiny")
    assert options.planner_settings == {"style": "brief", "examples": 3}


def test_the_same_run_twice_is_refused(tmp_path):
    with pytest.raises(BadInput, match="is given twice"):
        CompareOptions.build(runs=[tmp_path, tmp_path / "."])
    with pytest.raises(BadInput, match=r"^Give run folders of `homie bench`: `homie compare runs/rule runs/random`"):
        CompareOptions.build()


@pytest.mark.parametrize(
    ("text", "message"),
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
        ("out: 5\ntask: go\n", r"--out must be a path \(got 5\)"),
        ("seed: 7\n", "The instruction is empty"),
        ("task: 7\n", "task must be text"),
    ],
)
def test_a_bad_config_file_is_named(tmp_path, text, message):
    config = tmp_path / "run.yaml"
    config.write_text(text)
    with pytest.raises(BadInput, match=message):
        RunOptions.build(config)


def test_a_yaml_error_is_one_line_that_says_where(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("task: go\nrooms: [2, 3\nseed: 7\n")
    with pytest.raises(
        BadInput, match=r"not valid YAML: expected ',' or '\]', but got ':' in line 3, column 5\."
    ) as excinfo:
        RunOptions.build(config)
    assert "\n" not in str(excinfo.value)


def test_options_that_would_mean_nothing(tmp_path):
    with pytest.raises(BadInput, match="With --scene, --rooms would mean nothing"):
        RunOptions.build(task="go", scene=tmp_path / "house.json", rooms=3)
    assert RunOptions.build(task="go", scene=tmp_path / "house.json", seed=5).seed == 5, "the episode has a seed too"
    config = tmp_path / "run.yaml"
    config.write_text("task: go\nobjects: 3\n")
    with pytest.raises(BadInput, match="With --scene, --objects would mean nothing"):
        RunOptions.build(config, scene=tmp_path / "house.json")


def test_the_file_of_a_run_gives_what_was_not_usual_but_for_its_folder(tmp_path):
    stored = RunOptions.build(task="go", seed=7, out=Path("before"), attempts=2).model_dump(mode="json")
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"format": 2, "options": stored}))
    options = RunOptions.build(tmp_path)
    assert (options.task, options.seed, options.attempts, options.out) == ("go", 7, 2, None)
    assert options == RunOptions.build(file) and RunOptions.build(file, defaults={"rounds": 5}).rounds == 5
    file.write_text(json.dumps({"format": 2, "options": {**stored, "suite": "s", "trials": 3}}))
    with pytest.raises(
        BadInput, match=r"run\.json is from another command: it has 'suite', which is not an option here\.$"
    ):
        RunOptions.build(file)


def test_keys_that_are_merged_may_stand_again(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text(
        "planner_settings: {<<: {style: brief, examples: 2}, examples: 3}\ntask: go\nskill_settings: {1: 2}\n"
    )
    with pytest.raises(BadInput, match="skill_settings"):
        RunOptions.build(config)
    config.write_text("planner_settings: {<<: {style: brief, examples: 2}, examples: 3}\ntask: go\n")
    assert RunOptions.build(config).planner_settings == {"style": "brief", "examples": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[a, b]: 3\n", "not valid YAML: found unhashable key in line 1, column 1."),
        ("a:\n  1: 2\n  1: 3\n", "not valid YAML: '1' stands twice in line 3, column 3."),
        ("a: 1\n\x07", "not valid YAML: unacceptable character #x0007: special characters are not allowed"),
        ("3: 4\n", "must hold option names, such as `seed: 7` (got 3)."),
        ("- a\n", "must hold a mapping of option names to values."),
        ("seed: 1\nse-ed: 1\nse_ed: 2\n", "gives the option 'se_ed' twice."),
    ],
)
def test_what_is_wrong_in_a_config_file_and_where(tmp_path, text, message):
    config = tmp_path / "run.yaml"
    config.write_text(text)
    with pytest.raises(BadInput) as refusal:
        read_config(config)
    sentence = str(refusal.value)
    assert (
        str(config) in sentence and sentence.count("config file") == 1 and message in sentence and "\n" not in sentence
    )


def test_a_config_file_is_read_with_its_merges_and_hyphens(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_text("first: &a {x: ä}\nsecond: &b {y: 2}\nall-of-it:\n  <<: *a\n  <<: *b\n  z: 3\n")
    assert read_config(config) == {"first": {"x": "ä"}, "second": {"y": 2}, "all_of_it": {"x": "ä", "y": 2, "z": 3}}
    with pytest.raises(BadInput) as refusal:
        read_config(tmp_path / "none.yaml")
    start = f"Cannot read the config file {tmp_path}/none.yaml: No such file or directory. It has options in YAML"
    assert str(refusal.value).startswith(start)


def test_a_config_file_that_is_no_text(tmp_path):
    config = tmp_path / "run.yaml"
    config.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match=r"run\.yaml: it is not text in UTF-8\. It has options"):
        RunOptions.build(config)


@given(st.integers(0, MAX_SEED), st.text(min_size=1).filter(str.strip), st.booleans())
def test_options_survive_the_run_file(seed, task, video):
    options = RunOptions.build(task=task, seed=seed, video=video, out=Path("x"))
    assert RunOptions.model_validate_json(options.model_dump_json()) == options


def test_every_option_has_a_description():
    assert [name for name, field in RunOptions.model_fields.items() if not field.description] == []


# ------------------------------------------------------------------ what every option is without being given

HOUSE = {
    "seed": 0,
    "scene": None,
    "rooms": None,
    "objects": 40,
    "start": None,
    "opened": [],
    "added": [],
    "clutter": "tidy",
    "states": False,
}
PARTS = {
    "planner": "rule",
    "planner_settings": {},
    "robot": "mujoco",
    "robot_settings": {},
    "skills": "classical",
    "skill_settings": {},
    "on_missing_model": "fallback",
    "detector": "simulated",
    "detector_settings": {},
    "targets": "background",
    "grasp": "weld",
    "check_order": "paper",
    "picture_size": None,
    "shade": None,
    "attempts": 3,
}
RUNS = {"runs": [Path("a")]}
TASK = {"task": "go"}
DEFAULTS = [
    (RunOptions, TASK, {**PARTS, **HOUSE, "rounds": 20, "out": None, "video": True, "frames": True}),
    (OpenOptions, {}, {**PARTS, **HOUSE, "rounds": 20, "video": False, "frames": False}),
    (
        BenchOptions,
        {"suite": "homie-100"},
        {
            **PARTS,
            "tasks": None,
            "split": None,
            "trials": None,
            "rounds": None,
            "seed": 0,
            "video": False,
            "frames": False,
            "out": None,
            "workers": None,
            "ray": None,
            "timeout": 1800.0,
            "retries": 2,
            "memory": None,
            "recycle": 100,
            "again": False,
            "mixed": False,
            "clean": False,
            "sweep": [],
        },
    ),
    (
        CompareOptions,
        RUNS,
        {
            "profile": "homie",
            "form": "markdown",
            "confidence": 0.95,
            "resamples": 10_000,
            "seed": 0,
            "tasks": False,
            "out": None,
        },
    ),
    (
        ReportOptions,
        RUNS,
        {"out": None, "profile": "homie", "views": 192, "max_size": 50.0, "rerun": None, "episode": None},
    ),
    (
        PlanOptions,
        TASK,
        {
            "image": [],
            "inventory": None,
            "seed": 0,
            "planner": "rule",
            "skills": "classical",
            "planner_settings": {},
            "detector": None,
            "detector_settings": {},
        },
    ),
    (SceneOptions, {}, {**HOUSE, "robot": "mujoco", "png": None, "save": None}),
]


@pytest.mark.parametrize(("model", "settings", "defaults"), DEFAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_not_given_is_as_documented(model, settings, defaults):
    options = model.build(**settings).model_dump()
    assert {name: options[name] for name in defaults} == defaults


LIMITS = [
    (RunOptions, TASK, "seed", 0, 2_147_483_647),
    (RunOptions, TASK, "rooms", 2, 6),
    (RunOptions, TASK, "objects", 0, 60),
    (RunOptions, TASK, "rounds", 1, 1000),
    (RunOptions, TASK, "attempts", 1, 10),
    (BenchOptions, {"suite": "s"}, "trials", 1, 1000),
    (BenchOptions, {"suite": "s"}, "rounds", 1, 1000),
    (BenchOptions, {"suite": "s"}, "seed", 0, 2_147_483_647),
    (BenchOptions, {"suite": "s"}, "workers", 1, 256),
    (BenchOptions, {"suite": "s"}, "retries", 0, 100),
    (BenchOptions, {"suite": "s"}, "recycle", 1, None),
    (CompareOptions, RUNS, "resamples", 100, 1_000_000),
    (CompareOptions, RUNS, "seed", 0, 2_147_483_647),
    (ReportOptions, RUNS, "views", 0, 1024),
    (ReportOptions, RUNS, "max_size", 0, 2000),
]


@pytest.mark.parametrize(("model", "settings", "name", "low", "high"), LIMITS)
def test_how_far_a_number_may_go(model, settings, name, low, high):
    for value in [low, *([] if high is None else [high])]:
        assert getattr(model.build(**settings, **{name: value}), name) == value
    for value in [low - 1, *([] if high is None else [high + 1])]:
        bounds = f"at least {low}" if high is None else f"between {low} and {high}"
        with pytest.raises(BadInput, match=rf"^--{name.replace('_', '-')} must be {bounds} \(got {value}\)\.$"):
            model.build(**settings, **{name: value})


@pytest.mark.parametrize(
    ("model", "settings", "name", "values"),
    [
        (BenchOptions, {"suite": "s"}, "timeout", (0.0, -1.0, math.inf, math.nan)),
        (BenchOptions, {"suite": "s"}, "memory", (0.0,)),
        (CompareOptions, RUNS, "confidence", (0.0, 1.0)),
        (BenchOptions, {}, "suite", ("",)),
        (BenchOptions, {"suite": "s"}, "ray", ("",)),
        (ReportOptions, RUNS, "episode", ("",)),
        (PlanOptions, TASK, "inventory", ("",)),
        (CompareOptions, {}, "runs", ([],)),
    ],
)
def test_open_ends_and_empty_texts(model, settings, name, values):
    for value in values:
        with pytest.raises(BadInput, match=rf"^(--)?{name} must |^Give run folders"):
            model.build(**settings, **{name: value})


@pytest.mark.parametrize(
    ("value", "size"),
    [(512, (512, 512)), ("16", (16, 16)), ("640x480", (640, 480)), ("4096X16", (4096, 16)), ((320, 240), (320, 240))],
)
def test_picture_sizes(value, size):
    assert RunOptions.build(task="go", picture_size=value).pixels == size


@pytest.mark.parametrize("value", ["15", "4097", "640x480x3", "x", "wide", "640x15", (1, 2, 3), "-64"])
def test_what_is_no_picture_size(value):
    with pytest.raises(BadInput, match=r"--picture-size: .*from 16 to 4096 pixels, such as 512 or 640x480"):
        RunOptions.build(task="go", picture_size=value)


def test_sentences_of_messages():
    for settings, message in (
        ({"rounds": 0, "attempts": 0}, r"^--(rounds|attempts) must .* \(got 0\) \(1 more\)\.$"),
        ({"rounds": 0, "attempts": 0, "seed": -1}, r" \(2 more\)\.$"),
        ({"rounds": 0}, r" \(got 0\)\.$"),
        ({"task": "x" * 10_001}, r"^task must have at most 10,000 characters \(got 10,001\)\.$"),
        ({"out": 3}, r"^--out must be a path \(got 3\)\.$"),
        ({"scene": "a.json", "rooms": 3, "objects": 4}, r"^With --scene, --rooms and --objects would mean nothing"),
        ({"set": {}}, "write it as the mapping planner_settings"),
        ({"base_url": "x"}, "write it under planner_settings"),
    ):
        with pytest.raises(BadInput, match=message):
            RunOptions.build(**{"task": "go", **settings})
    assert RunOptions.build(task="x" * 10_000).task == "x" * 10_000
    with pytest.raises(
        BadInput, match=r"^Give a suite file, the name of a suite, or a folder .*: `homie bench homie-100`\.$"
    ):
        BenchOptions.build()
    with pytest.raises(BadInput, match="There is no option 'base_url'") as refusal:
        SceneOptions.build(base_url="x")
    assert "planner_settings" not in str(refusal.value)


def test_names_that_are_not_known_come_first_and_what_is_missing_is_named():
    def message(model, **values):
        with pytest.raises(ValidationError) as excinfo:
            model(**values)
        return explain(excinfo.value)

    assert message(RunOptions, task="go", rounds=0, weather="red") == (
        "weather is not known here (got 'red') (1 more)."
    )
    assert message(BenchOptions) == "suite is missing."
    assert message(CompareOptions, runs=["a", 3]) == "runs.1 must be a path (got 3)."
    twice = [Path("a"), Path("a")]
    assert message(CompareOptions, runs=twice) == "runs: a is given twice."
    assert message(RunOptions, task="go", picture_size="x") == (
        "picture_size: expected a width and a height from 16 to 4096 pixels, such as 512 or 640x480 (got 'x')."
    )
    with pytest.raises(ValidationError) as excinfo:
        OpenOptions.model_validate(3)
    assert explain(excinfo.value) == "options must be a mapping of names to values (got 3)."


def test_the_terminal_is_blamed_for_bytes_alone_that_it_did_not_decode():
    with pytest.raises(
        BadInput, match=r"^task is not valid UTF-8\. The locale of this terminal is not UTF-8: set LC_ALL"
    ):
        RunOptions.build(task="go \udcc3")
    with pytest.raises(
        BadInput, match=r"^task is text that cannot be written: its character 4 is \\ud83d, which is half"
    ):
        RunOptions.build(task="go \ud83d")


def test_options_are_fixed_and_may_be_checked_again():
    options = RunOptions.build(task=" go ")
    assert options.task == "go" and RunOptions.model_validate(options) == options
    with pytest.raises(ValidationError, match="frozen"):
        options.seed = 3
    both = [Path("a"), Path("b")]
    assert CompareOptions.build(runs=both).runs == both


def test_a_finished_run_is_a_config_file(tmp_path):
    options = {**RunOptions.build(task="go", seed=3, attempts=2).model_dump(mode="json"), "out": "there"}
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"format": 2, "options": options}))
    for config in (file, tmp_path):
        again = RunOptions.build(config, scene="house.json")
        assert (again.task, again.seed, again.attempts, again.out) == ("go", 3, 2, None)
    with pytest.raises(
        BadInput, match=r"^.*run\.json is from another command: it has 'planner', which is not an option here\.$"
    ):
        SceneOptions.build(file)
    for text, message in ((json.dumps({"options": options}), "option 'options'"), ('{"format": 2}', "option 'format'")):
        file.write_text(text)
        with pytest.raises(BadInput, match=message):
            RunOptions.build(file)


def test_a_table_has_an_instruction_of_its_own():
    def task_of(**options):
        return RunOptions.build(robot="franka:stack", **options).task

    own = scenes_of("franka").instruction
    assert task_of() == task_of(seed=0) == task_of(task="  ") == own("stack", 0, None)
    seeds = {seed: own("stack", seed, None) for seed in (1, 2, 3)}
    assert {seed: task_of(seed=seed) for seed in seeds} == seeds and len(set(seeds.values())) > 1
    assert task_of(task="put it down") == "put it down"
    assert task_of(seed=MAX_SEED) == own("stack", MAX_SEED, None)
    for seed in (-1, MAX_SEED + 1, "x"):
        with pytest.raises(BadInput, match=r"instruction is empty|^--seed must be "):
            task_of(seed=seed)
    with pytest.raises(BadInput, match=r"none\.json"):
        task_of(scene="none.json")
    with pytest.raises(BadInput, match="instruction is empty"):
        RunOptions.build(robot="tiny")


@pytest.mark.parametrize("name", ["base_url", "api_key_env", "adapter", "template", "budget"])
def test_settings_of_planners_have_their_place(name):
    with pytest.raises(BadInput, match=f"^There is no option '{name}' here: write it under planner_settings\\.$"):
        RunOptions.build(task="go", **{name: 1})


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("set", "planner_settings"),
        ("skill_option", "skill_settings"),
        ("detector_option", "detector_settings"),
        ("robot_option", "robot_settings"),
    ],
)
def test_settings_are_mappings_that_are_overridden_one_by_one(name, field):
    with pytest.raises(BadInput, match=f"^There is no option '{name}' here: write it as the mapping {field}\\.$"):
        RunOptions.build(task="go", **{name: {}})
    options = RunOptions.build(task="go", defaults={field: {"a.b": 1, "c.d": 2}}, **{field: {"c.d": 3}})
    assert getattr(options, field) == {"a.b": 1, "c.d": 3}


@pytest.mark.parametrize("name", ["rooms", "objects", "start", "opened", "added", "clutter", "furniture", "seed"])
def test_a_scene_file_says_which_house(name):
    value = {
        "start": "kitchen",
        "opened": ["fridge"],
        "added": ["apple"],
        "clutter": "messy",
        "furniture": "household",
    }.get(name, 3)
    for model in (RunOptions, OpenOptions, SceneOptions):
        settings = {"scene": "house.json", name: value, **({"task": "go"} if model is RunOptions else {})}
        if name == "seed" and model is not SceneOptions:
            assert model.build(**settings).seed == 3, "episodes have one all the same"
            continue
        with pytest.raises(BadInput, match=f"^With --scene, --{name} would mean nothing: leave one or the other out"):
            model.build(**settings)


@pytest.mark.parametrize(
    ("model", "settings", "name", "values"),
    [
        (RunOptions, TASK, "clutter", ("tidy", "messy")),
        (SceneOptions, {}, "clutter", ("tidy", "messy")),
        (SceneOptions, {}, "furniture", ("usual", "household")),
        (RunOptions, {}, "task", ("x",)),
        (PlanOptions, {}, "task", ("x",)),
        (PlanOptions, TASK, "inventory", ("x",)),
        (PlanOptions, TASK, "image", ([Path(f"{number}.png") for number in range(4)],)),
        (BenchOptions, {}, "suite", ("x",)),
        (BenchOptions, {"suite": "s"}, "ray", ("x",)),
        (BenchOptions, {"suite": "s"}, "timeout", (0.1,)),
        (BenchOptions, {"suite": "s"}, "memory", (0.1,)),
        (CompareOptions, RUNS, "confidence", (0.1, 0.99)),
        (ReportOptions, RUNS, "episode", ("x",)),
        (PlanOptions, TASK, "seed", (0, MAX_SEED)),
        (SceneOptions, {}, "objects", (0, 60)),
    ],
)
def test_what_just_about_does(model, settings, name, values):
    for value in values:
        assert getattr(model.build(**settings, **{name: value}), name) == value


def test_a_robot_brings_its_own_skills_unless_others_are_asked_for():
    assert RunOptions.build(task="go", robot="franka:pick").skills == "arm"
    assert RunOptions.build(task="go", robot="franka:pick", skills="octo").skills == "octo"
    assert RunOptions.build(task="go", robot="mujoco").skills == "classical"
