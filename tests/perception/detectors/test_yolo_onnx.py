"""Exported YOLO networks: every layout, boxes back in the picture, names, and what is refused."""

from __future__ import annotations

import dataclasses
import re
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from furnished import House
from graphs import CELL, HALVED, LAYOUTS, NAMES, SCALED, Layout, constant, finder
from painting import BODY, observation_of, painted

from homie.kernel.errors import BadInput, MissingPart
from homie.kernel.registry import DETECTOR, make_part
from homie.kernel.support.packages import install_command
from homie.kernel.types import Detection, Observation
from perception.detectors.simulated import SimulatedDetector


def as_set(detections: tuple[Detection, ...]) -> set[tuple[str, str, tuple[int, int, int, int], float]]:
    return {(detection.name, detection.view, detection.box, round(detection.score, 3)) for detection in detections}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("batch", [1, 2, "N"])
def test_each_layout_finds_what_is_there(tmp_path: Path, layout: Layout, batch: int | str) -> None:
    detector = make_part(DETECTOR, f"yolo-onnx:{finder(tmp_path / 'm.onnx', layout, (128, 64), batch)}")
    first = painted(128, 64, red=(16, 8, 24, 16))
    second = painted(128, 64, green=(40, 32, 48, 40), red=(0, 0, 8, 8))
    sure = 0.5 if layout in HALVED else 1.0
    assert as_set(detector.detect(observation_of(first, second, first))) == {
        ("red thing", "0", (16, 8, 24, 16), sure),
        ("green thing", "1", (40, 32, 48, 40), sure),
        ("red thing", "1", (0, 0, 8, 8), sure),
        ("red thing", "2", (16, 8, 24, 16), sure),
    }
    assert detector.detect(Observation(0.0, BODY, {})) == ()


@pytest.mark.parametrize("layout", SCALED)
def test_boxes_come_back_to_pictures_of_another_size(tmp_path: Path, layout: Layout) -> None:
    """336 x 240 in 168 x 168: half as large, with 24 rows of gray above and below."""
    detector = make_part(DETECTOR, f"yolo-onnx:{finder(tmp_path / 'm.onnx', layout, (168, 168))}")
    (detection,) = detector.detect(observation_of(painted(336, 240, red=(32, 48, 48, 64))))
    assert detection.box == (32, 48, 48, 64)


@pytest.mark.parametrize("layout", ["rt-detr", "rt-detr scores"])
def test_rt_detr_looks_at_stretched_pictures(tmp_path: Path, layout: Layout) -> None:
    detector = make_part(DETECTOR, f"yolo-onnx:{finder(tmp_path / 'm.onnx', layout, (168, 168))}")
    (detection,) = detector.detect(observation_of(painted(336, 168, red=(32, 48, 48, 56))))
    assert detection.box == (32, 48, 48, 56)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_it_sees_red_and_green_things_in_a_rendered_room(
    house: House, detector: SimulatedDetector, tmp_path: Path, layout: Layout
) -> None:
    finds = make_part(
        DETECTOR, f"yolo-onnx:{finder(tmp_path / 'm.onnx', layout)}", {"score": 0.07 if layout in HALVED else 0.14}
    )
    base = house.before("cabinet", 1.2)
    observation = house.observe(base)
    truth = detector.detect(observation)
    detections = finds.detect(observation)
    assert {detection.name for detection in detections} >= {"green thing"}
    for detection in detections:
        u, v = (detection.box[0] + detection.box[2]) // 2, (detection.box[1] + detection.box[3]) // 2
        pixel = observation.frames[detection.view].rgb[v - 3 : v + 4, u - 3 : u + 4].reshape(-1, 3).mean(axis=0)
        assert np.argmax(pixel) == (0 if detection.name == "red thing" else 1)
    green = [detection for detection in detections if detection.name == "green thing"]
    cabinet = [detection for detection in truth if detection.instance == "cabinet" and detection.part in ("", "door")]
    inside = [
        any(
            box.view == detection.view
            and box.box[0] - CELL <= detection.box[0]
            and detection.box[2] <= box.box[2] + CELL
            for box in cabinet
        )
        for detection in green
    ]
    assert np.mean(inside) > 0.9
    blind = {name: dataclasses.replace(frame, instances=None) for name, frame in observation.frames.items()}
    assert finds.detect(dataclasses.replace(observation, frames=blind)) == detections


