"""Written plans: how they are read, which order the truth allows, what the world makes of good and of wrong ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from question_kinds import a_question

from homie.kernel.errors import BadInput
from homie.kernel.types import Subtask
from suites.leaderboard_results import read_sheets
from suites.questions.asking import ask
from suites.questions.audit import audit
from suites.questions.folder import write_questions
from suites.questions.judging.judge_run import judge
from suites.questions.judging.verdict import Verdict
from suites.questions.judging.world import PlanRollout
from suites.questions.making.plan_questions import truth_of, unsound
from suites.questions.options import AskOptions, JudgeOptions
from suites.questions.question import PlanTask, Question
from suites.questions.rollout import PlanResult, carry_out
from suites.questions.scoring import mark
from suites.questions.written_plans import compare_plans, read_plan, written_plan

OPEN, CLOSE = "open(fridge)", "close(fridge)"
APPLE = ("go_to(apple)", "pick(apple)", "go_to(fridge)", "put(apple, fridge)")
PEAR = ("go_to(pear)", "pick(pear)", "go_to(fridge)", "put(pear, fridge)")
SCENE = {"seed": 3, "rooms": 2, "objects": 16, "start": "4.757,3.038,101.3"}
"""A house with a shut fridge, before which the robot stands; the apple and the pear lie elsewhere."""


def subtasks(*steps: str) -> tuple[Subtask, ...]:
    return read_plan(numbered_steps(*steps))


def numbered_steps(*steps: str) -> str:
    return ", ".join(f"{number}-{step}" for number, step in enumerate(steps, 1))


TRUTH = truth_of({"open": subtasks(OPEN), "apple": subtasks(*APPLE), "close": subtasks(CLOSE)})
BOTH = truth_of({"open": subtasks(OPEN), "apple": subtasks(*APPLE), "pear": subtasks(*PEAR), "close": subtasks(CLOSE)})
GOAL = {"all": [{"in": ["apple", "fridge"]}, {"closed": "fridge"}]}
TASK = PlanTask(scene=SCENE, goal=GOAL, before=TRUTH.before)


def question(name: str = "q", **more: object) -> Question:
    fields = {"id": name, "kind": "plan", "truth": written_plan(TRUTH.steps), "task": TASK, **more}
    return a_question(**{"text": "Put the apple into the fridge.", **fields})


# ---------------------------------------------------------------- without a world


def test_a_plan_is_read_in_other_words_and_unreadable_steps_stay_in_their_place() -> None:
    plan = read_plan("1. Open(Fridge)\n2. pick_up(tomato_soup_can)\n3. place(tomato soup can, fridge)\n4. hurry up")
    assert plan == (
        Subtask("Open", "Fridge"),
        Subtask("Pick", "tomato soup can"),
        Subtask("Put", "tomato soup can", "fridge"),
        Subtask("hurry up"),
    )


def test_carries_may_be_exchanged_and_nothing_else() -> None:
    assert BOTH.orders == ((*range(10),), (0, 5, 6, 7, 8, 1, 2, 3, 4, 9))
    assert BOTH.before[0] == () and BOTH.before[1] == BOTH.before[5] == (0,)
    assert BOTH.before[2] == (0, 1) and BOTH.before[9] == tuple(range(9))
    plan = written_plan(BOTH.steps)
    plan_question = question(truth=plan, task=TASK.model_copy(update={"before": BOTH.before}))
    assert mark(plan_question, numbered_steps(OPEN, *PEAR, *APPLE, CLOSE)).right
    assert not mark(plan_question, numbered_steps(*PEAR, OPEN, *APPLE, CLOSE)).right
    assert not mark(plan_question, numbered_steps(OPEN, *APPLE, CLOSE)).right


@given(st.permutations(range(len(BOTH.steps))))
def test_an_order_is_right_exactly_if_it_keeps_the_graph(order: list[int]) -> None:
    plan = [BOTH.steps[number] for number in order]
    # Both go to the fridge, so either may stand for the other: the graph is kept if it is with one of the two.
    swapped = [{3: 7, 7: 3}.get(number, number) for number in order]
    respects_order = any(
        all(some.index(before) < some.index(step) for step in order for before in BOTH.before[step])
        for some in (order, swapped)
    )
    assert compare_plans(plan, BOTH.steps, BOTH.before).same is respects_order


@pytest.mark.parametrize(
    ("steps", "matched", "needless"),
    [
        ((OPEN, *APPLE, CLOSE), 6, 0),
        (("go_to(fridge)", OPEN, *APPLE, CLOSE), 6, 0),
        ((OPEN, *APPLE, CLOSE, OPEN, CLOSE), 6, 2),
        ((OPEN, *PEAR, CLOSE), 3, 2),
        (("dance",), 0, 1),
    ],
)
def test_needless_is_what_the_truth_has_not_but_going(steps: tuple[str, ...], matched: int, needless: int) -> None:
    beside = compare_plans(subtasks(*steps), TRUTH.steps, TRUTH.before)
    assert (beside.matched, beside.total, beside.needless) == (matched, 6, needless)


def test_a_text_with_two_worlds_cannot_be_answered_from_the_text() -> None:
    wide = truth_of({"apple": subtasks(*APPLE), "close": subtasks(CLOSE)})
    other = PlanTask(scene={**SCENE, "opened": ["fridge"]}, goal=GOAL, before=wide.before)
    questions = [
        question(f"{number}-{name}", source=f"house-{number}", task=task, truth=written_plan(plan.steps))
        for number in range(10)
        for name, task, plan in (("shut", TASK, TRUTH), ("open", other, wide))
    ]
    blind = audit(questions)["all"]
    assert (blind.chance, blind.constant, blind.text) == (0.0, 0.5, 0.5)


@pytest.mark.parametrize(
    "damage",
    [{"before": ((), (2,), ())}, {"goal": {"within": 3}}, {"before": ((),)}],
)
def test_a_task_that_cannot_be_is_refused(damage: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"task|goal|earlier"):
        question(task={**TASK.model_dump(), **damage})


def test_a_score_is_that_of_the_paper() -> None:
    half = PlanResult(reached=1, conditions=2, done=False, steps=3, why="4: [Put] failed")
    rollout = PlanRollout(id="q", matched=3, total=6, needless=0, ideal=half)
    assert rollout.mark().score == pytest.approx((5 + 5) / 20) and not rollout.mark("motion").read


# ---------------------------------------------------------------- in a world


@pytest.mark.parametrize(
    ("steps", "reached", "success", "carried", "why"),
    [
        ((OPEN, *APPLE, CLOSE), 2, True, 6, ""),
        ((*APPLE, CLOSE), 0, False, 3, "4: [Put, apple, fridge] failed"),  # not opened: nothing is brought about
        ((OPEN, *APPLE), 1, False, 5, ""),  # the fridge stands open
        ((*APPLE[:2], OPEN, *APPLE[2:], CLOSE), 0, False, 2, "3: [Open, fridge] failed"),  # with a full hand
        ((OPEN, *PEAR, CLOSE), 1, False, 6, ""),  # another thing: only the fridge is shut again
        ((OPEN, *APPLE, CLOSE, OPEN, CLOSE), 2, True, 8, ""),  # needless, and harmless
        ((OPEN, "dance", *APPLE, CLOSE), 0, False, 1, "2: [dance] is no step"),  # codespell:ignore
        ((OPEN, "pick(elephant)"), 0, False, 1, "2: [Pick, elephant] failed"),
    ],
)
def test_the_world_says_what_can_be_derived_by_hand(
    steps: tuple[str, ...], reached: int, success: bool, carried: int, why: str
) -> None:
    outcome = carry_out(TASK, subtasks(*steps), "ideal")
    assert (outcome.reached, outcome.conditions, outcome.done, outcome.steps) == (reached, 2, success, carried)
    assert outcome.why.startswith(why) and bool(outcome.why) is bool(why)


@pytest.mark.slow
def test_a_truth_is_refused_if_it_does_not_reach_its_goal() -> None:
    assert unsound(TASK, TRUTH) == ""
    short = truth_of({"open": subtasks(OPEN), "apple": subtasks(*APPLE)})
    assert unsound(TASK.model_copy(update={"before": short.before}), short).endswith("by ideal skills")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Four plans and one other question, answered: right, needless, missing a step, not at all."""
    top = tmp_path_factory.mktemp("plans")
    (top / "asked").mkdir()
    names = ("right", "needless", "missing", "silent")
    write_questions(top / "asked", [*map(question, names), a_question(id="other", kind="yes_no", truth="yes")])
    answers = {
        "right": f"<think>{numbered_steps(OPEN)}</think>{numbered_steps(OPEN, *APPLE, CLOSE)}",
        "needless": numbered_steps(OPEN, CLOSE, OPEN, *APPLE, CLOSE),
        "missing": numbered_steps(*APPLE, CLOSE),
        "other": "yes",
    }
    (top / "answers.json").write_text(json.dumps(answers))
    planner = f"scripted:{top / 'answers.json'}"
    return top / "asked", ask(AskOptions(folder=top / "asked", planner=planner, out=top / "run")).folder


