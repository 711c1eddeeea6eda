"""Annotation files for training detectors: COCO's JSON, or the text files of YOLO.

coco   annotations/SPLIT.json      boxes and outlines (compressed run lengths), classes numbered from 1
yolo   labels/SPLIT/PICTURE.txt    class, centre and size of each box as fractions of the picture; data.yaml
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from homie.data.detections.card import card
from homie.data.detections.house_file import IMAGES, HouseFile, LabelledPicture
from homie.data.detections.recipe import SPLITS, DetectionData, DetectionRecipe, Split
from homie.kernel.support.files import to_json, write_atomically

ANNOTATIONS, LABELS = "annotations", "labels"


def write_layout(out: Path, recipe: DetectionRecipe, houses: Mapping[int, HouseFile]) -> DetectionData:
    """Write the annotations of all houses and the card. Raises OSError."""
    pictures: dict[Split, list[LabelledPicture]] = {
        split: [picture for house in houses.values() if house.split == split for picture in house.pictures]
        for split in SPLITS
    }
    labels = {
        split: Counter(label.name for picture in members for label in picture.labels)
        for split, members in pictures.items()
    }
    classes = tuple(sorted({name for counts in labels.values() for name in counts}))
    digest = hashlib.sha256()
    write = _write_coco if recipe.options["layout"] == "coco" else _write_yolo
    for path, content in write(pictures, classes):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out / path, content)
        digest.update(content)
    data = DetectionData(
        recipe=recipe,
        classes=classes,
        pictures={split: len(members) for split, members in pictures.items()},
        houses={split: sum(house.split == split for house in houses.values()) for split in SPLITS},
        labels={split: dict(sorted(counts.items())) for split, counts in labels.items()},
        sha256=digest.hexdigest(),
    )
    write_atomically(out / "README.md", card(data).encode())
    return data


def _write_coco(pictures: Mapping[Split, Sequence[LabelledPicture]], classes: Sequence[str]) -> list[tuple[str, bytes]]:
    numbers = {name: number for number, name in enumerate(classes, 1)}
    categories = [{"id": number, "name": name, "supercategory": "home"} for name, number in numbers.items()]
    files = []
    for split, members in pictures.items():
        images: list[dict[str, Any]] = []
        annotations: list[dict[str, Any]] = []
        for number, picture in enumerate(members, 1):
            width, height = picture.size
            file = picture.file.removeprefix(f"{IMAGES}/{split}/")
            images.append({"id": number, "file_name": file, "width": width, "height": height})
            for label in picture.labels:
                annotations.append(
                    {
                        "id": len(annotations) + 1,
                        "image_id": number,
                        "category_id": numbers[label.name],
                        "bbox": label.box,
                        "area": label.area,
                        "segmentation": {"size": [height, width], "counts": label.counts},
                        "iscrowd": 0,
                    }
                )
        content = {"images": images, "annotations": annotations, "categories": categories}
        files.append((f"{ANNOTATIONS}/{split}.json", to_json(content, indent=None)))
    return files


def _write_yolo(pictures: Mapping[Split, Sequence[LabelledPicture]], classes: Sequence[str]) -> list[tuple[str, bytes]]:
    numbers = {name: number for number, name in enumerate(classes)}
    files = []
    for members in pictures.values():
        for picture in members:
            lines = [_yolo_line(numbers[label.name], label.box, picture.size) for label in picture.labels]
            path = Path(LABELS, *Path(picture.file).parts[1:]).with_suffix(".txt")
            files.append((str(path), "".join(lines).encode()))
    places = {"train": f"{IMAGES}/train", "val": f"{IMAGES}/validation", "test": f"{IMAGES}/test"}
    files.append(("data.yaml", yaml.safe_dump({**places, "names": dict(enumerate(classes))}, sort_keys=False).encode()))
    return files


def _yolo_line(number: int, box: tuple[int, int, int, int], size: tuple[int, int]) -> str:
    x, y, width, height = box
    centre = ((x + width / 2) / size[0], (y + height / 2) / size[1])
    return f"{number} {centre[0]:.6f} {centre[1]:.6f} {width / size[0]:.6f} {height / size[1]:.6f}\n"
