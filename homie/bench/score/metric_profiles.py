"""Two interpretations of the EMMOE protocol: as its notebooks compute it, and as the paper defines it
(docs/metrics.md).

Both match a trajectory with key paths greedily in order (EMMOE, section 3.4) and take the best path. An episode is a
success if the planner ended it and a complete path was matched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal

from homie.bench.score.error_code_of_feedback import CODES, SENTENCES, raw_code_of
from homie.bench.score.scores import Count, Profile, Score
from homie.bench.score.trajectory import Step, Trajectory, parts
from homie.bench.suite.suite import Suite, read_subtask
from homie.kernel.actions import ACTIONS, canonical_action
from homie.kernel.errors import BadInput
from homie.kernel.interfaces import kind_of
from homie.kernel.types import END

SKILLS = tuple(action for action in ACTIONS if action != END.action)
"""Skills counted by the official notebooks, in their order."""
PROFILES = ("homie", "strict-emmoe")
NOTHING = "None"
"""Placeholder of the official code for a missing object or place."""


class StrictEmmoe:
    """Profile `strict-emmoe`: the values of the official notebooks, including their defects and exceptions.

    Args:
        names: Synonyms, from word to template name (the official `name_dict.txt`). A missing word is a KeyError where
            the notebooks look it up. As EMMOE's executor uses the same map, the entities to which the executor resolved
            words are added to it.
    """

    name: Literal["strict-emmoe", "homie"] = "strict-emmoe"
    keeps_lost = False

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names

    def score(self, trajectory: Trajectory) -> Score:
        """Score an episode; exceptions of the notebooks are recorded in `Score.raises`."""
        readable = [step for step in trajectory.steps if not step.unreadable]
        length = trajectory.length - (len(trajectory.steps) - len(readable))
        ended = trajectory.last_message_has_end
        scored = readable[:-1]  # no message reports the outcome of the last one
        history = [strict_row(step) for step in scored]
        if ended:
            history.append(("End", NOTHING, NOTHING, "success"))
        names = {**self._resolved_words(trajectory.steps), **self._names}
        paths = [_attempt_path(history, path, names) for path in trajectory.keypaths] if length else []
        shares = [reached if isinstance(reached, str) else _share(reached, path) for reached, path in paths]
        exceptions = (
            {} if length else dict.fromkeys(("tp", "success", "replans", "replans_in_success", "errors"), "IndexError")
        )
        for share in shares:
            if isinstance(share, str):
                exceptions.setdefault("tp", share)
        success = self._success(paths, exceptions) if ended else False
        is_known = "success" not in exceptions
        feedback = [step.message for step in scored] if trajectory.feedback is None else trajectory.feedback
        counts = Counter(raw_code_of(message) for message in feedback)
        failures = [step for step in scored if not step.success]
        return Score(
            task_id=trajectory.task_id,
            trial=trajectory.trial,
            tp=None
            if "tp" in exceptions
            else max((share for share in shares if not isinstance(share, str)), default=0.0),
            success=success if is_known else None,
            ended=ended,
            weight=(_path_weight(trajectory.expert_length, length) if success else 0.0) if is_known else None,
            length=length,
            tp_per_keypath=tuple(shares),
            replans=len(failures) - (1 if ended and scored and not scored[-1].success else 0),
            errors={code: counts[code] for code, _ in SENTENCES} if is_known else {},
            scored_steps=max(length - 1, 0),
            executions=_executions(scored, lambda step: strict_row(step)[0], strict=True),
            attempts=_attempts(scored),
            next_node=_next_node([(path, 0 if isinstance(reached, str) else reached) for reached, path in paths]),
            verdict=trajectory.verdict,
            progress=trajectory.progress,
            claim=trajectory.claim,
            held_first=trajectory.held_first,
            given=trajectory.given,
            raises=exceptions,
        )

    def _resolved_words(self, steps: Iterable[Step]) -> dict[str, str]:
        """Return the words that the executor resolved, mapped to the template name of the entity's kind."""
        pairs = [names for step in steps for names in (step.objects, step.places) if len(names) > 1]
        kinds = {word.lower(): kind_of(plain(entity)) for word, entity, *_ in pairs}
        return {word: self._names.get(kind, kind) for word, kind in kinds.items()}

    def _success(self, paths: Iterable[tuple[int | str, Sequence[str]]], exceptions: dict[str, str]) -> bool:
        """Return whether a complete key path was matched. The notebooks stop at the first match or exception."""
        for reached, path in paths:
            if isinstance(reached, str):
                exceptions.update(dict.fromkeys(("success", "replans_in_success", "errors"), reached))
                return False
            if path and reached == len(path):
                return True
        return False


