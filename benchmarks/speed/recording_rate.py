"""Whether recording keeps up with two cameras at 30 Hz: `python benchmarks/speed/recording_rate.py [--seconds 60]`

A loop on the clock, as of a robot that does not wait: at every period it hands the recorder what was measured, a
command and a picture of each camera. The pictures are those of the simulated table, shifted each time, so that no two
are equal. Prints how late the loop was (a driver drops a picture that is a period late) and what the file has.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from homie.data.recording.reader import read_recording
from homie.data.recording.recorder import Recorder
from homie.kernel.options import OpenOptions
from homie.kernel.types import CommandSent, Observation
from homie.runtime.assembly import open_robot

CAMERAS = ("front", "wrist")


def shifted(observation: Observation, number: int, stamp: float) -> Observation:
    """The observation at another time, its pictures (H, W, 3) moved by so many columns."""
    frames = {
        name: replace(frame, rgb=np.roll(frame.rgb, 7 * number, axis=1)) for name, frame in observation.frames.items()
    }
    return replace(observation, stamp=stamp, frames=frames)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--hertz", type=float, default=30.0)
    parser.add_argument("--picture-size", default="640x480")
    arguments = parser.parse_args()
    robot = open_robot(OpenOptions.build(robot="franka:pick", picture_size=arguments.picture_size))
    robot.reset(seed=3)
    seen = robot.observe(CAMERAS)
    sent = robot.act(robot.spec.grip(0.04))
    period, count = 1.0 / arguments.hertz, round(arguments.seconds * arguments.hertz)
    late: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        worked = time.process_time()
        recorder = Recorder(
            Path(folder), robot.spec, look=lambda camera: seen.frames[camera].rgb, cameras=CAMERAS, fps=arguments.hertz
        )
        began = time.perf_counter()
        for number in range(count):
            time.sleep(max(0.0, began + number * period - time.perf_counter()))
            late.append(time.perf_counter() - began - number * period)
            recorder.on(CommandSent(shifted(seen, number, number * period), sent))
        recorder.close()
        worked = time.process_time() - worked
        recording = read_recording(Path(folder))
    robot.close()
    dropped = sum(delay >= period for delay in late)
    print(f"{count} moments at {arguments.hertz:g} Hz, {len(CAMERAS)} cameras of {arguments.picture_size}")
    print(f"in the file: {dict(recording.pictures)}, {len(recording.sent.stamps)} commands")
    print(
        f"late: {1000 * statistics.median(late):.1f} ms at the median, {1000 * max(late):.1f} at most; {dropped} of "
        f"{count} by a period or more; {100 * worked / arguments.seconds:.0f} % of a core"
    )


if __name__ == "__main__":
    main()
