"""Episodes driven over HTTP: in the embedded home, several at a time, with trouble, and from the command line."""

from __future__ import annotations

import json
import re
import signal
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from subprocess import PIPE, Popen
from subprocess import run as run_process

import pytest
from endpoint import Body, Connection, Endpoint, Way, hangs, raw, says, status
from homes import PLANS, SCENES
from text_world import stage

from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import BadInput, PlannerError
from homie.kernel.options import RunOptions
from homie.kernel.support.packages import install_command
from homie.kernel.types import Subtask
from homie.runtime.assembly import assemble, load_planner
from homie.runtime.provenance import read_parts, read_text
from homie.runtime.runstore import read_episode, read_run, read_steps
from homie.runtime.session import run
from planners.scripted import read_script

SECRET = "sk-of-the-episode-0123456789"


def answer(subtask: Subtask, model: str = "classical") -> str:
    """A decision as a model says it (equation 5)."""
    parts = {"action": subtask.action, "target": subtask.target, "destination": subtask.destination}
    named = {name: value for name, value in parts.items() if value}
    return json.dumps({"analysis": f"Next: {subtask}", "subtask": named, "model": model})


def serve_answers(*script: Subtask, model: str = "text") -> list[Way]:
    """A model that says these and then End."""
    return [says(answer(subtask, model)) for subtask in (*script, Subtask("End"))]


def pictures(body: Body) -> int:
    return json.dumps(body["messages"]).count('"type": "image')


FRIDGE = tuple(decision.subtasks[0] for decision in read_script(PLANS / "fridge.yaml"))
APPLE = (Subtask("Go to", "apple"), Subtask("Pick", "apple"))


@pytest.mark.parametrize(
    ("planner", "script", "place"),
    [pytest.param("chat", FRIDGE, "fridge", marks=pytest.mark.slow), ("anthropic", APPLE, None)],
)
def test_a_served_model_does_a_task_in_the_embedded_home(
    planner: str, script: tuple[Subtask, ...], place: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SERVED_KEY", SECRET)
    script = (*script, Subtask("End"))
    ways: list[Way] = [says(answer(subtask), thought="Let me see.") for subtask in script]
    # Trouble on the way: an overload, a lost second, an answer that is none.
    ways[1:1] = [status(429, Retry_After="0"), status(500)]
    ways.insert(4, says('{"number": 3}'))
    with Endpoint(*ways) as endpoint:
        summary = run(
            RunOptions.build(
                task="put the apple in the fridge",
                scene=SCENES / "kitchen.json",
                planner=f"{planner}:served",
                planner_settings={
                    "base_url": endpoint.url.removesuffix("/v1") if planner == "anthropic" else endpoint.url,
                    "api_key_env": "SERVED_KEY",
                    "backoff": 0.05,
                    "price_input": 1.0,
                    "price_output": 1.0,
                    "hand": place is None,
                },
                video=False,
                out=tmp_path / "run",
            )
        )
        assert len(endpoint.asked) == len(ways)
        assert [pictures(request.body) for request in endpoint.asked] == [4 if place else 5] * len(ways)
    assert summary.result.ended_by == "ended"
    assert [item.subtask for item in summary.result.history] == list(script)
    assert all(item.feedback.ok for item in summary.result.history)
    state = json.loads((summary.episode_folder / "final_state.json").read_text())
    assert state["objects"]["apple"]["at"] == place if place else state["held"] == "apple"

    records = read_steps(summary.episode_folder)
    answers = [answer for record in records for answer in record.decision.answers]
    assert len(answers) == len(script) + 1 and [bool(answer.problem) for answer in answers].count(True) == 1
    assert all((answer.input_tokens, answer.output_tokens) == (100, 10) for answer in answers)
    assert sum(answer.cost for answer in answers) == pytest.approx(len(answers) * 110 / 1e6)
    assert answers[0].reasoning == "Let me see."
    ending = read_episode(summary.episode_folder)
    assert ending is not None and ending.usage.answers == len(answers) and ending.usage.unreadable == 1
    assert ending.usage.input_tokens == 100 * len(answers)
    assert ending.usage.cost == pytest.approx(sum(answer.cost for answer in answers))
    parts = read_parts(summary.run_folder, read_run(summary.run_folder).parts)
    assert parts is not None and parts.planner["model"]["name"] == "served"
    prompt = parts.planner["prompt"]
    template = (
        files("planners.llm").joinpath("prompt_templates", f"{prompt['template']}.md").read_text(encoding="utf-8")
    )
    assert read_text(summary.run_folder, prompt["sha256"]) == template
    assert "subtask" in (read_text(summary.run_folder, prompt["examples"]["sha256"]) or "")
    first_body = endpoint.asked[0].body
    system = first_body["system"] if planner == "anthropic" else first_body["messages"][0]["content"]
    systems = {record.decision.system for record in records}
    assert len(systems) == 1, "the same in every round, so it is kept once"
    stored = read_text(summary.run_folder, systems.pop()) or ""
    assert len(stored) > 500 and json.dumps(stored) in json.dumps(system)
    for record in records:  # the last question of a round, as it was sent
        assert json.dumps(record.decision.question)[1:-1] in json.dumps([request.body for request in endpoint.asked])
    for path in summary.run_folder.rglob("*"):
        assert path.is_dir() or SECRET.encode() not in path.read_bytes(), path


def test_a_picture_of_the_hand_is_refused_where_the_robot_has_no_camera_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MujocoHome, "hand", "")
    options = RunOptions.build(
        task="go",
        scene=SCENES / "kitchen.json",
        planner="chat:m",
        planner_settings={"base_url": "http://127.0.0.1:9/v1", "hand": True},
    )
    with pytest.raises(BadInput, match="no camera at its hand: leave out --set hand=true"):
        assemble(options)


