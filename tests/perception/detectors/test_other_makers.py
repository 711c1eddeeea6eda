"""Detectors of other makers through the same checks and into the same table: `homie detector score`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path

import cv2
import numpy as np
import onnx
import pytest
from graphs import constant
from painted_data import BOXES, CLASSES, painted_data
from painting import observation_of
from tfjs_graph import detector_of
from tiny_detectors import tiny_detector

sys.path.insert(0, str(Path(__file__).parents[2]))
import other_packages

from homie.kernel.errors import BadInput
from homie.kernel.interfaces.training import DetectorMeasurement
from homie.kernel.registry import DETECTOR, make_part
from homie.testing import check_detector
from homie.train.detector_scores import DetectorScoreOptions, score_detector

NAMES = "{0: 'refrigerator', 1: 'fridge/door', 2: 'kitchen/floor', 3: 'couch'}"

PHOTOGRAPHS = {
    "coffee": ("cup", (172, 17, 415, 303)),
    "astronaut": ("person", (10, 8, 370, 512)),
    "motorcycle_left": ("motorcycle", (115, 50, 680, 445)),
    "chelsea": ("cat", (0, 0, 412, 300)),
}
"""What the photographs of scikit-image show, and where, as a person drew it."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return painted_data(tmp_path_factory.mktemp("painted"))


