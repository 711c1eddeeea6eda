"""Robots that are made from the options of a run: which of them become settings, and which are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from homie_tiny import TinyRobot
from pydantic import BaseModel

from homie.envs.mujoco.home.settings import HomeSettings
from homie.envs.mujoco.table.settings import TableSettings
from homie.kernel.errors import BadInput
from homie.kernel.options import OpenOptions
from homie.kernel.robot_factory import Opening


class Made(TinyRobot):
    def __init__(self, argument, settings):
        super().__init__()
        self.argument, self.settings = argument, settings


def open_robot(model: type[BaseModel], **options: object) -> Made:
    values = {"robot": "mujoco", "skills": "classical", **options}
    return Opening(model, Made)(OpenOptions.build(**values), str(values["robot"]).partition(":")[2])


def test_options_of_the_same_name_are_settings():
    home = open_robot(
        HomeSettings, robot="mujoco", seed=7, rooms=3, opened=["fridge"], grasp="friction", picture_size=64
    )
    assert (home.argument, home.settings.seed, home.settings.rooms, home.settings.opened) == ("", 7, 3, ["fridge"])
    assert (home.settings.grasp, home.settings.pixels, home.settings.shade) == ("friction", (64, 64), True)
    table = open_robot(TableSettings, robot="franka:stack", scene=Path("table.json"))
    assert (table.argument, table.settings.scene) == ("stack", Path("table.json"))


def test_what_is_not_asked_for_is_as_the_robot_has_it():
    assert (TableSettings().pixels, TableSettings().shade) == ((500, 500), False), "as in EmbodiedBench"
    assert open_robot(TableSettings, robot="franka:stack").settings == TableSettings()
    assert open_robot(HomeSettings).settings == HomeSettings()
    assert open_robot(TableSettings, robot="franka:stack", shade=True).settings.shade is True


def test_a_robot_option_fills_every_setting_and_wins():
    home = open_robot(HomeSettings, rooms=3, robot_settings={"rooms": 4, "grasp": "friction"})
    assert (home.settings.rooms, home.settings.grasp) == (4, "friction")
    with pytest.raises(BadInput, match=r"^Setting of the robot 'mujoco': rooms must be between 2 and 6 \(got 9\)\.$"):
        open_robot(HomeSettings, robot_settings={"rooms": 9})
    with pytest.raises(BadInput, match=r"^The robot 'mujoco' has no setting 'romos': .*rooms"):
        open_robot(HomeSettings, robot_settings={"romos": 3})


def test_an_option_that_a_robot_has_no_setting_for_is_refused():
    with pytest.raises(BadInput) as excinfo:
        open_robot(TableSettings, robot="franka:stack", rooms=3, grasp="friction")
    flags = "--rooms and --grasp"
    assert str(excinfo.value) == f"The robot franka does not support {flags}: leave out {flags}."
    assert open_robot(TableSettings, robot="franka:stack", objects=40).settings == TableSettings(), "as it is anyway"