# ------------------------------------------------------------ several at a time

THREE = (Subtask("Go to", "lemon"), Subtask("Pick", "lemon"))
EPISODES = 8


def scripted_by_round(at: Connection, body: Body) -> None:
    """A model of many episodes at once: it reads in the question how far this one is."""
    text = json.dumps(body["messages"][-1])
    successes = text.count("(success)")
    says(answer((*THREE, Subtask("End"))[successes], "text"))(at, body)


def play_one(url: str) -> Sequence[Subtask]:
    planner = load_planner("chat:m", {"base_url": url, "examples": 0})
    result = stage().play("pick up the lemon", planner)
    return [item.subtask for item in result.history]


def test_parallel_episodes_wait_for_their_endpoint_at_the_same_time() -> None:
    together = threading.Barrier(EPISODES)

    def when_all_have_asked(at: Connection, body: Body) -> None:
        together.wait(60)  # raises where the episodes ask one after the other
        scripted_by_round(at, body)

    with Endpoint(when_all_have_asked) as endpoint, ThreadPoolExecutor(EPISODES) as pool:
        load_planner("chat:m", {"base_url": endpoint.url})  # the SDK is imported once
        histories = list(pool.map(play_one, [endpoint.url] * EPISODES))
    assert histories == [[*THREE, Subtask("End")]] * EPISODES


# ------------------------------------------------------------ trouble


def test_what_does_not_follow_the_schema_is_asked_again_and_then_reported_as_f1() -> None:
    ways = [says('{"number": 3}')] * 3 + serve_answers(Subtask("Go to", "lemon"))
    with Endpoint(*ways) as endpoint:
        planner = load_planner("chat:m", {"base_url": endpoint.url, "reasks": 2, "examples": 0})
        result = stage().play("go to the lemon", planner)
        assert [item.subtask.action for item in result.history] == ["Go to", "End"], "nothing was made up"
        assert len(endpoint.asked) == len(ways)
        first, second, third, fourth = (json.dumps(request.body["messages"]) for request in endpoint.asked[:4])
    assert second.count('{\\"number\\": 3}') == 1 and third.count('{\\"number\\": 3}') == 2
    assert '\\"number\\"' not in first and '\\"number\\"' not in fourth.rpartition("Feedback:")[0]


def test_an_answer_that_was_cut_off_is_asked_again() -> None:
    with Endpoint(says('{"analysis": "long', finish="length"), *serve_answers()) as endpoint:
        result = stage().play("go", load_planner("chat:m", {"base_url": endpoint.url}))
        assert (result.ended_by, result.rounds, len(endpoint.asked)) == ("ended", 1, 2)
        assert "cut off" in json.dumps(endpoint.asked[1].body["messages"][-1])


