"""Marks by `homie`'s rules with a judge: all answers count; the judge is asked only if no rule can read an answer.

Choices and "is it done" go to the judge if they are unclear, plans and next steps always, an empty answer never.
"""

from __future__ import annotations

from dataclasses import replace

from suites.published.robobench.choices import final_words, read_letters
from suites.published.robobench.dataset import Dataset
from suites.published.robobench.judged import plan_score, step_score
from suites.published.robobench.judging import Judge, Record, Request, Stage, find_dag
from suites.published.robobench.plans import BEST, split_steps
from suites.questions.judging.answers import Answers
from suites.questions.question import Question
from suites.questions.released import RELEASE
from suites.questions.scoring import UNREADABLE, Mark, mark

IN_ORDER = "The actions of the truth in their order."
"""The graph given to the judge for a truth without a graph."""
PERCENT = 100.0


def judged_marks(answers: Answers, judge: Judge) -> dict[str, Mark]:
    """The marks of all answers, by question id.

    Raises:
        PlannerError: the judge does not respond.
    """
    released = {question.unique_id: answers.record(question, RELEASE) for question in answers.released}
    return {
        question.id: _judged(
            question,
            released.get(question.id) or Record(id=question.id, answer=None, truth=question.truth),
            answers.words[question.id],
            answers.data,
            judge,
        )
        for question in answers.questions
    }


def _judged(question: Question, record: Record, words: str, data: Dataset | None, judge: Judge) -> Mark:
    by_rule, final = mark(question, words), final_words(words)
    record = replace(record, answer=final)
    if not final:
        return UNREADABLE
    match question.kind:
        case "choice" if not by_rule.read:
            reply = judge(Request(stage=Stage.CHOICE, record=record, data=question.asked))
            letters = read_letters(reply, len(question.choices))
            return UNREADABLE if letters is None else mark(question, ", ".join(sorted(letters)))
        case "yes_no" if not by_rule.read:
            reply = judge(Request(stage=Stage.Q3, record=record))
            return mark(question, reply or "")
        case "plan" if question.id.endswith("_Q2"):
            return _next_step(record, judge)
        case "plan":
            return _plan(record, data, judge)
    return by_rule


def _plan(record: Record, data: Dataset | None, judge: Judge) -> Mark:
    dag = None if data is None else find_dag(data.dags, record)
    request = Request(
        stage=Stage.Q1,
        record=record,
        images=record.images[:1],
        dag=IN_ORDER if dag is None else dag.get("gt_dag", IN_ORDER),
        plan=record.answer or "",
    )
    score = plan_score(judge(request), split_steps(record.truth))
    if score is None:
        return UNREADABLE
    return Mark(score.node == score.completion == BEST, score.percent / PERCENT)


def _next_step(record: Record, judge: Judge) -> Mark:
    truth = ", ".join(split_steps(record.truth))
    request = Request(stage=Stage.Q2_COMPARE, record=record, truth_step=truth, step=record.answer or "")
    score = step_score(judge(request))
    return UNREADABLE if score is None else Mark(score.percent == PERCENT, score.percent / PERCENT)
