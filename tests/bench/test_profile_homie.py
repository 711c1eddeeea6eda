"""The profile `homie`: what it repairs, shown on runs where `strict-emmoe` gets it wrong."""

from __future__ import annotations

from dataclasses import replace

import golden
from hypothesis import given
from hypothesis import strategies as st

from homie.bench.score.metric_profiles import Homie, StrictEmmoe
from homie.bench.score.metrics import error_counts, ratio, raw_errors
from homie.bench.score.scores import MISSING, Results, Score, score_run
from homie.bench.score.trajectory import Step, Trajectory, from_conversation, from_records, written_step
from homie.kernel.types import (
    SUCCESS,
    Attempt,
    Decision,
    ErrorCode,
    Execution,
    Feedback,
    Outcome,
    RoundRecord,
    Subtask,
)

NAMES = {"apple": "apple", "fridge": "fridge", "refrigerator": "fridge", "table": "table"}
PATH = ("[Pick, apple]", "[Put, apple, fridge]", "[End]")
FAR = "Unable to put, the target is far away"


def trajectory(*steps: Step | str, paths: tuple[tuple[str, ...], ...] = (PATH,), **other: object) -> Trajectory:
    written = tuple(written_step(step, True, "None") if isinstance(step, str) else step for step in steps)
    says_end = any("End" in step.text for step in written[-1:])
    return replace(
        Trajectory(
            task_id="t",
            trial=0,
            task="task",
            keypaths=paths,
            expert_length=6,
            steps=written,
            length=len(written),
            last_message_has_end=says_end,
        ),
        **other,
    )  # type: ignore[arg-type]


def test_the_last_step_is_scored() -> None:
    unfinished = trajectory("Pick, apple", "Put, apple, fridge")
    assert Homie().score(unfinished).tp == 2 / 3
    assert StrictEmmoe(NAMES).score(unfinished).tp == 1 / 3
    failed = trajectory("Pick, apple", written_step("Put, apple, fridge", False, FAR))
    assert Homie().score(failed).errors["D1"] == 1
    assert StrictEmmoe(NAMES).score(failed).errors["D1"] == 0


def test_what_spoils_a_task_takes_the_success_and_no_progress() -> None:
    """Both branches of a condition: the path of the right one is there, and so is what the other one does."""
    both = trajectory("Pick, apple", "Put, apple, fridge", "Pick, pear", "Put, pear_1, fridge", "End")
    assert Homie().score(both).success
    spoilt = Homie().score(replace(both, never=(("[Put, pear, fridge]",),)))
    assert (spoilt.success, spoilt.tp, spoilt.weight) == (False, 1.0, 0.0)
    assert spoilt.next_node == "never [Put, pear, fridge]"
    assert Homie().score(replace(both, never=(("[Put, pear, sofa]",),))).success
    in_a_row = ("[Put, apple, fridge]", "[Put, pear, fridge]")
    assert not Homie().score(replace(both, never=(in_a_row,))).success
    assert Homie().score(replace(both, never=(in_a_row[::-1],))).success, "a path is reached in its order"
    tried = trajectory("Pick, apple", "Put, apple, fridge", written_step("Put, pear, fridge", False, FAR), "End")
    assert Homie().score(replace(tried, never=(("[Put, pear, fridge]",),))).success, "only what succeeds spoils"
    assert StrictEmmoe({**NAMES, "pear": "pear", "pear_1": "pear"}).score(replace(both, never=(("[End]",),))).success


def test_end_is_exact() -> None:
    played = trajectory("Pick, apple", "Put, apple, fridge", "Go to, table", last_message_has_end=True)
    assert (Homie().score(played).success, StrictEmmoe(NAMES).score(played).success) == (False, True)
    lower = trajectory("Pick, apple", "Put, apple, fridge", "end")
    assert (Homie().score(lower).success, StrictEmmoe(NAMES).score(lower).success) == (True, False)


def test_words_are_understood_as_the_executor_does() -> None:
    spoken = trajectory("pick, the Apple", "PUT, apple, refrigerator", "End")
    assert not Homie().score(spoken).success
    assert Homie({"refrigerator": "fridge"}).score(spoken).success
    assert StrictEmmoe(NAMES).score(spoken).tp == 0.0
    assert Homie().score(trajectory("Pick, red_apple_2", paths=(("[Pick, red apple]",),))).tp == 1.0
    assert Homie().score(trajectory("Pick, apple_1", paths=(("[Pick, apple_2]",),))).tp == 0.0


def test_an_unknown_name_is_no_match_and_no_exception() -> None:
    unknown = trajectory("Pick, spaceship", "Pick, apple", "Put, apple, fridge", "End")
    assert Homie().score(unknown).success
    assert StrictEmmoe(NAMES).score(unknown).raises["tp"] == "KeyError"


