"""The picture of Inspect's log viewer in docs/integrations.md: `python -m benchmarks.pictures.inspect_log`.

Inspect evaluates a scripted model on one task; its own viewer shows the log in Chromium. Needs the extra `inspect` and
an installed Homie, whose entry points Inspect looks for.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from benchmarks.pictures.agent import CAN, FRIDGE

PLACE = Path(__file__).parents[2] / "docs" / "images" / "inspect-log.png"
PORT, COLOURS = 7575, 128
SIZE = {"width": 1100, "height": 760}
BAR = 28
"""Pixels of the line with the folder of the log, which is left out."""
DECISIONS = (
    ("The fridge is in sight: I open it first, with both fingers free.", "Go to", FRIDGE),
    ("I stand before the fridge.", "Open", FRIDGE),
    ("The can is on the table behind me.", "Go to", CAN),
    ("It is within reach.", "Pick", CAN),
    ("I have the can.", "Go to", FRIDGE),
    ("The door is open.", "Put", CAN, FRIDGE),
    ("The can is in the fridge.", "Close", FRIDGE),
    ("Done.", "End"),
)


def answers() -> list[str]:
    """What a model says that decides so, in the words of the default prompt."""
    keys = ("action", "target", "destination")
    return [
        json.dumps({"analysis": why, "subtasks": [dict(zip(keys, words, strict=False))], "model": ""})
        for why, *words in DECISIONS
    ]


def evaluate(folder: Path) -> None:
    """Write a log of one episode into a folder."""
    from inspect_ai import eval  # of the extra `inspect`
    from inspect_ai.model import ModelOutput, get_model

    task = {"id": "can-fridge", "text": f"put the {CAN} in the {FRIDGE}", "scene": {"seed": 4}}
    goal = {"all": [{"in": [CAN.replace(" ", "_"), FRIDGE]}, {"closed": FRIDGE}]}
    suite: dict[str, Any] = {"format": 1, "name": "kitchen", "tasks": [{**task, "goal": goal}]}
    (folder / "kitchen.json").write_text(json.dumps(suite))
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in answers()]
    arguments = {"name": "kitchen.json", "out": "run", "trials": 1, "picture_size": 256}
    model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
    with chdir(folder):  # in a clone, `homie/suite` would be looked for among the files
        eval("homie/suite", model=model, task_args=arguments, log_dir="logs", display="none")


def take(page: Page) -> None:
    """The last question of the episode with its pictures, and the answer."""
    page.goto(f"http://127.0.0.1:{PORT}")
    page.get_by_role("tab", name="Messages").click()
    picture = page.locator("img[src^='data:image']")
    picture.first.wait_for()
    page.get_by_text("more...").last.click()
    picture.last.scroll_into_view_if_needed()
    page.wait_for_timeout(2000)


def main() -> None:
    with tempfile.TemporaryDirectory() as kept:
        folder = Path(kept)
        evaluate(folder)
        words = ["view", "start", "--log-dir", str(folder / "logs"), "--host", "127.0.0.1", "--port", str(PORT)]
        viewer = subprocess.Popen([sys.executable, "-m", "inspect_ai", *words])
        try:
            for _ in range(200):
                with suppress(OSError):
                    urllib.request.urlopen(f"http://127.0.0.1:{PORT}", timeout=5).close()
                    break
                time.sleep(0.3)
            with sync_playwright() as running:
                browser = running.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
                )
                page = browser.new_page(viewport=SIZE)
                page.set_default_timeout(120_000)
                take(page)
                page.screenshot(path=PLACE, clip={"x": 0, "y": BAR, **SIZE, "height": SIZE["height"] - BAR})
                browser.close()
        finally:
            viewer.terminate()
            viewer.wait(60)
    Image.open(PLACE).convert("RGB").quantize(COLOURS).save(PLACE, optimize=True)


if __name__ == "__main__":
    main()
