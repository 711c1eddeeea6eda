"""Record an episode and export it as a LeRobot data set.

    pip install -c constraints.txt -e '.[record,lerobot]'
    python examples/record_and_export_lerobot.py

The lines are those that a person types into `homie teleop`. Record yourself with
`homie teleop --record recordings` in a terminal, or with `homie studio` in a browser.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from homie import LeRobotOptions, export_lerobot, list_takes, read_recording

SCENE = Path(__file__).parent / "scenes/studio.json"
OUT = Path("runs/lerobot")
LINES = """\
begin go to the apple
forward 0.6
go to apple # I can see it on the table
end success
quit
"""


def main() -> None:
    shutil.rmtree(OUT, ignore_errors=True)
    recorder = [sys.executable, "-m", "homie", "teleop", "--scene", str(SCENE)]
    settings = ["--record", str(OUT / "recordings"), "--cameras", "front", "--picture-size", "128", "--speed", "0"]
    subprocess.run([*recorder, *settings], input=LINES, text=True, check=True, capture_output=True)
    for take in list_takes(OUT / "recordings"):
        commands = read_recording(take.episode).sent.values
        print(f"recorded: {take.task}, {take.mark}, {len(commands)} commands of {commands.shape[1]} numbers")
    options = LeRobotOptions.build(sources=[OUT / "recordings"], out=OUT / "data")
    export = export_lerobot(options)
    print(f"exported: {export.episodes} episode, {export.frames} frames")
    info = json.loads((OUT / "data/meta/info.json").read_text(encoding="utf-8"))
    for name in ("action", "observation.state", "observation.images.front"):
        print(f"    {name}: {info['features'][name]['shape']}")


if __name__ == "__main__":
    main()
