"""The trained detector: its examples, its export, its scores, and trainings that go on after a stop."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from painted_data import CLASSES, painted_data
from pycocotools import mask as run_lengths

from homie.envs.mujoco.generate.generate import generate
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Detector, kind_of
from homie.kernel.types import Detection, Observation
from homie.train.detector import train_detector
from homie.train.hyperparameters import DetectorOptions
from perception.detectors.learned import LearnedDetector, LearnedSettings
from perception.detectors.picture_detector import split_label
from perception.detectors.simulated import SimulatedDetector
from perception.learned.coco import read_split
from perception.learned.examples import examples_of
from perception.learned.export import Exported, export
from perception.learned.exported_weights import read_export
from perception.learned.network import CELL, Network, groups_of
from perception.learned.scoring import fit_calibration, observation_of, score


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return painted_data(tmp_path_factory.mktemp("painted"))


def options(data: Path, out: Path, **values: object) -> DetectorOptions:
    return DetectorOptions.build(
        **{"data": data, "out": out, "steps": 6, "batch": 2, "keep_every": 2, "threads": 1, **values}
    )


def silent(step: int, steps: int, loss: float, *, speed: float = 0.0) -> None:
    pass


def test_examples_say_in_the_middle_of_a_box_where_its_sides_are(data: Path) -> None:
    split = read_split(data, "train")
    groups = groups_of(split.classes)
    assert len({groups[0], groups[1], groups[2]}) == 3 and groups[0] == groups[3]
    for rng in (None, *map(np.random.default_rng, range(6))):
        examples = examples_of(split.pictures, groups, (96, 128), rng)
        peaks = examples.peaks.numpy() >= 0.999
        assert peaks.sum() <= examples.labels <= 4 * len(split.pictures)
        for number, kind, row, column in np.argwhere(peaks):
            x0, y0, x1, y1 = examples.boxes[number, groups[kind], :, row, column].tolist()
            assert x0 <= CELL * (column + 1) and x1 >= CELL * column and y0 <= CELL * (row + 1) and y1 >= CELL * row
            inside = examples.filled[number, -int(-y0 // 4) : int(y1 // 4), -int(-x0 // 4) : int(x1 // 4)]
            if split.classes[kind] == "apple" and inside.numel():
                red = examples.pictures[number, :, int(y0) + 1 : int(y1) - 1, int(x0) + 1 : int(x1) - 1]
                assert red[0].mean() > 2 * red[1].mean()
                assert (inside == kind).float().mean() > 0.6
        assert examples.weights.sum() == pytest.approx(examples.labels, abs=0.01 * examples.labels)


def test_the_file_gives_what_the_network_gives(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = Network(CLASSES).eval()
    export(network, CLASSES, (96, 128), tmp_path / "detector.onnx", {"data": "none"})
    detector = LearnedDetector(str(tmp_path), LearnedSettings.model_validate({"score": 0.0}))
    rng = np.random.default_rng(2)
    for height, width in ((128, 96), (64, 160)):
        pictures = rng.integers(0, 256, (2, height, width, 3), dtype=np.uint8)
        tensor = torch.from_numpy(pictures).permute(0, 3, 1, 2).float() / 255.0
        with torch.inference_mode():
            table, filled = Exported(network)(tensor)
        for number, (own_table, own_filled) in enumerate(detector._outputs(pictures)):
            assert own_table.shape == table[number].shape
            assert np.abs(own_table[:4] - table[number, :4].numpy()).max() < 0.5  # pixels; weights in half precision
            assert np.mean(own_filled == filled[number].numpy()) > 0.98
    assert detector.describe()["classes"] == len(CLASSES)


@pytest.mark.parametrize(
    ("picture", "size", "expected"),
    [
        ((96, 128), 0, (160, 192)),
        ((192, 256), 0, (160, 192)),
        ((160, 120), 0, (160, 128)),
        ((96, 128), 64, (64, 64)),
        ((96, 128), 128, (96, 128)),
    ],
)
def test_pictures_are_seen_in_the_size_of_the_training(
    tmp_path: Path, picture: tuple[int, int], size: int, expected: tuple[int, int]
) -> None:
    export(Network(CLASSES).eval(), CLASSES, (160, 192), tmp_path / "detector.onnx", {"data": "none"})
    detector = LearnedDetector(str(tmp_path), LearnedSettings.model_validate({"score": 0.9, "size": size}))
    frames: list[np.ndarray] = []
    outputs = detector._outputs
    detector._outputs = lambda pictures: frames.append(pictures) or outputs(pictures)  # type: ignore[method-assign]
    detector._detect_in_picture("head", np.zeros((picture[1], picture[0], 3), np.uint8))
    assert [frame.shape for frame in frames] == [(1, expected[1], expected[0], 3)]


def test_exported_weights_give_the_same_network_again(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = Network(CLASSES)
    with torch.no_grad():
        for _ in range(3):  # so that the batch norms have statistics of their own
            network.train()(torch.rand(4, 3, 96, 96))
    path = tmp_path / "detector.onnx"
    export(network.eval(), CLASSES, (96, 96), path, {"data": "none"})
    pictures = torch.rand(8, 3, 96, 96)
    classes, state = read_export(path, lambda: pictures)
    restored = Network(classes).eval()
    restored.load_state_dict(state)
    assert classes == list(CLASSES)
    with torch.inference_mode():
        expected, outputs = network(pictures), restored(pictures)
        torch.testing.assert_close(outputs.scores, expected.scores, atol=0.02, rtol=0.02)  # stored in half precision
        torch.testing.assert_close(outputs.sides, expected.sides, atol=0.02, rtol=0.02)
        in_training = restored.train()(pictures)
    torch.testing.assert_close(in_training.scores, expected.scores, atol=0.05, rtol=0.05)
    network.calibrate(2.5, 0.7)
    export(network, CLASSES, (96, 96), path, {"data": "none", "calibration": "[2.5, 0.7]"})
    restored.load_state_dict(read_export(path, lambda: pictures)[1])
    with torch.inference_mode():
        torch.testing.assert_close(network(pictures).scores, 2.5 * expected.scores + 0.7)
        torch.testing.assert_close(restored.eval()(pictures).scores, expected.scores, atol=0.02, rtol=0.02)


@pytest.mark.parametrize("calibration", ["[0.0, 0.7]", "[-1, 0]", "[NaN, 0]", "[1]", '"2"'])
def test_weights_of_an_impossible_calibration_are_refused(tmp_path: Path, calibration: str) -> None:
    path = tmp_path / "detector.onnx"
    export(Network(CLASSES).eval(), CLASSES, (96, 96), path, {"data": "none", "calibration": calibration})
    with pytest.raises(ValueError, match="calibration"):
        read_export(path, lambda: torch.rand(1, 3, 96, 96))


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (2.8, 0.7), (0.6, -0.4)])
def test_calibrated_scores_are_the_shares_of_right_boxes(slope: float, offset: float) -> None:
    means = np.linspace(0.05, 0.95, 10)
    shares = 1.0 / (1.0 + np.exp(-slope * np.log(means / (1.0 - means)) - offset))
    bins = [(mean, share, 100_000) for mean, share in zip(means.tolist(), shares.tolist(), strict=True)]
    assert fit_calibration(bins) == pytest.approx((slope, offset), abs=0.02)


@pytest.mark.parametrize("bins", [[], [(0.5, 0.5, 9)], [(0.05, 0.0, 9), (0.5, 1.0, 9)], [(0.3, 1.0, 9), (0.7, 0.0, 9)]])
def test_scores_stay_if_too_little_is_known_of_them(bins: list[tuple[float, float, int]]) -> None:
    assert fit_calibration(bins) == (1.0, 0.0)


def test_a_calibration_of_perfect_scores_is_finite() -> None:
    slope, offset = fit_calibration([(0.2, 0.0, 5), (0.6, 1.0, 7), (1.0, 1.0, 900)])
    assert slope > 0.0 and np.isfinite([slope, offset]).all()


@given(
    st.lists(
        st.tuples(st.floats(0.1, 1.0), st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([1, 9, 10**5])), max_size=10
    )
)
def test_any_scores_can_be_calibrated(bins: list[tuple[float, float, int]]) -> None:
    slope, offset = fit_calibration(bins)
    assert slope > 0.0 and np.isfinite([slope, offset]).all()


@pytest.mark.slow
def test_a_training_learns_goes_on_after_a_stop_and_its_detector_sees(data: Path, tmp_path: Path) -> None:
    steps = {"steps": 40, "keep_every": 20, "batch": 4, "rate": 4e-3}
    uninterrupted = train_detector(options(data, tmp_path / "whole", **steps), silent)
    assert uninterrupted.losses[40] < 0.5 * uninterrupted.losses[1]
    assert uninterrupted.held_out[40] < uninterrupted.held_out[20]

    class Interrupted(Exception):
        pass

    def stop(step: int, steps: int, loss: float, *, speed: float = 0.0) -> None:
        if step == 21:
            raise Interrupted

    with pytest.raises(Interrupted):
        train_detector(options(data, tmp_path / "parts", **steps), stop)
    parts = train_detector(options(data, tmp_path / "parts", **steps), silent)
    assert parts.losses == uninterrupted.losses and parts.scores == uninterrupted.scores
    with pytest.raises(BadInput, match="holds a finished training"):
        train_detector(options(data, tmp_path / "whole", **steps), silent)
    card = (tmp_path / "whole/README.md").read_text()
    assert uninterrupted.data_sha256 in card and "fridge/door" in card
    for model in ("whole", "whole/detector.onnx"):
        out = tmp_path / f"from {Path(model).name}"
        further = train_detector(options(data, out, model=str(tmp_path / model)), silent)
        assert further.losses[1] < 0.5 * uninterrupted.losses[1]
    (tmp_path / "another.onnx").write_bytes(b"no graph")
    with pytest.raises(BadInput, match="has no weights of `homie train detector`"):
        train_detector(options(data, tmp_path / "none", model=str(tmp_path / "another.onnx")), silent)


class Labels(Detector):
    """Says what the labels say, with names and scores that can be changed."""

    name = "labels"

    def __init__(self, answers: list[list[Detection]]) -> None:
        super().__init__()
        self._answers = iter(answers)

    def detect(self, observation: Observation) -> tuple[Detection, ...]:
        return tuple(next(self._answers))


def answers(data: Path, change: dict[str, str]) -> list[list[Detection]]:
    split = read_split(data, "test")
    return [
        [
            Detection(kind, "picture", tuple(map(int, box)), 0.9, part=part)
            for box, number in zip(picture.boxes, picture.classes, strict=True)
            for kind, part in [split_label(change.get(split.classes[number], split.classes[number]))]
        ]
        for picture in split.pictures
    ]


def test_scores_are_one_for_the_labels_and_fall_with_what_is_wrong(data: Path) -> None:
    split = read_split(data, "test")
    right = score(Labels(answers(data, {})), split)
    assert right.every == right.large == pytest.approx(1.0) and right.confusions == []
    assert right.calibration == [(pytest.approx(0.9), 1.0, 12)]
    wrong = score(Labels(answers(data, {"apple": "fridge"})), split)
    assert wrong.by_class["apple"] == 0.0 and wrong.by_class["fridge/door"] == pytest.approx(1.0)
    assert wrong.confusions == [("apple", "fridge", 3)]
    nothing = score(Labels([[] for _ in split.pictures]), split)
    assert nothing.every == nothing.large == 0.0


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ("annotations/train.json", "has to be in the layout of COCO"),
        ("images/train/0.png", "is not a picture that can be read"),
    ],
)
def test_a_broken_data_set_is_said(data: Path, tmp_path: Path, broken: str, sentence: str) -> None:
    copy = tmp_path / "copy"
    for path in data.rglob("*"):
        if path.is_file():
            (copy / path.relative_to(data)).parent.mkdir(parents=True, exist_ok=True)
            (copy / path.relative_to(data)).write_bytes(path.read_bytes())
    (copy / broken).write_bytes(b"{}")
    with pytest.raises(BadInput, match=sentence):
        train_detector(options(copy, tmp_path / "out", steps=20), silent)
    with pytest.raises(BadInput, match="homie data detections"):
        train_detector(options(tmp_path / "none", tmp_path / "other"), silent)


def relabel(data: Path, out: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """The data set with other labels of its test split."""
    shutil.copytree(data, out)
    path = out / "annotations/test.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return out


def set_outline(document: dict[str, Any], outline: object) -> None:
    document["annotations"][1]["segmentation"] = outline


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda d: set_outline(d, {"size": [100000, 100000], "counts": "1"}),
            r"annotations\.1\.segmentation is not one of",
        ),
        (lambda d: set_outline(d, {"size": [128, 96], "counts": ""}), "is not one of a picture of 96 x 128"),
        (lambda d: set_outline(d, {"size": [128, 96], "counts": "~~~~"}), "is not one of a picture of 96 x 128"),
        (lambda d: set_outline(d, {"counts": "0"}), "is not one of a picture of 96 x 128"),
        (lambda d: d["images"][1].update(id=0), "two of the images have the same id"),
        (lambda d: d["categories"][1].update(id=1), "two of the categories have the same id"),
        (lambda d: d["annotations"][2].update(image_id=7), r"annotations\.2\.image_id: there is no 7"),
        (lambda d: d["annotations"][2].update(category_id=7), r"annotations\.2\.category_id: there is no 7"),
        (lambda d: d["annotations"][2].update(bbox=[1, 2, -3, 4]), r"annotations\.2\.bbox\.2 must be at least 0"),
        (lambda d: d["annotations"][2].update(bbox=[1, 2, 3]), r"annotations\.2\.bbox"),
        (lambda d: d["annotations"].append(3), r"annotations\.12 must be a mapping"),
    ],
)
def test_labels_that_cannot_be_meant_are_said(
    data: Path, tmp_path: Path, change: Callable[[dict[str, Any]], object], sentence: str
) -> None:
    with pytest.raises(BadInput, match=rf"^Cannot read .*annotations/test\.json: .*{sentence}"):
        read_split(relabel(data, tmp_path / "set", change), "test")


def test_a_picture_of_another_size_is_said(data: Path, tmp_path: Path) -> None:
    out = relabel(data, tmp_path / "set", lambda d: d["images"][0].update(width=64))
    with pytest.raises(BadInput, match=r"0\.png has 96 x 128 pixels, and its labels are of 64 x 128"):
        read_split(out, "test").pictures[0].picture()


def test_outlines_are_the_masks_that_were_encoded(data: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for number, share in enumerate((0.0, 0.01, 0.5, 1.0)):
        mask = np.asfortranarray(rng.random((128, 96)) < share)
        mask[:, 40:60] = share > 0.0
        coded = run_lengths.encode(mask.astype(np.uint8))
        outline = {"size": coded["size"], "counts": coded["counts"].decode()}
        split = read_split(relabel(data, tmp_path / str(number), lambda d, o=outline: set_outline(d, o)), "test")
        assert (split.pictures[0].mask(1) == mask).all()
        assert split.pictures[0].mask(0).sum() == 40 * 64


def test_a_box_that_leaves_the_picture_is_cut_off(data: Path, tmp_path: Path) -> None:
    out = relabel(data, tmp_path / "set", lambda d: d["annotations"][0].update(bbox=[-4, -4, 10, 10]))
    assert read_split(out, "test").pictures[0].mask(0).sum() == 36


def test_scores_are_those_of_the_labels_however_they_are_numbered_and_named(data: Path, tmp_path: Path) -> None:
    def change(document: dict[str, Any]) -> None:
        document["categories"].append({"id": 5, "name": "Refrigerator"})
        document["annotations"][4]["category_id"] = 5
        crowd = {"id": 99, "image_id": 0, "category_id": 4, "bbox": [50, 66, 40, 20], "iscrowd": 1}
        document["annotations"].append(crowd)
        for number, annotation in enumerate(document["annotations"]):
            annotation["id"] = number

    out = relabel(data, tmp_path / "set", change)
    report = answers(out, {"Refrigerator": "fridge"})
    report[0].append(Detection("apple", "picture", (52, 68, 62, 78), 0.95))  # in the crowd
    right = score(Labels(report), read_split(out, "test"))
    assert right.by_class == {name: pytest.approx(1.0) for name in ("fridge", "fridge/door", "kitchen/floor", "apple")}
    assert right.every == pytest.approx(1.0)


def test_the_shipped_weights_see_a_house_that_they_do_not_know() -> None:
    with MujocoHome(generate(4)) as robot:
        detector = LearnedDetector()
        recalls = []
        for view in robot.views:
            observation = robot.observe((view,))
            true = {kind_of(d.instance) for d in SimulatedDetector().detect(observation) if large(d)}
            reported = detector.detect(observation)
            assert all(d.mask is None or d.mask.shape == (256, 256) for d in reported)
            recalls += [any(d.name.endswith(kind) for d in reported) for kind in true]
    assert len(recalls) > 5 and np.mean(recalls) > 0.6


def large(detection: Detection) -> bool:
    x0, y0, x1, y1 = detection.box
    return min(x1 - x0, y1 - y0) >= 24 and not detection.part


def test_a_picture_is_what_some_camera_sees(data: Path) -> None:
    picture = read_split(data, "test").pictures[0]
    (frame,) = observation_of(picture).frames.values()
    assert frame.depth is None and frame.rgb.shape == (128, 96, 3)