def test_an_endpoint_that_dies_ends_the_episode_as_infrastructure() -> None:
    settings = {"timeout": 0.4, "retries": 1, "backoff": 0.05}
    with Endpoint(*serve_answers(Subtask("Go to", "lemon"))[:1], hangs) as endpoint:
        planner = load_planner("chat:m", {"base_url": endpoint.url, **settings})
        start = time.monotonic()
        with pytest.raises(PlannerError, match="did not finish its answer"):
            stage().play("go to the lemon", planner)
        assert 0.8 <= time.monotonic() - start < 5.0


def test_the_budget_ends_an_episode() -> None:
    dollars = {"price_input": 1.0, "price_output": 1.0, "budget": 0.0002}
    with Endpoint(*serve_answers(*[Subtask("Go to", "lemon")] * 5)) as endpoint:
        with pytest.raises(PlannerError, match="The budget of the episode is spent"):
            stage().play("go", load_planner("chat:m", {"base_url": endpoint.url, **dollars}))
        assert len(endpoint.asked) == 2


# ------------------------------------------------------------ the command line

TINY = ["--robot", "tiny", "--skills", "tiny", "--detector", "tiny", "--targets", "tiny", "--no-video", "--out", "out"]


def test_an_episode_from_the_command_line(homie, tmp_path: Path) -> None:
    ways = serve_answers(Subtask("Go to", "ball"), Subtask("Pick", "ball"), model="tiny")
    with Endpoint(*ways) as endpoint:
        arguments = ["--planner", "chat:m", "--base-url", endpoint.url, "--api-key-env", "SERVED_KEY", "--json"]
        completed = homie("run", "get the ball", *TINY, *arguments, "--set", "timeout=20", SERVED_KEY=SECRET)
        assert completed.returncode == 0, completed.stderr
        assert [item["feedback"]["status"] for item in json.loads(completed.stdout)["result"]["history"]] == [
            "success"
        ] * 3
        assert endpoint.asked[0].headers["authorization"] == f"Bearer {SECRET}"
    assert SECRET not in completed.stdout + completed.stderr
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_model_that_never_answers_readably_ends_early_as_infrastructure(homie, tmp_path: Path) -> None:
    """Reasoning without an answer, as servers send it whose reasoning parser takes everything."""
    message = {"role": "assistant", "content": None, "reasoning_content": "I should go to the ball."}
    body = json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}).encode()
    with Endpoint(raw(body)) as endpoint:
        completed = homie("run", "get the ball", *TINY, "--planner", "chat:m", "--base-url", endpoint.url)
        assert len(endpoint.asked) == 9, "three rounds of three answers, not twenty"
    assert completed.returncode == 4
    warned = [line for line in completed.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warned) == 1 and "reasoning but no answer" in warned[0] and "--set structured=text" in warned[0]
    assert completed.stderr.index(warned[0]) < completed.stderr.index("round 2")
    reported = one_sentence(completed.stderr)
    assert (
        "in the first 3 rounds" in reported and "The answer is empty." in reported and "--reasoning-parser" in reported
    )
    assert (
        not list((tmp_path / "out").rglob("episode.json")) and len(list((tmp_path / "out").rglob("steps.jsonl"))) == 1
    )


def test_ctrl_c_does_not_wait_for_an_endpoint(environment, tmp_path: Path) -> None:
    with Endpoint(hangs) as endpoint:
        arguments = ["run", "get the ball", *TINY, "--planner", "chat:m", "--base-url", endpoint.url]
        process = Popen(
            [sys.executable, "-c", "from homie.cli.main import main; main()", *arguments],
            cwd=tmp_path,
            env=environment,
            stderr=PIPE,
            text=True,
            # A shell starts background jobs with Ctrl-C ignored, and this suite may be one of them.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        while not endpoint.asked:
            assert process.poll() is None
            time.sleep(0.01)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=50)
        assert process.returncode == 130 and time.monotonic() - start < 20.0, "the call would have taken 60 s"
    assert "Stopped by the user" in one_sentence(errors)


def one_sentence(stderr: str) -> str:
    """The only line for the user."""
    (line,) = [line for line in stderr.splitlines() if line.startswith("homie: ")]
    assert "Traceback" not in stderr
    return line


def test_an_address_where_nobody_is(homie, tmp_path: Path) -> None:
    completed = homie("run", "get the ball", *TINY, "--planner", "chat:m", "--base-url", "http://nobody.invalid/v1")
    assert completed.returncode == 4
    assert "Cannot reach nobody.invalid: " in one_sentence(completed.stderr)
    assert not list((tmp_path / "out").rglob("episode.json")), "an infrastructure failure is not a finished episode"


