"""Splits by task and house, versions in other words, files of EMMOE and back, counts, and the command line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from episodes import DONE, REPLANNED, TEXT, episode, files_of, write_episode, write_run

from homie.bench.suite.suite import read_suite
from homie.cli.main import main
from homie.data.emmoe_export import export_emmoe, keypaths_of
from homie.data.episode import Episode, SkippedEpisode
from homie.data.episode_counts import count
from homie.data.examples.rewordings import versions
from homie.data.examples.rewriting_cache import Rewritings
from homie.data.options import EmmoeOptions, TrainingOptions
from homie.data.read_data_set import read_lines
from homie.data.sources.source import Entry, Source
from homie.data.sources.source_kinds import open_sources
from homie.data.split import make_split, read_split, side_of, write_split
from homie.data.training_examples import make_dataset
from homie.kernel.errors import BadInput
from homie.kernel.interfaces.prompts import Rewriter
from homie.runtime.runstore import EpisodeFile, read_steps, write_ending
from homie.runtime.runstore.damage import history_of


class Listed(Source):
    """Episodes by task and house that there are no files of."""

    def __init__(self, places: list[tuple[str, str]]) -> None:
        super().__init__(Path(), "listed")
        self._entries = [
            Entry(name=f"listed/{number}", task=task, folder=Path(house)) for number, (task, house) in enumerate(places)
        ]

    def entries(self):
        return self._entries

    def read(self, entry):
        return Episode(name=entry.name, task=entry.task, text="", steps=(), house=entry.folder.name)

    def house(self, entry):
        return entry.folder.name

    def describe(self):
        return {}


def crossing(tasks: int, houses: int) -> Listed:
    """Each task in two houses that stand side by side."""
    return Listed([(f"task-{n % tasks}", f"house-{(n + n // tasks) % houses}") for n in range(2 * tasks)])


@pytest.mark.parametrize(("by", "source"), [("task", crossing(10, 5)), ("house", crossing(10, 5))])
def test_nothing_is_on_both_sides(by, source):
    split, sizes = make_split([source], by, 0.2, seed=1)
    sides: dict[str, set[str]] = {}
    for entry in source.entries():
        sample = source.read(entry)
        sides.setdefault(sample.task if by == "task" else sample.house, set()).add(side_of(split, sample))
    assert all(len(some) == 1 for some in sides.values())
    assert 0 < sizes["test"] <= 0.2 * len(source.entries()) and sizes.total() == len(source.entries())
    assert make_split([source], by, 0.2, seed=1)[0] == split != make_split([source], by, 0.2, seed=2)[0]


@pytest.mark.parametrize(("tasks", "share", "expected"), [(10, 0.2, 2), (100, 0.29, 29), (10, 0.29, 2), (10, 0.05, 1)])
def test_as_many_are_for_testing_as_the_share_says_and_no_more(tasks, share, expected):
    source = Listed([(f"task-{n}", "house") for n in range(tasks)])
    _, sizes = make_split([source], "task", share, seed=3)
    assert (sizes["test"], sizes["train"]) == (expected, tasks - expected)


def test_a_group_that_is_too_large_is_passed_over(tmp_path):
    """With half of the episodes in one house, a fifth for testing is of the small houses."""
    source = Listed([(f"task-{n}", "large" if n < 5 else f"house-{n}") for n in range(10)])
    for seed in range(5):
        split, sizes = make_split([source], "house", 0.2, seed)
        assert sizes["test"] == 2 and split.houses["large"] == "train"


def test_by_both_what_is_connected_stays_together():
    islands = Listed([(f"{island}-task-{n}", f"{island}-house-{n // 2}") for island in "abc" for n in range(3)])
    split, sizes = make_split([islands], "both", 0.4, seed=0)
    for entry in islands.entries():
        assert side_of(split, islands.read(entry)) == split.tasks[entry.task] == split.houses[entry.folder.name]
    assert sizes["test"] > 0
    with pytest.raises(BadInput, match="All episodes are of one group of connected tasks and houses"):
        make_split([crossing(6, 6)], "both", 0.5, seed=0)


def test_a_split_is_a_file_and_knows_what_it_does_not_know(tmp_path):
    source = crossing(4, 4)
    split, _ = make_split([source], "task", 0.3, seed=0)
    write_split(tmp_path / "split.json", split)
    assert read_split(str(tmp_path / "split.json")) == split
    with pytest.raises(SkippedEpisode, match="does not have its task another: make the split anew"):
        side_of(split, Episode(name="x", task="another", text="", steps=()))
    (tmp_path / "split.json").write_text("{}")
    with pytest.raises(BadInput, match=r"^Cannot read the split .*: .* is missing\. Give suite, none, or"):
        read_split(str(tmp_path / "split.json"))
    with pytest.raises(BadInput, match="Give suite, none, or a file"):
        read_split(str(tmp_path / "nowhere.json"))


class Shouting(Rewriter):
    """In capital letters; keeps count."""

    asked = 0

    def rewrite(self, text, names, versions):
        self.asked += 1
        return tuple(f"{text.upper()}{'!' * n}" for n in range(versions))

    def describe(self):
        return {"rewriter": "shouting"}


def test_versions_are_asked_for_once(tmp_path):
    rewriter = Shouting()
    path = tmp_path / "rewritten.jsonl"
    for _ in range(2):
        with Rewritings(path, rewriter, 2) as rewritings:
            others = list(versions(episode(), 2, rewritings))
        with path.open("ab") as file:
            file.write(b'{"text": "torn')
    assert rewriter.asked == 1 + len({subtask for subtask, _ in DONE})
    assert [other.text for other in others] == [TEXT.upper(), TEXT.upper() + "!"]
    assert {step.input.task for step in others[1].steps} == {others[1].text}
    assert others[1].steps[0].analysis == "SO [GO TO, APPLE]!" and others[1].steps[0].subtask == DONE[0][0]
    path.write_text("nonsense\n")
    with pytest.raises(BadInput, match="line 1, is not a rewritten text"):
        Rewritings(path, rewriter, 2)


def test_a_text_that_cannot_be_rewritten_stays():
    some = list(versions(episode(), 2, lambda text, names: ("new",) if text == TEXT else ()))
    assert [other.text for other in some] == ["new"] and some[0].steps[0].analysis == "so [Go to, apple]"
    assert list(versions(episode(), 2, lambda text, names: ())) == []
    texts: list[str] = []
    list(versions(episode(), 2, lambda text, names: texts.append(text) or (), analyses=False))
    assert texts == [TEXT], "nobody is paid for analyses that pairs do not show"


def test_episodes_become_files_of_emmoe_and_come_back(tmp_path):
    run = write_run(tmp_path / "run", ["episode-0", "episode-1"], REPLANNED)
    options = EmmoeOptions(sources=[run], out=tmp_path / "emmoe")
    export_emmoe(options)
    before = files_of(tmp_path / "emmoe")
    (tmp_path / "emmoe/data/train/run-episode-1/keypath.json").unlink()  # as a kill would leave it
    assert export_emmoe(options).episodes == 2 and files_of(tmp_path / "emmoe") == before
    (old,), (new,) = open_sources([run]), open_sources([tmp_path / "emmoe"])
    for first, second in zip(old.entries(), new.entries(), strict=True):
        played, back = old.read(first), new.read(second)
        assert back.text == played.text and back.done and back.split == "train"
        for step, again in zip(played.steps, back.steps, strict=True):
            assert (again.subtask, again.model, again.analysis) == (step.subtask, step.model, step.analysis)
            assert (again.feedback, again.history) == (step.feedback, step.history)
            assert {view: path.read_bytes() for view, path in again.pictures.items()} == {
                view: path.read_bytes() for view, path in step.pictures.items()
            }
    for source, out in ((run, "a"), (tmp_path / "emmoe", "b")):
        make_dataset(TrainingOptions.build(sources=[source], out=tmp_path / out, form="emmoe"), "sft")
    lines = [[{**line, "id": ""} for line in read_lines(tmp_path / out, "train")] for out in ("a", "b")]
    assert lines[0] == lines[1], "and give the same conversations"


@pytest.mark.parametrize("explain", [True, False])
def test_files_of_emmoe_have_reasons_where_they_are_asked_for(tmp_path, explain):
    plain = episode()
    steps = tuple(replace(step, analysis="") for step in plain.steps)
    run = write_run(tmp_path / "run", [])
    write_episode(run / "episodes/a-0", replace(plain, steps=steps), seed=0)
    export_emmoe(EmmoeOptions(sources=[run], out=tmp_path / "emmoe", explain=explain))
    (source,) = open_sources([tmp_path / "emmoe"])
    (entry,) = source.entries()
    assert {bool(step.analysis) for step in source.read(entry).steps} == {explain}


def test_a_round_without_an_answer_is_no_step(tmp_path):
    """The planner's answer could not be read twice: nothing was done in that round."""
    run = write_run(tmp_path / "run", ["a-0"])
    path = run / "episodes/a-0/steps.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    wrong = json.loads(lines[1])
    wrong["decision"] |= {"problem": "no JSON", "subtasks": []}
    path.write_bytes(b"".join([lines[0], json.dumps(wrong).encode() + b"\n", *lines[2:]]))
    ending = EpisodeFile.model_validate_json((path.parent / "episode.json").read_text())
    write_ending(path.parent, ending.model_copy(update={"history": history_of(read_steps(path.parent))}))
    (source,) = open_sources([run])
    (entry,) = source.entries()
    steps = source.read(entry).steps
    assert [step.subtask for step in steps] == [subtask for n, (subtask, _) in enumerate(DONE) if n != 1]
    assert [len(step.history) for step in steps] == [0, 1, 2, 3]


