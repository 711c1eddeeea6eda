"""Answers held to a schema end in time and are right, whatever the model would have liked to write."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import llguidance.hf
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from homie.kernel.errors import PlannerError
from homie.kernel.interfaces.prompts import Message
from homie.kernel.types import Subtask
from planners.llm.answer_formats import Layout
from planners.llm.local.grammar import Grammar, bound_schema, closing_bytes
from planners.llm.local.model import GenerationOptions, LocalModel
from planners.llm.local.own_or_shared_model import Facts, Source
from planners.llm.local.question import Completion, Question
from planners.llm.messages import Request
from planners.llm.prompting.answering import write_answer
from planners.llm.prompting.schemas import among_actions, decision_schema, exclude_steps
from planners.llm.reading import UnreadableAnswer, read
from planners.llm.reading.subtasks import is_nothing
from tests.planners.tiny_models import QWEN_SPECIAL, llama_tokenizer, tokenizer_with

ACTIONS = ("Go to", "Pick", "Put", "Open", "Close", "Turn on", "End")
MODELS = ("classical", "RT-1-X", "NoMaD")

Chooser = Callable[[np.ndarray, np.random.Generator], int]


KINDS: Mapping[str, Callable[[], Any]] = {
    "llama": llama_tokenizer,
    "qwen": lambda: tokenizer_with(QWEN_SPECIAL, "", eos_token="<|im_end|>"),
    "bytes": lambda: tokenizer_with(QWEN_SPECIAL, "", words=0, eos_token="<|im_end|>"),  # takes the most tokens
}


@cache
def tokenizer(kind: str) -> llguidance.LLTokenizer:
    hf_tokenizer = KINDS[kind]()
    return llguidance.hf.from_tokenizer(hf_tokenizer, eos_token=[hf_tokenizer.eos_token_id])


def any_token(allowed: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(allowed)))


def endless(kind: str) -> Chooser:
    """A model that never ends a string, an object or an answer if it can help it."""
    words = tokenizer(kind)
    ends = np.array(
        [i in words.eos_tokens or bool(set(words.decode_bytes([i])) & set(b'"}],')) for i in range(words.vocab_size)]
    )

    def choose(allowed: np.ndarray, rng: np.random.Generator) -> int:
        liked = allowed & ~ends
        return any_token(liked if liked.any() else allowed, rng)

    return choose


def write(kind: str, schema: dict[str, object], budget: int, choose: Chooser, seed: int) -> tuple[str, bool]:
    """What a model writes that chooses among the allowed tokens, and whether it came to an end within the budget."""
    words = tokenizer(kind)
    grammar = Grammar(words, schema, budget)
    rng = np.random.default_rng(seed)
    tokens: list[int] = []
    while len(tokens) < budget:
        allowed = grammar.allowed_tokens(words.vocab_size + 3, budget - len(tokens))
        assert not allowed[words.vocab_size :].any()
        tokens.append(choose(allowed[: words.vocab_size], rng))
        if tokens[-1] in words.eos_tokens:
            return words.decode_bytes(tokens[:-1]).decode(), True
        grammar.take(tokens[-1])
    return words.decode_bytes(tokens).decode(errors="replace"), False


@pytest.mark.parametrize("character", ["any", "endless"])
@pytest.mark.parametrize("kind", KINDS)
@given(
    seed=st.integers(0, 2**32),
    answer=st.sampled_from(["json", "plan"]),
    actions=st.lists(st.sampled_from(ACTIONS), min_size=1, unique=True),
    models=st.sampled_from([(), MODELS[:1], MODELS]),
    more=st.integers(1, 300),
)
@settings(max_examples=30, deadline=None)
def test_every_answer_is_a_decision(kind, character, seed, answer, actions, models, more):
    schema = decision_schema(answer, actions, models)
    budget = least(schema) + more
    choose = any_token if character == "any" else endless(kind)
    text, ended = write(kind, schema, budget, choose, seed)
    assert ended
    content = json.loads(text)
    assert list(content) == list(schema["properties"])
    steps = content.get("executable_plan", [content.get("subtask")])
    if {"action": "End"} in steps[:-1]:  # which no schema forbids
        with pytest.raises(UnreadableAnswer, match="Nothing can follow End"):
            read(text, Layout(answer), tuple(actions), models)
        return
    if any(is_nothing(step[part].strip()) for step in steps for part in ("target", "destination") if part in step):
        with pytest.raises(UnreadableAnswer, match="does not have that"):  # "None", which no schema forbids either
            read(text, Layout(answer), tuple(actions), models)
        return
    decision = read(text, Layout(answer), tuple(actions), models)
    assert {subtask.action for subtask in decision.subtasks} <= set(actions)
    assert (decision.model in models) if models else decision.model == ""


def least(schema: dict[str, object]) -> int:
    """The largest budget that is refused."""
    return closing_bytes(schema, schema) + 12


def test_a_budget_that_may_be_too_small_is_refused_with_one_that_is_not():
    schema = decision_schema("json", ACTIONS, MODELS)
    with pytest.raises(PlannerError, match=rf"{2 * least(schema)} are enough: raise max_new_tokens"):
        Grammar(tokenizer("llama"), schema, least(schema))
    Grammar(tokenizer("llama"), schema, least(schema) + 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("analysis", [True, False])
@pytest.mark.parametrize(
    ("action", "ending"),
    [
        ("Pick", {}),
        ("Put", {}),
        ("End", {}),
        ("End", {"report": "declined"}),
        ("End", {"answer": "no"}),
        ("End", {"report": "success", "answer": "on the desk, I think"}),
    ],
)
def test_what_training_data_teach_may_be_written(kind, analysis, action, ending):
    """Token by token as a model has learnt it: a blank that may not come would lead it astray."""
    parts = {"Pick": ("apple",), "Put": ("apple", "bowl"), "End": ()}[action]
    why = "It is the apple, so I take it." if analysis else None
    answer = write_answer("json", (Subtask(action, *parts),), model=MODELS[0], analysis=why, **ending)
    assert all(f'"{key}": "{text}"' in answer for key, text in ending.items())
    grammar = Grammar(tokenizer(kind), decision_schema("json", ACTIONS, MODELS, analysis=analysis), 4000)
    tokens = tokenizer(kind).tokenize_str(answer)
    for written, token in enumerate(tokens):
        assert grammar.allowed_tokens(tokenizer(kind).vocab_size, 4000 - written)[token], answer
        grammar.take(token)
    assert set(np.flatnonzero(grammar.allowed_tokens(tokenizer(kind).vocab_size, 3000))) <= set(
        tokenizer(kind).eos_tokens
    )


def test_a_model_that_keeps_to_the_point_is_not_hurried():
    """With room left the end of a string is one choice of many."""
    grammar = Grammar(tokenizer("qwen"), decision_schema("json", ACTIONS, MODELS), 4000)
    for token in tokenizer("qwen").tokenize_str('{"analysis": "I see'):
        grammar.take(token)
    assert grammar.allowed_tokens(500, 3900).sum() > 200
    assert grammar.allowed_tokens(500, 50).sum() == 1


def test_a_token_that_is_not_allowed_is_an_error():
    grammar = Grammar(tokenizer("qwen"), decision_schema("json", ACTIONS, MODELS), 4000)
    with pytest.raises(PlannerError, match="left its schema"):
        grammar.take(tokenizer("qwen").tokenize_str("[")[0])


def test_a_schema_that_can_not_be_kept_is_an_error():
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=x)y"}}, "required": ["a"]}
    with pytest.raises(PlannerError, match="constrained=false"):
        Grammar(tokenizer("qwen"), schema, 1000)


def test_only_free_strings_get_bounds():
    schema = {
        "type": "object",
        "properties": {
            "type": {"enum": ["string"]},
            "free": {"type": "string"},
            "short": {"type": "string", "maxLength": 3},
            "target": {"type": "string"},
            "many": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        },
        "required": ["type"],
    }
    free = {"type": "string", "maxLength": 7, "pattern": r"^\S"}
    assert bound_schema(schema, 7) == {
        **schema,
        "properties": {
            "type": {"enum": ["string"]},
            "free": free,
            "short": {"type": "string", "maxLength": 3},
            "target": {"type": "string", "maxLength": 64, "pattern": r"^[\p{L}\p{N}][^,，、\[\]{}\p{C}]*$"},
            "many": {"type": "array", "minItems": 1, "items": {"anyOf": [free, {"type": "null"}]}},
        },
    }


def test_references_are_followed_when_the_close_is_reckoned():
    schema = {
        "type": "object",
        "properties": {"one": {"$ref": "#/$defs/Word"}, "two": {"$ref": "#/$defs/Word"}, "n": {"type": "integer"}},
        "required": ["one", "two", "n"],
        "additionalProperties": False,
        "$defs": {"Word": {"type": "string", "maxLength": 900}},
    }
    text, ended = write("qwen", schema, least(schema) + 1, endless("qwen"), 0)
    assert ended and set(json.loads(text)) == {"one", "two", "n"}


class Sure(Source):
    """A model that writes End with a certain probability, and something else where it may not."""

    facts = Facts(sees=False, blind="", engine={}, files={})

    def __init__(self, probability: float) -> None:
        self.probability, self.questions = probability, []

    def ask(self, question: Question, batch: int) -> Completion:
        self.questions.append(question)
        may_end = "End" in json.dumps(question.schema)
        text = '{"subtask": {"action": "End"}}' if may_end else '{"subtask": {"action": "Open", "target": "fridge"}}'
        return Completion(text, "stop", 10, 5, 0, (("Go", 0.9), ("End", self.probability), ('"}', 0.5)))


@pytest.mark.parametrize(
    ("probability", "least", "action"), [(0.94, 0.95, "Open"), (0.96, 0.95, "End"), (0.1, 0, "End")]
)
@pytest.mark.parametrize("targets", [(), ("fridge", "apple")])
def test_an_improbable_end_is_not_taken(
    probability: float, least: float, action: str, targets: tuple[str, ...]
) -> None:
    schema = decision_schema("json", ACTIONS, (), analysis=False, targets=targets)
    model = LocalModel(source := Sure(probability), GenerationOptions(64, 0.0, True, 1, least), "sure")
    reply = model.complete(Request((Message("user", ("open the fridge",)),), schema))
    assert json.loads(reply.text)["subtask"]["action"] == action
    assert (len(source.questions), reply.output_tokens) == ((2, 10) if action == "Open" else (1, 5))
    if action == "Open":
        others = Grammar(tokenizer("llama"), source.questions[1].schema, 200)
        for token in tokenizer("llama").tokenize_str('{"subtask": {"action": "'):
            others.take(token)
        allowed = np.flatnonzero(others.allowed_tokens(tokenizer("llama").vocab_size, 200))
        assert not {"E", "End"} & {tokenizer("llama").decode_str([int(token)]) for token in allowed}


class Going(Source):
    """A model that would always go to the shelf, then to the sofa, and picks the apple where it may not go."""

    facts = Facts(sees=False, blind="", engine={}, files={})

    def __init__(self, going: float) -> None:
        self.going, self.questions = going, []

    def ask(self, question: Question, batch: int) -> Completion:
        self.questions.append(question)
        forms = question.schema["properties"]["subtask"]
        forms = forms.get("anyOf", [forms])
        targets = {
            action: form["properties"].get("target", {}).get("enum", [""])
            for form in forms
            for action in form["properties"]["action"]["enum"]
        }
        action = "Go to" if "Go to" in targets else "Pick"
        wished = ("apple",) if action == "Pick" else ("shelf", "sofa")
        target = next(name for name in wished if name in targets[action])
        chosen = (("Go", self.going),) if action == "Go to" and len(targets) > 1 else ()
        text = json.dumps({"subtask": {"action": action, "target": target}})
        return Completion(text, "stop", 10, 5, 0, (*chosen, ("s", 0.5)))


@pytest.mark.parametrize(("going", "chosen"), [(0.9, ("Go to", "sofa")), (0.2, ("Pick", "apple"))])
def test_a_step_that_changes_nothing_is_not_taken(going: float, chosen: tuple[str, str]) -> None:
    schema = decision_schema("json", ACTIONS, (), analysis=False, targets=("shelf", "sofa", "apple"))
    useless = (Subtask("Go to", "shelf"),)
    request = Request((Message("user", ("put the apple on the shelf",)),), schema, useless=useless)

    def step(*, repeats: bool) -> tuple[str, str]:
        model = LocalModel(Going(going), GenerationOptions(64, 0.0, True, 1, repeats=repeats), "going")
        subtask = json.loads(model.complete(request).text)["subtask"]
        return subtask["action"], subtask["target"]

    assert step(repeats=False) == chosen
    assert step(repeats=True) == ("Go to", "shelf")


def test_a_schema_without_some_steps_allows_all_others() -> None:
    names = ("apple", "shelf", "sofa")
    schema = decision_schema("json", ACTIONS, (), analysis=False, targets=names)
    assert schema is not None
    steps = {Subtask("Go to", "shelf"), Subtask("Put", "apple", "sofa"), Subtask("Pick", "apple")}
    less = exclude_steps(schema, steps)
    every = {Subtask(action, name) for action in ("Go to", "Pick", "Open", "Close") for name in names}
    every |= {Subtask("Put", name, place) for name in names for place in names} | {Subtask("End")}
    for step in every:
        parts = {"action": step.action, "target": step.target, "destination": step.destination}
        text = json.dumps({"subtask": {name: part for name, part in parts.items() if part}})
        assert fits(schema, text) and fits(less, text) is (step not in steps), text
    anything = decision_schema("json", ACTIONS, (), analysis=False)
    assert anything is not None
    assert fits(exclude_steps(anything, steps), '{"subtask": {"action": "Pick", "target": "apple"}}'), "any text"


def fits(schema: Mapping[str, Any], text: str) -> bool:
    """Whether a grammar can write a text."""
    grammar, tokens = Grammar(tokenizer("llama"), schema, 200), tokenizer("llama").tokenize_str(text)
    try:
        for token in tokens:
            grammar.take(token)
    except PlannerError:
        return False
    return bool(grammar.allowed_tokens(tokenizer("llama").vocab_size, 200)[list(tokenizer("llama").eos_tokens)].any())


def test_an_answer_of_which_nothing_but_end_is_left_is_taken() -> None:
    for schema in (decision_schema("json", ("End",), (), analysis=False), decision_schema("plan", ACTIONS, ())):
        assert schema is not None and among_actions(schema, lambda name: name != "End") is None
