"""One session, several threads: calls wait for each other, and a stop reaches what another thread has begun."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from homes import one_room
from waiting import until

import homie
from homie import Outcome, Stopped, Subtask

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny"}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny world in half of real time: it takes eight seconds to the box."""
    monkeypatch.setenv("TINY_PERIOD", "0.2")


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as pool:
        yield pool


def drives(session: homie.Session, future: Future[object]) -> None:
    """Wait until the robot drives."""
    until(lambda: session.robot.measured().base.x > 0.0 or future.done())
    assert not future.done()


def to_the_box() -> homie.FunctionPlanner:
    return homie.FunctionPlanner(lambda planner_input: Subtask("Go to", "box"))


def test_a_stop_ends_the_subtask_of_another_thread(slow: None, threads: ThreadPoolExecutor) -> None:
    with homie.open(**TINY) as session:
        driving = threads.submit(session.call, "Go to", "box")
        drives(session, driving)
        session.stop()
        assert session.robot.measured().base.x < 3.0 and session.robot.calls[-1] == "stop"
        execution = driving.result()
        assert [attempt.outcome for attempt in execution.attempts] == [Outcome.STOPPED]
        assert not execution.feedback.ok and "stop()" in str(execution.attempts[0].reason)
        assert [item.subtask.action for item in session.history] == ["Go to"]


def test_what_waited_for_its_turn_does_not_move_and_what_comes_later_does(
    slow: None, threads: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    with homie.open(**TINY) as session:
        driving = threads.submit(session.call, "Go to", "box")
        drives(session, driving)
        waiting = [threads.submit(session.call, "Go to", "ball"), threads.submit(session.reset)]
        until(lambda: all(future.running() for future in waiting))
        monkeypatch.delenv("TINY_PERIOD")
        session.stop()
        for future in waiting:
            with pytest.raises(Stopped):
                future.result()
        assert [item.subtask.target for item in session.history] == ["box"]
        assert session.call("Go to", "ball").feedback.ok


def test_a_planner_is_not_asked_again_after_a_stop(slow: None, threads: ThreadPoolExecutor) -> None:
    with homie.open(**TINY, planner=to_the_box()) as session:
        playing = threads.submit(lambda: list(session.rounds("go to the box")))
        drives(session, playing)
        session.stop()
        with pytest.raises(Stopped):
            playing.result()
        assert len(session.history) == 1


def test_a_stop_ends_a_recorded_run(slow: None, threads: ThreadPoolExecutor, tmp_path: Path) -> None:
    with homie.open(**TINY, planner=to_the_box()) as session:
        running = threads.submit(session.run, "go to the box", out=tmp_path / "run", video=False)
        drives(session, running)
        session.stop()
        with pytest.raises(Stopped):
            running.result()
    (episode,) = homie.episode_folders(tmp_path / "run")
    assert len(homie.read_steps(episode)) == 1 and not (episode / "episode.json").exists()


def test_a_stop_by_a_listener_does_not_wait_for_itself(tmp_path: Path) -> None:
    class Nervous(homie.EpisodeListener):
        def on(self, event: homie.Event) -> None:
            if isinstance(event, homie.PeriodPassed):
                session.stop()

    with homie.open(**TINY, planner=to_the_box()) as session, pytest.raises(Stopped):
        session.run("go to the box", Nervous(), video=False, out=tmp_path / "run")


@pytest.mark.parametrize("look", ["views", "detections", "world_state", "observe"])
def test_who_looks_waits_for_who_moves(look: str, slow: None, threads: ThreadPoolExecutor) -> None:
    with homie.open(**TINY) as session:
        driving = threads.submit(session.call, "Go to", "box")
        drives(session, driving)
        future = threads.submit(getattr(session, look))
        with pytest.raises(TimeoutError):
            future.result(timeout=0.3)
        session.stop()
        assert future.result() is not None and not driving.result().feedback.ok


def test_any_thread_may_use_a_home(threads: ThreadPoolExecutor, tmp_path: Path) -> None:
    scene = tmp_path / "scene.json"
    scene.write_text(one_room().model_dump_json())
    with homie.open(scene=scene, picture_size=32) as session:
        looks = [threads.submit(session.views) for _ in range(3)]
        matches = threads.submit(session.detections)
        assert {look.result()["front"].tobytes() for look in looks} == {session.views()["front"].tobytes()}
        assert matches.result() == session.detections()


def test_closing_ends_what_another_thread_does(slow: None, threads: ThreadPoolExecutor) -> None:
    with homie.open(**TINY) as session:
        driving = threads.submit(session.call, "Go to", "box")
        drives(session, driving)
    assert driving.result().attempts[0].outcome is Outcome.STOPPED
