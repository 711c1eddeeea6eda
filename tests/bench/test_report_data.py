"""What a report reads out of run folders: facts, outcomes, key paths, rounds, and what one can browse by."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from bench_runs import DONE, LATE, RENAMED, WANDERED, rewrite, rounds, suite, write_run, write_single

from homie.bench.finished_episodes import BenchFile
from homie.bench.report.episode_filters import FACETS, catalogue
from homie.bench.report.runs_and_episodes import KeyPath, PageEpisode, Round, Source, load
from homie.bench.score.scores import Results, Score
from homie.kernel.errors import BadInput
from homie.kernel.options import RunOptions
from homie.kernel.support.checksums import seal
from homie.kernel.types import Decision, Subtask
from homie.runtime.provenance import PartsFile, keep
from homie.runtime.runstore import read_model, read_run

GONE = "killed: the worker was ended by signal 9"


def test_a_round() -> None:
    first, second = (replace(record, timings={"plan": number, "total": 10 * number}) for number, record in
                     enumerate(rounds(LATE)[:2], 1))  # fmt: skip
    both = Round(7, (first, second))
    assert (both.number, both.decided_in, both.took, both.decision) == (7, 1, 20, "[Pick, apple]")
    two = replace(first, decision=Decision((Subtask("Pick", "apple"), Subtask("End"))), timings={})
    none = Round(1, (replace(two, decision=Decision(())),))
    assert Round(1, (two,)).decision == "[Pick, apple] [End]"
    assert (none.decision, none.decided_in, none.took) == ("unreadable", None, None)
    episode = _make_shown("r", "t", 0, "failed", rounds=(both, none))
    assert (episode.decisions, episode.codes, episode.steps) == ((1,), ("D1", "D1"), 3)


def test_a_bench(tmp_path: Path) -> None:
    ways = {("task-0", 0): DONE, ("task-0", 1): WANDERED, ("task-1", 0): GONE}
    fields = suite(2).model_dump(mode="json", by_alias=True, exclude_none=True)
    path = ["[Go to, apple]", "[Pick, apple]", "[End]"]
    fields["tasks"][0]["keypaths"] = [path, ["[Go to, table]", "[Pick, apple]", "[End]"]]
    tasks = type(suite()).model_validate(fields)
    (source,) = load([write_run(tmp_path / "a", ways, tasks=tasks)])
    file = source.bench.file if source.bench else None
    assert file is not None and (source.label, len(source.episodes)) == ("rule", 4)
    assert source.facts == {
        "suite": "small",
        "planner": "rule",
        "targets": "background",
        "profile": "homie",
        "seed": str(file.seed),
    }
    assert source.machine == {
        "created": file.created,
        "versions": ", ".join(f"{name} {number}" for name, number in file.versions.items()),
        "platform": file.platform,
    }
    first, second, lost, unfinished = source.episodes
    assert (first.run, first.name, first.task, first.text, first.trial) == (
        *("rule", "task-0-0", "task-0", "take the apple", 0),
    )
    assert first.folder == tmp_path / "a" / "episodes" / "task-0-0"
    assert [episode.outcome for episode in source.episodes] == ["failed", "failed", "lost", "unfinished"]
    assert [episode.score is not None for episode in source.episodes] == [True, True, True, False]
    assert [episode.ending is not None for episode in source.episodes] == [True, True, True, False]
    assert [len(episode.rounds) for episode in source.episodes] == [2, 2, 0, 0]
    assert [record.round for entry in first.rounds for record in entry.records] == [1, 2]
    assert (first.attributes, first.split, lost.split) == (("short-horizon",), "train", "test")
    assert second.keypaths == (KeyPath(tuple(path), 0), KeyPath(("[Go to, table]", *path[1:]), 1))
    assert unfinished.keypaths == (KeyPath(("[Pick, apple]", "[End]"), 0),)
    assert lost.ending is not None and lost.ending.cause == GONE


def test_settings_are_among_the_facts(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a", {})
    file = read_model(run / "run.json", BenchFile)
    options = file.options.model_copy(update={"planner_settings": {"model": "m", "examples": 5}})
    (run / "run.json").write_bytes(seal(file.model_copy(update={"options": options}).model_dump(mode="json")))
    (source,) = load([run])
    assert source.facts["settings"] == "model=m, examples=5"


def test_single_runs_of_one_planner_are_one_source(tmp_path: Path) -> None:
    first = write_single(tmp_path / "a", {"1": DONE, "2": "", "3": GONE}, seed=4)
    second = write_single(tmp_path / "b", {"1": LATE, "2": WANDERED}, seed=3, targets="sensors", task="other")
    rewrite(second / "episodes" / "2", lambda record: replace(record, execution=rounds(LATE)[0].execution))
    third = write_single(tmp_path / "c", {"1": DONE}, planner="chat", planner_settings={"model": "m"})
    chat, rule = load([first, third, second])
    assert (chat.label, chat.bench, chat.episodes[0].name) == ("chat model=m", None, "1")
    assert chat.facts == {"planner": "chat model=m", "targets": "background", "seeds": "0"}
    assert rule.facts == {"planner": "rule", "targets": "background, sensors", "seeds": "3, 4"}
    assert rule.machine == {"created": "2026-01-02", "versions": "homie 1, mujoco 3", "platform": "here"}
    assert [(episode.name, episode.outcome, episode.trial) for episode in rule.episodes] == [
        *(("a/1", "said End", 1), ("a/2", "unfinished", 0), ("a/3", "lost", 1)),
        *(("b/1", "said End", 1), ("b/2", "out of rounds", 1)),
    ]
    assert [(episode.task, episode.text) for episode in rule.episodes][2:4] == [("take the apple",) * 2, ("other",) * 2]
    assert [len(episode.rounds) for episode in rule.episodes] == [2, 2, 0, 3, 2]
    assert [episode.score is None for episode in rule.episodes] == [False, True, False, False, False]
    assert [score.task_id for score in rule.results.scores] == ["a/1", "a/3", "b/1", "b/2"]
    assert [episode.run for episode in rule.episodes] == ["rule"] * 5 and rule.episodes[
        0
    ].folder == first / "episodes" / "1"
    assert rule.results.profile == "homie" and rule.origins == ()


def test_single_runs_next_to_a_bench_of_the_same_planner(tmp_path: Path) -> None:
    bench = write_run(tmp_path / "bench", {})
    single = write_single(tmp_path / "single", {"1": DONE})
    (single / "episodes" / "1" / "steps.jsonl").write_bytes(b"{}\n")
    assert [source.label for source in load([single, bench])] == ["rule", "rule (single runs)"]
    (episode,) = load([single])[0].episodes
    assert (episode.outcome, episode.rounds, episode.trial) == ("lost", (), 0)
    assert episode.ending is not None and episode.ending.cause.startswith("damaged: steps.jsonl (")


def test_what_a_single_run_was_made_with(tmp_path: Path) -> None:
    single = write_single(tmp_path / "single", {"1": DONE, "2": DONE})
    parts = PartsFile.of({"planner": {"model": "m"}, "detector": {}, "skills": {}, "robot": {}}, RunOptions(task="x"))
    name = keep(single, parts, {}, mixed=True)
    file = read_run(single).model_copy(update={"parts": name})
    (single / "run.json").write_bytes(seal(file.model_dump(mode="json")))
    (origin,) = load([single])[0].origins
    assert origin.episodes == ("1",) and origin.facts["planner.model"] == "m"


def test_a_torn_line_is_no_news(tmp_path: Path) -> None:
    single = write_single(tmp_path / "single", {"1": ""})
    with (single / "episodes" / "1" / "steps.jsonl").open("ab") as file:
        file.write(b'{"round": 3, "deci')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (source,) = load([single])
    assert [entry.number for entry in source.episodes[0].rounds] == [1, 2]


def test_folders_that_are_no_runs(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", {})
    with pytest.raises(
        BadInput, match=r"^There is no run in .*none: give a folder that `homie run` or `homie bench` wr"
    ):
        load([run, tmp_path / "none"])
    assert [source.label for source in load([tmp_path])] == ["rule"], "the runs in a folder, one level down"
    with pytest.raises(BadInput, match="is given twice: give each run once"):
        load([run, run])
    single = write_single(tmp_path / "single", {})
    with pytest.raises(BadInput, match="single is given twice: give each run once"):
        load([single, single])


def test_a_score_that_the_notebooks_cannot_compute(tmp_path: Path) -> None:
    fields = suite(1).model_dump(mode="json", by_alias=True, exclude_none=True)
    fields["tasks"][0]["keypaths"] = [["[Put, apple, table]", "[End]"]]
    run = write_run(tmp_path / "a", {("task-0", 0): RENAMED}, tasks=type(suite()).model_validate(fields), trials=1)
    (source,) = load([run], "strict-emmoe")
    (episode,) = source.episodes
    assert (episode.outcome, source.facts["profile"]) == ("not scored", "strict-emmoe")
    assert episode.keypaths == (KeyPath(("[Put, apple, table]", "[End]"), 0, "KeyError"),)


# ---------------------------------------------------------------- what one can browse by


def _make_shown(run: str, task: str, trial: int, outcome: str, **more: object) -> PageEpisode:
    fields = {
        "name": f"{task}-{trial}",
        "text": f"do {task}",
        "folder": Path("x"),
        "rounds": (),
        "split": "train",
        **more,
    }
    return PageEpisode(run=run, task=task, trial=trial, outcome=outcome, **fields)  # type: ignore[arg-type]


def _source(label: str, *episodes: PageEpisode) -> Source:
    return Source(label=label, results=Results("homie", ()), episodes=episodes, facts={}, machine={})


def _score(success: bool, verdict: bool | None) -> Score:
    return Score(task_id="t", trial=0, tp=1.0, success=success, ended=True, weight=1.0, verdict=verdict)


def test_facets() -> None:
    codes = tuple(Round(number, (record,)) for number, record in enumerate(rounds(LATE)))
    succeeded = _make_shown(
        "a", "t", 0, "succeeded", score=_score(True, True), attributes=("long-horizon",), rounds=codes
    )
    odd = _make_shown("a", "t", 1, "failed", score=_score(False, True), split="")
    other = _make_shown("b", "t", 0, "failed", score=_score(False, False), split="test")
    listed = catalogue([_source("a", succeeded, odd), _source("b", other)])
    assert [episode.facets for episode in listed.episodes] == [
        _facets(run="a", outcome="succeeded", world="done", split="train", attribute="long-horizon", code="D1"),
        {**_facets(run="a", outcome="failed"), "world": ("done", "disagrees with key path")},
        _facets(run="b", outcome="failed", world="not done", split="test"),
    ]
    assert listed.facets == {
        "run": ("a", "b"),
        "outcome": ("succeeded", "failed"),
        "world": ("done", "disagrees with key path", "not done"),
        "split": ("train", "test"),
        "attribute": ("long-horizon",),
        "code": ("D1",),
    }
    assert [episode.number for episode in listed.episodes] == [1, 2, 3]


def _facets(**facets: str) -> dict[str, tuple[str, ...]]:
    none: dict[str, tuple[str, ...]] = dict.fromkeys(FACETS, ())
    return {**none, "done by": ("only a",), **{name: (value,) for name, value in facets.items()}}


def test_lost_episodes_can_be_filtered_by_what_lost_them(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a", {("task-0", 0): GONE, ("task-0", 1): "crash: gone"}, tasks=suite(1))
    listed = catalogue(load([run]))
    assert listed.facets == {"lost by": ("killed", "crash")}
    assert [episode.facets["world"] for episode in listed.episodes] == [(), ()]


@pytest.mark.parametrize(
    ("outcomes", "done_by"),
    [
        ({"a": "succeeded", "b": "failed", "c": "failed"}, "only a"),
        ({"a": "succeeded", "b": "succeeded", "c": "succeeded"}, "every run"),
        ({"a": "succeeded", "b": "failed", "c": "succeeded"}, "several runs"),
        ({"a": "failed", "b": "lost", "c": "unfinished"}, "no run"),
        ({"a": "lost", "b": "unfinished", "c": "unfinished"}, "no run"),
        ({"a": "failed", "b": "unfinished"}, "no run"),
        ({"a": "said End", "b": "unfinished", "c": "not scored"}, ""),
        ({"a": "succeeded"}, ""),
    ],
)
def test_who_did_a_task(outcomes: dict[str, str], done_by: str) -> None:
    listed = catalogue([_source(run, _make_shown(run, "t", 0, outcome)) for run, outcome in outcomes.items()])
    assert [task.done_by for task in listed.tasks] == [done_by]


def test_tasks_and_what_to_compare_first() -> None:
    first = _source("a", _make_shown("a", "t", 0, "failed", attributes=("x",)), _make_shown("a", "t", 1, "failed"))
    second = _source(
        "b", _make_shown("b", "u", 0, "failed", text="other", split="test"), _make_shown("b", "t", 0, "failed")
    )
    task, other_task = catalogue([first, second]).tasks
    assert (task.number, task.name, task.text, task.attributes, task.split) == (1, "t", "do t", ("x",), "train")
    assert (other_task.number, other_task.name, other_task.text, other_task.attributes, other_task.split) == (
        2,
        "u",
        "other",
        (),
        "test",
    )
    assert {run: [each.number for each in some] for run, some in task.by_run.items()} == {"a": [1, 2], "b": [4]}
    assert [each.number for each in task.episodes] == [1, 2, 4] and [each.number for each in other_task.episodes] == [3]
    assert task.rivals is not None and [each.number for each in task.rivals] == [1, 4]
    assert other_task.rivals is None
    (alone,) = catalogue([first]).tasks
    assert alone.rivals is not None and [each.number for each in alone.rivals] == [1, 2]
    assert catalogue([first, second]).facets["attribute"] == ("x",)


def test_codes_are_in_order_of_their_name() -> None:
    late = rounds(LATE)[0]
    message = replace(late.execution.feedback, code="L1")
    full = replace(late, execution=replace(late.execution, feedback=message))
    some = _make_shown("a", "t", 0, "failed", rounds=(Round(1, (full,)), Round(2, (late,)), Round(3, (full,))))
    listed = catalogue([_source("a", _make_shown("a", "t", 1, "failed", rounds=(Round(1, (full,)),)), some)])
    assert listed.episodes[1].facets["code"] == ("D1", "L1") and listed.facets["code"] == ("D1", "L1")
