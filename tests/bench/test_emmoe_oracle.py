"""`strict-emmoe` against a second reading of the notebooks' rules, straight from the text of random conversations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import example, given, settings
from hypothesis import strategies as st

from homie.bench.score.error_code_of_feedback import SENTENCES
from homie.bench.score.metric_profiles import StrictEmmoe
from homie.bench.score.trajectory import from_conversation

NAMES = {"apple": "apple", "fruit": "apple", "fridge": "fridge", "table": "table", "": "wall"}
FAR, FULL = "Unable to pick, the target is far away", "Unable to pick, the hand is full"
ODD = ("", " ", "Pick, apple\n", "Go to,\nfridge", "Pick, apple (success) now", "Open (fail) , fridge", "a(b)c, apple")
PLAIN = (
    "Go to, fridge",
    "Pick, apple",
    "Pick, fruit",
    "pick, apple",
    "Put, apple, fridge",
    "Go to, moon",
    "Open, Fridge",
)
KEYPATHS = (
    ("[Go to, fridge]", "[Pick, apple]", "[End]"),
    ("[Pick, apple]", "[Put, apple, fridge]"),
    ("[Go to, fridge]",),
    (),
)


@dataclass(frozen=True)
class Conversation:
    messages: list[str]
    expert: int


def conversation(played: list[tuple[str, bool, str]], last: str, expert: int) -> Conversation:
    """What EMMOE's planner writes down: a message a round, each with all that happened before it.

    played: of each round but the last the subtask, whether it succeeded, and its feedback.
    """
    messages = []
    for number in range(len(played) + 1):
        rounds = enumerate(played[:number], 1)
        history = "".join(f"({n}) {text}({'success' if good else 'fail'}) " for n, (text, good, _) in rounds) or "None"
        feedback = played[number - 1][2] if number else "None"
        now = played[number][0] if number < len(played) else last
        head = f"USER:\nTask: do it\nInventory: None\nHistorical Execution: {history}\nFeedback: {feedback}\n"
        messages.append(f"{head}Now answer.\nASSISTANT:\nAnalysis: so. Subtask: [{now}] Model: None\n")
    return Conversation(messages, expert)


def oracle(conversation: Conversation) -> dict[str, object]:
    """The rules of the notebooks, one after the other, without any code of ours."""
    final = conversation.messages[-1]
    line = final.split("\n")[3].replace("Historical Execution:", "", 1)
    pieces = re.split(r"(\(fail\)|\(success\))\s", line)
    history = []
    for text, signal in zip(pieces[0::2], pieces[1::2], strict=False):
        text = re.sub(r"\(.*?\)", "", text, count=1).strip().lstrip("[").rstrip("]")
        verb, thing, place = ([part.strip() for part in text.split(",")] + [None, None])[:3]
        history.append(
            (verb, thing if thing is None else thing.lower(), place if place is None else place.lower(), signal)
        )
    ended = "End" in final
    fails = [signal == "(fail)" for *_, signal in history]
    replans = sum(fails[:-1]) if ended else sum(fails)
    rows = [*history, ("End", None, None, "(success)")] if ended else history
    shares: list[float | str] = []
    complete = False
    stopped = ""
    for path in KEYPATHS:
        try:
            reached = walk(rows, path)
        except KeyError:
            shares.append("KeyError")
            stopped = stopped or ("" if complete else "KeyError")
            continue
        shares.append(reached / len(path) if path else 0.0)
        complete = complete or bool(path and reached == len(path) and not stopped)
    success: bool | None = None if ended and stopped else ended and complete
    longest = max(conversation.expert, len(conversation.messages))
    counts = {code: 0 for code, _ in SENTENCES}
    for message in conversation.messages[1:]:
        text = message.split("\n")[4]
        code = next((code for code, sentence in SENTENCES if sentence in text), None)
        if code:
            counts[code] += 1
    return {
        "shares": shares,
        "tp": None if "KeyError" in shares else max(shares),  # type: ignore[type-var]
        "ended": ended,
        "success": success,
        "weight": None if success is None else conversation.expert / longest if success else 0.0,
        "replans": replans,
        "errors": {} if success is None else counts,
    }


def walk(rows: list[tuple[str | None, ...]], path: tuple[str, ...]) -> int:
    """How many nodes are reached, greedily; a name that is looked up and not in the map is a KeyError."""
    reached = 0
    for verb, thing, place, signal in rows:
        if reached == len(path):
            break
        node = [part.strip() for part in path[reached].strip("[]").split(",")]
        if signal != "(success)" or verb != node[0]:
            continue
        if verb == "End":
            reached += 1
        elif NAMES[thing if thing is not None else "None"] == NAMES[node[1]]:
            expected = NAMES[node[2]] if len(node) > 2 else None
            reached += (None if place is None else NAMES[place]) == expected
    return reached


subtasks = st.sampled_from((*PLAIN, *PLAIN, *ODD))
feedback = st.sampled_from(("None", FAR, FULL, "None"))
conversations = st.builds(
    conversation,
    st.lists(st.tuples(subtasks, st.booleans(), feedback), max_size=6),
    st.sampled_from(("End", "End", "end", *PLAIN[:3], "Go to,\nfridge")),
    st.integers(1, 8),
)


@settings(max_examples=1500)
@given(conversations)
@example(conversation([("Go to, fridge", True, "None"), ("", False, "None"), ("Pick, apple", True, "None")], "End", 2))
@example(conversation([("Go to, fridge", True, "None"), ("Go to,\nfridge", True, "None")], "Pick, apple", 3))
@example(conversation([("Pick, apple (success) now", False, FAR)], "End", 3))
def test_random_conversations(conversation: Conversation) -> None:
    score = StrictEmmoe(NAMES).score(
        from_conversation(
            conversation.messages, task_id="1", trial=1, keypaths=KEYPATHS, expert_length=conversation.expert
        )
    )
    assert oracle(conversation) == {
        "shares": list(score.tp_per_keypath),
        "tp": score.tp,
        "ended": score.ended,
        "success": score.success,
        "weight": score.weight,
        "replans": score.replans,
        "errors": dict(score.errors),
    }