def judge_run(run: tuple[Path, Path], **more: object) -> Verdict:
    return judge(JudgeOptions.model_validate({"run": run[1], "questions": run[0], "judge": "world", **more}))


@pytest.mark.slow
def test_the_world_judges_both_ways_and_goes_on_after_a_kill(run: tuple[Path, Path], tmp_path: Path) -> None:
    verdict = judge_run(run, out=tmp_path / "judged")
    (row,) = [row for row in verdict.figures["plans"] if row["template"] == "all"]
    # Ideal: right reaches 2 of 2, needless too, missing and silent none; the nodes are 6, 6, 5 and 0 of 6.
    assert (row["n"], row["completion"], row["right"], row["failed"], row["needless"]) == (4, 0.5, 0.25, 1, 2)
    assert row["node"] == pytest.approx(17 / 24) and row["motion_completion"] == 0.5 and row["motion_right"] == 0.25
    (total,) = [row for row in verdict.figures["rows"] if row["dimension"] == "all"]
    # Right: (10 + 10) / 20, needless the same, missing floor(50 / 6) = 8 of 20, silent 0; the other question 1.
    assert total["score"] == pytest.approx((1 + 1 + 8 / 20 + 0 + 1) / 5) and total["accuracy"] == pytest.approx(2 / 5)
    (sheet,) = read_sheets([verdict.folder])
    shares = {share.group: (share.n, share.estimate.value, share.estimate.interval) for share in sheet.shares}
    assert sheet.protocol.endswith(", judge world, profile homie")
    assert shares["all"] == (5, total["accuracy"], (total["low"], total["high"]))
    assert shares["plans, ideal"] == (4, 0.25, tuple(row["right_interval"])) == shares["plans, motion"]
    notes = {answer.name: (answer.good, answer.note) for answer in sheet.answers}
    both = "ideal: 2 of 2 conditions; motion: 2 of 2 conditions"
    assert notes["right"] == (True, both) and notes["needless"] == (False, f"2 needless steps; {both}")
    assert notes["missing"][1].startswith("ideal: 0 of 2 conditions, 4: [Put, apple, fridge] failed") and notes[
        "silent"
    ] == (None, "")
    assert notes["other"] == (True, "")
    path = verdict.folder / "rollouts.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1][:40])
    again = judge_run(run, out=tmp_path / "judged", workers=2)
    assert again.figures == verdict.figures and path.read_bytes().splitlines(keepends=True) == lines


def test_without_motion_there_are_no_figures_of_motion(run: tuple[Path, Path], tmp_path: Path) -> None:
    verdict = judge_run(run, judge="world:ideal", out=tmp_path / "judged")
    assert all(row["motion_right"] is None for row in verdict.figures["plans"])
    assert "| all | 4 | 70.8 | 2 | 50.0 | 25.0 | 1 | - | - | - |" in verdict.text


def test_the_world_refuses_what_it_cannot_judge(run: tuple[Path, Path], folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="without motion"):
        judge_run(run, judge="world:fast")
    with pytest.raises(BadInput, match="has no settings"):
        judge_run(run, planner_settings={"temperature": 1})
    own = ask(AskOptions(folder=folder, planner="constant:B", out=tmp_path / "own")).folder
    with pytest.raises(BadInput, match="nothing to carry out"):
        judge_run((folder, own))
