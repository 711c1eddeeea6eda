"""Questions on the page across protocols: answered and judged, question by question, and what is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from released_folder import CHOICES, PLACES, PLANS, TRUTHS, write_release

from homie.bench.intervals_and_tests import Estimate
from homie.cli.main import main
from homie.kernel.errors import BadInput
from suites.leaderboard_drilldown import question_groups
from suites.leaderboard_page import protocols, render, table
from suites.leaderboard_results import read_sheets
from suites.leaderboard_sheet import ALL, Answer, Share, Sheet
from suites.questions.asking import ask
from suites.questions.judging.judge_run import judge
from suites.questions.judging.verdict import Verdict
from suites.questions.options import AskOptions, JudgeOptions

EP1 = f"{PLANS}/images/ep1_Q1"
NEXT = f"{PLANS}/images/ep1_Q2"
V1 = f"{CHOICES}/images/v1"
ANSWERS = TRUTHS | {EP1: "I grab the shirt.", NEXT: "take the t-shirt", V1: "It must be B, I think"}
REPLIES = {
    f"q1/{EP1}": json.dumps(
        {"node_correctness": {"matched": 2, "total": 3}, "task_completion": {"reached": 0, "total": 2}}
    ),
    f"choice/{V1}": "B",
}


def script(path: Path, lines: Mapping[str, str]) -> str:
    path.write_text(json.dumps(lines))
    return f"scripted:{path}"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(tmp_path / "release")


@pytest.fixture
def run(release: Path, tmp_path: Path) -> Path:
    return ask(AskOptions(folder=release, planner=script(tmp_path / "a.json", ANSWERS), out=tmp_path / "run")).folder


def judge_run(run: Path, release: Path, replies: Mapping[str, str] = REPLIES, **more: object) -> Verdict:
    values = {"run": run, "questions": release, "judge": script(run.parent / "j.json", replies)}
    return judge(JudgeOptions.model_validate({**values, **more}))


# ---------------------------------------------------------------- answered


def test_each_question_says_what_was_answered_and_what_is_right(folder: Path, tmp_path: Path) -> None:
    lines = {"q-choice": "(a)", "q-yes_no": "<think>no?</think> yes", "q-point": "(0.9, 0.5)", "q-number": "many"}
    planner = script(tmp_path / "answers.json", lines)
    run = ask(AskOptions(folder=folder, planner=planner, out=tmp_path / "run")).folder
    (sheet,) = read_sheets([run])
    by_name = {answer.name: answer for answer in sheet.answers}
    assert len(by_name) == sheet.shares[0].n == 8 and sheet.counted == "8 questions"
    assert {(a.truth, a.words, a.good) for a in by_name.values() if a.name == "q-choice"} == {
        ("B. blue", "A. red", False)
    }
    assert (by_name["q-yes_no"].words, by_name["q-yes_no"].good) == ("yes", True)
    assert (by_name["q-number"].words, by_name["q-number"].good) == ("many", None)
    assert (by_name["q-text"].words, by_name["q-text"].good) == ("", None)
    assert by_name["q-point"].good is False and 0 < by_name["q-point"].score < 1


def test_the_page_lists_failures_before_what_all_have_right(folder: Path, tmp_path: Path) -> None:
    good = {"q-yes_no": "yes", "q-number": "3", "q-choice": "B"}
    runs = [
        ask(AskOptions(folder=folder, planner=script(tmp_path / f"{n}.json", lines), out=tmp_path / f"run-{n}")).folder
        for n, lines in enumerate((good, {**good, "q-choice": "A", "q-plan": "1-<script>alert(1)</script>"}))
    ]
    page = render(read_sheets(runs), tmp_path)
    assert "Question by question: 8" in page and "<script>" not in page and "Episode by episode" not in page
    assert re.search(r"<details><summary>d: 8, \S+0\.json 5 wrong, \S+1\.json 6 wrong</summary>", page)
    failed, right = page.split("Right by all: 2")
    rows = r"<tr><td>(.*?)<small>"
    assert re.findall(rows, failed)[-1] == "q-choice" and re.findall(rows, right) == ["q-yes_no", "q-number"]
    assert failed.count('class="mark good"') == 1 and right.count('class="mark good"') == 4
    links = set(re.findall(r'<th scope="col"><a href="(.*?)">', page))
    assert links == {"run-0/answers.jsonl", "run-1/answers.jsonl"} and (tmp_path / "run-0/answers.jsonl").is_file()


def test_a_folder_of_before_has_its_shares_and_no_list(run: Path, tmp_path: Path) -> None:
    (run / "marks.jsonl").unlink()
    (sheet,) = read_sheets([run])
    assert not sheet.answers and sheet.shares[0].n == len(TRUTHS)
    assert "Question by question" not in render([sheet], tmp_path)


def test_damaged_marks_are_written_anew_by_the_same_command(run: Path, release: Path, tmp_path: Path) -> None:
    intact = (run / "marks.jsonl").read_bytes()
    (run / "marks.jsonl").write_bytes(intact[:-9])
    with pytest.raises(BadInput, match=r"marks.jsonl.*Run the command that wrote the folder again"):
        read_sheets([run])
    ask(AskOptions(folder=release, planner=f"scripted:{tmp_path / 'a.json'}", out=run))
    assert (run / "marks.jsonl").read_bytes() == intact


# ---------------------------------------------------------------- judged


def test_a_judging_is_a_sheet_that_names_judge_and_profile(run: Path, release: Path, tmp_path: Path) -> None:
    verdict = judge_run(run, release)
    plain, sheet = read_sheets([run, verdict.folder])
    assert sheet.planner == plain.planner and sheet.protocol.startswith(f"{plain.protocol}, judge scripted:")
    assert sheet.protocol.endswith(", profile homie") and sheet.counted == f"{len(TRUTHS)} questions"
    figures = {row["dimension"].replace("_", " "): row for row in verdict.figures}
    assert sheet.shares[0].group == ALL
    for share in sheet.shares:
        row = figures[share.group]
        assert (share.n, share.estimate.value, share.chance) == (row["n"], row["accuracy"], row["chance"])
        assert share.estimate.interval == (row["low"], row["high"])
    by_name = {answer.name: answer for answer in sheet.answers}
    assert by_name[V1].good and by_name[V1].note == "B", "the judge has read what no rule reads"
    assert not by_name[EP1].good and by_name[EP1].score == pytest.approx(0.3)
    page = render([plain, sheet], tmp_path)
    assert page.count("<h3>questions ") == 2 and "replies.jsonl" in page


def test_other_judges_and_profiles_are_other_protocols(run: Path, release: Path, tmp_path: Path) -> None:
    folders = [
        judge_run(run, release, out=tmp_path / "one").folder,
        judge_run(run, release, {}, out=tmp_path / "two").folder,  # the same name, other replies
        judge_run(run, release, judge="constant:B", out=tmp_path / "three").folder,
        judge_run(run, release, judge="constant:C", profile="robobench@2026-08", out=tmp_path / "four").folder,
        judge_run(run, release, judge="constant:C", profile="robobench@2025-10", out=tmp_path / "five").folder,
    ]
    assert len(protocols(read_sheets(folders))) == len(folders)


@pytest.mark.parametrize("profile", ["robobench@2026-08", "robobench@2025-10"])
def test_reports_of_a_release_are_shares_of_subtasks(run: Path, release: Path, profile: str, tmp_path: Path) -> None:
    (sheet,) = read_sheets([judge_run(run, release, judge="constant:yes", profile=profile, out=tmp_path / "j").folder])
    shares = {share.group: (share.n, share.estimate.value) for share in sheet.shares}
    assert set(shares) == {"/".join(name.replace("_", " ").split("/")[-2:]) for name in (CHOICES, PLACES, PLANS)}
    places = shares["static/static affordance"]
    assert places == (2, None), "a distance is not a share"
    # One is a letter, the other's words have two; the judge gives none, which ends August and is wrong in October.
    assert shares["robot/robot view"] == ((2, 0.5) if profile == "robobench@2025-10" else (2, None))
    # Only "is it done" has a readable reply, and it is right; August has all four in its weights.
    assert shares["cross task/rigid"] == ((1, 1.0) if profile == "robobench@2025-10" else (4, 0.25))
    page = render([sheet], tmp_path)
    assert not sheet.answers and "Question by question" not in page and "with its interval" not in page
    assert len(table([sheet]).rows) == 3


def test_judgings_of_two_runs_are_distinguished(run: Path, release: Path, tmp_path: Path) -> None:
    again = ask(AskOptions(folder=release, planner=f"scripted:{tmp_path / 'a.json'}", out=tmp_path / "again")).folder
    sheets = read_sheets([judge_run(folder, release, judge="constant:B").folder for folder in (run, again)])
    assert sheets[0].protocol == sheets[1].protocol and sheets[0].planner != sheets[1].planner


def test_an_unfinished_or_damaged_judging_is_refused(run: Path, release: Path) -> None:
    folder = judge_run(run, release).folder
    results, head = folder / "results.json", folder / "judging.json"
    intact = results.read_bytes()
    earlier = json.loads(intact)
    del earlier["planner"]
    for damage in (
        intact[:-20],
        json.dumps(earlier).encode(),
        json.dumps(json.loads(intact) | {"figures": 3}).encode(),
    ):
        results.write_bytes(damage)
        with pytest.raises(BadInput, match=r"damaged.*run the same `homie questions judge` again"):
            read_sheets([folder])
    results.unlink()
    with pytest.raises(BadInput, match="not judged to the end: run the same `homie questions judge` again"):
        read_sheets([folder])
    judge_run(run, release)
    assert results.read_bytes() == intact and read_sheets([folder])
    head.write_bytes(head.read_bytes().replace(b"homie", b"homey"))
    with pytest.raises(BadInput, match=r"judging\.json is"):
        read_sheets([folder])


def test_a_judging_does_not_overwrite_a_run(run: Path, release: Path) -> None:
    before = (run / "results.json").read_bytes()
    with pytest.raises(BadInput, match="choose another --out"):
        judge_run(run, release, out=run)
    assert (run / "results.json").read_bytes() == before and not (run / "judging.json").exists()


def test_the_command_takes_a_judging(
    run: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    with pytest.raises(SystemExit) as ending:
        main(["compare", str(run), str(judge_run(run, release).folder), "--protocols", str(page), "--json"])
    assert ending.value.code == 0 and "profile homie" in capsys.readouterr().out
    (run / "judged-x").mkdir()
    (run / "judged-x/judging.json").write_text("{}")
    with pytest.raises(SystemExit) as ending:
        main(["compare", str(run / "judged-x"), "--protocols", str(page)])
    printed = capsys.readouterr()
    assert ending.value.code == 2 and len(printed.err.strip().splitlines()) == 1 and page.exists()


# ---------------------------------------------------------------- any answers


def sheet_of(answers: tuple[Answer, ...], name: str = "p") -> Sheet:
    return Sheet(
        planner=name,
        protocol="questions",
        measure="questions answered right",
        settings={},
        shares=(Share(ALL, len(answers), Estimate(0.5)), Share("a", 1, Estimate(None)), Share("b", 1, Estimate(0.5))),
        folder=Path(name),
        details=Path(name),
        answers=answers,
        words=Path(name) / "answers.jsonl",
    )


def an_answer(number: int, good: bool | None, long: str = "") -> Answer:
    return Answer(f"q-{number:04}", "ab"[number % 2], f"What?{long}", f"A{long}", f"B{long}", good, 0.0, long)


MARKS = st.dictionaries(st.integers(0, 9), st.sampled_from([True, False, None]))


@given(st.lists(MARKS, min_size=1, max_size=3))
def test_each_question_is_in_one_place_and_each_failure_is_counted(planners: list[dict[int, bool | None]]) -> None:
    sheets = [sheet_of(tuple(an_answer(*item) for item in marks.items()), str(n)) for n, marks in enumerate(planners)]
    groups = question_groups(sheets)
    rows = [row for group in groups for row in (*group.failed, *group.right)]
    assert sorted(row.name for row in rows) == sorted({f"q-{number:04}" for marks in planners for number in marks})
    for group in groups:
        failures = [row.failures for row in group.failed]
        assert failures == sorted(failures, reverse=True) and all(failures)
        assert all(answer is None or answer.good for row in group.right for answer in row.answers)
    for index, marks in enumerate(planners):
        assert sum(group.failures[index] or 0 for group in groups) == sum(not good for good in marks.values())


def test_a_page_of_many_questions_stays_light(tmp_path: Path) -> None:
    many = tuple(an_answer(number, number % 3 == 0, "x" * 5000) for number in range(1500))
    page = render([sheet_of(many, "p"), sheet_of(many, "q")], tmp_path)
    assert page.count("<tr><td>q-") == 1500 and len(page) < 2_000_000
