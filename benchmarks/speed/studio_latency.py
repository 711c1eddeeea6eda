"""How old the pictures of the studio are when they are on the screen, and how many come a second.

    python -m benchmarks.speed.studio_latency --seconds 20 -- --robot franka:pick --seed 3

A real studio, and Chromium on the same machine; the robot moves all the while. What stands behind `--` are options of
`homie studio`. The age of a frame is from the look, before it is rendered, to the animation frame that paints it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

HOMIE = Path(sys.executable).with_name("homie")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--key", default="d", help="the key that is held: it keeps the robot moving")
    parser.add_argument("options", nargs="*", help="of homie studio")
    arguments = parser.parse_args()
    words = [str(HOMIE), "studio", "--port", "0", "--json", "--quiet", *arguments.options]
    studio = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert studio.stdout is not None
    text = ""
    while "}" not in text:
        text += studio.stdout.readline()
    try:
        ages, frames = measured(json.loads(text)["page"], arguments.key, arguments.seconds)
    finally:
        studio.terminate()
        studio.wait(30)
    quantiles = statistics.quantiles(ages, n=20)
    print(
        f"{len(ages)} frames, {frames / arguments.seconds:.1f} a second; "
        f"age in ms: median {statistics.median(ages):.0f}, "
    )
    print(f"95 of 100 below {quantiles[18]:.0f}, oldest {max(ages):.0f}")


def measured(address: str, key: str, seconds: float) -> tuple[list[float], int]:
    """The ages (ms) of the last frames, 300 at most, and how many were painted while the robot moved."""
    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_default_timeout(120_000)
        page.goto(address)
        page.click("#controls")
        while not page.evaluate("Boolean(page.role?.drives && page.views.size && !page.locked)"):
            time.sleep(0.1)
        page.click("#robot")
        page.keyboard.down(key)
        before = page.evaluate("page.delays = [], page.frames")
        time.sleep(seconds)
        ages, frames = page.evaluate("[page.delays, page.frames]")
        page.keyboard.up(key)
        browser.close()
    return ages, frames - before


if __name__ == "__main__":
    main()
