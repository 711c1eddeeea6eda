"""Detectors through transformers: tiny ones with random weights against what the library makes of the same numbers."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
import torch
import transformers as hf
from furnished import House
from painting import observation_of
from safetensors.torch import load_file, save_file
from tiny_detectors import KINDS, tiny_detector

from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS
from homie.kernel.errors import BadInput, InfrastructureError, MissingPart
from homie.kernel.registry import DETECTOR, make_part
from homie.kernel.support.packages import install_command
from homie.kernel.types import Image, Pose2
from perception.detectors import hub
from perception.detectors.picture_detector import Boxes, PictureDetector
from perception.names import canonical, vocabulary

NAMES = {"owlv2": "owl", "owlvit": "owl", "rt_detr": "rtdetr", "grounding-dino": "grounding-dino"}
EVERYTHING = {"score": 0.0, "overlap": 1.0, "device": "cpu"}


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder of weights for each kind."""
    return {kind: tiny_detector(tmp_path_factory.mktemp(kind), kind) for kind in KINDS}


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> NoReturn:
        raise OSError("no network in tests")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def picture(house: House) -> Image:
    return house.observe(Pose2(3.0, 3.0, 0.0)).frames["front"].rgb[:200]


def look(detector: object, picture: Image) -> Boxes:
    assert isinstance(detector, PictureDetector)
    (boxes,) = detector.look([picture])
    return boxes


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_loaded_sees_and_is_recorded(folders: dict[str, Path], picture: Image, kind: str) -> None:
    detector = make_part(DETECTOR, f"{NAMES[kind]}:{folders[kind]}", {**EVERYTHING, "most": 7})
    detections = detector.detect(observation_of(picture, picture[:, :150]))
    assert {detection.view for detection in detections} == {"0", "1"}
    for detection in detections:
        height, width = 200, (256 if detection.view == "0" else 150)
        x0, y0, x1, y1 = detection.box
        assert 0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height
        assert detection.mask is None and detection.instance == "" and detection.part == ""
    assert detector.describe()["type"] == kind
    strict = make_part(DETECTOR, f"{NAMES[kind]}:{folders[kind]}", {"score": 1.0})
    assert strict.detect(observation_of(picture)) == ()


@pytest.mark.parametrize("kind", ["owlv2", "owlvit"])
def test_owl_answers_as_the_whole_model_does(folders: dict[str, Path], picture: Image, kind: str) -> None:
    """The text is read once here and with every picture there."""
    detector: Any = make_part(DETECTOR, f"owl:{folders[kind]}", {**EVERYTHING, "names": "red mug, apple,tv stand"})
    boxes = look(detector, picture)
    network = detector._network
    names = ["red mug", "apple", "tv stand"]
    tokens = network.tokenizer(
        [f"a photo of a {name}" for name in names], padding="max_length", max_length=16, return_tensors="pt"
    )
    pixels = (
        torch.from_numpy(detector._squared(picture))
        if kind == "owlv2"
        else network.images(images=[picture], return_tensors="pt").pixel_values
    )
    with torch.inference_mode():
        outputs = network.model(pixel_values=pixels, **tokens)
    (reference,) = network.images.post_process_object_detection(
        outputs, threshold=0.0, target_sizes=[picture.shape[:2]]
    )
    assert boxes.boxes == pytest.approx(reference["boxes"].numpy(), abs=1e-3)
    assert boxes.scores == pytest.approx(reference["scores"].numpy(), abs=1e-5)
    assert list(boxes.labels) == [names[index] for index in reference["labels"]]
    other = look(make_part(DETECTOR, f"owl:{folders[kind]}", {**EVERYTHING, "names": "spoon"}), picture)
    assert np.abs(other.scores - boxes.scores).max() > 1e-4  # words make a difference


