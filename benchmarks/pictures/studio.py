"""The pictures of docs/collect.md: `python -m benchmarks.pictures.studio`.

Opens a real studio of the default home in Chromium, driven as in the tests: the planner `rule` is watched, a person
drives, three recordings are viewed, and two of them compared.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image as Picture
from playwright.sync_api import Locator, Page, sync_playwright

FOLDER = Path(__file__).parents[2] / "docs" / "images"
PATIENCE = 300.0
"""Timeout (s), sufficient on a busy machine."""
COLOURS = 256
"""Colours of a picture: the maximum of a PNG with one byte per pixel, so that a page of four loads quickly."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=FOLDER)
    folder: Path = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept:
        words = [sys.executable, "-m", "homie", "studio", "--port", "0", "--json", "--quiet", "--seed", "7"]
        words += ["--speed", "0", "--stale", "30", "--record", f"{kept}/recordings", "--runs", kept]
        studio = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert studio.stdout is not None
        text = ""
        while "}" not in text:
            text += studio.stdout.readline()
        try:
            with sync_playwright() as running:
                browser = running.chromium.launch(
                    executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
                )
                page = browser.new_page(viewport={"width": 1366, "height": 768})
                page.set_default_timeout(PATIENCE * 1000)
                page.goto(json.loads(text)["page"])
                page.click("#controls")
                until(page, "page.role?.drives && page.views.size === page.state?.views.length && !page.locked")
                take_all(page, folder)
                browser.close()
        finally:
            studio.terminate()
            studio.wait(60)


def take_all(page: Page, folder: Path) -> None:
    watch(page, folder / "studio-watch.png")
    drive(page, folder / "studio.png")
    browse(page, folder)


def watch(page: Page, file: Path) -> None:
    """Show a planner in control, driving with the picked object. Its episode is then discarded, to save time."""
    begin(page, "put the apple in the bowl", planner="rule")
    until(page, "page.state.inventory.length && page.state.doing.startsWith('[Go to')")
    save(page, file)
    page.click("#take")
    until(page, "page.state.in_charge === 'person' && !page.state.doing")
    page.click("#discard")
    until(page, "!page.state.recording")


def drive(page: Page, file: Path) -> None:
    """Show a person in control: after two subtasks, with the menu that a click on the picture opens."""
    begin(page, "bring the apple to the sofa")
    for action, target, why in (("Go to", "apple", "It is the apple that I have to bring."), ("Pick", "apple", "")):
        before = page.locator("#log [data-kind=feedback]").count()
        page.fill("#target", target)
        page.fill("#why", why)
        page.click(f"[data-action='{action}']")
        feedback(page, before + 1)
        if action == "Go to":
            view = page.locator("#main-view").bounding_box()
            assert view is not None
            page.click("#main-view", position={"x": view["width"] / 2, "y": 0.75 * view["height"]})
            page.wait_for_selector("#menu:not([hidden])")
            save(page, file)
            page.keyboard.press("Escape")
    page.fill("#note", "Taken from above.")
    page.click("#say-note")
    page.click("#success")
    until(page, "!page.state.recording")


def browse(page: Page, folder: Path) -> None:
    """Make a third, unsuccessful recording; then show all of them, and compare two."""
    begin(page, "put the mug on the desk")
    page.fill("#note", "The mug is behind the lamp.")
    page.click("#say-note")
    page.click("#failure")
    until(page, "!page.state.recording")
    page.click("#shelf summary")
    until(page, "document.querySelectorAll('#recordings tbody tr').length === 3")
    save(page.locator("#shelf"), folder / "studio-recordings.png")
    for box in page.locator("#recordings input[name=run]").all()[:2]:
        box.check()
    with page.expect_popup() as opening:
        page.click("#compare")
    report = opening.value
    report.wait_for_load_state()
    save(report, folder / "studio-compare.png")


def begin(page: Page, task: str, planner: str = "") -> None:
    page.fill("#instruction", task)
    page.fill("#planner", planner)
    page.click("#start")
    page.wait_for_selector("#recording:not([hidden])")


def feedback(page: Page, count: int) -> None:
    until(page, f"document.querySelectorAll('#log [data-kind=feedback]').length >= {count}")


def until(page: Page, condition: str) -> None:
    """Wait for a condition of the page. Its policy forbids evaluating text, as Playwright's own wait would do."""
    ends = time.monotonic() + PATIENCE
    while not page.evaluate(condition):
        if time.monotonic() > ends:
            raise TimeoutError(f"the page did not come to: {condition}")
        time.sleep(0.05)


def save(shown: Page | Locator, file: Path) -> None:
    picture = Picture.open(io.BytesIO(shown.screenshot())).convert("RGB")
    picture.quantize(COLOURS, dither=Picture.Dither.NONE).save(file, optimize=True)
    print(file, file.stat().st_size)


if __name__ == "__main__":
    main()
