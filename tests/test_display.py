"""What a person reads while an episode runs: the words, line by line."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from homie_tiny import TinyRobot
from rich.console import Console

from homie.kernel.types import (
    END,
    ENDED_BY_PERSON,
    SUCCESS,
    Attempt,
    AttemptEnded,
    Check,
    Decision,
    Detection,
    EpisodeEnded,
    EpisodeResult,
    EpisodeStarted,
    ErrorCode,
    Execution,
    Feedback,
    Outcome,
    PeriodPassed,
    PlannerAnswered,
    PlannerAsked,
    PlannerInput,
    RoundRecord,
    Subtask,
    SubtaskChecked,
    SubtaskRecorded,
    SubtaskStarted,
)
from homie.runtime.display import ProgressDisplay

PICK = Subtask("Pick", "apple")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Screen:
    """A display with what it has written, in colour or not, on a terminal or not."""

    def __init__(self, *, terminal: bool = False) -> None:
        self.file, self.clock = io.StringIO(), Clock()
        colours = "standard" if terminal else None
        console = Console(file=self.file, width=80, force_terminal=terminal, color_system=colours)
        self.display = ProgressDisplay(console, self.clock)

    def new(self) -> str:
        """What was written since the last time."""
        text = self.file.getvalue()
        self.file.seek(0)
        self.file.truncate()
        return text


@pytest.fixture
def screen() -> Screen:
    return Screen()


def planner_input(*detections: Detection, round: int = 3) -> PlannerInput:
    return PlannerInput("task", round, {}, detections, (), (), None, (), ())


def observation_at(stamp: float):
    return replace(TinyRobot().observe(), stamp=stamp)


def test_a_round(screen: Screen) -> None:
    display = screen.display
    display.on(EpisodeStarted("put the apple away"))
    assert screen.new() == "task  put the apple away\n"
    box = (0, 0, 5, 5)
    parts = [("table", ""), ("apple", ""), ("apple", ""), ("kitchen", "floor"), ("fridge", "door")]
    display.on(
        PlannerAsked(
            planner_input(*(Detection(name, "front", box, part=part) for name, part in parts)), observation_at(12.34)
        )
    )
    assert screen.new() == "\nround 3  12.3 s\n  sees      apple, fridge, table\n"
    display.on(PlannerAsked(planner_input(round=4), observation_at(0.0)))
    assert screen.new() == "\nround 4  0.0 s\n  sees      nothing it knows\n"
    display.on(PlannerAnswered(3, Decision((PICK, Subtask("End")), "It is near.", "octo")))
    assert screen.new() == "  analysis  It is near.\n  decision  [Pick, apple] [End]  with octo\n"
    display.on(PlannerAnswered(3, Decision((), problem="what?")))
    assert screen.new() == "  decision  none that can be read\n"
    display.on(SubtaskStarted(3, PICK))
    assert screen.new() == "  doing     [Pick, apple]\n"


def test_checks_are_reported_when_the_last_has_looked_or_one_objects(screen: Screen) -> None:
    display = screen.display
    display.on(SubtaskStarted(1, PICK))
    screen.new()
    display.on(SubtaskChecked(Check("format")))
    display.on(SubtaskChecked(Check("logical")))
    assert screen.new() == ""
    display.on(SubtaskChecked(Check("distance")))
    assert screen.new() == "  checks    format ok  logical ok  distance ok\n"
    display.on(SubtaskChecked(Check("execution", ErrorCode.E1, "no")))
    assert screen.new() == "  checks    execution E1\n"
    display.on(SubtaskStarted(2, PICK))
    display.on(SubtaskChecked(Check("format")))
    display.on(SubtaskStarted(3, PICK))
    screen.new()
    display.on(SubtaskChecked(Check("format", ErrorCode.F2, "no")))
    assert screen.new() == "  checks    format F2\n", "those of another subtask are gone"


@pytest.mark.parametrize(
    ("attempt", "line"),
    [
        (Attempt(1, "classical/pick", Outcome.SUCCEEDED, "", 7.26, 9), "classical/pick succeeded after 7.3 s"),
        (Attempt(2, "octo", Outcome.FAILED, "it slipped", 1.0, 9), "octo failed after 1.0 s: it slipped"),
        (Attempt(3, "octo", Outcome.TIMED_OUT, "", 60.0, 9), "octo timed out after 60.0 s"),
        (
            Attempt(1, "pick", Outcome.SUCCEEDED, "done, then: stuck", 1.0, 9, 0, "octo"),
            "pick in place of octo succeeded after 1.0 s",
        ),
    ],
)
def test_attempts(screen: Screen, attempt: Attempt, line: str) -> None:
    screen.display.on(AttemptEnded(attempt))
    assert screen.new() == f"  attempt {attempt.number} {line}\n"


def test_a_log_reports_every_half_minute_that_a_skill_is_at_work(screen: Screen) -> None:
    display, clock = screen.display, screen.clock
    clock.now = 100.0
    display.on(SubtaskStarted(1, PICK))
    screen.new()
    for now, stamp, line in (
        (101.0, 50.0, ""),
        (129.9, 55.0, ""),
        (130.0, 61.6, "  at work   [Pick, apple]  12 s of robot time\n"),
        (159.9, 70.0, ""),
        (160.0, 80.0, "  at work   [Pick, apple]  30 s of robot time\n"),
    ):
        clock.now = now
        display.on(PeriodPassed(observation_at(stamp)))
        assert screen.new() == line
    display.on(SubtaskStarted(1, PICK))
    screen.new()
    clock.now = 200.0
    display.on(PeriodPassed(observation_at(90.0)))
    assert screen.new() == "  at work   [Pick, apple]  0 s of robot time\n", "the next skill has its own time"


def record(feedback: Feedback, *inventory: str) -> RoundRecord:
    return RoundRecord(1, Decision((PICK,)), Execution(PICK, "", (), (), feedback), inventory, 0.0, {})


def test_what_became_of_it(screen: Screen) -> None:
    screen.display.on(SubtaskRecorded(record(SUCCESS, "red apple", "mug")))
    assert screen.new() == "  feedback  success\n  inventory red apple mug\n"
    screen.display.on(SubtaskRecorded(record(Feedback("fail", ErrorCode.D1, "too far"))))
    assert screen.new() == "  feedback  fail D1: too far\n  inventory nothing\n"


def test_the_end(screen: Screen) -> None:
    screen.display.on(EpisodeEnded(EpisodeResult("task", "ended", 1, (), (), 8.04)))
    assert screen.new() == "\nThe planner ended the task after 1 round and 8.0 s of robot time.\n"
    screen.display.on(EpisodeEnded(EpisodeResult("task", "ended", 2, (), (), 8.04, who="person")))
    assert screen.new() == "\nThe person ended the task after 2 rounds and 8.0 s of robot time.\n"
    screen.display.on(EpisodeEnded(EpisodeResult("task", "rounds", 20, (), (), 100.0)))
    assert screen.new() == "\nThe round limit ended the episode after 20 rounds and 100.0 s of robot time.\n"


@pytest.mark.parametrize(
    ("decision", "lines"),
    [
        (
            Decision((END,), report="success", answer="no"),
            ["answer    no", "report    the planner says that the task is done"],
        ),
        (Decision((END,), report="declined"), ["report    the planner declined the task: nothing was begun"]),
        (Decision((END,), report="failure"), ["report    the planner says that the task is not done"]),
        (
            Decision((END,), ENDED_BY_PERSON["failure"], report="failure"),
            ["report    the person says that the task is not done"],
        ),
        (Decision((END,)), ["report    none"]),
    ],
)
def test_the_end_shows_what_the_planner_says_and_no_success_of_its_own(screen: Screen, decision, lines) -> None:
    ended = record(SUCCESS)
    screen.display.on(
        SubtaskRecorded(replace(ended, decision=decision, execution=replace(ended.execution, subtask=END)))
    )
    assert screen.new().splitlines() == [f"  {line}" for line in [*lines, "inventory nothing"]]


def test_escape_sequences_and_markup_of_a_model_are_text(screen: Screen) -> None:
    screen.display.on(PlannerAnswered(1, Decision((PICK,), "[bold]x[/bold] \x1b[31m")))
    assert "  analysis  [bold]x[/bold] \\x1b[31m\n" in screen.new()


def test_colours_say_how_it_went() -> None:
    screen = Screen(terminal=True)
    for part, colour in (
        (Attempt(1, "pick", Outcome.SUCCEEDED, "", 1.0, 9), "32"),
        (Attempt(1, "pick", Outcome.FAILED, "", 1.0, 9), "31"),
        (Attempt(1, "pick", Outcome.TIMED_OUT, "", 1.0, 9), "31"),
    ):
        screen.display.on(AttemptEnded(part))
        assert f"\x1b[{colour}mpick" in screen.new()
    for feedback, colour in ((SUCCESS, "32"), (Feedback("fail", ErrorCode.E1, "no"), "31")):
        screen.display.on(SubtaskRecorded(record(feedback)))
        assert f"\x1b[{colour}m{'success' if feedback.ok else 'fail E1: no'}" in screen.new()
    screen.display.on(SubtaskChecked(Check("distance", ErrorCode.D1)))
    assert "\x1b[31mdistance D1" in screen.new()
    screen.display.on(SubtaskChecked(Check("distance")))
    assert "\x1b[2mdistance ok" in screen.new()
    screen.display.on(EpisodeStarted("task"))
    assert screen.new().startswith("\x1b[1mtask  ")


def test_on_a_terminal_a_clock_runs_and_is_gone_at_the_end() -> None:
    screen = Screen(terminal=True)
    screen.display.on(SubtaskStarted(1, PICK))
    screen.display.on(PeriodPassed(observation_at(1.0)))
    screen.display.on(PeriodPassed(observation_at(9.0)))
    screen.display._status._live.refresh()  # type: ignore[union-attr]  # rich draws it in a thread of its own
    assert "[Pick, apple]  8 s" in screen.new()
    screen.display.on(SubtaskRecorded(record(SUCCESS)))
    written = screen.new()
    assert "\x1b[?25h" in written and "feedback" in written
    screen.display.close()
    assert screen.new() == ""


@pytest.mark.parametrize(
    ("thought", "moved", "sentence"),
    [
        (5.26, 2.0, "the skill thought for 5.3 s over 2.0 s of robot time, which waited for it"),
        (0.8, 0.5, "the skill thought for 0.8 s over 0.5 s of robot time, which waited for it"),
        (2.0, 2.0, ""),
        (1.0, 2.0, ""),
        (1.0, 0.0, ""),
        (None, 0.5, ""),
    ],
)
def test_a_skill_that_thinks_longer_than_it_moves_is_reported(screen: Screen, thought, moved, sentence) -> None:
    attempts = tuple(Attempt(number, "pick", Outcome.SUCCEEDED, "", moved / 2, 9) for number in (1, 2))
    finished = record(SUCCESS)
    finished = replace(finished, execution=replace(finished.execution, attempts=attempts))
    screen.display.on(SubtaskRecorded(replace(finished, timings={} if thought is None else {"skill": thought})))
    assert (
        screen.new() == (f"  slow      {sentence}\n" if sentence else "") + "  feedback  success\n  inventory nothing\n"
    )


def test_heads_are_dim_and_what_matters_stands_out() -> None:
    screen = Screen(terminal=True)
    bold, dim, yellow, cyan, plain = "\x1b[1m", "\x1b[2m", "\x1b[33m", "\x1b[1;36m", "\x1b[0m"
    screen.display.on(PlannerAsked(planner_input(), observation_at(1.0)))
    assert screen.new() == (
        f"\n{bold}round 3{plain}{dim}  1.0 s{plain}\n{dim}  sees      {plain}{dim}nothing it knows{plain}\n"
    )
    screen.display.on(PlannerAnswered(3, Decision((PICK,), "It is near.")))
    assert screen.new() == (
        f"{dim}  analysis  {plain}{dim}It is near.{plain}\n{dim}  decision  {plain}{cyan}[Pick, apple]{plain}\n"
    )
    attempt = Attempt(1, "pick", Outcome.SUCCEEDED, "", 1.0, 9)
    finished = record(SUCCESS)
    slow = replace(finished, execution=replace(finished.execution, attempts=(attempt,)), timings={"skill": 2.0})
    screen.display.on(SubtaskRecorded(slow))
    first, *_, last = screen.new().splitlines()
    assert first.startswith(f"{dim}  slow      {plain}{yellow}the skill") and last.endswith(f"{dim}nothing{plain}")


def test_a_log_may_be_in_colour() -> None:
    screen = Screen()
    console = Console(file=screen.file, width=80, force_terminal=False, color_system="standard")
    display = ProgressDisplay(console, screen.clock)
    display.on(SubtaskStarted(1, PICK))
    screen.clock.now = 30.0
    display.on(PeriodPassed(observation_at(1.0)))
    assert screen.new().count("\x1b[2m[Pick, apple]") == 2


def test_a_line_stays_a_line_on_stderr(screen: Screen, capsys) -> None:
    screen.display.on(EpisodeStarted("word " * 40))
    assert screen.new().count("\n") == 1
    ProgressDisplay().on(EpisodeStarted("put it away"))
    assert capsys.readouterr() == ("", "task  put it away\n")