def test_a_run_that_is_not_there_is_in_the_denominator() -> None:
    ran = trajectory("Pick, apple", "Put, apple, fridge", "End")
    broken = replace(ran, trial=1, steps=(), length=0, infrastructure="killed: signal 9")
    planned = [("t", 0), ("t", 1), ("t", 2)]
    repaired = score_run(Homie(), [ran, broken], planned)
    strict = score_run(StrictEmmoe(NAMES), [ran, broken], planned)
    assert [ratio(repaired, metric) for metric in ("SR", "TP", "PLWSR")] == [(1, 3)] * 3
    assert ratio(strict, "SR") == (1, 1)
    for results in (repaired, strict):
        assert [(score.trial, score.lost) for score in results.lost] == [(1, "killed: signal 9"), (2, MISSING)]
    assert ratio(repaired, "SER") == (1, 1)


def test_the_world_has_its_own_verdict() -> None:
    played = trajectory("Pick, apple", "Put, apple, fridge", "End", verdict=False)
    undone = trajectory("Go to, table", "End", verdict=True, trial=1)
    unknown = trajectory("Go to, table", "End", trial=2)
    results = score_run(Homie(), [played, undone, unknown])
    assert ratio(results, "world") == (1, 2)
    assert [(score.trial, score.success, score.verdict) for score in results.disagreements] == [
        (0, True, False),
        (1, False, True),
    ]


def test_without_key_paths_the_world_decides() -> None:
    there = trajectory("Go to, table", "End", paths=(), verdict=True)
    assert Homie().score(there).success
    assert not Homie().score(replace(there, verdict=False)).success
    assert not Homie().score(replace(there, steps=there.steps[:1], length=1)).success


def test_no_expert_means_no_plwsr() -> None:
    without = trajectory("Pick, apple", "Put, apple, fridge", "End", expert_length=0)
    results = score_run(Homie(), [without])
    assert ratio(results, "PLWSR").value is None
    assert ratio(results, "SR").value == 1.0


def test_a_path_that_is_shorter_than_the_experts_weighs_one_and_no_more() -> None:
    for steps, weight in ((("Pick, apple", "Put, apple, fridge", "End"), 1.0), (("Go to, table",) * 9, None)):
        run = trajectory(*steps, *(() if weight else ("Pick, apple", "Put, apple, fridge", "End")))
        for profile in (Homie(), StrictEmmoe(NAMES)):
            score = profile.score(run)
            assert score.success and score.weight == (weight or 6 / 12)


def test_a_put_that_ran_out_of_time_is_e2_but_in_the_raw_counts() -> None:
    late = written_step("Put, apple, fridge", False, "Unable to put, time out")
    runs = [trajectory("Pick, apple", late, "Go to, table"), trajectory("Pick, apple", late, late, "End")]
    for profile, raw in ((Homie(), {"E2": 3}), (StrictEmmoe(NAMES), {"E3": 3})):
        results = score_run(profile, runs)
        assert {code: count for code, count in raw_errors(results.scores).items() if count} == raw
        counts = error_counts(results, success=False)
        assert counts.codes["E2"] == counts.total == 3 and "E3" not in counts.codes


def test_where_it_failed() -> None:
    assert Homie().score(trajectory("Pick, apple", "End")).next_node == "[Put, apple, fridge]"
    assert Homie().score(trajectory("Pick, apple", "Put, apple, fridge", "End")).next_node == ""


def record(
    number: int, subtask: Subtask, feedback: Feedback = SUCCESS, *, entity: str = "", held: str = "", tries: int = 1
) -> RoundRecord:
    outcomes = [Outcome.FAILED] * (tries - 1) + [Outcome.SUCCEEDED if feedback.ok else Outcome.TIMED_OUT]
    attempts = tuple(Attempt(n, "classical", outcome, "", 1.0, 5) for n, outcome in enumerate(outcomes, 1))
    execution = Execution(subtask, "", (), attempts if tries else (), feedback, entity)
    return RoundRecord(number, Decision((subtask,)), execution, (held,) if held else (), float(number), {})


def from_rounds(*records: RoundRecord) -> Trajectory:
    return from_records(records, task_id="t", trial=0, task="put it away", keypaths=(PATH,), expert_length=3)


