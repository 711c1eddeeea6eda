"""Judges a run; every reply is stored at once, so that a kill loses at most the reply in progress.

OUT/judging.json     judge, answers and rules; a run with another judge does not resume here
OUT/replies.jsonl    a `ReplyRecord` per line; for the judge `world`, `rollouts.jsonl` with a `PlanRollout` per line
OUT/marks.jsonl      a `MarkedAnswer` per line, for all profiles but those of releases, which have only reports
OUT/results.json     the figures; results.md the same as Markdown. Written last
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from homie.kernel.errors import BadInput
from homie.kernel.support.checksums import sha256
from homie.kernel.support.files import slug, to_json, write_atomically, writing
from homie.runtime.find_respondent import respondent_of
from homie.runtime.runstore.json_lines import RecordFile, differing_fields
from suites.published.robobench.instructions import Profile, wording
from suites.questions.asking import ANSWERS, ASKED, RESULTS
from suites.questions.judging.answers import Answers, read_answers
from suites.questions.judging.homie import judged_marks
from suites.questions.judging.releases import released_reports, table
from suites.questions.judging.replies import Replies, ReplyRecord
from suites.questions.judging.verdict import JUDGING, Judging, Verdict
from suites.questions.judging.world import ROLLOUTS, WorldFigures, plan_rows, plan_table, roll_out, world_marks
from suites.questions.marked_answers import write_marks
from suites.questions.options import JudgeOptions
from suites.questions.table import markdown, rows

REPLIES = "replies.jsonl"
WORLD, IDEAL = "world", "ideal"


def judge(options: JudgeOptions, advance: Callable[[str], object] = lambda name: None) -> Verdict:
    """Judge all answers of a run, and write the figures.

    Args:
        options: The answers, the judge, its rules, and the output folder.
        advance: Called with the id of each available reply, including those of an earlier run.

    Raises:
        BadInput: run, questions or judge cannot be used, or the folder belongs to another judging.
        PlannerError: the judge does not respond; the same command resumes.
    """
    answers = read_answers(options.run, options.questions)
    if options.profile != "homie" and answers.data is None:
        raise BadInput(f"The profile {options.profile} is for RoboBench's released data: leave out --profile.")
    if options.judge.partition(":")[0] == WORLD:
        return _by_world(options, answers, advance)
    out = options.out or options.run / f"judged-{slug(options.judge)}-{slug(options.profile)}"
    respondent = respondent_of(options.judge, options.planner_settings)
    head = Judging(
        answers=_digest(options.run),
        judge=options.judge,
        profile=options.profile,
        described=dict(respondent.describe()),
        words=hashlib.sha256(wording(options.profile).encode()).hexdigest(),
    )
    with writing(out, "into the folder of the judging"):
        _begin(out, head)
        with RecordFile(out / REPLIES, ReplyRecord) as file:
            replies = Replies(file, respondent, options.profile, answers.suite.picture, advance)
            figures, text = _figures(answers, replies, options.profile, out)
        kept = replies.all
        verdict = Verdict(
            out,
            answers.asked,
            figures,
            text,
            len(kept),
            sum(reply.input_tokens for reply in kept),
            sum(reply.output_tokens for reply in kept),
            sum(reply.cost for reply in kept),
        )
        _finish(verdict)
    return verdict


def _begin(out: Path, head: BaseModel) -> None:
    """Create the folder, or check that it belongs to the same judging. Raises BadInput, OSError."""
    if (out / ASKED).exists():
        raise BadInput(f"{out} has answers, whose results would be lost: choose another --out.")
    out.mkdir(parents=True, exist_ok=True)
    if other := differing_fields(out / JUDGING, head):
        raise BadInput(f"{out} has another judging (different: {', '.join(other)}): choose another --out.")


def _finish(verdict: Verdict) -> None:
    """Write the figures. Raises OSError."""
    write_atomically(verdict.folder / "results.md", verdict.text.encode())
    write_atomically(verdict.folder / RESULTS, to_json(verdict.to_json()))


def _by_world(options: JudgeOptions, answers: Answers, advance: Callable[[str], object]) -> Verdict:
    how = options.judge.partition(":")[2]
    if how not in ("", IDEAL):
        raise BadInput(f"The judge '{WORLD}' carries plans out in both ways, or with `{WORLD}:{IDEAL}` without motion.")
    if options.planner_settings:
        raise BadInput(f"The judge '{WORLD}' has no settings: leave out --set.")
    if all(question.task is None for question in answers.questions):
        raise BadInput(f"{options.questions} has no plans in worlds of Homie's, so there is nothing to carry out.")
    out, motion = options.out or options.run / f"judged-{slug(options.judge)}", not how
    head = Judging(answers=_digest(options.run), judge=options.judge, profile=options.profile, described={})
    with writing(out, "into the folder of the judging"):
        _begin(out, head)
        rollouts = roll_out(answers, out / ROLLOUTS, options.workers, advance, motion=motion)
        marks = world_marks(answers, rollouts)
        notes = {name: rollout.note for name, rollout in rollouts.items()}
        write_marks(out, answers.questions, answers.words, marks, notes)
        table_rows = rows(answers.questions, marks)
        plans = plan_rows(answers.questions, rollouts, motion=motion)
        figures = WorldFigures(rows=table_rows, plans=tuple(plans)).model_dump(mode="json")
        verdict = Verdict(out, answers.asked, figures, f"{markdown(table_rows)}\n{plan_table(plans)}")
        _finish(verdict)
    return verdict


def _digest(run: Path) -> str:
    return sha256(run / ANSWERS)


def _figures(answers: Answers, replies: Replies, profile: Profile, out: Path) -> tuple[Any, str]:
    if profile == "homie":
        marks = judged_marks(answers, replies)
        notes = {reply.question: reply.reply for reply in replies.all}
        write_marks(out, answers.questions, answers.words, marks, notes)
        table_rows = rows(answers.questions, marks)
        return [row.model_dump(mode="json") for row in table_rows], markdown(table_rows)
    reports = released_reports(answers, replies, "2025-10" if profile == "robobench@2025-10" else "2026-08")
    return reports, table(reports)
