"""A planner that is a function, plain or async."""

from __future__ import annotations

import asyncio
import threading

import pytest

import homie
from homie import END, BadInput, Decision, PlannerError, Subtask
from homie.kernel.errors import LimitReached

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}


def to_the_ball(planner_input: homie.PlannerInput) -> Subtask | Decision:
    return Decision((END,), "There.") if planner_input.history else Subtask("Go to", "ball")


def play(planner: homie.Planner) -> list[str]:
    with homie.open(**TINY, planner=planner) as session:
        return [str(subtask) for round in session.rounds("go") for subtask in round.decision.subtasks]


def test_a_function_decides() -> None:
    assert play(homie.FunctionPlanner(to_the_ball)) == ["[Go to, ball]", "[End]"]


def test_an_async_function_decides_in_the_loop_in_which_the_planner_was_made() -> None:
    threads = set()

    async def decide(planner_input: homie.PlannerInput) -> Subtask | Decision:
        await asyncio.sleep(0)
        threads.add(threading.current_thread())
        return to_the_ball(planner_input)

    async def main() -> list[str]:
        return await asyncio.to_thread(play, homie.FunctionPlanner(decide))

    assert asyncio.run(main()) == ["[Go to, ball]", "[End]"] and threads == {threading.current_thread()}
    assert play(homie.FunctionPlanner(decide)) == ["[Go to, ball]", "[End]"]


def test_a_loop_that_waits_for_the_episode_is_refused() -> None:
    async def decide(planner_input: homie.PlannerInput) -> Decision:
        return Decision((END,))

    async def main() -> None:
        play(homie.FunctionPlanner(decide))

    with pytest.raises(BadInput, match=r"play it in another thread"):
        asyncio.run(main())


def test_a_decision_that_is_waited_for_can_be_given_up() -> None:
    async def main() -> None:
        deciding = asyncio.Event()

        async def decide(planner_input: homie.PlannerInput) -> Decision:
            deciding.set()
            await asyncio.sleep(60)
            return Decision((END,))

        planner = homie.FunctionPlanner(decide)
        playing = asyncio.create_task(asyncio.to_thread(play, planner))
        await deciding.wait()
        planner.cancel()
        with pytest.raises(PlannerError, match="was given up before it decided"):
            await playing

    asyncio.run(main())


def test_what_a_function_raises_is_raised_as_it_is() -> None:
    def breaks(planner_input: homie.PlannerInput) -> Subtask:
        raise KeyError("apple")

    with pytest.raises(KeyError, match="apple"):
        play(homie.FunctionPlanner(breaks))


def test_a_limit_of_the_planner_ends_the_episode_and_is_no_round() -> None:
    def decide(planner_input: homie.PlannerInput) -> Subtask:
        if planner_input.history:
            raise LimitReached("The calls are used up.", "calls")
        return Subtask("Go to", "ball")

    with homie.open(**TINY, planner=homie.FunctionPlanner(decide)) as session:
        rounds = session.rounds("go")
        assert str(next(rounds).decision.subtasks[0]) == "[Go to, ball]"
        with pytest.raises(StopIteration) as end:
            next(rounds)
    result = end.value.value
    assert (result.ended_by, result.ending, result.rounds, len(result.history)) == (
        "calls",
        "the limit of calls ended the episode",
        1,
        1,
    )


def test_a_name_alone_cannot_decide() -> None:
    with (
        homie.open(**TINY, planner="function:mine") as session,
        pytest.raises(PlannerError, match=r"homie\.open_bench"),
    ):
        list(session.rounds("go"))
