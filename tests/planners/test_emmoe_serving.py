"""`homie serve emmoe-planner`: Homie's planners decide for an executor that speaks the documented bytes of EMMOE."""

from __future__ import annotations

import errno
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import PIL.Image
import pytest
from emmoe_peer import Executor
from waiting import until

import homie
from homie.bench.score.trajectory import from_conversation, read_conversation
from homie.kernel.error_codes import ErrorCode
from homie.kernel.interfaces import Planner
from homie.kernel.types import Decision, PlannerInput, Subtask
from planners.emmoe.trial import Trial, held_after
from planners.emmoe.wire import ends_trial
from planners.parse_subtask import parse_subtask

GOLDEN = Path(__file__).parents[1] / "golden" / "emmoe_metrics"
MODELS = {"octo": "octo", "rt1x": "RT-1-X"}
TASK = "put the apple in the fridge"
STEPS = ["[Go to, apple]", "[Pick, apple]", "[Go to, fridge]", "[Put, apple, fridge]", "[End]"]


class Server:
    """The command as a process."""

    def __init__(self, folder: Path, environment: dict[str, str], *arguments: str) -> None:
        self._log = folder / "log.txt"
        command = [sys.executable, "-c", "from homie.cli.main import main; main()", "serve", "emmoe-planner"]
        usual = ["--port", "0", "--json", "--executor-folder", str(folder / "work"), "--pictures", str(folder)]
        self.process = subprocess.Popen(
            [*command, *usual, *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=self._log.open("w"),
            text=True,
        )
        self.port = 0

    def wait(self) -> None:
        """Until it has its port."""
        assert self.process.stdout is not None
        text = ""
        while not text.endswith("}\n") and (line := self.process.stdout.readline()):
            text += line
        assert text, self._log.read_text()
        self.port = json.loads(text)["port"]

    def executor(self, folder: Path) -> Executor:
        (folder / "work").mkdir(exist_ok=True)
        return Executor(self.port, folder / "work")

    def end(self, after: str = "") -> tuple[int, str]:
        """Its exit code and its log; it is stopped once a sentence is there."""
        if after:
            until(lambda: after in self._log.read_text(), process=self.process)
            self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=60.0)
        return self.process.returncode, self._log.read_text()


@pytest.fixture
def serve(tmp_path: Path, environment: dict[str, str]) -> Iterator[Callable[..., Server]]:
    servers: list[Server] = []

    def start(*arguments: str) -> Server:
        servers.append(Server(tmp_path, environment, *arguments))
        servers[-1].wait()
        return servers[-1]

    yield start
    for server in servers:
        server.process.kill()
        server.process.communicate()


@pytest.fixture
def script(tmp_path: Path) -> Callable[[list[Any]], str]:
    def write(steps: list[Any]) -> str:
        (tmp_path / "plan.json").write_text(json.dumps(steps))
        return f"scripted:{tmp_path / 'plan.json'}"

    return write


@pytest.mark.parametrize("wire", ["repaired", "strict"])
def test_an_executor_plays_its_trials(tmp_path, serve, script, wire):
    server = serve(TASK, "--planner", script(STEPS), "--wire", wire, "--trials", "2", "--out", str(tmp_path / "out"))
    executor = server.executor(tmp_path)
    for trial in (1, 2):
        played = executor.play("84", trial)
        assert [(row["action"], row["item"]) for row in played] == [
            ("go to", "apple"),
            ("pick", "apple"),
            ("go to", "fridge"),
            ("put", "fridge"),
            ("end", "end"),
        ]
        assert [row["message"].split("|")[2] for row in played] == ["None", "None", "apple", "apple", "None"]
    executor.close()
    code, output = server.end("" if wire == "strict" else "has left")
    assert code == (0 if wire == "strict" else 130) and "Traceback" not in output
    assert "has left; trials played: 2" in output
    messages = read_conversation(tmp_path / "out" / "task" / "2" / "conversation.json")
    trajectory = from_conversation(messages, task_id="t", trial=2, keypaths=[STEPS], expert_length=5)
    assert trajectory.length == 5 and trajectory.last_message_has_end
    assert [step.action for step in trajectory.steps] == ["Go to", "Pick", "Go to", "Put", "End"]


def test_twenty_rounds(tmp_path, serve, script):
    """A trial ends for both sides after 20 rounds, and the next begins with the script's first step."""
    server = serve(TASK, "--planner", script(["[Go to, apple]"] * 25), "--wire", "strict", "--trials", "2")
    executor = server.executor(tmp_path)
    failed = ("Unable to go to, the subtask is too difficult to perform", "fail")
    assert [len(executor.play("84", trial, [failed])) for trial in (1, 2)] == [20, 20]
    assert server.end()[0] == 0


