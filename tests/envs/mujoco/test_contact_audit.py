"""The contact audit sees what it is there to see: things in one another, and doors that nothing moves."""

from __future__ import annotations

from pathlib import Path

import pytest
from homes import lay, one_room

from benchmarks.episodes.contact_audit import ContactWatch, page
from homie.envs.mujoco.home.home import MujocoHome
from homie.kernel.types import Command

FRIDGE = {"name": "fridge", "kind": "fridge", "colour": "white", "x": 0.42, "y": 2.0}
CAN = {"name": "can", "kind": "tomato_soup_can", "colour": "red", "x": 3.2, "y": 3.2}


def test_depths_and_doors_are_seen_and_named() -> None:
    home = MujocoHome(one_room([FRIDGE], [CAN], (2.2, 2.0, 0.0)))
    with ContactWatch(home) as watch:
        home.act(Command())
        depths = watch.audit.depths
        assert all(depth.deepest < 0.5 for depth in depths.values()) and watch.audit.doors_alone == 0
        lay(home.model, home.data, "can", (3.2, 3.2, 0.0505 - 0.012))
        home.act(Command())
        sunk = depths["loose thing in what it meets"]
        assert sunk.deepest == pytest.approx(12.0, abs=1.0) and "can/" in sunk.what and sunk.seconds_over > 0.0
        home.data.joint("fridge/joint").qpos = 0.5
        for speed in (0.2, 0.4, 0.6):
            home.data.joint("fridge/joint").qvel = speed
            home.act(Command())
        assert watch.audit.doors_alone >= 3
        before = watch.audit.physics_steps
    home.act(Command())
    assert watch.audit.physics_steps == before, "its watch is over"


def test_a_door_that_its_stop_throws_back_does_not_move_by_itself() -> None:
    home = MujocoHome(one_room([FRIDGE], [CAN], (2.2, 2.0, 0.0)))
    door = home.data.joint("fridge/joint")
    with ContactWatch(home) as watch:
        door.qpos, door.qvel = 0.19, -2.0
        home.act(Command())  # it gains its speed from nothing
        assert watch.audit.doors_alone == 1
        lowest, highest = 1.0, -1.0
        for _ in range(50):
            home.act(Command())
            lowest = min(lowest, float(door.qpos[0]))
            highest = max(highest, float(door.qvel[0]))
        assert lowest < 0.0 < 0.1 < highest, "it was slammed and sprang back"
        assert watch.audit.doors_alone == 1


def test_the_page_names_the_worst(tmp_path: Path) -> None:
    quiet = {"deepest": 0.4, "what": "a / b", "when": 1.0, "seconds_over": 0.0}
    deep = {"deepest": 7.5, "what": "can/#0 / ground", "when": 12.5, "seconds_over": 0.2}
    kinds = dict.fromkeys(ContactWatch(MujocoHome(one_room())).audit.depths, quiet)
    counts = {"robot_seconds": 60.0, "physics_steps": 15000, "doors_alone": 0, "warnings": 0}
    entry = {"seed": 3, "task": "x", "as_asked": True, **counts}
    audits = [
        {**entry, "depths": kinds},
        {**entry, "seed": 4, "depths": {**kinds, "loose thing in what it meets": deep}},
        {"seed": 5, "error": "no room"},
    ]
    text = page(audits, "weld")
    assert "2 episodes" in text and "| loose thing in what it meets | 5 | 7.5 |" in text
    assert "| loose thing in what it meets | 7.5 | 4 | 12.5 | can/#0 / ground |" in text
    assert "Seed 5 did not run: no room" in text
