"""Small LeRobot data sets of version 3 as others write them, each with something changed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image as Picture

FPS, LENGTHS, HEIGHT, WIDTH = 10, (3, 2), 64, 96
TOP = "observation.images.top"


def pictures(count: int, size: tuple[int, int] = (HEIGHT, WIDTH), first: int = 0) -> np.ndarray:
    """Pictures (n, H, W, 3) of one colour each, which tell frame from frame."""
    return np.stack([np.full((*size, 3), 20 + 20 * number, np.uint8) for number in range(first, first + count)])


ENCODING = {"libx264": {"bf": "0"}, "libx265": {"x265-params": "bframes=0:frame-threads=1:pools=none:log-level=error"}}
"""Frames leave the encoder in their order; with threads libx265 gives packets that a busy machine cannot mux."""


def film(path: Path, frames: np.ndarray, *, codec: str = "libx264", rate: int = FPS, pixels: str = "yuv420p") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate, options=ENCODING.get(codec, {}))
        stream.height, stream.width, stream.pix_fmt = frames.shape[1], frames.shape[2], pixels
        for frame in frames:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode(None))


def png(picture: np.ndarray, mode: str = "RGB") -> bytes:
    Picture.fromarray(picture).convert(mode).save(out := io.BytesIO(), "PNG")
    return out.getvalue()


@dataclass
class Foreign:
    """What is written, to be changed by a test before it is.

    camera: the column of pictures and how `info.json` declares it. kept: "own" (a film for each episode), "shared" (one
    for all of them), or, of pictures in rows, what makes a value of a picture and its number.
    """

    column: str = TOP
    shape: Sequence[int] = (HEIGHT, WIDTH, 3)
    names: Any = ("height", "width", "channels")
    about: Mapping[str, Any] = field(default_factory=dict)
    kept: str | Callable[[np.ndarray, int], Any] = "own"
    codec: str = "libx264"
    lengths: Sequence[int] = LENGTHS
    numbers: Mapping[str, Any] = field(default_factory=lambda: {"names": ["x", "y"]})
    states: np.ndarray | None = None
    info: Mapping[str, Any] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    features: Mapping[str, Any] = field(default_factory=dict)
    row: Callable[[dict[str, Any]], dict[str, Any]] = lambda row: row
    files: int = 1
    """Files of data: episodes are put into them in turn."""

    def write(self, root: Path) -> Path:
        lengths, total = self.lengths, sum(self.lengths)
        (root / "meta").mkdir(parents=True)
        begins = np.concatenate([[0], np.cumsum(lengths)])
        states = np.arange(2.0 * total).reshape(total, 2) if self.states is None else self.states
        in_rows = not isinstance(self.kept, str)
        frames = pictures(total, (HEIGHT, WIDTH))
        data: dict[str, Any] = {
            "observation.state": list(map(list, states)),
            "action": list(map(list, states + 0.5)),
            "timestamp": np.concatenate([np.arange(n) / FPS for n in lengths]).astype(np.float32),
            "frame_index": np.concatenate([np.arange(n) for n in lengths]),
            "episode_index": np.repeat(range(len(lengths)), lengths),
            "index": np.arange(total),
            "task_index": np.zeros(total, int),
            **self.columns,
        }
        if in_rows:
            data[self.column] = [self.kept(frame, number) for number, frame in enumerate(frames)]
        table = pa.table({name: values for name, values in data.items() if values is not None})
        rows, films = [], Path("videos") / self.column / "chunk-000"
        for number, length in enumerate(lengths):
            begin = int(begins[number])
            row = {
                "episode_index": number,
                "tasks": ["push the T"],
                "length": length,
                "data/chunk_index": 0,
                "data/file_index": number % self.files,
                "dataset_from_index": begin,
                "dataset_to_index": begin + length,
                "meta/episodes/chunk_index": 0,
                "meta/episodes/file_index": 0,
            }
            if not in_rows:
                own = self.kept == "own"
                row |= {
                    f"videos/{self.column}/chunk_index": 0,
                    f"videos/{self.column}/file_index": number if own else 0,
                }
                start = 0.0 if own else begin / FPS
                row |= {f"videos/{self.column}/from_timestamp": start}
                row |= {f"videos/{self.column}/to_timestamp": start + length / FPS}
                if own and length:
                    part = frames[begin : begin + length]
                    film(root / films / f"file-{number:03d}.mp4", part, codec=self.codec)
            rows.append(self.row(row))
        if self.kept == "shared":
            film(root / films / "file-000.mp4", frames, codec=self.codec)
        for file in range(self.files):
            numbers = [number for number in range(len(lengths)) if number % self.files == file]
            place = root / f"data/chunk-000/file-{file:03d}.parquet"
            place.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(table.filter(np.isin(table.column("episode_index"), numbers)), place)
        (root / "meta/episodes/chunk-000").mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(rows), root / "meta/episodes/chunk-000/file-000.parquet")
        pq.write_table(pa.table({"task_index": [0], "task": ["push the T"]}), root / "meta/tasks.parquet")
        (root / "meta/info.json").write_text(json.dumps(self._info(total, in_rows)))
        return root

    def _info(self, total: int, in_rows: bool) -> dict[str, Any]:
        numbers = {"dtype": "float32", "shape": [2], **self.numbers}
        automatic = ("frame_index", "episode_index", "index", "task_index")
        features = {
            "observation.state": numbers,
            "action": numbers,
            self.column: {
                "dtype": "image" if in_rows else "video",
                "shape": list(self.shape),
                "names": self.names,
                "info": dict(self.about),
            },
            "timestamp": {"dtype": "float32", "shape": [1], "names": None},
            **{name: {"dtype": "int64", "shape": [1], "names": None} for name in automatic},
            **self.features,
        }
        return {
            "codebase_version": "v3.0",
            "robot_type": "so101",
            "total_episodes": len(self.lengths),
            "total_frames": total,
            "total_tasks": 1,
            "chunks_size": 1000,
            "fps": FPS,
            "splits": {"train": f"0:{len(self.lengths)}"},
            "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
            "video_path": "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4",
            "features": {name: about for name, about in features.items() if about is not None},
            **self.info,
        }