def test_a_put_counts_for_what_the_hand_held() -> None:
    """The executor puts what it holds, whatever the planner calls it; the key path asks for the apple."""
    end = record(3, Subtask("End"), tries=0)
    pear = from_rounds(
        record(1, Subtask("Pick", "pear"), entity="pear_1", held="pear"),
        record(2, Subtask("Put", "apple", "fridge"), entity="fridge"),
        end,
    )
    assert Homie().score(pear).tp == 0.0
    assert StrictEmmoe({**NAMES, "pear": "pear"}).score(replace(pear, keypaths=(PATH[1:],))).success
    short = from_rounds(
        record(1, Subtask("Pick", "fruit"), entity="apple_1", held="fruit"),
        record(2, Subtask("Put", "fridge"), entity="fridge"),
        end,
    )
    assert Homie().score(short).success
    dropped = from_rounds(
        record(1, Subtask("Pick", "apple"), entity="apple_1", held="apple"),
        record(2, Subtask("Put", "apple", "table"), Feedback("fail", ErrorCode.E2, "x"), entity="table"),
        record(3, Subtask("Put", "pear", "fridge"), entity="fridge"),
    )
    assert Homie().score(dropped).tp == 1 / 3


def test_skills_are_counted_by_real_attempts() -> None:
    score = Homie().score(
        from_rounds(
            record(1, Subtask("Pick", "apple"), entity="apple_1", held="apple", tries=3),
            record(2, Subtask("Put", "apple", "fridge"), Feedback("fail", ErrorCode.E1, "x"), entity="fridge", tries=2),
            record(3, Subtask("Put", "apple", "fridge"), Feedback("fail", ErrorCode.D1, FAR), held="apple", tries=0),
        )
    )
    assert score.attempts["Pick"] == (1, 2) and score.attempts["Put"] == (0, 2)
    assert score.executions["Pick"] == (1, 0) and score.executions["Put"] == (0, 1)
    assert (score.errors["E1"], score.errors["D1"], score.replans) == (1, 1, 1)


def test_an_unreadable_output_is_f1_and_costs_a_step() -> None:
    message = "No subtask found."
    nothing = Execution(Subtask(""), "", (), (), Feedback("fail", ErrorCode.F1, message))
    rounds = [
        RoundRecord(1, Decision((), raw="?", problem=message), nothing, (), 0.0, {}),
        record(2, Subtask("Pick", "apple"), entity="apple_1", held="apple"),
        record(3, Subtask("Put", "apple", "fridge"), entity="fridge"),
        record(4, Subtask("End"), tries=0),
    ]
    score = Homie().score(from_rounds(*rounds))
    assert (score.success, score.length, score.errors["F1"], score.weight) == (True, 4, 1, 3 / 4)
    strict = StrictEmmoe(NAMES).score(from_rounds(*rounds))
    assert (strict.success, strict.length, strict.errors["F1"], strict.weight) == (True, 3, 0, 1.0)


def test_strict_sees_the_words_as_the_planner_wrote_them() -> None:
    listed = record(1, Subtask("Pick", "apple"), entity="apple_1", held="apple")
    written = replace(listed, decision=Decision((Subtask("pick", "apple"),)))
    assert StrictEmmoe(NAMES).score(from_rounds(listed, record(2, Subtask("Go to", "x")))).tp == 1 / 3
    assert StrictEmmoe(NAMES).score(from_rounds(written, record(2, Subtask("Go to", "x")))).tp == 0.0
    assert Homie().score(from_rounds(written)).tp == 1 / 3


def test_several_subtasks_of_one_decision() -> None:
    both = Decision((Subtask("pick", "apple"), Subtask("put", "apple", "fridge")))
    first = replace(record(1, Subtask("Pick", "apple"), held="apple"), decision=both)
    second = replace(record(1, Subtask("Put", "apple", "fridge"), entity="fridge"), decision=both)
    assert [step.text for step in from_rounds(first, second).steps] == ["pick, apple", "put, apple, fridge"]


def test_strict_raises_where_each_notebook_does() -> None:
    """TP is asked of every run and every key path; success of ended runs only, and only up to the first whole path."""
    unended = StrictEmmoe(NAMES).score(trajectory("Pick, spaceship", "Go to, table"))
    assert dict(unended.raises) == {"tp": "KeyError"}
    assert (unended.tp, unended.success, unended.weight) == (None, False, 0.0)
    later = ("[Pick, apple]", "[Put, apple, fridge]", "[Go to, moon]", "[End]")
    steps = ("Pick, apple", "Put, apple, fridge", "Go to, table", "End")
    first = StrictEmmoe(NAMES).score(trajectory(*steps, paths=(PATH, later)))
    assert (dict(first.raises), first.success, first.weight) == ({"tp": "KeyError"}, True, 1.0)
    second = StrictEmmoe(NAMES).score(trajectory(*steps, paths=(later, PATH)))
    assert set(second.raises) == {"tp", "success", "replans_in_success", "errors"}
    assert second.tp_per_keypath == ("KeyError", 1.0)


def test_steps_are_those_whose_end_is_known() -> None:
    run = trajectory("Pick, apple", written_step("Go to, x", False, FAR), written_step("Open, y", None, ""), "End")
    assert Homie().score(run).scored_steps == 2 and Homie().score(trajectory()).scored_steps == 0


