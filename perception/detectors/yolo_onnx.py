"""The `yolo-onnx` detector: any YOLO that was exported to ONNX, run by ONNX Runtime. It needs no torch."""

from __future__ import annotations

import ast
import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, Field

from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import sha256
from homie.kernel.support.documents import parse_json
from homie.kernel.support.packages import missing_part
from homie.kernel.types import Image
from perception.detectors.coco_classes import COCO_CLASSES
from perception.detectors.letterbox import GRAY, Letterbox, Placing
from perception.detectors.picture_detector import Boxes, BoxSettings, PictureDetector
from perception.detectors.yolo_output import Layout, candidates, layout_of, table_of

if TYPE_CHECKING:
    import onnxruntime

_TYPES = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
PLACINGS: Mapping[Layout, Placing] = {
    "yolox": "corner",
    "yolox raw": "corner",
    "rt-detr": "whole",
    "rt-detr scores": "whole",
    "rt-detr logits": "whole",
}
"""Placement of pictures in the frames of these layouts; in all others they are in the middle."""
_SIZE = 640
"""Side of the input in pixels if neither the network nor its metadata define it."""


class YoloOnnxSettings(BoxSettings):
    """Settings of `yolo-onnx`."""

    names: str = Field(
        "", description="Names of the classes, with commas between, where the file has none; coco: the 80 of COCO."
    )
    size: int = Field(0, ge=0, le=8192, description="Side of the input in pixels, where the file leaves it open.")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="auto: the GPU where onnxruntime-gpu has one.")
    threads: int = Field(0, ge=0, le=256, description="Threads of one network; 0: as ONNX Runtime likes.")


class YoloOnnxDetector(PictureDetector):
    """Any YOLO exported to ONNX: `yolo-onnx:FILE`.

    The constructor raises BadInput for a file that is not an exported YOLO, and MissingPart.
    """

    name = "yolo-onnx"
    extra: ClassVar[str] = "yolo-onnx"
    Settings: ClassVar[type[BaseModel] | None] = YoloOnnxSettings

    def __init__(self, argument: str, settings: YoloOnnxSettings) -> None:
        super().__init__(settings)
        if not argument:
            raise BadInput("The detector 'yolo-onnx' needs a file: --detector yolo-onnx:model.onnx.")
        self._path = Path(argument).expanduser()
        self._session = _open(self._path, settings)
        self._input, self._batch, self._size = _input_of(self._session, self._path, settings)
        self._names = _names_of(self._session, self._path, settings)
        self._layout: Layout = "yolov8"  # most networks expect the empty picture in this form
        self._layout = self._recognise_layout()

    def look(self, pictures: Sequence[Image]) -> list[Boxes]:
        placing = PLACINGS.get(self._layout, "middle")
        frames = [Letterbox.between((picture.shape[1], picture.shape[0]), self._size, placing) for picture in pictures]
        blobs = [frame.put(picture) for frame, picture in zip(frames, pictures, strict=True)]
        outputs = self._outputs(np.stack(blobs))
        return [self._boxes(frame, output) for frame, output in zip(frames, outputs, strict=True)]

    def _boxes(self, frame: Letterbox, outputs: Sequence[NDArray[np.floating]]) -> Boxes:
        """Decode the network's outputs for a frame to boxes in pixels of its picture."""
        table = candidates(table_of(outputs, len(self._names)), self._layout, frame.frame, len(self._names))
        sure = table.scores >= self._settings.score
        labels = tuple(self._names[index] for index in table.classes[sure])
        return Boxes(frame.back(table.boxes[sure]), table.scores[sure], labels)

    def _recognise_layout(self) -> Layout:
        """Recognise the layout of the output from an empty picture. Raises BadInput."""
        empty = np.full((1, *self._size[::-1], 3), GRAY, dtype=np.uint8)
        try:
            outputs = next(self._outputs(empty))
        except BadInput:
            raise
        except Exception as error:  # ONNX Runtime has a different exception for every kind of defect
            reason = str(error).strip().splitlines()[0][:200]
            width, height = self._size
            raise BadInput(
                f"The network in {self._path} cannot look at a picture of {width} x {height}: {reason}"
            ) from error
        return layout_of(outputs, self._size, len(self._names))

    def describe(self) -> Mapping[str, object]:
        digest = sha256(self._path)
        return {**super().describe(), "model": str(self._path), "sha256": digest, "classes": len(self._names)}

    def _outputs(self, pictures: NDArray[np.uint8]) -> Iterator[tuple[NDArray[Any], ...]]:
        """Yield all outputs, boxes first, of each picture (n, H, W, 3), run in batches of the network's batch size."""
        step = self._batch or len(pictures)
        kind = _TYPES[self._input.type]
        names = sorted((each.name for each in self._session.get_outputs()), key=lambda name: "box" not in name)
        for start in range(0, len(pictures), step):
            group = pictures[start : start + step]
            blob = np.zeros((step, 3, *group.shape[1:3]), dtype=kind)
            if self._layout in ("yolox", "yolox raw"):  # trained on BGR from 0 to 255
                blob[: len(group)] = group[..., ::-1].transpose(0, 3, 1, 2)
            else:
                blob[: len(group)] = group.transpose(0, 3, 1, 2).astype(kind) / kind(255)
            outputs = self._session.run(names, {self._input.name: np.ascontiguousarray(blob)})
            if outputs[0].ndim != 3 or len(outputs[0]) != step:
                raise BadInput(
                    f"The network in {self._path} gives {tuple(outputs[0].shape)} where a YOLO gives one table per "
                    "picture."
                )
            yield from itertools.islice(zip(*outputs, strict=False), len(group))


