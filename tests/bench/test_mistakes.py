"""The mistakes of failed episodes in EmbodiedBench's subsets, by rule."""

from __future__ import annotations

import pytest

from homie.bench.score.mistakes import FailedEpisode, Mistake, has_subsets, mistake_of, mistakes_table
from homie.bench.suite.suite import Task, find_suite
from homie.bench.table_formats import to_markdown
from homie.kernel.types import END, SUCCESS, Decision, ErrorCode, Execution, Feedback, RoundRecord, Subtask
from homie.kernel.types.limits import EndedBy
from homie.kernel.world.snapshot import FixedState, ObjectState, WorldSnapshot


def world(**at: str) -> WorldSnapshot:
    """Two fruits, a knife, a sponge, places for them and an area; `at` says where things are, else on the counter."""
    loose = {"apple_1": "apple", "pear": "pear", "knife": "knife", "sponge": "sponge"}
    return WorldSnapshot(
        objects={
            name: ObjectState(kind=kind, relation="on", at=at.get(name, "counter")) for name, kind in loose.items()
        },
        fixed={
            **{name: FixedState(kind=name, receives="on") for name in ("counter", "desk", "shelf")},
            "area": FixedState(kind="area"),
        },
    )


def task(subset: str = "base", goal: object = None, expert: tuple[str, ...] | None = None) -> Task:
    wanted = goal or {"on": ["apple", "desk"]}
    return Task.model_validate({"id": "t", "text": "x", "attributes": [subset], "goal": wanted, "expert": expert})


def step(subtask: Subtask, code: ErrorCode | None = None, held: tuple[str, ...] = (), problem: str = "") -> RoundRecord:
    feedback = SUCCESS if code is None else Feedback("fail", code, "it failed")
    decision = Decision((), problem=problem) if problem else Decision((subtask,))
    return RoundRecord(1, decision, Execution(subtask, "", (), (), feedback), held, 0.0, {})


PICK_APPLE, PICK_PEAR = Subtask("Pick", "apple_1"), Subtask("Pick", "pear")
FIND, PUT = Subtask("Go to", "desk"), Subtask("Put", "object in hand", "shelf")
MOVE, OTHER_MOVE = Subtask("Move", "[1, 2, 3, 0, 60, 60, 1]"), Subtask("Move", "[9, 2, 3, 0, 60, 60, 1]")
TOOK_PEAR = [step(PICK_PEAR, held=("pear",)), step(PUT), step(END)]
TOOK_APPLE = [step(PICK_APPLE, held=("apple 1",)), step(PUT), step(END)]
L1, D1, F2, E1 = ErrorCode.L1, ErrorCode.D1, ErrorCode.F2, ErrorCode.E1
UNREAD = step(Subtask(""), ErrorCode.F1, problem="no plan")


@pytest.mark.parametrize(
    ("subset", "records", "ended_by", "at", "mistake"),
    [
        ("base", TOOK_PEAR, "ended", {}, Mistake.RECOGNITION),
        ("visual-appearance", TOOK_PEAR, "steps", {}, Mistake.RECOGNITION),
        ("spatial", TOOK_PEAR, "failures", {}, Mistake.SPATIAL),
        ("common-sense", TOOK_PEAR, "ended", {}, Mistake.MEANING),
        ("spatial", TOOK_APPLE, "ended", {"apple_1": "shelf"}, Mistake.SPATIAL),
        ("base", TOOK_APPLE, "ended", {"apple_1": "floor"}, Mistake.TERMINATION),
        ("base", [step(END)], "ended", {}, Mistake.TERMINATION),
        ("base", [step(PICK_APPLE, L1), step(PICK_APPLE, L1), step(FIND), step(PICK_APPLE, L1)], "steps", {}, "L1 L1"),
        ("base", [step(PICK_APPLE, L1), step(FIND), step(PUT, D1), step(FIND, F2)], "failures", {}, Mistake.MISSING),
        ("base", [UNREAD, UNREAD, step(PICK_APPLE, L1)], "failures", {}, Mistake.INVALID),
        ("base", [step(PICK_APPLE, E1), step(FIND)], "steps", {}, Mistake.SKILL),
        ("base", [step(FIND), step(FIND)], "steps", {}, Mistake.MISSING),
        ("base", [step(MOVE, E1), step(OTHER_MOVE, E1)], "failures", {}, Mistake.INACCURATE),
        ("base", [step(MOVE, F2), step(OTHER_MOVE)], "steps", {}, Mistake.INVALID),
        ("base", [step(MOVE), step(OTHER_MOVE)], "steps", {}, Mistake.INACCURATE),
        ("base", [step(MOVE, E1), step(MOVE, E1), step(MOVE, E1)], "steps", {}, Mistake.REFLECTION),
        ("base", [step(PICK_APPLE, L1), step(PICK_APPLE, L1)], "steps", {}, Mistake.REFLECTION),
    ],
)
def test_the_first_rule_that_fits(
    subset: str, records: list[RoundRecord], ended_by: EndedBy, at: dict[str, str], mistake: Mistake | str
) -> None:
    failed = FailedEpisode(task(subset), records, ended_by, world(**at))
    # One of three failures repeats the one before it: too few for a lack of reflection.
    assert mistake_of(failed) is (Mistake.MISSING if mistake == "L1 L1" else mistake)


def test_tools_of_the_expert_and_the_sponge_are_what_a_task_is_about() -> None:
    took_knife = [step(Subtask("Pick", "knife"), held=("knife",)), step(END)]
    without = FailedEpisode(task(), took_knife, "ended", world())
    expert = ("[Pick, knife]", "[Slice, apple_1]", "[End]")
    assert mistake_of(without) is Mistake.RECOGNITION
    assert (
        mistake_of(FailedEpisode(task(expert=expert), took_knife, "ended", world(knife="floor"))) is Mistake.TERMINATION
    )
    took_sponge = [step(MOVE, held=("sponge",)), step(END)]
    wiped = task(goal={"is": ["area", "wiped"]})
    assert mistake_of(FailedEpisode(wiped, took_sponge, "ended", world(sponge="table"))) is Mistake.TERMINATION
    assert mistake_of(FailedEpisode(task(), took_sponge, "ended", world(sponge="table"))) is Mistake.RECOGNITION


def test_mistakes_are_counted_for_all_and_by_subset() -> None:
    matches = {("a", 0): Mistake.SPATIAL, ("b", 0): Mistake.MISSING, ("b", 1): Mistake.MISSING}
    table = mistakes_table({"chat": matches, "rule": {}}, {"spatial": ["a"], "base": ["b"], "visual-appearance": ["c"]})
    assert [column.head for column in table.columns][3:] == ["reasoning: spatial reasoning", "planning: missing steps"]
    assert table.rows == (("chat", "all", 3, 1, 2), ("chat", "spatial", 1, 1, 0), ("chat", "base", 2, 0, 2))
    assert "| chat" in to_markdown([table])
    assert mistakes_table({"rule": {}}, {"base": ["b"]}).rows == ()


def test_suites_without_subsets_have_no_mistakes() -> None:
    assert not has_subsets(find_suite("homie-100")) and not has_subsets(find_suite("table-pick"))
