"""What data sets of others say of their columns: shapes and names in whatever order, and what makes no sense."""

from __future__ import annotations

import json

import pytest

from homie.data.lerobot.columns import (
    coding_in,
    dropped,
    features,
    key_of,
    layout_of,
    name_of,
    number,
    position,
)
from homie.data.lerobot.info import Feature, Info, is_lerobot, read_info
from homie.kernel.errors import BadInput

CONTENT = {"codebase_version": "v3.0", "fps": 30, "total_episodes": 2, "features": {}}


def picture(*shape, names=None, **info):
    return Feature(dtype="video", shape=shape, names=names, info=info or None)


@pytest.mark.parametrize(
    ("shape", "names", "sides"),
    [
        ((48, 64, 3), None, (48, 64, 3)),
        ((3, 48, 64), None, (48, 64, 3)),
        ((1, 48, 64), None, (48, 64, 1)),
        ((48, 64, 1), None, (48, 64, 1)),
        ((48, 64, 4), None, (48, 64, 4)),
        ((48, 64), None, (48, 64, 1)),
        ((64, 48, 3), ["width", "height", "channel"], (48, 64, 3)),
        ((3, 64, 48), ["C", "W", "H"], (48, 64, 3)),
        ((3, 3, 3), ["h", "w", "c"], (3, 3, 3)),
        ((3, 48, 64), ["height", "width", "channels"], (48, 64, 3)),
        ((48, 64, 3), ["a", "b", "c"], (48, 64, 3)),
        ((48, 64, 3), ["height", "height", "channels"], (48, 64, 3)),
    ],
)
def test_the_sides_of_pictures_in_any_order(shape, names, sides):
    """By their names, else as such numbers can only be meant."""
    camera = picture(*shape, names=names).camera("observation.images.top")
    assert (camera.height, camera.width, camera.channels) == sides and camera.column == "" and not camera.depth


@pytest.mark.parametrize("shape", [(48,), (48, 64, 5), (5, 48, 64), (2, 48, 64, 3), ()])
def test_what_is_no_shape_of_pictures(shape):
    with pytest.raises(ValueError, match=r"^the pictures of 'top' have the shape \["):
        picture(*shape).camera("top")


def test_a_film_of_distances_keeps_how_they_are_coded():
    info = {"video.is_depth_map": True, "depth.scale": 0.001, "video.codec": "hevc", "has_audio": False}
    camera = picture(48, 64, 1, **info).camera("depth.top")
    assert camera.depth and camera.column == "depth.top" and camera.coding == (("depth.scale", 0.001),)
    plain = picture(48, 64, 3, **{"depth.scale": 0.001}).camera("x")
    assert not plain.depth and plain.coding == ()
    assert picture(48, 64, 1, is_depth_map=True).camera("x").depth


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["a", "b"], ("a", "b")),
        ({"motors": ["a", "b"]}, ("a", "b")),
        ({"b": 1, "a": 0}, ("a", "b")),
        ({"left": ["a"], "right": ["a"]}, ("left.a", "right.a")),
        ({"left": ["a"], "right": ["b"]}, ("a", "b")),
        ([["a"], ["b"]], ("a", "b")),
        (["a", "a"], ("state.0", "state.1")),
        (["a"], ("state.0", "state.1")),
        (None, ("state.0", "state.1")),
        ([1, 2], ("1", "2")),
    ],
)
def test_what_each_number_is_called(names, labels):
    assert Feature(dtype="float32", shape=(2,), names=names).labels("state") == labels


def write_info(root, **changes):
    (root / "meta").mkdir(parents=True, exist_ok=True)
    (root / "meta/info.json").write_text(json.dumps({**CONTENT, **changes}))
    return root


def test_a_data_set_is_read_with_what_it_leaves_out(tmp_path):
    assert not is_lerobot(tmp_path)
    info, content = read_info(write_info(tmp_path, fps=30.0, more=1))
    assert is_lerobot(tmp_path) and content["more"] == 1
    assert (info.fps, info.total_episodes, info.total_frames, info.robot_type, info.video_path) == (
        30,
        2,
        None,
        None,
        None,
    )
    assert info.data_path == "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"codebase_version": "v2.1"},
            r"version v2\.1, and v3\.0 is read: convert it with lerobot's `convert_dataset_v21",
        ),
        (
            {"codebase_version": "v2.0"},
            r"with lerobot's converters up to version 2\.1, then lerobot's `conv",
        ),
        ({"fps": 29.97}, r"29\.97 is not a whole number from 1 on"),
        ({"fps": 0}, r"0 is not a whole number"),
        ({"fps": True}, r"true is not a whole number"),
        ({"total_episodes": -1}, r"total_episodes"),
        ({"features": {"a/b": {"dtype": "float32"}}}, r"'a/b' cannot be the name of a column"),
        ({"features": {"..": {"dtype": "float32"}}}, r"'\.\.' cannot be the name"),
        ({"features": {"a": {"dtype": "float32", "shape": [0]}}}, r"shape"),
        ({"data_path": "../{chunk_index}/{file_index}"}, r"leaves the folder of the data set"),
        ({"data_path": "/x/{chunk_index}/{file_index}"}, r"leaves the folder of the data set"),
        ({"video_path": "{video}/{chunk_index}"}, r"needs \{chunk_index\} and \{file_index\}, and no other values"),
    ],
)
def test_what_makes_no_sense_is_reported(tmp_path, changes, sentence):
    with pytest.raises(BadInput, match=sentence):
        read_info(write_info(tmp_path, **changes))