@pytest.mark.parametrize("size", [64, 300])
def test_owl_v2_prepares_pictures_as_its_processor_does(folders: dict[str, Path], picture: Image, size: int) -> None:
    pytest.importorskip("scipy", reason="the processor needs it, Homie does not")
    detector: Any = make_part(DETECTOR, f"owl:{folders['owlv2']}")
    detector._network.images.size = {"height": size, "width": size}
    reference = hf.Owlv2ImageProcessor(size={"height": size, "width": size})(images=[picture], return_tensors="np")
    difference = np.abs(detector._squared(picture) - reference["pixel_values"])
    detector._network.images.size = {"height": 64, "width": 64}
    assert difference.mean() < 1e-4
    assert difference[..., 4:-4, 4:-4].max() < 1e-4


def test_owl_v2_has_its_picture_in_the_upper_left_of_a_square(folders: dict[str, Path]) -> None:
    detector: Any = make_part(DETECTOR, f"owl:{folders['owlv2']}")
    white = np.full((32, 64, 3), 255, np.uint8)
    square = detector._squared(white)
    mean, deviation = np.array([0.48145466, 0.4578275, 0.40821073]), np.array([0.26862954, 0.26130258, 0.27577711])
    assert square[0, :, 4, 60] == pytest.approx((1 - mean) / deviation, abs=1e-5)
    assert square[0, :, 60, 4] == pytest.approx(-mean / deviation, abs=1e-5)


def test_grounding_dino_gives_each_box_one_of_the_names(folders: dict[str, Path], picture: Image) -> None:
    detector: Any = make_part(
        DETECTOR, f"grounding-dino:{folders['grounding-dino']}", {**EVERYTHING, "names": "apple, Red mug"}
    )
    boxes = look(detector, picture)
    network = detector._network
    inputs = network.images(images=[picture], return_tensors="pt")
    tokens = network.tokenizer("apple. red mug.", return_tensors="pt", return_token_type_ids=True)
    with torch.inference_mode():
        outputs = network.model(**inputs, **tokens)
    words = network.tokenizer.convert_ids_to_tokens(tokens.input_ids[0])
    assert words == ["[CLS]", "apple", ".", "red", "mug", ".", "[SEP]"]
    each = torch.sigmoid(outputs.logits[0]).numpy()
    scores = np.stack([each[:, 1], each[:, 3:5].mean(axis=1)], axis=1)
    assert boxes.scores == pytest.approx(scores.max(axis=1), abs=1e-5)
    assert list(boxes.labels) == [("apple", "Red mug")[index] for index in scores.argmax(axis=1)]
    processor = hf.GroundingDinoProcessor(network.images, network.tokenizer)
    (reference,) = processor.post_process_grounded_object_detection(
        outputs, tokens.input_ids, threshold=-1.0, target_sizes=[picture.shape[:2]]
    )
    assert boxes.boxes == pytest.approx(reference["boxes"].numpy(), abs=1e-3)


def test_grounding_dino_reads_many_names_in_several_texts(folders: dict[str, Path], picture: Image) -> None:
    name = f"grounding-dino:{folders['grounding-dino']}"
    detector: Any = make_part(DETECTOR, name, EVERYTHING)
    assert [name for text in detector._texts for name in text.names] == list(vocabulary().kinds)
    assert len(detector._texts) > 1
    for text in detector._texts:
        assert text.inputs["input_ids"].shape[1] <= 24
        assert text.parts.sum(dim=1).tolist() == pytest.approx([1.0] * len(text.names))
    assert len(look(detector, picture).scores) == 15 * len(detector._texts)
    with pytest.raises(BadInput, match="too long"):
        make_part(DETECTOR, name, {"names": "mug " * 30})


