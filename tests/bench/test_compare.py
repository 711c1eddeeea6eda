"""`homie compare`: from run folders to tables."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from bench_runs import DONE, LATE, RENAMED, WANDERED, rewrite, suite, write_run, write_single
from rich.console import Console

from homie.bench.finished_episodes import SweepFile, read_bench
from homie.bench.intervals_and_tests import Estimate, wilson
from homie.bench.play.progress import Progress
from homie.bench.runs_inside import runs_inside
from homie.bench.score.compare import compare
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.metric_profiles import make_profile
from homie.bench.score.metrics import metrics, shown_in
from homie.bench.score.results import load_run, load_runs
from homie.bench.score.trajectory import Trajectory, written_step
from homie.bench.suite.suite import Suite
from homie.bench.table_formats import Column, Table, format_cell
from homie.cli.commands.compare import _comparable
from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import seal
from homie.kernel.types import Decision, Subtask
from homie.runtime.runstore import Usage

KEYS = [(f"task-{number}", trial) for number in range(4) for trial in range(2)]
ALL_DONE = dict.fromkeys(KEYS, DONE)
QUICK = Intervals(resamples=200)


def row(table: Table, label: str) -> dict[str, object]:
    cells = next(row for row in table.rows if row[0] == label)
    return dict(zip((column.head for column in table.columns), cells, strict=True))


def value(cell: object) -> float | None:
    assert isinstance(cell, Estimate)
    return cell.value


def tables_by_title(tables: tuple[Table, ...]) -> dict[str, Table]:
    return {table.title: table for table in tables}


@pytest.mark.parametrize("arguments", [("compare", "--out"), ("compare", "--protocols"), ("report", "--out")])
def test_no_file_of_a_run_is_written_over(homie, tmp_path: Path, arguments: tuple[str, str]) -> None:
    run = write_run(tmp_path / "a", ALL_DONE)
    before = (run / "run.json").read_bytes()
    completed = homie(arguments[0], "a", arguments[1], "a/run.json")
    assert completed.returncode == 2 and completed.stderr.startswith(
        "homie: a/run.json is a file of the run a, which would be"
    )
    assert (run / "run.json").read_bytes() == before


def test_one_run(tmp_path: Path) -> None:
    ways = {**ALL_DONE, ("task-0", 0): WANDERED, ("task-1", 1): LATE}
    tables = tables_by_title(compare([write_run(tmp_path / "a", ways)], intervals=QUICK))
    metrics = row(tables["Metrics"], "rule")
    assert (metrics["episodes"], metrics["lost"], metrics["disagree"]) == (8, 0, 0)
    assert value(metrics["SR"]) == value(metrics["world"]) == 7 / 8
    assert value(metrics["TP"]) == 7 / 8
    assert value(metrics["SRR"]) == 1.0
    assert value(metrics["SER"]) == 7 / 8
    assert value(metrics["PLWSR"]) == 7 / 8
    attributes = {row[1]: (row[2], value(row[3]), value(row[4])) for row in tables["Attributes"].rows}
    assert attributes == {"short-horizon": (4, 0.75, 0.75), "long-horizon": (4, 1.0, 1.0)}
    assert [row[1:3] for row in tables["Splits"].rows] == [("train", 6), ("test", 2)]
    for group in (tables["Splits"], tables["Attributes"]):
        cells = [
            cell for row in group.rows for cell in row[3:] if isinstance(cell, Estimate) and cell.value is not None
        ]
        assert len(cells) >= 8 and all(cell.interval for cell in cells if isinstance(cell, Estimate))
    assert row(tables["Errors in successful trajectories, counts"], "rule")["D1"] == 1
    assert "Lost episodes" not in tables and "Where key path and world disagree" not in tables


def test_no_interval_of_a_run_without_a_failure_is_a_point(tmp_path: Path) -> None:
    metrics = row(tables_by_title(compare([write_run(tmp_path / "a", ALL_DONE)], intervals=QUICK))["Metrics"], "rule")
    estimates = {name: cell for name, cell in metrics.items() if isinstance(cell, Estimate) and cell.value is not None}
    assert {"SR", "PLWSR", "TP", "SER", "world"} <= set(estimates)
    assert {name: cell.interval for name, cell in estimates.items()} == dict.fromkeys(estimates, wilson(4, 4))


def test_a_bench_ends_with_the_rate_and_the_interval_of_its_table(tmp_path: Path) -> None:
    """Trials of a task agree here, so that the interval of eight independent episodes would be narrower."""
    run = write_run(tmp_path / "a", {**ALL_DONE, ("task-0", 0): WANDERED, ("task-0", 1): WANDERED})
    rate = row(tables_by_title(compare([run], intervals=QUICK))["Metrics"], "rule")["SR"]
    progress = Progress(Console(file=io.StringIO()))
    progress.began(suite(4), 8, read_bench(run)[2])
    assert progress.summary() == f"8/8 done  |  0 running, 0 failed  |  SR {format_cell(rate, 'percent')}"
    assert isinstance(rate, Estimate) and rate.interval == wilson(3, 4) and rate.value == 0.75


def test_lost_episodes_are_never_silent(tmp_path: Path) -> None:
    ways = {key: DONE for key in KEYS if key != ("task-3", 1)}
    ways["task-0", 0] = "killed: the worker was ended by signal 9"
    tables = tables_by_title(compare([write_run(tmp_path / "a", ways)], intervals=QUICK))
    metrics = row(tables["Metrics"], "rule")
    assert (metrics["episodes"], metrics["lost"], value(metrics["SR"])) == (8, 2, 6 / 8)
    assert any("SR of the 6 that ran: 100.00" in note for note in tables["Metrics"].notes)
    assert tables["Lost episodes"].rows == (
        ("rule", "task-0", 0, "killed: the worker was ended by signal 9"),
        ("rule", "task-3", 1, "no record"),
    )
    strict = tables_by_title(compare([tmp_path / "a"], "strict-emmoe", QUICK))
    metrics = row(strict["Metrics"], "rule")
    assert (metrics["episodes"], metrics["lost"], value(metrics["SR"])) == (6, 2, 1.0)
    assert any("left out" in note for note in strict["Metrics"].notes)


def test_a_run_without_any_episode(tmp_path: Path) -> None:
    tables = tables_by_title(compare([write_run(tmp_path / "a", {})], "strict-emmoe", QUICK))
    assert value(row(tables["Metrics"], "rule")["SR"]) is None
    assert len(tables["Lost episodes"].rows) == 8


def test_disagreements_are_listed(tmp_path: Path) -> None:
    path = write_run(tmp_path / "a", {**ALL_DONE, ("task-2", 0): WANDERED}, held=[("task-2", 0), *KEYS[:3]])
    tables = tables_by_title(compare([path], intervals=QUICK))
    listed = tables["Where key path and world disagree"].rows
    assert ("rule", "task-2", 0, "not done", "done") in listed
    assert ("rule", "task-3", 1, "done", "not done") in listed
    assert len(listed) == row(tables["Metrics"], "rule")["disagree"] == 5


def test_paired_differences(tmp_path: Path) -> None:
    good = write_run(tmp_path / "a", ALL_DONE, planner="rule")
    worse = {**ALL_DONE, ("task-0", 0): WANDERED, ("task-1", 0): WANDERED, ("task-2", 0): "crash: gone"}
    bad = write_run(tmp_path / "b", worse, planner="human")
    tables = compare([bad, good], intervals=QUICK)
    assert tables[1].title == "Differences to human"
    paired = row(tables[1], "rule")
    assert (paired["pairs"], paired["only first"], paired["only this"]) == (7, 0, 2)
    assert value(paired["SR"]) == pytest.approx(2 / 7)
    assert paired["McNemar p"] == 0.5
    back = row(compare([good, bad], intervals=QUICK)[1], "human")
    assert value(back["SR"]) == pytest.approx(-2 / 7)


def test_several_comparisons_are_adjusted_and_say_what_they_could_show(tmp_path: Path) -> None:
    bad = dict.fromkeys(KEYS, WANDERED)
    runs = [write_run(tmp_path / name, ways, planner=name) for name, ways in (("a", bad), ("b", ALL_DONE), ("c", bad))]
    table = compare(runs, intervals=QUICK)[1]
    better, same = row(table, "b"), row(table, "c")
    assert better["McNemar p"] == pytest.approx(2 / 2**8) and better["p (Holm)"] == pytest.approx(4 / 2**8)
    assert (same["McNemar p"], same["p (Holm)"]) == (1.0, 1.0)
    # Nothing differs in 8 episodes of 4 tasks: that is not certain, so there is no interval of no width.
    assert same["SR"] == Estimate(0.0) and same["smallest SR"] == pytest.approx(0.98, abs=0.02)
    assert any("2 comparisons" in note for note in table.notes)
    assert "p (Holm)" not in [column.head for column in compare(runs[:2], intervals=QUICK)[1].columns]


def test_what_only_one_run_did_is_named(tmp_path: Path) -> None:
    mostly = {**ALL_DONE, ("task-1", 0): WANDERED, ("task-2", 0): WANDERED, ("task-2", 1): WANDERED}
    other = {**dict.fromkeys(KEYS, WANDERED), ("task-0", 0): DONE, ("task-2", 1): DONE, ("task-3", 0): "crash: gone"}
    runs = [write_run(tmp_path / "a", mostly, planner="a"), write_run(tmp_path / "b", other, planner="b")]
    tables = tables_by_title(compare(runs, intervals=QUICK, tasks=True))
    assert [row[:3] for row in tables["Tasks that only one run did"].rows] == [
        ("a", "task-1", "1 of 2"),
        ("a", "task-3", "2 of 2"),
        ("b", "task-2", "1 of 2"),
    ]
    by_run = [row[:3] for row in tables["Tasks by run"].rows]
    assert by_run[0] == ("task-0", "2 of 2", "1 of 2") and by_run[3] == ("task-3", "2 of 2", "0 of 2")
    assert "Tasks by run" not in tables_by_title(compare(runs, intervals=QUICK))


def test_what_the_runs_took(tmp_path: Path) -> None:
    ways = {**ALL_DONE, ("task-0", 0): WANDERED, ("task-1", 1): "crash: gone"}
    run = write_run(tmp_path / "a", ways)
    for number, path in enumerate(sorted((run / "episodes").iterdir())):
        if json.loads((path / "episode.json").read_text())["ended_by"] == "infrastructure":
            continue
        usage = Usage(answers=2, cached=1, input_tokens=100, output_tokens=10, cost=0.02, cache_read_tokens=75)
        timings = {"plan": 1.0 if number < 7 else 5.0}  # the last episode decides slowly
        change = partial(replace, timings=timings)
        rewrite(path, change, wall_seconds=10.0, robot_seconds=25.0, usage=usage)
    usage = row(tables_by_title(compare([run], intervals=QUICK))["Usage"], "rule")
    assert (usage["episodes"], usage["decisions"]) == (7, 14)
    assert (usage["tokens in"], usage["tokens out"]) == (700, 70)
    assert usage["cost, $"] == pytest.approx(0.14) and usage["$ per success"] == pytest.approx(0.14 / 6)
    assert (usage["decision median, s"], usage["decision p95, s"]) == (1.0, 5.0)
    assert (usage["wall, s"], usage["robot, s"], usage["real-time factor"]) == (10.0, 25.0, 2.5)
    table = tables_by_title(compare([run], intervals=QUICK))["Usage"]
    assert any("7 of 14 answers came from the cache" in note for note in table.notes)
    assert any("75% of the tokens in came from the provider's cache" in note for note in table.notes)


def test_how_the_answers_were_read(tmp_path: Path) -> None:
    runs = [write_run(tmp_path / name, ALL_DONE, planner=name) for name in ("a", "b", "silent")]
    for run, used in zip(runs, ({"fence": 1, "words": 2}, {"words": 1}, None), strict=False):
        for path in (run / "episodes").iterdir() if used else ():
            rewrite(path, lambda record: record, usage=Usage(answers=5, unreadable=1, lenient=2, leniencies=used))
    table = tables_by_title(compare(runs, intervals=QUICK))["Answers"]
    assert [row[0] for row in table.rows] == ["a", "b"], "the rule planner has no answers"
    assert row(table, "a") == {
        "run": "a",
        "answers": 40,
        "to the letter": 16,
        "by a leniency": 16,
        "asked again": 8,
        "words": 16,
        "fence": 8,
    }
    assert (row(table, "b")["words"], row(table, "b")["fence"]) == (8, 0)
    assert "Answers" not in tables_by_title(compare(runs[2:], intervals=QUICK))


def test_actions_beyond_those_of_emmoe_are_counted(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a", ALL_DONE)
    move = Subtask("Move", "apple")
    rewrite(
        run / "episodes" / "task-0-0",
        lambda record: (
            replace(record, decision=Decision((move,)), execution=replace(record.execution, subtask=move))
            if record.round == 1
            else record
        ),
    )
    skills = {row[1]: row[2] for row in tables_by_title(compare([run], intervals=QUICK))["Skills"].rows}
    assert skills == {"Move": 1, "Pick": 7}


def test_only_episodes_that_all_runs_planned(tmp_path: Path) -> None:
    short = write_run(tmp_path / "a", {key: DONE for key in KEYS if key[1] == 0}, trials=1)
    long = write_run(tmp_path / "b", {**ALL_DONE, ("task-0", 1): WANDERED}, planner="human")
    tables = compare([short, long], intervals=QUICK)
    assert [row[:3] for row in tables[0].rows] == [("rule", 4, 0), ("human", 4, 0)]
    assert value(row(tables[0], "human")["SR"]) == 1.0
    assert any("4 episodes" in note for note in tables[1].notes)


def test_runs_of_other_suites_are_refused(tmp_path: Path) -> None:
    first = write_run(tmp_path / "a", ALL_DONE)
    other = suite().model_dump(mode="json", by_alias=True, exclude_none=True)
    other["tasks"][0]["text"] = "take the pear"
    second = write_run(tmp_path / "b", ALL_DONE, tasks=Suite.model_validate(other))
    with pytest.raises(BadInput, match="'task-0' is not the same"):
        compare([first, second], intervals=QUICK)
    for task in other["tasks"]:
        task["id"] = f"other-{task['id']}"
    third = write_run(tmp_path / "c", {}, tasks=Suite.model_validate(other))
    with pytest.raises(BadInput, match="no task and trial in common"):
        compare([first, third], intervals=QUICK)
    with pytest.raises(BadInput, match="There is no run of a suite in"):
        load_run(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="no profile 'other'"):
        load_run(first, "other")


def test_versions_of_a_suite_are_kept_apart(tmp_path: Path) -> None:
    """Even where the tasks that both have are the same: other tasks may have come or gone."""
    first = write_run(tmp_path / "a", ALL_DONE)
    newer = write_run(tmp_path / "b", ALL_DONE, tasks=suite().model_copy(update={"version": 2}))
    with pytest.raises(BadInput, match=r"ran version 1 of .*, .*b version 2: figures of different versions cannot"):
        compare([first, newer], intervals=QUICK)


def test_labels_tell_runs_apart(tmp_path: Path) -> None:
    folders = [write_run(tmp_path / name, ALL_DONE) for name in ("a", "b")]
    assert [run.label for run in load_runs(folders)] == ["rule (a)", "rule (b)"]
    with pytest.raises(BadInput, match=r"The run .*b/\.\./a is given twice"):
        load_runs([folders[0], tmp_path / "b" / ".." / "a"])
    alike = [write_run(tmp_path / place / "run", ALL_DONE) for place in ("c", "d")]
    assert [run.label for run in load_runs(alike)] == ["rule (run) #1", "rule (run) #2"]
    other = write_run(tmp_path / "e", ALL_DONE, planner="chat")
    assert [run.label for run in load_runs([folders[0], other, alike[0]])] == ["rule (a)", "chat", "rule (run)"]


def test_runs_of_a_sweep_are_called_by_what_varies(tmp_path: Path) -> None:
    values = {"1": {"planner.examples": 5, "targets": "sensors"}, "2": {"planner.examples": 0}}
    for place, planner in (("s/1", "rule"), ("s/2", "rule"), ("t/2", "rule"), ("t/1", "human")):
        write_run(tmp_path / place, {}, planner=planner)
    sweep = SweepFile(sweep=(), runs=values)
    (tmp_path / "s" / "sweep.json").write_bytes(seal(sweep.model_dump(mode="json")))

    def labels(*folders: str) -> list[str]:
        return [run.label for run in load_runs([tmp_path / folder for folder in folders])]

    assert labels("s/1", "s/2") == ["examples=5, targets=sensors", "examples=0"]
    assert labels("s/1") == ["rule"] and labels("s/1", "t/1") == ["rule", "human"]
    assert labels("s/2", "t/2", "t/1") == ["rule (examples=0)", "rule (2)", "human"]
    copy = write_run(tmp_path / "u" / "2", {})
    assert [run.label for run in load_runs([tmp_path / "t" / "2", copy])] == ["rule (2) #1", "rule (2) #2"]


def test_runs_of_a_series_stand_side_by_side_without_differences(tmp_path: Path) -> None:
    first = write_run(tmp_path / "home", ALL_DONE, tasks=suite(name="home", series="one"))
    other = suite(name="thor", series="one", robot="thor", skills="own").model_dump(mode="json", exclude_none=True)
    other["tasks"][0] |= {"text": "put the pear away", "goal": {"done": True}}
    second = write_run(
        tmp_path / "thor", {**ALL_DONE, ("task-0", 0): WANDERED}, tasks=Suite.model_validate(other), held=KEYS[1:]
    )
    tables = tables_by_title(compare([first, second], intervals=QUICK))
    assert list(tables) == ["Worlds", "Tasks in each world", "Metrics", "Usage"]
    worlds = row(tables["Worlds"], "rule (thor)")
    assert (worlds["suite"], worlds["verdict"]) == ("thor", "the world's own (1 task)")
    assert worlds["done"] == "6 of 8 (41 to 93 %)"
    assert row(tables["Worlds"], "rule (home)")["done"] == "8 of 8 (68 to 100 %)"
    assert "no difference between them is computed" in tables["Worlds"].notes[0]
    assert tables["Tasks in each world"].rows[:2] == (
        ("task-0", "rule (home)", "2 of 2", "take the apple"),
        ("task-0", "rule (thor)", "0 of 2", "put the pear away"),
    )
    apart = write_run(tmp_path / "apart", ALL_DONE, tasks=Suite.model_validate({**other, "series": "two"}))
    with pytest.raises(BadInput, match="'task-0' is not the same"):
        compare([first, apart], intervals=QUICK)


def test_where_a_scene_lies_makes_no_other_task(tmp_path: Path) -> None:
    def placed(spec: str, **more: object) -> Suite:
        fields = suite().model_dump(mode="json", by_alias=True, exclude_none=True)
        fields["tasks"][0]["scene"] = {"spec": spec, "sha256": "x", **more}
        return Suite.model_validate(fields)

    first = write_run(tmp_path / "a", ALL_DONE, tasks=placed("/there/a.json"))
    second = write_run(tmp_path / "b", ALL_DONE, tasks=placed("/here/a.json"), planner="human")
    other = write_run(tmp_path / "c", ALL_DONE, tasks=placed("/here/a.json", sha256="y"), planner="c")
    assert len(compare([first, second], intervals=QUICK)) > 3
    with pytest.raises(BadInput, match=r"'task-0' is not the same in .*a and .*c: compare runs of one suite"):
        compare([first, second, other], intervals=QUICK)


def test_the_notebooks_know_the_words_of_the_key_paths_in_every_form() -> None:
    fields = suite(1).model_dump(mode="json", by_alias=True, exclude_none=True)
    fields["tasks"][0]["keypaths"] = [["[Put, red Apple, Side_table]", "[End]"]]
    strict = make_profile("strict-emmoe", Suite.model_validate(fields))
    for text in ("Put, red apple, side_table", "Put, red_apple, side table", "Put, Red apple, Side_table"):
        steps = (written_step(text, True, "None"), written_step("End", True, "None"))
        run = Trajectory(
            task_id="t",
            trial=0,
            task="",
            keypaths=tuple(map(tuple, fields["tasks"][0]["keypaths"])),
            expert_length=2,
            steps=steps,
            length=2,
            last_message_has_end=True,
        )
        assert strict.score(run).tp_per_keypath == (1.0,)


def test_episodes_in_the_order_of_the_suite(tmp_path: Path) -> None:
    tasks = suite(2)
    run = load_run(
        write_run(tmp_path / "a", {("task-1", 0): DONE}, tasks=tasks.model_copy(update={"tasks": tasks.tasks[::-1]}))
    )
    assert [(score.key, bool(score.success)) for score in run.in_order] == [
        *((("task-1", 0), True), (("task-1", 1), False), (("task-0", 0), False), (("task-0", 1), False)),
    ]


def test_declared_names(tmp_path: Path) -> None:
    fields = suite().model_dump(mode="json", by_alias=True, exclude_none=True)
    for task in fields["tasks"]:
        task["keypaths"] = [["[Pick, fruit]", "[End]"]]
    strange = write_run(tmp_path / "a", ALL_DONE, tasks=Suite.model_validate(fields))
    renamed = write_run(tmp_path / "b", ALL_DONE, tasks=Suite.model_validate({**fields, "names": {"apple": "fruit"}}))
    for profile in ("homie", "strict-emmoe"):
        assert value(row(compare([strange], profile, QUICK)[0], "rule")["SR"]) == 0.0
        assert value(row(compare([renamed], profile, QUICK)[0], "rule")["SR"]) == 1.0


def test_where_the_notebooks_would_stop(tmp_path: Path) -> None:
    fields = suite().model_dump(mode="json", by_alias=True, exclude_none=True)
    for task in fields["tasks"]:
        task["keypaths"] = [["[Put, apple, table]", "[End]"]]
    path = write_run(tmp_path / "a", dict.fromkeys(KEYS, RENAMED), tasks=Suite.model_validate(fields))
    strict = compare([path], "strict-emmoe", QUICK)
    assert value(row(strict[0], "rule")["SR"]) is None
    assert any("KeyError at task task-0, trial 0 (8 such episodes)" in note for note in strict[0].notes)
    assert value(row(compare([path], intervals=QUICK)[0], "rule")["SR"]) == 1.0


def homie(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "homie", "compare", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def titles(markdown: str) -> list[str]:
    return re.findall(r"^\*\*(.*)\*\*$", markdown, re.MULTILINE)


@pytest.mark.slow
def test_the_command(tmp_path: Path) -> None:
    a = str(write_run(tmp_path / "a", ALL_DONE))
    b = str(write_run(tmp_path / "b", {**ALL_DONE, ("task-0", 0): WANDERED}, planner="human"))
    completed = homie(a, b, "--json", "--resamples", "200")
    assert completed.returncode == 0, completed.stderr
    tables = {table["title"]: table for table in json.loads(completed.stdout)["tables"]}
    assert tables["Metrics"]["rows"][1]["SR"]["value"] == 7 / 8
    out = tmp_path / "tables.csv"
    assert homie(a, b, "--form", "csv", "--out", str(out), "--resamples", "200").returncode == 0
    first = next(csv.DictReader(io.StringIO(out.read_text())))
    assert (first["run"], float(first["SR"]), first["SR low"] != "") == ("rule", 1.0, True)
    assert homie(str(tmp_path), "--json", "--resamples", "200").stdout == completed.stdout, "the runs in a folder"
    alone = homie(a, "--resamples", "200")
    assert alone.returncode == 0 and "nothing is compared" in alone.stderr
    assert titles(alone.stdout) == ["Metrics", "Usage"], "with --all-tables there are more, which are named"
    assert re.search(r"^With --all-tables also: .*Errors in failed trajectories.*Skills\.$", alone.stderr, re.MULTILINE)
    every = homie(a, b, "--all-tables", "--resamples", "200")
    assert titles(every.stdout) == list(tables) and "all-tables" not in every.stderr
    wrong = homie(str(tmp_path / "nowhere"))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("homie: There is no run of a suite in")


def test_runs_in_a_folder_that_cannot_be_compared_are_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        fields = suite().model_dump(mode="json", by_alias=True, exclude_none=True)
        write_run(tmp_path / "runs" / name, {}, tasks=Suite.model_validate({**fields, "name": name}))
    with pytest.raises(BadInput, match=r"^\S+runs holds runs of several suites, .*\(one: \S+one; two: \S+two\)\.$"):
        runs_inside([tmp_path / "runs"])
    (tmp_path / "singles").mkdir()
    write_single(tmp_path / "singles" / "a", {"1": DONE})
    for folder, words in (("singles", "holds runs of"), ("singles/a", "is a run of")):
        with pytest.raises(BadInput, match=rf"{folder} {words} `homie run`, whose tasks have no goal to compare by"):
            _comparable([tmp_path / folder])


@pytest.mark.slow
@pytest.mark.parametrize("file", ["run.json", "suite.json"])
@pytest.mark.parametrize("command", ["compare", "report"])
@pytest.mark.parametrize("named", [("runs",), ("runs/b", "runs/a", "runs/c")])
def test_a_damaged_run_is_left_out_of_several(homie, tmp_path: Path, command: str, named: tuple, file: str) -> None:
    for name in "abc":
        write_run(tmp_path / "runs" / name, ALL_DONE, planner=f"chat:{name}")
    (tmp_path / "runs/b" / file).write_text("{")
    more = ("--out", "page.html") if command == "report" else ("--resamples", "200")
    completed = homie(command, *named, *more, "--json")
    assert completed.returncode == 0, completed.stderr
    first, *_ = completed.stderr.splitlines()
    assert first.startswith(f"not read: runs/b/{file} is damaged: "), completed.stderr
    if command == "report":
        assert json.loads(completed.stdout)["unread"] == [first.removeprefix("not read: ")]
        assert json.loads(completed.stdout)["episodes"] == 2 * len(KEYS)
    else:
        metrics, *_ = json.loads(completed.stdout)["tables"]
        assert [row["run"] for row in metrics["rows"]] == ["chat:a", "chat:c"]
    for name in "ac":
        (tmp_path / "runs" / name / file).write_text("{")
    none = homie(command, *named, *more, "--json")
    assert (none.returncode, len(none.stderr.splitlines())) == (2, 1)
    assert f"{file} is damaged" in none.stderr


def test_a_damaged_single_run_is_left_out_of_a_report(homie, tmp_path: Path) -> None:
    for name in "ab":
        write_single(tmp_path / name, {"1": DONE})
    (tmp_path / "a/run.json").write_text("{")
    completed = homie("report", "a", "b", "--out", "page.html")
    assert completed.returncode == 0 and completed.stderr.startswith("not read: a/run.json is damaged: "), (
        completed.stderr
    )


CODES = ("L1", "L2", "L3", "L4", "L", "D1", "D2", "D", "F1", "F2", "F", "E1", "E2", "E", "All")
PERCENT = shown_in("metrics")
REPORTS = shown_in("reports")
HEADS = {
    "Metrics": ("episodes #", "lost #", *PERCENT, "world", "disagree #"),
    "Differences to rule": ("pairs #", *PERCENT, "world", "smallest SR", "only first #", "only this #", "McNemar p p"),
    "Tasks that only one run did": ("task text", "done text", "instruction text"),
    "Usage": (
        "episodes #", "decisions #", "tokens in #", "tokens out #", "cost, $ number", "$ per success number",
        "decision median, s number", "decision p95, s number", "wall, s number", "robot, s number",
        "real-time factor number",
    ),
    "Splits": ("split text", "episodes #", *PERCENT),
    "Attributes": ("attribute text", "episodes #", *PERCENT),
    "Reports": ("episodes #", "world", *REPORTS, "lag number"),
    "Errors in successful trajectories": CODES,
    "Errors in successful trajectories, counts": (*(f"{code} #" for code in CODES), "steps #"),
    "Errors in failed trajectories": CODES,
    "Errors in failed trajectories, counts": (*(f"{code} #" for code in CODES), "steps #"),
    "Skills": ("skill text", "attempts #", "SR of attempts", "subtasks #", "SR of subtasks", "assumed SR"),
    "Where key path and world disagree": ("task text", "trial #", "key path text", "world text"),
    "Lost episodes": ("task text", "trial #", "cause text"),
    "Tasks by run": ("rule text", "chat text", "instruction text"),
}  # fmt: skip
"""The columns of every table after the first, in their order: heads with what is in the cells (percents: nothing)."""


def test_what_the_tables_and_their_columns_are_called(tmp_path: Path) -> None:
    ways = {**ALL_DONE, ("task-0", 0): "killed: by hand", ("task-1", 0): WANDERED, ("task-1", 1): WANDERED}
    first = write_run(tmp_path / "a", ways, held=[("task-2", 0)])
    second = write_run(tmp_path / "b", ALL_DONE, planner="chat")
    tables = compare([first, second], intervals=QUICK, tasks=True)
    kinds = {"count": " #", "percent": ""}
    heads = {
        table.title: tuple(column.head + kinds.get(column.kind, f" {column.kind}") for column in table.columns[1:])
        for table in tables
    }
    assert list(heads.items()) == list(HEADS.items())
    assert {table.columns[0] for table in tables} == {Column("run"), Column("task")}


def test_the_first_metrics_are_those_of_the_paper_in_its_order() -> None:
    assert PERCENT[:6] == ("SR", "PLWSR", "TP", "SRR", "SER", "GP")
    assert REPORTS[:5] == ("B", "FR", "NR", "HN", "undone")


def test_every_metric_has_its_row_on_the_page() -> None:
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    assert set(metrics()) <= set(re.findall(r"^- \*\*(\w+)\*\*", page, re.MULTILINE))