def _open(path: Path, settings: YoloOnnxSettings) -> onnxruntime.InferenceSession:
    """Load the network. Raises BadInput, MissingPart."""
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise missing_part("The detector 'yolo-onnx'", error.name, "yolo-onnx") from error
    if not path.is_file():
        raise BadInput(f"There is no file {path}: give the ONNX file of an exported YOLO.")
    available = onnxruntime.get_available_providers()
    if settings.device == "cuda" and "CUDAExecutionProvider" not in available:
        raise BadInput("ONNX Runtime has no CUDA here: install onnxruntime-gpu, or use --detector-option device=cpu.")
    providers = (
        ["CPUExecutionProvider"] if settings.device == "cpu" else ["CUDAExecutionProvider", "CPUExecutionProvider"]
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = settings.threads
    options.log_severity_level = 3
    try:
        return onnxruntime.InferenceSession(path, options, [name for name in providers if name in available])
    except Exception as error:  # ONNX Runtime has a different exception for every kind of defect
        reason = str(error).strip().splitlines()[0][:200]
        raise BadInput(f"The file {path} cannot be loaded as an ONNX network: {reason}") from error


def _input_of(session: Any, path: Path, settings: YoloOnnxSettings) -> tuple[Any, int, tuple[int, int]]:
    """Return the input, its batch size (0 for any) and its (width, height). Raises BadInput."""
    (first, *more) = session.get_inputs()
    shape = first.shape
    if more:
        names = ", ".join(each.name for each in (first, *more))
        raise BadInput(f"The network in {path} needs {names}, and an exported YOLO only pictures: export it without.")
    if len(shape) != 4 or shape[1] not in (3, "channels") or first.type not in _TYPES:
        raise BadInput(f"The network in {path} has no input of N x 3 x H x W pixels, so it is not an exported YOLO.")
    batch = shape[0] if isinstance(shape[0], int) else 0
    height, width = (side if isinstance(side, int) else 0 for side in shape[2:])
    if not (height and width):
        literal = _literal(session, "imgsz")
        sides = (
            literal
            if isinstance(literal, list) and literal and all(isinstance(side, int) for side in literal)
            else [_SIZE]
        )
        height, width = (settings.size, settings.size) if settings.size else (sides[0], sides[-1])
    elif settings.size not in (0, height) or settings.size not in (0, width):
        raise BadInput(f"The network in {path} takes pictures of {width} x {height} only: leave out size.")
    return first, batch, (width, height)


def _names_of(session: Any, path: Path, settings: YoloOnnxSettings) -> tuple[str, ...]:
    """Return the names of the classes: from the settings, otherwise from the file. Raises BadInput."""
    task = session.get_modelmeta().custom_metadata_map.get("task", "detect")
    if task not in ("detect", "segment"):
        raise BadInput(f"The network in {path} was made for '{task}': export one for detection.")
    if settings.names == "coco":
        return COCO_CLASSES
    if settings.names:
        return tuple(name.strip() for name in settings.names.split(","))
    literal = _literal(session, "names")
    if isinstance(literal, dict):  # JSON has text keys
        numbered = {int(key) if isinstance(key, str) and key.isdecimal() else key: literal[key] for key in literal}
        literal = numbered if len(numbered) == len(literal) else None
    if isinstance(literal, dict) and set(literal) == set(range(len(literal))):
        literal = [literal[index] for index in range(len(literal))]
    if not literal or not isinstance(literal, list) or not all(isinstance(name, str) for name in literal):
        raise BadInput(
            f"The file {path} has no names of classes: give them with --detector-option names=apple,bowl, or "
            "names=coco for the 80 of COCO."
        )
    return tuple(literal)


def _literal(session: Any, key: str) -> Any:
    """Parse a value of the file's metadata, a Python literal or JSON as text; None if it is missing."""
    text = session.get_modelmeta().custom_metadata_map.get(key, "")
    with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
        return ast.literal_eval(text)
    with contextlib.suppress(ValueError):
        return parse_json(text)
    return None
