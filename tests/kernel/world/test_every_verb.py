"""Every row of the table of verbs is played from what the row says alone, so that another row has its test already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from homes import one_room

import homie
from homie.envs.mujoco.blueprints.catalog import FURNITURE, OBJECTS, blueprint
from homie.envs.mujoco.generate.initial_states import NEEDED
from homie.envs.mujoco.house.spec import SceneSpec
from homie.kernel.options import RunOptions
from homie.kernel.world.household_verbs import RULES, STATES, USUAL, VERBS, Rule, doings
from skills.household.skill_set import IdealChores

RULED = {name: verb for name, verb in VERBS.items() if verb.rule is not None}
DESK = {"name": "desk", "kind": "desk", "colour": "wood", "x": 0.6, "y": 2.0}
SKILLS = "ideal,ideal-chores"


def target_of(rule: Rule) -> str:
    """A kind of thing to which it can be done, and its name: skills know things by it."""
    return min(rule.things & {*OBJECTS})


def tool_of(rule: Rule) -> str:
    """A kind of tool, another than what it is done to; "" for none."""
    return min(rule.tool - {target_of(rule)}, default="")


def object_entry(kind: str, place: dict[str, Any]) -> dict[str, Any]:
    return {"name": kind, "kind": kind, "colour": OBJECTS[kind].colours[0], "x": 0.0, "y": 0.0, **place}


def world_for(rule: Rule) -> SceneSpec:
    """A room in which nothing is left to do but the verb of a rule: the target is not yet in the state."""
    furniture, place = [DESK], {"receptacle": "desk", "surface": "top", "y": -0.2}
    states = {tool_of(rule): {rule.uses: True} if rule.uses else {}, target_of(rule): {rule.state: False}}
    if rule.at:
        at = min(rule.at)
        colour = FURNITURE[at].colours[0]
        furniture.append({"name": at, "kind": at, "colour": colour, "x": 3.5, "y": 2.0, "yaw": 3.1416})
        place = {"receptacle": at, "surface": rule.surface or blueprint(at, colour).surfaces[0].name}
    objects = [object_entry(target_of(rule), place)]
    if rule.tool:
        objects.append(object_entry(tool_of(rule), {"receptacle": "desk", "surface": "top", "y": 0.3}))
    written = one_room(furniture, objects).model_dump(mode="json")
    written["objects"] = [{**item, "states": states[item["name"]]} for item in written["objects"]]
    return SceneSpec.model_validate({**written, "states": True})


@pytest.mark.parametrize("name", RULED)
def test_a_verb_brings_its_state_about_where_its_rule_is_kept(name: str, tmp_path: Path) -> None:
    action, rule = RULED[name].action, RULED[name].rule
    assert rule is not None and action.result == rule.state
    target, tool = target_of(rule), tool_of(rule)
    words = (tool, target) if "destination" in action.arguments else (target,)
    (tmp_path / "scene.json").write_text(world_for(rule).dump())
    with homie.open(scene=tmp_path / "scene.json", skills=SKILLS, picture_size=16, shade=False) as session:
        assert session.world_state().objects[target].states[rule.state] is False
        if rule.on:
            assert session.call("Go to", min(rule.at)).feedback.ok and session.call("Turn on", min(rule.at)).feedback.ok
        if rule.tool:
            session.call("Go to", target)
            assert session.call(name, *words).feedback.code == "L2", "without its tool"
            for before in ("Go to", "Pick"):
                assert session.call(before, tool).feedback.ok
        assert session.call("Go to", target).feedback.ok
        record = session.call(name, *words)
        assert record.feedback.ok, record.feedback.message
        assert session.world_state().objects[target].states[rule.state] is True


def test_planners_and_people_are_shown_every_verb_and_every_state() -> None:
    for name, verb in RULED.items():
        assert verb.does and verb.does in IdealChores.about and doings([name]) == verb.does
    about = RunOptions.model_fields["states"].description
    assert about is not None and all(state in about for state in STATES)
    assert {rule.state for rule in RULES} <= {*STATES} and {*USUAL} <= {*STATES}


def test_a_house_with_states_has_what_every_rule_asks_for() -> None:
    for rule in RULES:
        assert rule.things & {*NEEDED} and (not rule.tool or rule.tool & {*NEEDED}), rule.state