def test_tasks_of_a_folder_are_recognised_by_the_pictures(tmp_path, serve, environment):
    """Whatever order the executor has, the task of its pictures is the one that the planner gets."""
    for name, text in (("3", "go to the apple"), ("10", "go to the fridge")):
        (tmp_path / "data" / name).mkdir(parents=True)
        (tmp_path / "data" / name / "info.txt").write_text(f"Task: {text}\n")
    server = serve("--tasks", str(tmp_path / "data"), "--planner", "rule")
    executor = server.executor(tmp_path)
    (first, *_), (second, *_) = executor.play("10", 1), executor.play("3", 2)
    assert "fridge" in first["item"] and "apple" in second["item"]
    executor._connection.sendall(b'["exp/sft/7/1/subtask1_%s.png", "exp/sft/7/1/subtask1_back.png",' % b"left")
    executor._connection.sendall(b'"exp/sft/7/1/subtask1_right.png", "exp/sft/7/1/subtask1_front.png"]')
    assert executor._connection.recv(1024) == b""
    code, output = server.end("The connection is closed")
    assert code == 130 and "plays the task '7', which is not served here" in output


def test_homie_on_both_ends(tmp_path, serve, script):
    steps = ["[Go to, ball]", "[Pick, ball]", "[Go to, box]", "[Put, ball, box]", "[End]"]
    server = serve("put the ball in the box", "--planner", script(steps))
    settings = {"pictures": str(tmp_path / "pictures")}
    emmoe_planner = homie.make_part(homie.PLANNER, f"emmoe:127.0.0.1:{server.port}", settings)
    tiny = {"robot": "tiny", "skills": "tiny", "detector": "tiny", "targets": "tiny", "video": False}
    for trial in range(2):
        run = homie.run("put the ball in the box", planner=emmoe_planner, out=tmp_path / f"run-{trial}", **tiny)
        assert [str(item.subtask) for item in run.result.history] == steps
        assert all(item.feedback.ok for item in run.result.history)


def test_a_planner_sees_the_pictures_by_their_names(tmp_path):
    from planners.emmoe.sent_pictures import PictureFolder, Place, by_view, place_of

    paths = tuple(f"exp/sft/84/2/subtask3_{view}.png" for view in ("left", "back", "right", "front"))
    assert place_of(paths) == Place("84", 2, 3) and place_of(("a.png", *paths[1:])) is None
    assert by_view(paths, named=True)["front"] == paths[3]
    assert by_view(paths, named=False)["front"] == paths[0]  # as the released model server takes them
    assert by_view(("a", "b", "c", "d"), named=True) == {"front": "d", "left": "a", "back": "b", "right": "c"}
    (tmp_path / "exp").mkdir()
    PIL.Image.fromarray(np.full((8, 8, 3), 7, np.uint8)).save(tmp_path / "exp" / "a.png")
    assert PictureFolder(tmp_path, tmp_path / "exp").read("../exp/a.png").mean() == 7


# ------------------------------------------------------------ what is sent


class Says(Planner):
    """Answers with the outputs of a model, read as the released code reads them."""

    def __init__(self, *decisions: Decision) -> None:
        self.left = list(decisions)
        self.asked: list[PlannerInput] = []

    def reset(self, task: str, *, seed: int) -> None: ...

    def decide(self, planner_input: PlannerInput) -> Decision:
        self.asked.append(planner_input)
        return self.left.pop(0)


def trial(planner: Planner, wire: Any = "repaired") -> Trial:
    start = PlannerInput(TASK, 1, {}, (), (), (), None, ("Go to", "Pick", "Put", "Open", "Close", "End"), ())
    return Trial("84", 1, start, planner, wire, MODELS)