def _attempt_path(
    history: Sequence[tuple[str, str, str, str]], path: Sequence[str], names: Mapping[str, str]
) -> tuple[int | str, Sequence[str]]:
    """Return the number of reached nodes of a path or the name of the exception, and the path."""
    try:
        return _count_matched(history, path, lambda row, node: _same_row(row, node, names)), path
    except (KeyError, IndexError) as error:
        return type(error).__name__, path


def _same_row(row: tuple[str, str, str, str], node: str, names: Mapping[str, str]) -> bool:
    """Return whether a step reaches a node. Raises KeyError and IndexError like the notebooks."""
    verb, target, place, signal = row
    expected = [part.strip() for part in node.strip("[").strip("]").split(",")]
    if signal != "success" or verb != expected[0]:
        return False
    if verb == END.action:
        return True
    if names[target] != names[expected[1]]:
        return False
    actual_place, expected_place = (
        NOTHING if word == NOTHING else names[word] for word in (place, expected[2] if len(expected) > 2 else NOTHING)
    )
    return actual_place == expected_place


def strict_row(step: Step) -> tuple[str, str, str, str]:
    """Return a step as in the official history: verb, object, place, signal. Parts after the third are dropped."""
    verb, *names = parts(step.text)
    target, place = [name.lower() for name in names[:2]] + [NOTHING] * (2 - len(names[:2]))
    return verb, target, place, "success" if step.success else "fail"


class Homie:
    """Profile `homie`: the same metrics with the defects corrected; docs/metrics.md lists the differences.

    Args:
        names: Synonyms, from word to the word in the key paths. Case, underscores and articles are ignored, and the
            number of an instance (`apple_2`) too if the key path has none.
    """

    name: Literal["strict-emmoe", "homie"] = "homie"
    keeps_lost = True

    def __init__(self, names: Mapping[str, str] | None = None) -> None:
        synonyms = {word.lower(): plain(meaning) for word, meaning in (names or {}).items()}
        self._names = {**{plain(word): meaning for word, meaning in synonyms.items()}, **synonyms}

    def score(self, trajectory: Trajectory) -> Score:
        """Score an episode."""
        steps = trajectory.steps
        reached_counts = [_count_matched(steps, path, self._match) for path in trajectory.keypaths]
        shares = [_share(count, path) for count, path in zip(reached_counts, trajectory.keypaths, strict=True)]
        if not trajectory.keypaths:  # a task with only a goal: the final state of the world decides
            shares = [float(bool(trajectory.verdict))]
        violation = next(
            (path[-1] for path in trajectory.never if _count_matched(steps, path, self._match) == len(path)), ""
        )
        success = trajectory.ended and trajectory.claim is not False and 1.0 in shares and not violation
        counts = Counter(step.code for step in steps)
        expert = trajectory.expert_length
        return Score(
            task_id=trajectory.task_id,
            trial=trajectory.trial,
            tp=max(shares),
            success=success,
            ended=trajectory.ended,
            weight=(_path_weight(expert, trajectory.length) if success else 0.0) if expert else None,
            length=trajectory.length,
            tp_per_keypath=tuple(shares),
            replans=sum(step.success is False and after.action != END.action for step, after in pairwise(steps)),
            errors={code: counts[code] for code in CODES},
            scored_steps=sum(step.action != END.action and step.success is not None for step in steps),
            executions=_executions(steps, lambda step: step.action, strict=False),
            attempts=_attempts(steps),
            next_node=f"never {violation}"
            if violation
            else _next_node(list(zip(trajectory.keypaths, reached_counts, strict=True))),
            verdict=trajectory.verdict,
            progress=trajectory.progress,
            claim=trajectory.claim,
            held_first=trajectory.held_first,
            given=trajectory.given,
            raises={} if expert else {"expert": "the task has no expert"},
        )

    def meanings(self, names: Iterable[str]) -> frozenset[str]:
        """Return the canonical forms of names and of their kinds."""
        return frozenset(self.meaning(form) for name in names for form in (name, kind_of(plain(name))))

    def _match(self, step: Step, node: str) -> bool:
        verb, *names = parts(node)
        if not step.success or step.action != (canonical_action(verb) or verb):
            return False
        expected = [name for name in names[:2] if name]
        return all(
            self.meaning(name) in self.meanings(names_of)
            for name, names_of in zip(expected, (step.objects, step.places), strict=False)
        )

    def meaning(self, name: str) -> str:
        """Return the canonical form of a name. The exact spelling has priority: a map may have both `meat_can` and
        `meat can`."""
        return self._names.get(name.lower(), self._names.get(plain(name), plain(name)))


