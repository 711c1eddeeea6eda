"""Labelled pictures of generated houses: COCO's own code reads them, and a data set that was interrupted goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from pycocotools.coco import COCO

from homie.data.detections import making
from homie.data.detections.making import make_detections
from homie.data.detections.recipe import DetectionData
from homie.data.options import DetectionsOptions
from homie.kernel.errors import BadInput
from homie.runtime.runstore.checksummed_json import read_model


def options(out: Path, **values: object) -> DetectionsOptions:
    return DetectionsOptions.build(out=out, houses=3, viewpoints=3, seed=5, **values)


def make_data(out: Path, **values: object) -> DetectionData:
    return make_detections(options(out, **values), lambda houses_done, houses: None)


@pytest.fixture(scope="module")
def coco(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "coco"
    make_data(folder)
    return folder


def test_coco_reads_boxes_and_outlines_that_agree(coco: Path) -> None:
    labels = 0
    for split in ("train", "validation", "test"):
        truth = COCO(str(coco / "annotations" / f"{split}.json"))
        for image in truth.loadImgs(truth.getImgIds()):
            with Image.open(coco / "images" / split / image["file_name"]) as picture:
                assert picture.size == (image["width"], image["height"]) == (256, 256)
        for label in truth.loadAnns(truth.getAnnIds()):
            mask = truth.annToMask(label).astype(bool)
            rows, columns = np.nonzero(mask.any(axis=1))[0], np.nonzero(mask.any(axis=0))[0]
            assert label["area"] == mask.sum() > 0
            width, height = columns[-1] + 1 - columns[0], rows[-1] + 1 - rows[0]
            assert label["bbox"] == [columns[0], rows[0], width, height]
            labels += 1
    data = read_model(coco / "data.json", DetectionData)
    assert labels == sum(sum(counts.values()) for counts in data.labels.values()) > 30
    assert {"kitchen/floor", "chair"} & set(data.classes)
    assert data.houses == {"train": 1, "validation": 1, "test": 1}
    card = (coco / "README.md").read_text()
    assert data.sha256 in card and all(f"| {name} |" in card for name in data.classes)


def test_furniture_has_the_box_around_its_parts(coco: Path) -> None:
    for split in ("train", "validation", "test"):
        document = json.loads((coco / "annotations" / f"{split}.json").read_text())
        names = {category["id"]: category["name"] for category in document["categories"]}
        for label in document["annotations"]:
            kind, _, part = names[label["category_id"]].partition("/")
            if part in ("door", "drawer", "handle"):
                x, y, width, height = label["bbox"]
                wholes = [
                    other["bbox"]
                    for other in document["annotations"]
                    if other["image_id"] == label["image_id"] and names[other["category_id"]] == kind
                ]
                assert any(x >= X and y >= Y and x + width <= X + W and y + height <= Y + H for X, Y, W, H in wholes), (
                    label
                )


def test_yolo_has_the_same_boxes_and_workers_change_nothing(coco: Path, tmp_path: Path) -> None:
    data = make_data(tmp_path / "yolo", layout="yolo", workers=2)
    document = json.loads((coco / "annotations" / "test.json").read_text())
    image = max(
        document["images"], key=lambda image: sum(a["image_id"] == image["id"] for a in document["annotations"])
    )
    names = {category["id"]: category["name"] for category in document["categories"]}
    expected = sorted(
        (names[label["category_id"]], *label["bbox"])
        for label in document["annotations"]
        if label["image_id"] == image["id"]
    )
    lines = (tmp_path / "yolo/labels/test" / image["file_name"]).with_suffix(".txt").read_text().splitlines()
    boxes = []
    for line in lines:
        number, *shares = line.split()
        x, y, width, height = (256 * float(share) for share in shares)
        box = (x - width / 2, y - height / 2, width, height)
        boxes.append((data.classes[int(number)], *(round(value) for value in box)))
    assert sorted(boxes) == expected
    for picture in sorted((coco / "images").rglob("*.jpg")):
        assert picture.read_bytes() == (tmp_path / "yolo" / picture.relative_to(coco)).read_bytes()


def test_an_interrupted_data_set_goes_on_and_ends_alike(
    coco: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(Exception):
        pass

    def stop(houses_done: int, houses: int) -> None:
        if houses_done == 2:
            raise Interrupted

    with pytest.raises(Interrupted):
        make_detections(options(tmp_path / "set"), stop)
    with pytest.raises(BadInput, match=r"another unfinished data set.*viewpoints"):
        make_detections(
            options(tmp_path / "set").model_copy(update={"viewpoints": 4}), lambda houses_done, houses: None
        )
    again = []
    monkeypatch.setattr(
        making, "make_house", lambda *given, play=making.make_house: again.append(given[1]) or play(*given)
    )
    data = make_data(tmp_path / "set")
    assert len(again) == 1
    assert data == read_model(coco / "data.json", DetectionData)
    with pytest.raises(BadInput, match="holds a finished data set"):
        make_data(tmp_path / "set")


def test_what_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="is not empty and has no data set"):
        make_data(tmp_path)
    with pytest.raises(BadInput, match="'franka' has no scenes with labelled pictures"):
        make_data(tmp_path / "table", robot="franka")
