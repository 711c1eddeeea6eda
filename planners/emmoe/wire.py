"""The four messages of a round between EMMOE's executor and its model server, in both directions.

They have no framing, version or token. `strict` sends and parses as the released code does; `repaired` messages are
understood by the released code too, but avoid its errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from homie.kernel.actions import canonical_action
from homie.kernel.errors import BadInput
from homie.kernel.support.documents import parse_json
from homie.kernel.types import END, VIEWS, Decision, Feedback, Subtask, model_key
from planners.parse_subtask import make_subtask

Wire: TypeAlias = Literal["repaired", "strict"]
PORT = 10010
ROUNDS = 20
"""Rounds after which both sides go on to the next trial."""
LIMIT = 1024
"""Bytes of a message that the released code reads; it loses the rest of a longer message."""
LARGEST = 64 * 1024
"""Maximum bytes of a received message."""
ACKNOWLEDGED = b"feedback received!"
SENT_ORDER: Mapping[Wire, tuple[str, ...]] = {"strict": ("left", "back", "right", "front"), "repaired": VIEWS}
"""Order of the pictures: that of the released executor, and that stated in EMMOE's prompt."""
BAR = "|"


class MalformedMessage(Exception):
    """A message that violates the protocol; the text is a clause about its sender (`sent no JSON (...)`)."""


# ------------------------------------------------------------ from the executor


def pictures_message(paths: Mapping[str, str], wire: Wire) -> bytes:
    """Return the first message of a round. Raises BadInput for paths that are too long for the released code.

    Args:
        paths: Picture files by view.
        wire: Determines the order of views.
    """
    message = json.dumps([paths[view] for view in SENT_ORDER[wire]]).encode()
    if len(message) > LIMIT:
        raise BadInput(
            f"The paths of the four pictures take {len(message)} bytes, and EMMOE's code reads {LIMIT}: "
            "give a folder with a shorter path by --set pictures=FOLDER."
        )
    return message


def read_pictures(data: bytes) -> tuple[str, str, str, str]:
    """Parse the paths in the first message of a round. Raises Malformed."""
    match _json(data):
        case [str() as first, str() as second, str() as third, str() as fourth]:
            return first, second, third, fourth
    raise MalformedMessage(f"sent no list of four picture files ({quote_bytes(data)})")


def feedback_message(feedback: Feedback, subtask: Subtask, wire: Wire) -> bytes:
    """Return the third message of a round: the result of a subtask.

    `strict` contains only the sentence of EMMOE's error code; `repaired` Homie's own, possibly longer, cut to fit.
    """
    status = "success" if feedback.ok else "fail"
    text = _emmoe_sentence(feedback, subtask) if wire == "strict" else feedback.message
    while len(message := json.dumps([text, status]).encode()) > LIMIT:
        text = text[:-8]
    return message


def read_feedback(data: bytes) -> tuple[str, bool]:
    """Parse the third message of a round: its sentence, and whether the subtask succeeded. Raises Malformed."""
    match _json(data):
        case [str() as sentence, "success" | "fail" as status]:
            return sentence, status == "success"
    raise MalformedMessage(f'sent no feedback such as ["None", "success"] ({quote_bytes(data)})')


def is_whole_list(data: bytes) -> bool:
    """Return whether a message of the executor is complete. Raises Malformed if it can no longer become valid."""
    if not data.lstrip().startswith(b"["):
        raise MalformedMessage(f"sent no JSON list ({quote_bytes(data)})")
    try:
        json.loads(data)
    except RecursionError:
        raise MalformedMessage(f"sent no JSON list ({quote_bytes(data)})") from None
    except ValueError:
        return False
    return True


# ------------------------------------------------------------ from the model server


def ends_trial(message: str) -> bool:
    """Return whether the released executor takes a subtask message for End: `blender` contains `end`."""
    return "end" in message.lower()


def subtask_message(subtask: str, model: str, inventory: Sequence[str]) -> str:
    """Return the second message of a round."""
    return BAR.join((subtask, model, " ".join(inventory) or "None"))


def is_whole_subtask(data: bytes) -> bool:
    """Return whether a message of the model server may be complete; it has no end marker."""
    _, _, inventory = data.rpartition(BAR.encode())
    return (data.count(BAR.encode()) >= 2 and bool(inventory)) or data.strip().lower() == b"end"


def read_subtask(
    message: str, wire: Wire, inventory: Sequence[str], actions: Sequence[str], models: Sequence[str]
) -> Decision:
    """Parse the decision that the model server has sent.

    `strict` parses as the released executor does: `end` anywhere ends the trial, the model is ignored, and the object
    of a Put is the held object. `repaired` ends only with the action End, and accepts a listed model.

    Args:
        message: As received.
        wire: How to parse it.
        inventory: The held objects.
        actions: Available actions.
        models: Available models.

    Returns:
        The decision, with a `problem` for a message without the two bars or with an invalid subtask.
    """
    parts = [part.strip() for part in message.split(BAR)]
    if wire == "strict" and ends_trial(message):
        return Decision((END,), raw=message)
    subtask_text = parts[0].removeprefix("[").removesuffix("]") if wire == "repaired" else parts[0]
    if canonical_action(subtask_text, actions) == END.action:
        return Decision((END,), raw=message)
    if len(parts) < 3:
        return Decision((), raw=message, problem="The message has not the form subtask|model|inventory.")
    try:
        subtask = _as_executor(subtask_text, inventory) if wire == "strict" else make_subtask(subtask_text.split(","))
    except BadInput as error:
        return Decision((), raw=message, problem=str(error))
    model = "" if wire == "strict" else match_model(BAR.join(parts[1:-1]), models)
    return Decision((subtask,), model=model, raw=message)


def match_model(text: str, models: Sequence[str]) -> str:
    """Return the listed model with which a text begins (`[octo]</s>`, `NoMaD` before a sentence), "" for none."""
    first = model_key(re.split(r"[\n<|]", text.strip(), maxsplit=1)[0])
    return next((name for name in models if model_key(name) == first), "")


def _as_executor(subtask_text: str, inventory: Sequence[str]) -> Subtask:
    """Parse a subtask from its first and last part; the object of a Put is the held object."""
    first, *remaining = subtask_text.split(",")
    if len(remaining) > 1:
        return make_subtask([first, inventory[-1] if inventory else remaining[0], remaining[-1]])
    return make_subtask([first, *remaining])


def _emmoe_sentence(feedback: Feedback, subtask: Subtask) -> str:
    """Return the sentence of EMMOE's error code."""
    if feedback.ok:
        return "None"
    if feedback.code is None or not subtask.action:
        return feedback.message
    item = subtask.destination or subtask.target
    return feedback.code.filled(action=subtask.action, item=item, container=(*feedback.about, item)[0])


def _json(data: bytes) -> object:
    try:
        return parse_json(data)
    except ValueError:
        raise MalformedMessage(f"sent no JSON list ({quote_bytes(data)})") from None


def quote_bytes(data: bytes, max_bytes: int = 60) -> str:
    """Return the beginning of a message, printable and on one line."""
    printable = json.dumps(data[:max_bytes].decode("utf-8", "backslashreplace"))
    return f"{len(data)} bytes that begin {printable}" if len(data) > max_bytes else printable