def test_strict_knows_what_the_executor_made_of_a_word() -> None:
    fruit = Step(text="Pick, fruit", success=True, action="Pick", objects=("fruit", "apple_1"))
    run = trajectory(fruit, "End", paths=(("[Pick, apple]", "[End]"),))
    assert StrictEmmoe({"apple": "apple"}).score(run).tp == 1.0
    unknown = StrictEmmoe({"apple": "apple"}).score(
        replace(run, steps=(replace(fruit, objects=("fruit",)), run.steps[1]))
    )
    assert unknown.raises["tp"] == "KeyError" and unknown.next_node == "[Pick, apple]"


def test_strict_looks_both_places_up() -> None:
    steps = ("Put, apple, spaceship", "End")
    assert StrictEmmoe(NAMES).score(trajectory(*steps, paths=(("[Put, apple]",),))).raises["tp"] == "KeyError"
    assert not StrictEmmoe(NAMES).score(trajectory(*steps, paths=(("[Put, fridge]",),))).raises


def test_strict_drops_only_the_outer_brackets() -> None:
    assert StrictEmmoe(NAMES).score(trajectory("[Pick, apple]", "End", paths=(("[Pick, apple]",),))).tp == 1.0
    inner = StrictEmmoe(NAMES).score(trajectory("Pick, [apple], x", "End", paths=(("[Pick, apple]",),)))
    assert inner.raises["tp"] == "KeyError"


def test_an_empty_conversation() -> None:
    empty = from_conversation([], task_id="t", trial=1, keypaths=(PATH,), expert_length=3)
    raises = ("tp", "success", "replans", "replans_in_success", "errors")
    assert StrictEmmoe(NAMES).score(empty).raises == dict.fromkeys(raises, "IndexError")
    assert StrictEmmoe(NAMES).score(empty).raises["tp"] == "IndexError"
    assert Homie().score(empty).tp == 0.0


def test_on_the_golden_runs_only_the_repaired_defects_differ() -> None:
    """With the official names, both profiles agree wherever no defect of the notebooks plays a part."""
    names = golden.names()
    cases = golden.read(golden.GOLDEN / "cases.json")["cases"]
    plain_runs = [case for case in cases if case["end_kind"] == "End" and not case["features"]]
    assert len(plain_runs) > 50
    for case in plain_runs:
        run = golden.trajectory(case)
        strict, repaired = StrictEmmoe(names).score(run), Homie(names).score(run)
        assert (repaired.tp, repaired.success, repaired.weight) == (strict.tp, strict.success, strict.weight)
        assert (repaired.ended, repaired.replans) == (strict.ended, strict.replans)


VERBS = st.sampled_from(["Go to", "Pick", "Put", "Open"])
THINGS = st.sampled_from(["apple", "fridge", "table"])
TEXTS = st.tuples(VERBS, THINGS, THINGS).map(", ".join)
STEPS = st.lists(st.builds(lambda text, good: written_step(text, good, "None" if good else FAR), TEXTS, st.booleans()))
PATHS = st.lists(st.lists(TEXTS.map("[{}]".format), max_size=4).map(tuple), max_size=3).map(tuple)


def brute_force(steps: list[Step], path: tuple[str, ...]) -> int:
    """The longest beginning of a path that is a subsequence of the successful steps."""
    good = [step.text for step in steps if step.success]
    reached = 0
    for length in range(len(path) + 1):
        rest = iter(good)
        if all(any(text == node.strip("[]") for text in rest) for node in path[:length]):
            reached = length
    return reached


@given(STEPS, PATHS)
def test_matching_is_the_longest_beginning_in_order(steps: list[Step], paths: tuple[tuple[str, ...], ...]) -> None:
    if not steps or not paths:
        return
    score = Homie().score(trajectory(*steps, paths=paths))
    assert list(score.tp_per_keypath) == [brute_force(steps, path) / len(path) if path else 0.0 for path in paths]


@given(STEPS, PATHS)
def test_scores_are_shares_and_more_steps_never_lower_tp(steps: list[Step], paths: tuple[tuple[str, ...], ...]) -> None:
    scores = [Homie().score(trajectory(*steps[:n], paths=paths)) for n in range(1, len(steps) + 1)]
    assert all(0.0 <= (score.tp or 0.0) <= 1.0 and 0.0 <= (score.weight or 0.0) <= 1.0 for score in scores)
    if paths:
        assert [score.tp for score in scores] == sorted(score.tp or 0.0 for score in scores)


def test_results_of_some_tasks() -> None:
    scores = tuple(Score(task_id=task, trial=0, tp=1.0, success=True, ended=True, weight=1.0) for task in ("a", "b"))
    assert [score.task_id for score in Results("homie", scores).only({"b"}).scores] == ["b"]
