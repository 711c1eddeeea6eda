"""How fast episodes become training data: `python benchmarks/speed/data_conversion.py RUN [--episodes 1000]`

Takes the episodes of a run folder with pictures (`homie bench ... --frames`), makes as many copies as are asked for,
each with pictures of its own, and converts them: conversations, pairs, files of EMMOE. Prints episodes a second, by the
clock and by the CPU time that they took (the machine may be busy), and the memory; the aim is 20 a second.
"""

from __future__ import annotations

import argparse
import resource
import struct
import tempfile
import time
import zlib
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path

from homie.data.emmoe_export import export_emmoe
from homie.data.options import EmmoeOptions, TrainingOptions
from homie.data.training_examples import make_dataset
from homie.kernel.options import RunOptions
from homie.runtime.runstore import RunFile, episode_folders, read_episode, write_model

AIM = 20.0
_PNG_END = 12
"""Bytes of the last chunk of a PNG."""


def copies(run: Path, out: Path, number: int) -> None:
    """A run folder of single runs with so many copies of the finished episodes of another, no picture like another."""
    originals = [folder for folder in episode_folders(run) if (read_episode(folder)) is not None]
    options = RunOptions(task="copies", planner="rule")
    out.mkdir(parents=True)
    write_model(
        out / "run.json", RunFile(created="", seed=0, options=options, versions={}, platform="", parts="", files={})
    )
    for place, original in enumerate(islice(cycle(originals), number)):
        folder = out / "episodes" / f"copy-{place:05d}"
        (folder / "frames").mkdir(parents=True)
        for file in original.iterdir():
            if file.is_file():
                (folder / file.name).write_bytes(file.read_bytes())
        for picture in (original / "frames").iterdir():
            data = picture.read_bytes()
            note = b"tEXt" + f"copy\0{place}".encode()
            chunk = struct.pack(">I", len(note) - 4) + note + struct.pack(">I", zlib.crc32(note))
            (folder / "frames" / picture.name).write_bytes(data[:-_PNG_END] + chunk + data[-_PNG_END:])


def measure(name: str, episodes: int, convert: Callable[[], object]) -> None:
    """Print how fast a conversion is."""
    began, worked = time.perf_counter(), time.process_time()
    convert()
    rate, alone = (episodes / spent for spent in (time.perf_counter() - began, time.process_time() - worked))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:<22}{rate:7.1f} episodes/s (aim {AIM:.0f}), {alone:.1f} by CPU time; at most {memory:.0f} MiB so far")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("--episodes", type=int, default=1000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.run.parent) as scratch:
        folder = Path(scratch)
        copies(arguments.run, folder / "run", arguments.episodes)

        def options(out: str, **more: object) -> TrainingOptions:
            return TrainingOptions.build(sources=[folder / "run"], out=folder / out, **more)

        measure("conversations", arguments.episodes, lambda: make_dataset(options("sft"), "sft"))
        measure("conversations, emmoe", arguments.episodes, lambda: make_dataset(options("sft-e", form="emmoe"), "sft"))
        measure("pairs", arguments.episodes, lambda: make_dataset(options("dpo"), "dpo"))
        files = EmmoeOptions(sources=[folder / "run"], out=folder / "emmoe")
        measure("files of EMMOE", arguments.episodes, lambda: export_emmoe(files))


if __name__ == "__main__":
    main()
