"""The messages in a recording: each has the form that its schema says, and is read as it was written."""

from __future__ import annotations

import base64
import json
import math

import numpy as np
import pytest

from homie.data.lerobot.language import TOOLS
from homie.data.lerobot.task_tables import TASKS, read_tasks, write_tasks
from homie.data.options import EmmoeOptions, GenerateOptions, SplitOptions
from homie.data.recording import topics
from homie.envs.mujoco.robots.bodies.fetch import SPEC
from homie.kernel.errors import BadInput
from homie.kernel.types import Command, GripperState, Intrinsics, Pose, Pose2, Proprioception

KINDS = {"object": dict, "array": list, "string": str, "number": (int, float), "integer": int}
LENS = Intrinsics(60.0, 61.0, 32.0, 24.0, 64, 48)
MESSAGES = {
    topics.STATE: topics.scalars({"elbow.pos": 0.25, "base.x": -1.0}),
    topics.REQUESTED: topics.scalars({}),
    topics.SENT: topics.scalars({"lift.pos": 1.5}),
    topics.EVENTS: topics.event("subtask", 1.5, 2.25, {"action": "Pick"}),
    topics.image_topic("head"): topics.image("head", 3.25, b"\xff\xd8jpeg"),
    topics.depth_topic("head"): topics.depth_image("head", 3.25, b"\x89PNG", LENS),
}


def check(value: object, schema: dict[str, object]) -> None:
    """A value against a JSON schema, of which every part has to be understood."""
    kind = schema["type"]
    assert isinstance(value, KINDS[str(kind)])
    if kind == "object":
        parts: dict[str, dict[str, object]] = schema["properties"]  # type: ignore[assignment]
        assert isinstance(value, dict) and set(value) == set(parts)
        for name, part in parts.items():
            check(value[name], part)
    if kind == "array":
        assert isinstance(value, list)
        for item in value:
            check(item, schema["items"])  # type: ignore[arg-type]
    if "contentEncoding" in schema:
        assert schema["contentEncoding"] == "base64" and base64.b64decode(str(value), validate=True)


@pytest.mark.parametrize("topic", MESSAGES)
def test_a_message_has_the_form_that_its_schema_says(topic: str) -> None:
    schema = json.loads(topics.schema_text(topics.schema_of(topic)))
    assert schema["title"] == topics.schema_of(topic)
    message = json.loads(MESSAGES[topic])
    check(message, schema)
    assert ("data" in message) is ("contentEncoding" in schema["properties"].get("data", {}))


def test_the_names_that_foxglove_and_lerobot_know() -> None:
    assert {topic: topics.schema_of(topic) for topic in MESSAGES} == {
        "/observation/state": "lerobot.Scalars",
        "/action/requested": "lerobot.Scalars",
        "/action/state": "lerobot.Scalars",
        "/events": "foxglove.Event",
        "/observation/images/head": "foxglove.CompressedImage",
        "/observation/depth/head": "homie.DepthImage",
    }
    assert topics.image_topic("wrist.left") == "/observation/images/wrist_left"
    assert topics.depth_topic("wrist.left") == "/observation/depth/wrist_left"


def test_messages_are_read_as_they_were_written() -> None:
    assert topics.read_scalars(MESSAGES[topics.STATE]) == {"elbow.pos": 0.25, "base.x": -1.0}
    assert topics.read_event(MESSAGES[topics.EVENTS]) == (1.5, 2.25, {"kind": "subtask", "action": "Pick"})
    image = MESSAGES[topics.image_topic("head")]
    assert topics.read_image(image) == b"\xff\xd8jpeg"
    fields = json.loads(image)
    assert (fields["frame_id"], fields["format"], fields["timestamp"]) == (
        "head",
        "jpeg",
        {"sec": 3, "nsec": 250_000_000},
    )
    depth = MESSAGES[topics.depth_topic("head")]
    assert topics.read_depth_image(depth) == (b"\x89PNG", (60.0, 61.0, 32.0, 24.0))
    fields = json.loads(depth)
    assert (fields["frame_id"], fields["format"], fields["timestamp"]) == (
        "head",
        "png",
        {"sec": 3, "nsec": 250_000_000},
    )