def test_rt_detr_answers_as_its_processor_does(folders: dict[str, Path], picture: Image) -> None:
    detector: Any = make_part(DETECTOR, f"rtdetr:{folders['rt_detr']}", EVERYTHING)
    network, boxes = detector._network, look(detector, picture)
    with torch.inference_mode():
        outputs = network.model(**network.images(images=[picture], return_tensors="pt"))
    (reference,) = network.images.post_process_object_detection(outputs, 0.0, [picture.shape[:2]])
    assert boxes.boxes == pytest.approx(reference["boxes"].numpy(), abs=1e-3)
    assert {canonical(label) for label in boxes.labels} <= {"fridge", "sofa", "cup"}
    assert {detection.name for detection in detector.detect(observation_of(picture))} <= {"fridge", "sofa", "cup"}


def test_what_homes_hold_is_looked_for_unless_stated_otherwise(folders: dict[str, Path]) -> None:
    kinds = vocabulary().kinds
    assert {name.replace("_", " ") for name in (*FURNITURE, *OBJECTS)} <= set(kinds)
    assert len(set(kinds)) == len(kinds) and all(canonical(kind) == kind for kind in kinds)
    owl = f"owl:{folders['owlvit']}"
    assert make_part(DETECTOR, owl)._names == kinds  # type: ignore[attr-defined]
    detector: Any = make_part(DETECTOR, owl, {"names": " red  mug,, apple,apple"})
    assert detector._names == ("red mug", "apple")
    assert len(detector._queries) == 2
    with pytest.raises(BadInput, match="prompt of 'owl' has no"):
        make_part(DETECTOR, owl, {"prompt": "a photo"})


def test_a_model_stays_loaded_for_the_next_episode(folders: dict[str, Path]) -> None:
    name = f"rtdetr:{folders['rt_detr']}"
    first: Any = make_part(DETECTOR, name, {"score": 0.3})
    other: Any = make_part(DETECTOR, name, {"score": 0.6})
    assert first._network is other._network


def test_folders_that_hold_no_such_model_are_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    hub._load.cache_clear()
    with pytest.raises(BadInput, match="is a 'rt_detr'; the detector 'owl' runs: owlv2, owlvit"):
        make_part(DETECTOR, f"owl:{folders['rt_detr']}")
    with pytest.raises(BadInput, match="has no model"):
        make_part(DETECTOR, f"owl:{tmp_path}")
    with pytest.raises(BadInput, match="There is no folder"):
        make_part(DETECTOR, f"owl:{tmp_path}/none")
    with pytest.raises(BadInput, match="needs a model"):
        make_part(DETECTOR, "grounding-dino")
    with pytest.raises(BadInput, match="There is no device 'tpu:9'"):
        make_part(DETECTOR, f"owl:{folders['owlvit']}", {"device": "tpu:9"})


def test_a_hub_that_is_away_is_nobodys_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InfrastructureError, match="hub cannot be reached and nobody/no-such-detector"):
        make_part(DETECTOR, "rtdetr:nobody/no-such-detector")


def test_weights_that_lack_something_are_refused(folders: dict[str, Path], tmp_path: Path) -> None:
    for file in folders["owlvit"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    weights = load_file(tmp_path / "model.safetensors")
    del weights["box_head.dense0.weight"]
    save_file(weights, tmp_path / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(BadInput, match=r"lack 1 tensors, the first is box_head\.dense0\.weight"):
        make_part(DETECTOR, f"owl:{tmp_path}")
    (tmp_path / "model.safetensors").write_bytes(b"cut off")
    with pytest.raises(BadInput, match="has no model"):
        make_part(DETECTOR, f"owl:{tmp_path}")


def test_pickled_weights_are_not_touched(folders: dict[str, Path], tmp_path: Path) -> None:
    config = json.loads((folders["rt_detr"] / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config))
    torch.save({"a": torch.zeros(1)}, tmp_path / "pytorch_model.bin")
    with pytest.raises(BadInput, match="has no model"):
        make_part(DETECTOR, f"rtdetr:{tmp_path}")


def test_without_torch_the_command_is_named(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "_NEEDED", ("no_such_package",))
    with pytest.raises(MissingPart, match=f"'no_such_package': .*`{re.escape(install_command('torch'))}`"):
        make_part(DETECTOR, f"owl:{folders['owlv2']}")
