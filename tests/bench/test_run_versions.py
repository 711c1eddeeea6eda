"""A run is made of one thing: a resume with other parts is refused or recorded, and tables say so."""

from __future__ import annotations

import io
import json
import shutil

import pytest
import yaml
from bench_runs import rewrite
from rich.console import Console

from homie.bench.finished_episodes import read_bench
from homie.bench.options import BenchOptions
from homie.bench.play.progress import Progress
from homie.bench.play.runner import bench
from homie.bench.run_versions import Batch, Makeup, mixed_table
from homie.bench.score.compare import compare
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.results import load_run
from homie.kernel.errors import BadInput
from homie.runtime.provenance import PartsFile, description_names, read_parts, read_text

PLAN = "[[Go to, ball], [Pick, ball], [Go to, box], [Put, ball, box], [End]]"
OTHER = "[[Go to, ball], [Pick, ball], [End]]"


def play(options: BenchOptions) -> None:
    bench(options, Progress(Console(file=io.StringIO())))


@pytest.fixture
def half_done(write_suite, tiny_bench, tmp_path):
    """Options of a bench of two trials by a plan file; the second is unfinished, and the plan was edited since."""
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN)
    options = tiny_bench(write_suite(trials=2), planner=f"scripted:{plan}")
    play(options)
    shutil.rmtree(tmp_path / "run" / "episodes" / "put-1")
    plan.write_text(OTHER)
    return options


def make_parts_file(**planner: object) -> PartsFile:
    return PartsFile(planner=planner, detector={}, skills={}, robot={"arm": {"joints": 7}}, settings={}, versions={})


def test_what_differs_between_batches():
    first, second = make_parts_file(model="a" * 64, seed=1, budget=3), make_parts_file(model="b" * 64, seed=1, tokens=5)
    runs = Makeup((Batch("1", ("x", "y"), first), Batch("2", ("z",), None), Batch("3", ("u", "v", "w"), second)), 0)
    assert runs.mixed and runs.differences == {
        "planner.budget": ("3", "unknown", "-"),
        "planner.model": ("a" * 12, "unknown", "b" * 12),
        "planner.tokens": ("-", "unknown", "5"),
    }
    names = "planner.budget, planner.model, planner.tokens"
    assert runs.notes() == (
        f"mixed: its episodes (2 + 1 + 3) were made with different parts ({names})",
        "not known what 1 episode had been made with: parts/ is damaged or incomplete",
    )
    table = mixed_table({"rule": runs, "chat": Makeup((Batch("1", ("x",), first),))})
    assert [column.head for column in table.columns] == ["run", "batch", "episodes", "what", "value"]
    assert [column.kind for column in table.columns] == ["text", "count", "count", "text", "text"]
    assert table.title == "Mixed runs" and len(table.rows) == 9
    assert table.rows[:3] == (
        ("rule", 1, 2, "planner.budget", "3"),
        ("rule", 2, 1, "planner.budget", "unknown"),
        ("rule", 3, 3, "planner.budget", "-"),
    )


def test_what_is_said_of_a_run_that_is_made_of_one_thing_or_of_nothing_known():
    assert Makeup().notes() == () and not Makeup().mixed and Makeup().differences == {}
    makeup = Makeup((Batch("1", ("x",), make_parts_file()),))
    assert makeup.notes() == () and not makeup.mixed
    old = Makeup((Batch("", ("x",), None),), 1)
    (note,) = old.notes()
    assert note.startswith("1 episode written before Homie kept checksums"), "nothing is damaged"
    lost = Makeup((Batch("1", ("x", "y"), None), Batch("2", ("z",), None)))
    assert lost.notes() == (
        "mixed: its episodes (2 + 1) were made with different parts (what the parts were is not known for all)",
        "not known what 3 episodes had been made with: parts/ is damaged or incomplete",
    )


def test_another_plan_file_is_refused_by_name(half_done, tmp_path):
    with pytest.raises(BadInput, match=r"made with other parts \(different: planner\.decisions \(5, now 3\); planner"):
        play(half_done)
    assert len(description_names(tmp_path / "run")) == 1 and not (tmp_path / "run/episodes/put-1/episode.json").exists()
    (tmp_path / "plan.yaml").write_text(PLAN)
    play(half_done)
    assert not load_run(tmp_path / "run").makeup.mixed