def test_exported_episodes_are_a_suite(tmp_path):
    names = [f"a-task-with-a-name-that-is-longer-than-most-{n}" for n in range(2)]
    export_emmoe(EmmoeOptions(sources=[write_run(tmp_path / "run", names)], out=tmp_path / "emmoe"))
    tasks = read_suite(tmp_path / "emmoe").tasks
    assert [task.text for task in tasks] == [TEXT, TEXT] and tasks[0].id != tasks[1].id


def test_a_key_path_of_an_episode_without_task():
    assert keypaths_of(episode(REPLANNED)) == (["[Pick, apple]", "[Put, apple, fridge]", "[End]"],)


def test_counts(tmp_path):
    run = write_run(tmp_path / "run", ["episode-0", "episode-1"], REPLANNED)
    (run / "episodes/episode-1/steps.jsonl").unlink()
    report = count(open_sources([run])).report()
    assert (report["episodes"], report["subtasks"], report["failed"]) == (1, 6, 1)
    assert report["outcomes"] == {"said End": 1}
    assert report["actions"] == {"Pick": 2, "Go to": 2, "Put": 1, "End": 1} and report["error_codes"] == {"D1": 1}
    assert report["pairs"] == {"replan": 1, "order": 4, "action": 4, "model": 4} and report["conversations"] == 5
    assert list(report["left_out"]) == ["run/episode-1"]