def test_sixteen_bits_and_a_size_that_the_file_leaves_open(tmp_path: Path) -> None:
    small = finder(tmp_path / "half.onnx", size=(64, 64), half=True)
    picture = painted(64, 64, red=(8, 8, 16, 16))
    assert as_set(make_part(DETECTOR, f"yolo-onnx:{small}").detect(observation_of(picture))) == {
        ("red thing", "0", (8, 8, 16, 16), 1.0)
    }
    free = finder(tmp_path / "open.onnx", size=(64, 64), batch="N", open_size=True)
    detections = make_part(DETECTOR, f"yolo-onnx:{free}", {"size": 64}).detect(observation_of(picture))
    assert as_set(detections) == {("red thing", "0", (8, 8, 16, 16), 1.0)}
    with pytest.raises(BadInput, match="cannot look at a picture of 128 x 128"):
        make_part(DETECTOR, f"yolo-onnx:{free}", {"size": 128})
    told_size = {"task": "detect", "names": NAMES, "imgsz": "[64, 64]"}
    free = finder(tmp_path / "told.onnx", size=(64, 64), batch="N", open_size=True, metadata=told_size)
    assert len(make_part(DETECTOR, f"yolo-onnx:{free}").detect(observation_of(picture))) == 1


def test_names_are_those_of_homie_and_may_be_given(tmp_path: Path) -> None:
    picture = painted(64, 64, red=(8, 8, 16, 16))
    network = finder(tmp_path / "a.onnx", size=(64, 64), metadata={"names": "['refrigerator', \"cook's hat\", 'mug']"})
    assert [
        detection.name for detection in make_part(DETECTOR, f"yolo-onnx:{network}").detect(observation_of(picture))
    ] == ["fridge"]
    for text in ('{"0": "refrigerator", "2": "mug", "1": "bowl"}', '["refrigerator", "bowl", "mug"]'):
        exported = finder(tmp_path / "json.onnx", size=(64, 64), metadata={"names": text})
        assert make_part(DETECTOR, f"yolo-onnx:{exported}").describe()["classes"] == 3
    bare = finder(tmp_path / "b.onnx", size=(64, 64), metadata={})
    with pytest.raises(BadInput, match="no names of classes"):
        make_part(DETECTOR, f"yolo-onnx:{bare}")
    detections = make_part(DETECTOR, f"yolo-onnx:{bare}", {"names": "couch, cup, mug"}).detect(observation_of(picture))
    assert [detection.name for detection in detections] == ["sofa"]
    for names, classes in (("couch", 1), ("coco", 80)):
        with pytest.raises(BadInput, match=f"not a YOLO output for {classes} classes"):
            make_part(DETECTOR, f"yolo-onnx:{bare}", {"names": names})


def test_what_the_network_repeats_is_reported_once_and_larger_boxes_come_first(tmp_path: Path) -> None:
    table = np.zeros((1, 300, 6))
    table[0, :5] = [
        (10, 10, 30, 30, 0.6, 0),
        (11, 10, 31, 30, 0.9, 0),
        (10, 10, 30, 30, 0.5, 1),
        (40, 40, 90, 80, 0.4, 1),
        (0, 0, 60, 60, 0.2, 0),
    ]
    path = constant(tmp_path / "m.onnx", table, (64, 64))
    picture = painted(64, 64)
    detections = make_part(DETECTOR, f"yolo-onnx:{path}").detect(observation_of(picture))
    assert [(detection.name, detection.box) for detection in detections] == [
        ("green thing", (40, 40, 64, 64)),
        ("red thing", (11, 10, 31, 30)),
        ("green thing", (10, 10, 30, 30)),
    ]
    assert (
        len(make_part(DETECTOR, f"yolo-onnx:{path}", {"score": 0.1, "overlap": 1.0}).detect(observation_of(picture)))
        == 5
    )
    (best,) = make_part(DETECTOR, f"yolo-onnx:{path}", {"most": 1}).detect(observation_of(picture))
    assert best.score == pytest.approx(0.9)
    table[0, 0, 5] = 7
    with pytest.raises(BadInput, match="reports class 7"):
        make_part(DETECTOR, f"yolo-onnx:{constant(path, table, (64, 64))}").detect(observation_of(picture))


