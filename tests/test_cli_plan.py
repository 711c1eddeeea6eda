"""`homie plan`: one decision from pictures, without a robot. The model is a real HTTP server on this machine."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from homie.cli.commands.plan import first_round, read_picture, report
from homie.kernel.errors import BadInput
from homie.kernel.options import PlanOptions
from homie.kernel.types import VIEWS, Decision, Subtask
from homie.testing import ChatServer

ANSWER = {"analysis": "It's on the left.", "subtask": {"action": "Go to", "target": "apple"}, "model": "classical"}


@pytest.fixture
def pictures(tmp_path: Path) -> list[Path]:
    """Four pictures of one colour each: 10, 20, 30, 40."""
    paths = []
    for at, view in enumerate(VIEWS, 1):
        paths.append(tmp_path / f"{view}.png")
        PIL.Image.fromarray(np.full((30, 40, 3), at * 10, np.uint8)).save(paths[-1])
    return paths


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[ChatServer]:
    text = getattr(request, "param", json.dumps(ANSWER))
    with ChatServer(lambda messages: text) as endpoint:
        yield endpoint


def test_the_rule_planner_needs_nothing(homie) -> None:
    completed = homie("plan", "pick up the apple")
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.splitlines()[-1] == "subtask   [Go to, apple]"


def test_json(homie) -> None:
    completed = homie("plan", "pick up the apple", "--json")
    assert completed.returncode == 0, completed.stderr
    printed = json.loads(completed.stdout)
    assert printed["subtasks"] == [{"action": "Go to", "target": "apple", "destination": ""}]
    assert printed["planner"] == {}


def test_a_model_behind_an_endpoint_sees_the_pictures_in_order(homie, server: ChatServer, pictures: list[Path]) -> None:
    pytest.importorskip("openai")
    images = [word for path in pictures[:3] for word in ("--image", str(path))]
    where = ["--planner", "chat:any", "--base-url", server.url, "--set", "examples=1", "--inventory", "pear"]
    completed = homie("plan", "bring the apple", *images, *where)
    assert completed.returncode == 0, completed.stderr
    assert completed.stdout.splitlines() == [
        "analysis  It's on the left.",
        "subtask   [Go to, apple]",
        "model     classical",
    ]
    (request,) = server.requests
    parts = request["messages"][-1]["content"]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    colours = [PIL.Image.open(BytesIO(base64.b64decode(url.partition(",")[2]))).getpixel((0, 0))[0] for url in urls]
    assert colours == [10, 20, 30]
    assert "Inventory: pear" in parts[-1]["text"]


@pytest.mark.parametrize("server", ["I would rather not plan."], indirect=True)
def test_an_unreadable_answer_is_reported_and_is_no_failure_of_the_command(homie, server: ChatServer) -> None:
    pytest.importorskip("openai")
    completed = homie("plan", "go", "--planner", "chat:any", "--base-url", server.url, "--set", "reasks=1", "--json")
    assert completed.returncode == 0, completed.stderr
    printed = json.loads(completed.stdout)
    assert printed["subtasks"] == [] and "no subtask" in printed["problem"]
    assert [answer["text"] for answer in printed["answers"]] == ["I would rather not plan."] * 2
    assert printed["planner"]["prompt"]["template"] == "emmoe-json"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["plan", ""], 2, "The instruction is empty"),
        (["plan", "go", "--image", "nothing.png"], 2, "Cannot read the picture nothing.png: No such file"),
        (["plan", "go", "--image", "."], 2, "Cannot read the picture"),
        (["plan", "go", "--image", "notes.txt"], 2, "notes.txt is not a picture: give a PNG or JPEG file"),
        (["plan", "go", "--planner", "ruel"], 2, "did you mean 'rule'?"),
        (["plan", "go", "--set", "examples=3"], 2, "The planner 'rule' has no settings"),
        (["plan", "go", "--set", f"examples={'[' * 100}"], 2, "The planner 'rule' has no settings"),
        (["plan", "go", *["--image", "a.png"] * 5], 2, "--image takes at most 4 of them (got 5)."),
    ],
)
def test_what_a_user_can_get_wrong(homie, tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    completed = homie(*arguments, "--json")
    assert completed.returncode == code
    assert message in json.loads(completed.stdout)["error"]
    assert "Traceback" not in completed.stderr


def test_pictures_of_any_kind_become_rgb(tmp_path: Path) -> None:
    for number, mode in enumerate(("L", "RGBA", "P", "1", "I;16")):
        path = tmp_path / f"{number}.png"
        PIL.Image.new(mode, (6, 4)).save(path)
        picture = read_picture(path)
        assert picture.shape == (4, 6, 3) and picture.dtype == np.uint8
    turned = PIL.Image.new("RGB", (6, 4))
    turned.getexif()[0x0112] = 6  # held upright
    turned.save(tmp_path / "turned.jpg", exif=turned.getexif())
    assert read_picture(tmp_path / "turned.jpg").shape == (6, 4, 3)
    intact = (tmp_path / "turned.jpg").read_bytes()
    (tmp_path / "cut.jpg").write_bytes(intact[: len(intact) - 60])
    with pytest.raises(BadInput, match="Cannot read the picture"):
        read_picture(tmp_path / "cut.jpg")


def test_what_the_planner_is_given(pictures: list[Path]) -> None:
    planner_input = first_round(
        PlanOptions.build(task="go", image=pictures[:2], inventory="red cup", skills="classical, m3")
    )
    assert {view: int(picture[0, 0, 0]) for view, picture in planner_input.views.items()} == {"front": 10, "left": 20}
    assert (planner_input.round, planner_input.inventory, planner_input.history, planner_input.feedback) == (
        1,
        ("red cup",),
        (),
        None,
    )
    assert planner_input.models == ("classical", "m3") and "End" in planner_input.actions


def test_a_report_has_only_what_there_is() -> None:
    assert report(Decision((), problem="It is empty.")) == "problem   It is empty."
    plan = Decision((Subtask("Pick", "a"), Subtask("End")), "So.", "m3")
    assert report(plan) == "analysis  So.\nsubtask   [Pick, a]\nsubtask   [End]\nmodel     m3"