def test_what_is_no_data_set_is_reported(tmp_path):
    with pytest.raises(BadInput, match=r"^There is no LeRobot data set in .*: meta/info.json cannot be read"):
        read_info(tmp_path)


def info(**columns):
    return Info.model_validate({**CONTENT, "features": columns})


STATE = {"dtype": "float32", "shape": [2], "names": ["a", "b"]}


def test_the_columns_that_a_demonstration_has_a_place_for():
    columns = {
        "observation.state": STATE,
        "action": {**STATE, "names": ["c", "d"]},
        "observation.images.top": {"dtype": "video", "shape": [48, 64, 3]},
        "wrist": {"dtype": "image", "shape": [48, 64, 3]},
        "observation.force": {"dtype": "float32", "shape": [6]},
        "plan": {"dtype": "string", "shape": [1]},
        "failure": {"dtype": "string", "shape": [1]},
        "timestamp": {"dtype": "float32", "shape": [1]},
    }
    read = info(**columns)
    layout = layout_of(read)
    assert (layout.robot, layout.fps, layout.state, layout.action) == ("", 30, ("a", "b"), ("c", "d"))
    assert {name: camera.column for name, camera in layout.cameras.items()} == {"top": "", "wrist": "wrist"}
    assert dropped(read, noted=True) == ("observation.force",)
    assert dropped(read, noted=False) == ("observation.force", "plan", "failure")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"action": STATE}, "'observation.state' is missing"),
        ({"observation.state": STATE}, "'action' is missing"),
        ({"observation.state": STATE, "action": {**STATE, "dtype": "string"}}, "'action' is of the type 'string', and"),
    ],
)
def test_without_numbers_of_body_and_command_it_is_no_demonstration(columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        layout_of(info(**columns))


def test_names_of_cameras_and_their_columns():
    assert name_of("observation.images.top", ()) == "top" and name_of("wrist", ("wrist",)) == "wrist"
    assert name_of("observation.images.top", ("top",)) == "observation.images.top", "another column has that name"
    assert name_of("observation.images.", ()) == "observation.images."
    camera = picture(48, 64, 3).camera("observation.images.top")
    assert key_of("top", camera) == key_of("observation.images.top", camera) == "observation.images.top"
    assert key_of("wrist", picture(48, 64, 3).camera("wrist")) == "wrist"


def test_files_are_counted_in_chunks_of_a_thousand():
    for count, place in ((0, (0, 0)), (999, (0, 999)), (1000, (1, 0)), (2345, (2, 345))):
        assert position(count) == place and number(place) == count


@pytest.mark.parametrize("language", ["columns", "strings"])
def test_what_homie_writes_of_its_columns(language):
    read = info(
        **{
            "observation.state": STATE,
            "action": STATE,
            "observation.images.top": {"dtype": "video", "shape": [48, 64, 3]},
        }
    )
    columns = features(layout_of(read), language)
    assert columns["observation.state"] == {"dtype": "float32", "shape": [2], "names": ["a", "b"]}
    top = columns["observation.images.top"]
    assert (top["dtype"], top["shape"], top["names"]) == ("video", [48, 64, 3], ["height", "width", "channels"])
    top_info = top["info"]
    assert (top_info["video.height"], top_info["video.width"], top_info["video.channels"], top_info["video.fps"]) == (
        48,
        64,
        3,
        30,
    )
    assert top_info["has_audio"] is top_info["is_depth_map"] is top_info["video.is_depth_map"] is False
    coding = coding_in(Feature.model_validate(top))
    assert coding is not None and (coding.codec, coding.pixels) == (top_info["video.codec"], top_info["video.pix_fmt"])
    assert coding_in(picture(48, 64, 3)) is None
    automatic = {"timestamp": "float32"} | dict.fromkeys(
        ("frame_index", "episode_index", "index", "task_index"), "int64"
    )
    words = {"columns": ("language_persistent", "language_events"), "strings": ("subtask", "plan", "failure")}[language]
    kind = {"columns": "language", "strings": "string"}[language]
    plain = automatic | dict.fromkeys(words, kind)
    assert {name: columns[name] for name in plain} == {
        name: {"dtype": dtype, "shape": [1], "names": None} for name, dtype in plain.items()
    }
    assert set(columns) == {*plain, "observation.state", "action", "observation.images.top"}