CASES = json.loads((GOLDEN / "planner_outputs.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_strict_messages_are_those_of_the_released_code(number):
    case, expected = CASES[number], CASES[number]["expected"]
    read = Decision((parse_subtask("[Go to, x]"),), raw=case["output"])
    unread = Decision((), raw=case["output"], problem="It cannot be read.")
    played = trial(Says(*[read if expected["match"] else unread] * 3), "strict")
    played._inventory = tuple(case["inventory_before"])
    assert played.decide({}, ()) == expected["message"]
    if expected["match"]:
        assert ends_trial(expected["message"]) is expected["executor_stops"]
        ok = "None" in case["feedback"]
        played.take(case["feedback"], ok, ErrorCode.E1)
        assert played.over is expected["planner_stops"]
        if expected["inventory_raises"] is None:
            assert list(played._inventory) == expected["inventory_after"]


def test_strict_bookkeeping_goes_by_letters_and_repaired_by_actions():
    jar = Subtask("Go to", "pickle jar")
    assert held_after((), "Go to, pickle jar", jar, "None", True, "strict") == ("pickle jar",)
    assert held_after((), "Go to, pickle jar", jar, "None", True, "repaired") == ()
    lost = "Unable to put, and the object is missing"
    assert held_after(("cup",), "Put, cup, sink", Subtask("Put", "cup", "sink"), lost, False, "repaired") == ()


def test_what_the_released_executor_would_take_for_an_end_is_not_sent():
    """The planner hears why, and decides again."""
    blender = Decision((Subtask("Go to", "blender"),))
    planner = Says(blender, Decision((Subtask("Go to", "mixer"),), model="octo"))
    assert trial(planner).decide({}, ()) == "Go to, mixer|octo|None"
    assert planner.asked[1].feedback is not None and "'end' in it" in planner.asked[1].feedback.message
    stubborn = trial(Says(*[blender] * 3))
    assert stubborn.decide({}, ()) == "End"
    stubborn.take("None", True, ErrorCode.E1)
    assert stubborn.over
    assert trial(Says(blender), "strict").decide({}, ()) == "Go to, blender|None|None"
    sent = trial(Says(Decision((Subtask("Put", "it", "sink"),), model="octo\nI recommend it")))
    sent._inventory = ("blender",)
    assert sent.decide({}, ()) == "Put, it, sink|None|object"


def test_a_plan_is_sent_subtask_by_subtask_until_one_fails():
    plan = Decision(tuple(parse_subtask(step) for step in STEPS[:3]), model="rt1x")
    planner = Says(plan, Decision((Subtask("End"),)))
    played = trial(planner)
    assert played.decide({}, ()) == "Go to, apple|RT-1-X|None"
    played.take("None", True, ErrorCode.E1)
    assert played.decide({}, ()) == "Pick, apple|RT-1-X|None"
    played.take("Unable to pick, the target is far away", False, ErrorCode.D1)
    assert played.decide({}, ()).startswith("End|")
    history = planner.asked[1].history
    assert [(item.subtask.action, item.feedback.code) for item in history] == [("Go to", None), ("Pick", ErrorCode.D1)]


# ------------------------------------------------------------ executors that fail

FINE = json.dumps([f"exp/sft/1/1/subtask1_{view}.png" for view in ("left", "back", "right", "front")]).encode()


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    place = folder / "exp" / "sft" / "1" / "1"
    place.mkdir(parents=True)
    for view in ("left", "back", "right", "front"):
        PIL.Image.fromarray(np.zeros((8, 8, 3), np.uint8)).save(place / f"subtask1_{view}.png")
    (folder / "exp" / "text.png").write_text("no picture")
    (tmp_path.parent / "outside.png").write_bytes((place / "subtask1_left.png").read_bytes())
    return folder


def test_executors_that_fail_leave_a_sentence_and_the_next_is_served(tmp_path, serve, script, work):
    server = serve(TASK, "--planner", script(STEPS), "--idle-seconds", "2", "--out", str(tmp_path / "out"))

    def meet(*messages: bytes, silent: bool = False) -> None:
        with socket.create_connection(("127.0.0.1", server.port), 30.0) as peer:
            peer.settimeout(30.0)
            try:
                for message in messages:
                    peer.sendall(message)
                    if message == FINE:
                        assert peer.recv(1024) == b"Go to, apple|None|None"
                if not silent:
                    peer.shutdown(socket.SHUT_WR)
                while peer.recv(1024):
                    pass
            except OSError as error:  # the server may close first, before the last byte was sent or read
                if error.errno not in (errno.ECONNRESET, errno.EPIPE, errno.ENOTCONN):
                    raise

    meet(b"GET / HTTP/1.1\r\n\r\n")
    meet(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    meet(FINE[:60])
    meet(b'["a.png", "b.png"]')
    meet(b'["' + b"a" * 70_000)
    meet(b"[" * 3000 + b"]" * 3000)
    meet(FINE.replace(b"subtask1_left", b"../../../../../../outside/left"))
    meet(json.dumps(["exp/text.png"] * 4).encode())
    meet(FINE, b'["None", "perhaps"]')
    meet(FINE)
    meet(silent=True)
    with socket.create_connection(("127.0.0.1", server.port), 30.0) as slow:
        for piece in (FINE[:1], FINE[1:50], FINE[50:]):
            time.sleep(0.2)
            slow.sendall(piece)
        assert slow.recv(1024) == b"Go to, apple|None|None"
        slow.sendall(b'["None", ')
        time.sleep(0.2)
        slow.sendall(b'"success"]')
        assert slow.recv(1024) == b"feedback received!"
    executor = Executor(server.port, work)
    assert len(executor.play("1", 2)) == 5
    executor.close()
    code, output = server.end("has left; trials played: 1")
    sentences = [line for line in output.splitlines() if "The connection is closed" in line]
    expected = [
        'sent no JSON list ("GET / HTTP',
        "sent no JSON list (",
        "closed the connection in the middle of a message",
        'sent no list of four picture files ("[\\"a.png\\", \\"b.png\\"]")',
        "sent a message of more than 65536 bytes",
        "sent no ",
        "which is outside of",
        "of which no picture can be read",
        'sent no feedback such as ["None", "success"]',
        "has left in round 1",
        "has sent nothing for 2 s",
        "has left in round 1",
    ]
    assert len(sentences) == len(expected), output
    for sentence, part in zip(sentences, expected, strict=True):
        assert part in sentence
    assert code == 130 and "Traceback" not in output
    lengths = [len(read_conversation(tmp_path / "out" / "task" / str(trial) / "conversation.json")) for trial in (1, 2)]
    assert lengths == [1, 5]


def test_pictures_with_other_names_belong_to_the_next_trial(serve, script, work):
    """Without names to go by, both sides count; with names, a round out of turn is refused."""
    server = serve(TASK, "--planner", script(["[Go to, apple]", "[End]"]), "--trials", "1")
    pictures = []
    for number in range(4):
        PIL.Image.new("RGB", (8, 8), (number, 0, 0)).save(work / f"{number}.png")
        pictures.append(f"{number}.png")
    with socket.create_connection(("127.0.0.1", server.port), 30.0) as peer:
        for message in (b"Go to, apple|None|None", b"End|None|None"):
            peer.sendall(json.dumps(pictures).encode())
            assert peer.recv(1024) == message
            peer.sendall(b'["None", "success"]')
            assert peer.recv(1024) == b"feedback received!"
        peer.sendall(json.dumps(pictures).encode())
        assert peer.recv(1024) == b""
    with socket.create_connection(("127.0.0.1", server.port), 30.0) as peer:
        peer.sendall(FINE.replace(b"subtask1", b"subtask3"))
        assert peer.recv(1024) == b""
    code, output = server.end("out of turn")
    assert code == 130 and "goes on after the last trial: give it more tasks or --trials" in output
    assert "sent round 3 of task 1, trial 1, out of turn" in output


def test_a_strict_server_ends_where_its_executor_does(tmp_path, serve, script, work):
    server = serve(TASK, "--planner", script(STEPS), "--wire", "strict", "--out", str(tmp_path / "out"))
    executor = server.executor(tmp_path)
    executor.play("84", 1, most=2)
    executor.close()
    code, output = server.end()
    assert code == 4 and "has left in round 2 of trial 1. Both sides count the trials for themselves" in output
    assert len(read_conversation(tmp_path / "out" / "task" / "1" / "conversation.json")) == 2


def test_a_planner_that_fails_ends_the_server(tmp_path, serve):
    server = serve(TASK, "--planner", "function:none")
    with pytest.raises((ValueError, OSError)):
        server.executor(tmp_path).play("84", 1)
    code, output = server.end()
    assert code == 4 and "is a function of another program" in output and "Traceback" not in output


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "Which task? Give its text, or a folder of tasks as --tasks."),
        ((TASK, "--tasks", "."), 2, "Which task?"),
        (("--tasks", "nowhere"), 2, "Cannot read the folder of tasks nowhere"),
        (("--tasks", "."), 2, "There is no task in ."),
        ((TASK, "--host", "0.0.0.0"), 2, "EMMOE's protocol has no token and no encryption"),
        ((TASK, "--host", "192.0.2.1", "--without-token"), 2, "Give an address of this machine."),
        ((TASK, "--detector", "simulated"), 2, "reads the simulator, not pictures"),
        ((TASK, "--out", "full"), 2, "The folder full is not empty"),
        ((TASK, "--port", "TAKEN"), 4, "Try another --port"),
    ],
)
def test_what_cannot_be_served_is_refused(tmp_path, request, arguments, code, sentence):
    (tmp_path / "full" / "1").mkdir(parents=True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        words = [port if argument == "TAKEN" else argument for argument in arguments]
        run = request.getfixturevalue("homie")
        refused = run("serve", "emmoe-planner", *(words if port in words else [*words, "--port", "0"]))
    assert refused.returncode == code, refused.stderr
    assert sentence in refused.stderr and "Traceback" not in refused.stderr
