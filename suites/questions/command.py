"""`homie questions`: questions about pictures, without a robot."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from homie.cli.output import columns, print_json, say, tell
from homie.cli.parameters import Config, Json, build, options_from
from homie.cli.progress import bar
from homie.kernel.support.text import format_count
from suites.questions.asking import ask
from suites.questions.audit import audit, spread
from suites.questions.folder import read_questions
from suites.questions.judging.judge_run import WORLD, judge
from suites.questions.making.make import make
from suites.questions.options import AskOptions, AuditOptions, JudgeOptions, MakeOptions
from suites.questions.table import markdown


@options_from(MakeOptions)
def make_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Make questions from simulated houses and tables, with their true answers."""
    options = build(MakeOptions, config, values)
    with bar(options.number, "questions") as advance:
        summary = make(options, lambda name, done: advance(name, done=done, total=options.number))
    if json:
        print_json(summary.model_dump(mode="json"))
        return
    number = format_count(sum(summary.dimensions.values()), "question")
    tell(f"{options.out}  ({number} from {format_count(summary.worlds, 'world')})")
    say(columns((name.replace("_", " "), str(number)) for name, number in summary.dimensions.items()))
    refused = ", ".join(f"{number} {reason}" for reason, number in summary.refused.items())
    tell(f"not used: {refused or 'none'}")


@options_from(AskOptions)
def ask_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Put questions to a planner's model, and score its answers."""
    options = build(AskOptions, config, values)
    with bar(len(read_questions(options.folder).questions), "questions") as advance:
        outcome = ask(options, advance)
    if json:
        print_json({"folder": str(outcome.folder), "rows": [row.model_dump(mode="json") for row in outcome.rows]})
        return
    tell(f"run folder  {outcome.folder}")
    say(markdown(outcome.rows).rstrip())


@options_from(JudgeOptions)
def judge_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Judge the answers of a run again: by a model, a script, or a world that carries plans out."""
    options = build(JudgeOptions, config, values)
    questions = read_questions(options.questions).questions
    plans = [question for question in questions if question.task is not None]
    with bar(len(plans if options.judge.startswith(WORLD) else questions), "judged") as advance:
        verdict = judge(options, advance)
    if json:
        print_json({"folder": str(verdict.folder), **verdict.to_json()})
        return
    tell(f"folder of the judging  {verdict.folder}")
    if verdict.replies:
        tokens = f"{verdict.input_tokens} + {verdict.output_tokens} tokens"
        tell(f"{format_count(verdict.replies, 'reply', 'replies')} of the judge, {tokens}, ${verdict.cost:.4f}")
    say(verdict.text.rstrip())


@options_from(AuditOptions)
def audit_command(config: Config = None, json: Json = False, **values: Any) -> None:
    """Show what can be answered without the pictures, and how the true answers are spread."""
    options = build(AuditOptions, config, values)
    questions = read_questions(options.folder).questions
    blind, answers = audit(questions, options.seed), spread(questions)
    if json:
        print_json({name: {**asdict(row), "answers": dict(answers.get(name, {}))} for name, row in blind.items()})
        return
    head = ("", "questions", "chance %", "constant %", "text only %", "true answers")
    say(
        columns(
            [
                head,
                *(
                    (
                        name,
                        str(row.n),
                        *(f"{100 * share:.1f}" for share in (row.chance, row.constant, row.text)),
                        ", ".join(f"{answer} {number}" for answer, number in sorted(answers.get(name, {}).items())),
                    )
                    for name, row in blind.items()
                ),
            ]
        )
    )


questions_command = {
    "make": make_command,
    "ask": ask_command,
    "judge": judge_command,
    "audit": audit_command,
}