def plain(name: str) -> str:
    """Return a name in lower case without underscores, articles and repeated blanks.

    Example:
        >>> plain("The Meat_Can")
        'meat can'
    """
    return re.sub(r"^(the|an?) ", "", " ".join(name.replace("_", " ").lower().split()))


def _count_matched(steps: Sequence[object], path: Sequence[str], match: Callable[..., bool]) -> int:
    """Return the number of nodes of a path that the steps reach, matched greedily in order."""
    reached = 0
    for step in steps:
        if reached < len(path) and match(step, path[reached]):
            reached += 1
    return reached


def _share(reached: int, path: Sequence[str]) -> float:
    return reached / len(path) if path else 0.0


def _next_node(paths: Sequence[tuple[Sequence[str], int]]) -> str:
    """Return the first missed node of the path with the largest reached share.

    Args:
        paths: Paths, each with its number of reached nodes.
    """
    path, reached = max(paths, key=lambda pair: _share(pair[1], pair[0]), default=((), 0))
    return path[reached] if reached < len(path) else ""


def _path_weight(expert: int, actual: int) -> float:
    return expert / max(actual, expert)


def _executions(steps: Sequence[Step], verb: Callable[[Step], str], *, strict: bool) -> dict[str, Count]:
    """Count the subtasks that a skill ran (not rejected by a check), by action.

    Args:
        strict: Count only those that the notebooks count.
    """
    counts: Counter[tuple[str, bool]] = Counter()
    for step in steps:
        code = raw_code_of(step.message) if strict else step.code
        if code[:1] not in ("D", "F", "L") and step.success is not None:
            counts[verb(step), "None" in step.message if strict else step.success] += 1
    return _by_action(counts, SKILLS if strict else _actions(steps))


def _attempts(steps: Sequence[Step]) -> dict[str, Count]:
    """Count attempts by action."""
    return _by_action(Counter((step.action, good) for step in steps for good in step.attempts), _actions(steps))


def _actions(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return the actions of some steps except End, in the order of their first occurrence."""
    return tuple(dict.fromkeys(step.action for step in steps if step.action not in ("", END.action)))


def _by_action(counts: Mapping[tuple[str, bool], int], actions: Sequence[str]) -> dict[str, Count]:
    return {action: Count(counts[action, True], counts[action, False]) for action in actions}


def make_profile(name: str, suite: Suite) -> Profile:
    """Return the profile with a name, using the synonyms of the suite. Raises BadInput for an unknown name."""
    if name == "homie":
        return Homie(suite.names)
    if name == "strict-emmoe":
        return StrictEmmoe({**_key_path_names(suite), **suite.names})
    raise BadInput(f"There is no profile '{name}': choose {' or '.join(PROFILES)}.")


def _key_path_names(suite: Suite) -> dict[str, str]:
    """Return every name in a key path, mapped to itself, as in the notebooks' name map.

    A name with blanks is also mapped with underscores, and both in lower case.
    """
    subtasks = [read_subtask(node) for task in suite.tasks for path in task.keypaths for node in path]
    words = {name for subtask in subtasks for name in (subtask.target, subtask.destination) if name}
    return {form: plain(word) for word in words for form in (word, plain(word), plain(word).replace(" ", "_"))}
