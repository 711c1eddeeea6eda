"""The four messages of a round between EMMOE's executor and its model server, in both directions.

They have no frame, no version and no token. `strict` is what the released code sends and how it reads; `repaired` is
understood by the released code too, but leaves out what it stumbles over.
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
"""Bytes that the released code reads of a message; of a longer one it loses the rest."""
LARGEST = 64 * 1024
"""Bytes of the longest message that is read at all."""
ACKNOWLEDGED = b"feedback received!"
SENT_ORDER: Mapping[Wire, tuple[str, ...]] = {"strict": ("left", "back", "right", "front"), "repaired": VIEWS}
"""The order of the pictures: the released executor's own, and the one that the prompt of EMMOE promises."""
BAR = "|"


class Malformed(Exception):
    """A message that is none of the protocol: a clause about its sender (`sent no JSON (...)`)."""


# ------------------------------------------------------------ from the executor


def pictures_message(paths: Mapping[str, str], wire: Wire) -> bytes:
    """The first message of a round. Raises BadInput for paths that are too long for the released code.

    Args:
        paths: Of the picture files, by view.
        wire: Whose order of views.
    """
    message = json.dumps([paths[view] for view in SENT_ORDER[wire]]).encode()
    if len(message) > LIMIT:
        raise BadInput(
            f"The paths of the four pictures take {len(message)} bytes, and EMMOE's code reads {LIMIT}: "
            "give a folder with a shorter path by --set pictures=FOLDER."
        )
    return message


def read_pictures(data: bytes) -> tuple[str, str, str, str]:
    """The paths in the first message of a round. Raises Malformed."""
    match _json(data):
        case [str() as first, str() as second, str() as third, str() as fourth]:
            return first, second, third, fourth
    raise Malformed(f"sent no list of four picture files ({quoted(data)})")


def feedback_message(feedback: Feedback, subtask: Subtask, wire: Wire) -> bytes:
    """The third message of a round: what became of a subtask.

    `strict` has the sentence of EMMOE's code alone; `repaired` Homie's own, which may say more, as far as it fits.
    """
    status = "success" if feedback.ok else "fail"
    text = _official(feedback, subtask) if wire == "strict" else feedback.message
    while len(message := json.dumps([text, status]).encode()) > LIMIT:
        text = text[:-8]
    return message


def read_feedback(data: bytes) -> tuple[str, bool]:
    """The sentence in the third message of a round, and whether the subtask was a success. Raises Malformed."""
    match _json(data):
        case [str() as sentence, "success" | "fail" as status]:
            return sentence, status == "success"
    raise Malformed(f'sent no feedback such as ["None", "success"] ({quoted(data)})')


def is_whole_list(data: bytes) -> bool:
    """Whether a message of the executor has come to its end. Raises Malformed where it can become none."""
    if not data.lstrip().startswith(b"["):
        raise Malformed(f"sent no JSON list ({quoted(data)})")
    try:
        json.loads(data)
    except RecursionError:
        raise Malformed(f"sent no JSON list ({quoted(data)})") from None
    except ValueError:
        return False
    return True


# ------------------------------------------------------------ from the model server


def ends_trial(message: str) -> bool:
    """Whether the released executor takes a subtask message for End: `blender` has an end, `recommend` too."""
    return "end" in message.lower()


def subtask_message(subtask: str, model: str, inventory: Sequence[str]) -> str:
    """The second message of a round."""
    return BAR.join((subtask, model, " ".join(inventory) or "None"))


def is_whole_subtask(data: bytes) -> bool:
    """Whether a message of the model server may have come to its end; it has no mark there."""
    _, _, inventory = data.rpartition(BAR.encode())
    return (data.count(BAR.encode()) >= 2 and bool(inventory)) or data.strip().lower() == b"end"


def read_subtask(
    message: str, wire: Wire, inventory: Sequence[str], actions: Sequence[str], models: Sequence[str]
) -> Decision:
    """The decision that the model server has sent.

    `strict` reads as the released executor: an End anywhere ends, the model is not looked at, what is put is the held
    object. `repaired` ends with the action End alone, and takes a model that is listed.

    Args:
        message: As it came.
        wire: How it is read.
        inventory: The held objects.
        actions: That there are.
        models: That can be chosen.

    Returns:
        The decision, with a `problem` for a message without the two bars or with a subtask that is none.
    """
    parts = [part.strip() for part in message.split(BAR)]
    if wire == "strict" and ends_trial(message):
        return Decision((END,), raw=message)
    inside = parts[0].removeprefix("[").removesuffix("]") if wire == "repaired" else parts[0]
    if canonical_action(inside, actions) == END.action:
        return Decision((END,), raw=message)
    if len(parts) < 3:
        return Decision((), raw=message, problem="The message has not the form subtask|model|inventory.")
    try:
        subtask = _as_executor(inside, inventory) if wire == "strict" else make_subtask(inside.split(","))
    except BadInput as error:
        return Decision((), raw=message, problem=str(error))
    model = "" if wire == "strict" else listed_model(BAR.join(parts[1:-1]), models)
    return Decision((subtask,), model=model, raw=message)


def listed_model(text: str, models: Sequence[str]) -> str:
    """The listed model that a model's text begins with (`[octo]</s>`, `NoMaD` and a sentence after it), "" for none."""
    first = model_key(re.split(r"[\n<|]", text.strip(), maxsplit=1)[0])
    return next((name for name in models if model_key(name) == first), "")


def _as_executor(inside: str, inventory: Sequence[str]) -> Subtask:
    """The first and the last part: the object of a Put is whatever is held."""
    first, *remaining = inside.split(",")
    if len(remaining) > 1:
        return make_subtask([first, inventory[-1] if inventory else remaining[0], remaining[-1]])
    return make_subtask([first, *remaining])


def _official(feedback: Feedback, subtask: Subtask) -> str:
    """The sentence of EMMOE's code."""
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
        raise Malformed(f"sent no JSON list ({quoted(data)})") from None


def quoted(data: bytes, max_bytes: int = 60) -> str:
    """The beginning of a message, printable and on one line."""
    printable = json.dumps(data[:max_bytes].decode("utf-8", "backslashreplace"))
    return f"{len(data)} bytes that begin {printable}" if len(data) > max_bytes else printable
