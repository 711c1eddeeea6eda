"""The agent loop and the executor, with the tiny robot, its skills and the real error checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from error_detection import execution, paper_order
from homie.kernel.actions import canonical_action
from homie.kernel.agent import run_episode
from homie.kernel.episode_rules import EpisodeRules
from homie.kernel.errors import PlannerError, Unanswered
from homie.kernel.executor import Executor
from homie.kernel.interfaces import Detector, EpisodeListener, Planner, Skill
from homie.kernel.look_and_detect import Senses
from homie.kernel.skill_table import SkillTable
from homie.kernel.types import (
    END_FAILURE,
    END_SUCCESS,
    HELD,
    VIEWS,
    Choice,
    Command,
    Decision,
    ErrorCode,
    Event,
    Goal,
    Limits,
    Observation,
    Outcome,
    PlannerInput,
    RoundRecord,
    Subtask,
    SubtaskRecorded,
    Visibility,
)
from homie.runtime.planner_inputs import RoundInput


class Reciter(Planner):
    """Says what it was given to say, and keeps its input."""

    def __init__(self, decisions: Sequence[Decision | Subtask]) -> None:
        self._decisions = [d if isinstance(d, Decision) else Decision((d,)) for d in decisions]
        self.inputs: list[PlannerInput] = []

    def reset(self, task: str, *, seed: int) -> None:
        self.inputs = []

    def decide(self, planner_input: PlannerInput) -> Decision:
        self.inputs.append(planner_input)
        return self._decisions[(planner_input.round - 1) % len(self._decisions)]


class Stubborn(Skill):
    """Never gets done, or says that it is done when it is not, or asks for what no robot may do."""

    name = "stubborn"
    max_seconds = 1.0

    def __init__(self, action: str, says: Outcome = Outcome.RUNNING, command: Command | None = None) -> None:
        self.actions = (action,)
        self._says = says
        self._command = command or Command()
        self._acted = False

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._acted = False

    def act(self, observation: Observation) -> Command:
        self._acted = True
        return self._command

    @property
    def outcome(self) -> Outcome:
        return self._says if self._acted else Outcome.RUNNING


class Keeper(EpisodeListener):
    """Keeps the records and the order of events."""

    def __init__(self) -> None:
        self.records: list[RoundRecord] = []
        self.events: list[str] = []

    def on(self, event: Event) -> None:
        self.events.append(type(event).__name__)
        if isinstance(event, SubtaskRecorded):
            self.records.append(event.record)


GO_BALL, PICK, GO_BOX = Subtask("Go to", "ball"), Subtask("Pick", "ball"), Subtask("Go to", "box")
PUT, END = Subtask("Put", "ball", "box"), Subtask("End")


@pytest.fixture
def play():
    """Play decisions in the tiny world: (result, records, planner, events)."""
    from homie_tiny import SPEC, TinyDetector, TinyLocator, TinyRobot, TinySkills

    def run(
        *decisions: Decision | Subtask,
        attempts: int = 3,
        more: Sequence[Skill] = (),
        choices: Sequence[Choice] = (),
        detector: Detector | None = None,
        **rules: Any,
    ):
        robot = TinyRobot()
        tiny = {action: skill for skill in TinySkills().skills(SPEC, robot.kinematics) for action in skill.actions}
        tiny.update({action: skill for skill in more for action in skill.actions})
        skill_table = SkillTable({"tiny": tiny, "other": {"Go to": tiny["Go to"]}}, frozenset({"other"}))
        senses = Senses(robot, detector or TinyDetector(), TinyLocator(robot))
        executor = Executor(senses, skill_table, paper_order, execution, attempts=attempts)
        planner, keeper = Reciter(decisions), Keeper()
        result = run_episode(
            "the task",
            planner,
            executor,
            EpisodeRules(action_list=(lambda executor: tuple(choices)) if choices else None, **rules),
            seed=0,
            listener=keeper,
        )
        return result, keeper.records, planner, keeper.events

    return run


def codes(records: Sequence[RoundRecord]) -> list[ErrorCode | None]:
    return [record.execution.feedback.code for record in records]


def test_a_task_from_the_first_look_to_end(play):
    result, records, _, events = play(GO_BALL, PICK, GO_BOX, PUT, END)
    assert codes(records) == [None] * 5
    assert (result.ended_by, result.rounds, result.inventory) == ("ended", 5, ())
    assert [record.inventory for record in records] == [(), ("ball",), ("ball",), (), ()]
    assert events[:4] == ["EpisodeStarted", "PlannerAsked", "PlannerAnswered", "SubtaskStarted"]
    assert events[-3:] == ["PlannerAnswered", "SubtaskRecorded", "EpisodeEnded"], "End is recorded but not executed"


def test_the_planner_is_given_inventory_history_and_feedback(play):
    _, _, planner, _ = play(GO_BALL, PICK, PICK, END)
    first, *_, last = planner.inputs
    assert (first.feedback, first.history_text, first.inventory_text) == (None, "None", "None")
    assert list(first.views) == list(VIEWS)
    assert last.inventory_text == "ball"
    assert last.history_text == "(1) [Go to, ball](success) (2) [Pick, ball](success) (3) [Pick, ball](fail)"
    assert last.feedback is not None
    assert (last.feedback.code, last.feedback.message) == (ErrorCode.L1, "Unable to pick, the hand is full")
    assert {detection.name for detection in first.detections} == {"ball", "box"}


@pytest.mark.parametrize(
    ("visibility", "history", "feedback"),
    [
        (
            Visibility("text"),
            "(1) [Go to, ball](success) (2) [Pick, ball](success) (3) [Pick, ball](fail)",
            "Unable to pick",
        ),
        (Visibility("booleans", last=2), "(2) [Pick, ball](success) (3) [Pick, ball](fail)", "fail"),
        (Visibility("none"), "(1) [Go to, ball] (2) [Pick, ball] (3) [Pick, ball]", "None"),
        (Visibility(history="words", last=1), "(3) [Pick, ball]", "Unable to pick"),
        (Visibility(history="none"), "None", "Unable to pick"),
    ],
)
def test_a_protocol_says_what_a_planner_is_given_and_the_records_stay_whole(play, visibility, history, feedback):
    result, records, planner, _ = play(GO_BALL, PICK, PICK, END, visibility=visibility)
    last = planner.inputs[-1]
    assert last.history_text == history
    assert last.feedback is not None and last.feedback.message.startswith(feedback)
    assert last.feedback.code == (ErrorCode.L1 if visibility.feedback == "codes" else None)
    assert codes(records) == [None, None, ErrorCode.L1, None]
    assert [item.feedback.code for item in result.history] == codes(records)
    loaded = RoundInput.model_validate_json(RoundInput.of(last).line)
    assert loaded.planner_input(result.history[:3], {}).history == last.history, "asked again with no more than before"


def test_rounds_run_out(play):
    result, records, _, _ = play(GO_BALL, rounds=4)
    assert (result.ended_by, result.rounds, len(records)) == ("rounds", 4, 4)


@pytest.mark.parametrize("text", ["End", "end", " END ", "E n d", "Ending", "The End", "End."])
def test_end_is_an_exact_token_whatever_its_case(play, text):
    result, records, _, _ = play(Subtask(text), GO_BALL, rounds=2)
    exact = text.strip().lower() == "end"
    assert result.ended_by == ("ended" if exact else "rounds")
    assert codes(records)[0] is (None if exact else ErrorCode.F1)


@pytest.mark.parametrize("ends", [(END,), (END_SUCCESS, END_FAILURE)], ids=["plain", "reporting"])
@pytest.mark.parametrize(
    ("decision", "report", "target"),
    [
        (Decision((END,), report="declined"), "declined", "failure"),
        (Decision((END,), report="failure"), "failure", "failure"),
        (Decision((END,), report="success", answer="no"), "success", "success"),
        (Decision((Subtask("end", "Failure"),)), "failure", None),
        (Decision((END_SUCCESS,), report="failure"), "success", "success"),
        (Decision((GO_BALL, END), answer="on the floor"), None, "success"),
    ],
)
def test_what_a_planner_says_of_its_task_when_it_ends_it(play, ends, decision, report, target):
    result, records, *_ = play(decision, endings=ends, rounds=1)
    reporting = len(ends) > 1
    if reporting and target is None:
        assert codes(records) == [ErrorCode.F1], "the report is an exact token there"
        return
    assert (result.report, result.answer) == (report or ("success" if reporting else ""), decision.answer)
    assert records[-1].execution.subtask.target == (target if reporting else "")


def test_an_answer_to_a_subtask_that_fails_is_none(play):
    result, *_ = play(Decision((Subtask("Pick", "moon"), END), answer="yes", report="success"), rounds=1)
    assert (result.ended_by, result.report, result.answer) == ("rounds", "", "")


def test_several_subtasks_of_one_decision_stop_at_the_first_failure(play):
    result, records, _, _ = play(Decision((GO_BALL, PUT, GO_BOX)), END)
    assert [record.round for record in records] == [1, 1, 2]
    assert codes(records) == [None, ErrorCode.L2, None]
    assert result.rounds == 2


def test_several_subtasks_of_one_decision_need_no_more_looks_than_one_by_one(play):
    from homie_tiny import TinyDetector

    class Counting(TinyDetector):
        looks = 0

        def detect(self, observation):
            self.looks += 1
            return super().detect(observation)

    together, apart = Counting(), Counting()
    play(Decision((GO_BALL, PICK, GO_BOX)), END, detector=together)
    play(GO_BALL, PICK, GO_BOX, END, detector=apart)
    assert together.looks == apart.looks > 0


def test_several_subtasks_of_one_decision_can_finish_a_task(play):
    result, records, _, _ = play(Decision((GO_BALL, PICK, GO_BOX, PUT, END)))
    assert (result.ended_by, result.rounds, len(records)) == ("ended", 1, 5)
    assert result.inventory == ()


def test_what_a_plan_says_after_end_is_not_done(play):
    result, records, planner, events = play(Decision((GO_BALL, END, PICK, GO_BOX)))
    assert (result.ended_by, result.rounds, len(planner.inputs)) == ("ended", 1, 1)
    assert [str(record.execution.subtask) for record in records] == ["[Go to, ball]", "[End]"]
    assert result.inventory == () and result.history[-1].subtask == END
    assert events.count("SubtaskStarted") == 1


def test_a_plan_that_begins_with_end_moves_nothing(play):
    result, records, _, _ = play(Decision((END, GO_BALL)))
    assert (result.ended_by, result.robot_seconds, len(records)) == ("ended", 0.0, 1)


def test_the_chosen_model_is_honoured_and_written_down(play):
    _, records, _, _ = play(
        Decision((GO_BALL,), model="OTHER"), Decision((PICK,), model="other"), Decision((PICK,), model="Tiny"), END
    )
    assert codes(records) == [None, ErrorCode.F1, None, None]
    assert records[0].execution.attempts[0].skill == "tiny go to"
    assert records[0].execution.attempts[0].stands_in_for == "other", "it has no checkpoint of its own"
    assert records[2].execution.attempts[0].stands_in_for == ""
    assert records[1].execution.attempts == ()
    assert records[2].execution.attempts[0].skill == "tiny pick"


def test_refused_subtasks_do_not_move_the_robot(play):
    _, records, _, _ = play(Subtask("Fly", "ball"), Subtask("Pick", "unicorn"), PUT, END)
    assert codes(records)[:3] == [ErrorCode.F1, ErrorCode.F2, ErrorCode.L2]
    assert {record.stamp for record in records} == {0.0}
    assert all(record.execution.attempts == () for record in records)


def test_too_far(play):
    _, records, _, _ = play(PICK, GO_BALL, PICK, END)
    assert codes(records) == [ErrorCode.D1, None, None, None]


@pytest.mark.parametrize("attempts", [1, 3])
def test_e1_after_all_attempts(play, attempts):
    _, records, _, _ = play(GO_BALL, PICK, END, attempts=attempts, more=[Stubborn("Pick")])
    execution = records[1].execution
    assert execution.feedback.code is ErrorCode.E1
    assert [attempt.number for attempt in execution.attempts] == list(range(1, attempts + 1))
    assert {attempt.outcome for attempt in execution.attempts} == {Outcome.TIMED_OUT}
    assert execution.checks[-1].layer == "execution" and execution.checks[-1].code is ErrorCode.E1
    official = "Unable to pick, the subtask is too difficult to perform"
    assert execution.feedback.message == f"{official}: it took too long. Please go to it again and try once more"


def test_a_skill_that_only_claims_success_is_found_out(play):
    _, records, _, _ = play(GO_BALL, PICK, END, more=[Stubborn("Pick", says=Outcome.SUCCEEDED)])
    execution = records[1].execution
    assert execution.feedback.code is ErrorCode.E1
    assert len(execution.attempts) == 3
    assert "effect" in execution.attempts[0].reason


class GivesUp(Stubborn):
    """Fails at once, and knows that it always will."""

    retryable = False
    feedback_message = "Unable to pick, the object cannot be reached: the box is in the way"


def test_what_would_fail_again_is_tried_once_and_the_planner_gets_the_reason(play):
    _, records, _, _ = play(GO_BALL, PICK, END, more=[GivesUp("Pick", says=Outcome.FAILED)])
    execution = records[1].execution
    assert len(execution.attempts) == 1
    assert execution.feedback.code is ErrorCode.E1
    assert execution.feedback.message == GivesUp.feedback_message


class Gloomy(Stubborn):
    """Does what the wrapped skill does, but says something else at the end."""

    max_seconds = 20.0

    def __init__(self, skill: Skill, says: Outcome) -> None:
        super().__init__(skill.actions[0], says)
        self._skill = skill

    def start(self, subtask: Subtask, goal: Goal, observation: Observation) -> None:
        self._acted = False
        self._skill.start(subtask, goal, observation)

    def act(self, observation: Observation) -> Command:
        return self._skill.act(observation)

    @property
    def outcome(self) -> Outcome:
        return Outcome.RUNNING if self._skill.outcome is Outcome.RUNNING else self._says

    @property
    def reason(self) -> str:
        return "the arm is stuck on its way back"


def tiny_skill(action: str) -> Skill:
    from homie_tiny import TinySkill

    return TinySkill(action)


def test_an_effect_that_was_reached_counts_although_the_skill_failed(play):
    result, records, _, _ = play(GO_BALL, PICK, END, more=[Gloomy(tiny_skill("Pick"), Outcome.FAILED)])
    execution = records[1].execution
    assert execution.feedback.ok and result.inventory == ("ball",)
    (attempt,) = execution.attempts
    assert attempt.outcome is Outcome.SUCCEEDED
    assert attempt.reason == "done, then: the arm is stuck on its way back"
    assert execution.checks[-1].code is None and execution.checks[-1].message == ""


def test_a_refused_command_fails_the_attempt_and_says_why(play):
    bad = Stubborn("Pick", command=Command(base=(float("nan"), 0.0)))
    _, records, _, _ = play(GO_BALL, PICK, END, more=[bad])
    attempt = records[1].execution.attempts[0]
    assert attempt.outcome is Outcome.FAILED and "not finite" in attempt.reason


def test_clamped_commands_are_counted(play):
    fast = Stubborn("Pick", command=Command(base=(50.0, 0.0)))
    _, records, _, _ = play(GO_BALL, PICK, END, more=[fast])
    attempt = records[1].execution.attempts[0]
    assert attempt.clamped == attempt.commands > 5


def test_e2_when_the_object_is_gone_after_a_put(play, monkeypatch):
    monkeypatch.setenv("TINY_SLIPPERY", "1")
    result, records, _, _ = play(GO_BALL, PICK, GO_BOX, PUT, END)
    execution = records[3].execution
    assert execution.feedback.code is ErrorCode.E2
    assert len(execution.attempts) == 1, "what is gone cannot be put again"
    assert execution.feedback.message == "Unable to put, and the object is missing"
    assert result.inventory == ()


def test_canonical_action():
    assert canonical_action("go_to") == "Go to"
    assert canonical_action("  GO   TO ") == "Go to"
    assert canonical_action("go") is None
    assert canonical_action("Pic\N{KELVIN SIGN}") is None and canonical_action("Ｅｎｄ") is None
    assert canonical_action("Öffne", ("Öffne",)) == "Öffne"
    assert canonical_action("Slice", ("Slice",)) == "Slice"


@pytest.mark.parametrize(
    ("limits", "ended_by", "expected"),
    [
        (Limits(steps=2), "steps", [None, None]),
        (Limits(failures=1), "failures", [None, None, ErrorCode.L1]),
        (Limits(failures=2), "failures", [None, None, ErrorCode.L1, ErrorCode.F1]),
        (Limits(failures=3), "ended", [None, None, ErrorCode.L1, ErrorCode.F1, None]),
        (Limits(steps=4), "ended", [None, None, ErrorCode.L1, ErrorCode.F1, None]),
    ],
)
def test_a_protocol_says_what_ends_an_episode_besides(play, limits, ended_by, expected):
    """An answer that cannot be read is a failure, and no subtask."""
    result, records, _, _ = play(GO_BALL, PICK, PICK, Decision((), problem="no JSON"), END, limits=limits)
    assert result.ended_by == ended_by
    assert codes(records) == expected


def test_of_a_plan_only_so_much_is_carried_out(play):
    plan = Decision((Subtask("Go to", "ball"), Subtask("Pick", "ball"), Subtask("Go to", "box")))
    _, records, planner, _ = play(plan, END, limits=Limits(plan=2))
    assert [str(record.execution.subtask) for record in records] == ["[Go to, ball]", "[Pick, ball]", "[End]"]
    assert len(planner.inputs[1].history) == 2
    _, records, _, _ = play(plan, END, limits=Limits(steps=1))
    assert len(records) == 1


NUMBERED = [Choice(f"say {subtask}", subtask) for subtask in (GO_BALL, PICK, GO_BOX, Subtask("Put", HELD, "box"), END)]


def test_of_numbered_actions_a_plan_is_carried_out_with_what_the_hand_holds(play):
    steps = tuple(choice.subtask for choice in NUMBERED)
    result, records, planner, _ = play(Decision(steps), choices=NUMBERED)
    assert result.ended_by == "ended" and codes(records) == [None] * 5
    assert records[3].execution.subtask == PUT, "the ball is what the hand held"
    assert planner.inputs[0].choices == tuple(NUMBERED)


def test_what_is_none_of_the_numbered_actions_fails_with_a_sentence_and_counts(play):
    plan = Decision((GO_BALL, PICK, GO_BOX, Subtask("Put", "box", "box"), END))
    result, records, *_ = play(plan, choices=NUMBERED, limits=Limits(failures=2))
    assert codes(records)[:5] == [None, None, None, ErrorCode.F1, None], "the plan ends where it fails, then comes anew"
    sentence = "[Put, box, box] is none of the 5 numbered actions! You should only choose numbers of the list."
    assert records[3].execution.feedback.message == sentence and not records[3].execution.attempts
    assert result.ended_by == "failures"


def test_what_the_hand_holds_may_be_called_by_its_name(play):
    """The rule planner knows no numbers: its Puts were none of the list, and it could not do a single errand."""
    result, records, *_ = play(PUT, Decision((GO_BALL, PICK, GO_BOX, PUT, END)), choices=NUMBERED)
    assert codes(records) == [ErrorCode.F1, None, None, None, None, None], "with an empty hand it is none of the list"
    assert result.ended_by == "ended"


def test_with_an_empty_hand_nothing_stands_for_what_it_holds(play):
    _, records, *_ = play(GO_BOX, NUMBERED[3].subtask, END, choices=NUMBERED)
    assert codes(records) == [None, ErrorCode.L2, None]


def test_an_episode_may_end_by_itself_as_soon_as_its_goal_is_reached(play):
    """Asked after every subtask, whether it succeeded or not; the rest of the plan is not carried out."""
    answers = iter([False, False, True])
    plan = Decision((GO_BALL, PUT, GO_BOX))
    result, records, planner, _ = play(plan, Decision((GO_BALL, PICK)), goal_check=lambda: next(answers))
    assert (result.ended_by, len(records), len(planner.inputs)) == ("goal", 3, 2)
    assert [record.execution.feedback.ok for record in records] == [True, False, True]


def test_who_ends_an_episode_is_not_asked_whether_its_goal_is_reached(play):
    result, *_ = play(END, goal_check=lambda: pytest.fail("nobody needs to know"))
    assert result.ended_by == "ended"


def test_a_protocol_says_through_which_camera_a_planner_looks(play):
    _, _, planner, _ = play(GO_BALL, END, views={"front": "head"})
    assert [set(given.views) for given in planner.inputs] == [{"front"}, {"front"}]
    assert {detection.view for detection in planner.inputs[0].detections} <= {"front"}


UNREAD = Decision((), problem="no JSON")


# ------------------------------------------------------------ a planner that never answers


def test_an_episode_in_which_no_output_could_be_read_is_no_result(play):
    advised = Decision((), raw="Hm.\n" * 99, problem="The answer is empty.", advice="Set max_tokens.")
    words = r"in the first 3 rounds.*The answer is empty\..*\"Hm\. .*Set max_tokens\.$"
    with pytest.raises(Unanswered, match=words) as error:
        play(*[advised] * 9, END)
    assert len(str(error.value)) < 400 and isinstance(error.value, PlannerError)


@pytest.mark.parametrize("rounds", [1, 2])
def test_so_is_one_whose_rounds_run_out_before(play, rounds):
    with pytest.raises(Unanswered, match=f"the first {'round' if rounds == 1 else '2 rounds'},.*steps.jsonl"):
        play(*[UNREAD] * 9, rounds=rounds)


def test_so_is_one_that_other_limits_end(play):
    with pytest.raises(Unanswered, match="the first round,"):
        play(UNREAD, UNREAD, limits=Limits(failures=1))


def test_a_planner_that_could_be_read_once_has_a_result(play):
    result, records, _, _ = play(UNREAD, UNREAD, GO_BALL, *[UNREAD] * 5, rounds=8)
    assert (result.ended_by, result.rounds) == ("rounds", 8)
    assert codes(records).count(ErrorCode.F1) == 7
    unknown = Decision((Subtask("Dance"),))
    result, _, _, _ = play(UNREAD, UNREAD, unknown, UNREAD, rounds=4)
    assert result.ended_by == "rounds", "an action that there is not was read"