@pytest.mark.slow
def test_mixed_goes_on_and_tables_say_what_was_mixed(half_done, tmp_path):
    play(half_done.model_copy(update={"mixed": True}))
    run = load_run(tmp_path / "run")
    assert run.makeup.mixed and [batch.episodes for batch in run.makeup.batches] == [("put-0",), ("put-1",)]
    assert run.makeup.differences["planner.decisions"] == ("5", "3")
    assert [read_text(run.path, batch.parts.planner["sha256"]) for batch in run.makeup.batches] == [PLAN, OTHER]
    tables = {table.title: table for table in compare([run.path], intervals=Intervals(resamples=100))}
    assert any("mixed: its episodes (1 + 1) were made with different parts" in note for note in tables["Metrics"].notes)
    assert [row[1:4] for row in tables["Mixed runs"].rows][:2] == [
        (1, 1, "planner.decisions"),
        (2, 1, "planner.decisions"),
    ]
    shutil.rmtree(tmp_path / "run" / "episodes" / "put-1")
    with pytest.raises(BadInput, match="made with other parts"):
        play(half_done)


def test_other_versions_are_other_parts(write_suite, tiny_bench, tmp_path, monkeypatch):
    options = tiny_bench(write_suite(trials=2))
    play(options)
    run = tmp_path / "run"
    (digest,) = description_names(run)
    file = read_parts(run, digest)
    older = file.model_copy(update={"versions": {**file.versions, "mujoco": "2.0"}})
    (run / "parts" / f"{older.digest}.json").write_bytes(older.data)
    (run / "parts" / f"{digest}.json").unlink()
    for name in ("put-0", "put-1"):
        rewrite(run / "episodes" / name, parts=older.digest)
    assert load_run(run).makeup.batches[0].parts == older
    shutil.rmtree(run / "episodes" / "put-1")
    with pytest.raises(BadInput, match=r"different: versions\.mujoco \(2\.0, now "):
        play(options)


def test_a_try_that_was_killed_binds_nobody(half_done, tmp_path):
    (tmp_path / "run/episodes/put-0/episode.json").unlink()  # nothing is finished, so nothing can be mixed
    play(half_done)
    makeup = load_run(tmp_path / "run").makeup
    assert not makeup.mixed and makeup.batches[0].parts.planner["decisions"] == 3
    assert len(description_names(tmp_path / "run")) == 1


def test_the_experts_of_a_suite_are_one_planner(write_suite, tiny_bench, tmp_path):
    suite = write_suite(["put the ball in the box", "leave the ball"])
    loaded = yaml.safe_load(suite.read_text())
    for task, plan in zip(loaded["tasks"], (PLAN, OTHER), strict=True):
        task["expert"] = yaml.safe_load(plan)
    suite.write_text(json.dumps(loaded))
    play(tiny_bench(suite, planner="expert"))
    assert len(load_run(tmp_path / "run").makeup.batches) == 1


def test_runs_of_homie_0_1_are_read_and_said_to_be_unknown(write_suite, tiny_bench, tmp_path):
    options = tiny_bench(write_suite(trials=2))
    play(options)
    for path in (tmp_path / "run").rglob("*.json"):
        if path.name in ("run.json", "episode.json"):
            loaded = json.loads(path.read_text())
            kept_keys = {key: value for key, value in loaded.items() if key not in ("parts", "files", "checksum")}
            path.write_text(json.dumps({**kept_keys, "format": 1}))
    makeup = load_run(tmp_path / "run").makeup
    assert not makeup.mixed and makeup.batches[0].parts is None and makeup.unchecked == 2
    assert "before Homie kept checksums" in makeup.notes()[0]
    play(options)
    shutil.rmtree(tmp_path / "run" / "episodes" / "put-1")
    with pytest.raises(BadInput, match=r"put-0 was made with is not known \(Homie 0\.1 did not keep it\)"):
        play(options)
    play(options.model_copy(update={"mixed": True}))
    assert len(load_run(tmp_path / "run").makeup.batches) == 2
    assert read_bench(tmp_path / "run")[2][1].ending.format == 2
