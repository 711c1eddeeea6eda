"""The page of the studio in Chromium: watch, drive by buttons, keys and words, stop, record, annotate."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest

from homie.data.recording.reader import read_recording
from homie.data.recording.takes import list_takes
from homie.runtime.runstore import read_steps

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
PATIENCE = 120_000
"""ms: of a machine on which much else runs."""


@pytest.fixture
def page(studio: Any) -> Iterator[Any]:
    """A browser that has opened the printed address and taken the controls. Nothing in it may go wrong."""
    errors: list[str] = []
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": 1366, "height": 768})
        opened.set_default_timeout(PATIENCE)
        opened.on("pageerror", lambda error: errors.append(str(error)))
        opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        opened.goto(studio.addresses[-1])
        opened.click("#controls")
        until(opened, "page.role?.drives && page.views.size === page.state?.views.length && !page.locked")
        yield opened
        browser.close()
    assert errors == []


def until(page: Any, condition: str) -> None:
    """Wait for a condition of the page. Not by Playwright's own means: the page lets nobody evaluate text."""
    ends = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < ends, condition
        time.sleep(0.05)


def feedback(page: Any, count: int) -> list[str]:
    """The feedback so far, once there is so much of it."""
    until(page, f"document.querySelectorAll('#log [data-kind=feedback]').length >= {count}")
    return page.eval_on_selector_all("#log [data-kind=feedback]", "lines => lines.map((line) => line.textContent)")


def subtask(page: Any, action: str, target: str, destination: str = "") -> None:
    page.fill("#target", target)
    page.fill("#destination", destination)
    page.click(f"[data-action='{action}']")


def enter_line(page: Any, line: str) -> None:
    """A line in the field that has the focus, which is empty once it was sent: not while the controls are locked."""
    page.keyboard.type(line)
    while page.evaluate("document.getElementById('line').value"):
        until(page, "!page.locked")
        page.keyboard.press("Enter")


def test_a_task_by_buttons_keys_and_words_recorded_and_annotated(page, studio):
    page.fill("#instruction", "put the ball in the box")
    page.click("#start")
    assert page.is_hidden("#reason")
    page.wait_for_selector("#recording:not([hidden])")
    assert "say why before each subtask" in page.inner_text("#reason")
    page.click("#robot")  # no field has the focus: keys drive
    page.keyboard.down("w")
    until(page, "page.state.pose[0] > 0.2")
    page.keyboard.up("w")
    page.fill("#why", "The ball is nearest.")
    subtask(page, "Go to", "ball")
    assert feedback(page, 1) == ["[Go to, ball] success"]
    subtask(page, "Pick", "ball")
    feedback(page, 2)
    until(page, "document.getElementById('inventory').textContent === 'ball'")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("go to box")
    page.keyboard.press("Enter")
    feedback(page, 3)
    subtask(page, "Put", "", "box")
    assert feedback(page, 4)[3] == "[Put, ball, box] success"
    page.fill("#note", "It went in at once.")
    page.click("#say-note")
    page.click("#success")
    page.wait_for_selector("#recording", state="hidden")
    page.click("#shelf summary")
    until(page, "document.getElementById('recordings').innerText.includes('put the ball in the box')")
    (take,) = list_takes(studio.recordings)
    assert take.mark == "success" and "It went in at once." in [note.text for note in take.notes]
    assert read_steps(take.episode)[0].decision.analysis == "The ball is nearest."
    requested = read_recording(take.episode).requested
    assert 1.0 in requested.values[:, requested.labels.index("base.linear.vel")]


def test_three_episodes_by_keyboard_alone_are_recorded_annotated_and_listed(page, studio):
    """No subtask and no mouse: the hand on the robot takes the ball to the box."""
    names: list[str] = []
    page.keyboard.press("/")
    for number in range(3):
        enter_line(page, "begin put the ball in the box")
        until(page, f"page.state.recording && page.state.recording !== '{names[-1] if names else ''}'")
        names.append(page.evaluate("page.state.recording"))
        until(page, "worldMap.content.loose[0].x === 2.5")
        for line in ("forward 4.8", "close hand", "forward 3", "open hand", f"note Take {number}."):
            enter_line(page, line)
        until(page, "worldMap.content.loose[0].x > 3.5 && !worldMap.content.loose[0].held")
        enter_line(page, "end success")
        until(page, "!page.state.recording")
    takes = list_takes(studio.recordings)
    assert [take.mark for take in takes] == ["success"] * 3
    assert [[note.text for note in take.notes] for take in takes] == [[f"Take {n}.", "success"] for n in range(3)]
    for take in takes:
        ball = json.loads((take.episode / "final_state.json").read_text())["objects"]["ball"]
        assert (ball["relation"], ball["at"]) == ("in", "box")
    listed = page.evaluate("fetch('api/export').then((answer) => answer.text())")
    assert sorted(listed.split()) == sorted(str(studio.recordings / name) for name in names)


def test_a_click_on_the_map_offers_what_can_be_done_and_a_stop_stops(page):
    """The ball is the one thing on the map of the tiny world."""
    place = page.evaluate(
        "(() => { const { x0, y1, scale, left, top } = worldMap.view, ball = worldMap.content.loose[0];"
        " const place = [left + (ball.x - x0) * scale, top + (y1 - ball.y) * scale];"
        " return place.map((value) => value / devicePixelRatio); })()"
    )
    page.click("#map", position={"x": place[0], "y": place[1]})
    page.click("#menu button >> text=Go to ball")
    assert feedback(page, 1) == ["[Go to, ball] success"]
    page.click("#robot")
    page.keyboard.down("s")
    until(page, "page.state.pose[0] < 1.5")
    page.keyboard.press("Escape")
    until(page, "!hands.held.size")
    page.keyboard.up("s")


def test_a_studio_that_is_gone_locks_the_controls_and_says_so(page):
    page.evaluate("page.connect = () => {}; page.socket.close()")
    page.wait_for_selector("#lock:not([hidden])")
    assert "controls are locked" in page.inner_text("#lock")
    assert page.is_disabled("#start") and page.is_disabled("[data-action='Go to']")


def test_the_map_names_what_the_pointer_is_on_and_draws_the_way(page):
    place = page.evaluate("worldMap.content.loose.concat(worldMap.content.fixed)[0]")
    point = page.evaluate(
        "([x, y]) => { const { x0, y1, scale, left, top } = worldMap.view;"
        " return [(left + (x - x0) * scale) / devicePixelRatio, (top + (y1 - y) * scale) / devicePixelRatio]; }",
        [place["x"], place["y"]],
    )
    page.hover("#map", position={"x": point[0], "y": point[1]})
    assert page.get_attribute("#map", "title")
    page.click("#robot")
    page.keyboard.down("w")
    until(page, "worldMap.path.length > 1")
    page.keyboard.up("w")


def test_on_a_phone_picture_and_subtask_buttons_are_on_the_screen_together(page):
    page.set_viewport_size({"width": 390, "height": 844})
    until(page, "page.views.size === page.state.views.length")
    for part in ("#main-view", "[data-action='Pick']", "#stop"):
        box = page.locator(part).bounding_box()
        assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 844, part
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