@pytest.mark.parametrize(
    ("planner", "variable"), [("chat:gpt", "OPENAI_API_KEY"), ("anthropic:claude", "ANTHROPIC_API_KEY")]
)
def test_a_missing_key_leaves_nothing_behind(homie, tmp_path: Path, planner: str, variable: str) -> None:
    completed = homie("run", "get the ball", *TINY, "--planner", planner, **{variable: ""})
    assert completed.returncode == 2
    assert f"set the environment variable {variable}" in one_sentence(completed.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("planner", "package"), [("chat", "openai"), ("anthropic", "anthropic")])
def test_a_missing_sdk_names_the_command_that_installs_it(
    planner: str, package: str, environment, tmp_path, monkeypatch
) -> None:
    code = f"import sys; sys.modules['{package}'] = None; from homie.cli.main import main; main()"
    arguments = ["run", "get the ball", *TINY, "--planner", f"{planner}:m", "--base-url", "http://127.0.0.1:1/v1"]
    command = [sys.executable, "-c", code, *arguments]
    completed = run_process(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 3
    monkeypatch.chdir(tmp_path)  # the command names the clone as it is seen from there
    assert f"`{install_command(planner)}`" in one_sentence(completed.stderr)


BLOCKED = """
import socket, sys
def refuse(*args, **more):
    raise OSError(101, "Network is unreachable")
socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = socket.create_connection = refuse
from homie.cli.main import main
main()
"""


@pytest.mark.slow
def test_without_a_network_everything_but_endpoints_works(environment, tmp_path: Path, plan) -> None:
    def blocked(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-c", BLOCKED, *arguments]
        completed = run_process(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return completed.returncode, completed.stderr

    assert blocked("run", "go", *TINY, "--planner", plan(["Go to | ball", "End"]))[0] == 0
    assert blocked("list", "planners")[0] == blocked("doctor")[0] == 0
    code, errors = blocked("run", "go", *TINY[:-1], "other", "--planner", "chat:m", "--base-url", "http://10.0.0.1/v1")
    assert code == 4
    assert one_sentence(errors).endswith("Cannot reach 10.0.0.1: Network is unreachable.")


# ------------------------------------------------------------ what can be used here


def test_list_planners_tells_what_is_usable_and_what_can_be_set(homie) -> None:
    planners = json.loads(homie("list", "planners", "--json").stdout)["planners"]
    assert planners["chat"]["usable"] and planners["anthropic"]["usable"] and planners["rule"]["usable"]
    assert planners["chat"]["settings"]["timeout"]["default"] == "60.0" and planners["rule"]["settings"] == {}
    assert "OPENAI_API_KEY" in planners["chat"]["keys"]
    assert not planners["absent"]["usable"] and planners["absent"]["fix"] == "pip install homie_absent_package"
    assert planners["expert"]["usable"] and "mistakes" in planners["expert"]["settings"]
    listing = homie("list", "planners").stdout
    assert re.search(r"^  expert +usable .*\(`homie bench` only; needs a simulator", listing, re.MULTILINE)
    assert "absent:\n  -> pip install homie_absent_package\n" in listing
    assert "base_url" in homie("list", "planners", "chat").stdout


def test_doctor_tells_which_planners_are_usable_and_which_keys_are_set(homie) -> None:
    completed = homie("doctor", "--json", MISTRAL_API_KEY=SECRET, OPENAI_API_KEY="")
    findings = {finding["name"]: finding for finding in json.loads(completed.stdout)["findings"]}
    assert findings["planner chat"]["detail"] == "usable; keys set: MISTRAL_API_KEY"
    assert (
        not findings["planner absent"]["ok"] and findings["planner absent"]["fix"] == "pip install homie_absent_package"
    )
    assert findings["optional [chat]"]["ok"] and findings["optional [anthropic]"]["ok"]
    assert SECRET not in completed.stdout + completed.stderr


def test_listing_and_examining_import_no_sdk(environment) -> None:
    code = "import sys\nfrom homie.cli.part_availability import part_states\nstates = list(part_states('planners'))\n"
    code += "print(len(states), *{'openai', 'anthropic', 'torch', 'transformers'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    completed = run_process(command, env=environment, capture_output=True, text=True, check=True)
    count, *loaded = completed.stdout.split()
    assert int(count) >= 5 and loaded == []
