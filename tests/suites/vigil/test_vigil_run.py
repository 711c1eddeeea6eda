"""A run: whole lines on the disk, the same results however it was interrupted and with any number of processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from homie.kernel.errors import BadInput
from suites.leaderboard_results import read_sheets
from suites.vigil.options import VigilOptions
from suites.vigil.paired import feedback_table
from suites.vigil.play_episodes import run

Homie = Callable[..., subprocess.CompletedProcess[str]]


def options(out: Path, planner: str = "always", **values: object) -> VigilOptions:
    return VigilOptions.model_validate(
        {"planner": planner, "families": ["PG", "SV"], "episodes": 2, "out": out, **values}
    )


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("vigil") / "whole"
    run(options(out))
    return out


def test_the_table_says_what_a_blind_agent_gets(finished_run: Path) -> None:
    rows = {row["family"]: row for row in json.loads((finished_run / "results.json").read_text())}
    assert rows["SV"]["world"]["value"] == 100 and rows["SV"]["benchmark"]["value"] == 0
    assert rows["PG"]["benchmark"] == rows["PG"]["world"]
    assert rows["all"]["n"] == 4 and rows["all"]["benchmark"]["value"] == rows["all"]["always"]
    assert rows["all"]["no_report"]["value"] == 0 and rows["all"]["benchmark"]["high"] > 0
    assert "| SV | 2 | 100.0 (" in (finished_run / "results.md").read_text()


def test_the_page_across_protocols_reads_its_folder(finished_run: Path) -> None:
    (sheet,) = read_sheets([finished_run])
    assert sheet.planner == "always" and sheet.protocol.startswith("homie-vigil ")
    shares = {share.group: (share.n, share.estimate.value) for share in sheet.shares}
    assert next(iter(shares)) == "all" and shares["SV"] == (2, 0.0) and shares["all"][0] == 4
    assert len(sheet.episodes) == 4 and not any(episode.good for episode in sheet.episodes if "SV" in episode.name)
    assert all(" steps" in episode.note and episode.details.is_file() for episode in sheet.episodes)


def test_it_goes_on_where_a_kill_has_cut_it_off(finished_run: Path, tmp_path: Path) -> None:
    out = tmp_path / "cut"
    run(options(out, episodes=1, families=["PG"]))
    lines = (finished_run / "episodes.jsonl").read_bytes().splitlines(keepends=True)
    (out / "episodes.jsonl").write_bytes(lines[0] + lines[1] + lines[2][:40])
    (out / "played.json").write_bytes((finished_run / "played.json").read_bytes())
    there: list[str] = []
    run(options(out), there.append)
    assert (out / "results.json").read_bytes() == (finished_run / "results.json").read_bytes()
    assert (out / "episodes.jsonl").read_bytes().startswith(lines[0] + lines[1]) and len(there) == 4


@pytest.mark.slow
def test_two_processes_have_the_results_of_one_also_after_a_kill(finished_run: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed"
    words = [
        "vigil",
        "--planner",
        "always",
        "--families",
        "PG",
        "--families",
        "SV",
        "--episodes",
        "2",
        "--workers",
        "2",
    ]
    command = [sys.executable, "-m", "homie", *words, "--out", str(out)]
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = out / "episodes.jsonl"
    until = time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until and not (path.exists() and path.stat().st_size):
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr
    assert (out / "results.json").read_bytes() == (finished_run / "results.json").read_bytes()
    assert "| all | 4 |" in completed.stdout


def test_another_planner_does_not_go_on(finished_run: Path) -> None:
    with pytest.raises(BadInput, match=r"another run \(different: planner\)"):
        run(options(finished_run, "never"))
    with pytest.raises(BadInput, match="'never' plays without argument"):
        run(options(finished_run, "never:x"))


def test_nonsense_is_counted_until_the_limit_and_ends_no_run(tmp_path: Path) -> None:
    outcome = run(options(tmp_path / "run", "constant:Hm.", families=["SV"], episodes=1))
    row = outcome.rows[-1]
    assert row.over_limit.value == 100 and row.invalid == 3 and row.no_report.value == 100


def test_a_script_plays_as_a_model_does(tmp_path: Path) -> None:
    right = {"skill_name": "report", "arguments": {"status": "open", "summary": "I see its inside."}}
    look = {"skill_name": "look", "arguments": {"direction": "down", "magnitude": 5}, "thought": "Nearer."}
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"SV-000/1": json.dumps(look), "SV-000/2": json.dumps(right)}))
    row = run(options(tmp_path / "run", f"scripted:{path}", families=["SV"], episodes=1)).rows[-1]
    assert (row.benchmark.value, row.lag, row.steps) == (100, 1, 2)


def test_what_feedback_changed_is_of_the_same_episodes(finished_run: Path, tmp_path: Path, homie: Homie) -> None:
    with_feedback = tmp_path / "heard"
    run(options(with_feedback, feedback="told"))
    lines = [json.loads(line) for line in (with_feedback / "episodes.jsonl").read_text().splitlines()]
    label = next(line for line in lines if line["id"] == "SV-000")["label"]
    steps = next(line for line in lines if line["id"] == "SV-000")["steps"]
    steps[-1]["status"] = label  # an agent that has understood
    (with_feedback / "episodes.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    answer = homie("compare", str(finished_run), str(with_feedback), "--json")
    assert answer.returncode == 0, answer.stderr
    table = json.loads(answer.stdout)
    rows = {row["family"]: row for row in table["tables"][0]["rows"]}
    assert rows["SV"]["B, told - silent"]["value"] == 0.5 and rows["PG"]["B, told - silent"]["value"] == 0
    assert rows["all"]["n"] == 4 and rows["all"]["steps silent"] == rows["all"]["steps told"]


def test_runs_that_are_no_pair_are_refused(finished_run: Path, tmp_path: Path) -> None:
    few, never = tmp_path / "few", tmp_path / "never"
    run(options(few, feedback="told", families=["PG"]))
    run(options(never, planner="never", feedback="told"))
    for folders, reason in (
        ((finished_run, few), "episodes"),
        ((finished_run, never), "planner"),
        ((few, never), "in twos"),
    ):
        with pytest.raises(BadInput, match=reason):
            feedback_table(folders)
