"""Generate labelled pictures of generated houses: `homie data detections`.

A house is the unit of work: its pictures are written first and `houses/SEED.json` last, so that an interrupted command
resumes with the next house. After the last house, the annotations, the card and `data.json` are written.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image as Picture

from homie.data.detections.camera_noise import add_camera_effects
from homie.data.detections.coco_and_yolo import write_layout
from homie.data.detections.house_file import HOUSES, IMAGES, HouseFile, LabelledPicture
from homie.data.detections.labels import labels_of
from homie.data.detections.recipe import DATA, DetectionData, DetectionRecipe, Split
from homie.data.options import DetectionsOptions
from homie.kernel import registry
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import Detector
from homie.kernel.options import pixels_of
from homie.kernel.scenes import scenes_of
from homie.kernel.support.files import write_atomically
from homie.kernel.types import Image
from homie.runtime.orphans import worker_pool
from homie.runtime.runstore.checksummed_json import read_model, write_model
from homie.runtime.runstore.resumable import resumable_folder

QUALITY = 92
"""JPEG quality: high enough to keep camera noise and hide compression blocks."""
DETECTOR = "simulated"
"""Detector whose output is used as labels."""


def make_detections(options: DetectionsOptions, over: Callable[[int, int], object]) -> DetectionData:
    """Make a data set of labelled pictures, or resume an unfinished one.

    Args:
        options: Houses, number of pictures, output folder.
        over: Called after each house with the number done and the number of houses.

    Raises:
        BadInput: The folder holds something else, or the robot has no scenes with pictures.
        InfrastructureError: The disk fails, or a worker process dies.
    """
    recipe = DetectionRecipe.of(options)
    out = options.out
    with resumable_folder(out, recipe, DATA, "data set", besides="versions of packages"):
        (out / HOUSES).mkdir(exist_ok=True)
        splits = recipe.splits()
        pending = [(seed, split) for seed, split in splits.items() if not _house_path(out, seed).exists()]
        for done, _ in enumerate(_make_houses(options, pending), len(splits) - len(pending) + 1):
            over(done, len(splits))
        data = write_layout(out, recipe, {seed: read_model(_house_path(out, seed), HouseFile) for seed in splits})
        write_model(out / DATA, data)
    return data


def _make_houses(options: DetectionsOptions, pending: Sequence[tuple[int, Split]]) -> Iterator[int]:
    """Make the houses, in this process or in workers; yield the seed of each finished house."""
    if options.workers == 1:
        yield from (make_house(options, seed, split) for seed, split in pending)
        return
    with worker_pool(options.workers) as pool:
        yield from pool.map(make_house, [options] * len(pending), *zip(*pending, strict=True))


def make_house(options: DetectionsOptions, seed: int, split: Split) -> int:
    """Write the pictures of one house and its `houses/SEED.json`. Returns the seed.

    Raises:
        BadInput: The robot has no scenes with pictures.
        OSError: The disk fails.
    """
    detector: Detector = registry.load("detectors", DETECTOR)("", None)
    rng = np.random.default_rng([options.seed, seed])
    scene_options = {"catalogue": options.catalogue, "furniture": options.furniture}
    size = pixels_of(options.picture_size or "256x256")
    (options.out / IMAGES / split).mkdir(parents=True, exist_ok=True)
    pictures = []
    views = scenes_of(options.robot).views(seed, scene_options, options.viewpoints, size, options.randomise)
    for viewpoint, observation in enumerate(views):
        detections = detector.detect(observation)
        for view, frame in observation.frames.items():
            file = f"{IMAGES}/{split}/{seed:010d}-{viewpoint:03d}-{view}.jpg"
            write_atomically(
                options.out / file, _jpeg(add_camera_effects(frame.rgb, rng) if options.randomise else frame.rgb)
            )
            labels = labels_of([detection for detection in detections if detection.view == view])
            pictures.append(LabelledPicture(file=file, size=(frame.rgb.shape[1], frame.rgb.shape[0]), labels=labels))
    if not pictures:
        raise BadInput(f"The robot '{options.robot}' has no scenes with labelled pictures: use --robot mujoco.")
    write_model(_house_path(options.out, seed), HouseFile(seed=seed, split=split, pictures=pictures))
    return seed


def _jpeg(rgb: Image) -> bytes:
    data = io.BytesIO()
    Picture.fromarray(rgb).save(data, "JPEG", quality=QUALITY)
    return data.getvalue()


def _house_path(out: Path, seed: int) -> Path:
    return out / HOUSES / f"{seed}.json"