def test_measurements_and_commands_of_a_body_by_label() -> None:
    body = Proprioception(Pose2(1.0, 2.0, 0.5), (0.3, -0.1), {"elbow": 0.7}, {"gripper": GripperState(0.04)})
    assert topics.measured(body) == {
        "elbow.pos": 0.7,
        "gripper.pos": 0.04,
        "base.x": 1.0,
        "base.y": 2.0,
        "base.yaw": 0.5,
        "base.linear.vel": 0.3,
        "base.angular.vel": -0.1,
    }
    command = Command(base=(0.2, -0.4), torso=0.1, head=(0.5, 0.6), gripper=0.05)
    reported = topics.command_targets(command, SPEC)
    assert reported == {
        "base.linear.vel": 0.2,
        "base.angular.vel": -0.4,
        "torso_lift_joint.pos": 0.1,
        "head_pan_joint.pos": 0.5,
        "head_tilt_joint.pos": 0.6,
        "gripper.pos": 0.05,
    }
    assert topics.command_of(reported, SPEC) == Command(
        base=(0.2, -0.4), torso=(0.1,), head=(0.5, 0.6), gripper=(0.05,)
    )
    pose = Pose(np.array([1.0, 2.0, 3.0]), np.arange(9.0).reshape(3, 3))
    numbers = [1.0, 2.0, 3.0, *range(9)]
    assert topics.command_targets(Command(effector=pose), SPEC) == {
        f"effector.{n}": float(x) for n, x in enumerate(numbers)
    }


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"tail.pos": 0.1, "wing.pos": 0.2}, "the robot fetch has no tail.pos, wing.pos"),
        ({"base.linear.vel": 0.1}, "no target for base.angular.vel of the group base"),
        ({"head_tilt_joint.pos": 0.1}, "no target for head_pan_joint.pos of the group head"),
    ],
)
def test_what_is_no_command_of_a_robot(values: dict[str, float], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        topics.command_of(values, SPEC)


def test_the_subtask_as_a_tool_is_a_schema() -> None:
    """What a chat template shows a model, as OpenAI and Hugging Face describe functions."""
    (tool,) = TOOLS
    assert tool["type"] == "function" and set(tool) == {"type", "function"}
    function = tool["function"]
    assert function["name"] == "subtask" and function["description"].endswith(".")
    parameters = function["parameters"]
    check({"action": "Put", "target": "apple", "destination": "fridge"}, parameters)
    assert parameters["required"] == ["action"]
    assert all(
        part["description"].endswith(".") or ":" in part["description"] for part in parameters["properties"].values()
    )


def test_tasks_are_the_index_of_their_table_for_pandas(tmp_path) -> None:
    """LeRobot looks an instruction up by its text: without the index it is read as a number."""
    pandas = pytest.importorskip("pandas")
    (tmp_path / TASKS).parent.mkdir(parents=True, exist_ok=True)
    write_tasks(tmp_path, ["push", "pull"])
    table = pandas.read_parquet(tmp_path / TASKS)
    assert table.loc["pull"].task_index == 1 and table.loc["push"].task_index == 0
    assert list(table.columns) == ["task_index"]
    assert table.task_index.dtype == "int64"
    assert read_tasks(tmp_path) == ["push", "pull"]


@pytest.mark.parametrize(
    ("options", "fields", "right", "wrong"),
    [
        (GenerateOptions, {"suite": "x", "out": "o"}, {"rounds": (1, 1000, None)}, {"rounds": (0, 1001)}),
        (GenerateOptions, {"suite": "x", "out": "o"}, {"workers": (1, 256)}, {"workers": (0, 257)}),
        (GenerateOptions, {"suite": "x", "out": "o"}, {"failures": (0.0, 1.0)}, {"failures": (-0.1, 1.1)}),
        (GenerateOptions, {"suite": "x", "out": "o"}, {"episodes": (1, None)}, {"episodes": (0,)}),
        (GenerateOptions, {"out": "o"}, {"suite": ("x",)}, {"suite": ("",)}),
        (GenerateOptions, {"suite": "x", "out": "o"}, {"split": ("train", "test", None)}, {"split": ("dev",)}),
    ],
)
def test_bounds_of_options(options, fields, right, wrong) -> None:
    for name, values in right.items():
        for value in values:
            assert getattr(options.build(**fields, **{name: value}), name) == value
    for name, values in wrong.items():
        for value in values:
            with pytest.raises(BadInput, match=name):
                options.build(**fields, **{name: value})


def test_what_options_are_where_nothing_is_said(tmp_path) -> None:
    generated = GenerateOptions.build(suite="x", out=tmp_path)
    assert (generated.failures, generated.skills, generated.targets) == (0.0, "ideal", "background")
    assert (generated.frames, generated.picture_size, generated.seed) == (True, None, 0)
    exported = EmmoeOptions.build(sources=[tmp_path], out=tmp_path)
    assert (exported.keep, exported.split, exported.explain, exported.license) == ("done", "suite", True, None)
    assert str(SplitOptions.build(sources=[tmp_path]).out) == "split.json"


def test_a_number_that_is_not_finite_costs_no_recording():
    assert topics.read_scalars(topics.scalars({"elbow.pos": math.nan, "base.x": -1.0})) == {"base.x": -1.0}
    earlier = topics.read_scalars(b'{"scalars": [{"label": "elbow.pos", "value": NaN}]}')
    assert math.isnan(earlier["elbow.pos"])
