"""Prompts for a language model that judges: in Homie's own words, by the rules of the paper's section 4.

The releases' own texts are not included, so figures that a model judges with these are not the published ones. The
format of a reply is that which the parser of the profile accepts.
"""

from __future__ import annotations

import json
from typing import Literal, TypeAlias

from suites.published.robobench.judging import Request, Stage

Profile: TypeAlias = Literal["homie", "robobench@2025-10", "robobench@2026-08"]
"""Rules by which a reply is parsed."""

_NODES = """Match the actions of the plan with those of the truth, one to one: the same skill with the same object and \
the same place, in whatever words, is a match; another colour, side or number is none. For a robot with two arms each \
arm of a step is an action of its own. The order does not matter here."""
_STATES = """Then carry the plan out in mind, from the picture on: the graph says which actions have to come before \
which. An action whose conditions are not met changes nothing. The critical states are the changes of objects that the \
truth brings about (moved, opened, closed, switched, put together); count how many the plan brings about. Where the \
robot is or looks is no such state."""
_JSON = "Answer with this JSON object and nothing else: "

_TEXTS: dict[Stage, str] = {
    Stage.CHOICE: """A multiple-choice question was answered as below. Which option does the answer mean? Reply with \
its letter and nothing else, or with NONE if it means no single one.

{data}

Answer: {answer}""",
    Stage.Q1: f"""A robot was asked for a plan. {_NODES} {_STATES}

Truth: {{truth}}
Graph of the truth: {{dag}}
Plan: {{plan}}

""",
    Stage.Q1_EXTRACT: f"""Take the steps of a robot's plan out of the answer below, word for word, without their \
numbers. {_JSON}{{{{"plan_step": ["skill(object, place)"]}}}}

Answer: {{answer}}""",
    Stage.Q1_SCORE: f"""A robot was asked for a plan. {_NODES} {_STATES}

{{data}}

""",
    Stage.Q2_EXTRACT: """Which next step does the answer below name? Reply with this step as skill(object, place) and \
nothing else.

Answer: {answer}""",
    Stage.Q2_COMPARE: """Compare the next step that a robot was to name with the truth. skill: 1 if it is the same, \
else 0. object: 1 if it is the same, 0.5 if it is another one that serves, else 0. parameter (place or direction): \
likewise.

Truth: {truth_step}
Step: {step}

""",
    Stage.Q3: """Does the answer below say yes or no? Reply with that word and nothing else.

Answer: {answer}""",
    Stage.Q3_EXTRACT: """Does the answer below say yes or no? Reply with that word and nothing else.

Answer: {answer}""",
}
_COUNTS = (
    _JSON + '{"node_correctness": {"matched": 0, "total": 0}, "task_completion": {"reached": 0, "total": 0}} '
    "with the numbers of actions and of critical states."
)
_TENTHS = "where each result is the whole number floor(10 * matched / total)."
_FORMS: dict[tuple[Profile, Stage], str] = {
    ("homie", Stage.Q1): _COUNTS,
    ("robobench@2026-08", Stage.Q1): _JSON
    + '{"node_correctness": {"result": 0, "reason": ""}, "task_completion": {"result": 0, "reason": ""}} '
    + _TENTHS,
    ("robobench@2025-10", Stage.Q1_SCORE): _JSON
    + "{'node_correctness': {'result': 0}, 'task_completion_degree': {'result': 0}, "
    "'planning_issue_analysis': {'issue_types': []}} " + _TENTHS,
}
_STEP = (
    _JSON + '{"skill_usage_accuracy": {"result": 0}, "operation_object_reasonableness": {"result": 0}, '
    '"parameter_accuracy": {"result": 0}}'
)


def instruction(request: Request, profile: Profile) -> str:
    """Return the whole prompt of a judge, without the pictures of the request."""
    record = request.record
    text = _TEXTS[request.stage].format(
        data=request.data,
        answer=record.answer or "",
        truth=record.truth,
        dag=request.dag if isinstance(request.dag, str) else json.dumps(request.dag, ensure_ascii=False),
        plan=request.plan,
        truth_step=request.truth_step,
        step=request.step,
    )
    return text + (_STEP if request.stage is Stage.Q2_COMPARE else _FORMS.get((profile, request.stage), ""))


def wording(profile: Profile) -> str:
    """Return all prompts that a judge can get under a profile, whatever the request."""
    forms = [f"{stage}: {text}" for (name, stage), text in _FORMS.items() if name == profile]
    return "\n".join([*_TEXTS.values(), _STEP, *forms])
