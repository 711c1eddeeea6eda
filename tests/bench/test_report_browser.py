"""The page of a report in Chromium, where it is installed: its script runs, and nothing else does."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from bench_runs import rewrite, write_run
from report_page import NASTY, WAYS, add_frames, write

from homie.kernel.types import Decision

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)


@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
def test_in_a_browser_the_script_runs_and_only_that(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", WAYS)
    add_frames(run / "episodes" / "task-0-0")
    rewrite(
        run / "episodes" / "task-0-0", lambda record: replace(record, decision=Decision((), NASTY, raw=f"<pre>{NASTY}"))
    )
    report, _ = write(run)
    page = browse(f"{report.path.as_uri()}#episode-1", tmp_path)
    assert "<title>Report: rule</title>" in page.stdout
    assert '<span id="count" class="soft" role="status">8 of 8</span>' in page.stdout  # the filter has counted
    assert len(re.findall('<img alt="[^"]*" data-media="[^"]*" src="data:image/webp', page.stdout)) == 4
    assert [line for line in page.stderr.splitlines() if "CONSOLE" in line] == []


DRIVER = """<iframe src="report.html" style="width: 400px; height: 900px"></iframe><script>
const frame = document.querySelector("iframe");
const pause = () => new Promise((done) => setTimeout(done, 100));
const wait = (event) => new Promise((done) => frame.addEventListener(event, done, {once: true}));
frame.addEventListener("load", async () => {
  const told = {overflow: []};
  const page = () => frame.contentDocument;
  const one = (name) => page().querySelector(name);
  const all = (name) => [...page().querySelectorAll(name)];
  const at = () => decodeURIComponent(frame.contentWindow.location.hash);
  const shown = (name) => one(name).getBoundingClientRect().height > 0;
  const wide = () => told.overflow.push(page().documentElement.scrollWidth);
  const count = () => one("#count").textContent;
  const listed = () => {
    const rows = all("#list-episodes tbody tr").filter((row) => !row.hidden);
    return rows.map((row) => row.dataset.number).join(" ");
  };
  const state = () => [at(), ...["#overview", "#episode-1", "#episode-3", "#side"].map(shown)];
  const press = async (key) => {
    page().body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    await pause();
  };
  const click = async (name) => { one(name).click(); await pause(); };
  const facet = (name) => click(`#facets [data-value="${name}"]`);
  wide();
  told.first = state();
  const words = one("#words");
  words.value = "task-0 -FAILED"; words.dispatchEvent(new Event("input"));
  told.words = [at(), count()];
  words.value = ""; words.dispatchEvent(new Event("input"));
  await facet("failed"); await facet("lost");
  told.either = [at(), count()];
  await facet("lost"); await facet("failed");
  told.neither = [at(), count(), all("#list-tasks a.dim").length];
  await click("#clear");
  await click("#tab-episodes");
  const steps = () => all("#list-episodes button.sort").find((button) => button.textContent === "steps").click();
  steps(); told.down = [at(), listed()];
  steps(); told.up = [at(), listed()];
  frame.contentWindow.location.hash = "#episodes?outcome=succeeded&sort.episodes=-steps"; await pause();
  frame.contentWindow.location.reload(); await wait("load"); await pause();
  told.again = [at(), count(), listed(), one("#facets [data-value=succeeded]").getAttribute("aria-pressed")];
  await press("Escape");
  await click("#list-episodes tr:not([hidden]) a");
  told.sorted = at();
  await press("ArrowRight");
  told.next = at();
  frame.contentWindow.location.hash = "#tasks"; await pause();
  await click("#list-tasks a.mark");
  told.opened = state(); wide();
  await press("ArrowRight"); await press("ArrowRight");
  told.turned = state();
  await click("#episode-3 .jump a");
  told.round = state();
  await press("Escape");
  told.back = state();
  await click('#tasks, #list-tasks a[href^="#side"]'); wide();
  const pictures = all("#side img").map((picture) => picture.src.slice(0, 15));
  told.side = [state(), all("#side .pair h2").length, pictures, one("#apart").textContent];
  const right = one("#right"); right.value = "1"; right.dispatchEvent(new Event("change"));
  told.same = [at(), one("#apart").hidden];
  told.disagree = one("#table-lost-episodes a").getAttribute("href");
  const result = document.createElement("pre");
  result.id = "result"; result.textContent = JSON.stringify(told);
  document.body.append(result);
}, {once: true});
</script>"""


@pytest.mark.skipif(not CHROMIUM, reason="Chromium is not installed")
def test_in_a_browser_the_page_can_be_filtered_sorted_and_clicked_through(tmp_path: Path) -> None:
    long = "a-word-that-is-never-cut" * 40
    run = write_run(tmp_path / "run", WAYS)
    add_frames(run / "episodes" / "task-0-0")
    rewrite(run / "episodes" / "task-0-0", lambda record: replace(record, decision=Decision((), long, raw=long)))
    write(run)
    (run / "driver.html").write_text(DRIVER)
    handler = partial(QuietHandler, directory=str(run))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            page = browse(f"http://127.0.0.1:{server.server_port}/driver.html", tmp_path)
        finally:
            server.shutdown()
    (result,) = re.findall(r'<pre id="result">(.*?)</pre>', page.stdout)
    states = json.loads(html.unescape(result))
    assert states["first"] == ["", True, False, False, False]
    assert states["words"] == ["#?words=task-0 -FAILED", "2 of 8"]
    assert states["either"] == ["#?outcome=failed&outcome=lost", "2 of 8"]
    assert states["neither"] == ["#?outcome!=lost&outcome!=failed", "6 of 8", 2]
    # Episodes 1, 3 and 5 took two steps, 2 took three, the others none.
    assert states["down"] == ["#episodes?sort.episodes=-steps", "2 1 3 5 4 6 7 8"]
    assert states["up"] == ["#episodes?sort.episodes=steps", "4 6 7 8 1 3 5 2"]
    assert states["again"] == ["#episodes?outcome=succeeded&sort.episodes=-steps", "3 of 8", "2 1 5", "true"]
    assert states["sorted"] == "#episode-2?outcome=succeeded&sort.episodes=-steps"
    assert states["next"] == "#episode-1?outcome=succeeded&sort.episodes=-steps"
    assert states["opened"] == ["#episode-1", False, True, False, False]
    assert states["turned"] == ["#episode-3", False, False, True, False]
    assert states["round"] == ["#episode-3-round-1", False, False, True, False]
    assert states["back"] == ["#episodes", True, False, False, False]
    beside, rounds, pictures, apart = states["side"]
    assert beside == ["#side?left=1&right=2", False, False, False, True]
    # Two rounds on the left, three on the right; the left one's decisions could not be read.
    assert (rounds, apart) == (5, "the decisions differ from round 1 on")
    assert pictures == ["data:image/webp"] * 4
    assert states["same"] == ["#side?left=1&right=1", True]
    assert states["disagree"] == "#episode-4"
    assert max(states["overflow"]) <= 400  # nothing is wider than a telephone


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


def browse(address: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What Chromium has made of a page."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--virtual-time-budget=5000"]
    return subprocess.run(
        [CHROMIUM, *flags, f"--user-data-dir={folder / 'profile'}", "--dump-dom", address],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
