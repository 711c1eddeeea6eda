"""`--planner emmoe:HOST:PORT`: Homie is the executor of a model server that speaks the documented bytes of EMMOE."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from emmoe_peer import ModelServer

import homie
from homie.kernel.errors import BadInput, PlannerError

TINY = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny", "video": False}
FAST = {"connect_seconds": 0.5, "answer_seconds": 0.5}


def format_output(subtask: str, model: str = "NoMaD") -> str:
    return f"Analysis: The ball is near. Subtask: [{subtask}] Model: {model}"


DONE = [
    format_output("Go to, ball"),
    format_output("Pick, ball", "RT-1-X"),
    format_output("Go to, box"),
    format_output("Put, ball, box"),
    format_output("End"),
]


@pytest.fixture
def server() -> Iterator[Callable[..., ModelServer]]:
    servers: list[ModelServer] = []

    def start(*trials: list[str]) -> ModelServer:
        servers.append(ModelServer(trials))
        return servers[-1]

    yield start
    for opened in servers:
        opened.close()


def planner(port: int, **settings: Any) -> homie.Planner:
    return homie.make_part(homie.PLANNER, f"emmoe:127.0.0.1:{port}", settings)


@pytest.mark.parametrize("wire", ["repaired", "strict"])
def test_a_task_is_done_by_a_model_server(tmp_path, server, wire):
    peer = server(DONE)
    run = homie.run("put the ball in the box", planner=planner(peer.port, wire=wire), out=tmp_path / "run", **TINY)
    peer.join()
    assert peer.error is None and run.result.ended_by == "ended"
    (rounds,) = peer.heard
    assert [message["message"] for message in rounds] == [
        "Go to, ball|NoMaD|None",
        "Pick, ball|RT-1-X|None",
        "Go to, box|NoMaD|ball",
        "Put, ball, box|NoMaD|ball",
        "End|NoMaD|None",
    ]
    assert {(message["feedback"], message["signal"]) for message in rounds} == {("None", "success")}
    views = ["left", "back", "right", "front"] if wire == "strict" else ["front", "left", "back", "right"]
    assert rounds[2]["names"] == [f"subtask3_{view}.png" for view in views]
    assert rounds[2]["sizes"] == [(64, 64)] * 4
    steps = [json.loads(line) for line in (run.episode_folder / "steps.jsonl").read_text().splitlines()]
    assert steps[1]["decision"]["raw"] == "Pick, ball|RT-1-X|None"


def test_twenty_rounds_and_the_trial_after_them(tmp_path, server):
    """The server hears the result of the last round too: it waits for it before its next trial."""
    peer = server([format_output("Go to, moon")], DONE)
    emmoe_planner = planner(peer.port)
    for trial, ended_by in enumerate(("rounds", "ended")):
        run = homie.run("put the ball in the box", planner=emmoe_planner, out=tmp_path / str(trial), **TINY)
        assert run.result.ended_by == ended_by
    peer.join()
    assert peer.error is None and [len(rounds) for rounds in peer.heard] == [20, 5]
    assert {message["signal"] for message in peer.heard[0]} == {"fail"}
    assert all("moon" in message["feedback"] for message in peer.heard[0])


def test_strict_tells_the_sentences_of_the_released_code(tmp_path, server):
    peer = server([format_output("Put, ball, box"), format_output("Go to, moon"), format_output("End")])
    homie.run("put the ball in the box", planner=planner(peer.port, wire="strict"), out=tmp_path / "run", **TINY)
    peer.join()
    assert [message["feedback"] for message in peer.heard[0]] == [
        "Unable to put, the hand is empty",
        "moon does not exist! Please choose another object",
        "None",
    ]


@pytest.mark.parametrize(("wire", "rounds"), [("strict", 1), ("repaired", 2)])
def test_an_end_in_another_word_ends_only_the_strict_trial(tmp_path, server, wire, rounds):
    peer = server([format_output("Go to, ball", "NoMaD\nI recommend it."), format_output("End")])
    run = homie.run("find the ball", planner=planner(peer.port, wire=wire), out=tmp_path / "run", **TINY)
    assert run.result.rounds == rounds


def test_a_model_that_the_server_could_not_read_ends_its_trial(tmp_path, server):
    peer = server(["I would go to the ball."])
    run = homie.run("find the ball", planner=planner(peer.port), out=tmp_path / "run", **TINY)
    peer.join()
    assert run.result.ended_by == "ended" and [message["message"] for message in peer.heard[0]] == ["End"]


def test_a_trial_that_is_over_here_alone_is_not_played_on(tmp_path, server):
    peer = server(DONE)
    emmoe_planner = planner(peer.port)
    first = homie.run("find the ball", planner=emmoe_planner, rounds=2, out=tmp_path / "first", **TINY)
    assert first.result.rounds == 2 and len(peer.heard[0]) == 2
    for again in range(2):
        with pytest.raises(PlannerError, match="in round 2 of a trial that has ended here"):
            homie.run("find the ball", planner=emmoe_planner, out=tmp_path / f"second-{again}", **TINY)


def test_a_model_is_taken_where_it_is_listed():
    from planners.emmoe.wire import read_subtask

    actions, models = ("Go to", "Pick", "Put", "End"), ("nomad", "rt1x")
    models_read = {
        text: read_subtask(f"Go to, ball|{text}|None", "repaired", (), actions, models).model
        for text in ("RT-1-X", "[NoMaD]</s>", "octo", "NoMaD | spare", "")
    }
    assert models_read == {"RT-1-X": "rt1x", "[NoMaD]</s>": "nomad", "octo": "", "NoMaD | spare": "nomad", "": ""}
    subtask = read_subtask("Put, cup, the shelf|RT-1-X|cup", "strict", ("mug",), actions, models).subtasks[0]
    assert (subtask.target, subtask.destination) == ("mug", "the shelf")


def test_a_long_sentence_is_cut_to_what_the_released_code_reads():
    from homie.kernel.types import Feedback, Subtask
    from planners.emmoe.wire import feedback_message, read_feedback

    message = feedback_message(Feedback("fail", None, "ä" * 2000), Subtask("Pick", "cup"), "repaired")
    sentence, ok = read_feedback(message)
    assert 1000 < len(message) <= 1024 and set(sentence) == {"ä"} and not ok


# ------------------------------------------------------------ peers that fail


def peer_that(*replies: bytes | None) -> int:
    """A server that answers one message after the other so, and then hangs up; None keeps silent."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, listener:
            for reply in replies:
                connection.recv(65536)
                if reply is None:
                    connection.recv(65536)
                    return
                connection.sendall(reply)
            if len(b"".join(filter(None, replies))) > 1024:
                connection.recv(1024)  # until the other side has had enough

    threading.Thread(target=serve, daemon=True).start()
    return int(listener.getsockname()[1])


