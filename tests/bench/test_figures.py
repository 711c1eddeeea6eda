"""What the plots and tables of a report say, of episodes that are made up here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from bench_runs import DONE, LATE, WANDERED, rewrite, rounds, write_run

from homie.bench.report.plots_and_tables import (
    MEANINGS,
    Figure,
    attribute_figure,
    error_figure,
    figures,
    keypath_figure,
    steps_figure,
    tables,
)
from homie.bench.report.runs_and_episodes import KeyPath, Outcome, PageEpisode, Round, Source, load
from homie.bench.score.compare_tables import Intervals
from homie.bench.score.scores import Count, Results, Score
from homie.runtime.runstore import EpisodeFile

(RECORD, *_) = rounds(DONE)
FAILED = rounds(LATE)[0].execution
QUICK = Intervals(confidence=0.9, resamples=50)


def shown_episode(
    outcome: Outcome, steps: int = 1, tp: float | None = None, node: str = "", *, path: bool = True
) -> PageEpisode:
    return PageEpisode(
        run="run",
        name="episode",
        task="task",
        text="take the apple",
        trial=0,
        folder=Path("nowhere"),
        outcome=outcome,
        rounds=tuple(Round(number, (RECORD,)) for number in range(steps)),
        score=None
        if outcome == "unfinished"
        else Score(task_id="task", trial=0, tp=tp, success=None, ended=True, weight=None, next_node=node),
        keypaths=(KeyPath(("[Pick, apple]",), 0),) if path else (),
    )


def source(
    *episodes: PageEpisode, label: str = "rule", errors: Mapping[str, int] | None = None, steps: int = 10
) -> Source:
    executions = {"Pick": Count(3, 1)}
    score = Score(
        task_id="task",
        trial=0,
        tp=None,
        success=None,
        ended=True,
        weight=None,
        errors=errors or {},
        scored_steps=steps,
        executions=executions,
    )
    return Source(label=label, results=Results("homie", (score,)), episodes=episodes, facts={}, machine={})


def titles(figure: Figure | None) -> list[str]:
    """What the parts of a drawing say when they are pointed at."""
    assert figure is not None
    return re.findall(r"<rect[^>]*><title>(.*?)</title>", figure.drawing)


def labels(figure: Figure) -> list[str]:
    """What stands below the columns of a drawing."""
    return re.findall(r'<text class="" x="[\d.]+" y="176.0" text-anchor="middle">(.*?)</text>', figure.drawing)


def key(figure: Figure | None) -> list[tuple[str, str]]:
    assert figure is not None
    return re.findall(r'<i class="key (.*?)"></i>(.*?)</li>', figure.drawing)


def test_steps() -> None:
    ways: list[tuple[Outcome, int]] = [
        *(("succeeded", 1), ("succeeded", 1), ("failed", 1), ("lost", 9), ("unfinished", 5)),
        *(("not scored", 3), ("said End", 3), ("out of rounds", 4)),
    ]
    figure = steps_figure(source(*(shown_episode(way, steps) for way, steps in ways)), many=False)
    assert (figure.title, figure.caption) == (
        "Steps",
        "Episodes by number of subtasks, End included; lost episodes are left out.",
    )
    assert titles(figure) == ["1: succeeded 2", "1: failed 1", "3: not scored 1", "3: said End 1", "4: out of rounds 1"]
    assert labels(figure) == ["1", "2", "3", "4"]
    assert key(figure) == [
        ("succeeded", "succeeded: 2"),
        ("failed", "failed: 1"),
        ("not-scored", "not scored: 1"),
        ("said-end", "said End: 1"),
        ("out-of-rounds", "out of rounds: 1"),
    ]
    assert 'aria-label="Episodes by steps"' in figure.drawing
    assert steps_figure(source(), many=True).title == "Steps: rule" and labels(steps_figure(source(), many=True)) == []


@pytest.mark.parametrize(
    ("most", "where", "below"),
    [
        (20, "20", [str(number) for number in range(1, 21)]),
        (21, "21", [str(number) for number in range(1, 22, 2)]),
        (40, "40", [str(number) for number in range(1, 41, 2)]),
        (41, "41-42", [f"{number}-{number + 1}" for number in range(1, 42, 4)]),
        (81, "79-81", [f"{number}-{number + 2}" for number in range(1, 80, 6)]),
    ],
)
def test_many_steps_share_a_column_and_not_each_has_a_label(most: int, where: str, below: list[str]) -> None:
    figure = steps_figure(source(shown_episode("failed", most), shown_episode("failed", 1)), many=False)
    assert titles(figure)[-1] == f"{where}: failed 1" and labels(figure) == below


def test_where_episodes_fail() -> None:
    shares = (0.0, 0.1, 0.25, 0.26, 0.5, 0.75, 0.76, 1.0)
    failed = [shown_episode("failed", 1, share, "[Pick, apple]") for share in shares]
    others = [
        shown_episode("failed", 1, 1.0),
        shown_episode("failed", 1, 0.3, "[Go to, apple]"),
        shown_episode("failed", 1, None, "[Open, fridge]"),
        shown_episode("failed", 1, 0.0, "[Close, fridge]", path=False),
        shown_episode("succeeded", 1, 0.0, "[Put, apple, table]"),
    ]
    figure = keypath_figure(source(*failed, *others), many=False)
    assert titles(figure) == [
        *("0 %: Pick 1", "1-25: Pick 2", "26-50: Pick 2", "26-50: Go to 1", "51-75: Pick 1", "76-99: Pick 1"),
        *("100 %: Pick 1", "100 %: no End 1"),
    ]
    assert figure is not None and labels(figure) == ["0 %", "1-25", "26-50", "51-75", "76-99", "100 %"]
    assert key(figure) == [("pick", "Pick: 8"), ("go-to", "Go to: 1"), ("no-end", "no End: 1")]
    assert (figure.title, figure.caption) == (
        "Where episodes fail",
        "Failed episodes by the reached share of their best key path; colour: action of the first missed node.",
    )
    many = keypath_figure(source(*failed), many=True)
    assert many is not None and many.title == "Where episodes fail: rule"
    assert 'aria-label="Failed episodes along the key path"' in many.drawing
    assert keypath_figure(source(*others[2:]), many=True) is None


def test_errors_of_single_runs() -> None:
    some = source(errors={"D1": 3, "E2": 1, "E3": 1}, steps=20)
    other = source(label="chat", errors={"L1": 1}, steps=1)
    figure = error_figure([some, other, source(label="silent", steps=0)])
    assert titles(figure) == ["rule: D1 15", "rule: E2 10", "chat: L1 100"]
    assert figure is not None and re.findall(r'text-anchor="end">(\d+/\d+)<', figure.drawing) == ["5/20", "1/1", "0/0"]
    assert key(figure) == [
        ("l1", "L1 the hand is full: 1"),
        ("d1", "D1 too far away: 3"),
        ("e2", "E2 the object is gone: 2"),
    ]
    assert (figure.title, figure.caption) == (
        "Errors by planner",
        "Errors per 100 steps, by code; behind each bar: errors / steps.",
    )
    assert 'aria-label="Errors per 100 steps by planner"' in figure.drawing
    assert error_figure([source()]) is None


def test_every_code_has_its_own_meaning() -> None:
    figure = error_figure([source(errors=dict.fromkeys(MEANINGS, 1))])
    assert key(figure) == [(code.lower(), f"{code} {meaning}: 1") for code, meaning in MEANINGS.items()]
    assert list(MEANINGS) == ["L1", "L2", "L3", "L4", "D1", "D2", "F1", "F2", "E1", "E2"]


def write_two(folder: Path) -> tuple[Source, ...]:
    late = {("task-0", 0): DONE, ("task-0", 1): LATE, ("task-1", 0): WANDERED, ("task-2", 0): LATE}
    return load(
        [
            write_run(folder / name, ways, planner=name)
            for name, ways in (("rule", late), ("chat", {("task-3", 0): DONE}))
        ]
    )


def test_of_benches(tmp_path: Path) -> None:
    sources = write_two(tmp_path)
    success = attribute_figure(sources, QUICK)
    assert titles(success) == [
        *("all: 37.5 % of 8 episodes", ": 12.5 % of 8 episodes"),
        *("short-horizon: 75.0 % of 4 episodes", ": 0.0 % of 4 episodes"),
        *("long-horizon: 0.0 % of 4 episodes", ": 25.0 % of 4 episodes"),
    ]
    assert re.findall('<rect class="(.*?)"', success.drawing) == ["s0", "s1"] * 3
    assert success.drawing.count("whisker") == 6
    assert key(success) == [("s0", "rule"), ("s1", "chat")]
    assert (success.title, success.caption) == (
        "Success by attribute",
        "Success rate (SR) with 90 % intervals, clustered by task.",
    )
    assert 'aria-label="Success rate by attribute"' in success.drawing
    assert titles(error_figure(sources)) == ["rule, succeeded: D1 40"]
    rewrite(sources[0].episodes[2].folder, lambda record: replace(record, execution=FAILED))
    assert titles(error_figure(load([tmp_path / "rule"]))) == ["rule, succeeded: D1 40", "rule, failed: D1 100"]
    bars = attribute_figure(sources[:1] * 7, QUICK)
    assert re.findall('<rect class="(.*?)"', bars.drawing)[:7] == ["s0", "s1", "s2", "s3", "s4", "s5", "s0"]
    assert [style for style, _ in key(bars)] == ["s0", "s1", "s2", "s3", "s4", "s5", "s0"]


def test_which_figures_there_are(tmp_path: Path) -> None:
    rule, chat = write_two(tmp_path)
    single = source(shown_episode("said End"), label="single", errors={"D1": 1})
    nothing = Source(label="nothing", results=Results("homie", ()), episodes=(), facts={}, machine={})
    assert [figure.title for figure in figures([rule, chat, single, nothing], QUICK)] == [
        *("Success by attribute", "Errors by planner", "Steps: rule", "Steps: chat", "Steps: single"),
        "Where episodes fail: rule",
    ]
    assert [figure.title for figure in figures([chat, rule], QUICK)][2:] == [
        *("Steps: chat", "Steps: rule", "Where episodes fail: rule"),
    ]
    assert [figure.title for figure in figures([rule], QUICK)] == [
        *("Success by attribute", "Errors by planner", "Steps", "Where episodes fail"),
    ]
    assert [figure.title for figure in figures([single], QUICK)] == ["Errors by planner", "Steps"]
    assert [figure.title for figure in figures([nothing], QUICK)] == []
    names = [table.title for table in tables([rule, single], QUICK)]
    assert names[0] == "Metrics" and names[-3:] == ["Single runs", "Errors in single runs, counts", "Skills"]
    assert "Single runs" not in [table.title for table in tables([rule], QUICK)]


def test_tables_of_single_runs() -> None:
    def ended(episode: PageEpisode, seconds: float) -> PageEpisode:
        ending = EpisodeFile(
            task="x", trial=0, seed=0, ended_by="ended", rounds=1, history=(), inventory=(),
            robot_seconds=seconds, wall_seconds=1.0,
        )  # fmt: skip
        return PageEpisode(
            run=episode.run,
            name=episode.name,
            task=episode.task,
            text=episode.text,
            trial=0,
            folder=episode.folder,
            outcome=episode.outcome,
            rounds=episode.rounds,
            ending=ending,
        )

    episodes = [
        *(ended(shown_episode("said End", 2), 1.25), ended(shown_episode("said End", 3), 2.5)),
        *(shown_episode("out of rounds", 3), shown_episode("unfinished", 0), shown_episode("lost", 0)),
    ]
    all_tables = tables(
        [
            source(*episodes, errors={"L1": 1, "E3": 1}),
            source(label="b"),
            source(*episodes[:3], label="c"),
            source(shown_episode("lost"), label="d"),
        ],
        QUICK,
    )
    first, errors, skills = all_tables
    assert (first.title, first.notes) == (
        "Single runs",
        ("Single runs have no key path and no success condition: success is not judged.",),
    )
    assert [(column.head, column.kind) for column in first.columns] == [
        ("run", "text"),
        *((head, "count") for head in ("episodes", "said End", "out of rounds", "unfinished", "steps each")),
        ("robot seconds", "count"),
    ]
    assert first.rows == (
        ("rule", 5, 2, 1, 1, 1.6, 3.8),
        ("b", 0, 0, 0, 0, 0.0, 0),
        ("c", 3, 2, 1, 0, 2.67, 3.8),
        ("d", 1, 0, 0, 0, 1.0, 0),
    )
    assert errors.title == "Errors in single runs, counts" and errors.columns[1].kind == "count"
    assert errors.columns[-1].head == "steps" and errors.columns[-1].kind == "count"
    assert errors.rows[0] == ("rule", 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 10)
    assert skills.rows[0] == ("rule", "Pick", 0, None, 4, 0.75, 3 / 9)
