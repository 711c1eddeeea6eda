"""The pictures of docs/compare.md: `python -m benchmarks.pictures.across --runs FOLDER`.

Plays every tenth task of three suites with `random`, `rule` and `expert`, generates 150 questions and asks four
respondents that see no pictures, one of them with the true answers, has the world judge the plans of two, writes the
page that compares all of these and takes screenshots of it in Chromium. FOLDER keeps the runs: the same command resumes
a stopped run.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "images"
SUITES = ("homie-menu", "homie-eb-house", "homie-vigil")
PLANNERS = ("random", "rule", "expert")
SHARE, NUMBER = 10, 150
"""Stride over the tasks, and number of questions (a tenth of all): minutes instead of an hour."""
WIDTH, HEIGHT = 1200, 2090
"""Size of the screenshot (pixels): two rows of two panels."""
OPENED = "generalized planning"
"""Group of questions that is expanded to single questions: the one with the plans."""


def play(runs: Path) -> Path:
    """Play, ask and judge whatever is missing in `runs`; return the page."""
    for planner in PLANNERS:
        words = ["--planner", planner, "--share", str(SHARE), "--workers", "1", "--out", planner]
        _run(runs, "suites.tables", *words, "--suites", *SUITES)
    if not (runs / "questions").exists():
        _run(runs, "homie", "questions", "make", "questions", "--number", str(NUMBER), "--quiet")
    _write_answers(runs)
    judged = ("scripted:blind.json", "scripted:truths.json")
    answer_folders = {planner: f"asked-{number}" for number, planner in enumerate(("random", "constant:A", *judged))}
    for planner, out in answer_folders.items():
        _run(runs, "homie", "questions", "ask", "questions", "--planner", planner, "--out", out, "--quiet")
    for planner in judged:
        words = ["judge", answer_folders[planner], "--questions", "questions", "--judge", "world", "--quiet"]
        _run(runs, "homie", "questions", *words)
    folders = [f"{planner}/{suite}" for suite in SUITES for planner in PLANNERS]
    folders += [*answer_folders.values(), *(f"{answer_folders[planner]}/judged-world" for planner in judged)]
    _run(runs, "homie", "compare", *folders, "--protocols", "across.html")
    return runs / "across.html"


def _write_answers(runs: Path) -> None:
    """Write the true answers, and those of a blind respondent: an instruction's longest plan over all its worlds, and
    the first choice of all other questions."""
    lines = (runs / "questions" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    longest: dict[str, str] = {}
    for question in questions:
        if "task" in question:
            longest[question["text"]] = max(longest.get(question["text"], ""), question["truth"], key=len)
    truths = {question["id"]: question["truth"] for question in questions}
    blind = {question["id"]: longest.get(question["text"], "A") for question in questions}
    for name, answers in (("truths.json", truths), ("blind.json", blind)):
        (runs / name).write_text(json.dumps(answers), encoding="utf-8")


def _run(folder: Path, module: str, *words: str) -> None:
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(ROOT), *([before] if before else [])])
    subprocess.run(
        [sys.executable, "-m", module, *words], cwd=folder, env=os.environ | {"PYTHONPATH": path}, check=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=FOLDER)
    arguments = parser.parse_args()
    for folder in (arguments.runs, arguments.out):
        folder.mkdir(parents=True, exist_ok=True)
    written = play(arguments.runs.resolve())
    with sync_playwright() as running:
        browser = running.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(written.as_uri())
        page.screenshot(path=arguments.out / "across.png")
        judging = page.locator("figure", has_text="judge world")
        judging.locator("summary", has_text="Question by question").click()
        judging.locator("summary", has_text=f"{OPENED}: ").click()
        plans = judging.locator("tr", has_text="plan_store").first
        plans.evaluate("row => row.closest('.episodes').scrollTop = row.offsetTop - 27")
        judging.screenshot(path=arguments.out / "across-questions.png")
        browser.close()


if __name__ == "__main__":
    main()
