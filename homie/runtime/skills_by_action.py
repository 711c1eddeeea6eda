"""Creation and validation of the skills of a set, which may be user code, by action."""

from __future__ import annotations

from numbers import Real

from homie.kernel.errors import BadInput
from homie.kernel.interfaces import GroundTruthAccess, Robot, Skill, SkillSet
from homie.kernel.interfaces.parts import brief, is_line, method_of, misfit


def skills_by_action(skill_set: SkillSet, robot: Robot) -> dict[str, Skill]:
    """Create the skills of a set for a robot, for one episode, by action.

    Raises:
        BadInput: The set has no skills for this robot, or a member of a skill violates its interface.
    """
    if isinstance(skill_set, GroundTruthAccess):
        skill_set.bind(robot)
    owner = f"The skill set {type(skill_set).__name__}"
    _check_name(owner, skill_set.name, "the model that planners choose")
    _check_words(owner, "actions", skill_set.actions)
    skills: object = skill_set.skills(robot.spec, robot.kinematics)
    if not isinstance(skills, list | tuple) or not all(isinstance(skill, Skill) for skill in skills):
        owner = method_of("skill set", skill_set, "skills")
        raise BadInput(f"{owner} returned {brief(skills)}: return a list of homie.Skill.")
    for skill in skills:
        _check(skill)
    return {action: skill for skill in skills for action in skill.actions}


def _check(skill: Skill) -> None:
    owner = f"The skill {type(skill).__name__}"
    if problem := misfit(type(skill), Skill):
        raise BadInput(f"{owner} {problem}.")
    if skill.name != "":
        _check_name(owner, skill.name, "a text of one line")
    for name in ("actions", "cameras"):
        _check_words(owner, name, getattr(skill, name))
    seconds: object = skill.max_seconds
    if not isinstance(seconds, Real) or isinstance(seconds, bool) or not float(seconds) > 0:
        raise BadInput(f"{owner} has {brief(seconds)} as `max_seconds`: write a number above 0, such as 60.0.")


def _check_name(owner: str, name: object, noun: str) -> None:
    if not is_line(name):
        raise BadInput(f'{owner} has {brief(name)} as `name`: write {noun}, such as "wave".')


def _check_words(owner: str, member: str, words: object) -> None:
    if isinstance(words, str):
        raise BadInput(f"{owner} has the text {words!r} as `{member}`: write a tuple, as in ({words!r},).")
    if not isinstance(words, tuple | list | set | frozenset) or not all(
        isinstance(word, str) and word and word.isprintable() for word in words
    ):
        raise BadInput(f'{owner} has {brief(words)} as `{member}`: write a tuple of texts, as in ("Go to",).')