ACK = b"feedback received!"


GO = b"Go to, ball|NoMaD|None"


@pytest.mark.parametrize(
    ("replies", "sentence", "finished"),
    [
        ((), "closed the connection in round 1", 0),
        ((None,), "has sent nothing for 0.5 s in round 1. If it answers another client", 0),
        ((b"Go to, ball|NoMaD",), "closed the connection in the middle of a message", 0),
        ((GO, b"thanks"), "closed the connection in the middle of a message", 1),
        ((GO, GO), "did not acknowledge a result but sent", 1),
        ((GO, ACK), "closed the connection in round 2", 1),
        ((GO, ACK, b"\xff|\xfe|\x80"), "sent no text", 1),
        ((b"x" * 70_000,), "sent a message of more than 65536 bytes in round 1", 0),
    ],
)
def test_a_server_that_fails_ends_the_episode_in_a_sentence(tmp_path, replies, sentence, finished):
    emmoe_planner = planner(peer_that(*replies), **FAST)
    with pytest.raises(PlannerError) as raised:
        homie.run("find the ball", planner=emmoe_planner, out=tmp_path / "run", **TINY)
    assert sentence in str(raised.value)
    (folder,) = (tmp_path / "run" / "episodes").iterdir()
    assert len((folder / "steps.jsonl").read_text().splitlines()) == finished
    with pytest.raises(PlannerError, match="EMMOE's model server"):
        emmoe_planner.reset("find the ball", seed=0)