def test_one_class_is_detected_from_end_to_end(tmp_path: Path) -> None:
    """Six columns are a YOLOv5 of one class where there are as many rows as it has anchors."""
    table = np.zeros((1, 252, 6))
    table[0, 7] = (20, 20, 10, 10, 0.9, 0.5)
    path = constant(tmp_path / "m.onnx", table, (64, 64), "['mug']")
    (detection,) = make_part(DETECTOR, f"yolo-onnx:{path}").detect(observation_of(painted(64, 64)))
    assert (detection.name, detection.box, round(detection.score, 3)) == ("mug", (15, 15, 25, 25), 0.45)


def test_nonsense_from_a_network_is_left_out(tmp_path: Path) -> None:
    table = np.zeros((1, 300, 6))
    table[0, :4] = [
        (np.nan, 0, 9, 9, 0.9, 0),
        (np.inf, 0, 9, 9, 0.9, 0),
        (9, 9, 3, 3, 0.9, 0),
        (70, 70, 90, 90, 0.9, 0),
    ]
    path = constant(tmp_path / "m.onnx", table, (64, 64))
    assert make_part(DETECTOR, f"yolo-onnx:{path}").detect(observation_of(painted(64, 64))) == ()


def test_the_record_names_the_file(tmp_path: Path) -> None:
    path = finder(tmp_path / "m.onnx")
    description = make_part(DETECTOR, f"yolo-onnx:{path}", {"score": 0.4}).describe()
    assert description["model"] == str(path) and len(str(description["sha256"])) == 64
    assert description["classes"] == 3 and description["score"] == 0.4


def test_files_that_are_no_exported_yolo_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.onnx"
    text.write_text("not a network")
    intact = finder(tmp_path / "whole.onnx")
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(intact.read_bytes()[:-200])
    pose = finder(tmp_path / "pose.onnx", metadata={"task": "pose", "names": NAMES})
    sized = onnx.load(intact)
    sized.graph.input.append(onnx.helper.make_tensor_value_info("orig_target_sizes", onnx.TensorProto.INT64, [1, 2]))
    onnx.save(sized, tmp_path / "sized.onnx")
    for path, settings, message in (
        (tmp_path / "sized.onnx", {}, "needs images, orig_target_sizes, and"),
        (text, {}, "cannot be loaded as an ONNX network"),
        (cut, {}, "cannot be loaded as an ONNX network"),
        (tmp_path, {}, "There is no file"),
        (pose, {}, "made for 'pose'"),
        (intact, {"size": 128}, "pictures of 256 x 256 only"),
        (intact, {"device": "cuda"}, "no CUDA here"),
        (finder(tmp_path / "odd.onnx", metadata={"names": "{0: 'a', 2: 'b'}"}), {}, "no names of classes"),
        (finder(tmp_path / "gap.onnx", metadata={"names": '{"0": "a", "2": "b"}'}), {}, "no names of classes"),
        (finder(tmp_path / "two.onnx", metadata={"names": '{"0": "a", "00": "b"}'}), {}, "no names of classes"),
        (finder(tmp_path / "code.onnx", metadata={"names": "__import__('os').getcwd()"}), {}, "no names of classes"),
    ):
        with pytest.raises(BadInput, match=message):
            make_part(DETECTOR, f"yolo-onnx:{path}", settings)


def test_without_onnxruntime_the_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = finder(tmp_path / "m.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingPart, match=re.escape(install_command("yolo-onnx"))):
        make_part(DETECTOR, f"yolo-onnx:{path}")