def homie(*arguments: str) -> int:
    with pytest.raises(SystemExit) as excinfo:
        main(list(arguments))
    return int(excinfo.value.code or 0)


def test_the_command_line(tmp_path, capfd):
    run = str(write_run(tmp_path / "run", [f"episode-{n}" for n in range(3)], REPLANNED))
    out = str(tmp_path / "out")
    words = ("--template", "emmoe-text", "--prompt", "examples=0")
    assert homie("data", "sft", run, "--out", out, *words, "--json") == 0
    summary = json.loads(capfd.readouterr().out)
    assert summary["splits"]["train"]["lines"] == 15 and len(summary["sha256"]) == 64
    assert homie("data", "validate", out) == 0
    assert "15 lines checked, 0 problems" in capfd.readouterr().err
    assert homie("data", "show", out, "--line", "2") == 0
    assert "[completion]\nAnalysis: so [Pick, apple]\n" in capfd.readouterr().out
    assert homie("data", "show", out, "--line", "99") == 2
    assert "has 15 lines" in capfd.readouterr().err
    assert homie("data", "stats", run) == 0
    assert "episodes" in capfd.readouterr().out
    assert homie("data", "split", run, "--out", str(tmp_path / "split.json")) == 2
    assert "All episodes are of one task" in capfd.readouterr().err
    assert homie("data", "dpo", run, "--out", out) == 2
    assert "holds a finished data set" in capfd.readouterr().err
    assert homie("data", "dpo", run, "--out", str(tmp_path / "no"), "--rewriter", "rule") == 2
    assert "no language model to rewrite" in capfd.readouterr().err
    Path(out, "train/metadata.jsonl").unlink()
    assert homie("data", "validate", out) == 2
    assert "train/metadata.jsonl: it is missing" in capfd.readouterr().out