def test_a_message_may_come_in_pieces(tmp_path):
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection, listener:
            for pieces in (
                (b"Go to, ba", b"ll|NoMaD|", b"None"),
                (b"feedback ", b"received!"),
                (b"En", b"d|NoMaD|", b"None"),
            ):
                connection.recv(1024)
                for piece in pieces:
                    time.sleep(0.2)
                    connection.sendall(piece)
            connection.recv(1024)
            connection.sendall(ACK)

    threading.Thread(target=serve, daemon=True).start()
    emmoe_planner = planner(listener.getsockname()[1])
    run = homie.run("find the ball", planner=emmoe_planner, out=tmp_path / "run", **TINY)
    assert [str(item.subtask) for item in run.result.history] == ["[Go to, ball]", "[End]"]


def test_a_subtask_with_four_parts_is_feedback(tmp_path, server):
    peer = server([format_output("Pick, ball, box, moon"), format_output("End")])
    run = homie.run("find the ball", planner=planner(peer.port), out=tmp_path / "run", **TINY)
    peer.join()
    assert run.result.rounds == 2 and peer.heard[0][0]["signal"] == "fail"
    assert "[action, target]" in peer.heard[0][0]["feedback"]


def test_the_command_says_where_no_server_is(homie):
    nobody = socket.create_server(("127.0.0.1", 0))
    port = nobody.getsockname()[1]
    nobody.close()
    tiny = ["--robot", "tiny", "--skills", "tiny", "--detector", "tiny", "--targets", "tiny", "--no-video"]
    late = homie("run", "find the ball", "--planner", f"emmoe:127.0.0.1:{port}", "--set", "connect_seconds=0.3", *tiny)
    assert late.returncode == 4 and "cannot be reached (Connection refused), tried for 0.3 s" in late.stderr
    for argument, settings, sentence in [
        ("emmoe:10010", [], "is HOST:PORT, such as 127.0.0.1:10010"),
        ("emmoe:192.0.2.7:10010", [], "has no token and no encryption"),
        (f"emmoe:127.0.0.1:{port}", ["--rounds", "21", "--set", "connect_seconds=0.3"], "cannot be reached"),
    ]:
        completed = homie("run", "find the ball", "--planner", argument, *settings, *tiny)
        assert completed.returncode in (2, 4) and sentence in completed.stderr and "Traceback" not in completed.stderr


@pytest.mark.slow
def test_a_bench_goes_on_with_a_server_that_was_started_again(tmp_path, homie):
    """What was played is kept, the rest is lost in a sentence, and `--again` plays it."""
    (tmp_path / "suite.yaml").write_text(
        "{format: 1, name: tiny, protocol: {trials: 3}, tasks: [{id: ball, text: put the ball in the box,"
        " goal: {in: [ball, box]}}]}"
    )
    first = ModelServer([DONE])
    tiny = ["--robot", "tiny", "--skills", "tiny", "--detector", "tiny", "--targets", "tiny", "--workers", "1"]
    server = ["--planner", f"emmoe:127.0.0.1:{first.port}", "--set", "connect_seconds=1"]
    command = ["bench", "suite.yaml", *server, "--retries", "0", "--out", "run", *tiny]
    lost = homie(*command)
    first.join()
    first.close()
    assert "closed the connection in round 1" in lost.stderr + lost.stdout and lost.returncode == 4
    again = ModelServer([DONE, DONE], first.port)
    completed = homie(*command, "--again")
    assert completed.returncode == 0, completed.stderr + completed.stdout
    again.join()
    again.close()
    assert completed.returncode == 0 and "3/3 done" in completed.stderr + completed.stdout, completed.stderr
    assert len(first.heard) == 1 and len(again.heard) == 2 and first.error is again.error is None


def test_more_rounds_than_the_server_counts_are_refused(tmp_path, server):
    with pytest.raises(BadInput, match="use --rounds 20 or fewer"):
        homie.run("find it", planner=planner(server(DONE).port), rounds=30, out=tmp_path / "run", **TINY)


def test_long_paths_are_refused(tmp_path, server):
    far = tmp_path / ("a" * 120) / ("b" * 120)
    emmoe_planner = planner(server(DONE).port, pictures=str(far))
    with pytest.raises(BadInput, match="give a folder with a shorter path"):
        homie.run("find the ball", planner=emmoe_planner, out=tmp_path / "run", **TINY)