@pytest.fixture(scope="module")
def detector_name(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A network that finds fridge, door and floor where all pictures have them, unsurely, and a couch."""
    corners = [(x, y, x + width, y + height) for x, y, width, height in BOXES.values()]
    rows = [[*box, 0.1, number] for number, box in enumerate([*corners, corners[0]])]
    path = constant(tmp_path_factory.mktemp("known") / "known.onnx", np.array([rows]), (96, 128), NAMES)
    return f"yolo-onnx:{path}"


def measure(data: Path, detector: str, **settings: object) -> DetectorMeasurement:
    options = DetectorScoreOptions.build(data=data, detector=detector, detector_settings=settings)
    return score_detector(options, lambda count, pictures: None)


def by_rtdetr(folder: Path) -> str:
    return f"rtdetr:{tiny_detector(folder, 'rt_detr')}"


def by_ultralytics(folder: Path) -> str:
    packages = ("ultralytics==8.4.190", "ultralytics-thop==2.2.3", "torchvision")
    where = other_packages.folder_of("ultralytics", *packages, dependencies=False)
    script = Path(__file__).with_name("ultralytics_export.py")
    environment = {**os.environ, "PYTHONPATH": where, "YOLO_CONFIG_DIR": str(folder), "YOLO_AUTOINSTALL": "false"}
    command = [sys.executable, str(script), str(folder), "128", "refrigerator", "apple", "couch"]
    completed = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    return f"yolo-onnx:{folder / 'yolo11n.onnx'}"


@pytest.mark.slow
@pytest.mark.parametrize("make", [by_rtdetr, by_ultralytics])
def test_random_networks_of_other_makers_pass_the_checks_and_get_the_same_table(data: Path, tmp_path, make) -> None:
    detector = make(tmp_path)
    check_detector(make_part(DETECTOR, detector, {"score": 0.0}))
    result = measure(data, detector, score=0.0)
    assert result.pictures == 3 and result.boxes >= max(1, result.others) and result.milliseconds > 0.0
    assert set(result.scores.by_class) == set(CLASSES)
    assert 0.0 <= result.scores.every <= 1.0
    assert sum(count for _, _, count in result.scores.calibration) == result.boxes - result.others


@pytest.mark.slow
def test_a_network_trained_on_photographs_finds_what_they_show(tmp_path: Path) -> None:
    """MobileNetV3-CenterNet, trained on COCO, as it is in a package of npm (MIT)."""
    published = other_packages.npm_folder("@vladmandic/human@3.3.6") / "models" / "centernet.json"
    folder = other_packages.folder_of("skimage", "scikit-image==0.26.0", dependencies=False)
    pictures = (Path(folder, "skimage") if folder else resources.files("skimage")) / "data"
    network = detector_of(published, "tower_0/detections", tmp_path / "centernet.onnx")
    detector = make_part(DETECTOR, f"yolo-onnx:{network}", {"names": "coco", "threads": 1})
    for file, (name, (x0, y0, x1, y1)) in PHOTOGRAPHS.items():
        surest = max(
            detector.detect(observation_of(cv2.imread(str(pictures / f"{file}.png"))[..., ::-1])),
            key=lambda each: each.score,
        )
        left, top, right, bottom = surest.box
        shared = max(0, min(x1, right) - max(x0, left)) * max(0, min(y1, bottom) - max(y0, top))
        both = (x1 - x0) * (y1 - y0) + (right - left) * (bottom - top) - shared
        assert surest.name == name and shared / both > 0.8, (file, surest)


def write_mask_network(path: Path, table: np.ndarray) -> Path:
    """A network for segmentation with this table, as Ultralytics exports it, with 32 masks."""
    network = onnx.load(constant(path, [table, np.zeros((1, 32, 16, 16))], (64, 64)))
    onnx.helper.set_model_props(network, {"task": "segment", "names": NAMES})
    onnx.save(network, path)
    return path


def test_boxes_of_networks_for_segmentation_are_read(tmp_path: Path) -> None:
    """Suppressed (nms=True), before the suppression, and as YOLOv5 has it."""
    suppressed = np.zeros((1, 300, 6 + 32))
    suppressed[0, 0] = [10, 20, 30, 60, 0.75, 3, *[0.5] * 32]
    raw = np.zeros((1, 4 + 4 + 32, 84))
    raw[0, :, 7] = [20, 40, 20, 40, 0, 0, 0, 0.75, *[0.5] * 32]
    halved = np.zeros((1, 252, 5 + 4 + 32))
    halved[0, 7] = [20, 40, 20, 40, 0.75, 0, 0, 0, 1, *[0.5] * 32]
    for table in (suppressed, raw, halved):
        detector = make_part(DETECTOR, f"yolo-onnx:{write_mask_network(tmp_path / 'segment.onnx', table)}")
        (seen_box,) = detector.detect(observation_of(np.zeros((64, 64, 3), np.uint8)))
        assert (seen_box.name, seen_box.box, seen_box.score) == ("sofa", (10, 20, 30, 60), 0.75)


def test_boxes_beside_their_scores_are_read_in_either_order(tmp_path: Path) -> None:
    """YOLO-NAS: corners in pixels, scores. RT-DETR of transformers: logits, shares."""
    corners, scores = np.zeros((1, 84, 4)), np.zeros((1, 84, 4))
    corners[0, 7], scores[0, 7, 1] = (10, 36, 30, 48), 0.75
    shares, logits = np.full((1, 20, 4), 0.1), np.full((1, 20, 4), -9.0)
    shares[0, 7], logits[0, 7, 1] = (0.3125, 0.5, 0.3125, 0.375), np.log(3)  # log(3): three to one
    picture = np.zeros((32, 64, 3), np.uint8)
    for outputs, titles, names, box in (
        ((corners, scores), ("pred_bboxes", "pred_scores"), NAMES, (10, 20, 30, 32)),  # 16 rows of gray above
        ((logits[:, :, :3], shares), ("a", "b"), "['bowl', 'fridge/door', 'mug']", (10, 10, 30, 22)),  # stretched
        ((logits, shares), ("logits", "pred_boxes"), NAMES, (10, 10, 30, 22)),
    ):
        for step in (1, -1):
            path = constant(tmp_path / "two.onnx", outputs[::step], (64, 64), names, titles[::step])
            (seen_box,) = make_part(DETECTOR, f"yolo-onnx:{path}").detect(observation_of(picture))
            assert (seen_box.name, seen_box.part, seen_box.box) == ("fridge", "door", box)
            assert seen_box.score == pytest.approx(0.75, abs=1e-6)


def test_layouts_that_are_not_read_end_in_a_sentence(tmp_path: Path) -> None:
    """MMDeploy (`dets`, `labels`), DETR, SSD (shares beside scores), torchvision, suppressed YOLOv7, NanoDet-Plus."""
    dets = np.zeros((1, 100, 5))
    for outputs, message in (
        ([dets, np.zeros((1, 100))], "outputs of 100 x 5, 100 are in no layout"),
        ([np.zeros((1, 9, 5)), np.zeros((1, 9))], "outputs of 9 x 5, 9 are in no layout"),
        ([np.full((1, 90, 4), 0.5), np.full((1, 90, 5), 0.2)], "5 scores for each box and there are 4 names"),
        ([np.full((1, 90, 5), 0.2), np.full((1, 90, 4), 0.5)], "run as rtdetr:MODEL"),
        ([np.full((1, 90, 4), 0.5), np.full((1, 90, 4), 0.2)], "outputs of 90 x 4, 90 x 4 are in no layout"),
        ([np.zeros((9, 4)), np.zeros(9), np.zeros(9)], "where a YOLO gives one table"),
        ([np.zeros((9, 7))], "where a YOLO gives one table"),
        ([np.zeros((1, 2125, 4 + 32))], "not a YOLO output for 4 classes"),
    ):
        path = constant(tmp_path / "other.onnx", outputs, (64, 64), NAMES)
        with pytest.raises(BadInput, match=message):
            make_part(DETECTOR, f"yolo-onnx:{path}")
    single = constant(tmp_path / "single.onnx", [dets, np.zeros((1, 100))], (64, 64), "['mug']")
    with pytest.raises(BadInput, match="are in no layout that is read"):
        make_part(DETECTOR, f"yolo-onnx:{single}")


def test_what_is_measured_is_right_and_unsure_boxes_count(data: Path, detector_name: str) -> None:
    result = measure(data, detector_name)
    assert result.scores.by_class == {name: pytest.approx(float(name in BOXES)) for name in CLASSES}
    assert (result.scores.large, result.boxes, result.others) == (pytest.approx(0.75), 12, 3)
    assert measure(data, detector_name, score=0.25).boxes == 0, "a threshold that is asked for holds"


def test_the_command_prints_a_table_or_json(homie, data: Path, detector_name: str) -> None:
    command = ("detector", "score", str(data), "--detector", detector_name)
    report = json.loads(homie(*command, "--json").stdout)
    assert report["scores"]["large"] == pytest.approx(0.75) and report["pictures"] == 3 and report["split"] == "test"
    completed = homie(*command)
    assert completed.returncode == 0 and "mAP50     0.750 of boxes" in completed.stdout
    assert (
        "apple          0.000" in completed.stdout
        and "3 of them of classes that the data set has not" in completed.stdout
    )
    blind = homie(*command, "--detector-option", "score=0.5")
    assert blind.returncode == 0 and "reported nothing in any picture" in blind.stderr


def test_what_cannot_be_measured_is_said(data: Path, detector_name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="homie data detections FOLDER"):
        measure(tmp_path, detector_name)
    with pytest.raises(BadInput, match="learnt"):
        measure(data, "learnt")
