"""The runner: what it leaves, what an episode's result depends on, and what it does with trouble."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from homie.bench.episode import FailedTry
from homie.bench.episode_plan import episode_seed
from homie.bench.finished_episodes import read_bench
from homie.bench.options import BenchOptions
from homie.bench.play import runner
from homie.bench.play.progress import Progress, duration
from homie.bench.repeatable import repeatable
from homie.bench.score.results import load_run
from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.options import PartsOptions, RunOptions
from homie.runtime import session
from homie.runtime.provenance import read_parts
from homie.runtime.runstore import read_episode, read_model, read_steps, write_model

DONE = "put the ball in the box"


def run(options, **more):
    """A bench that tells nobody."""
    output = io.StringIO()
    progress = Progress(Console(file=output, width=400))
    return runner.bench(options, progress, **more), output.getvalue()


# ------------------------------------------------------------------ what it leaves


def test_a_bench_leaves_finished_episodes(write_suite, tiny_bench, tmp_path):
    summary, printed = run(tiny_bench(write_suite([DONE, "rest a while"], trials=2), frames=True))
    file, suite, episodes = read_bench(tmp_path / "run")
    assert file.options.planner == "trouble" and "mujoco" in file.versions
    (parts,) = {ending.parts for episode in episodes if (ending := episode.ending)}
    made_with = read_parts(tmp_path / "run", parts)
    assert made_with is not None and made_with.planner["kind"] == "trouble" and made_with.settings["rounds"] == 6
    assert [episode.name for episode in episodes] == ["put-0", "put-1", "rest-0", "rest-1"]
    for episode in episodes:
        ending = episode.ending
        assert ending is not None and ending.ended_by == "ended" and ending.rounds == 5
        assert ending.seed == episode_seed(0, episode.task.id, episode.trial) and ending.trial == episode.trial
        assert len(read_steps(episode.folder)) == 5 and (episode.folder / "frames").is_dir()
    assert (summary.judged, summary.successes, summary.infrastructure) == (4, 4, 0)
    assert summary.success == 1.0 and suite.tasks[0].goal is not None
    assert "4/4 done  |  0 running, 0 failed" in printed.splitlines()[-1]


def test_the_verdict_is_the_worlds_not_the_planners(write_suite, tiny_bench, monkeypatch):
    monkeypatch.setenv("TINY_SLIPPERY", "1")
    summary, _ = run(tiny_bench(write_suite()))
    assert summary.lines[0].ended_by == "ended" and summary.lines[0].success is False


def test_the_protocol_of_the_suite_and_of_the_command_line(write_suite, tiny_bench, tmp_path):
    suite = write_suite(trials=2, rounds=2)
    run(tiny_bench(suite))
    assert [read_episode(path).rounds for path in sorted((tmp_path / "run/episodes").iterdir())] == [2, 2]
    summary, _ = run(tiny_bench(suite, rounds=3, trials=1, out=tmp_path / "other"))
    assert [line.rounds for line in summary.lines] == [3]


def test_options_that_are_handed_on_mean_the_same_as_in_run():
    for name in PartsOptions.model_fields:
        if name not in ("video", "frames"):
            assert BenchOptions.model_fields[name].default == RunOptions.model_fields[name].default, name


# ------------------------------------------------------------------ what a result depends on


@pytest.mark.slow
def test_workers_and_order_change_nothing(write_suite, tiny_bench, tmp_path):
    suite = write_suite([f"t{number} the ball" for number in range(5)], trials=2, rounds=12)
    first, _ = run(tiny_bench(suite, planner="sampled", out=tmp_path / "one"))
    second, _ = run(
        tiny_bench(suite, planner="sampled", out=tmp_path / "two", workers=2, recycle=2),
        order=lambda episodes: list(reversed(episodes)),
    )
    assert repeatable(tmp_path / "one") == repeatable(tmp_path / "two")
    assert first.lines == second.lines
    histories = [str(lines) for lines, _, _ in repeatable(tmp_path / "one").values()]
    assert len(set(histories)) == len(histories), "episodes differ from each other"
    run(tiny_bench(suite, planner="sampled", out=tmp_path / "three", seed=1, tasks="t0"))
    assert repeatable(tmp_path / "three")["t0-0"] != repeatable(tmp_path / "one")["t0-0"]


@given(st.integers(0, 2**31 - 1), st.text("abc-", min_size=1), st.integers(0, 99))
def test_seeds_are_valid_and_differ(seed, task, trial):
    drawn = episode_seed(seed, task, trial)
    RunOptions(task="x", seed=drawn)
    assert drawn == episode_seed(seed, task, trial) != episode_seed(seed, task, trial + 1)


def test_seeds_are_the_same_on_every_machine_for_ever():
    assert episode_seed(0, "put", 0) == 2071126677
    assert episode_seed(7, "put", 2) == 2097993820


def test_workers_are_replaced_before_they_grow(write_suite, tiny_bench, tmp_path):
    run(tiny_bench(write_suite(trials=5), planner="sampled:pid", recycle=2))
    processes = [read_steps(path)[0].decision.raw for path in (tmp_path / "run/episodes").iterdir()]
    assert sorted(Counter(processes).values()) == [1, 2, 2] and str(os.getpid()) not in processes


# ------------------------------------------------------------------ trouble


@pytest.mark.slow
def test_every_trouble_is_recorded_as_what_it_is(write_suite, tiny_bench, tmp_path):
    troubles = ("crash", "segfault", "kill", "hang", "deaf", "eat", "silent", "bug")
    texts = [DONE, *(f"{trouble} please" for trouble in troubles)]
    summary, printed = run(tiny_bench(write_suite(texts), workers=2, timeout=4, retries=0, memory=4))
    causes = {line.task: line.cause.partition(":")[0] for line in summary.lines}
    assert causes == {
        "put": "",
        "crash": "crash",
        "segfault": "crash",
        "kill": "killed",
        "hang": "deadline",
        "deaf": "deadline",
        "eat": "memory",
        "silent": "planner",
        "bug": "code",
    }
    assert summary.infrastructure == 8 and summary.judged == 1 and summary.success == 1 / 9
    assert summary.causes == {"crash": 2, "killed": 1, "deadline": 2, "memory": 1, "planner": 1, "code": 1}
    sentences = {line.task: line.cause for line in summary.lines}
    assert "exit code 7" in sentences["crash"] and "SIGSEGV" in sentences["segfault"] and "4 s" in sentences["hang"]
    assert "did not answer" in sentences["silent"] and "a bug in a plug-in" in sentences["bug"]
    ending = read_episode(tmp_path / "run/episodes/crash-0")
    assert ending is not None and ending.ended_by == "infrastructure" and ending.rounds == 2
    assert [str(item.subtask) for item in ending.history] == ["[Go to, ball]", "[Pick, ball]"]
    assert "9/9 done  |  0 running, 8 failed" in printed


@pytest.mark.slow
def test_a_planner_that_never_answered_is_no_result_and_is_asked_again_by_the_same_command(
    write_suite, tiny_bench, tmp_path, monkeypatch
):
    monkeypatch.setenv("TROUBLE_MARK", str(tmp_path / "mark"))
    options = tiny_bench(write_suite([DONE, "mute please"]), retries=2)
    for _ in range(2):
        summary, printed = run(options)
        assert (summary.causes, summary.infrastructure, summary.successes) == ({"unreadable": 1}, 1, 1)
    (line,) = [line for line in summary.lines if line.task == "mute"]
    assert "in the first 3 rounds" in line.cause and line.cause.endswith("Set max_tokens.")
    assert "unreadable" in printed and "it is run again" not in printed, "not at once: the same would come"
    folders = sorted(path.name for path in (tmp_path / "run/episodes").iterdir() if "mute" in path.name)
    assert folders == ["mute-0", "mute-0-partial-1"], "once by each command"
    assert load_run(tmp_path / "run").results.lost[0].lost == line.cause
    (tmp_path / "mark").touch()
    summary, _ = run(options)
    assert (summary.infrastructure, summary.successes) == (0, 2)


def test_a_try_that_failed_is_kept_and_the_next_counts(write_suite, tiny_bench, tmp_path, monkeypatch):
    monkeypatch.setenv("TROUBLE_MARK", str(tmp_path / "mark"))
    summary, printed = run(tiny_bench(write_suite(["once and never again"])))
    assert summary.infrastructure == 0 and summary.successes == 1
    failure = read_model(tmp_path / "run/episodes/once-0-partial-1/failure.json", FailedTry)
    assert failure.cause == "crash" and failure.attempt == 1 and failure.wall_seconds > 0
    assert not (tmp_path / "run/episodes/once-0/failure.json").exists()
    assert "it is run again" in printed


def test_a_resume_runs_what_a_failed_try_has_left(write_suite, tiny_bench, tmp_path):
    """The runner was killed between a try that failed and the next one: there is a failure, but no end."""
    options = tiny_bench(write_suite([DONE]), retries=2)
    run(options)
    folder = tmp_path / "run/episodes/put-0"
    (folder / "episode.json").unlink()
    lost = FailedTry(cause="crash", message="exit code 7", attempt=1, wall_seconds=1.0)
    write_model(folder / "failure.json", lost)
    summary, _ = run(options)
    assert (summary.judged, summary.successes, summary.infrastructure) == (1, 1, 0)
    ending = read_episode(folder)
    assert ending is not None and ending.ended_by == "ended" and not (folder / "failure.json").exists()
    assert read_model(tmp_path / "run/episodes/put-0-partial-1/failure.json", FailedTry) == lost


def test_tries_of_before_a_resume_count(write_suite, tiny_bench, tmp_path):
    options = tiny_bench(write_suite(["drop please"]), retries=1)
    run(options)
    folder = tmp_path / "run/episodes/drop-0"
    (folder / "episode.json").unlink()  # killed after the second try, before it was given up
    summary, _ = run(options)
    assert summary.causes == {"code": 1}
    assert read_episode(folder).ended_by == "infrastructure"


@pytest.mark.slow
def test_tries_are_bounded_and_again_begins_anew(write_suite, tiny_bench, tmp_path, monkeypatch):
    options = tiny_bench(write_suite([DONE, "drop please"]), retries=1)
    summary, _ = run(options)
    assert summary.causes == {"code": 1}
    episodes = tmp_path / "run" / "episodes"
    assert sorted(path.name for path in episodes.iterdir()) == ["drop-0", "drop-0-partial-1", "put-0"]
    assert "ConnectionError" in (episodes / "drop-0" / "error.log").read_text()
    assert run(options)[0] == summary, "a bench that is done stays as it is"
    before = (episodes / "put-0" / "episode.json").stat().st_mtime_ns
    again, _ = run(options.model_copy(update={"again": True}))
    assert again.lines == summary.lines and (episodes / "put-0" / "episode.json").stat().st_mtime_ns == before
    assert {path.name for path in episodes.iterdir()} >= {"drop-0", "drop-0-partial-3"}
    assert read_model(episodes / "drop-0" / "failure.json", FailedTry).attempt == 2, "two tries of its own"


def test_bad_input_stops_the_bench_before_anything_is_written(write_suite, tiny_bench, tmp_path):
    suite = write_suite()
    for options, message in (
        ({"planner": "nobody"}, "Unknown planner"),
        ({"planner": "expert"}, "gives none for: put"),
        ({"tasks": "putt"}, "did you mean 'put'"),
        ({"detector": "nobody"}, "Unknown detector"),
        ({"check_order": "nobody"}, "Unknown order of checks"),
        ({"targets": "homie_tiny:Nobody"}, "has no 'Nobody'"),
        ({"planner_settings": {"x": 1}}, "has no settings"),
    ):
        with pytest.raises(BadInput, match=message):
            run(tiny_bench(suite, **options))
    with pytest.raises(MissingPart):
        run(tiny_bench(suite, planner="absent"))
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"planner": "chat:gpt"}, BadInput, "set the environment variable OPENAI_API_KEY"),
        ({"planner": "anthropic:claude"}, BadInput, "ANTHROPIC_API_KEY"),
        ({"planner": "gemini:g"}, BadInput, "GEMINI_API_KEY"),
        ({"planner": "chat:m", "planner_settings": {"provider": "vllmm"}}, BadInput, "did you mean 'vllm'"),
        (
            {"planner": "chat:m", "planner_settings": {"base_url": "http://127.0.0.1:9", "template": "nothing.md"}},
            BadInput,
            "nothing.md",
        ),
        ({"planner": "transformers:"}, BadInput, "needs a model"),
        ({"planner": "transformers:not/a/folder"}, BadInput, "There is no model not/a/folder"),
        ({"planner": "scripted:nothing.yaml"}, BadInput, "nothing.yaml"),
        ({"skills": "nomad:nothing.pth"}, BadInput, "nothing.pth"),
        ({"ray": "local"}, MissingPart, "ray"),
    ],
)
def test_nothing_is_left_of_a_bench_that_cannot_begin(
    write_suite, tiny_bench, tmp_path, monkeypatch, options, kind, message
):
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(kind, match=message):
        run(tiny_bench(write_suite([DONE]), **options))
    assert not (tmp_path / "run").exists()


def test_a_missing_adapter_is_reported_before_anything_is_written(write_suite, tiny_bench, tmp_path):
    (tmp_path / "model").mkdir()
    for file in ("config.json", "model.safetensors"):
        (tmp_path / "model" / file).write_text("{}")
    settings = {"planner": f"transformers:{tmp_path / 'model'}", "planner_settings": {"adapter": "no/such/adapter"}}
    with pytest.raises(BadInput, match="no/such/adapter"):
        run(tiny_bench(write_suite([DONE]), **settings))
    assert not (tmp_path / "run").exists()


def test_what_was_finished_stays_when_the_next_start_cannot_go_on(write_suite, tiny_bench, tmp_path):
    options = tiny_bench(write_suite([DONE]), trials=1)
    run(options)
    with pytest.raises(BadInput, match="belongs to another bench"):
        run(options.model_copy(update={"trials": 2}))
    assert read_episode(tmp_path / "run/episodes/put-0") is not None


def test_a_bench_takes_parts_by_module_and_class(write_suite, tiny_bench):
    parts = {
        "planner": "homie_trouble:TroublePlanner",
        "robot": "homie_tiny:open_tiny",
        "skills": "homie_tiny:TinySkills",
        "detector": "homie_tiny:TinyDetector",
        "targets": "homie_tiny:TinyLocator",
        "check_order": "error_detection:code_order",
    }
    summary, _ = run(tiny_bench(write_suite([DONE]), **parts))
    assert (summary.successes, summary.judged, summary.infrastructure) == (1, 1, 0)


def test_a_goal_that_can_not_be_judged_is_reported_before_the_episode(write_suite, tiny_bench):
    suite = write_suite()
    suite.write_text("{format: 1, name: tiny, tasks: [{id: put, text: put the ball down, goal: {open: ball}}]}")
    with pytest.raises(BadInput, match=r"task 'put'.*'ball' is open or closed"):
        run(tiny_bench(suite))


def test_another_configuration_is_refused_by_name(write_suite, tiny_bench):
    suite = write_suite()
    run(tiny_bench(suite))
    run(tiny_bench(suite, workers=2, timeout=77, retries=0, recycle=3))
    with pytest.raises(BadInput, match=r"different: trials, seed\)"):
        run(tiny_bench(suite, seed=1, trials=2))
    write_suite([f"{DONE}, please"])
    with pytest.raises(BadInput, match="different: the content of the suite"):
        run(tiny_bench(suite))


def test_a_folder_of_something_else_is_refused(write_suite, tiny_bench, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "thesis.tex").write_text("years of work")
    with pytest.raises(BadInput, match="not empty and not a run folder"):
        run(tiny_bench(write_suite()))


def test_a_bench_and_a_run_do_not_share_a_folder(write_suite, tiny_bench, tiny_options, tmp_path):
    session.run(tiny_options(out=tmp_path / "single"))
    with pytest.raises(BadInput, match="holds a run of `homie run`, not a bench"):
        run(tiny_bench(write_suite(), out=tmp_path / "single"))
    run(tiny_bench(write_suite()))
    with pytest.raises(BadInput, match="holds a run of `homie bench`"):
        session.run(tiny_options())


def test_on_a_terminal_a_line_moves_and_is_gone_at_the_end(write_suite, tiny_bench, monkeypatch):
    monkeypatch.setenv("TINY_PERIOD", "0.01")
    monkeypatch.setenv("TERM", "xterm")
    terminal = io.StringIO()
    progress = Progress(Console(file=terminal, width=200, force_terminal=True))
    runner.bench(tiny_bench(write_suite(trials=2)), progress)
    assert "0/2 done  |  1 running, 0 failed" in terminal.getvalue() and "1/2 done" in terminal.getvalue()
    assert terminal.getvalue().rstrip().endswith("\x1b[2K"), "the moving line is wiped off"


def test_durations_can_be_read():
    assert [duration(s) for s in (0.4, 60, 90, 3000, 7260)] == ["0 s", "60 s", "2 min", "50 min", "2 h 01 min"]
