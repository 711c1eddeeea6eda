"""LeRobot data sets of others: what they hold is taken over as it is, or one sentence says why it is not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")
import pyarrow.parquet as pq
from foreign import HEIGHT, LENGTHS, TOP, WIDTH, Foreign, film, pictures, png

from homie.data.lerobot.reader import LeRobotReader
from homie.data.lerobot_export import LeRobotExport, export_lerobot
from homie.data.options import LeRobotOptions
from homie.kernel.errors import BadInput

H, W = HEIGHT, WIDTH


def export_from(root: Path, out: Path) -> tuple[LeRobotExport, list[str]]:
    """An export of a data set, and why episodes are left out."""
    reasons: list[str] = []
    options = LeRobotOptions.build(sources=[root], out=out)
    export = export_lerobot(options, lambda entry, reason: reasons.append(reason) if reason else None)
    return export, reasons


def column(out: Path, name: str) -> dict[str, Any]:
    return json.loads((out / "meta/info.json").read_text())["features"][name]


def shades(film: Any) -> list[int]:
    """Of which shade each picture is: that tells its number."""
    return [round((float(picture.mean()) - 20) / 20) for picture in film]


def check_shades(out: Path, camera: str, lengths: Any = LENGTHS) -> None:
    begins = np.concatenate([[0], np.cumsum(lengths)])
    for index, episode in enumerate(LeRobotReader(out)):
        assert shades(episode.films[camera]) == list(range(begins[index], begins[index + 1]))


@pytest.mark.parametrize("storage", ["own", "shared"])
@pytest.mark.parametrize(
    "key", ["observation.image", "image", "cam_high", TOP, "observation.images.a.b", "observation.images.", "obs.rgb.0"]
)
def test_a_camera_keeps_its_column_whatever_it_is_called(tmp_path, key, storage):
    source = Foreign(column=key, kept=storage).write(tmp_path / "set")
    export, reasons = export_from(source, tmp_path / "out")
    assert (export.added, export.frames, reasons) == (2, 5, [])
    assert column(tmp_path / "out", key)["shape"] == [HEIGHT, WIDTH, 3]
    (camera,) = LeRobotReader(source).layout.cameras
    check_shades(tmp_path / "out", camera)
    again, _ = export_from(tmp_path / "out", tmp_path / "again")
    assert again.added == 2
    first, second = LeRobotReader(tmp_path / "out"), LeRobotReader(tmp_path / "again")
    assert first.layout == second.layout == LeRobotReader(source).layout
    for one_episode, other in zip(first, second, strict=True):
        np.testing.assert_array_equal(one_episode.states, other.states)
        np.testing.assert_array_equal(one_episode.actions, other.actions)
        np.testing.assert_array_equal(np.stack(list(one_episode.films[camera])), np.stack(list(other.films[camera])))
        assert (one_episode.task, one_episode.stages) == (other.task, other.stages)


def test_two_cameras_of_one_name_stay_two(tmp_path):
    both = {"top": {"dtype": "video", "shape": [HEIGHT, WIDTH, 3], "names": None}}
    info = json.loads((Foreign(features=both).write(tmp_path / "set") / "meta/info.json").read_text())
    assert len([name for name in info["features"] if name.endswith("top")]) == 2
    assert sorted(LeRobotReader(tmp_path / "set").layout.cameras) == [TOP, "top"]
    _, reasons = exported_or_none(tmp_path / "set", tmp_path / "out")
    assert "does not say when its film of 'top' begins" in reasons[0]


def exported_or_none(root: Path, out: Path) -> tuple[LeRobotExport | None, list[str]]:
    """The same of a data set of which no episode may be left."""
    reasons: list[str] = []
    try:
        options = LeRobotOptions.build(sources=[root], out=out)
        return export_lerobot(options, lambda entry, reason: reasons.append(reason) if reason else None), reasons
    except BadInput as error:
        return None, reasons or [str(error)]


@pytest.mark.parametrize(
    "storage",
    [
        lambda picture, number: {"bytes": png(picture), "path": None},
        lambda picture, number: {"bytes": png(picture), "path": f"frame-{number}.png"},
        lambda picture, number: png(picture),
        lambda picture, number: {"bytes": png(picture, "L"), "path": None},
        lambda picture, number: {"bytes": png(picture, "RGBA"), "path": None},
        lambda picture, number: picture.tolist(),
    ],
)
def test_pictures_in_the_tables_become_a_camera(tmp_path, storage):
    export, reasons = export_from(Foreign(kept=storage).write(tmp_path / "set"), tmp_path / "out")
    assert (export.added, reasons, column(tmp_path / "out", TOP)["dtype"]) == (2, [], "video")
    check_shades(tmp_path / "out", "top")


@pytest.mark.parametrize("form", [lambda path: {"bytes": None, "path": path}, lambda path: path])
def test_pictures_in_files_that_the_tables_name(tmp_path, form):
    source = Foreign(kept=lambda picture, number: form(f"images/{number}.png")).write(tmp_path / "set")
    (source / "images").mkdir()
    for number, picture in enumerate(pictures(sum(LENGTHS))):
        (source / f"images/{number}.png").write_bytes(png(picture))
    assert export_from(source, tmp_path / "out")[1] == []
    check_shades(tmp_path / "out", "top")


@pytest.mark.parametrize(
    ("storage", "sentence"),
    [
        (lambda picture, number: {"bytes": b"no picture", "path": None}, "cannot identify image file"),
        (lambda picture, number: {"bytes": png(picture)[:60], "path": None}, "cannot be read"),
        (lambda picture, number: {"bytes": png(picture, "I;16"), "path": None}, "not colours of 8 bits"),
        (lambda picture, number: {"bytes": None, "path": "images/none.png"}, "No such file"),
        (lambda picture, number: {"bytes": None, "path": "../../secret.png"}, "it is not there"),
        (lambda picture, number: {"bytes": None, "path": "/etc/passwd"}, "it is not there"),
        (
            lambda picture, number: {"bytes": png(picture[:, :32]), "path": None},
            "a picture of 32x64, and they should be 96x64",
        ),
    ],
)
def test_pictures_that_cannot_be_read_are_said(tmp_path, storage, sentence):
    export, reasons = exported_or_none(Foreign(kept=storage).write(tmp_path / "set"), tmp_path / "out")
    assert export is None and sentence in reasons[0]
    assert not list((tmp_path / "out").rglob("*.mp4")), "nothing of them stays"


@pytest.mark.parametrize(
    ("shape", "names"),
    [
        ([3, H, W], ["channels", "height", "width"]),
        ([3, H, W], ["channel", "height", "width"]),
        ([H, W, 3], ["height", "width", "channel"]),
        ([W, H, 3], ["width", "height", "channels"]),
        ([3, W, H], ["c", "w", "h"]),
        ([H, W, 3], {"height": 0, "width": 1, "channels": 2}),
        ([3, H, W], {"axes": ["channels", "height", "width"]}),
        ([H, W, 3], None),
        ([3, H, W], None),
        ([3, H, W], ["height", "width", "channels"]),  # which they cannot be
        ([H, W, 3], ["rows", "columns", "colours"]),
    ],
)
def test_the_order_of_a_shape_is_that_of_its_names(tmp_path, shape, names):
    export, reasons = export_from(Foreign(shape=shape, names=names).write(tmp_path / "set"), tmp_path / "out")
    assert (export.added, reasons) == (2, [])
    about = column(tmp_path / "out", TOP)
    assert (about["shape"], about["names"]) == ([H, W, 3], ["height", "width", "channels"])


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["x", "y"], ("x", "y")),
        ({"motors": ["x", "y"]}, ("x", "y")),
        ({"left": ["x"], "right": ["y"]}, ("x", "y")),
        ({"left": ["x"], "right": ["x"]}, ("left.x", "right.x")),
        ({"y": 1, "x": 0}, ("x", "y")),
        ([["x", "y"]], ("x", "y")),
        ([1, 2], ("1", "2")),
        (None, ("action.0", "action.1")),
        (["x", "y", "z"], ("action.0", "action.1")),
        (["x", "x"], ("action.0", "action.1")),
        ({"motors": None}, ("action.0", "action.1")),
    ],
)
def test_names_of_numbers_in_all_their_forms(tmp_path, names, labels):
    source = Foreign(numbers={"names": names}).write(tmp_path / "set")
    assert LeRobotReader(source).layout.action == labels
    assert export_from(source, tmp_path / "out")[1] == []
    assert column(tmp_path / "out", "action")["names"] == list(labels)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_are_not_finite_are_left_out_and_counted(tmp_path, value):
    states = np.arange(10.0).reshape(5, 2)
    states[2, 1] = value
    export, reasons = export_from(Foreign(states=states).write(tmp_path / "set"), tmp_path / "out")
    assert (export.added, export.frames) == (1, 2)
    assert reasons == ["1 of the 6 numbers of its states are not finite (the first: y in frame 2)"]
    assert "null" not in (tmp_path / "out/meta/stats.json").read_text()


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        ([0.0, 0.1, 0.9], "has its frame 2 at 0.900 s, due at 0.200 s"),
        ([0.0, 0.2, 0.1], "has its frame 1 at 0.200 s, due at 0.100 s"),
        ([0.0, 0.0, 0.0], "has its frame 1 at 0.000 s"),
        ([5.0, 5.1, 5.2], "has its frame 0 at 5.000 s"),
        ([0.0, np.nan, 0.2], "has its frame 1 at nan s"),
        ([0.0, 0.04, 0.2], "has its frame 1 at 0.040 s"),
    ],
)
def test_timestamps_that_jump_or_go_back_are_left_out(tmp_path, times, sentence):
    source = Foreign(columns={"timestamp": np.array([*times, 0.0, 0.1], np.float32)}).write(tmp_path / "set")
    export, reasons = export_from(source, tmp_path / "out")
    assert export.added == 1 and sentence in reasons[0]


def test_timestamps_that_shake_stand_evenly_and_the_real_ones_are_kept(tmp_path):
    real = np.array([0.0, 0.12, 0.19, 0.0, 0.1])
    source = Foreign(columns={"timestamp": real.astype(np.float32)}).write(tmp_path / "set")
    assert export_from(source, tmp_path / "out")[1] == []
    table = pq.read_table(tmp_path / "out/data/chunk-000/file-000.parquet")
    np.testing.assert_allclose(table.column("timestamp"), [0.0, 0.1, 0.2, 0.0, 0.1], atol=1e-6)
    first, second = LeRobotReader(tmp_path / "out")
    np.testing.assert_allclose(first.stamps, real[:3], atol=1e-6)
    np.testing.assert_allclose(second.stamps, [0.0, 0.1], atol=1e-6)


@pytest.mark.parametrize(
    ("codec", "named"), [("libx264", "h264"), ("libsvtav1", "av1"), ("libx265", "hevc"), ("mpeg4", "mpeg4")]
)
def test_a_film_is_copied_and_its_codec_said(tmp_path, codec, named):
    source = Foreign(codec=codec, about={"video.codec": "h264"}).write(tmp_path / "set")
    assert export_from(source, tmp_path / "out")[1] == []
    about = column(tmp_path / "out", TOP)["info"]
    assert (about["video.codec"], about["video.pix_fmt"], about["video.fps"]) == (named, "yuv420p", 10)
    name = f"videos/{TOP}/chunk-000/file-001.mp4"
    assert (tmp_path / "out" / name).read_bytes() == (source / name).read_bytes()


def test_films_of_two_codecs_are_said_to_be_of_none(tmp_path):
    single = Foreign(codec="libsvtav1").write(tmp_path / "one")
    other = Foreign().write(tmp_path / "other")
    for sources, out in (([single, other], tmp_path / "both"), ([other, single], tmp_path / "turned")):
        export_lerobot(LeRobotOptions.build(sources=sources, out=out))
        assert not {"video.codec", "video.pix_fmt"} & set(column(out, TOP)["info"])
    export_lerobot(LeRobotOptions.build(sources=[single], out=tmp_path / "later"))
    export_lerobot(LeRobotOptions.build(sources=[other], out=tmp_path / "later"))
    assert "video.codec" not in column(tmp_path / "later", TOP)["info"]


def test_a_film_at_another_rate_is_no_copy(tmp_path):
    """Of as many pictures, a third as long: nobody knows which picture belongs to which frame."""
    source = Foreign().write(tmp_path / "set")
    film(source / f"videos/{TOP}/chunk-000/file-000.mp4", pictures(3), rate=30)
    export, reasons = export_from(source, tmp_path / "out")
    assert export.added == 1 and "has a picture at 0.033 s where one of 0.100 s is due" in reasons[0]


@pytest.mark.parametrize("info", [{"is_depth_map": True}, {"video.is_depth_map": True, "video.depth_shift": 3.5}])
def test_a_depth_film_stays_one(tmp_path, info):
    source = Foreign(about=info).write(tmp_path / "set")
    assert export_from(source, tmp_path / "out")[1] == []
    about = column(tmp_path / "out", TOP)["info"]
    assert about["is_depth_map"] is about["video.is_depth_map"] is True
    assert about.get("video.depth_shift") == info.get("video.depth_shift")
    plain = Foreign().write(tmp_path / "plain")
    export, reasons = export_from(plain, tmp_path / "out")
    assert (export.added == 0 and "its cameras are observation.images" not in reasons[0]) or "depth" in reasons[0]


@pytest.mark.parametrize("storage", ["shared", lambda picture, number: {"bytes": png(picture), "path": None}])
def test_depth_that_cannot_be_copied_is_left_out(tmp_path, storage):
    source = Foreign(kept=storage, about={"is_depth_map": True}).write(tmp_path / "set")
    export, reasons = exported_or_none(source, tmp_path / "out")
    assert export is None and "the camera 'top' have depth, and are not a film of their own" in reasons[0]


def row_without(*names: str, **others: Any) -> Any:
    return lambda row: {**{name: value for name, value in row.items() if name not in names}, **others}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"info": {"codebase_version": "v2.1"}},
            "is of version v2.1, and v3.0 is read: convert it with lerobot's `convert",
        ),
        ({"info": {"codebase_version": "v2.0"}}, "is of version v2.0, .* converters up to version 2.1, then"),
        ({"info": {"codebase_version": None}}, "version vnone"),
        ({"info": {"fps": 0}}, "fps: 0 is not a whole number from 1 on"),
        ({"info": {"fps": 29.97}}, "fps: 29.97 is not a whole number"),
        ({"info": {"fps": None}}, "fps: null is not a whole number"),
        ({"info": {"fps": "10"}}, 'fps: "10" is not a whole number'),
        ({"info": {"fps": -10}}, "fps: -10 is not"),
        ({"info": {"fps": True}}, "fps: true is not"),
        ({"info": {"fps": float("nan")}}, "fps: NaN is not"),
        ({"info": {"total_episodes": 3}}, "info.json counts 3 episodes, meta/episodes has 2"),
        ({"info": {"total_episodes": 1}}, "info.json counts 1 episodes, meta/episodes has 2"),
        ({"info": {"total_episodes": -1}}, "total_episodes"),
        ({"info": {"features": []}}, "features"),
        ({"info": {"data_path": "/data/{chunk_index}/{file_index}"}}, "leaves the folder"),
        ({"info": {"data_path": "../{chunk_index}/{file_index}"}}, "leaves the folder"),
        ({"info": {"data_path": "data/{episode_chunk}"}}, "needs {chunk_index} and {file_index}"),
        ({"features": {"action": None}}, "no numbers for body and command: 'action' is missing"),
        ({"features": {"observation.state": None}}, "'observation.state' is missing"),
        ({"features": {"action": {"dtype": "string", "shape": [1]}}}, "'action' is of the type 'string', and numbers"),
        ({"features": {"action": {"dtype": "float32", "shape": ["two"]}}}, "features.action.shape.0"),
        ({"features": {"action": {"shape": [2]}}}, "features.action.dtype"),
        ({"features": {"../out": {"dtype": "video", "shape": [2, 2, 3]}}}, "'../out' cannot be the name of a column"),
        ({"shape": [5, 6, 7]}, "pictures of '.*top' have the shape \\[5, 6, 7\\]"),
        ({"shape": [3]}, "pictures of '.*top' have the shape \\[3\\]"),
        ({"numbers": {"shape": [3]}}, "has 2 numbers in a row of 'observation.state', and meta/info.json says 3"),
        ({"row": row_without("length")}, "None for 'length', and a whole number is needed"),
        ({"row": row_without(length=-3)}, "-3 for 'length'"),
        ({"row": row_without(length=2.5)}, "2.5 for 'length'"),
        ({"row": row_without("episode_index")}, "None for 'episode_index'"),
        ({"row": row_without("data/chunk_index")}, "None for 'data/chunk_index'"),
        ({"row": row_without(f"videos/{TOP}/file_index")}, f"None for 'videos/{TOP}/file_index'"),
        ({"row": row_without(f"videos/{TOP}/from_timestamp")}, "does not say when its film of"),
        ({"row": row_without(**{f"videos/{TOP}/from_timestamp": float("nan")})}, "does not say when its film of"),
        ({"row": row_without(**{f"videos/{TOP}/from_timestamp": float("inf")})}, "does not say when its film of"),
        ({"row": row_without(**{f"videos/{TOP}/from_timestamp": -0.1})}, "does not say when its film of"),
        ({"row": row_without(**{"data/file_index": 7})}, "file-007.parquet"),
        ({"row": row_without(length=9)}, "has 3 of 9 frames"),
        ({"row": row_without("tasks"), "columns": {"task_index": [4] * 5}}, "no instruction: its task_index is 4"),
        ({"row": row_without("tasks"), "columns": {"task_index": None}}, "has no column 'task_index'"),
        ({"columns": {"action": None}}, "has no column 'action'"),
        ({"columns": {"action": [[0.0, 1.0]] * 4 + [[1.0]]}}, "not numbers, or not equally many"),
        ({"columns": {"action": [["a", "b"]] * 5}}, "that are not numbers"),
        ({"columns": {"action": [[1.0, None]] * 5}}, "3 of the 6 numbers of its actions are not finite"),
        ({"columns": {"action": [None, *[[1.0, 2.0]] * 4]}}, "not equally many"),
    ],
)
def test_what_is_wrong_is_one_sentence(tmp_path, changes, sentence):
    source = Foreign(**changes).write(tmp_path / "set")
    export, reasons = exported_or_none(source, tmp_path / "out")
    assert export is None or export.added < 2
    assert re.search(sentence, reasons[0]), reasons
    assert "Unexpected" not in reasons[0] and "\n" not in reasons[0]


def test_forms_that_are_right_though_odd(tmp_path):
    """Whole rates as 10.0, places as numbers with a point, no `timestamp`, tasks by their number, two files of data."""
    source = Foreign(
        info={"fps": 10.0, "total_frames": 99, "video_path": None, "unknown": 1},
        columns={"timestamp": None},
        features={"timestamp": None},
        row=lambda row: {**row, "tasks": [], "data/chunk_index": 0.0},
        files=2,
        lengths=(3, 2, 4, 1),
    ).write(tmp_path / "set")
    export, reasons = export_from(source, tmp_path / "out")
    assert (export.added, export.frames, reasons) == (4, 10, [])
    assert {episode.task for episode in LeRobotReader(tmp_path / "out")} == {"push the T"}
    check_shades(tmp_path / "out", "top", (3, 2, 4, 1))


def test_an_episode_without_frames_is_left_out(tmp_path):
    export, reasons = export_from(Foreign(lengths=(3, 0, 2)).write(tmp_path / "set"), tmp_path / "out")
    assert (export.added, reasons) == (2, ["it has no frames"])


@pytest.mark.parametrize("count", [2, 4])
def test_a_film_of_more_or_fewer_pictures_is_left_out_alone(tmp_path, count):
    source = Foreign().write(tmp_path / "set")
    film(source / f"videos/{TOP}/chunk-000/file-000.mp4", pictures(count))
    export, reasons = export_from(source, tmp_path / "out")
    assert (export.added, reasons) == (1, [f"the camera 'top' has {count} pictures for 3 frames"])
    assert len(list((tmp_path / "out").rglob("*.mp4"))) == 1


def test_a_damaged_film_costs_its_episode_only(tmp_path):
    source = Foreign(lengths=(3, 2, 2)).write(tmp_path / "set")
    (source / f"videos/{TOP}/chunk-000/file-002.mp4").write_bytes(b"no film")
    export, reasons = export_from(source, tmp_path / "out")
    assert export.added == 2 and reasons[0].startswith("Cannot read the film")
    assert len(list((tmp_path / "out").rglob("*.mp4"))) == 2, "what was begun of it is gone"


def test_folders_of_one_name_are_two_sources(tmp_path):
    first, other = (Foreign().write(tmp_path / place / "set") for place in ("a", "b"))
    third = Foreign(states=np.ones((5, 2))).write(tmp_path / "c/set")
    out = tmp_path / "out"
    assert [export_from(root, out)[0].added for root in (first, other, third, first, third)] == [2, 0, 2, 0, 0]
    assert [episode.name for episode in LeRobotReader(out)] == [
        "set/episode-0",
        "set/episode-1",
        "set/episode-0~2",
        "set/episode-1~2",
    ]


def test_a_data_set_is_not_added_to_itself(tmp_path):
    source = Foreign().write(tmp_path / "set")
    with pytest.raises(BadInput, match="cannot be added to itself"):
        export_from(source, tmp_path / "." / "set")


def test_notes_of_another_episode_are_not_believed(tmp_path):
    """As when a tool has deleted the first episode and counted the others anew."""
    out = tmp_path / "out"
    export_from(Foreign().write(tmp_path / "set"), out)
    notes = out / "meta/homie_episodes.jsonl"
    lines = [json.loads(line) for line in notes.read_text().splitlines()]
    for line in lines:
        line["episode_index"] = 1 - line["episode_index"]
        line["success"], line["simulated"] = True, True
    notes.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert [(episode.success, episode.simulated) for episode in LeRobotReader(out)] == [(None, None)] * 2


def test_columns_without_a_place_are_named(tmp_path):
    more = {"next.reward": {"dtype": "float32", "shape": [1]}, "observation.effort": {"dtype": "float32", "shape": [2]}}
    source = Foreign(features=more, columns={"next.reward": np.zeros(5)}).write(tmp_path / "set")
    assert export_from(source, tmp_path / "out")[0].dropped == ("next.reward", "observation.effort")
    assert export_from(tmp_path / "out", tmp_path / "again")[0].dropped == ()


def test_episodes_that_differ_from_the_data_set_that_is_there_are_left_out_one_by_one(tmp_path):
    out = tmp_path / "out"
    export_from(Foreign().write(tmp_path / "set"), out)
    other = Foreign(numbers={"names": ["a", "b"]}, info={"robot_type": "koch"}).write(tmp_path / "other")
    export, reasons = export_from(other, out)
    assert (export.added, export.episodes) == (0, 2)
    assert reasons[0] == (
        "it does not fit the data set: its robot is koch, not so101; its states are a, b, not x, y; its actions are "
        "a, b, not x, y"
    )
